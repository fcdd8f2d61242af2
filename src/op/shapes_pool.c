// shapes_pool.c - Shapes of pooling over images, and of its gradients.
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/window.h"

enum { DIMS = BERTH_WINDOW_AXES + 2 };

// How windows move: one number for each dimension.
typedef struct moves {
  int64_t sizes[DIMS], strides[DIMS];
} moves_t;

static int axes_of(const berth_shape_context_t *c) {
  return strstr(c->node->op->name, "3D") != NULL ? 3 : 2;
}

static bool is_mean(const berth_shape_context_t *c) {
  return strncmp(c->node->op->name, "AvgPool", 7) == 0;
}

// ---- How windows are given ----

static berth_code_t count_error(const berth_shape_context_t *c,
                                const char *attr, int count,
                                berth_error_t *err) {
  bool is_size = strcmp(attr, "ksize") == 0;
  const char *name = is_size ? "ksize" : "stride";
  if (axes_of(c) == 3) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Pool3D %s the %s attribute to contain 5 values, but got: %d",
        is_size ? "requires" : "ops require", name, count);
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "%s requires the %s attribute to contain 4 values, but got: %d",
      is_mean(c) ? "AvgPool" : "MaxPool", name, count);
}

static berth_code_t read_attr(const berth_shape_context_t *c, const char *name,
                              int64_t *out, berth_error_t *err) {
  int rank = axes_of(c) + 2;
  const berth_attr_value_t *value = berth_node_attr(c->node, name);
  int count = value != NULL ? value->count : 0;
  if (count != rank) return count_error(c, name, count, err);
  memcpy(out, value->i_list, (size_t)rank * sizeof(*out));
  return BERTH_OK;
}

// ---- One dimension ----

// Stores how many windows there are along |axis|; -1 where it is not known.
static berth_code_t count_windows(const berth_window_axis_t *axis,
                                  berth_padding_t padding, int64_t *out_count,
                                  berth_error_t *err) {
  int64_t room = axis->in + axis->before + axis->after;
  *out_count = -1;
  if (axis->stride < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Stride must be > 0, but got %lld",
                           (long long)axis->stride);
  }
  // Kernels refuse sizes that no int32 holds.
  bool is_odd = axis->window < INT32_MIN || axis->stride > INT32_MAX;
  if (axis->in < 0 || is_odd) return BERTH_OK;
  if (padding == BERTH_PADDING_SAME) {
    *out_count = (axis->in + axis->stride - 1) / axis->stride;
    return BERTH_OK;
  }
  if (axis->window > room) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Negative dimension size caused by subtracting %lld "
                           "from %lld",
                           (long long)axis->window, (long long)room);
  }
  *out_count = (room - axis->window + axis->stride) / axis->stride;
  return BERTH_OK;
}

static berth_code_t read_paddings(const berth_shape_context_t *c,
                                  berth_window_t *window, berth_error_t *err) {
  const berth_attr_value_t *value =
      berth_node_attr(c->node, "explicit_paddings");
  bool is_explicit = berth_padding_of(c->node) == BERTH_PADDING_EXPLICIT;
  if (!is_explicit && value != NULL && value->count > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "explicit_paddings attribute must be empty if the "
                           "padding attribute is not EXPLICIT");
  }
  return berth_window_read_paddings(c->node, window, err);
}

// ---- All of them ----

// Sets output 0 to what windows that move as |moves| over |in| give.
static berth_code_t set_pooled(berth_shape_context_t *c, berth_dims_t in,
                               const moves_t *moves, berth_error_t *err) {
  berth_image_layout_t layout = berth_image_of(c->node, axes_of(c));
  berth_padding_t padding = berth_padding_of(c->node);
  berth_window_t window = berth_window_init(layout);
  int64_t *dims = berth_shape_room(c, layout.axes + 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  BERTH_TRY(read_paddings(c, &window, err));
  for (int i = 0; i < layout.axes; ++i) {
    int at = berth_image_space(layout, i);
    berth_window_axis_t *axis = &window.axes[berth_window_axis_at(layout, i)];
    axis->in = in.dims[at];
    axis->window = moves->sizes[at];
    axis->stride = moves->strides[at];
    BERTH_TRY(count_windows(axis, padding, &dims[at], err));
  }
  int channel = berth_image_channel(layout);
  dims[0] = in.dims[0];
  dims[channel] = in.dims[channel];
  if (layout.axes == 2 && !is_mean(c)) {
    berth_window_axis_t depth = {.in = in.dims[channel],
                                 .window = moves->sizes[channel],
                                 .stride = moves->strides[channel]};
    BERTH_TRY(count_windows(&depth, padding, &dims[channel], err));
  }
  c->outputs[0] = (berth_dims_t){layout.axes + 2, dims};
  return BERTH_OK;
}

// Of an image of which nothing is known attributes are the kernel's matter: an
// eager call hears its words.
BERTH_INFER(pool) {
  berth_dims_t in;
  moves_t moves;
  if (berth_shape_in(c, 0).rank < 0) {
    return berth_shape_unknown(c, axes_of(c) + 2, &c->outputs[0], err);
  }
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 0), axes_of(c) + 2, &in, err));
  BERTH_TRY(read_attr(c, "strides", moves.strides, err));
  BERTH_TRY(read_attr(c, "ksize", moves.sizes, err));
  return set_pooled(c, in, &moves, err);
}

BERTH_INFER(pool_argmax) {
  BERTH_TRY(berth_infer_pool(c, err));
  c->outputs[1] = c->outputs[0];
  return BERTH_OK;
}

// ---- Sizes as inputs ----

static berth_code_t check_vector(berth_shape_context_t *c, int index,
                                 berth_error_t *err) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, index), 1, &shape, err));
  return berth_shape_check_dim(shape.dims[0], 4, err);
}

// Reads the vector at input |index|, of four numbers; false: not known.
static bool read_vector(berth_shape_context_t *c, int index, int64_t *out) {
  const berth_tensor_t *value = berth_shape_value(c, index);
  if (value == NULL || !berth_value_is_int(value)) return false;
  for (int i = 0; i < 4; ++i) {
    out[i] = berth_value_int_at(value, i);
  }
  return true;
}

// Values that were looked at are no part of these messages.
static berth_code_t check_second(berth_shape_context_t *c, berth_error_t *err) {
  berth_dims_t merged;
  c->asked_values = 0;
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 2),
                              &merged, err));
  return berth_shape_merge(c, berth_shape_in(c, 1), c->outputs[0], &merged,
                           err);
}

BERTH_INFER(pool_v2) {
  berth_dims_t in;
  moves_t moves;
  int at = c->node->input_count - 2;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  BERTH_TRY(check_vector(c, at, err));
  BERTH_TRY(check_vector(c, at + 1, err));
  bool has_sizes = read_vector(c, at, moves.sizes);
  bool has_strides = read_vector(c, at + 1, moves.strides);
  if (has_sizes && has_strides) BERTH_TRY(set_pooled(c, in, &moves, err));
  return at > 1 ? check_second(c, err) : BERTH_OK;
}

// ---- Gradients ----

BERTH_INFER(pool_grad) {
  return berth_shape_with_rank(c, berth_shape_in(c, 0), axes_of(c) + 2,
                               &c->outputs[0], err);
}

BERTH_INFER(pool_grad_grad) {
  BERTH_TRY(berth_infer_pool(c, err));
  return check_second(c, err);
}

BERTH_INFER(pool_argmax_grad_grad) {
  berth_dims_t merged;
  BERTH_TRY(berth_infer_pool(c, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                              &merged, err));
  return berth_shape_merge(c, berth_shape_in(c, 2), c->outputs[0], &merged,
                           err);
}

BERTH_INFER(avg_pool_grad) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_from_value(c, 0, &shape, err));
  c->asked_shapes = 0;  // The message does not say it.
  return berth_shape_with_rank(c, shape, axes_of(c) + 2, &c->outputs[0], err);
}
