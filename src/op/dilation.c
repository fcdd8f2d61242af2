// dilation.c - Dilation2D and its gradients.
#include "op/dilation.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

// ---- Dilations ----

// Reads an attribute, one step for each of the two spatial dimensions.
static berth_code_t read_steps(const berth_node_t *node, bool is_stride,
                               int64_t steps[2], berth_error_t *err) {
  const berth_attr_value_t *value =
      berth_node_attr(node, is_stride ? "strides" : "rates");
  if (value == NULL || value->count != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s field must specify 4 dimensions",
                           is_stride ? "Sliding window stride"
                                     : "Input stride (atrous rate)");
  }
  if (value->i_list[0] != 1 || value->i_list[3] != 1) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s is only supported across spatial dimensions.",
                           is_stride ? "Stride" : "Rate");
  }
  steps[0] = value->i_list[1];
  steps[1] = value->i_list[2];
  if (steps[0] > 0 && steps[1] > 0) return BERTH_OK;
  if (!is_stride) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Sliding window rates must be positive");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Stride must be > 0, but got %lld",
                         (long long)steps[steps[0] > 0]);
}

static berth_code_t check_inputs(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *filter = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (input->rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be 4-dimensional%s",
                           berth_input_text(input, text));
  }
  if (filter->rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "filter must be 3-dimensional: %s",
                           berth_input_text(filter, text));
  }
  if (input->dims[3] == filter->dims[2]) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "input and filter must have the same depth: %lld vs "
                         "%lld",
                         (long long)input->dims[3], (long long)filter->dims[2]);
}

berth_code_t berth_op_dilation(berth_case_t *op, berth_dilation_t *out_dilation,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *filter = &op->inputs[1];
  int64_t strides[2], rates[2];
  BERTH_TRY(read_steps(op->node, true, strides, err));
  BERTH_TRY(read_steps(op->node, false, rates, err));
  BERTH_TRY(check_inputs(op, err));
  berth_dilation_t made = {.batch = input->dims[0], .depth = input->dims[3]};
  for (int i = 0; i < 2; ++i) {
    made.axes[i] = (berth_window_axis_t){.in = input->dims[1 + i],
                                         .window = filter->dims[i],
                                         .stride = strides[i],
                                         .dilation = rates[i]};
    BERTH_TRY(
        berth_window_place(&made.axes[i], berth_padding_of(op->node), err));
  }
  int64_t out[4] = {made.batch, made.axes[0].out, made.axes[1].out, made.depth};
  berth_dims_t dims = {4, out};
  if (op->input_count > 2) {
    if (!berth_dims_equal(berth_case_input_dims(op, 2), dims)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "out_backprop has incompatible size.");
    }
    bool is_filter = strstr(op->node->op->name, "Filter") != NULL;
    dims = berth_case_input_dims(op, is_filter ? 1 : 0);
  }
  berth_case_output(op, 0, dims);
  *out_dilation = made;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(dilation) {
  const berth_attr_value_t *strides = berth_node_attr(c->node, "strides");
  const berth_attr_value_t *rates = berth_node_attr(c->node, "rates");
  berth_dims_t in, filter;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 3, &filter, err));
  BERTH_TRY(berth_shape_unknown(c, 4, &c->outputs[0], err));
  BERTH_TRY(berth_shape_replace(c, c->outputs[0], 0, in.dims[0], &c->outputs[0],
                                err));
  int64_t depth = -1;
  BERTH_TRY(berth_shape_merge_dims(in.dims[3], filter.dims[2], &depth, err));
  bool is_known = strides->count == 4 && rates->count == 4;
  for (int i = 0; i < 2; ++i) {
    if (in.dims[1 + i] < 0 || filter.dims[i] < 0) is_known = false;
  }
  for (int i = 0; is_known && i < 2; ++i) {
    berth_window_axis_t axis = {.in = in.dims[1 + i],
                                .window = filter.dims[i],
                                .stride = strides->i_list[1 + i],
                                .dilation = rates->i_list[1 + i]};
    BERTH_TRY(berth_window_place(&axis, berth_padding_of(c->node), err));
    BERTH_TRY(berth_shape_replace(c, c->outputs[0], 1 + i, axis.out,
                                  &c->outputs[0], err));
  }
  if (!is_known) return BERTH_OK;
  return berth_shape_replace(c, c->outputs[0], 3, depth, &c->outputs[0], err);
}

BERTH_INFER(second) {
  (void)err;
  c->outputs[0] = berth_shape_in(c, 1);
  return BERTH_OK;
}
