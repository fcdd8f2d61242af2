// einsum_params.h - What the kernels of Einsum are told.
#ifndef BERTH_CUDA_OPS_EINSUM_PARAMS_H_
#define BERTH_CUDA_OPS_EINSUM_PARAMS_H_

#include <stdint.h>

#define BERTH_EINSUM_LEVELS 24

// The loops of kernel/einsum.h: those over the output, then those that are
// summed over.
typedef struct berth_einsum_params {
  const void *a;
  const void *b;  // NULL: there is one input.
  void *out;
  uint64_t count;  // Of results.
  uint64_t terms;  // Of each of them.
  uint32_t kept, loops;
  int64_t dims[BERTH_EINSUM_LEVELS];
  int64_t a_steps[BERTH_EINSUM_LEVELS], b_steps[BERTH_EINSUM_LEVELS],
      out_steps[BERTH_EINSUM_LEVELS];
} berth_einsum_params_t;

#endif  // BERTH_CUDA_OPS_EINSUM_PARAMS_H_
