// unique.h - The search of the op Unique, which is the host's on every device:
// elements are looked up one after the other.
//
// Threads: thread-safe.
#ifndef BERTH_KERNEL_UNIQUE_H_
#define BERTH_KERNEL_UNIQUE_H_

#include "kernel/kernel.h"

// Finds the different elements of the vector |in|, in host memory, and stores
// them, and which of them each one is as |index_type|, in |call->outputs|, made
// by |call->allocator|. Fails with BERTH_RESOURCE_EXHAUSTED, and with
// BERTH_CANCELLED when the run has ended.
BERTH_NODISCARD berth_code_t berth_unique_find(const berth_tensor_t *in,
                                               berth_dtype_t index_type,
                                               berth_call_t *call);

#endif  // BERTH_KERNEL_UNIQUE_H_
