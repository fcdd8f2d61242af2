// cusolver.h - What Berth uses of cuSOLVER's interface, declared anew.
//
// Decompositions of matrices by the calls that take sizes of 64 bits and say
// types by numbers, and of cuBLAS, which cuSOLVER is linked with, the solution
// of triangles. Workspace is the caller's. As in driver.h, names, numbers and
// layouts are the libraries' binary interface.
#ifndef BERTH_CUDA_API_CUSOLVER_H_
#define BERTH_CUDA_API_CUSOLVER_H_

#include "cuda/api/cublaslt.h"

// BERTH_CUSOLVER_RESULTS(X): X(name, number), whose text is the name.
#define BERTH_CUSOLVER_RESULTS(X)        \
  X(CUSOLVER_STATUS_SUCCESS, 0)          \
  X(CUSOLVER_STATUS_NOT_INITIALIZED, 1)  \
  X(CUSOLVER_STATUS_ALLOC_FAILED, 2)     \
  X(CUSOLVER_STATUS_INVALID_VALUE, 3)    \
  X(CUSOLVER_STATUS_ARCH_MISMATCH, 4)    \
  X(CUSOLVER_STATUS_MAPPING_ERROR, 5)    \
  X(CUSOLVER_STATUS_EXECUTION_FAILED, 6) \
  X(CUSOLVER_STATUS_INTERNAL_ERROR, 7)   \
  X(CUSOLVER_STATUS_NOT_SUPPORTED, 9)

typedef enum cusolverStatus_enum {
#define X(name, number) name = number,
  BERTH_CUSOLVER_RESULTS(X)
#undef X
} cusolverStatus_t;

typedef enum cusolverEigMode_enum {
  CUSOLVER_EIG_MODE_NOVECTOR = 0,
  CUSOLVER_EIG_MODE_VECTOR = 1,
} cusolverEigMode_t;

typedef enum cublasFillMode_enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
} cublasFillMode_t;

typedef enum cublasSideMode_enum {
  CUBLAS_SIDE_LEFT = 0,
  CUBLAS_SIDE_RIGHT = 1,
} cublasSideMode_t;

typedef enum cublasDiagType_enum {
  CUBLAS_DIAG_NON_UNIT = 0,
  CUBLAS_DIAG_UNIT = 1,
} cublasDiagType_t;

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct cublasContext *cublasHandle_t;

#endif  // BERTH_CUDA_API_CUSOLVER_H_
