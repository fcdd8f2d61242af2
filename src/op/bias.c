// bias.c - BiasAdd: one number per channel, added to all of the channel; its
// gradient, the sum of each channel.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/matrix.h"
#include "op/reduce.h"
#include "op/value.h"

// Returns which dimension holds the channels.
static int32_t channel_dim(const berth_node_t *node, int32_t rank) {
  const char *format = berth_node_attr_string(node, "data_format", "NHWC");
  return strcmp(format, "NCHW") == 0 ? 1 : rank - 1;
}

static berth_code_t check_rank(const berth_case_input_t *value,
                               berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (value->rank >= 2) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input tensor must be at least 2D: %s",
                         berth_input_text(value, text));
}

// Checks the shapes and stores which dimension of the input has the channels.
static berth_code_t find_channels(const berth_case_t *op, int32_t *out_channels,
                                  berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[0];
  const berth_case_input_t *bias = &op->inputs[1];
  char text[BERTH_DIMS_TEXT], bias_text[BERTH_DIMS_TEXT];
  BERTH_TRY(check_rank(value, err));
  if (bias->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Biases must be 1D: %s",
                           berth_input_text(bias, text));
  }
  int32_t channels = channel_dim(op->node, value->rank);
  if (bias->dims[0] != value->dims[channels]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must provide as many biases as the last dimension "
                           "of the input tensor: %s vs. %s",
                           berth_input_text(bias, bias_text),
                           berth_input_text(value, text));
  }
  *out_channels = channels;
  return BERTH_OK;
}

berth_code_t berth_op_bias_add(berth_case_t *op, berth_bias_t *out_bias,
                               berth_error_t *err) {
  int32_t channels = 0;
  BERTH_TRY(find_channels(op, &channels, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  out_bias->rank = op->inputs[0].rank - channels;
  out_bias->dims[0] = op->inputs[1].dims[0];
  for (int32_t i = 1; i < out_bias->rank; ++i) out_bias->dims[i] = 1;
  return BERTH_OK;
}

berth_code_t berth_op_bias_add_grad(berth_case_t *op,
                                    berth_reduction_t *out_reduction,
                                    berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[0];
  bool reduced[BERTH_MAX_RANK];
  BERTH_TRY(check_rank(value, err));
  int32_t channels = channel_dim(op->node, value->rank);
  for (int32_t i = 0; i < value->rank; ++i) reduced[i] = i != channels;
  return berth_op_reduce_marked(op, BERTH_REDUCE_SUM, reduced, out_reduction,
                                err);
}

// ---- Shapes of a graph ----

BERTH_INFER(bias_add) {
  berth_dims_t value = berth_shape_in(c, 0), bias = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  BERTH_TRY(berth_shape_with_rank(c, bias, 1, NULL, err));
  if (value.rank < 0) return BERTH_OK;
  int32_t channel = channel_dim(c->node, value.rank);
  int64_t size = -1;
  BERTH_TRY(berth_shape_merge_dims(value.dims[channel],
                                   berth_shape_dim(bias, 0), &size, err));
  return berth_shape_replace(c, value, channel, size, &c->outputs[0], err);
}

BERTH_INFER(bias_add_grad) {
  berth_dims_t value = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  int64_t size =
      value.rank < 0 ? -1 : value.dims[channel_dim(c->node, value.rank)];
  return berth_shape_set_vector(c, 0, size, err);
}
