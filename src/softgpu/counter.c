// counter.c - A number that only grows, which threads can wait for.
#include "softgpu/counter.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { SLEEPER = 1u, STEP = 2u };

static bool is_reached(unsigned word, uint32_t target) {
  uint32_t ahead = ((word >> 1) - target) & 0x7fffffffu;
  return ahead < 0x40000000u;
}

void berth_soft_counter_advance(berth_soft_counter_t *counter) {
  unsigned before =
      atomic_fetch_add_explicit(&counter->word, STEP, memory_order_release);
  if ((before & SLEEPER) == 0) return;
  atomic_fetch_and_explicit(&counter->word, ~(unsigned)SLEEPER,
                            memory_order_relaxed);
  syscall(SYS_futex, &counter->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
          0);
}

bool berth_soft_counter_reached(berth_soft_counter_t *counter,
                                uint32_t target) {
  return is_reached(atomic_load_explicit(&counter->word, memory_order_acquire),
                    target);
}

// Sleeps until |counter| is no longer |word|, or is woken, or |timeout| (NULL:
// none) is over.
static void sleep_on(berth_soft_counter_t *counter, unsigned word,
                     const struct timespec *timeout) {
  unsigned asleep = word | SLEEPER;
  if (word != asleep && !atomic_compare_exchange_strong_explicit(
                            &counter->word, &word, asleep, memory_order_relaxed,
                            memory_order_relaxed)) {
    return;
  }
  syscall(SYS_futex, &counter->word, FUTEX_WAIT_PRIVATE, asleep, timeout, NULL,
          0);
}

void berth_soft_counter_wait(berth_soft_counter_t *counter, uint32_t target) {
  for (;;) {
    unsigned word = atomic_load_explicit(&counter->word, memory_order_acquire);
    if (is_reached(word, target)) return;
    sleep_on(counter, word, NULL);
  }
}

bool berth_soft_counter_glance(berth_soft_counter_t *counter, uint32_t target,
                               int64_t limit_ns) {
  int64_t deadline = limit_ns > 0 ? berth_now_ns() + limit_ns : 0;
  for (;;) {
    unsigned word = atomic_load_explicit(&counter->word, memory_order_relaxed);
    if (is_reached(word, target)) return true;
    int64_t left = limit_ns > 0 ? deadline - berth_now_ns() : 0;
    if (left <= 0) return false;
    struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
                               .tv_nsec = (long)(left % 1000000000)};
    sleep_on(counter, word, &timeout);
  }
}
