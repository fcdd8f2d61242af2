// reduction.h - A reduction over any dimensions, and how it is launched.
//
// One launch is enough where there are outputs for the whole card; otherwise
// the values of each output are cut into chunks, and what they make is reduced
// by one or two launches more. All this depends on shapes and on the size of
// the card alone, so the same inputs give the same bits in every run.
//
// Immutable once made.
#ifndef BERTH_CUDA_OPS_REDUCTION_H_
#define BERTH_CUDA_OPS_REDUCTION_H_

#include "cuda/ops/reduction_params.h"
#include "kernel/kernel.h"
#include "op/reduce.h"

// What is done, apart from shapes.
typedef struct berth_cuda_reduction_spec {
  int fold;   // Kernel from values to accumulators; below 0: no memory.
  int merge;  // Kernel from accumulators to accumulators; the same.
  size_t value_size, acc_size;
  double divisor;  // Of a mean, else 1.
  uint32_t store;  // BERTH_REDUCTION_*: what the last launch stores.
  // Numbers of a value: 2 for complex numbers, whose parts are reduced apart.
  int parts;
} berth_cuda_reduction_spec_t;

// Plans |reduction| of input 0 into output 0, which |spec| does: sets the run
// function, the plan and the scratch space of |prepare|. The output's address
// is the one behind those of the inputs.
BERTH_NODISCARD berth_code_t berth_cuda_reduction_plan(
    berth_prepare_t *prepare, const berth_reduction_t *reduction,
    const berth_cuda_reduction_spec_t *spec, berth_error_t *err);

#endif  // BERTH_CUDA_OPS_REDUCTION_H_
