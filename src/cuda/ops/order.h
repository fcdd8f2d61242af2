// order.h - Putting indices in order on a card.
#ifndef BERTH_CUDA_OPS_ORDER_H_
#define BERTH_CUDA_OPS_ORDER_H_

#include "kernel/kernel.h"

// Indices in order: |keys| are they, |places| where each one was. Equal ones
// are in the order in which they came; those outside are |limit|, at the end.
// In memory of the card, part of |memory|.
typedef struct berth_ordering {
  berth_tensor_t *memory;  // NULL: there is no order.
  const uint32_t *keys, *places;
} berth_ordering_t;

// Queues what puts |count| indices of |dtype|, at |indices| on the card, in
// order; they are below |limit|. Sets no order where there are more of either
// than 32 bits can say, or no room. Fails as the driver does.
//
// The memory may be released as soon as its last use is queued.
BERTH_NODISCARD berth_code_t berth_order_queue(const void *indices,
                                               berth_dtype_t dtype,
                                               uint64_t count, uint64_t limit,
                                               berth_call_t *call,
                                               berth_ordering_t *out);

// The same for |count| numbers of any size, below 2^32 of them, as if they had
// no sign; |bits| are those that are set in any of them. |keys| are of no use.
// Fails with BERTH_RESOURCE_EXHAUSTED where there is no room.
BERTH_NODISCARD berth_code_t berth_order_queue_bits(
    const void *numbers, berth_dtype_t dtype, uint64_t count, uint64_t bits,
    berth_call_t *call, berth_ordering_t *out);

#endif  // BERTH_CUDA_OPS_ORDER_H_
