// call_testing.h - A function that calls itself, for tests.
//
//   fact(a) = a <= 1 ? a : a * fact(a - 1)
#ifndef BERTH_TESTS_SESSION_CALL_TESTING_H_
#define BERTH_TESTS_SESSION_CALL_TESTING_H_

#include <stdio.h>
#include <string.h>

#include "session_testing.h"

#define CALL_INT(key) "attr { key: '" key "' value { type: DT_INT32 } } "
#define CALL_INTS(key) \
  "attr { key: '" key "' value { list { type: DT_INT32 } } } "
#define CALL_ONE \
  "node_def { name: 'one' op: 'Const' " CALL_INT("dtype")                    \
      "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { " \
      "} int_val: 1 } } } } "
#define CALL_HEAD(name)                 \
  "function { signature { name: '" name \
  "' input_arg { name: 'a' type: "      \
  "DT_INT32 } output_arg { name: 'r' type: DT_INT32 } } "
#define CALL_FACT  \
  CALL_INTS("Tin") \
  CALL_INTS("Tout") "attr { key: 'f' value { func { name: 'fact' } } } "

// The functions; %s is the op that puts numbers together.
#define CALL_LIBRARY \
  "library { " CALL_HEAD("same") "node_def { name: 'i' op: 'Identity' "      \
      "input: 'a' " CALL_INT("T") "} ret { key: 'r' value: 'i:output:0' } } " \
  CALL_HEAD("fact") CALL_ONE                                                 \
  "node_def { name: 'less' op: 'LessEqual' input: 'a' input: "               \
  "'one:output:0' " CALL_INT("T") "} node_def { name: 'if' op: "             \
  "'StatelessIf' input: 'less:z:0' input: 'a' attr { key: 'Tcond' value { "  \
  "type: DT_BOOL } } " CALL_INTS("Tin") CALL_INTS("Tout")                    \
  "attr { key: 'then_branch' value { func { name: 'same' } } } "             \
  "attr { key: 'else_branch' value { func { name: 'more' } } } } "           \
  "ret { key: 'r' value: 'if:output:0' } } " CALL_HEAD("more") CALL_ONE      \
  "node_def { name: 'minus' op: 'Sub' input: 'a' input: 'one:output:0' "     \
  CALL_INT("T") "} node_def { name: 'call' op: 'PartitionedCall' input: "    \
  "'minus:z:0' " CALL_FACT "} node_def { name: 'end' op: '%s' input: 'a' "   \
  "input: 'call:output:0' " CALL_INT("T")                                    \
  "} ret { key: 'r' value: 'end:z:0' } } } "

#define CALL_NODES \
  "node { name: 'n' op: 'Placeholder' " CALL_INT("dtype")               \
  "} node { name: 'fact_of' op: 'PartitionedCall' input: 'n' " CALL_FACT \
  "} "

// Adds the functions to |graph|.
static inline berth_code_t call_library_build(berth_graph_t *graph,
                                              const char *op,
                                              berth_error_t *err) {
  char text[4096];
  int size = snprintf(text, sizeof text, CALL_LIBRARY, op);
  return berth_graph_import_text(graph, text, (size_t)size, NULL, err);
}

// Adds a call of them, `fact_of`, too; returns what to feed.
static inline berth_out_t call_graph_build(berth_graph_t *graph,
                                           berth_error_t *err) {
  char text[4096];
  int size = snprintf(text, sizeof text, CALL_LIBRARY CALL_NODES, "Mul");
  berth_code_t code =
      berth_graph_import_text(graph, text, (size_t)size, NULL, err);
  return (berth_out_t){code == BERTH_OK ? berth_graph_find(graph, "n") : -1, 0};
}

#endif  // BERTH_TESTS_SESSION_CALL_TESTING_H_
