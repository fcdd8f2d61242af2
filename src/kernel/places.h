// places.h - Going to places in a tensor that are given as indices.
//
// Pure functions.
#ifndef BERTH_KERNEL_PLACES_H_
#define BERTH_KERNEL_PLACES_H_

#include "kernel/kernel.h"
#include "op/index.h"

// Returns number |i| of |indices|, which are of |type|: an integer.
static inline int64_t berth_index_at(berth_dtype_t type, const void *indices,
                                     int64_t i) {
  switch (type) {
    case BERTH_INT16:
      return ((const int16_t *)indices)[i];
    case BERTH_INT32:
      return ((const int32_t *)indices)[i];
    default:
      return ((const int64_t *)indices)[i];
  }
}

// Returns which slice of the tensor place |i| of |indices| is; -1: it is
// outside.
static inline int64_t berth_place_at(const berth_places_t *places,
                                     const void *indices, int64_t i) {
  int64_t at = 0;
  for (int32_t d = 0; d < places->depth; ++d) {
    int64_t index =
        berth_index_at(places->index_type, indices, i * places->depth + d);
    if (index < 0 || index >= places->shape.dims[d]) return -1;
    at = at * places->shape.dims[d] + index;
  }
  return at;
}

// Returns the first place that is outside, or -1.
int64_t berth_places_find_bad(const berth_places_t *places,
                              const void *indices);

// Appends which place |i| is, as messages say it: "[1,2]"; nothing where there
// is but one.
void berth_place_print(berth_dims_t outer, int64_t i, berth_str_t *str);

// Appends the indices of place |i|: "[3, 0]".
void berth_place_print_indices(const berth_places_t *places,
                               const void *indices, int64_t i,
                               berth_str_t *str);

// Says that place |i| is outside: "indices[1] = [3] does not index into shape
// [3,2]", with BERTH_INVALID_ARGUMENT.
berth_code_t berth_place_fail(const berth_places_t *places, const void *indices,
                              int64_t i, berth_error_t *err);

// Checks that the shapes and the type of |scatter| are those of a variable that
// holds |now|. Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t
berth_places_check_shapes(const berth_scatter_t *scatter,
                          const berth_tensor_t *now, berth_error_t *err);

// Checks that |scatter| can be done to a variable that holds |now|. |indices|
// are in host memory. Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_places_check_variable(
    const berth_scatter_t *scatter, const berth_tensor_t *now,
    const void *indices, berth_error_t *err);

#endif  // BERTH_KERNEL_PLACES_H_
