// function.h - The functions of a graph.
//
//   graph ── functions ─┬─ arena: definitions, names, schemas
//                       ├─ items, in the order of adding
//                       └─ index: name -> item
//
// A function is kept as the message it came as, and has an op schema made from
// its signature, so that a node may call it like any other op. Functions are
// never changed or taken away, except by an importer that fails.
//
// Threads: the graph's lock guards everything; what find returns stays valid as
// long as the graph.
//
// The public half is the section "Functions" of berth/graph.h.
#ifndef BERTH_GRAPH_FUNCTION_H_
#define BERTH_GRAPH_FUNCTION_H_

#include "base/error.h"
#include "graph/graph.h"
#include "wire/graph.pb-c.h"

typedef struct berth_function {
  const char *name;
  berth_op_schema_t schema;             // |is_function| is set.
  const Berth__Wire__FunctionDef *def;  // Entries of maps sorted by key.
} berth_function_t;

// Returns the function called |name|, or NULL. The lock must be held.
const berth_function_t *berth_functions_find(const berth_graph_t *graph,
                                             const char *name);

// Returns the schema of the op called |name|: TensorFlow's, else that of a
// function of |graph|, else NULL. The lock must be held.
const berth_op_schema_t *berth_graph_find_op(const berth_graph_t *graph,
                                             const char *name);

// Adds |def|, copied. An equal one that is there already is fine. Fails with
// BERTH_INVALID_ARGUMENT when the name is taken by an op or another function.
// The lock must be held.
BERTH_NODISCARD berth_code_t
berth_functions_add(berth_graph_t *graph, const Berth__Wire__FunctionDef *def,
                    berth_error_t *err);

// Adds all functions of |library|, or none. The lock must be held.
BERTH_NODISCARD berth_code_t berth_functions_add_library(
    berth_graph_t *graph, const Berth__Wire__FunctionDefLibrary *library,
    berth_error_t *err);

// Returns how many there are, and the one at |index|. The lock must be held.
int berth_functions_count(const berth_graph_t *graph);
const berth_function_t *berth_functions_at(const berth_graph_t *graph,
                                           int index);

// Takes all but the first |count| away again. The lock must be held.
void berth_functions_truncate(berth_graph_t *graph, int count);

// Makes a FunctionDefLibrary in |arena| that borrows from the graph; NULL when
// there are no functions. The lock must be held.
BERTH_NODISCARD berth_code_t berth_functions_to_wire(
    const berth_graph_t *graph, berth_arena_t *arena,
    Berth__Wire__FunctionDefLibrary **out_library, berth_error_t *err);

// Frees what berth_graph.functions points to. NULL is fine.
void berth_functions_destroy(struct berth_functions *functions);

#endif  // BERTH_GRAPH_FUNCTION_H_
