// tensor.h - Tensors from the inside.
//
//   tensor ──> buffer ──> memory
//      └ data points into the buffer
//
//   small: one block [buffer | tensor | dims | data]
//   large: a buffer of the device's pool
//
// A tensor is immutable but for its contents, and those are written only by
// its maker, before anybody else sees it. Views (reshape, slices of the first
// dimension) are tensors of their own over a retained buffer.
//
// The functions here are for those who have checked already: they take no NULL,
// shapes are known and fit, and they fail with BERTH_RESOURCE_EXHAUSTED alone
// unless they say otherwise. The public half is berth/tensor.h.
//
// Threads: counting is thread-safe, the rest immutable once others see it.
#ifndef BERTH_TENSOR_TENSOR_H_
#define BERTH_TENSOR_TENSOR_H_

#include <stdatomic.h>

#include "base/error.h"
#include "berth/tensor.h"
#include "memory/allocator.h"
#include "memory/buffer.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

struct berth_tensor {
  atomic_int refs;
  int32_t rank;            // At least 0.
  berth_dtype_t dtype;     // No reference type.
  int32_t listed;          // Elements that messages list; 0 is all, as bytes.
  int64_t count;           // Elements.
  size_t size;             // Bytes of the elements.
  void *data;              // Inside |buffer|; NULL: see tensor/compact.h.
  berth_buffer_t *buffer;  // Retained.
  berth_device_t *device;  // Whose memory; NULL is the host. Borrowed: the
                           // process object outlives all tensors.
  int64_t dims[];          // |rank| of them.
};

// Sets the allocator of host tensors above BERTH_SMALL_TENSOR bytes (borrowed;
// outlives all tensors). Called once by the runtime; before that, and with
// NULL, they come from berth_alloc().
void berth_tensor_set_host_allocator(berth_allocator_t *allocator);

// Up to this size a tensor is one block of plain heap memory: a pool would cost
// more than the work done on it.
#define BERTH_SMALL_TENSOR 4096

// As berth_tensor_create(), for a shape already known to be valid: |count|
// elements. |allocator| NULL: host memory. Numbers are not initialised;
// strings and handles are. Fails with `OOM when allocating tensor with shape…`
// and the allocator's report, or as the device of the allocator does when it is
// started.
BERTH_NODISCARD berth_code_t
berth_tensor_make(berth_allocator_t *allocator, berth_dtype_t dtype,
                  int32_t rank, const int64_t *dims, int64_t count,
                  berth_tensor_t **out_tensor, berth_error_t *err);

// Checks that a tensor can have type and shape, and stores its number of
// elements. Fails as berth_tensor_create() does.
BERTH_NODISCARD berth_code_t berth_tensor_check(berth_dtype_t dtype,
                                                berth_dims_t shape,
                                                int64_t *out_count,
                                                berth_error_t *err);

// Makes a tensor over |buffer| (retained) at |data| inside it, in the memory of
// |device| (NULL: the host). That the elements lie in the buffer is the
// caller's affair.
BERTH_NODISCARD berth_code_t berth_tensor_view(
    berth_buffer_t *buffer, void *data, berth_dtype_t dtype, int32_t rank,
    const int64_t *dims, int64_t count, berth_device_t *device,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Copies |tensor| (host) into new host memory of its own, strings and handles
// included.
BERTH_NODISCARD berth_code_t berth_tensor_clone(const berth_tensor_t *tensor,
                                                berth_tensor_t **out_tensor,
                                                berth_error_t *err);

// Copies |count| elements of |dtype|; strings and handles are copied as such
// into initialised elements. False when memory is short; what was copied stays.
// |from| and |to| do not overlap.
bool berth_elements_copy(berth_dtype_t dtype, void *to, const void *from,
                         int64_t count);

// Gives back what |count| elements of |dtype|, not a plain one, own.
void berth_elements_destroy(berth_dtype_t dtype, void *data, int64_t count);

// Returns the shape of |tensor|. Borrowed; lives as long as it.
static inline berth_dims_t berth_tensor_dims(const berth_tensor_t *tensor) {
  return (berth_dims_t){tensor->rank, tensor->dims};
}

// Writes that shape into |text|, which is returned, as messages have it.
const char *berth_tensor_dims_text(const berth_tensor_t *tensor,
                                   char text[BERTH_DIMS_TEXT]);

#endif  // BERTH_TENSOR_TENSOR_H_
