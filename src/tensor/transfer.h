// transfer.h - Tensors between memories.
//
// Threads: thread-safe.
#ifndef BERTH_TENSOR_TRANSFER_H_
#define BERTH_TENSOR_TRANSFER_H_

#include "tensor/tensor.h"

// Copies |tensor| to the memory of |device| (NULL: the host) and waits for it;
// gives another reference to it where it is there already. Holds the gates of
// both cards meanwhile, in one order for all. Between two backends the way
// leads through the host.
//
// Fails as the device does, with BERTH_RESOURCE_EXHAUSTED, with
// BERTH_UNIMPLEMENTED for types that are no plain bytes, and with
// BERTH_CANCELLED when the scope of the thread (base/parallel.h) says to stop:
// the copy may go on then, but nobody sees what it writes.
BERTH_NODISCARD berth_code_t berth_tensor_transfer(berth_tensor_t *tensor,
                                                   berth_device_t *device,
                                                   berth_tensor_t **out_tensor,
                                                   berth_error_t *err);

#endif  // BERTH_TENSOR_TRANSFER_H_
