// fused_conv.c - Convolutions of images that are resized and mirrored first.
#include "op/fused_conv.h"

#include <string.h>

#include "op/value.h"

enum { DIMS = 4 };

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static int64_t pad_at(const berth_case_input_t *pads, int i) {
  return berth_value_int(pads, i);
}

// Checks what is added along each dimension of |image|.
static berth_code_t check_pads(const berth_case_input_t *image,
                               const berth_case_input_t *pads,
                               berth_error_t *err) {
  char text[2][BERTH_DIMS_TEXT];
  (void)berth_input_text(image, text[0]);
  (void)berth_input_text(pads, text[1]);
  if (image->rank != DIMS) {
    return INVALID("input must be 4-dimensional%s", text[0]);
  }
  if (pads->rank != 2 || pads->dims[1] != 2) {
    return INVALID("paddings must be a matrix with 2 columns: %s", text[1]);
  }
  if (pads->dims[0] != DIMS) {
    return INVALID(
        "The first dimension of paddings must be the rank of inputs: %d %s %s",
        DIMS, text[1], text[0]);
  }
  for (int i = 0; i < DIMS; ++i) {
    long long before = pad_at(pads, 2 * i), after = pad_at(pads, 2 * i + 1);
    if (before < 0 || after < 0) {
      return INVALID("paddings must be non-negative: %lld %lld", before, after);
    }
  }
  return BERTH_OK;
}

// Checks that batches and channels stay what they are.
static berth_code_t check_space(const berth_case_input_t *pads,
                                berth_error_t *err) {
  for (int i = 0; i < DIMS; i += DIMS - 1) {
    if (pad_at(pads, 2 * i) == 0 && pad_at(pads, 2 * i + 1) == 0) continue;
    return INVALID(
        "Fused mirror padding only support spatial padding, not %s: "
        "Tensor<type: int32 shape: [4,2] values: [%lld %lld][%lld...]...>",
        i == 0 ? "batches" : "channels", (long long)pad_at(pads, 0),
        (long long)pad_at(pads, 1), (long long)pad_at(pads, 2));
  }
  return BERTH_OK;
}

static berth_code_t check_filter(const berth_shape_t *image,
                                 const berth_case_input_t *filter,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (filter->rank != DIMS) {
    return INVALID("filter must be 4-dimensional: %s",
                   berth_input_text(filter, text));
  }
  if (image->dims[3] == filter->dims[2]) return BERTH_OK;
  return INVALID("input and filter must have the same depth: %lld vs %lld",
                 (long long)image->dims[3], (long long)filter->dims[2]);
}

static berth_code_t check_strides(const berth_node_t *node,
                                  berth_error_t *err) {
  const berth_attr_value_t *strides = berth_node_attr(node, "strides");
  if (strides->count != DIMS) {
    return INVALID("Sliding window strides field must specify 4 dimensions");
  }
  if (strides->i_list[0] == 1 && strides->i_list[3] == 1) return BERTH_OK;
  return INVALID(
      "Current implementation does not yet support strides in the batch and "
      "depth dimensions.");
}

// Returns input 0 of |op| in another shape, which is not known to have values.
static berth_case_input_t image_of(const berth_case_t *op,
                                   const berth_shape_t *shape) {
  berth_dims_t dims = berth_shape_dims(shape);
  return (berth_case_input_t){.dtype = op->inputs[0].dtype,
                              .rank = dims.rank,
                              .dims = dims.dims,
                              .count = berth_dims_count(dims)};
}

// Returns |op| with two inputs, an image in |shape| and another one.
static berth_case_t part_of(const berth_case_t *op, berth_case_input_t *inputs,
                            berth_shape_t *out) {
  berth_case_t part = *op;
  part.inputs = inputs;
  part.input_count = 2;
  part.outputs = out;
  part.alias = -1;
  return part;
}

static berth_code_t describe_resize(const berth_case_t *op,
                                    berth_fused_conv_t *fused,
                                    berth_error_t *err) {
  berth_shape_set(&fused->resized, berth_case_input_dims(op, 0));
  if (!fused->resizes) return BERTH_OK;
  berth_case_input_t inputs[] = {op->inputs[0], op->inputs[1]};
  berth_case_t part = part_of(op, inputs, &fused->resized);
  return berth_op_resize(&part, &fused->resize, err);
}

berth_code_t berth_op_fused_conv(berth_case_t *op, berth_fused_conv_t *fused,
                                 berth_error_t *err) {
  fused->resizes = op->input_count == 4;
  const berth_case_input_t *pads = &op->inputs[fused->resizes ? 2 : 1];
  const berth_case_input_t *filter = &op->inputs[fused->resizes ? 3 : 2];
  BERTH_TRY(describe_resize(op, fused, err));
  berth_case_input_t inputs[] = {image_of(op, &fused->resized), *pads};
  BERTH_TRY(check_pads(&inputs[0], pads, err));
  berth_case_t part = part_of(op, inputs, &fused->padded);
  BERTH_TRY(berth_op_mirror_pad(&part, &fused->moves, err));
  BERTH_TRY(check_space(pads, err));
  BERTH_TRY(check_filter(&fused->padded, filter, err));
  BERTH_TRY(check_strides(op->node, err));
  berth_case_input_t factors[] = {image_of(op, &fused->padded), *filter};
  part = part_of(op, factors, op->outputs);
  return berth_op_conv(&part, &fused->conv, err);
}
