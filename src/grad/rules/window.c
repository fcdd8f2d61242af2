// window.c - Convolutions, pools and what else looks through a window.
#include "grad/rules/words.inc"

// ---- Convolutions ----

// The three ops of one kind of convolution, each of which is differentiated by
// the other two.
typedef struct kind {
  const char *forward, *by_input, *by_filter;
} kind_t;

static const kind_t plane = {"Conv2D", "Conv2DBackpropInput",
                             "Conv2DBackpropFilter"};
static const kind_t depth = {"DepthwiseConv2dNative",
                             "DepthwiseConv2dNativeBackpropInput",
                             "DepthwiseConv2dNativeBackpropFilter"};
static const kind_t space = {"Conv3D", "Conv3DBackpropInputV2",
                             "Conv3DBackpropFilterV2"};

static void begin_like(berth_grad_t *g, const char *op) {
  static const char *const attrs[] = {"dilations",        "strides",
                                      "padding",          "explicit_paddings",
                                      "use_cudnn_on_gpu", "data_format"};
  berth_grad_begin(g, op, NULL);
  for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); ++i) {
    berth_grad_copy(g, attrs[i]);
  }
}

static value_t conv_op(berth_grad_t *g, const char *op, value_t a, value_t b) {
  begin_like(g, op);
  return MAKE(g, a, b);
}

static value_t conv_back(berth_grad_t *g, const char *op, value_t a, value_t b,
                         value_t c) {
  begin_like(g, op);
  return MAKE(g, a, b, c);
}

// Makes the shapes of both inputs by one node.
static value_t shapes(berth_grad_t *g, value_t a, value_t b) {
  int count = 2;
  if (g->to->is_eager) return NONE;
  berth_grad_begin(g, "ShapeN", NULL);
  return berth_grad_make_lists(g, (value_t[]){a, b}, &count, 1);
}

static value_t shape_at(berth_grad_t *g, value_t both, int index) {
  return berth_out_is(both) ? berth_out_at(both, index)
                            : berth_emit_shape(g, in(g, index));
}

static void conv_together(berth_grad_t *g, const kind_t *kind) {
  value_t d = dy(g, 0), x = in(g, 0), w = in(g, 1);
  value_t both = shapes(g, x, w);
  if (berth_grad_asks(g, 0)) {
    give(g, 0, conv_back(g, kind->by_input, shape_at(g, both, 0), w, d));
  }
  if (berth_grad_asks(g, 1)) {
    give(g, 1, conv_back(g, kind->by_filter, x, shape_at(g, both, 1), d));
  }
}

static void conv_by_input(berth_grad_t *g, const kind_t *kind) {
  value_t d = dy(g, 0), w = in(g, 1);
  if (berth_grad_asks(g, 1)) {
    value_t sizes = berth_emit_shape(g, w);
    give(g, 1, conv_back(g, kind->by_filter, d, sizes, in(g, 2)));
  }
  if (berth_grad_asks(g, 2)) give(g, 2, conv_op(g, kind->forward, d, w));
}

static void conv_by_filter(berth_grad_t *g, const kind_t *kind) {
  value_t d = dy(g, 0), x = in(g, 0);
  if (berth_grad_asks(g, 0)) {
    value_t sizes = berth_emit_shape(g, x);
    give(g, 0, conv_back(g, kind->by_input, sizes, d, in(g, 2)));
  }
  if (berth_grad_asks(g, 2)) give(g, 2, conv_op(g, kind->forward, x, d));
}

BERTH_GRAD(conv2d) { conv_together(g, &plane); }
BERTH_GRAD(conv2d_by_input) { conv_by_input(g, &plane); }
BERTH_GRAD(conv2d_by_filter) { conv_by_filter(g, &plane); }
BERTH_GRAD(conv3d) { conv_together(g, &space); }
BERTH_GRAD(conv3d_by_input) { conv_by_input(g, &space); }
BERTH_GRAD(conv3d_by_filter) { conv_by_filter(g, &space); }
BERTH_GRAD(depthwise_by_input) { conv_by_input(g, &depth); }
BERTH_GRAD(depthwise_by_filter) { conv_by_filter(g, &depth); }

BERTH_GRAD(depthwise) {
  value_t d = dy(g, 0), x = in(g, 0), w = in(g, 1);
  if (berth_grad_asks(g, 0)) {
    value_t sizes = berth_emit_shape(g, x);
    give(g, 0, conv_back(g, depth.by_input, sizes, w, d));
  }
  if (berth_grad_asks(g, 1)) {
    value_t sizes = berth_emit_shape(g, w);
    give(g, 1, conv_back(g, depth.by_filter, x, sizes, d));
  }
}

static void dilation_by(berth_grad_t *g, int index, const char *op) {
  if (!berth_grad_asks(g, index)) return;
  value_t d = dy(g, 0);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "strides");
  berth_grad_copy(g, "rates");
  berth_grad_copy(g, "padding");
  give(g, index, MAKE(g, in(g, 0), in(g, 1), d));
}

BERTH_GRAD(dilation) {
  dilation_by(g, 0, "Dilation2DBackpropInput");
  dilation_by(g, 1, "Dilation2DBackpropFilter");
}

// ---- Pools ----

static void begin_pool(berth_grad_t *g, const char *op) {
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "ksize");
  berth_grad_copy(g, "strides");
  berth_grad_copy(g, "padding");
  berth_grad_copy(g, "data_format");
}

static void avg_pool(berth_grad_t *g, const char *op) {
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t d = dy(g, 0);
  begin_pool(g, op);
  give(g, 0, MAKE(g, sizes, d));
}

// The shape that is the first input has a slope in TensorFlow, which nobody can
// ask for.
static void avg_pool_grad(berth_grad_t *g, const char *op) {
  if (!g->to->is_eager) OP(g, "StopGradient", NULL, in(g, 0));
  value_t d = dy(g, 0);
  begin_pool(g, op);
  give(g, 1, MAKE(g, d));
}

BERTH_GRAD(avg_pool) { avg_pool(g, "AvgPoolGrad"); }
BERTH_GRAD(avg_pool_grad) { avg_pool_grad(g, "AvgPool"); }
BERTH_GRAD(avg_pool3d) { avg_pool(g, "AvgPool3DGrad"); }
BERTH_GRAD(avg_pool3d_grad) { avg_pool_grad(g, "AvgPool3D"); }

BERTH_GRAD(max_pool) {
  value_t d = dy(g, 0);
  begin_pool(g, "MaxPoolGrad");
  berth_grad_copy(g, "explicit_paddings");
  give(g, 0, MAKE(g, in(g, 0), out(g, 0), d));
}

// Returns the shape of the input: TensorFlow's rule knows constant ones alone.
static value_t input_sizes(berth_grad_t *g) {
  berth_dims_t dims = berth_grad_shape(g, in(g, 0));
  bool is_known = dims.rank == 4;
  for (int i = 0; is_known && i < 4; ++i) is_known = dims.dims[i] >= 0;
  if (!is_known) return berth_emit_shape_as(g, in(g, 0), BERTH_INT64);
  return berth_grad_ints(g, "FractionalAvgPoolGrad/orig_input_tensor_shape",
                         BERTH_INT64, dims.dims, 4);
}

// Windows of uneven sizes.
BERTH_GRAD(fractional_avg_pool) {
  value_t sizes = input_sizes(g), d = dy(g, 0);
  berth_grad_begin(g, "FractionalAvgPoolGrad", NULL);
  berth_grad_copy(g, "overlapping");
  give(g, 0, MAKE(g, sizes, d, out(g, 1), out(g, 2)));
}

BERTH_GRAD(fractional_max_pool) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "FractionalMaxPoolGrad", NULL);
  berth_grad_copy(g, "overlapping");
  give(g, 0, MAKE(g, in(g, 0), out(g, 0), d, out(g, 1), out(g, 2)));
}

BERTH_GRAD(max_pool_v2) {
  value_t d = dy(g, 0);
  begin_pool(g, "MaxPoolGradV2");
  give(g, 0, MAKE(g, in(g, 0), out(g, 0), d, in(g, 1), in(g, 2)));
}

BERTH_GRAD(max_pool3d) {
  value_t d = dy(g, 0);
  begin_pool(g, "MaxPool3DGrad");
  give(g, 0, MAKE(g, in(g, 0), out(g, 0), d));
}

BERTH_GRAD(max_pool_argmax) {
  value_t d = dy(g, 0);
  begin_pool(g, "MaxPoolGradWithArgmax");
  berth_grad_copy(g, "include_batch_in_index");
  give(g, 0, MAKE(g, in(g, 0), d, out(g, 1)));
}

// Nothing depends on what was the greatest, smoothly.
static void give_zeros(berth_grad_t *g, int index) {
  if (berth_grad_asks(g, index)) give(g, index, zeros_like(g, in(g, index)));
}

static void max_pool_again(berth_grad_t *g, const char *op) {
  give_zeros(g, 0);
  give_zeros(g, 1);
  if (!berth_grad_asks(g, 2)) return;
  value_t d = dy(g, 0);
  begin_pool(g, op);
  give(g, 2, MAKE(g, in(g, 0), in(g, 1), d));
}

BERTH_GRAD(max_pool_grad) { max_pool_again(g, "MaxPoolGradGrad"); }
BERTH_GRAD(max_pool_grad_grad) { max_pool_again(g, "MaxPoolGrad"); }
BERTH_GRAD(max_pool3d_grad) { max_pool_again(g, "MaxPool3DGradGrad"); }
BERTH_GRAD(max_pool3d_grad_grad) { max_pool_again(g, "MaxPool3DGrad"); }

BERTH_GRAD(max_pool_grad_v2) {
  give_zeros(g, 0);
  give_zeros(g, 1);
  if (!berth_grad_asks(g, 2)) return;
  value_t d = dy(g, 0);
  begin_pool(g, "MaxPoolGradGradV2");
  give(g, 2, MAKE(g, in(g, 0), in(g, 1), d, in(g, 3), in(g, 4)));
}

BERTH_GRAD(lrn) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "LRNGrad", NULL);
  berth_grad_copy(g, "depth_radius");
  berth_grad_copy(g, "bias");
  berth_grad_copy(g, "alpha");
  berth_grad_copy(g, "beta");
  give(g, 0, MAKE(g, d, in(g, 0), out(g, 0)));
}
