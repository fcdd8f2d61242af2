// eager_copy.c - Bringing tensors to a device of a context, and memory of
// others.
#include "berth/eager.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "device/device.h"
#include "runtime/eager_internal.h"
#include "tensor/transfer.h"

berth_code_t berth_eager_copy(berth_context_t *context, berth_tensor_t *tensor,
                              const char *device, berth_tensor_t **out_tensor,
                              berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(device, err);
  BERTH_GIVEN(out_tensor, err);
  berth_device_t *found = NULL;
  BERTH_TRY(berth_registry_get(&berth_context_devices(context)->registry,
                               device, &found, err));
  berth_watch_t watch = {.control = &context->control};
  berth_parallel_scope_t scope = {context->control.threads, berth_watch_poll,
                                  &watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = berth_tensor_transfer(
      tensor, berth_device_has_streams(found) ? found : NULL, out_tensor, err);
  berth_parallel_enter(before);
  return code;
}

// Memory of others in use on a device: its card is not given back meanwhile.
typedef struct lent {
  berth_device_t *device;
  berth_hold_t hold;
  berth_deallocator_fn deallocator;
  void *arg;
} lent_t;

// Gives memory back. Work on it may be queued still, and nothing ends waiting
// for that: its owner may free it at once. When it fails the device is lost,
// and nobody uses the memory any more.
static void lent_return(void *data, size_t size, void *arg) {
  lent_t *lent = arg;
  const berth_parallel_scope_t *scope = berth_parallel_enter(NULL);
  berth_code_t code = berth_device_wait(lent->device, NULL);
  (void)code;
  berth_parallel_enter(scope);
  berth_gate_leave(&lent->hold);
  if (lent->deallocator != NULL) lent->deallocator(data, size, lent->arg);
  berth_free(lent);
}

// Makes a tensor of memory of |lent->device|.
static berth_code_t wrap_on(const lent_t *lent, berth_dtype_t dtype,
                            berth_dims_t shape, void *data, size_t size,
                            berth_tensor_t **out_tensor, berth_error_t *err) {
  lent_t *kept = berth_alloc(sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "a tensor");
  *kept = *lent;
  berth_gate_enter_lasting(lent->device->gate, &kept->hold);
  berth_code_t code = berth_device_start(lent->device, err);
  if (code == BERTH_OK) {
    code = berth_tensor_wrap(dtype, shape, data, size, lent_return, kept,
                             out_tensor, err);
  }
  if (code != BERTH_OK) {
    berth_gate_leave(&kept->hold);
    berth_free(kept);
    return code;
  }
  (*out_tensor)->device = lent->device;
  return BERTH_OK;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_eager_wrap(berth_context_t *context, const char *device,
                              berth_dtype_t dtype, berth_dims_t shape,
                              void *data, size_t size,
                              berth_deallocator_fn deallocator, void *arg,
                              berth_tensor_t **out_tensor, berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(device, err);
  BERTH_GIVEN(out_tensor, err);
  berth_device_t *found = NULL;
  BERTH_TRY(berth_registry_get(&berth_context_devices(context)->registry,
                               device, &found, err));
  if (!berth_device_has_streams(found)) {
    return berth_tensor_wrap(dtype, shape, data, size, deallocator, arg,
                             out_tensor, err);
  }
  lent_t lent = {.device = found,
                 .hold = {.what = "memory of others"},
                 .deallocator = deallocator,
                 .arg = arg};
  return wrap_on(&lent, dtype, shape, data, size, out_tensor, err);
}
