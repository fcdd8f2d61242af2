// assert.h - Checks of our own reasoning, never of what a user passes.
//
// BERTH_ASSERT costs a comparison and stays in every build but release.
// BERTH_ASSERT_SLOW may walk a whole structure and is on in `check` builds.
#ifndef BERTH_BASE_ASSERT_H_
#define BERTH_BASE_ASSERT_H_

// Prints where and what, then aborts.
_Noreturn void berth_assert_failed(const char *text, const char *file,
                                   int line);

#if defined(NDEBUG) && !defined(BERTH_CHECK)
#define BERTH_ASSERT(cond) ((void)0)
#else
#define BERTH_ASSERT(cond) \
  ((cond) ? (void)0 : berth_assert_failed(#cond, __FILE__, __LINE__))
#endif

#ifdef BERTH_CHECK
#define BERTH_ASSERT_SLOW(cond) BERTH_ASSERT(cond)
#else
#define BERTH_ASSERT_SLOW(cond) ((void)0)
#endif

#endif  // BERTH_BASE_ASSERT_H_
