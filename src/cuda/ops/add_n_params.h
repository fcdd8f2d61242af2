// add_n_params.h - What the kernels of add_n.cu are told.
#ifndef BERTH_CUDA_OPS_ADD_N_PARAMS_H_
#define BERTH_CUDA_OPS_ADD_N_PARAMS_H_

#include <stdint.h>

// Inputs that are added up before they are added to the rest, and how many a
// kernel takes: a first group of up to nine, and three more.
#define BERTH_ADD_N_GROUP 8
#define BERTH_ADD_N_MAX 33

// Adds up |input_count| arrays of |count| elements: the |first| first ones, and
// then whole groups.
typedef struct berth_add_n_params {
  void *out;
  uint64_t count;
  uint32_t first;
  uint32_t input_count;
  uint32_t granule;  // As that of a walk (walk.h).
  const void *in[BERTH_ADD_N_MAX];
} berth_add_n_params_t;

#endif  // BERTH_CUDA_OPS_ADD_N_PARAMS_H_
