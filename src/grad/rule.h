// rule.h - What rules are written with.
//
// A rule emits the nodes (or eager calls) that compute the slopes by a node's
// inputs from the slopes by its outputs:
//
//   BERTH_GRAD(matmul) {
//     ...
//     give(g, 0, matmul(g, dy(g, 0), in(g, 1), false, true));
//   }
//
// defines what `grad matmul` stands for in ops.def. It reads like the formula:
// the first thing that goes wrong is kept in |g|, and everything after it does
// nothing. A value is a berth_out_t, whether it is in a graph or on a tape.
//
// C does not say in which order arguments are computed: whatever emits more
// than one node does so in statements of their own, so that names and numbers
// come out as TensorFlow's.
//
// Threads: a berth_grad_t belongs to whoever differentiates.
#ifndef BERTH_GRAD_RULE_H_
#define BERTH_GRAD_RULE_H_

#include "base/arena.h"
#include "berth/grad.h"
#include "graph/graph.h"
#include "tensor/shape.h"

// Where nodes go, and what is known of values there.
typedef struct berth_place_fns {
  berth_emitter_t emit;
  berth_dtype_t (*dtype)(void *arg, berth_out_t value);
  // Returns what is known of the shape; its dimensions live in |arena|, or as
  // long as the value.
  berth_dims_t (*shape)(void *arg, berth_out_t value, berth_arena_t *arena);
  // Returns the value where it is known now, in host memory; else NULL.
  // Borrowed.
  const berth_tensor_t *(*constant)(void *arg, berth_out_t value);
  // Optional. Makes a constant of |tensor|, which is retained.
  berth_code_t (*keep)(void *arg, berth_tensor_t *tensor,
                       berth_out_t *out_value, berth_error_t *err);
  // Returns what stands for |value|, of the node that is differentiated, where
  // slopes are computed; NULL: itself.
  berth_code_t (*bring)(void *arg, berth_out_t value, berth_out_t *out_value,
                        berth_error_t *err);
  bool is_eager;
} berth_place_fns_t;

// One node that is being differentiated.
typedef struct berth_grad {
  const berth_place_fns_t *to;
  berth_graph_t *graph;  // Of |node|.
  const berth_node_t *node;
  berth_arena_t *arena;         // For as long as the rule runs.
  const berth_slope_t *slopes;  // By output.
  // By output: nobody has a slope by it, so that zeros stand there.
  const bool *is_filled;
  berth_slope_t *given;  // By input.
  // By input: nobody asks for its slope. NULL: all are asked for.
  const bool *is_unasked;
  berth_op_t *op;         // Begun, and not yet made.
  struct berth_ebb *ebb;  // NULL: there are neither branches nor loops.
  berth_code_t code;
  berth_error_t *err;
} berth_grad_t;

typedef void berth_grad_fn_t(berth_grad_t *g);

#define BERTH_GRAD(name)             \
  berth_grad_fn_t berth_grad_##name; \
  void berth_grad_##name(berth_grad_t *g)

// Returns the rule of |op|: NULL when there is none. |*out_is_none| tells that
// there is none because nothing is to be gone through.
berth_grad_fn_t *berth_grad_rule(const char *op, bool *out_is_none);

#define BERTH_NO_OUT ((berth_out_t){BERTH_NO_NODE, 0})
#define BERTH_NO_SLOPE \
  ((berth_slope_t){BERTH_NO_OUT, BERTH_NO_OUT, BERTH_NO_OUT})

static inline bool berth_out_is(berth_out_t value) {
  return value.node != BERTH_NO_NODE;
}

// Keeps the first failure.
void berth_grad_fail(berth_grad_t *g, berth_code_t code, const char *format,
                     ...) BERTH_PRINTF(3, 4);

// ---- The node ----

// Return an input or output of the node where slopes are computed.
berth_out_t berth_grad_in(berth_grad_t *g, int index);
berth_out_t berth_grad_out(berth_grad_t *g, int index);

// Returns all of a slope: rows are spread out, by a node called |name|.
berth_out_t berth_grad_spread(berth_grad_t *g, berth_slope_t slope,
                              const char *name);
// Returns the slope by output |index|, all of it.
berth_out_t berth_grad_dy(berth_grad_t *g, int index);

// True where zeros stand for the slope by output |index|.
bool berth_grad_is_zero(const berth_grad_t *g, int index);

// True where somebody asks for the slope by input |index|.
bool berth_grad_asks(const berth_grad_t *g, int index);

// Says what the slope by input |index| is; none where |value| is none.
void berth_grad_give(berth_grad_t *g, int index, berth_out_t value);
void berth_grad_give_rows(berth_grad_t *g, int index, berth_out_t values,
                          berth_out_t indices, berth_out_t dense_shape);

// ---- Values ----

// Return what is known of |value|; its type is never a reference.
berth_dtype_t berth_grad_dtype(const berth_grad_t *g, berth_out_t value);
berth_dims_t berth_grad_shape(const berth_grad_t *g, berth_out_t value);
int berth_grad_rank(const berth_grad_t *g, berth_out_t value);  // -1: unknown.

// Reads whole numbers that |value| is known to hold, at most |room| of them.
// Returns how many there are, or -1.
int berth_grad_numbers(const berth_grad_t *g, berth_out_t value, int64_t *out,
                       int room);

// ---- Emission ----

// The name of the scope that was pushed last, for the node that the scope is
// about: TensorFlow's functions of several nodes call the last one so.
extern const char berth_grad_scope_name[];
#define BERTH_SCOPE_NAME berth_grad_scope_name

// Begins an op; |name| NULL: the op's own. Attributes go to |g->op|.
void berth_grad_begin(berth_grad_t *g, const char *op, const char *name);

// Gives it the attribute of the node that is differentiated, if it has it.
void berth_grad_copy(berth_grad_t *g, const char *attr);

// Makes it, with one value for each argument, and returns its first output.
berth_out_t berth_grad_make(berth_grad_t *g, const berth_out_t *inputs,
                            int count);
// The same where arguments are lists (|counts| as berth_emitter_t has them).
berth_out_t berth_grad_make_lists(berth_grad_t *g, const berth_out_t *inputs,
                                  const int *counts, int count);

// Begins and makes an op without attributes.
berth_out_t berth_grad_op(berth_grad_t *g, const char *op, const char *name,
                          const berth_out_t *inputs, int count);

// A constant; |tensor| is released. And of whole numbers: a scalar (rank 0), or
// a vector of |count|; of int32 or int64. And a scalar of any number type.
berth_out_t berth_grad_constant(berth_grad_t *g, const char *name,
                                berth_tensor_t *tensor);
berth_out_t berth_grad_ints(berth_grad_t *g, const char *name,
                            berth_dtype_t type, const int64_t *values,
                            int count);
berth_out_t berth_grad_int(berth_grad_t *g, const char *name,
                           berth_dtype_t type, int64_t value);
berth_out_t berth_grad_number(berth_grad_t *g, const char *name,
                              berth_dtype_t type, double value);

// Begin and end a scope of names.
void berth_grad_push(berth_grad_t *g, const char *name);
void berth_grad_pop(berth_grad_t *g);

// Returns output |index| of the node that made |value|.
static inline berth_out_t berth_out_at(berth_out_t value, int index) {
  return berth_out_is(value) ? (berth_out_t){value.node, index} : value;
}

#endif  // BERTH_GRAD_RULE_H_
