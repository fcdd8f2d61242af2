// eager_copy.c - Copying tensors to a device of a context.
#include "berth/eager.h"
#include "runtime/eager_internal.h"
#include "tensor/transfer.h"

berth_code_t berth_eager_copy(berth_context_t *context, berth_tensor_t *tensor,
                              const char *device, berth_tensor_t **out_tensor,
                              berth_error_t *err) {
  if (tensor == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "there is no tensor to copy");
  }
  berth_device_t *found = NULL;
  BERTH_TRY(
      berth_registry_get(&context->devices.registry, device, &found, err));
  return berth_tensor_transfer(
      tensor, berth_device_has_streams(found) ? found : NULL, out_tensor, err);
}
