// check.h - Whether a program and a layout are what they must be.
//
//   check.c         programs: steps, slots, segments, blockers
//   check_layout.c  layouts: storage, offsets, what is let go
//   check_lanes.c   layouts: streams, events, ranges
//   check_fan.c     layouts: parts that run beside each other
//
// Each walks a whole structure and works out anew what must hold, without the
// code that made it. Builds with assertions check everything that is made.
//
// Threads: what is checked must not change meanwhile.
#ifndef BERTH_EXEC_CHECK_H_
#define BERTH_EXEC_CHECK_H_

#include "base/assert.h"
#include "exec/layout.h"

// Return NULL when all that must hold does, or what does not. What needs memory
// that there is not is left out.
const char *berth_program_check(const berth_program_t *program);
const char *berth_layout_check(const berth_layout_t *layout);

// The part of the above that is about lanes, which |layout| has.
const char *berth_lanes_check(const berth_layout_t *layout);

// The part of it that is about fans, but for the bytes they have.
const char *berth_fans_check(const berth_layout_t *layout);

// Asserts that a check has found nothing.
#if defined(NDEBUG) && !defined(BERTH_CHECK)
#define BERTH_ASSERT_SOUND(check) ((void)0)
#else
#define BERTH_ASSERT_SOUND(check)                           \
  do {                                                      \
    const char *berth_wrong = (check);                      \
    if (berth_wrong != NULL)                                \
      berth_assert_failed(berth_wrong, __FILE__, __LINE__); \
  } while (0)
#endif

// Leaves a check when |cond| does not hold.
#define BERTH_CHECK_THAT(cond, text) \
  do {                               \
    if (!(cond)) return (text);      \
  } while (0)

// Leaves a check with what another has found.
#define BERTH_CHECK_TRY(check)                   \
  do {                                           \
    const char *berth_wrong = (check);           \
    if (berth_wrong != NULL) return berth_wrong; \
  } while (0)

#endif  // BERTH_EXEC_CHECK_H_
