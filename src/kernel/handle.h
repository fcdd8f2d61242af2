// handle.h - Resources behind the arguments of kernels, and behind nodes.
//
// The address of a resource input, and of a reference, is that of a handle.
#ifndef BERTH_KERNEL_HANDLE_H_
#define BERTH_KERNEL_HANDLE_H_

#include "kernel/kernel.h"
#include "state/resource.h"

// Makes the handle at |to| hold |resource|, retained.
void berth_handle_set(void *to, berth_resource_t *resource);

// Stores the resource of the handle at |from|, borrowed. Fails with
// BERTH_INVALID_ARGUMENT and TensorFlow's text when it is not of |kind|.
BERTH_NODISCARD berth_code_t berth_handle_get(const void *from,
                                              berth_resource_kind_t kind,
                                              berth_resource_t **out_resource,
                                              berth_error_t *err);

// Returns the name by which TensorFlow finds the resource of |node|: its shared
// name, or its own.
const char *berth_handle_key(const berth_node_t *node);

#endif  // BERTH_KERNEL_HANDLE_H_
