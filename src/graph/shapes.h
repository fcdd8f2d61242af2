// shapes.h - The shape functions that ops.def names.
//
// `shape matmul` there is berth_infer_matmul() here. graph/shape_fn.h says what
// they may use. Each group has a file of its own, shapes_<group>.c.
#ifndef BERTH_GRAPH_SHAPES_H_
#define BERTH_GRAPH_SHAPES_H_

#include "graph/schema.h"

// Declares a shape function: fills the outputs of the context, or fails with
// BERTH_INVALID_ARGUMENT.
#define BERTH_SHAPE_FN(name)                                                \
  BERTH_NODISCARD berth_code_t berth_infer_##name(berth_shape_context_t *c, \
                                                  berth_error_t *err)

// ---- shapes_elementwise.c ----

BERTH_SHAPE_FN(unchanged);  // Every output as input 0.
BERTH_SHAPE_FN(each);       // Output i as input i.
BERTH_SHAPE_FN(softmax);    // As input 0, which has a dimension at least.
BERTH_SHAPE_FN(broadcast);  // Inputs 0 and 1 broadcast.
BERTH_SHAPE_FN(equality);   // The same, if shapes must fit at all.
BERTH_SHAPE_FN(same);       // Inputs 0 and 1 are of one shape.
BERTH_SHAPE_FN(all_same);   // All inputs are.
BERTH_SHAPE_FN(select);     // Select, by element or by row.
BERTH_SHAPE_FN(select_v2);  // All three inputs broadcast.

// ---- shapes_source.c ----

BERTH_SHAPE_FN(scalar);                    // Every output is a scalar.
BERTH_SHAPE_FN(pair);                      // Every output is a vector of two.
BERTH_SHAPE_FN(constant);                  // As the attribute value.
BERTH_SHAPE_FN(placeholder);               // As the attribute shape.
BERTH_SHAPE_FN(placeholder_with_default);  // The same, and it fits input 0.
BERTH_SHAPE_FN(variable);    // As the attribute shape; [] is unknown.
BERTH_SHAPE_FN(random);      // As input 0 spells.
BERTH_SHAPE_FN(random_int);  // The same, between two scalars.
BERTH_SHAPE_FN(fill);        // As input 0 spells, of a scalar.
BERTH_SHAPE_FN(range);       // start, limit, delta.

// ---- shapes_state.c ----

BERTH_SHAPE_FN(assign);           // Input 1 into input 0.
BERTH_SHAPE_FN(read_variable);    // What the handle refers to.
BERTH_SHAPE_FN(assign_variable);  // Checks only.
BERTH_SHAPE_FN(variable_shape);   // A vector as long as its rank.

// ---- shapes_matrix.c ----

BERTH_SHAPE_FN(matmul);
BERTH_SHAPE_FN(batch_matmul);     // Equal batches.
BERTH_SHAPE_FN(batch_matmul_v2);  // Batches broadcast.
BERTH_SHAPE_FN(bias_add);
BERTH_SHAPE_FN(bias_add_grad);
BERTH_SHAPE_FN(cross_entropy);         // Labels as probabilities.
BERTH_SHAPE_FN(sparse_cross_entropy);  // Labels as indices.

// ---- shapes_window.c ----

BERTH_SHAPE_FN(conv2d);
BERTH_SHAPE_FN(pool);  // MaxPool and AvgPool.

// ---- shapes_reduce.c ----

BERTH_SHAPE_FN(reduction);    // Sum and its kin.
BERTH_SHAPE_FN(arg_extreme);  // ArgMax and ArgMin.

// ---- shapes_array.c ----

BERTH_SHAPE_FN(shape);  // Vectors as long as the ranks of the inputs.
BERTH_SHAPE_FN(reshape);
BERTH_SHAPE_FN(expand_dims);
BERTH_SHAPE_FN(squeeze);
BERTH_SHAPE_FN(transpose);
BERTH_SHAPE_FN(tile);
BERTH_SHAPE_FN(one_hot);
BERTH_SHAPE_FN(top_k);
BERTH_SHAPE_FN(pad);
BERTH_SHAPE_FN(broadcast_to);
BERTH_SHAPE_FN(where);

// ---- shapes_join.c ----

BERTH_SHAPE_FN(concat);     // The axis first.
BERTH_SHAPE_FN(concat_v2);  // The axis last.
BERTH_SHAPE_FN(split);
BERTH_SHAPE_FN(split_v);
BERTH_SHAPE_FN(pack);
BERTH_SHAPE_FN(unpack);
BERTH_SHAPE_FN(string_join);

// ---- shapes_slice.c ----

BERTH_SHAPE_FN(slice);
BERTH_SHAPE_FN(strided_slice);

// ---- shapes_gather.c ----

BERTH_SHAPE_FN(gather);
BERTH_SHAPE_FN(gather_v2);
BERTH_SHAPE_FN(gather_nd);

// ---- shapes_flow.c ----

BERTH_SHAPE_FN(route);      // Switch: both outputs as input 0.
BERTH_SHAPE_FN(merge);      // What all inputs have in common.
BERTH_SHAPE_FN(enter);      // Known for what does not change in the loop.
BERTH_SHAPE_FN(loop_cond);  // A scalar.

#endif  // BERTH_GRAPH_SHAPES_H_
