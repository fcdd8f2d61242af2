// quantized.c - Values that are rounded as if they were quantized.
#include "grad/rules/words.inc"

// Makes |op| of the slope and all inputs.
static value_t made_like(berth_grad_t *g, const char *op) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "min");
  berth_grad_copy(g, "max");
  berth_grad_copy(g, "num_bits");
  berth_grad_copy(g, "narrow_range");
  if (g->node->input_count == 1) return MAKE(g, d, in(g, 0));
  return MAKE(g, d, in(g, 0), in(g, 1), in(g, 2));
}

static void give_three(berth_grad_t *g, value_t made) {
  for (int i = 0; i < 3; ++i) give(g, i, berth_out_at(made, i));
}

BERTH_GRAD(fake_quant_args) {
  give(g, 0, made_like(g, "FakeQuantWithMinMaxArgsGradient"));
}
BERTH_GRAD(fake_quant_vars) {
  give_three(g, made_like(g, "FakeQuantWithMinMaxVarsGradient"));
}
BERTH_GRAD(fake_quant_channels) {
  give_three(g, made_like(g, "FakeQuantWithMinMaxVarsPerChannelGradient"));
}

BERTH_GRAD(quantize_and_dequantize) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "QuantizeAndDequantizeV4Grad", NULL);
  berth_grad_copy(g, "axis");
  give_three(g, MAKE(g, d, in(g, 0), in(g, 1), in(g, 2)));
}
