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

static void take_color(const berth_node_t *node, unsigned char color[4]) {
  static const unsigned char red[4] = {255, 0, 0, 255};
  memcpy(color, red, sizeof(red));
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
  const berth_case_input_t *in = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Tag must be a scalar");
  }
  int64_t depth = in->rank == 4 ? in->dims[3] : 0;
  if (depth != 1 && depth != 3 && depth != 4) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
        berth_input_text(in, text));
  }
  int64_t most = berth_node_attr_int(op->node, "max_images", 3);
  *out_images =
      (berth_image_summary_t){.count = in->dims[0] < most ? in->dims[0] : most,
                              .height = in->dims[1],
                              .width = in->dims[2],
                              .channels = depth,
                              .is_single = most == 1};
  take_color(op->node, out_images->bad_color);
  return scalar_output(op);
}
