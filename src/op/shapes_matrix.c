// shapes_matrix.c - Shapes of biases and losses.
#include <string.h>

#include "graph/shape_fn.h"

// ---- Biases ----

// Returns which dimension holds the channels.
static int32_t channel_dim(const berth_shape_context_t *c, int32_t rank) {
  const char *format = berth_node_attr_string(c->node, "data_format", "NHWC");
  return strcmp(format, "NCHW") == 0 ? 1 : rank - 1;
}

BERTH_INFER(bias_add) {
  berth_dims_t value = berth_shape_in(c, 0), bias = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  BERTH_TRY(berth_shape_with_rank(c, bias, 1, NULL, err));
  if (value.rank < 0) return BERTH_OK;
  int32_t channel = channel_dim(c, value.rank);
  int64_t size = -1;
  BERTH_TRY(berth_shape_merge_dims(value.dims[channel],
                                   berth_shape_dim(bias, 0), &size, err));
  return berth_shape_replace(c, value, channel, size, &c->outputs[0], err);
}

BERTH_INFER(bias_add_grad) {
  berth_dims_t value = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  int64_t size = value.rank < 0 ? -1 : value.dims[channel_dim(c, value.rank)];
  return berth_shape_set_vector(c, 0, size, err);
}

// ---- Losses ----

// Sets the outputs: a loss per row of |logits|, and their gradient.
static berth_code_t set_losses(berth_shape_context_t *c, berth_dims_t logits,
                               int64_t batch, berth_error_t *err) {
  BERTH_TRY(berth_shape_set_vector(c, 0, batch, err));
  return berth_shape_replace(c, logits, 0, batch, &c->outputs[1], err);
}

BERTH_INFER(cross_entropy) {
  berth_dims_t both;
  BERTH_TRY(berth_shape_broadcast(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                                  &both, err));
  BERTH_TRY(berth_shape_with_rank(c, both, 2, &both, err));
  return set_losses(c, both, both.dims[0], err);
}

BERTH_INFER(sparse_cross_entropy) {
  berth_dims_t logits, labels;
  int64_t batch = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &logits, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &labels, err));
  BERTH_TRY(
      berth_shape_merge_dims(logits.dims[0], labels.dims[0], &batch, err));
  return set_losses(c, logits, batch, err);
}
