// arg.h - The loops of ArgMax and ArgMin: where the extreme value is.
//
// The first of equals is found. The search begins with the smallest finite
// number at index 0 (the largest, for ArgMin), and only a greater one replaces
// it: NaN is never found, and neither are infinities of the wrong sign, as in
// TensorFlow.
//
// Constant table; pure functions.
#ifndef BERTH_CPU_LOOPS_ARG_H_
#define BERTH_CPU_LOOPS_ARG_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// Finds the extreme of each of |lines| lines of |n| neighbours.
typedef void (*berth_arg_lines_fn)(const void *in, int64_t lines, int64_t n,
                                   int64_t *out);

// Finds the extreme of each of |cols| columns, at most BERTH_ARG_COLS, of |n|
// rows, |step| elements apart.
typedef void (*berth_arg_columns_fn)(const void *in, int64_t n, int64_t step,
                                     int64_t cols, int64_t *out);

enum { BERTH_ARG_COLS = 512 };

typedef struct berth_arg_loops {
  berth_arg_lines_fn lines;
  berth_arg_columns_fn columns;
} berth_arg_loops_t;

// Returns the loops for |dtype|, or NULL.
const berth_arg_loops_t *berth_arg_loops(berth_dtype_t dtype, bool is_min);

#endif  // BERTH_CPU_LOOPS_ARG_H_
