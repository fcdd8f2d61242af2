// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Most of them run nothing: output 0 is input 0 (prepare->op.alias).
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "op/value.h"
#include "tensor/compact.h"

// ---- The same shape ----

static berth_code_t prepare_identity(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  (void)err;
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  prepare->op.alias = 0;
  return BERTH_OK;
}

static berth_code_t run_identity_n(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  for (int i = 0; i < call->node->output_count; ++i) {
    call->outputs[i] = berth_tensor_retain(call->inputs[i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_identity_n(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  (void)err;
  for (int i = 0; i < prepare->op.output_count; ++i) {
    berth_op_output(&prepare->op, i, berth_op_input_dims(&prepare->op, i));
  }
  prepare->run = run_identity_n;
  return BERTH_OK;
}

static berth_code_t prepare_no_op(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  prepare->run = berth_run_nothing;
  return BERTH_OK;
}

// ---- Constants and placeholders ----

static berth_code_t run_const(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_tensor_t *value = *(const berth_tensor_t *const *)plan;
  int64_t there = berth_tensor_distinct(value);
  if (!berth_elements_copy(value->dtype, args[0], berth_tensor_elements(value),
                           there) ||
      (there < value->count &&
       !berth_elements_repeat(value->dtype, args[0], there, value->count))) {
    return berth_error_no_memory(call->err, "a constant");
  }
  return BERTH_OK;
}

static berth_code_t prepare_const(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(prepare->op.node, "value");
  if (value == NULL || value->kind != BERTH_ATTR_TENSOR) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the constant '%s' has no value",
                           prepare->op.node->name);
  }
  berth_dtype_t promised = prepare->op.node->output_types[0];
  if (value->tensor->dtype != promised) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Type mismatch between value (%s) and dtype (%s)",
                           berth_dtype_name(value->tensor->dtype),
                           berth_dtype_name(promised));
  }
  berth_op_output(&prepare->op, 0, berth_tensor_dims(value->tensor));
  const berth_tensor_t **plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = value->tensor;
  prepare->run = run_const;
  prepare->work = (int64_t)value->tensor->size / 8;
  return BERTH_OK;
}

static berth_code_t run_placeholder(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_node_t *node = call->node;
  const berth_attr_value_t *shape = berth_node_attr(node, "shape");
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                  "You must feed a value for placeholder tensor '%s' with "
                  "dtype %s",
                  node->name, berth_dtype_name(node->output_types[0]));
  // A scalar is reported like an unknown shape.
  if (shape != NULL && shape->kind == BERTH_ATTR_SHAPE &&
      shape->shape.rank > 0) {
    char text[BERTH_DIMS_TEXT];
    berth_error_append(call->err, " and shape %s",
                       berth_dims_text(shape->shape, text));
  }
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t prepare_placeholder(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  (void)err;
  prepare->op.outputs[0].rank = -1;
  prepare->run = run_placeholder;
  return BERTH_OK;
}

// ---- Another shape ----

// What the sizes of a reshape say: a shape with at most one unknown.
typedef struct sizes {
  berth_shape_t shape;
  int32_t unknown;  // Index of the -1, or -1.
  int64_t product;  // Of the known sizes that are not zero.
  bool has_zero;
} sizes_t;

static berth_code_t sizes_too_many(const berth_op_input_t *input,
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

static berth_code_t sizes_read(const berth_op_input_t *input, sizes_t *sizes,
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
static berth_code_t sizes_solve(sizes_t *sizes, const berth_op_input_t *tensor,
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

static berth_code_t prepare_reshape(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_op_input_t *tensor = &prepare->op.inputs[0];
  const berth_op_input_t *input = &prepare->op.inputs[1];
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
  berth_op_output(&prepare->op, 0, dims);
  prepare->op.alias = 0;
  return BERTH_OK;
}

static berth_code_t prepare_expand_dims(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  if (prepare->op.inputs[1].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dim' must be a tensor with a single value");
  }
  int64_t dim = berth_value_int(&prepare->op.inputs[1], 0);
  if (dim < -1 - input->rank || dim > input->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tried to expand dim index %lld for tensor with "
                           "%d dimensions.",
                           (long long)dim, (int)input->rank);
  }
  if (dim < 0) dim += input->rank + 1;
  berth_shape_t *shape = &prepare->op.outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i <= input->rank; ++i) {
    int64_t size = i < dim ? input->dims[i] : i == dim ? 1 : input->dims[i - 1];
    BERTH_TRY(berth_shape_push(shape, &count, size, err));
  }
  prepare->op.alias = 0;
  return BERTH_OK;
}

// Marks the dimensions that a Squeeze names; none: all of size one.
static berth_code_t squeeze_mark(const berth_op_input_t *input,
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

static berth_code_t prepare_squeeze(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  const berth_attr_value_t *dims =
      berth_node_attr(prepare->op.node, "squeeze_dims");
  bool marks[BERTH_MAX_RANK] = {false};
  bool all = dims == NULL || dims->count == 0;
  if (!all) BERTH_TRY(squeeze_mark(input, dims, marks, err));
  berth_shape_t *shape = &prepare->op.outputs[0];
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
  prepare->op.alias = 0;
  return BERTH_OK;
}

#define ALIAS(name) \
  { .op = name, .prepare = prepare_identity }

const berth_kernel_t berth_cpu_alias_kernels[] = {
    ALIAS("Identity"),
    ALIAS("StopGradient"),
    ALIAS("_EagerConst"),
    ALIAS("PreventGradient"),
    ALIAS("PlaceholderWithDefault"),
    {.op = "IdentityN", .prepare = prepare_identity_n},
    {.op = "NoOp", .prepare = prepare_no_op},
    {.op = "Const", .prepare = prepare_const},
    {.op = "Placeholder", .prepare = prepare_placeholder},
    {.op = "PlaceholderV2", .prepare = prepare_placeholder},
    {.op = "Reshape",
     .types = {{"Tshape", BERTH_TYPES_INDEX}},
     .prepare = prepare_reshape},
    {.op = "ExpandDims",
     .types = {{"Tdim", BERTH_TYPES_INDEX}},
     .prepare = prepare_expand_dims},
    {.op = "Squeeze", .prepare = prepare_squeeze},
    {.op = NULL},
};
