// quantize.c - Ops that make numbers whole, or whole numbers fractions again.
#include "op/quantize.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

// Divides |dims| at |axis|; -1: all is one slice.
static void set_slices(berth_dims_t dims, int64_t axis, berth_quant_t *out) {
  out->before = out->depth = out->after = 1;
  for (int32_t i = 0; i < dims.rank; ++i) {
    int64_t *part = i == axis  ? &out->depth
                    : i < axis ? &out->before
                               : &out->after;
    *part *= dims.dims[i];
  }
}

static bool attr_is(const berth_case_t *op, const char *name,
                    const char *value) {
  return strcmp(berth_node_attr_string(op->node, name, ""), value) == 0;
}

// ---- QuantizeAndDequantize and its versions ----

static berth_code_t read_bits(const berth_case_t *op, berth_quant_t *out,
                              berth_error_t *err) {
  bool is_input = op->input_count == 4;
  int64_t bits = berth_node_attr_int(op->node, "num_bits", 8);
  if (is_input) {
    if (op->inputs[3].rank != 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid shape. The `num_bits` tensor should be a "
                             "scalar. Got dimensions: %d",
                             (int)op->inputs[3].rank);
    }
    bits = berth_value_int(&op->inputs[3], 0);
  }
  out->bits = (int)bits;
  if (bits > 0 && bits < (out->is_signed ? 62 : 63)) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "num_bits is out of range: %lld with %s %d",
      (long long)bits, is_input ? "`signed_input_`" : "signed_input_",
      out->is_signed ? 1 : 0);
}

static berth_code_t check_axis(const berth_case_t *op, int64_t axis,
                               berth_error_t *err) {
  if (axis < -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Axis must be at least -1. Found %lld",
                           (long long)axis);
  }
  if (op->input_count == 4 &&
      (axis >= op->inputs[0].rank || op->inputs[0].rank == 0)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Axis requested is larger than input dimensions. "
                           "Axis: %lld Input Dimensions: %d",
                           (long long)axis, (int)op->inputs[0].rank);
  }
  if (axis < op->inputs[0].rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape must be at least rank %lld but is rank %d",
                         (long long)axis + 1, (int)op->inputs[0].rank);
}

berth_code_t berth_op_round_quant(berth_case_t *op, berth_quant_t *out,
                                  berth_error_t *err) {
  int64_t axis = berth_node_attr_int(op->node, "axis", -1);
  *out = (berth_quant_t){
      .mode = BERTH_QUANT_SCALED,
      .rounds_to_even = !attr_is(op, "round_mode", "HALF_UP"),
      .is_signed = berth_node_attr_bool(op->node, "signed_input", true),
      .is_narrow = berth_node_attr_bool(op->node, "narrow_range", false),
      .has_range =
          berth_node_attr_bool(op->node, "range_given", op->input_count == 4),
      .low = berth_node_attr_float(op->node, "input_min", 0),
      .high = berth_node_attr_float(op->node, "input_max", 0)};
  BERTH_TRY(check_axis(op, axis, err));
  BERTH_TRY(read_bits(op, out, err));
  for (int i = 1; out->has_range && i < op->input_count && i <= 2; ++i) {
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be a scalar.",
                           i == 1 ? "input_min" : "input_max");
  }
  if (out->has_range && axis >= 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "a given range of each slice: TensorFlow takes no "
                           "vectors here, and ends for scalars");
  }
  set_slices(berth_case_input_dims(op, 0), axis, out);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->may_overwrite = 1;
  return BERTH_OK;
}

static berth_code_t check_grad_range(const berth_case_t *op, int index,
                                     const berth_quant_t *quant, int64_t axis,
                                     berth_error_t *err) {
  const berth_case_input_t *range = &op->inputs[index];
  const char *name = index == 2 ? "min" : "max";
  if (axis == -1) {
    if (range->rank == 0) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input_%s must be a scalar if axis is unspecified",
                           name);
  }
  if (range->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input_%s tensor must have dimension 1. Received %d",
                           name, (int)range->rank);
  }
  if (range->count == quant->depth) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s has incorrect size, expected %lld was %lld", name,
                         (long long)quant->depth, (long long)range->count);
}

berth_code_t berth_op_round_quant_grad(berth_case_t *op, berth_quant_t *out,
                                       berth_error_t *err) {
  int64_t axis = berth_node_attr_int(op->node, "axis", -1);
  berth_dims_t dims = berth_case_input_dims(op, 1);
  *out = (berth_quant_t){.has_range = true};
  if (!berth_dims_equal(berth_case_input_dims(op, 0), dims)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "gradient and input must be the same size");
  }
  if (axis < -1 || axis >= dims.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Axis should be -1 or 0 or a positive value less "
                           "than %dbut given axis value was %lld",
                           (int)dims.rank, (long long)axis);
  }
  set_slices(dims, axis, out);
  BERTH_TRY(check_grad_range(op, 2, out, axis, err));
  BERTH_TRY(check_grad_range(op, 3, out, axis, err));
  berth_case_output(op, 0, dims);
  berth_case_output(op, 1, berth_case_input_dims(op, 2));
  berth_case_output(op, 2, berth_case_input_dims(op, 3));
  op->may_overwrite = 3;
  return BERTH_OK;
}

// ---- QuantizeV2, Dequantize ----

static void read_mode(const berth_case_t *op, berth_quant_t *out) {
  out->mode = attr_is(op, "mode", "SCALED")      ? BERTH_QUANT_SCALED
              : attr_is(op, "mode", "MIN_FIRST") ? BERTH_QUANT_FIRST
                                                 : BERTH_QUANT_COMBINED;
  out->is_narrow = berth_node_attr_bool(op->node, "narrow_range", false);
  out->rounds_to_even = attr_is(op, "round_mode", "HALF_TO_EVEN");
  out->least_range =
      berth_node_attr_float(op->node, "ensure_minimum_range", 0.01f);
}

// Checks the ends of ranges: one each, or one for each slice of |axis|.
static berth_code_t check_range(const berth_case_t *op, int index, int64_t axis,
                                const berth_quant_t *quant,
                                berth_error_t *err) {
  const berth_case_input_t *range = &op->inputs[index];
  const char *name = index == 1 ? "min_range" : "max_range";
  if (axis < 0) {
    if (range->count == 1) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "If axis is not specified, %s must contain a single "
                           "float element, but it contains %lld elements",
                           name, (long long)range->count);
  }
  if (range->rank != 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "If axis is specified, %s must be a 1-D tensor whose size matches the "
        "axis dimension of the input and output tensors, but %s dims are %d",
        name, name, (int)range->rank);
  }
  if (range->count == quant->depth) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "If axis is specified, %s must be a 1-D tensor whose size matches the "
      "axis dimension of the input and output tensors, but %s is a 1-D tensor "
      "of size %lld and input's axis dimension is of size %lld",
      name, name, (long long)range->count, (long long)quant->depth);
}

berth_code_t berth_op_quantize(berth_case_t *op, berth_quant_t *out,
                               berth_error_t *err) {
  int64_t axis = berth_node_attr_int(op->node, "axis", -1);
  berth_dims_t dims = berth_case_input_dims(op, 0);
  *out = (berth_quant_t){.has_range = true};
  read_mode(op, out);
  if (axis >= dims.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Axis is on a zero-based index, so its value must "
                           "always be less than number of input's dims, but "
                           "given axis value was %lld and input's dims was %d",
                           (long long)axis, (int)dims.rank);
  }
  set_slices(dims, axis, out);
  BERTH_TRY(check_range(op, 1, axis, out, err));
  BERTH_TRY(check_range(op, 2, axis, out, err));
  if (out->mode == BERTH_QUANT_FIRST && axis != -1 && out->depth != 1) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
  }
  berth_case_output(op, 0, dims);
  berth_case_output(op, 1, berth_case_input_dims(op, 1));
  berth_case_output(op, 2, berth_case_input_dims(op, 1));
  return BERTH_OK;
}

berth_code_t berth_op_dequantize(berth_case_t *op, berth_quant_t *out,
                                 berth_error_t *err) {
  int64_t axis = berth_node_attr_int(op->node, "axis", -1);
  berth_dims_t dims = berth_case_input_dims(op, 0);
  *out = (berth_quant_t){.has_range = true};
  read_mode(op, out);
  if (op->node->output_types[0] == BERTH_BFLOAT16 &&
      out->mode != BERTH_QUANT_COMBINED) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "When output type is bfloat16, Mode string must be 'MIN_COMBINED', "
        "is '%s'",
        berth_node_attr_string(op->node, "mode", ""));
  }
  if (axis >= dims.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Axis must be less than input dimension(%d), got "
                           "%lld",
                           (int)dims.rank, (long long)axis);
  }
  set_slices(dims, axis, out);
  for (int i = 1; i <= 2; ++i) {
    if (op->inputs[i].count == out->depth) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input_%s_tensor must have as many elements as input on the "
        "dequantization axis (%lld), got %lld, expected %lld",
        i == 1 ? "min" : "max", (long long)axis, (long long)op->inputs[i].count,
        (long long)out->depth);
  }
  berth_case_output(op, 0, dims);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Checks the shapes of ranges, inputs |first| and the one behind it: scalars,
// or vectors as long as dimension |axis| of |in|.
static berth_code_t infer_ranges(berth_shape_context_t *c, berth_dims_t in,
                                 int first, berth_dims_t *out_range,
                                 berth_error_t *err) {
  int64_t axis = berth_node_attr_int(c->node, "axis", -1), depth = -1;
  int32_t rank = axis == -1 ? 0 : 1;
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, first), rank, out_range, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, first + 1), *out_range,
                              out_range, err));
  if (axis < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_rank_at_least(in, (int32_t)axis + 1, err));
  BERTH_TRY(berth_shape_merge_dims(berth_shape_dim(*out_range, 0),
                                   berth_shape_dim(in, (int32_t)axis), &depth,
                                   err));
  return berth_shape_replace(c, *out_range, 0, depth, out_range, err);
}

BERTH_INFER(quantize_and_dequantize) {
  berth_dims_t range, bits, in = berth_shape_in(c, 0);
  BERTH_TRY(infer_ranges(c, in, 1, &range, err));
  if (berth_shape_inputs(c) == 4) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 0, &bits, err));
  }
  c->outputs[0] = in;
  return BERTH_OK;
}

BERTH_INFER(quantize_and_dequantize_grad) {
  berth_dims_t range, in;
  BERTH_TRY(infer_ranges(c, berth_shape_in(c, 1), 2, &range, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                              &in, err));
  c->outputs[0] = in;
  c->outputs[1] = c->outputs[2] = range;
  return BERTH_OK;
}

// The same for ranges that need not agree with each other yet.
static berth_code_t infer_loose_ranges(berth_shape_context_t *c,
                                       berth_error_t *err) {
  int64_t axis = berth_node_attr_int(c->node, "axis", -1);
  int32_t rank = axis == -1 ? 0 : 1;
  berth_dims_t range;
  if (axis < -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "axis should be at least -1, got %lld",
                           (long long)axis);
  }
  for (int i = 1; i <= 2; ++i) {
    BERTH_TRY(
        berth_shape_with_rank(c, berth_shape_in(c, i), rank, &range, err));
  }
  c->outputs[0] = berth_shape_in(c, 0);
  return axis < 0
             ? BERTH_OK
             : berth_shape_rank_at_least(c->outputs[0], (int32_t)axis + 1, err);
}

BERTH_INFER(quantize) {
  BERTH_TRY(infer_loose_ranges(c, err));
  bool is_one = berth_node_attr_int(c->node, "axis", -1) == -1;
  for (int i = 1; i <= 2; ++i) {
    if (is_one) c->outputs[i] = (berth_dims_t){0, NULL};
    if (!is_one) BERTH_TRY(berth_shape_set_vector(c, i, -1, err));
  }
  return BERTH_OK;
}

BERTH_INFER(dequantize) { return infer_loose_ranges(c, err); }
