// cusolver.h - cuSOLVER, opened at run time, and of cuBLAS what goes with it.
//
// Opened when a large matrix is first to be decomposed; without it the host does
// that. cuBLAS is what cuSOLVER is linked with: its functions are found there.
//
// A handle has a stream, so it serves one thread at a time (code/solver.h).
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CUSOLVER_H_
#define BERTH_CUDA_CARD_CUSOLVER_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/cusolver.h"

// The libraries' functions.
typedef struct berth_cusolver_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/cusolver_symbols.inc"
} berth_cusolver_api_t;

// Constant once berth_cusolver_open() has succeeded.
extern berth_cusolver_api_t berth_cusolver_api;

// Calls cuSOLVER's function |name|, or cuBLAS's, a fault point of that name;
// other than zero is a failure.
#define BERTH_SOLVE(name, ...)                         \
  (berth_fault(#name) ? CUSOLVER_STATUS_INTERNAL_ERROR \
                      : (int)berth_cusolver_api.name(__VA_ARGS__))

// Opens the library, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is too old or turned off; that is remembered.
BERTH_NODISCARD berth_code_t berth_cusolver_open(berth_error_t *err);

// Describes that |call| returned |status|, of either library, and returns the
// code that fits; the one place where their results become codes.
berth_code_t berth_cusolver_error(berth_error_t *err, int status,
                                  const char *call);

// Calls it and returns from the caller, as BERTH_TRY does, where it fails.
#define BERTH_SOLVE_TRY(err, name, ...)                 \
  do {                                                  \
    int status_ = (int)BERTH_SOLVE(name, __VA_ARGS__);  \
    if (BERTH_UNLIKELY(status_ != 0)) {                 \
      return berth_cusolver_error(err, status_, #name); \
    }                                                   \
  } while (0)

#endif  // BERTH_CUDA_CARD_CUSOLVER_H_
