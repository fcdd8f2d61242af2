// activation.c - Activations, biases and losses.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

// ---- Activations ----

// Gives the input what |op| makes of the slope and |of|.
static void give_by(berth_grad_t *g, const char *op, value_t of) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "alpha");
  give(g, 0, MAKE(g, d, of));
}

BERTH_GRAD(relu) { give_by(g, "ReluGrad", out(g, 0)); }
BERTH_GRAD(relu6) { give_by(g, "Relu6Grad", out(g, 0)); }
BERTH_GRAD(leaky_relu) { give_by(g, "LeakyReluGrad", in(g, 0)); }
BERTH_GRAD(elu) { give_by(g, "EluGrad", out(g, 0)); }
BERTH_GRAD(selu) { give_by(g, "SeluGrad", out(g, 0)); }
BERTH_GRAD(softsign) { give_by(g, "SoftsignGrad", in(g, 0)); }

// An op that is linear in its first input and flat in its second one.
static void give_flat(berth_grad_t *g, const char *op) {
  value_t x = in(g, 1);
  give_by(g, op, x);
  if (berth_grad_asks(g, 1)) give(g, 1, zeros_like(g, x));
}

BERTH_GRAD(relu_grad) { give_flat(g, "ReluGrad"); }
BERTH_GRAD(relu6_grad) { give_flat(g, "Relu6Grad"); }
BERTH_GRAD(leaky_relu_grad) { give_flat(g, "LeakyReluGrad"); }

// Exponential on one side: what grows there is the slope itself.
static void give_exponential(berth_grad_t *g, const char *op) {
  value_t y = in(g, 1), d = dy(g, 0);
  give_by(g, op, y);
  if (!berth_grad_asks(g, 1)) return;
  berth_grad_push(g, "Less");
  value_t zero = number_like(g, "y", y, 0);
  value_t is_low = OP(g, "Less", BERTH_SCOPE_NAME, y, zero);
  berth_grad_pop(g);
  value_t product = mul(g, d, in(g, 0));
  value_t flat = zeros_like(g, y);
  give(g, 1, OP(g, "Select", NULL, is_low, product, flat));
}

BERTH_GRAD(elu_grad) { give_exponential(g, "EluGrad"); }
BERTH_GRAD(selu_grad) { give_exponential(g, "SeluGrad"); }

BERTH_GRAD(softplus) {
  value_t d = dy(g, 0);
  value_t s = OP(g, "Sigmoid", NULL, in(g, 0));
  give(g, 0, mul(g, d, s));
}

BERTH_GRAD(softplus_grad) {
  value_t d = dy(g, 0), x = in(g, 1);
  give_by(g, "SoftplusGrad", x);
  if (!berth_grad_asks(g, 1)) return;
  value_t product = mul(g, d, in(g, 0));
  value_t low = OP(g, "Exp", NULL, neg(g, x));
  berth_grad_push(g, "add");
  value_t two = number_like(g, "y", x, 2);
  value_t sum = OP(g, "AddV2", BERTH_SCOPE_NAME, low, two);
  berth_grad_pop(g);
  sum = add(g, sum, OP(g, "Exp", NULL, x));
  give(g, 1, truediv(g, product, sum));
}

// ---- Softmax and losses ----

// Returns the sum along the last axis, which stays.
static value_t last_sum(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "Sum");
  value_t axis = berth_grad_int(g, "reduction_indices", BERTH_INT32, -1);
  berth_grad_begin(g, "Sum", BERTH_SCOPE_NAME);
  berth_op_attr_bool(g->op, "keep_dims", true);
  value_t made = MAKE(g, a, axis);
  berth_grad_pop(g);
  return made;
}

BERTH_GRAD(softmax) {
  value_t d = dy(g, 0), y = out(g, 0);
  value_t sum = last_sum(g, mul(g, d, y));
  give(g, 0, mul(g, sub(g, d, sum), y));
}

BERTH_GRAD(log_softmax) {
  value_t d = dy(g, 0);
  value_t y = OP(g, "Exp", NULL, out(g, 0));
  value_t sum = last_sum(g, d);
  give(g, 0, sub(g, d, mul(g, sum, y)));
}

// Multiplies each row by a number.
static value_t scale_rows(berth_grad_t *g, value_t numbers, value_t rows) {
  return mul(g, berth_emit_expand(g, numbers, -1), rows);
}

// Returns what the slope by the second output, the gradient, adds.
static value_t curvature(berth_grad_t *g) {
  value_t d = dy(g, 1);
  value_t p = OP(g, "Softmax", NULL, in(g, 0));
  value_t row = berth_emit_expand(g, d, 1);
  value_t column = berth_emit_expand(g, p, 2);
  value_t product = OP(g, "BatchMatMulV2", "MatMul", row, column);
  berth_grad_begin(g, "Squeeze", NULL);
  int64_t axis = 1;
  berth_op_attr_ints(g->op, "squeeze_dims", &axis, 1);
  product = MAKE(g, product);
  return mul(g, sub(g, d, product), p);
}

static void cross_entropy(berth_grad_t *g) {
  value_t slope = scale_rows(g, dy(g, 0), out(g, 1));
  if (!berth_grad_is_zero(g, 1)) slope = add(g, slope, curvature(g));
  give(g, 0, slope);
}

BERTH_GRAD(softmax_cross_entropy) {
  cross_entropy(g);
  if (!berth_grad_asks(g, 1)) return;
  value_t logs = OP(g, "LogSoftmax", NULL, in(g, 0));
  logs = neg(g, logs);
  give(g, 1, scale_rows(g, dy(g, 0), logs));
}

BERTH_GRAD(sparse_cross_entropy) { cross_entropy(g); }

BERTH_GRAD(ctc_loss) {
  berth_grad_begin(g, "PreventGradient", NULL);
  static const char why[] =
      "Currently there is no way to take the second  derivative of ctc_loss "
      "due "
      "to the fused implementation's interaction  with tf.gradients()";
  berth_op_attr_string(g->op, "message", why, sizeof(why) - 1);
  value_t slope = MAKE(g, out(g, 1));
  give(g, 0, scale_rows(g, dy(g, 0), slope));
}

BERTH_GRAD(l2_loss) { give(g, 0, mul(g, in(g, 0), dy(g, 0))); }

// ---- Biases ----

static void begin_bias(berth_grad_t *g, const char *op) {
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "data_format");
}

BERTH_GRAD(bias_add) {
  value_t d = dy(g, 0);
  give(g, 0, d);
  if (!berth_grad_asks(g, 1)) return;
  begin_bias(g, "BiasAddGrad");
  give(g, 1, MAKE(g, d));
}

BERTH_GRAD(bias_add_v1) {
  value_t d = dy(g, 0);
  give(g, 0, d);
  if (!berth_grad_asks(g, 1)) return;
  value_t rank = berth_emit_rank(g, d);
  value_t last = berth_emit_minus_number(g, rank, 1);
  value_t axes = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(0),
                                  BERTH_EXTENT(last), BERTH_EXTENT_NUMBERS(1));
  give(g, 1, berth_emit_sum(g, d, axes, false));
}

// Makes a vector of as many ones as |sizes| has numbers.
static value_t ones_like(berth_grad_t *g, value_t sizes) {
  berth_dims_t dims = berth_grad_shape(g, sizes);
  berth_dtype_t type = berth_grad_dtype(g, sizes);
  if (g->to->is_eager) return OP(g, "OnesLike", NULL, sizes);
  berth_grad_push(g, "ones_like");
  value_t count;
  if (dims.rank == 1 && dims.dims[0] >= 0) {
    count =
        berth_grad_ints(g, "Shape/shape_as_tensor", BERTH_INT32, dims.dims, 1);
  } else {
    count = OP(g, "Shape", NULL, sizes);
  }
  value_t one = berth_grad_int(g, "Const", type, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, count, one);
  berth_grad_pop(g);
  return made;
}

// Spreads a slope by a bias over all that it was added to.
BERTH_GRAD(bias_add_grad) {
  value_t d = dy(g, 0);
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t own = berth_emit_shape(g, d);
  const char *format = berth_node_attr_string(g->node, "data_format", "NHWC");
  value_t spread, times;
  if (format[1] == 'C') {
    value_t before = ones_like(g, berth_emit_part(g, sizes, 0, 1));
    value_t after = ones_like(g, berth_emit_part(g, sizes, 2, BERTH_TO_END));
    spread = berth_emit_join(
        g,
        (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT(own),
                           BERTH_EXTENT(after)},
        3);
    before = berth_emit_part(g, sizes, 0, 1);
    after = berth_emit_part(g, sizes, 2, BERTH_TO_END);
    times = berth_emit_join(
        g,
        (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT_NUMBERS(1),
                           BERTH_EXTENT(after)},
        3);
  } else {
    value_t before = ones_like(g, berth_emit_part(g, sizes, 0, -1));
    spread = berth_emit_join(
        g, (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT(own)}, 2);
    before = berth_emit_part(g, sizes, 0, -1);
    times = berth_emit_join(
        g, (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT_NUMBERS(1)},
        2);
  }
  d = reshape(g, d, spread);
  give(g, 0, OP(g, "Tile", NULL, d, times));
}
