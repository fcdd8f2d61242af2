// tensor_array.h - Arrays of tensors that a run writes and reads by number.
//
// Each element is written once and read as often as the array allows. An array
// of gradients belongs to the array that it is for, and sums what is written to
// one element. An array lives as long as somebody holds a handle to it: that is
// the values of one run.
//
// Threads: thread-safe. Sums are made without the lock.
#ifndef BERTH_STATE_TENSOR_ARRAY_H_
#define BERTH_STATE_TENSOR_ARRAY_H_

#include "state/resource.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef struct berth_tensor_array berth_tensor_array_t;

// What an array is made as.
typedef struct berth_tensor_array_spec {
  const char *name;  // Messages show it with a number. Borrowed for the call.
  berth_dtype_t dtype;
  berth_dims_t shape;  // What is known of elements. Borrowed for the call.
  int64_t size;
  bool is_dynamic;  // A write may make it longer.
  bool clears;      // A read lets go of the element.
  bool is_uniform;  // The first write says the shape of all.
} berth_tensor_array_spec_t;

// Makes an array; the caller owns one reference. BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_tensor_array_create(const berth_tensor_array_spec_t *spec,
                          berth_resource_t **out_array, berth_error_t *err);

// Finds the array of gradients of |array| that is called |source|, or makes it:
// as long as |array|, which no write makes longer from then on, with shapes
// that begin with |prefix|. The caller owns one reference. Fails with
// BERTH_INVALID_ARGUMENT for an array of gradients, and one that is closed.
BERTH_NODISCARD berth_code_t berth_tensor_array_grad(
    berth_tensor_array_t *array, const char *source, berth_dims_t prefix,
    berth_resource_t **out_grad, berth_error_t *err);

// Return what it is: its name with its number, and the type of elements.
const char *berth_tensor_array_name(const berth_tensor_array_t *array);
berth_dtype_t berth_tensor_array_dtype(const berth_tensor_array_t *array);
bool berth_tensor_array_is_dynamic(berth_tensor_array_t *array);
bool berth_tensor_array_is_grad(const berth_tensor_array_t *array);

// Stores how long it is, and what is known of the shape of elements. Fails with
// BERTH_INVALID_ARGUMENT when it is closed, as all that follow.
BERTH_NODISCARD berth_code_t berth_tensor_array_size(
    berth_tensor_array_t *array, int64_t *out_size, berth_error_t *err);
void berth_tensor_array_shape(berth_tensor_array_t *array,
                              berth_shape_t *out_shape);

// Adds two tensors of one shape and type; |*out_sum| is the caller's.
typedef berth_code_t (*berth_sum_fn)(void *arg, berth_tensor_t *a,
                                     berth_tensor_t *b,
                                     berth_tensor_t **out_sum,
                                     berth_error_t *err);

// Makes |tensor|, retained, element |index|; in an array of gradients its sum
// with what is there, which |sum| makes. Fails with BERTH_INVALID_ARGUMENT in
// TensorFlow's words, and as |sum| does.
BERTH_NODISCARD berth_code_t berth_tensor_array_write(
    berth_tensor_array_t *array, int64_t index, berth_tensor_t *tensor,
    berth_sum_fn sum, void *arg, berth_error_t *err);

// Stores element |index|, the caller's; NULL when it is zeros in |out_shape|.
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_tensor_array_read(
    berth_tensor_array_t *array, int64_t index, berth_tensor_t **out_tensor,
    berth_shape_t *out_shape, berth_error_t *err);

// Joins what is known of the shape of elements with |shape|. Fails with
// BERTH_INVALID_ARGUMENT when they contradict each other.
BERTH_NODISCARD berth_code_t berth_tensor_array_merge_shape(
    berth_tensor_array_t *array, berth_dims_t shape, berth_error_t *err);

// Lets go of all elements; nothing can be done with it any more.
void berth_tensor_array_close(berth_tensor_array_t *array);

#endif  // BERTH_STATE_TENSOR_ARRAY_H_
