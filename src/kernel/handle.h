// handle.h - Resources behind the arguments of kernels, and behind nodes.
//
// The address of a resource input, and of a reference, is that of a handle.
//
// Threads: as the memory that a handle lies in.
#ifndef BERTH_KERNEL_HANDLE_H_
#define BERTH_KERNEL_HANDLE_H_

#include "kernel/kernel.h"
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

// Returns the name by which TensorFlow finds the resource of |node|: its shared
// name, or its own. Borrowed from the node.
const char *berth_handle_key(const berth_node_t *node);

#endif  // BERTH_KERNEL_HANDLE_H_
