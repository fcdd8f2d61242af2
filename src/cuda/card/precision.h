// precision.h - How exactly cards compute with float32.
//
// Cards of compute capability 8.0 and above can round the inputs of float32
// products to TF32, 10 bits after the point instead of 23, and are then several
// times faster. float32 means float32 here, so that is off until somebody asks.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_PRECISION_H_
#define BERTH_CUDA_CARD_PRECISION_H_

#include <stdbool.h>

// Allows TF32 in this process, or forbids it again, and raises the number of
// device/epoch.h when that is a change. Products that are queued from now on
// obey, and recordings of before are made anew.
void berth_cuda_set_tf32(bool is_allowed);

// True when products of float32 may use TF32: what was last set, unless
// NVIDIA_TF32_OVERRIDE is 0 (never) or 1 (always), which the vendor's own
// libraries obey too.
bool berth_cuda_tf32(void);

#endif  // BERTH_CUDA_CARD_PRECISION_H_
