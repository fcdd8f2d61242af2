// value.c - What many families of ops do.
#include "op/value.h"

berth_code_t berth_shape_push(berth_shape_t *shape, int64_t *count,
                              int64_t size, berth_error_t *err) {
  // The limit of TensorFlow: its ranks are below 255 of which one is "unknown".
  if (shape->rank >= BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Too many dimensions in tensor");
  }
  int64_t product = 0;
  if (__builtin_mul_overflow(*count, size, &product)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Encountered overflow when multiplying %lld with "
                           "%lld, result: -1",
                           (long long)*count, (long long)size);
  }
  *count = product;
  shape->dims[shape->rank++] = size;
  return BERTH_OK;
}

berth_code_t berth_value_shape(const berth_case_input_t *input,
                               berth_shape_t *shape, int64_t *out_count,
                               berth_error_t *err) {
  if (input->count > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Too many dimensions");
  }
  shape->rank = (int32_t)input->count;
  int64_t count = 1;
  bool fits = true;
  for (int32_t i = 0; i < shape->rank; ++i) {
    int64_t dim = berth_value_int(input, i);
    shape->dims[i] = dim;
    if (dim < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Dimension %lld must be >= 0", (long long)dim);
    }
    if (fits && __builtin_mul_overflow(count, dim, &count)) fits = false;
  }
  if (!fits) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s would have more than 2**63 - 1 elements",
                           berth_dims_text(berth_shape_dims(shape), text));
  }
  *out_count = count;
  return BERTH_OK;
}

berth_code_t berth_value_check_size(berth_dims_t dims, int64_t count,
                                    berth_dtype_t dtype, berth_error_t *err) {
  int64_t bytes = 0;
  int64_t size = (int64_t)berth_dtype_size(dtype);
  if (!__builtin_mul_overflow(count, size, &bytes)) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_RESOURCE_EXHAUSTED,
      "OOM when allocating tensor with shape%s and type %s on "
      "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu",
      berth_dims_text(dims, text), berth_dtype_name(dtype));
}

berth_code_t berth_check_same_shapes(const berth_case_t *op,
                                     berth_error_t *err) {
  berth_dims_t first = berth_case_input_dims(op, 0);
  for (int i = 1; i < op->input_count; ++i) {
    berth_dims_t dims = berth_case_input_dims(op, i);
    if (berth_dims_equal(first, dims)) continue;
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Inputs to operation %s of type %s must have the same size and shape. "
        " Input 0: %s != input %d: %s",
        op->node->name, op->node->op->name, berth_dims_text(first, a), i,
        berth_dims_text(dims, b));
  }
  return BERTH_OK;
}
