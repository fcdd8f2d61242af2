// launch_internal.h - What a reset needs of the kernels that are loaded, and
// what kernels with and without a number have in common.
#ifndef BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_
#define BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_

#include "cuda/card/context.h"
#include "kernel/kernel.h"

// Forgets what was loaded on |card|, whose context is closed: the next launch
// loads it anew. The card's gate is closed, so nobody launches meanwhile.
void berth_cuda_code_forget(berth_cuda_card_t *card);

// Loads |image| on |card|, whose context is bound; |name| says what it is in
// errors, which have what the driver's compiler says, too.
BERTH_NODISCARD berth_code_t berth_cuda_load_image(berth_cuda_card_t *card,
                                                   const char *name,
                                                   const void *image,
                                                   CUmodule *out_module,
                                                   berth_error_t *err);

// Returns how large a block of |function| may be, by the registers it needs.
unsigned berth_cuda_most_threads(CUfunction function);

// As berth_cuda_launch(), whose stream has been entered, for a |function| of
// |name| that takes blocks of |most_threads|.
BERTH_NODISCARD berth_code_t berth_cuda_launch_function(
    berth_call_t *call, CUfunction function, const char *name,
    unsigned most_threads, uint64_t count, const void *params,
    size_t params_size);

#endif  // BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_
