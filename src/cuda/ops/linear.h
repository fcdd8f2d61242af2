// linear.h - What the kernels of linear algebra have in common.
#ifndef BERTH_CUDA_OPS_LINEAR_H_
#define BERTH_CUDA_OPS_LINEAR_H_

#include "cuda/code/solver.h"

// A matrix of at most so many rows is small: a call of the library takes longer
// than a block of our own. Where there are many a block may have larger ones.
enum {
  BERTH_LINEAR_SMALL = 64,
  BERTH_LINEAR_MIDDLE = 256,
  BERTH_LINEAR_MANY = 8,
};

static inline bool berth_linear_is_small(int64_t n, int64_t batch) {
  return n <= BERTH_LINEAR_SMALL ||
         (n <= BERTH_LINEAR_MIDDLE && batch >= BERTH_LINEAR_MANY);
}

// Threads of a block that has a matrix of |n| rows, and how many blocks.
static inline unsigned berth_linear_threads(uint64_t n) {
  return n <= 8 ? 32 : n <= 16 ? 64 : n <= 32 ? 128 : 256;
}
static inline unsigned berth_linear_blocks(uint64_t batch) {
  return batch < 65536 ? (unsigned)batch : 65536;
}

// Hands out |size| bytes of the scratch space at |*at|.
static inline void *berth_linear_take(uintptr_t *at, uint64_t size) {
  uintptr_t taken = (*at + BERTH_SOLVER_ALIGNMENT - 1) &
                    ~(uintptr_t)(BERTH_SOLVER_ALIGNMENT - 1);
  *at = taken + size;
  return (void *)taken;  // NOLINT: an address, or a size where there is none.
}

// Prepares |solver| and says whether the library is there to do it: else the
// host has to. Fails for other reasons than that alone.
BERTH_NODISCARD berth_code_t berth_linear_library(berth_prepare_t *prepare,
                                                  berth_solver_t *solver,
                                                  bool *out_is_there,
                                                  berth_error_t *err);

// The outputs that a run is to make.
typedef struct berth_linear_outputs {
  int count;
  berth_shape_t shapes[3];
} berth_linear_outputs_t;

// Remembers those of |op|.
void berth_linear_outputs_set(berth_linear_outputs_t *outputs,
                              const berth_case_t *op);

// Makes them in |call->outputs|. On failure those that were made are there.
BERTH_NODISCARD berth_code_t berth_linear_outputs_make(
    const berth_linear_outputs_t *outputs, berth_call_t *call);

#endif  // BERTH_CUDA_OPS_LINEAR_H_
