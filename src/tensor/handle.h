// handle.h - The elements of resource and variant tensors.
//
// A handle names a resource (a variable, a queue) and holds a reference to it;
// an element of a variant tensor leads to a list in the same way. What a
// resource is, src/state knows; here it is only counted.
//
// Threads: counting is thread-safe; a handle is as the memory it lies in.
#ifndef BERTH_TENSOR_HANDLE_H_
#define BERTH_TENSOR_HANDLE_H_

#include <stdatomic.h>
#include <stddef.h>

typedef struct berth_resource berth_resource_t;

// Embedded at the start of every resource.
struct berth_resource {
  atomic_int refs;  // Whoever makes it has the first.
  int kind;         // berth_resource_kind_t of state/resource.h.
  // The device that eager calls made it on: one more than its |order|. 0: not
  // said.
  atomic_int home;
  void (*destroy)(berth_resource_t *resource);  // By the last release.
};

// One element. NULL is a handle to nothing.
typedef struct berth_handle {
  berth_resource_t *resource;
} berth_handle_t;

// Returns what TensorFlow prints for an element of a variant tensor. Constant.
static inline const char *berth_variant_text(const berth_handle_t *handle) {
  return handle->resource != NULL ? "<TensorList>" : "<0>";
}

// Adds and takes away a reference. NULL is fine for both.
static inline berth_resource_t *berth_resource_retain(
    berth_resource_t *resource) {
  if (resource != NULL) {
    atomic_fetch_add_explicit(&resource->refs, 1, memory_order_relaxed);
  }
  return resource;
}

static inline void berth_resource_release(berth_resource_t *resource) {
  if (resource != NULL && atomic_fetch_sub_explicit(
                              &resource->refs, 1, memory_order_acq_rel) == 1) {
    resource->destroy(resource);
  }
}

#endif  // BERTH_TENSOR_HANDLE_H_
