// fold.h - The loops of reductions: many values become one.
//
// A fold is a pair of loops over values of one type with one operation. Values
// are widened to the type of the accumulators (half to float, short integers of
// a mean to 64 bits); for most types both are the same.
//
//   lines   each line of n neighbours becomes one value      [K,R] -> [K]
//   rows    rows are folded into one row of accumulators     [R,K] -> [K]
//
// Sums of floating numbers are made in many accumulators and in blocks, so that
// the error grows far slower than with one.
//
// Constant tables; pure functions.
#ifndef BERTH_CPU_LOOPS_FOLD_H_
#define BERTH_CPU_LOOPS_FOLD_H_

#include <stdint.h>

#include "cpu/isa.h"

// Folds |n| values of each of |lines| lines, |step| elements apart, and stores
// one accumulator per line in |out|. A line without values gives the identity.
typedef void (*berth_fold_lines_fn)(const void *in, int64_t lines, int64_t step,
                                    int64_t n, void *out);

// Folds |rows| rows of |cols| values, |step| elements apart, into |acc|.
typedef void (*berth_fold_rows_fn)(const void *in, int64_t rows, int64_t step,
                                   int64_t cols, void *acc);

// A line of a hot type is folded in blocks of so many accumulators' bytes, the
// last of what is left. Whoever folds a line block by block gets the same bits.
// The error of a sum grows with this, not with the length of the line.
enum { BERTH_FOLD_BLOCK_BYTES = 16384 };

typedef struct berth_fold {
  berth_fold_lines_fn lines;
  berth_fold_rows_fn rows;
} berth_fold_t;

typedef enum berth_fold_op {
  BERTH_FOLD_SUM = 0,
  BERTH_FOLD_PROD,
  BERTH_FOLD_MAX,
  BERTH_FOLD_MIN,
  BERTH_FOLD_WIDE_SUM,  // Short integers into 64 bits.
  BERTH_FOLD_OPS
} berth_fold_op_t;

// Types as loops tell them apart. Sums and products of signed integers are
// those of unsigned ones.
typedef enum berth_fold_type {
  BERTH_FOLD_F32 = 0,
  BERTH_FOLD_F64,
  BERTH_FOLD_HALF,
  BERTH_FOLD_BFLOAT16,
  BERTH_FOLD_I8,
  BERTH_FOLD_U8,
  BERTH_FOLD_I16,
  BERTH_FOLD_U16,
  BERTH_FOLD_I32,
  BERTH_FOLD_U32,
  BERTH_FOLD_I64,
  BERTH_FOLD_U64,
  BERTH_FOLD_C64,
  BERTH_FOLD_C128,
  BERTH_FOLD_TYPES
} berth_fold_type_t;

typedef struct berth_folds {
  berth_fold_t of[BERTH_FOLD_OPS][BERTH_FOLD_TYPES];  // Empty: not here.
  // Returns the sum of squares of |n| floats; NULL: not here.
  double (*squares)(const float *x, int64_t n);
} berth_folds_t;

// Of types that are hot, for each instruction set.
BERTH_ISA_TABLE(berth_folds_t, berth_cpu_folds);

// Of the other types.
extern const berth_folds_t berth_cpu_rare_folds;

#endif  // BERTH_CPU_LOOPS_FOLD_H_
