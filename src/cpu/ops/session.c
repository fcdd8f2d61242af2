// session.c - Kernels that keep tensors in the session for later runs.
//
// Tensors stay where they are, and are brought to whoever asks for them.
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "device/device.h"
#include "state/kept.h"
#include "tensor/string.h"

#define HOST "/job:localhost/replica:0/task:0/device:CPU:0"

// Makes the output that tells where the tensor is: its text, or what holds it.
static berth_code_t tell(berth_call_t *call, const berth_str_t *text,
                         berth_resource_t *kept) {
  bool is_text = call->node->output_types[0] == BERTH_STRING;
  berth_tensor_t *handle = NULL;
  BERTH_TRY(berth_element_scalar(
      call, is_text ? BERTH_STRING : BERTH_RESOURCE, &handle));
  berth_code_t code = BERTH_OK;
  if (is_text) {
    bool is_set = berth_string_set(handle->data, text->text, text->size);
    if (!is_set) code = berth_error_no_memory(call->err, "a text");
  } else {
    ((berth_handle_t *)handle->data)->resource = berth_resource_retain(kept);
  }
  if (code == BERTH_OK) {
    call->outputs[0] = handle;
  } else {
    berth_tensor_release(handle);
  }
  return code;
}

static berth_code_t run_keep(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  const char *device = call->stream != NULL
                           ? berth_device_full_name(call->stream->device)
                           : HOST;
  berth_str_t text = {0};
  berth_resource_t *kept = NULL;
  berth_code_t code =
      berth_kept_add(call->container, call->node->name, device, call->inputs[0],
                     &text, &kept, call->err);
  if (code == BERTH_OK) code = tell(call, &text, kept);
  berth_resource_release(kept);
  berth_str_clear(&text);
  return code;
}

// Reads the text that is asked for, up to a NUL.
static berth_code_t read_text(berth_call_t *call, berth_str_t *text) {
  const berth_tensor_t *handle = call->inputs[0];
  if (handle->rank != 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`handle` must be scalar");
  }
  size_t size = 0;
  const char *bytes = berth_string_get(handle->data, &size);
  berth_str_put(text, bytes, strnlen(bytes, size));
  return berth_str_ok(text) ? BERTH_OK
                            : berth_error_no_memory(call->err, "a text");
}

static berth_code_t get_kept(berth_call_t *call, const char *text) {
  berth_tensor_t *tensor = berth_kept_find(call->container, text);
  if (tensor == NULL) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "The tensor with handle '%s' is not in the session store.", text);
  }
  return berth_element_give(call, tensor);
}

static berth_code_t run_get(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan, (void)args;
  berth_str_t text = {0};
  berth_code_t code = read_text(call, &text);
  if (code == BERTH_OK) code = get_kept(call, berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

static berth_code_t run_delete(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan, (void)args;
  berth_str_t text = {0};
  berth_code_t code = read_text(call, &text);
  if (code == BERTH_OK &&
      !berth_kept_remove(call->container, berth_str_get(&text))) {
    code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Failed to delete a tensor with handle '%s' in the "
                           "session store.",
                           berth_str_get(&text));
  }
  berth_str_clear(&text);
  return code;
}

BERTH_LIST_PREPARE(keep)
BERTH_LIST_PREPARE(get)
BERTH_LIST_PREPARE(delete)

#define KEPT(name, what) \
  { .op = name, .prepare = prepare_##what, .anywhere = BERTH_TYPES_ALL }

const berth_kernel_t berth_cpu_session_kernels[] = {
    KEPT("GetSessionHandle", keep),
    KEPT("GetSessionTensor", get),
    {.op = "DeleteSessionTensor", .prepare = prepare_delete},
    {.op = NULL},
};
