// audio.c - Ops on files of sound.
#include "op/audio.h"

#include "graph/shape_fn.h"
#include "op/value.h"

berth_code_t berth_op_encode_wav(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "audio must be 2-dimensional%s",
                           berth_input_text(&op->inputs[0], text));
  }
  if (op->inputs[1].rank != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input sample_rate should be a scalar tensor, got %s instead.",
        berth_input_text(&op->inputs[1], text));
  }
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

static berth_code_t check_wish(const berth_case_t *op, const char *name,
                               berth_error_t *err) {
  int64_t wish = berth_node_attr_int(op->node, name, -1);
  if (wish >= -1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be >= -1, got %lld", name, (long long)wish);
}

berth_code_t berth_op_decode_wav(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(check_wish(op, "desired_channels", err));
  BERTH_TRY(check_wish(op, "desired_samples", err));
  if (op->inputs[0].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "contents must be scalar, got shape %s",
                           berth_input_text(&op->inputs[0], text));
  }
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

// Gives moments and channels, where the node asks for a number of them.
BERTH_INFER(decode_wav) {
  berth_dims_t contents;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &contents, err));
  int64_t *dims = berth_shape_room(c, 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = berth_node_attr_int(c->node, "desired_samples", -1);
  dims[1] = berth_node_attr_int(c->node, "desired_channels", -1);
  static const char *const names[] = {"samples", "channels"};
  for (int i = 1; i >= 0; --i) {
    if (dims[i] >= -1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be non-negative, got %lld", names[i],
                           (long long)dims[i]);
  }
  berth_shape_set_out(c, 0, (berth_dims_t){2, dims});
  berth_shape_set_out(c, 1, BERTH_SCALAR);
  return BERTH_OK;
}
