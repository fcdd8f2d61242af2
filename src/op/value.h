// value.h - What many families of ops do.
//
// Reads the contents of inputs, checks shapes and sizes with TensorFlow's
// texts. Pure functions on the inputs of an op.
#ifndef BERTH_OP_VALUE_H_
#define BERTH_OP_VALUE_H_

#include "op/case.h"

// Returns element |index| of an integer input whose value is known.
static inline int64_t berth_value_int(const berth_case_input_t *input,
                                      int64_t index) {
  const void *value = input->value;
  switch (input->dtype) {
    case BERTH_INT8:
      return ((const int8_t *)value)[index];
    case BERTH_UINT8:
      return ((const uint8_t *)value)[index];
    case BERTH_INT16:
      return ((const int16_t *)value)[index];
    case BERTH_UINT16:
      return ((const uint16_t *)value)[index];
    case BERTH_INT32:
      return ((const int32_t *)value)[index];
    case BERTH_INT64:
      return ((const int64_t *)value)[index];
    default:
      return 0;
  }
}

// Returns the shape of |input| as messages print it.
static inline const char *berth_input_text(const berth_case_input_t *input,
                                           char text[BERTH_DIMS_TEXT]) {
  return berth_dims_text((berth_dims_t){input->rank, input->dims}, text);
}

// Appends a dimension to |shape|, which holds |*count| elements so far. Fails
// as TensorFlow does when there are too many of either.
BERTH_NODISCARD berth_code_t berth_shape_push(berth_shape_t *shape,
                                              int64_t *count, int64_t size,
                                              berth_error_t *err);

// Reads a shape given as a vector of integers, and the number of its elements.
// Fails with BERTH_INVALID_ARGUMENT as TensorFlow does.
BERTH_NODISCARD berth_code_t berth_value_shape(const berth_case_input_t *input,
                                               berth_shape_t *shape,
                                               int64_t *out_count,
                                               berth_error_t *err);

// Fails as TensorFlow's allocator does when |count| elements of |dtype| in
// |dims| are more bytes than a number can say.
BERTH_NODISCARD berth_code_t berth_value_check_size(berth_dims_t dims,
                                                    int64_t count,
                                                    berth_dtype_t dtype,
                                                    berth_error_t *err);

// Fails as TensorFlow does when the inputs do not all have one shape.
BERTH_NODISCARD berth_code_t berth_check_same_shapes(const berth_case_t *op,
                                                     berth_error_t *err);

#endif  // BERTH_OP_VALUE_H_
