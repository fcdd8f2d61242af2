// clock.h - Time.
#ifndef BERTH_BASE_CLOCK_H_
#define BERTH_BASE_CLOCK_H_

#include <stdint.h>

// Nanoseconds of a clock that never goes back.
int64_t berth_now_ns(void);

// Ticks of a counter that is quicker to read, of a length that is to be found
// out by reading both clocks twice.
static inline uint64_t berth_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return (uint64_t)berth_now_ns();
#endif
}

// Sleeps for |duration| nanoseconds, or a little longer.
void berth_sleep_ns(int64_t duration);

// Microseconds since 1970, for logs and traces.
int64_t berth_wall_us(void);

#endif  // BERTH_BASE_CLOCK_H_
