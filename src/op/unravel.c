// unravel.c - UnravelIndex: the coordinates of places that are counted through.
#include "graph/shape_fn.h"
#include "op/index.h"
#include "op/value.h"

static berth_code_t check_sizes(const berth_case_input_t *dims,
                                berth_error_t *err) {
  int64_t product = 1;
  bool overflows = false;
  for (int64_t i = 0; i < dims->count; ++i) {
    int64_t size = berth_value_int(dims, i);
    if (size == 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Input dims cannot contain a dim of zero, but "
                             "dims contains zero at index %lld",
                             (long long)i);
    }
    overflows = overflows || __builtin_mul_overflow(product, size, &product);
    if (dims->dtype == BERTH_INT32 && product > INT32_MAX) overflows = true;
  }
  if (!overflows) return BERTH_OK;
  berth_str_t text = {0};
  for (int64_t i = 0; i < dims->count; ++i) {
    berth_str_printf(&text, "%s%lld", i > 0 ? " " : "",
                     (long long)berth_value_int(dims, i));
  }
  berth_code_t code =
      berth_error_set(err, BERTH_INVALID_ARGUMENT,
                      "Input dims product is causing integer overflow: (%s)",
                      berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

berth_code_t berth_op_unravel(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *indices = &op->inputs[0], *dims = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (indices->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "received empty tensor indices: Tensor<type: %s "
                           "shape: %s values: >",
                           berth_dtype_name(indices->dtype),
                           berth_input_text(indices, text));
  }
  if (indices->rank > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The indices can only be scalar or vector, got "
                           "\"%s\"",
                           berth_input_text(indices, text));
  }
  if (dims->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The indices can only be 1-D, got \"%s\"",
                           berth_input_text(dims, text));
  }
  BERTH_TRY(check_sizes(dims, err));
  int64_t shape[2] = {dims->count, indices->count};
  berth_case_output(op, 0, (berth_dims_t){1 + indices->rank, shape});
  return BERTH_OK;
}

BERTH_INFER(unravel) {
  berth_dims_t indices = berth_shape_in(c, 0), dims = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, dims, 1, &dims, err));
  if (indices.rank < 0) return BERTH_OK;
  int64_t count = berth_dims_count(indices);
  if (indices.rank > 1) indices = (berth_dims_t){1, &count};
  return berth_shape_join(c, dims, indices, &c->outputs[0], err);
}
