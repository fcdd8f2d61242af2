// reduction.h - A reduction over any dimensions, and how it is spread.
//
// Neighbouring dimensions that are both kept or both reduced are one. What is
// left ends in an inner dimension, kept or reduced:
//
//   inner reduced   a line of neighbours becomes one value, for each outer
//                   index; lines that differ in reduced indices meet
//   inner kept      rows of neighbours are folded into a row of accumulators,
//                   one block of columns at a time
//
// An item is one kept outer index, one block of columns and one chunk of what
// is reduced; chunks are for reductions to few values, and meet at the end. All
// this depends on shapes alone: the same inputs give the same bits on any
// number of threads.
//
// Immutable once made.
#ifndef BERTH_CPU_OPS_REDUCTION_H_
#define BERTH_CPU_OPS_REDUCTION_H_

#include "cpu/loops/finish.h"
#include "cpu/loops/fold.h"
#include "kernel/kernel.h"

// What is done, apart from shapes.
typedef struct berth_reduction_spec {
  berth_fold_t fold;       // Values into accumulators.
  berth_fold_t merge;      // Accumulators into accumulators.
  berth_finish_fn finish;  // NULL: accumulators are results.
  int32_t value_size, acc_size, out_size;
  uint64_t identity[2];  // The bytes of an accumulator of nothing.
  // Numbers of a value: 2 for complex numbers, whose parts are reduced apart.
  int32_t parts;
} berth_reduction_spec_t;

// Plans the reduction of input 0 over the dimensions that are true in |reduced|
// and sets the run function, the plan, the scratch space and the work of
// |prepare|, whose output has its shape already.
BERTH_NODISCARD berth_code_t
berth_reduction_prepare(const berth_reduction_spec_t *spec, const bool *reduced,
                        berth_prepare_t *prepare, berth_error_t *err);

#endif  // BERTH_CPU_OPS_REDUCTION_H_
