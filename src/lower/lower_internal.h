// lower_internal.h - Nodes on their way into the graph that is run.
//
// A node is described by a spec, whose inputs are those of the new graph
// already, wherever it comes from: the followed graph or a function. It becomes
// a node, or what a call does; either way it has outputs and a node that is
// done when it is.
//
// Everything lies in the lowering's arena. The locks of both graphs are held.
#ifndef BERTH_LOWER_LOWER_INTERNAL_H_
#define BERTH_LOWER_LOWER_INTERNAL_H_

#include "graph/function.h"
#include "lower/lower.h"

// What a node has become.
typedef struct berth_lowered {
  const berth_out_t *outs;
  int32_t out_count;
  int32_t done;    // The node that is done when it is.
  int32_t first;   // Of a node of the followed graph: the first that it became.
  bool has_calls;  // Functions that ask for it have stayed functions in it.
} berth_lowered_t;

// Functions in functions, before a call stays one.
enum { BERTH_LOWER_DEPTH = 64 };

// A function that stays one, and what it is called with.
typedef struct berth_lower_callee {
  berth_callee_t callee;  // First; filled in by and by.
  berth_attr_func_t function;
  bool is_old;
  // By argument: the name of the node whose handle the first call gives; NULL:
  // it is none, or nobody knows.
  const char **owners;
} berth_lower_callee_t;

struct berth_lowering {
  berth_graph_t *from, *to;  // Retained.
  berth_arena_t arena;
  berth_mutex_t lock;      // Guards |nodes| and its sizes.
  berth_lowered_t *nodes;  // By node of |from|.
  size_t count, capacity;
  // What follows is guarded by the session's lock.
  berth_lower_callee_t **callees;  // By number; in |arena|.
  size_t callee_count, callee_capacity;
  size_t callees_made;  // The first of them, which have a body.
  const berth_function_t *stack[BERTH_LOWER_DEPTH];  // As it goes.
  int depth;
  bool is_unfolding;  // Functions that ask for it are not left functions.
  bool has_calls;     // One has been.
  bool is_shaping;    // All nodes are copied: only their shapes are asked for.
};

typedef struct berth_lower_call {
  const char *name;    // What its nodes are called under.
  const char *device;  // Of those that ask for none.
  const char *origin;  // What the call is called in failures; NULL: its name.
  const berth_attr_func_t *function;
  const berth_out_t *inputs;
  int32_t input_count;
  int32_t after;  // A node that all of it waits for; -1: none.
  bool is_old;    // The function is an op of its own.
  bool is_node;   // A call, not a branch or a body: it needs all its inputs.
} berth_lower_call_t;

// Lowers the node that |spec| describes. It waits for |after|, a node or -1,
// unless |follows|: then it comes after something that does.
BERTH_NODISCARD berth_code_t berth_lower_spec(berth_lowering_t *lowering,
                                              const berth_node_spec_t *spec,
                                              int32_t after, bool follows,
                                              berth_lowered_t *out_lowered,
                                              berth_error_t *err);

// Does so with a node that is not copied as it is, without a node that is done
// when it is. |*out_begin| is what all of it waits for.
BERTH_NODISCARD berth_code_t berth_lower_flow(berth_lowering_t *lowering,
                                              const berth_node_spec_t *spec,
                                              int32_t after, int32_t *out_begin,
                                              berth_lowered_t *out,
                                              berth_error_t *err);

// body.c: does what |call| does. |out->done| is -1 where nothing acts.
BERTH_NODISCARD berth_code_t berth_lower_body(berth_lowering_t *lowering,
                                              const berth_lower_call_t *call,
                                              berth_lowered_t *out,
                                              berth_error_t *err);

// Does it in place, whatever the function asks for.
BERTH_NODISCARD berth_code_t berth_lower_inline(
    berth_lowering_t *lowering, const berth_lower_call_t *call,
    const berth_function_t *function, berth_lowered_t *out, berth_error_t *err);

// call.c: true when a call of |function| stays one.
bool berth_lower_stays(const berth_lowering_t *lowering,
                       const berth_function_t *function);

// Adds a node that calls |function|, as |call| does.
BERTH_NODISCARD berth_code_t berth_lower_call(berth_lowering_t *lowering,
                                              const berth_lower_call_t *call,
                                              const berth_function_t *function,
                                              berth_lowered_t *out,
                                              berth_error_t *err);

// Gives the functions that stay functions their bodies.
BERTH_NODISCARD berth_code_t berth_lower_callees(berth_lowering_t *lowering,
                                                 berth_error_t *err);

// Takes the callees from |first| on away again.
void berth_lower_callees_drop(berth_lowering_t *lowering, size_t first);

// Says that |call| has other than |count| arguments.
BERTH_NODISCARD berth_code_t berth_lower_wrong_count(
    const berth_lower_call_t *call, int32_t count, berth_error_t *err);

// Returns how many values |arg| of |function| stands for; and the type of value
// |index| of these, BERTH_INVALID where nothing tells.
int32_t berth_lower_arg_count(const berth_attr_func_t *function,
                              const Berth__Wire__OpDef__ArgDef *arg);
berth_dtype_t berth_lower_arg_type(const berth_attr_func_t *function,
                                   const Berth__Wire__OpDef__ArgDef *arg,
                                   int32_t index);

// branch.c: lowers an If or a Case; while.c: a While. |after| as above, with
// what |spec| waits for.
BERTH_NODISCARD berth_code_t berth_lower_branches(berth_lowering_t *lowering,
                                                  const berth_node_spec_t *spec,
                                                  int32_t after,
                                                  berth_lowered_t *out,
                                                  berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_lower_while(berth_lowering_t *lowering,
                                               const berth_node_spec_t *spec,
                                               int32_t after,
                                               berth_lowered_t *out,
                                               berth_error_t *err);

// Adds a node |op| called |scope|/|name|, with a number behind it if that is
// taken, on |device|. |controls| may have entries below 0, which are none.
BERTH_NODISCARD berth_code_t
berth_lower_add(berth_lowering_t *lowering, const char *op, const char *scope,
                const char *name, const char *device, const berth_out_t *inputs,
                int32_t input_count, const int32_t *controls,
                int32_t control_count, const berth_attr_t *attrs,
                int32_t attr_count, int32_t *out_node, berth_error_t *err);

// Returns the value of an attribute of |spec|, or NULL.
const berth_attr_value_t *berth_lower_attr(const berth_node_spec_t *spec,
                                           const char *name);

// Returns what failures call the node of |spec|; NULL: by its name.
const char *berth_lower_origin(const berth_node_spec_t *spec);

// Returns the type of |out| of the new graph, without reference.
berth_dtype_t berth_lower_type(const berth_lowering_t *lowering,
                               berth_out_t out);

// Returns the text |a|/|b| (|b| NULL: |a|), or NULL when memory is short.
const char *berth_lower_join(berth_lowering_t *lowering, const char *a,
                             const char *b);

#endif  // BERTH_LOWER_LOWER_INTERNAL_H_
