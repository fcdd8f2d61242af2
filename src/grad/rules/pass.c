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

// ---- Optionals ----

// The slope by an optional is one of slopes.
BERTH_GRAD(optional_from) {
  int count = g->node->input_count;
  berth_dims_t *shapes =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*shapes));
  berth_dtype_t *types =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*types));
  value_t d = dy(g, 0);
  if (shapes == NULL || types == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return;
  }
  for (int i = 0; i < count; ++i) {
    shapes[i] = berth_grad_shape(g, in(g, i));
    types[i] = berth_grad_dtype(g, in(g, i));
  }
  berth_grad_begin(g, "OptionalGetValue", NULL);
  berth_op_attr_types(g->op, "output_types", types, count);
  berth_op_attr_shapes(g->op, "output_shapes", shapes, count);
  value_t made = MAKE(g, d);
  for (int i = 0; i < count; ++i) give(g, i, berth_out_at(made, i));
}

BERTH_GRAD(optional_get) {
  int count = g->node->output_count;
  value_t *slopes =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*slopes));
  if (slopes == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return;
  }
  for (int i = 0; i < count; ++i) slopes[i] = dy(g, i);
  berth_grad_begin(g, "OptionalFromValue", NULL);
  give(g, 0, berth_grad_make_lists(g, slopes, &count, 1));
}
