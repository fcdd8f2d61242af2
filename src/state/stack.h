// stack.h - Stacks of tensors that a run pushes and pops.
//
// A stack lives as long as somebody holds a handle to it: that is the values of
// one run.
//
// Threads: thread-safe.
#ifndef BERTH_STATE_STACK_H_
#define BERTH_STATE_STACK_H_

#include "state/resource.h"
#include "tensor/tensor.h"

typedef struct berth_stack berth_stack_t;

// Makes an empty stack for |most| tensors (below 0: any number); the caller
// owns one reference. Messages show |name| with a number.
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_stack_create(const char *name,
                                                berth_dtype_t dtype,
                                                int64_t most,
                                                berth_resource_t **out_stack,
                                                berth_error_t *err);

// Return what it is: its name with its number, and the type of tensors.
const char *berth_stack_name(const berth_stack_t *stack);
berth_dtype_t berth_stack_dtype(const berth_stack_t *stack);

// Puts |tensor|, retained, on top. BERTH_INVALID_ARGUMENT when the stack is
// full or closed, in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_stack_push(berth_stack_t *stack,
                                              berth_tensor_t *tensor,
                                              berth_error_t *err);

// Takes the tensor on top, which is the caller's. BERTH_INVALID_ARGUMENT when
// there is none, or the stack is closed.
BERTH_NODISCARD berth_code_t berth_stack_pop(berth_stack_t *stack,
                                             berth_tensor_t **out_tensor,
                                             berth_error_t *err);

// Lets go of all tensors; nothing can be done with it any more.
void berth_stack_close(berth_stack_t *stack);

#endif  // BERTH_STATE_STACK_H_
