// fft.h - Fourier transforms by cuFFT: planned once, then queued.
//
// Threads: thread-safe. What is planned may be run by several threads, which
// wait for each other while they queue: a plan of the library has one stream.
#ifndef BERTH_CUDA_CODE_FFT_H_
#define BERTH_CUDA_CODE_FFT_H_

#include "cuda/card/context.h"
#include "cuda/card/cufft.h"
#include "kernel/kernel.h"
#include "op/fourier.h"

typedef struct berth_fft_plan {
  berth_cuda_card_t *card;  // Borrowed; lives as long as the process.
  berth_fourier_t fourier;
  bool is_wide;  // Numbers are double.
  size_t room;   // Bytes to work in.
  void *told;    // Where the library was told to work; NULL: nowhere yet.
  // Guarded by a lock of fft.c: runs make it anew when the card was reset.
  cufftHandle handle;
  uint64_t generation;  // Of the card when it was made; 0: none.
} berth_fft_plan_t;

enum { BERTH_FFT_ALIGNMENT = 256 };

// Plans in |*out_plan|, which lies in the plan of |prepare|, how |fourier|, which
// has elements, is transformed on its device. Starts the device, and opens the
// library, where that was not done.
//
// Fails with BERTH_UNAVAILABLE without the library and with BERTH_UNIMPLEMENTED
// for what it does not do: then the host has to.
BERTH_NODISCARD berth_code_t berth_fft_prepare(berth_prepare_t *prepare,
                                               const berth_fourier_t *fourier,
                                               bool is_wide,
                                               berth_fft_plan_t *out_plan,
                                               berth_error_t *err);

// Queues the transform of |in|, aligned to a complex number, on the stream of
// |call|; nothing is divided. Back to real numbers |in| is overwritten. |room|
// has |plan->room| bytes, aligned to BERTH_FFT_ALIGNMENT.
BERTH_NODISCARD berth_code_t berth_fft_run(berth_fft_plan_t *plan, void *in,
                                           void *out, void *room,
                                           berth_call_t *call);

#endif  // BERTH_CUDA_CODE_FFT_H_
