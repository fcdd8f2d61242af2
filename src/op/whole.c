// whole.c - Ops that compute with whole numbers that stand for fractions: checks
// and shapes.
#include "op/whole.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/alias.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static bool op_is(const berth_case_t *op, const char *name) {
  return strcmp(op->node->op->name, name) == 0;
}

// Says that input |index| is no scalar; every op has words of its own.
static berth_code_t fail_rank(const berth_case_t *op, int index,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[index];
  const char *name = op->node->op->inputs[index].name;
  char text[BERTH_DIMS_TEXT];
  berth_input_text(input, text);
  if (op_is(op, "QuantizedMatMul")) {
    return INVALID("%s must be a scalar, but got shape%s", name, text);
  }
  if (op_is(op, "QuantizedMul")) return INVALID("%s must be a scalar", name);
  if (strstr(op->node->op->name, "Pool") != NULL) {
    return INVALID("%s shape must be rank 0 but is rank %d, received shape: %s",
                   name, (int)input->rank, text);
  }
  if (strncmp(op->node->op->name, "QuantizedRelu", 13) == 0) {
    name = index == 1 ? "min_input" : "max_input";
  }
  const char *mark = op_is(op, "QuantizedConv2D") ? "" : "`";
  return INVALID("%s%s%s must be rank 0 but is rank %d", mark, name, mark,
                 (int)input->rank);
}

// Checks that the inputs from |first| on are scalars, and sets the outputs from
// |range| on to some.
static berth_code_t set_ranges(berth_case_t *op, int first, int range,
                               berth_error_t *err) {
  for (int i = first; i < op->input_count; ++i) {
    if (op->inputs[i].rank != 0) return fail_rank(op, i, err);
  }
  for (int i = range; i < op->output_count; ++i) {
    berth_case_output(op, i, BERTH_SCALAR);
  }
  return BERTH_OK;
}

berth_code_t berth_op_whole_unary(berth_case_t *op, berth_error_t *err) {
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return set_ranges(op, 1, 1, err);
}

berth_code_t berth_op_whole_resize(berth_case_t *op,
                                   berth_resize_t *out_resize,
                                   berth_error_t *err) {
  for (int i = 2; i < 4; ++i) {
    if (op->inputs[i].count == 1) continue;
    return INVALID("%s must be a scalar", i == 2 ? "min" : "max");
  }
  for (int i = 1; i < 3; ++i) berth_case_output(op, i, BERTH_SCALAR);
  return berth_op_resize(op, out_resize, err);
}

berth_code_t berth_op_whole_norm(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[0].rank != 4) {
    return INVALID("x must be rank 4 but is rank %d", (int)op->inputs[0].rank);
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return set_ranges(op, 1, 1, err);
}

berth_code_t berth_op_whole_channels(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  bool is_range = op->output_count == 2;
  if (in[0].rank != 4) {
    return INVALID(is_range ? "input must be in NHWC format"
                            : "Current RequantizePerChannel operator"
                              "supports 4D tensors only.");
  }
  int64_t wanted = is_range ? in[2].count : in[1].count;
  int64_t found = is_range ? in[1].count : in[2].count;
  if (found != wanted || in[0].dims[3] != wanted) {
    bool is_other = found != wanted;
    return INVALID("%s has incorrect size, expected %lld was %lld",
                   is_range ? "input_min" : "input_max",
                   (long long)(is_other ? wanted : in[0].dims[3]),
                   (long long)(is_other ? found : wanted));
  }
  for (int i = 3; i < op->input_count; ++i) {
    if (in[i].count == 1) continue;
    return INVALID("%s must be a scalar", op->node->op->inputs[i].name);
  }
  if (!is_range) berth_case_output(op, 0, berth_case_input_dims(op, 0));
  for (int i = is_range ? 0 : 1; i < op->output_count; ++i) {
    berth_case_output(op, i, BERTH_SCALAR);
  }
  return BERTH_OK;
}

berth_code_t berth_op_whole_range(berth_case_t *op, berth_error_t *err) {
  for (int i = 1; i < 3; ++i) {
    if (op->inputs[i].count != 1) return fail_rank(op, i, err);
    berth_case_output(op, i - 1, BERTH_SCALAR);
  }
  return BERTH_OK;
}

berth_code_t berth_op_whole_reshape(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(berth_op_reshape(op, err));
  op->alias = -1;
  return set_ranges(op, 2, 1, err);
}

// ---- Two inputs ----

static berth_code_t check_bias(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0], *bias = &op->inputs[1];
  char text[2][BERTH_DIMS_TEXT];
  if (bias->rank != 1) {
    return INVALID("Biases must be 1D: %s", berth_input_text(bias, text[0]));
  }
  if (in->rank > 0 && in->dims[in->rank - 1] == bias->count) return BERTH_OK;
  return INVALID(
      "Must provide as many biases as the last dimension of the input tensor: "
      "%s vs. %s",
      berth_input_text(bias, text[0]), berth_input_text(in, text[1]));
}

// True when |small| is single, or a vector as the last dimension of |large|.
static bool repeats(const berth_case_input_t *small,
                    const berth_case_input_t *large) {
  if (small->count == 1) return true;
  return small->rank == 1 && large->rank > 0 &&
         large->dims[large->rank - 1] == small->count;
}

berth_code_t berth_op_whole_pair(berth_case_t *op, berth_whole_pair_t *out,
                                 berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0], *y = &op->inputs[1];
  BERTH_TRY(set_ranges(op, 2, 1, err));
  if (op_is(op, "QuantizedBiasAdd")) BERTH_TRY(check_bias(op, err));
  berth_dims_t dims[2] = {berth_case_input_dims(op, 0),
                          berth_case_input_dims(op, 1)};
  bool is_first =
      x->count > y->count || (x->count == y->count && x->rank >= y->rank);
  if (!berth_dims_equal(dims[0], dims[1]) &&
      !repeats(is_first ? y : x, is_first ? x : y)) {
    char text[2][BERTH_DIMS_TEXT];
    return INVALID("Incompatible shapes: %s vs. %s",
                   berth_input_text(x, text[0]), berth_input_text(y, text[1]));
  }
  berth_case_output(op, 0, dims[is_first ? 0 : 1]);
  *out = (berth_whole_pair_t){.count = is_first ? x->count : y->count,
                              .periods = {x->count, y->count}};
  return BERTH_OK;
}

berth_code_t berth_whole_check_ranges(const berth_node_t *node,
                                      const float ranges[4],
                                      berth_error_t *err) {
  static const struct {
    const char *op, *texts[2];
  } checked[] = {{"QuantizedAdd",
                  {"max_x must be larger than min_x.",
                   "max_y must be larger than min_y."}},
                 {"QuantizedMul",
                  {"max_x must be larger than min_a.",
                   "max_x must be larger than min_b."}},
                 {"QuantizedMatMul",
                  {"max_a must be larger than min_a.",
                   "max_b must be larger than min_b."}}};
  for (size_t i = 0; i < sizeof(checked) / sizeof(checked[0]); ++i) {
    if (strcmp(checked[i].op, node->op->name) != 0) continue;
    for (int k = 0; k < 2; ++k) {
      if (ranges[2 * k + 1] > ranges[2 * k]) continue;
      return INVALID("%s", checked[i].texts[k]);
    }
  }
  return BERTH_OK;
}

berth_code_t berth_op_whole_product(berth_case_t *op,
                                    berth_whole_product_t *out,
                                    berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  bool turns[2] = {berth_node_attr_bool(op->node, "transpose_a", false),
                   berth_node_attr_bool(op->node, "transpose_b", false)};
  char text[2][BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (in[i].rank != 2) return INVALID("In[%d] is not a matrix", i);
  }
  BERTH_TRY(set_ranges(op, 2, 1, err));
  if (in[0].dims[turns[0] ? 0 : 1] != in[1].dims[turns[1] ? 1 : 0]) {
    return INVALID("Matrix size-incompatible: In[0]: %s, In[1]: %s",
                   berth_input_text(&in[0], text[0]),
                   berth_input_text(&in[1], text[1]));
  }
  int64_t a = in[0].dims[1], b = in[1].dims[1];
  *out = (berth_whole_product_t){.rows = in[0].dims[turns[0] ? 1 : 0],
                                 .depth = in[0].dims[turns[0] ? 0 : 1],
                                 .columns = in[1].dims[turns[1] ? 0 : 1],
                                 .left = {turns[0] ? 1 : a, turns[0] ? a : 1},
                                 .right = {turns[1] ? 1 : b, turns[1] ? b : 1}};
  int64_t dims[2] = {out->rows, out->columns};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

// ---- Images ----

berth_code_t berth_op_whole_conv(berth_case_t *op, berth_conv_t *out_conv,
                                 berth_error_t *err) {
  static const char *const names[] = {"input", "filter"};
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank == 4) continue;
    return INVALID("%s must be rank 4 but is rank %d", names[i],
                   (int)op->inputs[i].rank);
  }
  if (op->inputs[0].dims[3] != op->inputs[1].dims[2]) {
    return INVALID("input and filter must have the same depth: %lld vs %lld",
                   (long long)op->inputs[0].dims[3],
                   (long long)op->inputs[1].dims[2]);
  }
  BERTH_TRY(set_ranges(op, 2, 1, err));
  return berth_op_conv(op, out_conv, err);
}

berth_code_t berth_op_whole_pool(berth_case_t *op, berth_pooling_t *out_pool,
                                 berth_error_t *err) {
  if (op->inputs[0].rank != 4) {
    return INVALID("tensor_in_shape must have 2 spatial dimensions. %d 0",
                   (int)op->inputs[0].rank);
  }
  BERTH_TRY(set_ranges(op, 1, 1, err));
  return berth_op_pool(op, out_pool, err);
}

// ---- QuantizedConcat ----

static berth_code_t check_part(const berth_case_t *op, int part, int64_t axis,
                               berth_error_t *err) {
  berth_dims_t first = berth_case_input_dims(op, 1);
  berth_dims_t other = berth_case_input_dims(op, 1 + part);
  char text[2][BERTH_DIMS_TEXT];
  bool fits = first.rank == other.rank;
  for (int32_t i = 0; fits && i < first.rank; ++i) {
    fits = i == axis || first.dims[i] == other.dims[i];
  }
  if (fits) return BERTH_OK;
  return INVALID(
      "ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. "
      "shape[%d] = %s",
      berth_dims_text(first, text[0]), part, berth_dims_text(other, text[1]));
}

static berth_code_t read_axis(const berth_case_t *op, int32_t rank,
                              int64_t *out_axis, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank != 0) {
    return INVALID(
        "Concat dim tensor should be a scalar integer, but got shape %s",
        berth_input_text(&op->inputs[0], text));
  }
  *out_axis = berth_value_int(&op->inputs[0], 0);
  if (*out_axis >= 0 && *out_axis < rank) return BERTH_OK;
  return INVALID(
      "ConcatOp : Expected concatenating dimensions in the range [0, %d), but "
      "got %lld",
      (int)rank, (long long)*out_axis);
}

berth_code_t berth_op_whole_concat(berth_case_t *op, berth_whole_concat_t *out,
                                   berth_error_t *err) {
  int parts = (op->input_count - 1) / 3;
  berth_dims_t first = berth_case_input_dims(op, 1);
  int64_t axis = 0, inner = 1, sum = 0;
  int64_t *runs = berth_arena_calloc(op->arena, (size_t)parts, sizeof(*runs));
  if (runs == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(read_axis(op, first.rank, &axis, err));
  *out = (berth_whole_concat_t){.parts = parts, .outer = 1, .runs = runs};
  for (int32_t i = 0; i < first.rank; ++i) {
    if (i < axis) out->outer *= first.dims[i];
    if (i > axis) inner *= first.dims[i];
  }
  for (int k = 0; k < parts; ++k) {
    BERTH_TRY(check_part(op, k, axis, err));
    runs[k] = op->inputs[1 + k].dims[axis] * inner;
    sum += op->inputs[1 + k].dims[axis];
  }
  BERTH_TRY(set_ranges(op, 1 + parts, 1, err));
  berth_case_output(op, 0, first);
  op->outputs[0].dims[axis] = sum;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Checks that the inputs from |first| on are scalars; the outputs from |range|
// on are.
static berth_code_t infer_ranges(berth_shape_context_t *c, int first, int range,
                                 berth_error_t *err) {
  for (int i = first; i < berth_shape_inputs(c); ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
  }
  for (int i = range; i < c->node->output_count; ++i) {
    c->outputs[i] = BERTH_SCALAR;
  }
  return BERTH_OK;
}

BERTH_INFER(whole_unary) {
  c->outputs[0] = berth_shape_in(c, 0);
  return infer_ranges(c, 1, 1, err);
}

BERTH_INFER(whole_pair) {
  BERTH_TRY(berth_shape_broadcast(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                                  &c->outputs[0], err));
  return infer_ranges(c, 2, 1, err);
}

BERTH_INFER(whole_bias) {
  berth_dims_t bias;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &bias, err));
  c->outputs[0] = berth_shape_in(c, 0);
  return infer_ranges(c, 2, 1, err);
}

#define BERTH_INFER_OTHER(name)                                             \
  BERTH_NODISCARD berth_code_t berth_infer_##name(berth_shape_context_t *c, \
                                                  berth_error_t *err)

BERTH_INFER_OTHER(matmul);
BERTH_INFER_OTHER(conv2d);
BERTH_INFER_OTHER(pool);
BERTH_INFER_OTHER(reshape);
BERTH_INFER_OTHER(resize);

// Does what |name| does for output 0.
#define WHOLE(name, first)                 \
  BERTH_INFER(whole_##name) {              \
    BERTH_TRY(berth_infer_##name(c, err)); \
    return infer_ranges(c, first, 1, err); \
  }

WHOLE(matmul, 2)
WHOLE(conv2d, 2)
WHOLE(pool, 1)
WHOLE(reshape, 2)
WHOLE(resize, 2)

BERTH_INFER(whole_norm) {
  c->outputs[0] = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_with_rank(c, c->outputs[0], 4, NULL, err));
  return infer_ranges(c, 1, 1, err);
}
