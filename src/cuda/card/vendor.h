// vendor.h - The vendor's libraries that Berth can do without: cuBLASLt, cuDNN,
// cuSOLVER, cuFFT, NCCL.
//
// Opened at first need: what the loader finds, newest first, or else what lies
// in packages of Python. BERTH_GPU_LIBRARIES names those that may be used
// ("cublaslt", "cudnn", "cusolver", "cufft", "nccl", by commas); none of them is
// "none", unset is all.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_VENDOR_H_
#define BERTH_CUDA_CARD_VENDOR_H_

#include "cuda/card/library.h"

typedef struct berth_vendor {
  // Constant.
  const char *title;        // "cuBLASLt".
  const char *word;         // What BERTH_GPU_LIBRARIES calls it.
  const char *names[4];     // Files, newest first; NULL ends them.
  const char *in_packages;  // Where Python's packages keep it: a pattern.
  const berth_symbol_t *symbols;
  int count;
  void *table;  // Of functions, filled when it is opened.
  // Optional. Says no to a library that was opened, with BERTH_UNIMPLEMENTED.
  berth_code_t (*check)(berth_error_t *err);

  // Whether it was opened; guarded by the lock of vendor.c.
  enum { BERTH_VENDOR_CLOSED, BERTH_VENDOR_READY, BERTH_VENDOR_FAILED } state;
  berth_error_t problem;  // Why it failed.
} berth_vendor_t;

// Opens |vendor|, once. Fails with BERTH_UNAVAILABLE and what was tried when
// there is none, when it is another version or turned off; that is remembered.
BERTH_NODISCARD berth_code_t berth_vendor_open(berth_vendor_t *vendor,
                                               berth_error_t *err);

#endif  // BERTH_CUDA_CARD_VENDOR_H_
