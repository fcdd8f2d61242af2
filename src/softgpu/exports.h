// exports.h - The symbols this library is made of, visible to its users.
//
// Every function of the lists in src/cuda/api is declared here, and only these
// leave the library; exports_test.c compares. A function that a list names and
// nobody wrote is found there too.
#ifndef BERTH_SOFTGPU_EXPORTS_H_
#define BERTH_SOFTGPU_EXPORTS_H_

#include "cuda/api/cublaslt.h"
#include "cuda/api/cudnn.h"
#include "cuda/api/cufft.h"
#include "cuda/api/cusolver.h"
#include "cuda/api/driver.h"
#include "cuda/api/nccl.h"
#include "cuda/api/nvml.h"

#define BERTH_SOFT_EXPORT __attribute__((visibility("default")))

#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/driver_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/nvml_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/cublaslt_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/cudnn_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/cusolver_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/cufft_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/nccl_symbols.inc"
#define X(name, result, arguments) BERTH_SOFT_EXPORT result name arguments;
#include "cuda/api/softgpu_symbols.inc"

#endif  // BERTH_SOFTGPU_EXPORTS_H_
