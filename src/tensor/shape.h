// shape.h - Arithmetic of shapes, known and partly known.
//
// Pure functions on caller storage.
#ifndef BERTH_TENSOR_SHAPE_H_
#define BERTH_TENSOR_SHAPE_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "berth/types.h"

// Returns the number of elements, 1 for a scalar, or -1 when the rank is
// unknown, a dimension is negative or the product overflows.
int64_t berth_dims_count(berth_dims_t dims);

// Checks that a tensor can have the shape |dims| and stores its number of
// elements. BERTH_INVALID_ARGUMENT with TensorFlow's texts for an unknown rank,
// too many dimensions, a negative one and an overflow.
BERTH_NODISCARD berth_code_t berth_dims_check(berth_dims_t dims,
                                              int64_t *out_count,
                                              berth_error_t *err);

// True when the rank and all dimensions are known.
bool berth_dims_is_full(berth_dims_t dims);

// True when both say the same; unknown is equal to unknown.
static inline bool berth_dims_equal(berth_dims_t a, berth_dims_t b) {
  if (a.rank != b.rank) return false;
  for (int32_t i = 0; i < a.rank; ++i) {
    if (a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

// Copies |dims|, of at most BERTH_MAX_RANK, into |shape|, and lends it out.
static inline void berth_shape_set(berth_shape_t *shape, berth_dims_t dims) {
  shape->rank = dims.rank;
  if (dims.rank > 0) {
    memcpy(shape->dims, dims.dims, (size_t)dims.rank * sizeof(int64_t));
  }
}
static inline berth_dims_t berth_shape_dims(const berth_shape_t *shape) {
  return (berth_dims_t){shape->rank, shape->dims};
}

// Appends as TensorFlow's messages print it: "[2,3]", "[?,3]", "<unknown>".
void berth_dims_print(berth_dims_t dims, berth_str_t *str);

// Prints into |text| for a message and returns it; long shapes are cut.
#define BERTH_DIMS_TEXT 128
const char *berth_dims_text(berth_dims_t dims, char text[BERTH_DIMS_TEXT]);

// Broadcasts two known shapes as numpy does. False when they do not fit; |out|
// is of no use then.
bool berth_dims_broadcast(berth_dims_t a, berth_dims_t b, berth_shape_t *out);

// Joins what two partly known shapes say about one tensor. False when they
// contradict each other; |out| is of no use then.
bool berth_dims_merge(berth_dims_t a, berth_dims_t b, berth_shape_t *out);

// Returns the rank that a tensor needs for |axis|, which counts from the end
// when it is negative, to exist.
static inline int64_t berth_axis_rank(int64_t axis) {
  return axis < 0 ? -(axis + 1) + (axis != INT64_MIN)
                  : axis + (axis != INT64_MAX);
}

#endif  // BERTH_TENSOR_SHAPE_H_
