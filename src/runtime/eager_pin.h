// eager_pin.h - What eager calls are using, so that it is not freed meanwhile.
//
// Calls find entries without a lock while others forget entries. Each thread
// has a pin, which it alone writes and whoever frees reads:
//
//   since   not 0: the thread is looking for an entry, and began at that time
//   use     the entry that its call uses
//
// Who forgets an entry unlinks it, reads the clock, and frees it when no pin
// has looked since before then, and none has it in use. A lookup is short; a
// call that waits for hours holds back nothing but its own entry.
//
// A call in a call (a signal's handler, a function of the host program) needs
// the pin for itself: the outer entry is counted from then on until its call
// ends, which finds the pin taken.
//
//   I1  |since| is stored before the first link is read, in the one order of
//       sequentially consistent operations, and the unlinking comes before the
//       look at |since|: either the lookup misses the entry, or it is seen.
//   I2  |use| is stored before |since| is cleared.
//   I3  |count| of an outer use rises before its pin is taken away. Who frees
//       looks at pins first, at counts afterwards.
//
// Sessions count their runs to be closed, and free by that count
// (exec/retire.h); calls are not counted: a store to a line of one's own is
// cheaper than two counts.
//
// Threads: a pin is its thread's; the rest is thread-safe.
#ifndef BERTH_RUNTIME_EAGER_PIN_H_
#define BERTH_RUNTIME_EAGER_PIN_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

// Embedded in what is pinned. Zeroed is unused.
typedef struct berth_eager_use {
  atomic_int count;  // Calls whose pin serves a call inside of them.
  uint64_t retired;  // When it was unlinked.
} berth_eager_use_t;

typedef struct berth_eager_pin berth_eager_pin_t;
struct berth_eager_pin {
  berth_eager_pin_t *next;  // Of all pins; they stay.
  atomic_bool is_taken;     // By a thread that lives.
  atomic_uint_least64_t since;
  _Atomic(berth_eager_use_t *) use;
  int device;              // Where the thread's last call ran. Nobody else's.
  unsigned char room[64];  // Keeps threads out of each other's cache lines.
};

// The time that pins are compared by.
extern atomic_uint_least64_t berth_eager_clock;

// The calling thread's pin; NULL: none yet.
extern BERTH_THREAD_LOCAL berth_eager_pin_t *berth_eager_own_pin;

// Returns the calling thread's pin; NULL when memory is short.
berth_eager_pin_t *berth_eager_pin_make(void);
static inline berth_eager_pin_t *berth_eager_pin_get(void) {
  berth_eager_pin_t *pin = berth_eager_own_pin;
  return BERTH_LIKELY(pin != NULL) ? pin : berth_eager_pin_make();
}

// Begins a lookup.
static inline void berth_eager_pin_look(berth_eager_pin_t *pin) {
  berth_eager_use_t *outer =
      atomic_load_explicit(&pin->use, memory_order_relaxed);
  if (BERTH_UNLIKELY(outer != NULL)) {
    atomic_fetch_add(&outer->count, 1);  // I3
    atomic_store(&pin->use, NULL);
  }
  atomic_store(&pin->since, atomic_load(&berth_eager_clock));  // I1
}

// Ends it: |use| is what was found, or NULL.
static inline void berth_eager_pin_found(berth_eager_pin_t *pin,
                                         berth_eager_use_t *use) {
  atomic_store_explicit(&pin->use, use, memory_order_relaxed);
  atomic_store_explicit(&pin->since, 0, memory_order_release);  // I2
}

// Ends the use of what was found.
static inline void berth_eager_pin_end(berth_eager_pin_t *pin,
                                       berth_eager_use_t *use) {
  if (BERTH_LIKELY(atomic_load_explicit(&pin->use, memory_order_relaxed) ==
                   use)) {
    atomic_store_explicit(&pin->use, NULL, memory_order_release);
  } else {
    atomic_fetch_sub_explicit(&use->count, 1, memory_order_release);
  }
}

// Notes that |use| was unlinked just now.
void berth_eager_use_retire(berth_eager_use_t *use);

// True when nobody uses |use|, or can find it any more.
bool berth_eager_use_is_over(berth_eager_use_t *use);

#endif  // BERTH_RUNTIME_EAGER_PIN_H_
