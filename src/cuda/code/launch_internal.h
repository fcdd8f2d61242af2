// launch_internal.h - What a reset needs of the kernels that are loaded.
#ifndef BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_
#define BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_

#include "cuda/card/context.h"

// Forgets what was loaded on |card|, whose context is closed: the next launch
// loads it anew. The card's gate is closed, so nobody launches meanwhile.
void berth_cuda_code_forget(berth_cuda_card_t *card);

#endif  // BERTH_CUDA_CODE_LAUNCH_INTERNAL_H_
