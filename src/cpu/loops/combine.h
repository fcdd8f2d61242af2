// combine.h - Joining values with what is there: set, add, the largest of both.
//
// Pure functions; a combiner is immutable once made.
#ifndef BERTH_CPU_LOOPS_COMBINE_H_
#define BERTH_CPU_LOOPS_COMBINE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/types.h"
#include "op/index.h"

// How elements of a type are joined.
typedef struct berth_combiner {
  berth_combine_t how;
  berth_dtype_t dtype;
  size_t size;                      // Of an element.
  const struct berth_loops *loops;  // NULL: set, or see combine.c.
} berth_combiner_t;

// Returns what joins elements of |dtype| so. Strings and what is no number can
// be set and added: strings one behind the other, truths by "or". The difference
// of two truths is whether they differ.
berth_combiner_t berth_combiner_of(berth_combine_t how, berth_dtype_t dtype);

// Joins |count| elements of |value| with those at |to|; |is_one|: a single
// element with each of them. False when memory is short, which takes strings.
bool berth_combine(const berth_combiner_t *combiner, void *to,
                   const void *value, int64_t count, bool is_one);

#endif  // BERTH_CPU_LOOPS_COMBINE_H_
