// cumulative.c - Sums and products up to each element; the product of vectors.
#include "grad/rules/operators.inc"

// Makes an op that goes along the node's axis as the node does, or the other
// way.
static value_t along(berth_grad_t *g, const char *op, value_t a,
                     bool is_other_way) {
  bool is_reverse = berth_node_attr_bool(g->node, "reverse", false);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "exclusive");
  berth_op_attr_bool(g->op, "reverse", is_reverse != is_other_way);
  return MAKE(g, a, in(g, 1));
}

BERTH_GRAD(cumsum) { give(g, 0, along(g, "Cumsum", dy(g, 0), true)); }

BERTH_GRAD(cumprod) {
  value_t d = dy(g, 0), x = in(g, 0);
  value_t product = along(g, "Cumprod", x, false);
  value_t t = along(g, "Cumsum", mul(g, product, d), true);
  give(g, 0, div_no_nan(g, t, x));
}

// Returns the logarithm of |part| of the slope where |is_there|, the least
// number elsewhere.
static value_t log_where(berth_grad_t *g, const char *is_there,
                         bool is_turned) {
  static const double least_half = -65504.0;
  value_t d = dy(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, d);
  double least = type == BERTH_HALF       ? least_half
                 : type == BERTH_BFLOAT16 ? -3.38953138925e38
                 : type == BERTH_FLOAT    ? -3.4028234663852886e38
                                          : -1.7976931348623157e308;
  value_t which = compare(g, is_there, d, 0);
  value_t log = fn(g, "Log", is_turned ? neg(g, d) : d);
  berth_grad_push(g, "SelectV2");
  value_t rest = berth_grad_number(g, "e", type, least);
  value_t made = OP(g, "SelectV2", BERTH_SCOPE_NAME, which, log, rest);
  berth_grad_pop(g);
  return made;
}

static value_t exp_of(berth_grad_t *g, value_t log) {
  value_t t = sub(g, log, out(g, 0));
  t = along(g, "CumulativeLogsumexp", t, true);
  return fn(g, "Exp", add(g, t, in(g, 0)));
}

BERTH_GRAD(cumulative_logsumexp) {
  value_t positive = log_where(g, "Greater", false);
  value_t negative = log_where(g, "Less", true);
  positive = exp_of(g, positive);
  negative = exp_of(g, negative);
  give(g, 0, sub(g, positive, negative));
}

BERTH_GRAD(cross) {
  value_t d = dy(g, 0), u = in(g, 0), v = in(g, 1);
  give(g, 0, fn2(g, "Cross", v, d));
  give(g, 1, fn2(g, "Cross", d, u));
}
