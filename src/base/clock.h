// clock.h - Time.
#ifndef BERTH_BASE_CLOCK_H_
#define BERTH_BASE_CLOCK_H_

#include <stdint.h>

// Nanoseconds of a clock that never goes back.
int64_t berth_now_ns(void);

// Sleeps for |duration| nanoseconds, or a little longer.
void berth_sleep_ns(int64_t duration);

// Microseconds since 1970, for logs and traces.
int64_t berth_wall_us(void);

#endif  // BERTH_BASE_CLOCK_H_
