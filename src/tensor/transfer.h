// transfer.h - Tensors between memories.
#ifndef BERTH_TENSOR_TRANSFER_H_
#define BERTH_TENSOR_TRANSFER_H_

#include "tensor/tensor.h"

// Copies |tensor| to the memory of |device| (NULL: the host) and waits for it;
// gives another reference to it where it is there already. Fails as the device
// does, with BERTH_RESOURCE_EXHAUSTED, and with BERTH_CANCELLED when the scope
// of the thread (base/parallel.h) says to stop.
BERTH_NODISCARD berth_code_t berth_tensor_transfer(berth_tensor_t *tensor,
                                                   berth_device_t *device,
                                                   berth_tensor_t **out_tensor,
                                                   berth_error_t *err);

#endif  // BERTH_TENSOR_TRANSFER_H_
