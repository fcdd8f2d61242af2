// arithmetic.c - Ops of two inputs that broadcast.
#include "grad/rules/words.inc"

// What a slope is by an input that is asked for; none otherwise.
#define IF_ASKED(g, i, value) (berth_grad_asks(g, i) ? (value) : NONE)

BERTH_GRAD(add) {
  value_t d = dy(g, 0);
  berth_give_pair(g, 0, IF_ASKED(g, 0, d), 1, IF_ASKED(g, 1, d));
}

BERTH_GRAD(sub) {
  value_t d = dy(g, 0);
  berth_give_pair(g, 0, IF_ASKED(g, 0, d), 1, IF_ASKED(g, 1, neg(g, d)));
}

BERTH_GRAD(mul) {
  value_t d = dy(g, 0);
  value_t x = berth_emit_conj(g, in(g, 0)), y = berth_emit_conj(g, in(g, 1));
  value_t dx = IF_ASKED(g, 0, OP(g, "Mul", NULL, d, y));
  bool is_plain = berth_same_shape(g, x, y);
  value_t by_y = IF_ASKED(
      g, 1, is_plain ? OP(g, "Mul", NULL, d, x) : OP(g, "Mul", NULL, x, d));
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(real_div) {
  value_t d = dy(g, 0);
  value_t x = berth_emit_conj(g, in(g, 0)), y = berth_emit_conj(g, in(g, 1));
  value_t dx = NONE, by_y = NONE;
  if (berth_grad_asks(g, 0)) dx = OP(g, "RealDiv", NULL, d, y);
  if (berth_grad_asks(g, 1)) {
    value_t t = neg(g, x);
    t = OP(g, "RealDiv", NULL, t, y);
    t = OP(g, "RealDiv", NULL, t, y);
    by_y = mul(g, d, t);
  }
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(matmul) {
  bool turn_a = berth_node_attr_bool(g->node, "transpose_a", false);
  bool turn_b = berth_node_attr_bool(g->node, "transpose_b", false);
  value_t d = dy(g, 0);
  value_t a = berth_emit_conj(g, in(g, 0)), b = berth_emit_conj(g, in(g, 1));
  if (berth_grad_asks(g, 0)) {
    give(g, 0,
         turn_a ? berth_emit_matmul(g, b, d, turn_b, true)
                : berth_emit_matmul(g, d, b, false, !turn_b));
  }
  if (berth_grad_asks(g, 1)) {
    give(g, 1,
         turn_b ? berth_emit_matmul(g, d, a, true, turn_a)
                : berth_emit_matmul(g, a, d, !turn_a, false));
  }
}

BERTH_GRAD(relu) { give(g, 0, OP(g, "ReluGrad", NULL, dy(g, 0), out(g, 0))); }

BERTH_GRAD(pass) {
  give(g, 0, g->slopes[0].values);
  g->given[0] = g->slopes[0];
}
