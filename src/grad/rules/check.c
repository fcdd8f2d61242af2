// check.c - Values that are looked at on their way.
#include <string.h>

#include "base/str.h"
#include "grad/rules/words.inc"

BERTH_GRAD(check_numerics) {
  value_t d = dy(g, 0);
  berth_str_t text = {0};
  berth_str_printf(&text,
                   "Not a number (NaN) or infinity (Inf) values detected in "
                   "gradient. %s",
                   berth_node_attr_string(g->node, "message", ""));
  if (!berth_str_ok(&text)) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for a message");
  }
  berth_grad_begin(g, "CheckNumerics", NULL);
  berth_op_attr_string(g->op, "message", berth_str_get(&text),
                       strlen(berth_str_get(&text)));
  give(g, 0, MAKE(g, d));
  berth_str_clear(&text);
}
