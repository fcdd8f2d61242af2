// builder.h - Ops under construction, from the inside.
//
// The public half (berth_op_begin() and what follows) is berth/graph.h. An op
// begun without a graph is a description that stands alone: eager calls read it
// with berth_op_describe() and give its inputs their own meaning.
//
// Threads: an op under construction belongs to one thread.
#ifndef BERTH_GRAPH_BUILDER_H_
#define BERTH_GRAPH_BUILDER_H_

#include "graph/graph.h"

// Fills |out_spec| with what |op| says so far: op, name (NULL: none given),
// device, inputs with their counts per argument, control inputs, attributes.
// Everything is borrowed from |op|, and valid until it changes. Fails with the
// first error of the calls that made |op|: BERTH_INVALID_ARGUMENT or
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_op_describe(const berth_op_t *op,
                                               berth_node_spec_t *out_spec,
                                               berth_error_t *err);

// Sets an attribute of any kind, as the berth_op_attr_ functions do; a copy of
// |value|.
void berth_op_attr_value(berth_op_t *op, const char *name,
                         const berth_attr_value_t *value);

// What the builders of berth/ops.h call: builds op number |op| of the table
// from its inputs and required attributes, in the order of its schema, and from
// |attrs|, the struct of its optional ones (NULL: defaults). Lists are a
// pointer and an int. Types are not checked by the compiler: the generated
// builders are what makes a call safe. Errors are kept in the graph, and the
// result is then no node.
berth_out_t berth_build_out(berth_graph_t *graph, const char *name, int op,
                            const void *attrs, ...);
berth_node_id_t berth_build_node(berth_graph_t *graph, const char *name, int op,
                                 const void *attrs, ...);

#endif  // BERTH_GRAPH_BUILDER_H_
