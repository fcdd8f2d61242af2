// summary.c - Ops that describe values for TensorBoard.
#include "op/summary.h"

#include <string.h>

#include "graph/graph.h"
#include "op/value.h"

static berth_code_t scalar_output(berth_case_t *op) {
  berth_case_output(op, 0, (berth_dims_t){0, NULL});
  return BERTH_OK;
}

berth_code_t berth_op_scalar_summary(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *tags = &op->inputs[0], *values = &op->inputs[1];
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  bool is_same = berth_dims_equal(a, b) ||
                 (tags->count == 1 && values->count == 1 && tags->rank == 0);
  char text[BERTH_DIMS_TEXT], other[BERTH_DIMS_TEXT];
  if (!is_same) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "tags and values are not the same shape: %s != %s",
                           berth_input_text(tags, text),
                           berth_input_text(values, other));
  }
  return scalar_output(op);
}

berth_code_t berth_op_histogram_summary(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[0].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "tags must be scalar");
  }
  return scalar_output(op);
}

berth_code_t berth_op_merge_summary(berth_case_t *op, berth_error_t *err) {
  (void)err;
  return scalar_output(op);
}

// ---- Images ----

berth_code_t berth_summary_images(berth_dims_t dims, int64_t most,
                                  berth_image_summary_t *out_images,
                                  berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  int64_t depth = dims.rank == 4 ? dims.dims[3] : 0;
  if (depth != 1 && depth != 3 && depth != 4) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
        berth_dims_text(dims, text));
  }
  *out_images = (berth_image_summary_t){
      .count = dims.dims[0] < most ? dims.dims[0] : most,
      .height = dims.dims[1],
      .width = dims.dims[2],
      .channels = depth,
      .is_single = most == 1,
      .bad_color = {255, 0, 0, 255}};
  return BERTH_OK;
}

static void take_color(const berth_node_t *node, unsigned char color[4]) {
  const berth_attr_value_t *value = berth_node_attr(node, "bad_color");
  if (value == NULL || value->kind != BERTH_ATTR_TENSOR) return;
  const berth_tensor_t *tensor = value->tensor;
  if (berth_tensor_dtype(tensor) != BERTH_UINT8) return;
  int64_t count = berth_tensor_count(tensor);
  memcpy(color, berth_tensor_data(tensor), (size_t)(count < 4 ? count : 4));
}

berth_code_t berth_op_image_summary(berth_case_t *op,
                                    berth_image_summary_t *out_images,
                                    berth_error_t *err) {
  if (op->inputs[0].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Tag must be a scalar");
  }
  BERTH_TRY(berth_summary_images(berth_case_input_dims(op, 1),
                                 berth_node_attr_int(op->node, "max_images", 3),
                                 out_images, err));
  take_color(op->node, out_images->bad_color);
  return scalar_output(op);
}

// ---- Sound ----

berth_code_t berth_summary_audio(berth_dims_t dims, int64_t most,
                                 berth_audio_summary_t *out_audio,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (dims.rank != 2 && dims.rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tensor must be 3-D or 2-D, got: %s",
                           berth_dims_text(dims, text));
  }
  *out_audio = (berth_audio_summary_t){
      .count = dims.dims[0] < most ? dims.dims[0] : most,
      .frames = dims.dims[1],
      .channels = dims.rank == 3 ? dims.dims[2] : 1,
      .is_single = most == 1};
  return BERTH_OK;
}

berth_code_t berth_op_audio_summary(berth_case_t *op,
                                    berth_audio_summary_t *out_audio,
                                    berth_error_t *err) {
  if (op->inputs[0].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Tag must be a scalar");
  }
  BERTH_TRY(berth_summary_audio(berth_case_input_dims(op, 1),
                                berth_node_attr_int(op->node, "max_outputs", 3),
                                out_audio, err));
  if (op->input_count == 3 && op->inputs[2].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sample_rate must be a scalar");
  }
  return scalar_output(op);
}

// ---- Tensors ----

berth_code_t berth_op_tensor_summary(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"tag", NULL,
                                      "serialized_summary_metadata"};
  for (int i = 0; i < 3 && op->input_count == 3; i += 2) {
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be scalar",
                           names[i]);
  }
  return scalar_output(op);
}
