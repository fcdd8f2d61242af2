// stack.c - Kernels on stacks.
//
// Tensors stay where they are: what is popped lies where it was pushed from,
// unless another device asks for it.
#include "state/stack.h"

#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "kernel/handle.h"

static berth_code_t run_make(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_node_t *node = call->node;
  int64_t most = -1;
  if (node->input_count > 0) {
    const berth_tensor_t *size = call->inputs[0];
    if (size->rank != 0) {
      char text[BERTH_DIMS_TEXT];
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Stack size must be a scalar, but had shape: %s",
                             berth_tensor_dims_text(size, text));
    }
    most = *(const int32_t *)size->data;
  }
  const char *name = berth_node_attr_string(node, "stack_name", "");
  berth_tensor_t *handle = NULL;
  berth_resource_t *stack = NULL;
  BERTH_TRY(berth_element_scalar(call, BERTH_RESOURCE, &handle));
  berth_code_t code =
      berth_stack_create(name[0] != '\0' ? name : node->name,
                         berth_node_attr_type(node, "elem_type", BERTH_INVALID),
                         most, &stack, call->err);
  if (code != BERTH_OK) {
    berth_tensor_release(handle);
    return code;
  }
  ((berth_handle_t *)handle->data)->resource = stack;
  call->outputs[0] = handle;
  return BERTH_OK;
}

static berth_code_t get_stack(const berth_call_t *call,
                              berth_stack_t **out_stack) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_STACK,
                             &resource, call->err));
  *out_stack = (berth_stack_t *)resource;
  return BERTH_OK;
}

static berth_code_t run_push(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_stack_t *stack = NULL;
  berth_tensor_t *tensor = call->inputs[1];
  BERTH_TRY(get_stack(call, &stack));
  if (tensor->dtype != berth_stack_dtype(stack)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Must have type %d but got %d",
                           (int)berth_stack_dtype(stack), (int)tensor->dtype);
  }
  BERTH_TRY(berth_stack_push(stack, tensor, call->err));
  call->outputs[0] = berth_tensor_retain(tensor);
  return BERTH_OK;
}

static berth_code_t run_pop(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_stack_t *stack = NULL;
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(get_stack(call, &stack));
  BERTH_TRY(berth_stack_pop(stack, &tensor, call->err));
  return berth_element_give(call, tensor);
}

static berth_code_t run_close(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_stack_t *stack = NULL;
  BERTH_TRY(get_stack(call, &stack));
  berth_stack_close(stack);
  return BERTH_OK;
}

BERTH_LIST_PREPARE(make)
BERTH_LIST_PREPARE(push)
BERTH_LIST_PREPARE(pop)
BERTH_LIST_PREPARE(close)

// Also of ops whose handles are resources (op/name.h).
#define STACK(name, what) \
  { .op = name, .prepare = prepare_##what, .anywhere = BERTH_TYPES_ALL }

const berth_kernel_t berth_cpu_stack_kernels[] = {
    STACK("Stack", make),   STACK("StackPush", push),
    STACK("StackPop", pop), STACK("StackClose", close),
    {.op = NULL},
};
