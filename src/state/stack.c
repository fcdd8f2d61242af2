// stack.c - Stacks of tensors that a run pushes and pops.
#include "state/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"

struct berth_stack {
  berth_resource_t resource;  // First.
  berth_dtype_t dtype;
  int64_t most;
  char *name;
  berth_mutex_t lock;  // Guards what follows.
  bool is_closed;
  berth_tensor_t **tensors;
  size_t count, capacity;
};

static void tensors_drop(berth_stack_t *stack) {
  for (size_t i = 0; i < stack->count; ++i) {
    berth_tensor_release(stack->tensors[i]);
  }
  berth_free(stack->tensors);
  stack->tensors = NULL;
  stack->count = stack->capacity = 0;
}

static void stack_destroy(berth_resource_t *resource) {
  berth_stack_t *stack = (berth_stack_t *)resource;
  tensors_drop(stack);
  berth_mutex_deinit(&stack->lock);
  berth_free(stack->name);
  berth_free(stack);
}

berth_code_t berth_stack_create(const char *name, berth_dtype_t dtype,
                                int64_t most, berth_resource_t **out_stack,
                                berth_error_t *err) {
  static atomic_uint_fast64_t count;  // As TensorFlow has one for all.
  size_t size = strlen(name) + 32;
  berth_stack_t *stack = berth_calloc(1, sizeof(*stack));
  char *numbered = berth_alloc(size);
  if (stack == NULL || numbered == NULL) {
    berth_free(stack);
    berth_free(numbered);
    return berth_error_no_memory(err, "a stack");
  }
  (void)snprintf(numbered, size, "%s_%" PRIuFAST64, name,
                 atomic_fetch_add_explicit(&count, 1, memory_order_relaxed));
  atomic_init(&stack->resource.refs, 1);
  stack->resource.kind = BERTH_RESOURCE_STACK;
  stack->resource.destroy = stack_destroy;
  stack->dtype = dtype;
  stack->most = most;
  stack->name = numbered;
  berth_mutex_init(&stack->lock);
  *out_stack = &stack->resource;
  return BERTH_OK;
}

const char *berth_stack_name(const berth_stack_t *stack) { return stack->name; }

berth_dtype_t berth_stack_dtype(const berth_stack_t *stack) {
  return stack->dtype;
}

static berth_code_t fail(const berth_stack_t *stack, const char *why,
                         berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Stack[%s] %s",
                         stack->name, why);
}

static berth_code_t push(berth_stack_t *stack, berth_tensor_t *tensor,
                         berth_error_t *err) {
  if (stack->is_closed) return fail(stack, "has already been closed.", err);
  if (stack->most >= 0 && (int64_t)stack->count >= stack->most) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Stack[%s] overflowed its max_size (%" PRId64 ")",
                           stack->name, stack->most);
  }
  berth_tensor_t **tensors = berth_grow(stack->tensors, stack->count,
                                        &stack->capacity, sizeof(*tensors));
  if (tensors == NULL) return berth_error_no_memory(err, "a stack");
  stack->tensors = tensors;
  tensors[stack->count++] = berth_tensor_retain(tensor);
  return BERTH_OK;
}

berth_code_t berth_stack_push(berth_stack_t *stack, berth_tensor_t *tensor,
                              berth_error_t *err) {
  berth_mutex_lock(&stack->lock);
  berth_code_t code = push(stack, tensor, err);
  berth_mutex_unlock(&stack->lock);
  return code;
}

berth_code_t berth_stack_pop(berth_stack_t *stack, berth_tensor_t **out_tensor,
                             berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&stack->lock);
  if (stack->is_closed) {
    code = fail(stack, "has already been closed.", err);
  } else if (stack->count == 0) {
    code = fail(stack, "is empty when calling Pop().", err);
  } else {
    *out_tensor = stack->tensors[--stack->count];
  }
  berth_mutex_unlock(&stack->lock);
  return code;
}

void berth_stack_close(berth_stack_t *stack) {
  berth_mutex_lock(&stack->lock);
  tensors_drop(stack);
  stack->is_closed = true;
  berth_mutex_unlock(&stack->lock);
}
