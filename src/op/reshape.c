// reshape.c - Ops that give a tensor another shape: Reshape, ExpandDims,
// Squeeze.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/alias.h"
#include "op/value.h"

// ---- Reshape ----

// What the sizes of a reshape say: a shape with at most one unknown.
typedef struct sizes {
  berth_shape_t shape;
  int32_t unknown;  // Index of the -1, or -1.
  int64_t product;  // Of the known sizes that are not zero.
  bool has_zero;
} sizes_t;

static berth_code_t sizes_too_many(const berth_case_input_t *input,
                                   berth_error_t *err) {
  berth_str_t text = {0};
  for (int64_t i = 0; i < input->count; ++i) {
    berth_str_printf(&text, "%s%lld", i > 0 ? ", " : "",
                     (long long)berth_value_int(input, i));
  }
  berth_code_t code =
      berth_error_set(err, BERTH_INVALID_ARGUMENT,
                      "Shape [%s] has too many elements", berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

static berth_code_t sizes_read(const berth_case_input_t *input, sizes_t *sizes,
                               berth_error_t *err) {
  sizes->shape.rank = (int32_t)input->count;
  sizes->unknown = -1;
  sizes->product = 1;
  sizes->has_zero = false;
  for (int32_t i = 0; i < sizes->shape.rank; ++i) {
    int64_t size = berth_value_int(input, i);
    sizes->shape.dims[i] = size;
    if (size == -1) {
      if (sizes->unknown != -1) {
        return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                               "Only one input size may be -1, not both %d "
                               "and %d",
                               (int)sizes->unknown, (int)i);
      }
      sizes->unknown = i;
    } else if (size < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Size %d must be non-negative, not %lld", (int)i,
                             (long long)size);
    } else if (size == 0) {
      sizes->has_zero = true;
    } else if (__builtin_mul_overflow(sizes->product, size, &sizes->product)) {
      return sizes_too_many(input, err);
    }
  }
  return BERTH_OK;
}

// Finds the size that was given as -1. Where both shapes have a zero, zeros are
// left out on both sides, as in TensorFlow.
static berth_code_t sizes_solve(sizes_t *sizes,
                                const berth_case_input_t *tensor,
                                berth_error_t *err) {
  int64_t count = 1;
  bool skipped = false;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    bool skip = tensor->dims[i] == 0 && sizes->has_zero;
    skipped = skipped || skip;
    if (!skip && __builtin_mul_overflow(count, tensor->dims[i], &count)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "a shape with a zero has too many elements "
                             "beside it");
    }
  }
  int64_t missing = count / sizes->product;
  if (!skipped && missing * sizes->product != count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input to reshape is a tensor with %lld values, "
                           "but the requested shape requires a multiple of "
                           "%lld",
                           (long long)count, (long long)sizes->product);
  }
  sizes->shape.dims[sizes->unknown] = missing;
  return BERTH_OK;
}

berth_code_t berth_op_reshape(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *tensor = &op->inputs[0];
  const berth_case_input_t *input = &op->inputs[1];
  if (input->rank > 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sizes input must be 1-D, not %s",
                           berth_input_text(input, text));
  }
  if (input->count >= BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "too many dimensions: must be < 254, but received "
                           "%lld",
                           (long long)input->count);
  }
  sizes_t sizes;
  BERTH_TRY(sizes_read(input, &sizes, err));
  if (sizes.unknown >= 0) BERTH_TRY(sizes_solve(&sizes, tensor, err));
  berth_dims_t dims = berth_shape_dims(&sizes.shape);
  int64_t count = berth_dims_count(dims);
  if (count != tensor->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input to reshape is a tensor with %lld values, "
                           "but the requested shape has %lld",
                           (long long)tensor->count, (long long)count);
  }
  berth_case_output(op, 0, dims);
  op->alias = 0;
  return BERTH_OK;
}

// ---- ExpandDims ----

berth_code_t berth_op_expand_dims(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  if (op->inputs[1].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dim' must be a tensor with a single value");
  }
  int64_t dim = berth_value_int(&op->inputs[1], 0);
  if (dim < -1 - input->rank || dim > input->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tried to expand dim index %lld for tensor with "
                           "%d dimensions.",
                           (long long)dim, (int)input->rank);
  }
  if (dim < 0) dim += input->rank + 1;
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i <= input->rank; ++i) {
    int64_t size = i < dim ? input->dims[i] : i == dim ? 1 : input->dims[i - 1];
    BERTH_TRY(berth_shape_push(shape, &count, size, err));
  }
  op->alias = 0;
  return BERTH_OK;
}

// ---- Squeeze ----

// Marks the dimensions that a Squeeze names; none: all of size one.
static berth_code_t squeeze_mark(const berth_case_input_t *input,
                                 const berth_attr_value_t *dims, bool *marks,
                                 berth_error_t *err) {
  for (int32_t i = 0; i < dims->count; ++i) {
    int64_t dim = dims->i_list[i];
    if (dim < -input->rank || dim >= input->rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Tried to squeeze dim index %lld for tensor with "
                             "%d dimensions.",
                             (long long)dim, (int)input->rank);
    }
    marks[dim < 0 ? dim + input->rank : dim] = true;
  }
  return BERTH_OK;
}

berth_code_t berth_op_squeeze(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_attr_value_t *dims = berth_node_attr(op->node, "squeeze_dims");
  bool marks[BERTH_MAX_RANK] = {false};
  bool all = dims == NULL || dims->count == 0;
  if (!all) BERTH_TRY(squeeze_mark(input, dims, marks, err));
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (marks[i] && input->dims[i] != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Can not squeeze dim[%d], expected a dimension "
                             "of 1, got %lld",
                             (int)i, (long long)input->dims[i]);
    }
    bool goes = all ? input->dims[i] == 1 : marks[i];
    if (!goes) shape->dims[shape->rank++] = input->dims[i];
  }
  op->alias = 0;
  return BERTH_OK;
}

// ---- Bitcast ----

berth_code_t berth_op_bitcast(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_dtype_t type = op->node->output_types[0];
  int64_t size = (int64_t)berth_dtype_size(input->dtype);
  int64_t other = (int64_t)berth_dtype_size(type);
  int32_t last = input->rank - 1;
  bool fits = size >= other || (last >= 0 && input->dims[last] * size == other);
  if (!fits) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot bitcast from %d to %d", (int)input->dtype,
                           (int)type);
  }
  berth_shape_t *shape = &op->outputs[0];
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->is_part = input->count > 0;
  op->part_of = 0;
  op->part_at = 0;
  if (size < other) --shape->rank;
  if (size <= other) return BERTH_OK;
  int64_t count = input->count;
  return berth_shape_push(shape, &count, size / other, err);
}

// ---- Shapes of a graph ----

// What is known of the number of elements: |known| times the one unknown
// dimension at |unknown|, if there is one.
typedef struct extent {
  int64_t known;
  int32_t unknown;  // -1: none.
  bool is_vague;    // Two or more are unknown, or the number overflows.
} extent_t;

static extent_t extent_of(berth_dims_t shape) {
  extent_t extent = {1, -1, false};
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] >= 0) {
      extent.is_vague |=
          __builtin_mul_overflow(extent.known, shape.dims[i], &extent.known);
    } else {
      extent.is_vague |= extent.unknown >= 0;
      extent.unknown = i;
    }
  }
  return extent;
}

static berth_code_t reshape_error(berth_dims_t out, const extent_t *from,
                                  const extent_t *to, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot reshape a tensor with %lld elements to shape "
                         "%s (%lld elements)",
                         (long long)from->known, berth_dims_text(out, text),
                         (long long)to->known);
}

// Fills in the dimension of |out| that follows from the number of elements.
static berth_code_t settle_reshape(berth_shape_context_t *c, berth_dims_t in,
                                   berth_dims_t out, berth_error_t *err) {
  extent_t from = extent_of(in), to = extent_of(out);
  int64_t dim = -1;
  c->outputs[0] = out;
  if (from.is_vague || to.is_vague) return BERTH_OK;
  if (from.unknown < 0 && to.unknown < 0) {
    return from.known == to.known ? BERTH_OK
                                  : reshape_error(out, &from, &to, err);
  }
  if (from.unknown < 0) {
    if (to.known == 0) return BERTH_OK;
    BERTH_TRY(berth_shape_divide(from.known, to.known, &dim, err));
    return berth_shape_replace(c, out, to.unknown, dim, &c->outputs[0], err);
  }
  // An unknown input dimension must at least be possible.
  if (to.unknown < 0 && from.known != 0) {
    return berth_shape_divide(to.known, from.known, &dim, err);
  }
  return BERTH_OK;
}

BERTH_INFER(reshape) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  BERTH_TRY(berth_shape_from_value(c, 1, &out, err));
  c->outputs[0] = out;
  if (in.rank < 0 || out.rank < 0) return BERTH_OK;
  return settle_reshape(c, in, out, err);
}

BERTH_INFER(expand_dims) {
  berth_dims_t in = berth_shape_in(c, 0);
  const berth_tensor_t *value = berth_shape_value(c, 1);
  int64_t axis = 0;
  if (value != NULL && value->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dim' input must be a tensor with a single value");
  }
  if (in.rank < 0 || !berth_shape_scalar(c, 1, &axis)) return BERTH_OK;
  if (axis < -in.rank - 1 || axis > in.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dim %lld not in the interval [%d, %d].",
                           (long long)axis, -in.rank - 1, in.rank);
  }
  int32_t at = (int32_t)(axis < 0 ? axis + in.rank + 1 : axis);
  int64_t one = 1;
  berth_dims_t before;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, at),
                             (berth_dims_t){1, &one}, &before, err));
  return berth_shape_join(c, before, berth_shape_slice(in, at, in.rank),
                          &c->outputs[0], err);
}

// Marks the dimensions that the attribute squeeze_dims names.
static berth_code_t mark_squeezed(const berth_attr_value_t *list, int32_t rank,
                                  bool marked[BERTH_MAX_RANK],
                                  berth_error_t *err) {
  for (int32_t i = 0; i < rank; ++i) marked[i] = false;
  for (int32_t i = 0; i < list->count; ++i) {
    int64_t dim = list->i_list[i];
    if (dim < -rank || dim >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "squeeze_dims[%d] not in [%d,%d).", i, -rank,
                             rank);
    }
    marked[dim < 0 ? dim + rank : dim] = true;
  }
  return BERTH_OK;
}

BERTH_INFER(squeeze) {
  berth_dims_t in = berth_shape_in(c, 0);
  const berth_attr_value_t *list = berth_node_attr(c->node, "squeeze_dims");
  if (in.rank < 0) return BERTH_OK;
  bool marked[BERTH_MAX_RANK];
  BERTH_TRY(mark_squeezed(list, in.rank, marked, err));
  int64_t *dims = berth_shape_room(c, in.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int32_t rank = 0;
  for (int32_t i = 0; i < in.rank; ++i) {
    // Without a list every dimension of one goes, and unknown ones may.
    if (list->count == 0 && in.dims[i] < 0) return BERTH_OK;
    bool is_squeezed = list->count == 0 ? in.dims[i] == 1 : marked[i];
    if (!is_squeezed) {
      dims[rank++] = in.dims[i];
    } else if (in.dims[i] >= 0 && in.dims[i] != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Can not squeeze dim[%d], expected a dimension of "
                             "1, got %lld",
                             i, (long long)in.dims[i]);
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

BERTH_INFER(bitcast) {
  berth_dims_t in = berth_shape_in(c, 0);
  berth_dtype_t from = berth_node_attr_type(c->node, "T", BERTH_FLOAT);
  berth_dtype_t to = c->node->output_types[0];
  int64_t size = (int64_t)berth_dtype_size(from);
  int64_t other = (int64_t)berth_dtype_size(to);
  if (in.rank < 0) return BERTH_OK;
  if (size == other) c->outputs[0] = in;
  if (size > other) {
    int64_t parts = size / other;
    return berth_shape_join(c, in, (berth_dims_t){1, &parts}, &c->outputs[0],
                            err);
  }
  if (size == other) return BERTH_OK;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  int64_t last = in.dims[in.rank - 1];
  if (last >= 0 && last != other / size) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Cannot bitcast from %d to %d due to shape. %lld does not match %lld",
        (int)from, (int)to, (long long)last, (long long)(other / size));
  }
  c->outputs[0] = berth_shape_slice(in, 0, in.rank - 1);
  return BERTH_OK;
}
