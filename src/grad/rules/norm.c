// norm.c - Batch normalization.
#include <string.h>

#include "grad/rules/words.inc"

// ---- Of images ----

static value_t channels_last(berth_grad_t *g, value_t a, bool is_space) {
  static const int64_t plane[] = {0, 2, 3, 1}, space[] = {0, 2, 3, 4, 1};
  return berth_emit_transpose(g, a, is_space ? space : plane, is_space ? 5 : 4);
}

static value_t channels_second(berth_grad_t *g, value_t a, bool is_space) {
  static const int64_t plane[] = {0, 3, 1, 2}, space[] = {0, 4, 1, 2, 3};
  return berth_emit_transpose(g, a, is_space ? space : plane, is_space ? 5 : 4);
}

// Makes |op| of the slope, the input, and the moments at |m| and |v|.
static value_t norm_grad(berth_grad_t *g, const char *op, const char *format,
                         value_t d, value_t x, value_t m, value_t v) {
  bool has_third = g->node->output_count == 6;
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "epsilon");
  berth_op_attr_string(g->op, "data_format", format, strlen(format));
  berth_grad_copy(g, "is_training");
  value_t scale = in(g, 1);
  return has_third ? MAKE(g, d, x, scale, m, v, out(g, 5))
                   : MAKE(g, d, x, scale, m, v);
}

static void batch_norm(berth_grad_t *g, const char *op) {
  const char *format = berth_node_attr_string(g->node, "data_format", "NHWC");
  value_t d = dy(g, 0), x = in(g, 0), made;
  if (berth_node_attr_bool(g->node, "is_training", true)) {
    made = norm_grad(g, op, format, d, x, out(g, 3), out(g, 4));
    give(g, 0, made);
  } else {
    bool is_space = strlen(format) == 5, is_second = format[1] == 'C';
    if (is_second) {
      x = channels_last(g, x, is_space);
      d = channels_last(g, d, is_space);
    }
    made =
        norm_grad(g, op, is_space ? "NDHWC" : "NHWC", d, x, in(g, 3), in(g, 4));
    give(g, 0, is_second ? channels_second(g, made, is_space) : made);
  }
  give(g, 1, berth_out_at(made, 1));
  give(g, 2, berth_out_at(made, 2));
}

BERTH_GRAD(batch_norm) { batch_norm(g, "FusedBatchNormGrad"); }
BERTH_GRAD(batch_norm_v2) { batch_norm(g, "FusedBatchNormGradV2"); }
BERTH_GRAD(batch_norm_v3) { batch_norm(g, "FusedBatchNormGradV3"); }

// ---- Of its gradient ----
//
// With c(a) = a - mean(a) and h = (x - mean(x)) r, r = rsqrt(var(x) + epsilon),
// the op computes from a slope d by the result
//
//   dx = scale r (c(d) - h mean(d h)),  dscale = sum(d h),  doffset = sum(d)
//
// whose own slopes are, of gx, gs and go by these,
//
//   by d      scale r (c(gx) - h mean(gx h)) + gs h + go
//   by scale  r sum(gx (c(d) - h mean(d h)))
//   by x      r (c(q) - h mean(q h)) - r² h scale mean(gx (c(d) - h mean(d h)))
//             where q = gs d - scale r (d mean(gx h) + gx mean(d h))

typedef struct bend {
  value_t d, x, scale, gx, gs, go;  // As above; per channel they broadcast.
  value_t axes;
  bool is_second;  // Channels are the second axis.
  int rank;
} bend_t;

static value_t mean(berth_grad_t *g, const bend_t *b, value_t a) {
  berth_grad_begin(g, "Mean", NULL);
  berth_op_attr_bool(g->op, "keep_dims", true);
  return MAKE(g, a, b->axes);
}

static value_t sum(berth_grad_t *g, const bend_t *b, value_t a) {
  return berth_emit_sum(g, a, b->axes, false);
}

// Gives values of channels a shape that broadcasts with images.
static value_t per_channel(berth_grad_t *g, const bend_t *b, value_t a) {
  if (!b->is_second) return a;
  int64_t sizes[5] = {1, -1, 1, 1, 1};
  return reshape(g, a,
                 berth_grad_ints(g, "Const", BERTH_INT32, sizes, b->rank));
}

static value_t times_mean(berth_grad_t *g, const bend_t *b, value_t a,
                          value_t h) {
  value_t product = mul(g, a, h);
  return mul(g, h, mean(g, b, product));
}

// Returns c(a) - h mean(a h).
static value_t projected(berth_grad_t *g, const bend_t *b, value_t a,
                         value_t h) {
  value_t centred = sub(g, a, mean(g, b, a));
  return sub(g, centred, times_mean(g, b, a, h));
}

static value_t inverse_root(berth_grad_t *g, value_t variance) {
  float epsilon = berth_node_attr_float(g->node, "epsilon", 1e-4F);
  value_t e = number_like(g, "Const", variance, epsilon);
  return OP(g, "Rsqrt", NULL, add(g, variance, e));
}

// Gives slopes in the types of their inputs.
static void give_as(berth_grad_t *g, int index, value_t value) {
  give(g, index, berth_emit_cast(g, value, berth_grad_dtype(g, in(g, index))));
}

static void bend_trained(berth_grad_t *g, const bend_t *b) {
  value_t offset = sub(g, b->x, mean(g, b, b->x));
  value_t variance = mean(g, b, OP(g, "Square", NULL, offset));
  value_t r = inverse_root(g, variance);
  value_t h = mul(g, offset, r);
  value_t scaled = mul(g, b->scale, r);
  value_t by_d = mul(g, scaled, projected(g, b, b->gx, h));
  by_d = add(g, by_d, mul(g, b->gs, h));
  give_as(g, 0, add(g, by_d, b->go));
  value_t slope = projected(g, b, b->d, h);
  value_t along = mul(g, b->gx, slope);
  value_t q = mul(g, b->gx, mean(g, b, mul(g, b->d, h)));
  q = add(g, q, mul(g, b->d, mean(g, b, mul(g, b->gx, h))));
  q = sub(g, mul(g, b->gs, b->d), mul(g, scaled, q));
  value_t by_x = mul(g, r, projected(g, b, q, h));
  value_t bent = mul(g, mul(g, scaled, r), mean(g, b, along));
  give_as(g, 1, sub(g, by_x, mul(g, bent, h)));
  give_as(g, 2, sum(g, b, mul(g, along, r)));
}

static void bend_frozen(berth_grad_t *g, const bend_t *b) {
  value_t mean_of = per_channel(g, b, in(g, 3));
  value_t r = inverse_root(g, per_channel(g, b, in(g, 4)));
  value_t h = mul(g, sub(g, b->x, mean_of), r);
  value_t by_d = mul(g, mul(g, b->gx, b->scale), r);
  by_d = add(g, by_d, mul(g, b->gs, h));
  give_as(g, 0, add(g, by_d, b->go));
  give_as(g, 1, mul(g, mul(g, b->gs, b->d), r));
  give_as(g, 2, sum(g, b, mul(g, mul(g, b->gx, b->d), r)));
}

static value_t as_float(berth_grad_t *g, value_t a) {
  berth_dtype_t type = berth_grad_dtype(g, a);
  bool is_short = type == BERTH_HALF || type == BERTH_BFLOAT16;
  return is_short ? berth_emit_cast(g, a, BERTH_FLOAT) : a;
}

BERTH_GRAD(batch_norm_grad) {
  const char *format = berth_node_attr_string(g->node, "data_format", "NHWC");
  bend_t b = {.rank = (int)strlen(format), .is_second = format[1] == 'C'};
  int64_t axes[4];
  for (int i = 0, axis = 0; i < b.rank - 1; ++i, ++axis) {
    if (axis == 1 && b.is_second) ++axis;
    axes[i] = axis;
  }
  b.axes = berth_grad_ints(g, "Const", BERTH_INT32, axes, b.rank - 1);
  b.d = as_float(g, in(g, 0));
  b.x = as_float(g, in(g, 1));
  b.gx = as_float(g, dy(g, 0));
  b.scale = per_channel(g, &b, in(g, 2));
  b.gs = per_channel(g, &b, dy(g, 1));
  b.go = per_channel(g, &b, dy(g, 2));
  if (berth_node_attr_bool(g->node, "is_training", true)) {
    bend_trained(g, &b);
  } else {
    bend_frozen(g, &b);
  }
}

// ---- With moments that are given ----

// The op computes (x - m) r [scale] + offset, where r = rsqrt(v + epsilon); for
// each channel the slopes are
//
//   dx = scale r d,  dm = -scale r sum(d),  dv = -scale r³ / 2 sum(d (x - m)),
//   doffset = sum(d),  dscale = r sum(d (x - m)), or 0 where there is no scale.
BERTH_GRAD(global_norm) {
  bool has_scale =
      berth_node_attr_bool(g->node, "scale_after_normalization", true);
  float epsilon = berth_node_attr_float(g->node, "variance_epsilon", 0);
  value_t d = dy(g, 0), scale = in(g, 4);
  value_t axes =
      berth_grad_ints(g, "Const", BERTH_INT32, (int64_t[]){0, 1, 2}, 3);
  value_t r = number_like(g, "Const", in(g, 2), epsilon);
  r = OP(g, "Rsqrt", NULL, add(g, in(g, 2), r));
  value_t scaled = has_scale ? mul(g, scale, r) : r;
  value_t sum = berth_emit_sum(g, d, axes, false);
  value_t along = mul(g, d, sub(g, in(g, 0), in(g, 1)));
  along = mul(g, berth_emit_sum(g, along, axes, false), r);
  value_t by_variance = number_like(g, "Const", r, -0.5);
  by_variance = mul(g, mul(g, mul(g, scaled, r), by_variance), along);
  give(g, 0, mul(g, d, scaled));
  give(g, 1, OP(g, "Neg", NULL, mul(g, sum, scaled)));
  give(g, 2, by_variance);
  give(g, 3, sum);
  give(g, 4, has_scale ? along : zeros_like(g, scale));
}
