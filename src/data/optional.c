// optional.c - An element, or nothing, as a value behind a variant.
#include "data/optional.h"

#include "base/alloc.h"
#include "data/kernels.h"

typedef struct optional {
  berth_resource_t resource;  // First.
  bool has_value;
  int count;
  berth_tensor_t *tensors[];
} optional_t;

static void optional_destroy(berth_resource_t *resource) {
  optional_t *optional = (optional_t *)resource;
  berth_element_drop(optional->tensors, optional->count);
  berth_free(optional);
}

berth_code_t berth_optional_wrap(berth_tensor_t *const *tensors, int count,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  if (tensors == NULL) count = 0;
  optional_t *optional = berth_calloc(
      1, sizeof(*optional) + (size_t)count * sizeof(berth_tensor_t *));
  if (optional == NULL) return berth_error_no_memory(err, "an optional");
  atomic_init(&optional->resource.refs, 1);
  optional->resource.kind = BERTH_RESOURCE_OPTIONAL;
  optional->resource.destroy = optional_destroy;
  optional->has_value = tensors != NULL;
  for (int i = 0; i < count; ++i) {
    optional->tensors[optional->count++] = berth_tensor_retain(tensors[i]);
  }
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_VARIANT, 0, NULL, 1, out_tensor, err);
  if (code == BERTH_OK) {
    ((berth_handle_t *)(*out_tensor)->data)->resource = &optional->resource;
  } else {
    berth_resource_release(&optional->resource);
  }
  return code;
}

const berth_tensor_t *berth_optional_get(const berth_tensor_t *variant) {
  if (variant->dtype != BERTH_VARIANT || variant->count != 1) return NULL;
  const berth_resource_t *resource =
      ((const berth_handle_t *)variant->data)->resource;
  if (resource == NULL || resource->kind != BERTH_RESOURCE_OPTIONAL)
    return NULL;
  const optional_t *optional = (const optional_t *)resource;
  return optional->count == 1 ? optional->tensors[0] : NULL;
}

static berth_code_t optional_of(const berth_call_t *call,
                                const optional_t **out_optional) {
  const berth_tensor_t *tensor = call->inputs[0];
  const berth_resource_t *resource =
      tensor->count == 1 ? ((const berth_handle_t *)tensor->data)->resource
                         : NULL;
  if (resource == NULL || resource->kind != BERTH_RESOURCE_OPTIONAL) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Input to OptionalHasValue must be a scalar variant of an Optional.");
  }
  *out_optional = (const optional_t *)resource;
  return BERTH_OK;
}

static berth_code_t run_none(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  return berth_optional_wrap(NULL, 0, &call->outputs[0], call->err);
}

static berth_code_t run_from(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  return berth_optional_wrap(call->inputs, call->node->input_count,
                             &call->outputs[0], call->err);
}

static berth_code_t run_has(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const optional_t *optional = NULL;
  BERTH_TRY(optional_of(call, &optional));
  BERTH_TRY(berth_tensor_make(NULL, BERTH_BOOL, 0, NULL, 1, &call->outputs[0],
                              call->err));
  *(uint8_t *)call->outputs[0]->data = optional->has_value;
  return BERTH_OK;
}

static berth_code_t run_get(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const optional_t *optional = NULL;
  BERTH_TRY(optional_of(call, &optional));
  if (!optional->has_value) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "The given optional does not have a value.");
  }
  if (optional->count != call->node->output_count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "The given optional has %d components, expected %d.",
                           optional->count, call->node->output_count);
  }
  for (int i = 0; i < optional->count; ++i) {
    call->outputs[i] = berth_tensor_retain(optional->tensors[i]);
  }
  return BERTH_OK;
}

BERTH_DATA_KERNEL(none)
BERTH_DATA_KERNEL(from)
BERTH_DATA_KERNEL(has)
BERTH_DATA_KERNEL(get)

const berth_kernel_t berth_data_optional_kernels[] = {
    BERTH_DATA_OP("OptionalNone", none),
    BERTH_DATA_OP("OptionalFromValue", from),
    BERTH_DATA_OP("OptionalHasValue", has),
    BERTH_DATA_OP("OptionalGetValue", get),
    {.op = NULL},
};
