// float_env.h - Denormal numbers count as zero while kernels run.
//
// TensorFlow computes that way, and so results agree; besides, arithmetic on
// denormals is up to a hundred times slower. The setting belongs to a thread:
// workers keep it, a caller's is restored when its run ends.
//
// On processors without such a switch nothing happens.
#ifndef BERTH_BASE_FLOAT_ENV_H_
#define BERTH_BASE_FLOAT_ENV_H_

#include <stdint.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

typedef uint64_t berth_float_env_t;

#if defined(__SSE2__)
// Flush to zero, and denormals are zero.
enum { BERTH_FLOAT_ENV_FLUSHES = 0x8040 };
#endif

// Flushes denormals on this thread and returns the setting before.
static inline berth_float_env_t berth_float_env_enter(void) {
#if defined(__SSE2__)
  unsigned before = _mm_getcsr();
  unsigned wanted = before | BERTH_FLOAT_ENV_FLUSHES;
  if (wanted != before) _mm_setcsr(wanted);
  return before;
#elif defined(__aarch64__)
  uint64_t before = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr, %0" ::"r"(before | (uint64_t)1 << 24));
  return before;
#else
  return 0;
#endif
}

// Goes back to the setting |before|.
static inline void berth_float_env_leave(berth_float_env_t before) {
#if defined(__SSE2__)
  // Reading the register again would cost as much as writing it.
  if ((before & BERTH_FLOAT_ENV_FLUSHES) != BERTH_FLOAT_ENV_FLUSHES) {
    _mm_setcsr((unsigned)before);
  }
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" ::"r"(before));
#else
  (void)before;
#endif
}

#endif  // BERTH_BASE_FLOAT_ENV_H_
