// cufft.h - What Berth uses of cuFFT's interface, declared anew.
//
// A plan, which is a number, transforms what lies as it was told when it was
// made. Workspace is the caller's. As in driver.h, names, numbers and layouts
// are the library's binary interface.
#ifndef BERTH_CUDA_API_CUFFT_H_
#define BERTH_CUDA_API_CUFFT_H_

#include "cuda/api/cublaslt.h"

// BERTH_CUFFT_RESULTS(X): X(name, number), whose text is the name.
#define BERTH_CUFFT_RESULTS(X) \
  X(CUFFT_SUCCESS, 0)          \
  X(CUFFT_INVALID_PLAN, 1)     \
  X(CUFFT_ALLOC_FAILED, 2)     \
  X(CUFFT_INVALID_TYPE, 3)     \
  X(CUFFT_INVALID_VALUE, 4)    \
  X(CUFFT_INTERNAL_ERROR, 5)   \
  X(CUFFT_EXEC_FAILED, 6)      \
  X(CUFFT_SETUP_FAILED, 7)     \
  X(CUFFT_INVALID_SIZE, 8)     \
  X(CUFFT_NO_WORKSPACE, 13)    \
  X(CUFFT_NOT_SUPPORTED, 16)

typedef enum cufftResult_enum {
#define X(name, number) name = number,
  BERTH_CUFFT_RESULTS(X)
#undef X
} cufftResult;

enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

typedef int cufftHandle;

#endif  // BERTH_CUDA_API_CUFFT_H_
