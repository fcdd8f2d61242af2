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

// ---- What is heard ----

// How many numbers the spectrum of |size| moments has.
static int64_t bands_of(int64_t size) {
  int64_t power = 1;
  while (power < size && power < INT64_C(1) << 40) power *= 2;
  return 1 + power / 2;
}

berth_code_t berth_op_spectrogram(berth_case_t *op, berth_spectrogram_t *out,
                                  berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (in->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be 2-dimensional%s",
                           berth_input_text(in, text));
  }
  *out = (berth_spectrogram_t){
      .channels = in->dims[1],
      .moments = in->dims[0],
      .size = berth_node_attr_int(op->node, "window_size", 0),
      .stride = berth_node_attr_int(op->node, "stride", 0),
      .is_squared = berth_node_attr_bool(op->node, "magnitude_squared", false)};
  if (out->size < 2 || out->stride < 1 || out->size > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Spectrogram initialization failed for window size "
                           "%lld and stride %lld",
                           (long long)out->size, (long long)out->stride);
  }
  out->bands = bands_of(out->size);
  int64_t room = out->moments - out->size;
  out->frames = room < 0 ? 0 : 1 + room / out->stride;
  int64_t dims[3] = {out->channels, out->frames, out->bands};
  berth_case_output(op, 0, (berth_dims_t){3, dims});
  return BERTH_OK;
}

berth_code_t berth_op_mfcc(berth_case_t *op, berth_mfcc_t *out,
                           berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (in->rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "spectrogram must be 3-dimensional%s",
                           berth_input_text(in, text));
  }
  if (op->inputs[1].rank != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input sample_rate should be a scalar tensor, got %s instead.",
        berth_input_text(&op->inputs[1], text));
  }
  *out = (berth_mfcc_t){
      .rows = in->dims[0] * in->dims[1],
      .bands = in->dims[2],
      .filters = berth_node_attr_int(op->node, "filterbank_channel_count", 40),
      .coefficients =
          berth_node_attr_int(op->node, "dct_coefficient_count", 13),
      .low =
          (double)berth_node_attr_float(op->node, "lower_frequency_limit", 20),
      .high = (double)berth_node_attr_float(op->node, "upper_frequency_limit",
                                            4000)};
  int64_t dims[3] = {in->dims[0], in->dims[1],
                     out->coefficients > 0 ? out->coefficients : 0};
  berth_case_output(op, 0, (berth_dims_t){3, dims});
  return BERTH_OK;
}

BERTH_INFER(spectrogram) {
  berth_dims_t in;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &in, err));
  int64_t *dims = berth_shape_room(c, 3);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int64_t size = berth_node_attr_int(c->node, "window_size", 0);
  int64_t stride = berth_node_attr_int(c->node, "stride", 0);
  int64_t moments = berth_shape_dim(in, 0);
  dims[0] = berth_shape_dim(in, 1);
  dims[1] = moments < 0 || stride < 1 ? -1
            : moments < size          ? 0
                                      : 1 + (moments - size) / stride;
  dims[2] = bands_of(size);
  berth_shape_set_out(c, 0, (berth_dims_t){3, dims});
  return BERTH_OK;
}

BERTH_INFER(mfcc) {
  berth_dims_t in;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 3, &in, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  int64_t count = berth_node_attr_int(c->node, "dct_coefficient_count", 13);
  return berth_shape_replace(c, in, 2, count, &c->outputs[0], err);
}
