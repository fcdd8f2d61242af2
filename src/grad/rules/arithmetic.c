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

BERTH_GRAD(add_n) {
  for (int i = 0; i < g->node->input_count; ++i) g->given[i] = g->slopes[0];
}

BERTH_GRAD(pass) {
  give(g, 0, g->slopes[0].values);
  g->given[0] = g->slopes[0];
}
