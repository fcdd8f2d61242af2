// fake_quant.c - Ops that round numbers as if they were quantised.
#include "op/fake_quant.h"

#include <math.h>

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

static berth_code_t check_bits(const berth_node_t *node,
                               berth_fake_quant_t *out, berth_error_t *err) {
  int64_t bits = berth_node_attr_int(node, "num_bits", 8);
  out->low = berth_node_attr_bool(node, "narrow_range", false) ? 1 : 0;
  if (bits >= 2 && bits <= 16) {
    out->high = (1 << bits) - 1;
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "num_bits must be between 2 and 16, inclusive");
}

// Checks the limits, inputs |first| and the one behind it or attributes.
static berth_code_t check_limits(const berth_case_t *op, int first,
                                 berth_fake_quant_t *out, berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  if (out->has_attrs) {
    out->min = berth_node_attr_float(op->node, "min", -6);
    out->max = berth_node_attr_float(op->node, "max", 6);
    if (out->min < out->max) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "min has to be smaller than max, was: %g >= %g",
                           (double)out->min, (double)out->max);
  }
  int32_t rank = out->is_by_channel ? 1 : 0;
  for (int i = first; i <= first + 1; ++i) {
    if (op->inputs[i].rank == rank) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "`%s` must be rank %d but is rank %d",
        i == first ? "min" : "max", rank, op->inputs[i].rank);
  }
  if (!out->is_by_channel) return BERTH_OK;
  int64_t depth = in->rank > 0 ? in->dims[in->rank - 1] : 0;
  for (int i = first; i <= first + 1; ++i) {
    if (op->inputs[i].count == depth) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s has incorrect size, expected %lld was %lld",
                           i == first ? "min" : "max", (long long)depth,
                           (long long)op->inputs[i].count);
  }
  out->depth = depth;
  return BERTH_OK;
}

berth_nudged_t berth_fake_quant_nudge(const berth_fake_quant_t *quant,
                                      float min, float max) {
  float low = (float)quant->low, high = (float)quant->high;
  float scale = (max - min) / (high - low);
  float place = low - min / scale;
  float zero = place < low ? low : place > high ? high : roundf(place);
  berth_nudged_t nudged = {.scale = scale, .inverse = 1.0f / scale};
  nudged.min = (low - zero) * scale;
  nudged.max = (high - zero) * scale;
  nudged.zero = floorf(-nudged.min * nudged.inverse + 0.5f);
  nudged.is_none = min == 0 && max == 0;
  return nudged;
}

berth_code_t berth_op_fake_quant(berth_case_t *op, berth_fake_quant_t *out,
                                 berth_error_t *err) {
  *out = (berth_fake_quant_t){.depth = 1, .has_attrs = op->input_count == 1};
  out->is_by_channel = strstr(op->node->op->name, "PerChannel") != NULL;
  BERTH_TRY(check_bits(op->node, out, err));
  BERTH_TRY(check_limits(op, 1, out, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->may_overwrite = 1;
  return BERTH_OK;
}

berth_code_t berth_op_fake_quant_grad(berth_case_t *op, berth_fake_quant_t *out,
                                      berth_error_t *err) {
  *out = (berth_fake_quant_t){.depth = 1, .has_attrs = op->input_count == 2};
  out->is_by_channel = strstr(op->node->op->name, "PerChannel") != NULL;
  BERTH_TRY(check_bits(op->node, out, err));
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (!berth_dims_equal(berth_case_input_dims(op, 0),
                        berth_case_input_dims(op, 1))) {
    if (!out->has_attrs) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "gradient and input must be the same size");
    }
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Inputs to operation %s of type %s must have the same size and "
        "shape.  Input 0: %s != input 1: %s",
        op->node->name, op->node->op->name, berth_input_text(&op->inputs[0], a),
        berth_input_text(&op->inputs[1], b));
  }
  BERTH_TRY(check_limits(op, 2, out, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  for (int i = 1; i < op->output_count; ++i) {
    berth_case_output(op, i, berth_case_input_dims(op, 2));
  }
  op->may_overwrite = 3;
  return BERTH_OK;
}

static berth_code_t check_rank(berth_shape_context_t *c, int index,
                               int32_t rank, berth_dims_t *out,
                               berth_error_t *err) {
  return berth_shape_with_rank(c, berth_shape_in(c, index), rank, out, err);
}

BERTH_INFER(fake_quant) {
  berth_dims_t limit;
  c->outputs[0] = berth_shape_in(c, 0);
  BERTH_TRY(check_rank(c, 1, 0, &limit, err));
  return check_rank(c, 2, 0, &limit, err);
}

BERTH_INFER(fake_quant_channel) {
  berth_dims_t in = berth_shape_in(c, 0), min, max;
  int64_t depth = -1;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  BERTH_TRY(check_rank(c, 1, 1, &min, err));
  BERTH_TRY(check_rank(c, 2, 1, &max, err));
  if (in.rank > 0) depth = in.dims[in.rank - 1];
  BERTH_TRY(
      berth_shape_merge_dims(depth, berth_shape_dim(min, 0), &depth, err));
  BERTH_TRY(
      berth_shape_merge_dims(depth, berth_shape_dim(max, 0), &depth, err));
  c->outputs[0] = in;
  return BERTH_OK;
}

BERTH_INFER(fake_quant_channel_grad) {
  berth_dims_t in, limits, last;
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, 0), 4, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                              &in, err));
  BERTH_TRY(berth_shape_unknown(c, 1, &last, err));
  if (in.rank > 0) last = berth_shape_slice(in, in.rank - 1, in.rank);
  BERTH_TRY(check_rank(c, 2, 1, &limits, err));
  BERTH_TRY(berth_shape_merge(c, limits, last, &limits, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 3), limits, &limits, err));
  c->outputs[0] = in;
  c->outputs[1] = c->outputs[2] = limits;
  return BERTH_OK;
}
