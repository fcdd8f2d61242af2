// cublaslt.h - cuBLASLt, opened at run time.
//
// Opened when a product is first prepared that is worth it; without it Berth's
// own kernels multiply (vendor.h).
//
// The library is thread-safe, and a handle of it holds neither a stream nor
// memory to work in: both are given with each product. So there is one handle
// for each card, used by all threads at once.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CUBLASLT_H_
#define BERTH_CUDA_CARD_CUBLASLT_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/cublaslt.h"

// The library's functions.
typedef struct berth_cublaslt_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/cublaslt_symbols.inc"
} berth_cublaslt_api_t;

// Constant once berth_cublaslt_open() has succeeded.
extern berth_cublaslt_api_t berth_cublaslt_api;

// Calls the library's function |name|, which is a fault point of that name.
#define BERTH_LT(name, ...)                          \
  (berth_fault(#name) ? CUBLAS_STATUS_INTERNAL_ERROR \
                      : berth_cublaslt_api.name(__VA_ARGS__))

// Opens the library, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is too old or turned off; that is remembered.
BERTH_NODISCARD berth_code_t berth_cublaslt_open(berth_error_t *err);

// Describes that |call| returned |status| and returns the code that fits; the
// one place where results of the library become codes.
berth_code_t berth_cublaslt_error(berth_error_t *err, cublasStatus_t status,
                                  const char *call);

#endif  // BERTH_CUDA_CARD_CUBLASLT_H_
