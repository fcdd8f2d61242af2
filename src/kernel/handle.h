// handle.h - Resources behind the arguments of kernels, and behind nodes.
//
// The address of a resource input, and of a reference, is that of a handle.
//
// Threads: as the memory that a handle lies in.
#ifndef BERTH_KERNEL_HANDLE_H_
#define BERTH_KERNEL_HANDLE_H_

#include "kernel/kernel.h"
#include "state/commit.h"
#include "state/resource.h"

// Makes the handle at |to|, a berth_handle_t that was zeroed or set before,
// hold |resource|, retained; what it held is released.
void berth_handle_set(void *to, berth_resource_t *resource);

// Stores the resource of the handle at |from|, borrowed from the handle. Fails
// with BERTH_INVALID_ARGUMENT and TensorFlow's text when it holds none, or one
// that is not of |kind|.
BERTH_NODISCARD berth_code_t berth_handle_get(const void *from,
                                              berth_resource_kind_t kind,
                                              berth_resource_t **out_resource,
                                              berth_error_t *err);

// Adds to the commit of |call| that the variable of the handle at |from| is
// changed by |apply| once |check| has passed, and lends the change: what both
// need is still to be filled in. Fails as berth_handle_get() and
// berth_commit_add() do.
BERTH_NODISCARD berth_code_t berth_handle_change(const void *from,
                                                 berth_change_check_fn check,
                                                 berth_change_apply_fn apply,
                                                 berth_call_t *call,
                                                 berth_change_t **out_change);

// Makes the handle at |to| hold the variable of |change|: what an op with a
// reference gives on.
void berth_handle_give(void *to, const berth_change_t *change);

// Makes the vector of two texts by which old ops know |resource|, an array or a
// stack: where it is kept, and its name. BERTH_UNIMPLEMENTED for others,
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_handle_texts(const berth_resource_t *resource, berth_tensor_t **out_texts,
                   berth_error_t *err);

// Prepares an op that gives a handle of what its node owns.
BERTH_NODISCARD berth_code_t berth_handle_prepare(berth_prepare_t *prepare,
                                                  berth_error_t *err);

// Returns the name by which TensorFlow finds the resource of |node|: its shared
// name, or its own. Borrowed from the node.
const char *berth_handle_key(const berth_node_t *node);

#endif  // BERTH_KERNEL_HANDLE_H_
