// add_n_params.h - What the kernels of add_n.cu are told.
#ifndef BERTH_CUDA_ADD_N_PARAMS_H_
#define BERTH_CUDA_ADD_N_PARAMS_H_

#include <stdint.h>

#define BERTH_ADD_N_MAX 32

// Adds up |input_count| arrays of |count| elements, at least one.
typedef struct berth_add_n_params {
  void *out;
  uint64_t count;
  uint32_t input_count;
  uint32_t granule;  // As that of a walk (walk.h).
  const void *in[BERTH_ADD_N_MAX];
} berth_add_n_params_t;

#endif  // BERTH_CUDA_ADD_N_PARAMS_H_
