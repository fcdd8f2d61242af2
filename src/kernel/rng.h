// rng.h - Random sequences that go on where a variable says.
//
// The state is a vector of int64: Philox's counter, the low word first, and its
// key; ops of two inputs, the first versions, have the number of the algorithm in
// front of it. Who draws takes a part of the sequence and moves the counter on.
//
// Threads: as variables; a part belongs to one who draws.
#ifndef BERTH_KERNEL_RNG_H_
#define BERTH_KERNEL_RNG_H_

#include "kernel/kernel.h"
#include "state/philox.h"

enum { BERTH_RNG_STATE = 3 };  // Words of a state.

// Takes what |count| numbers may need out of the sequence whose state the
// variable behind |handle| keeps, wherever that lives, and stores the state
// before. |call| is that of an op that updates. Fails with TensorFlow's texts
// where the variable holds no state; nothing has changed then.
BERTH_NODISCARD berth_code_t
berth_rng_reserve(const void *handle, uint64_t count, berth_call_t *call,
                  int64_t out_state[BERTH_RNG_STATE]);

// Returns where the sequence of |state| begins.
static inline berth_philox_t berth_rng_start(
    const int64_t state[BERTH_RNG_STATE]) {
  return berth_philox_keyed((uint64_t)state[2], (uint64_t)state[0],
                            (uint64_t)state[1]);
}

#endif  // BERTH_KERNEL_RNG_H_
