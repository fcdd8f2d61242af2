// counter.c - A number that only grows, which threads can wait for.
#include "softgpu/counter.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void berth_soft_counter_wait(berth_soft_counter_t *counter, uint32_t target) {
  for (;;) {
    unsigned word = atomic_load_explicit(&counter->word, memory_order_acquire);
    if (is_reached(word, target)) return;
    unsigned asleep = word | SLEEPER;
    if (word != asleep && !atomic_compare_exchange_strong_explicit(
                              &counter->word, &word, asleep,
                              memory_order_relaxed, memory_order_relaxed)) {
      continue;
    }
    syscall(SYS_futex, &counter->word, FUTEX_WAIT_PRIVATE, asleep, NULL, NULL,
            0);
  }
}
