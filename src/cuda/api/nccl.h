// nccl.h - What Berth uses of NCCL, declared anew.
//
// Numbers and layouts are those of NCCL 2; a test of who opens the library
// compares versions alone. Names are the vendor's.
#ifndef BERTH_CUDA_API_NCCL_H_
#define BERTH_CUDA_API_NCCL_H_

#include <stddef.h>

#include "cuda/api/driver.h"

typedef struct ncclComm *ncclComm_t;

// X(name, number, text), the text as ncclGetErrorString() gives it.
#define BERTH_NCCL_RESULTS(X)                                                 \
  X(ncclSuccess, 0, "no error")                                               \
  X(ncclUnhandledCudaError, 1,                                                \
    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)")            \
  X(ncclSystemError, 2,                                                       \
    "unhandled system error (run with NCCL_DEBUG=INFO for details)")          \
  X(ncclInternalError, 3,                                                     \
    "internal error - please report this issue to the NCCL developers")       \
  X(ncclInvalidArgument, 4,                                                   \
    "invalid argument (run with NCCL_DEBUG=WARN for details)")                \
  X(ncclInvalidUsage, 5,                                                      \
    "invalid usage (run with NCCL_DEBUG=WARN for details)")                   \
  X(ncclRemoteError, 6, "remote process exited or there was a network error") \
  X(ncclInProgress, 7, "NCCL operation in progress")

typedef enum ncclResult_t {
#define X(name, number, text) name = number,
  BERTH_NCCL_RESULTS(X)
#undef X
} ncclResult_t;

typedef enum ncclDataType_t {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9
} ncclDataType_t;

typedef enum ncclRedOp_t {
  ncclSum = 0,
  ncclProd = 1,
  ncclMax = 2,
  ncclMin = 3,
  ncclAvg = 4
} ncclRedOp_t;

#endif  // BERTH_CUDA_API_NCCL_H_
