// shapes_window.c - Shapes of pooling over images.
#include <string.h>

#include "graph/shape_fn.h"

// Where batch, height, width and channels stand.
typedef struct layout {
  int batch, height, width, channel;
} layout_t;

static layout_t layout_of(const char *format) {
  return strcmp(format, "NCHW") == 0 ? (layout_t){0, 2, 3, 1}
                                     : (layout_t){0, 1, 2, 3};
}

static const char *format_of(const berth_shape_context_t *c) {
  return berth_node_attr_string(c->node, "data_format", "NHWC");
}

// Returns the four numbers of attribute |name|, or NULL.
static const int64_t *four(const berth_shape_context_t *c, const char *name) {
  const berth_attr_value_t *value = berth_node_attr(c->node, name);
  return value != NULL && value->count == 4 ? value->i_list : NULL;
}

// Stores how many windows of |window| fit along |size| in steps of |stride|.
static berth_code_t count_windows(const berth_shape_context_t *c, int64_t size,
                                  int64_t window, int64_t stride,
                                  int64_t *out_count, berth_error_t *err) {
  const char *padding = berth_node_attr_string(c->node, "padding", "VALID");
  *out_count = -1;
  if (stride < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Stride must be > 0, but got %lld",
                           (long long)stride);
  }
  if (size < 0 || window < 0 || strcmp(padding, "EXPLICIT") == 0) {
    return BERTH_OK;
  }
  if (strcmp(padding, "SAME") == 0) {
    *out_count = (size + stride - 1) / stride;
    return BERTH_OK;
  }
  if (window > size) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Negative dimension size caused by subtracting %lld "
                           "from %lld",
                           (long long)window, (long long)size);
  }
  *out_count = (size - window) / stride + 1;
  return BERTH_OK;
}

// Sets output 0 to the four dimensions in the order of |layout|.
static berth_code_t set_image(berth_shape_context_t *c, layout_t layout,
                              int64_t batch, int64_t height, int64_t width,
                              int64_t channel, berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[layout.batch] = batch;
  dims[layout.height] = height;
  dims[layout.width] = width;
  dims[layout.channel] = channel;
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}

BERTH_INFER(pool) {
  berth_dims_t in;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  layout_t at = layout_of(format_of(c));
  const int64_t *sizes = four(c, "ksize"), *strides = four(c, "strides");
  if (sizes == NULL || strides == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s requires the %s attribute to contain 4 values",
                           c->node->op->name,
                           sizes == NULL ? "ksize" : "stride");
  }
  int64_t height = -1, width = -1;
  BERTH_TRY(count_windows(c, in.dims[at.height], sizes[at.height],
                          strides[at.height], &height, err));
  BERTH_TRY(count_windows(c, in.dims[at.width], sizes[at.width],
                          strides[at.width], &width, err));
  return set_image(c, at, in.dims[0], height, width, in.dims[at.channel], err);
}
