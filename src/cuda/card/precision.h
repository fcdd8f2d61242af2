// precision.h - How exactly cards compute with float32.
//
// Cards of compute capability 8.0 and above can round the inputs of float32
// products and convolutions to TF32, 10 bits after the point instead of 23, and
// are then several times faster. As in TensorFlow that is allowed until somebody
// forbids it. It concerns what the vendor's libraries do: our own kernels keep
// all digits.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_PRECISION_H_
#define BERTH_CUDA_CARD_PRECISION_H_

#include <stdbool.h>

#include "cuda/card/context.h"
#include "tensor/dtype.h"

// Allows TF32 in this process, or forbids it again, and raises the number of
// device/epoch.h when that is a change. Products that are queued from now on
// obey, and recordings of before are made anew.
void berth_cuda_set_tf32(bool is_allowed);

// True when products of float32 may use TF32: what was last set, unless
// NVIDIA_TF32_OVERRIDE is 0 (never) or 1 (always), which the vendor's own
// libraries obey too.
bool berth_cuda_tf32(void);

// True when that makes a difference to numbers of |dtype| on |card|.
bool berth_cuda_card_has_tf32(const berth_cuda_card_t *card,
                              berth_dtype_t dtype);

#endif  // BERTH_CUDA_CARD_PRECISION_H_
