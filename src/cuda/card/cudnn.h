// cudnn.h - cuDNN, opened at run time.
//
// Opened when a convolution is first prepared that is worth it; without it
// Berth's own kernels convolve. What is opened is the part of the library that
// convolves, and what that is linked with: the file libcudnn.so itself opens
// its parts when they are called, and ends the process where one is missing.
//
// A handle has a stream, so it serves one thread at a time (code/dnn.h).
// Descriptions are memory of the host and may be read by all.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CUDNN_H_
#define BERTH_CUDA_CARD_CUDNN_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/cudnn.h"

// The library's functions.
typedef struct berth_cudnn_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/cudnn_symbols.inc"
#define X(name, result, arguments) result(*name) arguments;  // May be NULL.
#include "cuda/api/cudnn_graph_symbols.inc"
} berth_cudnn_api_t;

// Constant once berth_cudnn_open() has succeeded.
extern berth_cudnn_api_t berth_cudnn_api;

// Calls the library's function |name|, which is a fault point of that name.
#define BERTH_DNN(name, ...)                        \
  (berth_fault(#name) ? CUDNN_STATUS_INTERNAL_ERROR \
                      : berth_cudnn_api.name(__VA_ARGS__))

// Opens the library, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is neither version 8 nor 9, or turned off; that is
// remembered.
BERTH_NODISCARD berth_code_t berth_cudnn_open(berth_error_t *err);

// Describes that |call| returned |status| and returns the code that fits; the
// one place where results of the library become codes. BERTH_UNIMPLEMENTED: it
// does not do what was asked for, and another kernel has to.
berth_code_t berth_cudnn_error(berth_error_t *err, cudnnStatus_t status,
                               const char *call);

// Calls it and returns from the caller, as BERTH_TRY does, where it fails.
#define BERTH_DNN_TRY(err, name, ...)                      \
  do {                                                     \
    cudnnStatus_t status_ = BERTH_DNN(name, __VA_ARGS__);  \
    if (BERTH_UNLIKELY(status_ != CUDNN_STATUS_SUCCESS)) { \
      return berth_cudnn_error(err, status_, #name);       \
    }                                                      \
  } while (0)

#endif  // BERTH_CUDA_CARD_CUDNN_H_
