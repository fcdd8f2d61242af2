// transfer.c - Tensors between memories.
#include "tensor/transfer.h"

#include "device/device.h"

// Copies what |from| holds into |to| and waits. One of them is on a device.
static berth_code_t contents_copy(const berth_tensor_t *from,
                                  berth_tensor_t *to, berth_error_t *err) {
  berth_device_t *worker = to->device != NULL ? to->device : from->device;
  const berth_stream_ops_t *ops = worker->backend->streams;
  // What the source's device still computes comes first.
  if (from->device != NULL && from->device != worker) {
    BERTH_TRY(ops->sync(berth_device_compute(from->device), err));
  }
  berth_stream_t *stream = berth_device_compute(worker);
  BERTH_TRY(ops->copy(stream, to->device, to->data, from->device, from->data,
                      from->size, err));
  return ops->sync(stream, err);
}

// Copies |tensor| to |device|; both cards are held.
static berth_code_t transfer(berth_tensor_t *tensor, berth_device_t *device,
                             berth_tensor_t **out_tensor, berth_error_t *err) {
  berth_tensor_t *copy = NULL;
  BERTH_TRY(berth_tensor_make(device != NULL ? device->allocator : NULL,
                              tensor->dtype, tensor->rank, tensor->dims,
                              tensor->count, &copy, err));
  berth_code_t code =
      tensor->size > 0 ? contents_copy(tensor, copy, err) : BERTH_OK;
  if (code != BERTH_OK) {
    berth_tensor_release(copy);
    return code;
  }
  *out_tensor = copy;
  return BERTH_OK;
}

berth_code_t berth_tensor_transfer(berth_tensor_t *tensor,
                                   berth_device_t *device,
                                   berth_tensor_t **out_tensor,
                                   berth_error_t *err) {
  if (tensor->device == device) {
    *out_tensor = berth_tensor_retain(tensor);
    return BERTH_OK;
  }
  if (!berth_dtype_is_plain(tensor->dtype)) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED, "A tensor of type %s cannot be copied to %s",
        berth_dtype_name(tensor->dtype), berth_device_full_name(device));
  }
  berth_hold_t holds[2] = {{.what = "a copy"}, {.what = "a copy"}};
  berth_device_t *first = tensor->device, *second = device;
  // In one order for all, so that no two wait for each other.
  if (first != NULL && second != NULL &&
      first->memory_space > second->memory_space) {
    first = device;
    second = tensor->device;
  }
  BERTH_TRY(berth_device_hold(first, &holds[0], NULL, NULL, err));
  berth_code_t code = berth_device_hold(second, &holds[1], NULL, NULL, err);
  if (code == BERTH_OK) code = transfer(tensor, device, out_tensor, err);
  berth_gate_leave(&holds[1]);
  berth_gate_leave(&holds[0]);
  return code;
}

berth_code_t berth_tensor_to_host(const berth_tensor_t *tensor,
                                  berth_tensor_t **out_tensor,
                                  berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_tensor, err);
  return berth_tensor_transfer((berth_tensor_t *)(uintptr_t)tensor, NULL,
                               out_tensor, err);
}
