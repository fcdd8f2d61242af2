// nccl.h - NCCL, opened at run time.
//
// Opened when values of several cards are first put together; without it that
// goes through the host (stream/collective.h).
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_NCCL_H_
#define BERTH_CUDA_CARD_NCCL_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/nccl.h"

// The library's functions.
typedef struct berth_nccl_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/nccl_symbols.inc"
} berth_nccl_api_t;

// Constant once berth_nccl_open() has succeeded.
extern berth_nccl_api_t berth_nccl_api;

// Calls the library's function |name|, which is a fault point of that name.
#define BERTH_NCCL(name, ...)                  \
  (berth_fault(#name) ? ncclUnhandledCudaError \
                      : berth_nccl_api.name(__VA_ARGS__))

// Opens the library, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is not version 2, or turned off; that is remembered.
BERTH_NODISCARD berth_code_t berth_nccl_open(berth_error_t *err);

// Describes that |call| returned |result| and returns the code that fits;
// BERTH_OK for ncclSuccess. The one place where results become codes.
berth_code_t berth_nccl_check(berth_error_t *err, ncclResult_t result,
                              const char *call);

#endif  // BERTH_CUDA_CARD_NCCL_H_
