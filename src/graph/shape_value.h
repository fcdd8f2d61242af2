// shape_value.h - What is known of a value while a graph is built.
//
// Shapes often depend on small integer tensors: a shape to reshape to, axes,
// sizes. Those that are constants, or are made of shapes and constants by a few
// ops, are known before anything runs.
//
// The graph's lock must be held.
#ifndef BERTH_GRAPH_SHAPE_VALUE_H_
#define BERTH_GRAPH_SHAPE_VALUE_H_

#include "graph/graph.h"

// Returns the tensor that |out| always is, else NULL: a Const, or an Identity
// of one. Borrowed; may be compact.
const berth_tensor_t *berth_value_of(const berth_graph_t *graph,
                                     berth_out_t out);

// Stores the whole number |out| is known to be; false otherwise. Knows Size,
// Rank and elements of Shape too.
bool berth_value_scalar(const berth_graph_t *graph, berth_out_t out,
                        int64_t *out_value);

// Stores the elements of the vector |out|, INT64_MIN for those not known, and
// their number; -1 when that is not known either. At most BERTH_MAX_RANK.
void berth_value_vector(const berth_graph_t *graph, berth_out_t out,
                        int32_t *out_count, int64_t values[BERTH_MAX_RANK]);

// Returns element |index| of an integer tensor.
int64_t berth_value_int_at(const berth_tensor_t *tensor, int64_t index);

// True when elements of |tensor| are integers.
bool berth_value_is_int(const berth_tensor_t *tensor);

#endif  // BERTH_GRAPH_SHAPE_VALUE_H_
