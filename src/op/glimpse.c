// glimpse.c - Parts of images that chance or a program chooses: checks, shapes.
#include "op/glimpse.h"

#include <math.h>
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Pooling ----

static berth_code_t check_ratio(float ratio, berth_error_t *err) {
  if (ratio >= 1) return BERTH_OK;
  return INVALID("pooling_ratio cannot be smaller than 1, got: %g",
                 (double)ratio);
}

static berth_code_t check_fractional(const berth_node_t *node, bool is_max,
                                     const float *ratio, bool is_fixed,
                                     berth_error_t *err) {
  if (berth_node_attr(node, "pooling_ratio")->count != 4) {
    return INVALID("pooling_ratio field must specify 4 dimensions");
  }
  for (int i = 0; i < 4; ++i) BERTH_TRY(check_ratio(ratio[i], err));
  if (ratio[0] != 1 || ratio[3] != 1) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Fractional %s pooling is not yet supported on the "
                           "batch nor channel dimension.",
                           is_max ? "max" : "average");
  }
  if (is_fixed || (berth_node_attr_int(node, "seed", 0) == 0 &&
                   berth_node_attr_int(node, "seed2", 0) == 0)) {
    return BERTH_OK;
  }
  return INVALID("Both seed and seed2 should be 0 if deterministic is false.");
}

berth_code_t berth_op_fractional(berth_case_t *op, berth_fractional_t *out,
                                 berth_error_t *err) {
  const berth_node_t *node = op->node;
  const berth_case_input_t *in = &op->inputs[0];
  const float *ratio = berth_node_attr(node, "pooling_ratio")->f_list;
  *out = (berth_fractional_t){
      .dtype = in->dtype,
      .is_max = strstr(node->op->name, "Max") != NULL,
      .overlaps = berth_node_attr_bool(node, "overlapping", false),
      .is_even = berth_node_attr_bool(node, "pseudo_random", false),
      .is_fixed = berth_node_attr_bool(node, "deterministic", false)};
  BERTH_TRY(check_fractional(node, out->is_max, ratio, out->is_fixed, err));
  if (in->rank != 4) return INVALID("tensor_in must be 4-dimensional");
  for (int i = 0; i < 4; ++i) {
    out->in[i] = in->dims[i];
    if ((float)in->dims[i] < ratio[i]) {
      return INVALID(
          "Pooling ratio is higher than input dimension size for dimension "
          "%d. Input dim size: %lld pooling ratio: %g",
          i, (long long)in->dims[i], (double)ratio[i]);
    }
    out->out[i] = (int64_t)floorf((float)in->dims[i] / ratio[i]);
  }
  int64_t rows = out->out[1] + 1, columns = out->out[2] + 1;
  berth_case_output(op, 0, (berth_dims_t){4, out->out});
  berth_case_output(op, 1, (berth_dims_t){1, &rows});
  berth_case_output(op, 2, (berth_dims_t){1, &columns});
  return BERTH_OK;
}

// Checks that there are as many begins of windows as windows, and an end.
static berth_code_t check_sequence(const berth_case_t *op, int index,
                                   const char *name, int64_t windows,
                                   const berth_case_input_t *slope,
                                   berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[index].count > windows) return BERTH_OK;
  return INVALID(
      "Given out_backprop shape %s, %s must have at least %lld elements, but "
      "got %lld",
      berth_input_text(slope, text), name, (long long)windows + 1,
      (long long)op->inputs[index].count);
}

berth_code_t berth_op_fractional_grad(berth_case_t *op, berth_fractional_t *out,
                                      berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  *out = (berth_fractional_t){
      .is_max = strstr(op->node->op->name, "Max") != NULL,
      .dtype = op->node->output_types[0],
      .overlaps = berth_node_attr_bool(op->node, "overlapping", false)};
  if (!out->is_max) {
    if (in[0].rank != 1 || in[0].count != 4) {
      return INVALID(
          "original input tensor shape must be1-dimensional and 4 elements");
    }
    if (in[1].rank != 4) return INVALID("out_backprop must be 4-dimensional");
    memcpy(out->out, in[1].dims, sizeof(out->out));
    BERTH_TRY(
        check_sequence(op, 2, "row_seq_tensor", out->out[1], &in[1], err));
    op->outputs[0].rank = -1;
    return check_sequence(op, 3, "col_seq_tensor", out->out[2], &in[1], err);
  }
  if (in[0].rank != 4)
    return INVALID("orig_input should be a tensor of rank 4");
  if (in[1].rank != 4) {
    return INVALID("orig_output should be a tensor of rank 4");
  }
  memcpy(out->in, in[0].dims, sizeof(out->in));
  memcpy(out->out, in[1].dims, sizeof(out->out));
  op->outputs[0].rank = -1;
  bool fits = in[2].count <= in[1].count && out->in[0] <= out->out[0] &&
              out->in[3] == out->out[3] && in[3].count == out->out[1] + 1 &&
              in[4].count == out->out[2] + 1;
  if (fits) return BERTH_OK;
  return INVALID("tensor_out_dup is not the same as tensor_out");
}

// What is known of the size of a dimension divided by |ratio|.
static berth_code_t divide(int32_t index, int64_t dim, float ratio,
                           int64_t *out_dim, berth_error_t *err) {
  *out_dim = dim < 0 ? -1 : (int64_t)floorf((float)dim / ratio);
  if (dim < 0 || *out_dim >= 0) return BERTH_OK;
  return INVALID("Size computed for dim %d is negative: %lld", (int)index,
                 (long long)*out_dim);
}

BERTH_INFER(fractional) {
  berth_dims_t in, out;
  const float *ratio = berth_node_attr(c->node, "pooling_ratio")->f_list;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  for (int i = 0; i < 4; ++i) BERTH_TRY(check_ratio(ratio[i], err));
  BERTH_TRY(berth_shape_unknown(c, 4, &out, err));
  int64_t *dims = (int64_t *)(uintptr_t)out.dims;
  for (int32_t i = 0; i < 4; ++i) {
    BERTH_TRY(divide(i, berth_shape_dim(in, i), ratio[i], &dims[i], err));
  }
  c->outputs[0] = out;
  BERTH_TRY(berth_shape_set_vector(c, 1, dims[1], err));
  return berth_shape_set_vector(c, 2, dims[2], err);
}

// ---- Boxes ----

// Reads two numbers, both above 0.
static berth_code_t read_range(const berth_node_t *node, const char *attr,
                               const char *what, float out[2],
                               berth_error_t *err) {
  const berth_attr_value_t *given = berth_node_attr(node, attr);
  if (given->count != 2) {
    return INVALID("%s range field must specify 2 dimensions", what);
  }
  out[0] = given->f_list[0];
  out[1] = given->f_list[1];
  if (out[0] > 0 && out[1] > 0) return BERTH_OK;
  return INVALID("%s range must be non-negative: [%g, %g]", what,
                 (double)out[0], (double)out[1]);
}

static berth_code_t read_distort(const berth_node_t *node, berth_distort_t *out,
                                 berth_error_t *err) {
  out->covered = berth_node_attr_float(node, "min_object_covered", 0);
  out->attempts = berth_node_attr_int(node, "max_attempts", 100);
  out->takes_image =
      berth_node_attr_bool(node, "use_image_if_no_bounding_boxes", false);
  if (out->covered < 0) {
    return INVALID("Min object covered must be non-negative: %g",
                   (double)out->covered);
  }
  BERTH_TRY(read_range(node, "aspect_ratio_range", "Aspect ratio", out->aspects,
                       err));
  BERTH_TRY(read_range(node, "area_range", "Area", out->areas, err));
  if (out->areas[0] > 1 || out->areas[1] > 1) {
    return INVALID("Area range must be less then or equal to 1.0: [%g, %g]",
                   (double)out->areas[0], (double)out->areas[1]);
  }
  if (out->attempts > 0) return BERTH_OK;
  return INVALID("Max attempts must be non-negative: %lld",
                 (long long)out->attempts);
}

berth_code_t berth_op_distort(berth_case_t *op, berth_distort_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(read_distort(op->node, out, err));
  if (in[0].rank != 1) {
    return INVALID("image_size must be 1-dimensional%s",
                   berth_input_text(&in[0], text));
  }
  if (in[0].dims[0] != 3) {
    return INVALID("image_size must contain 3 elements%s",
                   berth_input_text(&in[0], text));
  }
  if (in[1].rank != 3) {
    return INVALID(
        "input boxes must be 3-dimensional [batch, num_boxes, coords]: %s",
        berth_input_text(&in[1], text));
  }
  if (in[1].dims[2] != 4) {
    return INVALID("bounding boxes must have shape [4] or [*, 4], got %s",
                   berth_input_text(&in[1], text));
  }
  if (op->input_count > 2 && in[2].rank != 0) {
    return INVALID("min_object_covered must be 0-D, got shape %s",
                   berth_input_text(&in[2], text));
  }
  if (op->input_count > 3 && in[3].count != 2) {
    return INVALID("seed must have shape [2], not %s",
                   berth_input_text(&in[3], text));
  }
  if (in[1].count == 0 && !out->takes_image) {
    return INVALID(
        "No bounding boxes provided as input. One must enable "
        "use_image_if_no_bounding_boxes if you wish to not provide any "
        "bounding boxes.");
  }
  int64_t three = 3, box[] = {1, 1, 4};
  berth_case_output(op, 0, (berth_dims_t){1, &three});
  berth_case_output(op, 1, (berth_dims_t){1, &three});
  berth_case_output(op, 2, (berth_dims_t){3, box});
  return BERTH_OK;
}

BERTH_INFER(distort) {
  berth_dims_t size, boxes, box;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &size, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 3, &boxes, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(size, 0), 3, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(boxes, 2), 4, err));
  if (berth_shape_inputs(c) > 2) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  }
  if (berth_shape_inputs(c) > 3) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 1, &size, err));
    BERTH_TRY(berth_shape_check_dim(berth_shape_dim(size, 0), 2, err));
  }
  BERTH_TRY(berth_shape_unknown(c, 3, &box, err));
  memcpy((int64_t *)(uintptr_t)box.dims, (int64_t[]){1, 1, 4},
         3 * sizeof(int64_t));
  c->outputs[2] = box;
  BERTH_TRY(berth_shape_set_vector(c, 0, 3, err));
  return berth_shape_set_vector(c, 1, 3, err);
}

// ---- Glimpses ----

static berth_code_t read_noise(const berth_node_t *node, berth_noise_t *out,
                               berth_error_t *err) {
  const char *noise = berth_node_attr_string(node, "noise", "");
  bool is_uniform = berth_node_attr_bool(node, "uniform_noise", false);
  if (is_uniform && *noise != '\0' && strcmp(noise, "uniform") != 0) {
    return INVALID(
        "The uniform_noise and noise could not be specified at the same time");
  }
  if (*noise == '\0') {
    *out = is_uniform ? BERTH_NOISE_UNIFORM : BERTH_NOISE_GAUSSIAN;
  } else if (strcmp(noise, "uniform") == 0) {
    *out = BERTH_NOISE_UNIFORM;
  } else if (strcmp(noise, "gaussian") == 0) {
    *out = BERTH_NOISE_GAUSSIAN;
  } else if (strcmp(noise, "zero") == 0) {
    *out = BERTH_NOISE_ZERO;
  } else {
    return INVALID("The noise could only be uniform, gaussian, or zero, got%s",
                   noise);
  }
  return BERTH_OK;
}

berth_code_t berth_op_glimpse(berth_case_t *op, berth_glimpse_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  const char *name = op->node->op->name;
  char text[BERTH_DIMS_TEXT];
  out->is_first = name[strlen(name) - 1] != '2';
  out->is_centered = berth_node_attr_bool(op->node, "centered", true);
  out->is_normalized = berth_node_attr_bool(op->node, "normalized", true);
  BERTH_TRY(read_noise(op->node, &out->noise, err));
  if (in[0].rank != 4) {
    return INVALID(
        "input must be 4-dimensional (batch_size, height, width, depth)%s",
        berth_input_text(&in[0], text));
  }
  if (in[1].rank != 1 || in[1].dims[0] != 2) {
    return INVALID("input must be a vector of size 2 (height, width)%s",
                   berth_input_text(&in[1], text));
  }
  memcpy(out->in, in[0].dims, sizeof(out->in));
  out->rows = berth_value_int(&in[1], 0);
  out->columns = berth_value_int(&in[1], 1);
  for (int i = 0; i < 2; ++i) {
    int64_t size = berth_value_int(&in[1], i);
    if (size >= 0) continue;
    return INVALID("Expected a non-negative size, got %lld", (long long)size);
  }
  if (in[2].rank != 2) {
    return INVALID("input must be a matrix%s", berth_input_text(&in[2], text));
  }
  if (in[2].dims[0] != in[0].dims[0]) {
    return INVALID("first dimension should be batch%s",
                   berth_input_text(&in[2], text));
  }
  if (in[2].dims[1] != 2) {
    return INVALID("second dimension should be of size 2 (y,x)%s",
                   berth_input_text(&in[2], text));
  }
  int64_t dims[] = {out->in[0], out->rows, out->columns, out->in[3]};
  berth_case_output(op, 0, (berth_dims_t){4, dims});
  return BERTH_OK;
}

BERTH_INFER(glimpse) {
  berth_dims_t in, size, places, out;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 2, &places, err));
  int64_t batch = -1;
  BERTH_TRY(berth_shape_merge_dims(berth_shape_dim(in, 0),
                                   berth_shape_dim(places, 0), &batch, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(places, 1), 2, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &size, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(size, 0), 2, err));
  BERTH_TRY(berth_shape_unknown(c, 4, &out, err));
  int64_t *dims = (int64_t *)(uintptr_t)out.dims;
  dims[0] = batch;
  dims[3] = berth_shape_dim(in, 3);
  const berth_tensor_t *value = berth_shape_value(c, 1);
  for (int i = 0; value != NULL && i < 2; ++i) {
    dims[1 + i] = berth_value_int_at(value, i);
  }
  c->outputs[0] = out;
  return BERTH_OK;
}
