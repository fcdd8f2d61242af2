// lower.h - The graph that a session runs: without calls, If, Case and While.
//
// Threads: follow is called with the session's lock held; the others may look
// at what was followed at any time.
#ifndef BERTH_LOWER_LOWER_H_
#define BERTH_LOWER_LOWER_H_

#include "graph/graph.h"

typedef struct berth_lowering berth_lowering_t;

// True when a node of |graph| from |first| on calls a function or is run by
// functions.
bool berth_lower_is_needed(const berth_graph_t *graph, int first);

// True when node |id| is one of these.
bool berth_lower_is_flow(const berth_graph_t *graph, int32_t id);

// Unfolds node |id| of |graph|, if it is not (graph/unfolding.h): what it does is
// added to the graph. Does nothing where it is not one of these, or names a
// function that the graph does not have. Fails with BERTH_UNIMPLEMENTED where
// the node is a call that has stayed one in an unfolding: of a function that
// calls itself.
BERTH_NODISCARD berth_code_t berth_lower_unfold(berth_graph_t *graph,
                                                int32_t id, berth_error_t *err);

// Begins to follow |graph| (retained): nothing is copied yet. NULL when memory
// is short.
berth_lowering_t *berth_lowering_create(berth_graph_t *graph);
// NULL is fine.
void berth_lowering_destroy(berth_lowering_t *lowering);

// Copies or lowers what was added to the graph since. A node that cannot be
// lowered (a function that is not there, arguments that it does not take) is
// copied with the reason, BERTH_WHY_NOT: a run that needs it is told. Fails, and leaves all as it was, when memory is short, and with
// BERTH_INVALID_ARGUMENT when nodes and functions make no sense together.
BERTH_NODISCARD berth_code_t berth_lowering_follow(berth_lowering_t *lowering,
                                                   berth_error_t *err);

// The graph that it makes. Borrowed.
berth_graph_t *berth_lowering_graph(const berth_lowering_t *lowering);

// Returns what |out| of the followed graph is in the other, and which node
// there is done when |node| is. What does not exist is nothing there, either.
berth_out_t berth_lowering_out(berth_lowering_t *lowering, berth_out_t out);
int32_t berth_lowering_node(berth_lowering_t *lowering, int32_t node);

// As berth_lowering_out(), for a value that a run hands out. Who asks a call, an If
// or a While itself, and not a node behind it, for one of its values asks for
// all that it does: |*out_node| is the node that is done then, or -1 where the
// value says so itself.
berth_out_t berth_lowering_fetch(berth_lowering_t *lowering, berth_out_t out,
                                 int32_t *out_node);

// A function that stays one, because it calls itself, asks for it
// (`_noinline`), or is called in too many others: a program of its own, from its
// arguments to its results. Lives as long as the lowering; immutable.
typedef struct berth_callee {
  const char *name;   // As the library has it.
  const char *scope;  // What its nodes are called under.
  const berth_out_t *args;
  int32_t arg_count;
  const berth_out_t *results;
  int32_t result_count;
  int32_t done;         // The node that is done when it is; -1: nothing acts.
  const char *why_not;  // Why it cannot be called; NULL: it can.
} berth_callee_t;

// The attribute of a call that stays one: the number of its callee.
#define BERTH_CALLEE "_callee"

// Returns the callee of |number|, or NULL. The session's lock is held.
const berth_callee_t *berth_lowering_callee(const berth_lowering_t *lowering,
                                            int64_t number);

#endif  // BERTH_LOWER_LOWER_H_
