// cufft.h - cuFFT, opened at run time.
//
// Opened when a transform is first prepared; without it the host transforms. A
// plan has a stream, so it serves one thread at a time (code/fft.h).
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CUFFT_H_
#define BERTH_CUDA_CARD_CUFFT_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/cufft.h"

// The library's functions.
typedef struct berth_cufft_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/cufft_symbols.inc"
} berth_cufft_api_t;

// Constant once berth_cufft_open() has succeeded.
extern berth_cufft_api_t berth_cufft_api;

// Calls the library's function |name|, which is a fault point of that name.
#define BERTH_FFT(name, ...)                 \
  (berth_fault(#name) ? CUFFT_INTERNAL_ERROR \
                      : berth_cufft_api.name(__VA_ARGS__))

// Opens the library, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is too old or turned off; that is remembered.
BERTH_NODISCARD berth_code_t berth_cufft_open(berth_error_t *err);

// Describes that |call| returned |result| and returns the code that fits; the
// one place where results of the library become codes. BERTH_UNIMPLEMENTED: it
// does not do what was asked for, and the host has to.
berth_code_t berth_cufft_error(berth_error_t *err, cufftResult result,
                               const char *call);

// Calls it and returns from the caller, as BERTH_TRY does, where it fails.
#define BERTH_FFT_TRY(err, name, ...)                   \
  do {                                                  \
    cufftResult result_ = BERTH_FFT(name, __VA_ARGS__); \
    if (BERTH_UNLIKELY(result_ != CUFFT_SUCCESS)) {     \
      return berth_cufft_error(err, result_, #name);    \
    }                                                   \
  } while (0)

#endif  // BERTH_CUDA_CARD_CUFFT_H_
