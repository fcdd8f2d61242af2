// calls.h - The inputs and results of the small calls, the same on every side.
//
// Every bench has two sets of inputs, used in turn.
#ifndef BERTH_BENCH_CALLS_H_
#define BERTH_BENCH_CALLS_H_

#include <stdbool.h>
#include <stdio.h>

enum {
  CALL_SETS = 2,
  CALL_INPUTS = 2,
  CALL_BUILD_NODES = 1000,  // Nodes of the graph that graph_build builds.
  CALL_TOWERS = 4,          // Of products of CALL_SIDE by CALL_SIDE.
  CALL_FLOORS = 3,
  CALL_SIDE = 128,
  CALL_TURNS = 1000,  // Of the loop.
};

// Fills |values| of set |set|: 1, 2, 3, ... or 2, 3, 4, ...
static inline void call_fill(float *values, int count, int set) {
  for (int i = 0; i < count; ++i) values[i] = (float)(i + 1 + set);
}

// Returns the first element of the product of a 2x3 and a 3x2 matrix of set
// |set|.
static inline float call_matmul_answer(int set) {
  static const float answers[CALL_SETS] = {22, 40};
  return answers[set];
}

// Returns the first element of the sum of two tensors of set |set|.
static inline float call_add_answer(int set) { return (float)(2 * (1 + set)); }

// Returns the end of a chain of |count| additions of 1 to the first value of
// set |set|.
static inline float call_chain_answer(int set, int count) {
  return (float)(1 + set + count);
}

// Fills |values| with what an update of set |set| adds: 1, 2, 3, ... or the
// same taken away, so that the variable stays small.
static inline void call_fill_update(float *values, int count, int set) {
  for (int i = 0; i < count; ++i) {
    values[i] = (float)(set == 0 ? i + 1 : -(i + 1));
  }
}

// Returns the first element of a variable that began with set 0 after an update
// of set |set|.
static inline float call_update_answer(int set) { return set == 0 ? 2 : 1; }

// Fills the inputs of the towers: what goes through them, all of it 1 or 2, and
// what each product averages it with.
static inline void call_fill_towers(float *values, int index, int set) {
  for (int i = 0; i < CALL_SIDE * CALL_SIDE; ++i) {
    values[i] = index == 0 ? (float)(1 + set) : 1.0F / (float)CALL_SIDE;
  }
}

// Returns any element of the sum of the towers.
static inline float call_towers_answer(int set) {
  return (float)(CALL_TOWERS * (1 + set));
}

// Returns what the conditional makes of the first value of set |set|: of one set
// 1 more, of the other three times that.
static inline float call_cond_answer(int set) { return set == 0 ? 2 : 6; }

// Returns to what the loop counts.
static inline float call_count_answer(int set) {
  return (float)(CALL_TURNS + set);
}

// Returns whether |found| is |expected|, and tells on stderr when it is not.
static inline bool call_check(const char *name, float found, float expected) {
  if (found == expected) return true;
  fprintf(stderr, "%s: got %.9g, not %.9g\n", name, (double)found,
          (double)expected);
  return false;
}

#endif  // BERTH_BENCH_CALLS_H_
