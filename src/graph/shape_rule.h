// shape_rule.h - Shapes by a rule.
#ifndef BERTH_GRAPH_SHAPE_RULE_H_
#define BERTH_GRAPH_SHAPE_RULE_H_

#include "graph/schema.h"

// Infers shapes by the rule of the op, berth_op_schema_t.shape_rule. What a
// shape function is (graph/shape_fn.h).
berth_code_t berth_infer_by_rule(berth_shape_context_t *c, berth_error_t *err);

#endif  // BERTH_GRAPH_SHAPE_RULE_H_
