// crowd.h - Several threads on one session, the same on every side.
//
// The threads of a crowd live as long as it does and begin every call together.
#ifndef BERTH_BENCH_CROWD_H_
#define BERTH_BENCH_CROWD_H_

#include <stdbool.h>

enum {
  CROWD_MOST = 8,      // Threads.
  CROWD_RUNS = 32,     // Of all threads together, in a call.
  CROWD_LIGHT = 50,    // Runs of each light thread in a call of a mixed crowd.
  CROWD_SIDE = 256,    // Of the matrices: a product, relu, and the sum of it.
  CROWD_HEAVY = 1024,  // The same for the heavy thread,
  CROWD_SMALL = 64,    // and for the light ones.
};

typedef struct crowd crowd_t;

// Runs the graph whose matrices have |side| rows once, on the calling thread,
// with the inputs of |set|. False when the result is wrong.
typedef bool (*crowd_run_fn)(void *state, int side, int set);

// Returns the sum for inputs of |set|: one matrix of 1 + |set|, one of the
// inverse of |side|.
static inline float crowd_answer(int side, int set) {
  return (float)side * (float)side * (float)(1 + set);
}

// Starts |threads| threads that call |run| with |state|; the first of a mixed
// crowd is heavy, and goes on until the others are done. NULL on failure.
crowd_t *crowd_create(int threads, bool is_mixed, crowd_run_fn run,
                      void *state);
void crowd_destroy(crowd_t *crowd);

// Lets all threads do their runs once; false when one went wrong.
bool crowd_call(crowd_t *crowd);

// Returns the seconds within which 99 of 100 light runs of the last call were
// done.
double crowd_tail(const crowd_t *crowd);

#endif  // BERTH_BENCH_CROWD_H_
