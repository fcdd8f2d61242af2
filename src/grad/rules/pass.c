// pass.c - Ops that hand their input on.
#include "base/str.h"
#include "grad/rules/words.inc"

BERTH_GRAD(pass) { g->given[0] = g->slopes[0]; }

BERTH_GRAD(pass_all) {
  for (int i = 0; i < g->node->input_count; ++i) g->given[i] = g->slopes[i];
}

BERTH_GRAD(prevent_gradient) {
  berth_grad_fail(g, BERTH_NOT_FOUND,
                  "Gradient explicitly disabled. Reason: b'%s'",
                  berth_node_attr_string(g->node, "message", ""));
}

BERTH_GRAD(check_numerics) {
  value_t d = dy(g, 0);
  berth_str_t text = {0};
  berth_str_printf(&text,
                   "Not a number (NaN) or infinity (Inf) values detected in "
                   "gradient. b'%s'",
                   berth_node_attr_string(g->node, "message", ""));
  if (!berth_str_ok(&text)) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
  }
  berth_grad_begin(g, g->node->op->name, NULL);
  berth_op_attr_string(g->op, "message", berth_str_get(&text), text.size);
  berth_str_clear(&text);
  give(g, 0, MAKE(g, d));
}
