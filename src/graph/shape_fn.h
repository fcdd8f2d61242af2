// shape_fn.h - What shape functions work with.
//
// A shape function looks at the shapes of a node's inputs, at constant inputs
// and at attributes, and says what is known of the outputs; they start out as
// unknown. It runs once, when the node is added, under the graph's lock. What
// it does not know it leaves unknown: an error is for what can never be right.
//
//   BERTH_INFER(matmul) {
//     …
//   }
//
// defines what `shape matmul` stands for in ops.def.
//
// Messages end with the node and its input shapes, which the caller appends:
// ` for '{{node m}} = MatMul[...](a, b)' with input shapes: [2,3], [4,2].`
//
// Dimensions made here live in the context and are copied into the graph
// afterwards; those of inputs may be passed on as they are.
//
// Whatever has an |err| fails with BERTH_INVALID_ARGUMENT and the text that its
// comment quotes, and with BERTH_RESOURCE_EXHAUSTED where it makes dimensions.
// A dimension of -1, and a rank of -1, is unknown, and contradicts nothing.
//
// Threads: a context belongs to the thread that adds the node.
#ifndef BERTH_GRAPH_SHAPE_FN_H_
#define BERTH_GRAPH_SHAPE_FN_H_

#include "graph/draft.h"
#include "tensor/shape.h"

enum { BERTH_SHAPE_ROOM = 64 };  // Dimensions without an allocation.

// One node on its way into the graph. Borrows from the draft.
struct berth_shape_context {
  const berth_graph_t *graph;
  const berth_node_t *node;  // As it will be.
  berth_dims_t *outputs;     // One per output of |node|.
  berth_arena_t *scratch;
  // Inputs whose values were asked for: as a tensor, as a shape. Messages say
  // what was found.
  uint64_t asked_values;
  uint64_t asked_shapes;
  bool is_bare;  // An error is about a value alone and gets no context.
  int32_t room_used;
  int64_t room[BERTH_SHAPE_ROOM];
};

// Begins the shape function |name|: fills the outputs of |c|, or fails with
// BERTH_INVALID_ARGUMENT. The table that is made from ops.def refers to it.
#define BERTH_INFER(name)                                   \
  berth_code_t berth_infer_##name(berth_shape_context_t *c, \
                                  berth_error_t *err);      \
  berth_code_t berth_infer_##name(berth_shape_context_t *c, berth_error_t *err)

// What a call gives is known from what its function does. In lower/shapes.c.
berth_code_t berth_infer_call(berth_shape_context_t *c, berth_error_t *err);

// ---- Inputs ----

// Returns what is known of the shape of input |index|, which must be one.
// Borrowed from the graph.
berth_dims_t berth_shape_in(const berth_shape_context_t *c, int index);

static inline int berth_shape_inputs(const berth_shape_context_t *c) {
  return c->node->input_count;
}

// Returns the value of input |index| when it is a constant, else NULL.
// Borrowed. It may be compact (tensor/compact.h). A failure then lists it.
const berth_tensor_t *berth_shape_value(berth_shape_context_t *c, int index);

// Stores the whole number input |index| is known to hold; false otherwise. Also
// for a vector of one element.
bool berth_shape_scalar(berth_shape_context_t *c, int index,
                        int64_t *out_value);

// Stores the size that the scalar input |index| is known to hold, else -1:
// `Dimension size, given by scalar input 1, must be non-negative but is -2`.
BERTH_NODISCARD berth_code_t berth_shape_size(berth_shape_context_t *c,
                                              int index, int64_t *out_size,
                                              berth_error_t *err);

// Stores the attribute axis as one of |rank| dimensions: `Invalid axis: 3; must
// be in [-2,2)`.
BERTH_NODISCARD berth_code_t berth_shape_axis(const berth_shape_context_t *c,
                                              int32_t rank, int32_t *out_axis,
                                              berth_error_t *err);

// Stores the attribute shape; unknown where there is none. Fails for dimensions
// below -1.
BERTH_NODISCARD berth_code_t
berth_shape_declared(const berth_shape_context_t *c, berth_dims_t *out_shape,
                     berth_error_t *err);

// Returns the shape that the vector at input |index| spells, -1 where an
// element is not known; rank -1 when not even the length is. Understands
// constants, Shape, Pack, ConcatV2 and StridedSlice of such. Fails for a value
// that is no shape.
BERTH_NODISCARD berth_code_t berth_shape_from_value(berth_shape_context_t *c,
                                                    int index,
                                                    berth_dims_t *out_shape,
                                                    berth_error_t *err);

// ---- Making and checking shapes ----

// Returns room for |rank| dimensions, not initialised, or NULL when memory is
// short. Lives as long as the context.
int64_t *berth_shape_room(berth_shape_context_t *c, int32_t rank);

// Stores a shape of |rank| unknown dimensions.
BERTH_NODISCARD berth_code_t berth_shape_unknown(berth_shape_context_t *c,
                                                 int32_t rank,
                                                 berth_dims_t *out_shape,
                                                 berth_error_t *err);

// Returns dimension |index| of |shape|, -1 when unknown. A known rank is above
// |index|.
static inline int64_t berth_shape_dim(berth_dims_t shape, int32_t index) {
  return shape.rank < 0 ? -1 : shape.dims[index];
}

// Appends a shape as messages about shapes do: "?" when nothing is known.
void berth_shape_print(berth_dims_t shape, berth_str_t *str);

// Joins two dimensions of which one must be |value|: `Dimension must be 3 but
// is 2`.
BERTH_NODISCARD berth_code_t berth_shape_check_dim(int64_t dim, int64_t value,
                                                   berth_error_t *err);

// Divides a dimension into |parts|, not 0, that are equal: `Dimension size must
// be evenly divisible by 4 but is 6`. Unknown stays unknown.
BERTH_NODISCARD berth_code_t berth_shape_divide(int64_t dim, int64_t parts,
                                                int64_t *out_dim,
                                                berth_error_t *err);

// Merges the shapes of the inputs [first, last), at least one, from the last to
// the first, as berth_shape_merge() does.
BERTH_NODISCARD berth_code_t berth_shape_merge_inputs(berth_shape_context_t *c,
                                                      int first, int last,
                                                      berth_dims_t *out_shape,
                                                      berth_error_t *err);

// Stores a copy of |shape| with dimension |index| replaced.
BERTH_NODISCARD berth_code_t berth_shape_replace(berth_shape_context_t *c,
                                                 berth_dims_t shape,
                                                 int32_t index, int64_t dim,
                                                 berth_dims_t *out_shape,
                                                 berth_error_t *err);

// Check the rank of |shape|; an unknown one passes. With |out_shape|, that of
// unknown rank becomes one of |rank| unknown dimensions.
BERTH_NODISCARD berth_code_t berth_shape_with_rank(berth_shape_context_t *c,
                                                   berth_dims_t shape,
                                                   int32_t rank,
                                                   berth_dims_t *out_shape,
                                                   berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_shape_rank_at_least(berth_dims_t shape,
                                                       int32_t rank,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_shape_rank_at_most(berth_dims_t shape,
                                                      int32_t rank,
                                                      berth_error_t *err);

// Joins two dimensions that must be equal: `Dimensions must be equal, but are 3
// and 4`.
BERTH_NODISCARD berth_code_t berth_shape_merge_dims(int64_t a, int64_t b,
                                                    int64_t *out_dim,
                                                    berth_error_t *err);

// Checks that two shapes do not contradict each other: `Dimension 0 in both
// shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,3].`
BERTH_NODISCARD berth_code_t berth_shape_check_equal(berth_dims_t a,
                                                     berth_dims_t b,
                                                     berth_error_t *err);

// Joins two shapes that must be equal.
BERTH_NODISCARD berth_code_t berth_shape_merge(berth_shape_context_t *c,
                                               berth_dims_t a, berth_dims_t b,
                                               berth_dims_t *out_shape,
                                               berth_error_t *err);

// Broadcasts two shapes as numpy does, partly known ones included.
BERTH_NODISCARD berth_code_t berth_shape_broadcast(berth_shape_context_t *c,
                                                   berth_dims_t a,
                                                   berth_dims_t b,
                                                   berth_dims_t *out_shape,
                                                   berth_error_t *err);

// Returns the dimensions [first, last) of |shape|; of an unknown shape,
// unknown. Borrowed from |shape|.
berth_dims_t berth_shape_slice(berth_dims_t shape, int32_t first, int32_t last);

// Joins the dimensions of |a| and then |b|; unknown if either is.
BERTH_NODISCARD berth_code_t berth_shape_join(berth_shape_context_t *c,
                                              berth_dims_t a, berth_dims_t b,
                                              berth_dims_t *out_shape,
                                              berth_error_t *err);

// Stores a vector of |size| elements (-1: unknown) as output |index|.
BERTH_NODISCARD berth_code_t berth_shape_set_vector(berth_shape_context_t *c,
                                                    int index, int64_t size,
                                                    berth_error_t *err);

// Sets what is known of output |index|; |shape| is kept by reference, and stays
// as long as the context.
static inline void berth_shape_set_out(berth_shape_context_t *c, int index,
                                       berth_dims_t shape) {
  c->outputs[index] = shape;
}

// Runs the shape function of |draft|, if its op has one, and fills
// |draft->output_shapes|. Dimensions live in |c| or |draft->scratch|. Fails as
// that does, with the node and its input shapes behind the text.
BERTH_NODISCARD berth_code_t berth_shape_infer(berth_draft_t *draft,
                                               berth_shape_context_t *c,
                                               berth_error_t *err);

#endif  // BERTH_GRAPH_SHAPE_FN_H_
