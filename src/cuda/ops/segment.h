// segment.h - How many segments there are, where their numbers are on a card.
#ifndef BERTH_CUDA_OPS_SEGMENT_H_
#define BERTH_CUDA_OPS_SEGMENT_H_

#include "kernel/kernel.h"

// Waits for the last of |count| numbers of |dtype| at |ids|, which are in order,
// and makes a tensor of |dtype| whose first dimension is one more, with |rest|
// behind it. Fails with BERTH_INVALID_ARGUMENT for a negative number, as the
// driver does, and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_segments_make(
    const void *ids, berth_dtype_t id_type, int64_t count, berth_dtype_t dtype,
    berth_dims_t rest, berth_call_t *call, berth_tensor_t **out);

#endif  // BERTH_CUDA_OPS_SEGMENT_H_
