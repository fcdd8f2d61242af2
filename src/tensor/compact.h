// compact.h - Tensors of which only the first elements are there.
//
// A message may list fewer values than its shape has elements: the last one
// repeats. A compact tensor keeps that: type, shape, count and size are those
// of the whole, its buffer holds the |listed| first elements, and |data| is
// NULL, so that whoever reads elements without asking fails at once.
//
//   compact   shape [1000000]   data NULL   buffer [7 8 9]   listed 3
//   whole     shape [1000000]   data ────>  [7 8 9 9 9 … 9]  listed 3
//
// Only values of attributes are compact, from a message until somebody uses
// them: berth_node_constant() of graph/graph.h and berth_tensor_expand() give
// the whole. None is ever handed out.
//
// Threads: as tensors.
#ifndef BERTH_TENSOR_COMPACT_H_
#define BERTH_TENSOR_COMPACT_H_

#include "tensor/tensor.h"

// Makes a compact tensor of |count| elements of which |listed|, fewer and at
// least one, are to be written at berth_tensor_elements(). Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_tensor_make_compact(
    berth_dtype_t dtype, berth_dims_t shape, int64_t count, int32_t listed,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Stores |tensor| with all of its elements: another reference to it where they
// are there already. BERTH_RESOURCE_EXHAUSTED when the host's allocator has no
// room for them, or they are more than the machine's memory.
BERTH_NODISCARD berth_code_t berth_tensor_expand(berth_tensor_t *tensor,
                                                 berth_tensor_t **out_tensor,
                                                 berth_error_t *err);

// Returns how many bytes all elements take, texts of strings included;
// UINT64_MAX when that is more than can be counted.
uint64_t berth_tensor_expanded_size(const berth_tensor_t *tensor);

// Repeats element |done| - 1 of |data| up to |count|; with |done| 0 all are
// zero. False when memory for strings is short.
bool berth_elements_repeat(berth_dtype_t dtype, void *data, int64_t done,
                           int64_t count);

// True when only the first |listed| elements of |tensor| are there.
static inline bool berth_tensor_is_compact(const berth_tensor_t *tensor) {
  return tensor->data == NULL && tensor->count > 0;
}

// Returns the elements that are there: all, or the first |listed|.
static inline void *berth_tensor_elements(const berth_tensor_t *tensor) {
  return berth_tensor_is_compact(tensor) ? tensor->buffer->data : tensor->data;
}

// Returns where the value of element |index| is among those.
static inline int64_t berth_tensor_place(const berth_tensor_t *tensor,
                                         int64_t index) {
  bool is_last = berth_tensor_is_compact(tensor) && index >= tensor->listed;
  return is_last ? tensor->listed - 1 : index;
}

// Returns how many elements have to be looked at to have seen all of them.
static inline int64_t berth_tensor_distinct(const berth_tensor_t *tensor) {
  return berth_tensor_is_compact(tensor) ? tensor->listed : tensor->count;
}

#endif  // BERTH_TENSOR_COMPACT_H_
