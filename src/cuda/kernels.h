// kernels.h - The kernels of cards, a table for each family of ops.
//
// A family is a file of src/cuda/ops that defines
//
//   const berth_kernel_t berth_cuda_<family>_kernels[] = {
//       …
//       {.op = NULL},
//   };
//
// The build finds these tables (cmake/BerthFamilies.cmake); they are listed
// nowhere. Constant.
#ifndef BERTH_CUDA_KERNELS_H_
#define BERTH_CUDA_KERNELS_H_

#include "kernel/kernel.h"
#include "op/types.h"

// Adds all of them to the registry of kernels, for devices of the CUDA backend.
// Fails as berth_kernel_add() does. No driver is asked: a machine without one
// has the kernels too.
BERTH_NODISCARD berth_code_t berth_cuda_add_kernels(berth_error_t *err);

#endif  // BERTH_CUDA_KERNELS_H_
