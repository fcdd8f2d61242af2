// reduction.h - A reduction over any dimensions, and how it is spread.
//
// The innermost level (op/reduce.h) is kept or reduced:
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
// Values of lines may be made by a chain (chain.h) that the reduction ends.
//
// Immutable once made.
#ifndef BERTH_CPU_OPS_REDUCTION_H_
#define BERTH_CPU_OPS_REDUCTION_H_

#include "cpu/loops/finish.h"
#include "cpu/loops/fold.h"
#include "kernel/kernel.h"
#include "op/reduce.h"

// What is done, apart from shapes.
typedef struct berth_cpu_reduction_spec {
  berth_fold_t fold;       // Values into accumulators.
  berth_fold_t merge;      // Accumulators into accumulators.
  berth_finish_fn finish;  // NULL: accumulators are results.
  int32_t value_size, acc_size, out_size;
  uint64_t identity[2];  // The bytes of an accumulator of nothing.
  bool is_floating;      // Values and accumulators are floats, or doubles.
} berth_cpu_reduction_spec_t;

// Plans |reduction| of input 0, which |spec| does: sets the run function, the
// plan, the scratch space and the work of |prepare|.
BERTH_NODISCARD berth_code_t berth_cpu_reduction_plan(
    berth_prepare_t *prepare, const berth_reduction_t *reduction,
    const berth_cpu_reduction_spec_t *spec, berth_error_t *err);

#endif  // BERTH_CPU_OPS_REDUCTION_H_
