// softmax_params.h - What the kernels of Softmax and LogSoftmax are told.
#ifndef BERTH_CUDA_OPS_SOFTMAX_PARAMS_H_
#define BERTH_CUDA_OPS_SOFTMAX_PARAMS_H_

#include <stdint.h>

// Elements of a row that one thread keeps in registers, and bytes of it, in the
// type that is computed with, that a block holds in shared memory.
#define BERTH_SOFTMAX_KEPT 16
#define BERTH_SOFTMAX_HELD 32768

// The same where rows are read 16 bytes at a time: how many loads.
#define BERTH_SOFTMAX_LOADS 8

typedef struct berth_softmax_params {
  const void *in;
  void *out;  // May be |in|.
  uint64_t rows, n;
  uint32_t team;    // Who does a short row (team.h).
  uint32_t is_log;  // The logarithm of it.
} berth_softmax_params_t;

#endif  // BERTH_CUDA_OPS_SOFTMAX_PARAMS_H_
