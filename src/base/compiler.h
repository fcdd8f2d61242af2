// compiler.h - The few compiler extensions Berth uses, in one place.
#ifndef BERTH_BASE_COMPILER_H_
#define BERTH_BASE_COMPILER_H_

#define BERTH_PRINTF(format_index, first_arg) \
  __attribute__((format(printf, format_index, first_arg)))
#define BERTH_LIKELY(x) __builtin_expect(!!(x), 1)
#define BERTH_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define BERTH_NOINLINE __attribute__((noinline))
#define BERTH_INLINE inline __attribute__((always_inline))
#define BERTH_ALIGNED(n) __attribute__((aligned(n)))
// A variable of each thread. Those of a library that may be opened at run time
// are found by a call, which a small run makes several times; the C library of
// GNU keeps some room for libraries whose variables, as these, take a few
// hundred bytes, and finds those without one.
#if defined(__has_include) && __has_include(<gnu/libc-version.h>)
#define BERTH_THREAD_LOCAL \
  __attribute__((tls_model("initial-exec"))) _Thread_local
#else
#define BERTH_THREAD_LOCAL _Thread_local
#endif

// Leaves out the check of a function's frame (cmake/BerthHarden.cmake), on the
// way of every small call: for frames without an array, which the compiler
// guards only because the address of a single value is taken.
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define BERTH_UNGUARDED __attribute__((no_stack_protector))
#endif
#endif
#ifndef BERTH_UNGUARDED
#define BERTH_UNGUARDED
#endif

// Number of elements of an array (not of a pointer).
#define BERTH_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#if defined(__SANITIZE_THREAD__)
#define BERTH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BERTH_TSAN 1
#endif
#endif
#ifndef BERTH_TSAN
#define BERTH_TSAN 0
#endif

#endif  // BERTH_BASE_COMPILER_H_
