// draft.h - A node on its way into a graph.
//
// berth_graph_add() checks a draft in steps: place the given attributes, bind
// the inputs to the arguments of the op (which infers attributes), check all
// attributes, settle the types of the outputs. Nothing of the graph changes
// until all have passed.
//
// Lives on the stack of berth_graph_add(); the graph's lock is held.
#ifndef BERTH_GRAPH_DRAFT_H_
#define BERTH_GRAPH_DRAFT_H_

#include "graph/graph.h"

enum {
  BERTH_DRAFT_ATTRS = 24,      // Attributes without an allocation.
  BERTH_DRAFT_OUTPUTS = 16,    // Outputs without one.
  BERTH_MAX_SCHEMA_ATTRS = 64  // More than any op has.
};

typedef struct berth_draft {
  berth_graph_t *graph;  // Borrowed.
  const berth_node_spec_t *spec;
  // The node as it will be; points into this draft and |spec|.
  berth_node_t node;
  // Index into the node's attributes by that in the schema's, or -1.
  int16_t placed[BERTH_MAX_SCHEMA_ATTRS];
  berth_attr_t *attrs;  // |inline_attrs| or in |scratch|.
  berth_dtype_t *output_types;
  berth_dims_t *output_shapes;
  berth_arena_t scratch;  // For what does not fit below.
  berth_attr_t inline_attrs[BERTH_DRAFT_ATTRS];
  berth_dtype_t inline_types[BERTH_DRAFT_OUTPUTS];
  berth_dims_t inline_shapes[BERTH_DRAFT_OUTPUTS];
} berth_draft_t;

// Fills |draft->placed| and copies the given attributes, their texts and lists
// borrowed from the spec.
BERTH_NODISCARD berth_code_t berth_draft_place_attrs(berth_draft_t *draft,
                                                     berth_error_t *err);

// Returns the value that schema attribute |index| has in |draft|: given or
// inferred, else the default, else NULL.
const berth_attr_value_t *berth_draft_attr(const berth_draft_t *draft,
                                           int index);

// Adds a value for schema attribute |index|, which has none. There is room:
// one place per attribute of the schema was set aside.
void berth_draft_infer(berth_draft_t *draft, int index,
                       const berth_attr_value_t *value);

// Checks that a node may be called |name|.
BERTH_NODISCARD berth_code_t berth_validate_name(const char *name,
                                                 berth_error_t *err);

// Checks kind, minimum and allowed values of every attribute, and that none is
// missing.
BERTH_NODISCARD berth_code_t berth_validate_attrs(const berth_draft_t *draft,
                                                  berth_error_t *err);

// Binds the inputs to the arguments of the op, inferring attributes that are
// not given: building. BERTH_INVALID_ARGUMENT with all that is wrong.
BERTH_NODISCARD berth_code_t berth_bind_inputs(berth_draft_t *draft,
                                               berth_error_t *err);

// Compares number and types of the inputs with what the attributes say: reading
// a GraphDef.
BERTH_NODISCARD berth_code_t berth_check_inputs(const berth_draft_t *draft,
                                                berth_error_t *err);

// Settles the types of the outputs.
BERTH_NODISCARD berth_code_t berth_draft_outputs(berth_draft_t *draft,
                                                 berth_error_t *err);

#endif  // BERTH_GRAPH_DRAFT_H_
