// clock.c - Time.
#include "base/clock.h"

#include <time.h>

int64_t berth_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t berth_wall_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void berth_sleep_ns(int64_t duration) {
  struct timespec t = {(time_t)(duration / 1000000000),
                       (long)(duration % 1000000000)};
  nanosleep(&t, NULL);
}
