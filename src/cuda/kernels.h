// kernels.h - The tables of GPU kernels, one per family of ops.
//
// A family is a pair of files: <family>.cu has the kernels, <family>.c prepares
// and launches them and exports its table; kernels.c adds them all to the
// registry. Constant.
#ifndef BERTH_CUDA_KERNELS_H_
#define BERTH_CUDA_KERNELS_H_

#include "kernel/kernel.h"

// Declares the table of one family and the number of its kernels.
#define BERTH_CUDA_TABLE(family)                               \
  extern const berth_kernel_t berth_cuda_##family##_kernels[]; \
  extern const int berth_cuda_##family##_kernel_count

BERTH_CUDA_TABLE(add_n);
BERTH_CUDA_TABLE(alias);
BERTH_CUDA_TABLE(arg);
BERTH_CUDA_TABLE(bias);
BERTH_CUDA_TABLE(binary);
BERTH_CUDA_TABLE(cast);
BERTH_CUDA_TABLE(check);
BERTH_CUDA_TABLE(einsum);
BERTH_CUDA_TABLE(fill);
BERTH_CUDA_TABLE(flow);
BERTH_CUDA_TABLE(gather);
BERTH_CUDA_TABLE(in_top_k);
BERTH_CUDA_TABLE(matmul);
BERTH_CUDA_TABLE(move);
BERTH_CUDA_TABLE(one_hot);
BERTH_CUDA_TABLE(pad);
BERTH_CUDA_TABLE(queue);
BERTH_CUDA_TABLE(random);
BERTH_CUDA_TABLE(range);
BERTH_CUDA_TABLE(reduce);
BERTH_CUDA_TABLE(select);
BERTH_CUDA_TABLE(softmax);
BERTH_CUDA_TABLE(top_k);
BERTH_CUDA_TABLE(unary);
BERTH_CUDA_TABLE(unique);
BERTH_CUDA_TABLE(variable);
BERTH_CUDA_TABLE(where);

// Adds all of them to the registry of kernels, for devices of type GPU.
BERTH_NODISCARD berth_code_t berth_cuda_add_kernels(berth_error_t *err);

#endif  // BERTH_CUDA_KERNELS_H_
