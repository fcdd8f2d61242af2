// graph.h - Building and inspecting graphs.
//
// A graph is built node by node and only grows. Building keeps the first error
// in the graph: every call after it does nothing and returns an invalid result,
// so that a program reads like the Python it mirrors and checks once, when it
// makes a session (or with berth_graph_error()).
//
//   berth_graph_t *g = berth_graph_create();
//   berth_device_push(g, "/cpu:0");
//   berth_out_t a = berth_const_f32(g, "a", values, BERTH_SHAPE(2, 3));
//   berth_out_t b = berth_const_f32(g, "b", values, BERTH_SHAPE(3, 2));
//   berth_device_pop(g);
//   berth_out_t c = berth_matmul(g, NULL, a, b);
//
// Builders for every op, such as berth_matmul(), are in berth/ops.h; any op can
// be built by name with berth_op_begin(). A name may be NULL for the op's own;
// names are made unique as TensorFlow does: Const, Const_1, Const_2.
//
// Functions that return a code are different: they describe what failed in
// |err|, leave the graph as it was, and can be called again. Only those that
// return a node, an output or nothing keep their error in the graph:
//
//   berth_error_t err = BERTH_ERROR_INIT;
//   if (berth_graph_error(g, &err) != BERTH_OK) {
//     fprintf(stderr, "%s\n", berth_error_message(&err));
//   }
//
// What a graph lends (names, devices, shapes by berth_dims_t) lives as long as
// the graph. A graph that a session, a plan or a caller holds stays.
//
// Threads: a graph may be built and read from several threads; each call is
// atomic. The scopes are the graph's, not the thread's.
#ifndef BERTH_GRAPH_H_
#define BERTH_GRAPH_H_

#include "berth/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Nodes, functions, scopes and the first error of building them. Counted;
// thread-safe; only grows.
typedef struct berth_graph berth_graph_t;

// A node's id: its place in the order of building. -1 is no node. An id means
// something to its own graph alone, and never changes.
typedef int32_t berth_node_id_t;
#define BERTH_NO_NODE (-1)

// One output of a node: a value on its way through the graph. Plain data; one
// whose node is BERTH_NO_NODE is what building after an error returns.
typedef struct berth_out {
  berth_node_id_t node;
  int32_t index;  // Among the outputs of |node|, from 0.
} berth_out_t;

// ---- Life ----

// Creates an empty graph with one reference; NULL when memory is short.
// Building in NULL does nothing, as building after any other error does, and
// berth_graph_error() says why.
BERTH_API berth_graph_t *berth_graph_create(void);

// Adds and takes away a reference. Retaining returns |graph| itself; NULL is
// fine for both.
BERTH_API berth_graph_t *berth_graph_retain(berth_graph_t *graph);
BERTH_API void berth_graph_release(berth_graph_t *graph);

// Returns the code of the first error of building, BERTH_OK when there is none,
// and copies its text into |err|. The error stays: a graph that has one takes
// no more nodes and makes no session. BERTH_RESOURCE_EXHAUSTED for NULL, which
// is what berth_graph_create() returns when memory is short.
BERTH_API berth_code_t berth_graph_error(const berth_graph_t *graph,
                                         berth_error_t *err);

// ---- Scopes ----

// Scopes nest. Push and pop do not fail by themselves: a scope that cannot be
// (a bad name or device) keeps its error in the graph and still nests, so that
// its pop finds it. A pop without a push does nothing.

// Names made inside get "name/" in front; the scope's own name is made unique.
// A name that ends in a slash is used as it is, "" or NULL leads out to the
// root. BERTH_INVALID_ARGUMENT for characters that no name may have.
BERTH_API void berth_scope_push(berth_graph_t *graph, const char *name);
BERTH_API void berth_scope_pop(berth_graph_t *graph);

// Asks for a device for the nodes built inside. Inner scopes override outer
// ones part by part; NULL hides the outer ones. BERTH_INVALID_ARGUMENT for a
// text that is no device's name; whether there is such a device is asked by
// those who place the graph.
BERTH_API void berth_device_push(berth_graph_t *graph, const char *device);

// Chooses the device of each node built inside by a function, whose result
// (copied; "" for none) replaces what inner scopes say; outer ones fill in the
// parts it leaves out. Called by whoever finishes a node, in its thread, with
// the |op| and |name| it will have; no lock is held, so it may look at the
// graph. |arg| is handed on and must live until the pop. NULL, as a function or
// a result, is BERTH_INVALID_ARGUMENT.
typedef const char *(*berth_device_fn)(berth_graph_t *graph, const char *op,
                                       const char *name, void *arg);
BERTH_API void berth_device_push_function(berth_graph_t *graph,
                                          berth_device_fn fn, void *arg);
BERTH_API void berth_device_pop(berth_graph_t *graph);

// Nodes built inside are placed where |node| is, and get its groups (_class);
// devices that outer scopes ask for do not count. That |node| exists is checked
// when one is built: BERTH_INVALID_ARGUMENT.
BERTH_API void berth_colocate_push(berth_graph_t *graph, berth_node_id_t node);
BERTH_API void berth_colocate_pop(berth_graph_t *graph);

// Nodes built inside run after |nodes| (copied), unless an input of theirs was
// built in the scope and does so already. |nodes| NULL hides the outer ones.
// That they exist is checked when a node is built: BERTH_INVALID_ARGUMENT.
BERTH_API void berth_control_push(berth_graph_t *graph,
                                  const berth_node_id_t *nodes, int count);
BERTH_API void berth_control_pop(berth_graph_t *graph);

// Stores the name a node called |name| would get now, inside the scopes that
// there are. With |take| nobody else gets it any more; for a node of that very
// name use berth_op_begin_exact(). To be freed with berth_text_free().
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_unique_name(berth_graph_t *graph, const char *name, bool take,
                        char **out_name, berth_error_t *err);

// ---- Building any op ----

//   berth_op_t *op = berth_op_begin(g, "MatMul", NULL);
//   berth_op_input(op, a);
//   berth_op_input(op, b);
//   berth_op_attr_bool(op, "transpose_a", true);
//   berth_node_id_t product = berth_op_finish(op);

// An op under construction. Lives until berth_op_finish(),
// berth_op_try_finish() or berth_op_abandon(). Belongs to one thread at a time;
// it does not look at the graph before it is finished.
typedef struct berth_op berth_op_t;

// Begins a node, with copies of |op| and |name| (NULL: the op's). Never
// NULL-checked: all calls below accept what this returns, also when memory was
// short, and the first thing that goes wrong in them is reported by finishing.
// |graph| is not retained. It may be NULL for a description that eager calls
// use (eager.h) and nobody finishes.
BERTH_API berth_op_t *berth_op_begin(berth_graph_t *graph, const char *op,
                                     const char *name);

// As berth_op_begin(), with a name that is used exactly as given, without
// scopes; a name already taken is then BERTH_INVALID_ARGUMENT. NULL is as
// there.
BERTH_API berth_op_t *berth_op_begin_exact(berth_graph_t *graph, const char *op,
                                           const char *name);

// Adds the next input argument: one value, or a list of them (copied), in the
// order of the op's schema. A list argument needs the second, also for one.
BERTH_API void berth_op_input(berth_op_t *op, berth_out_t input);
BERTH_API void berth_op_input_list(berth_op_t *op, const berth_out_t *inputs,
                                   int count);

// Lets the node run after |node|. Scopes add theirs.
BERTH_API void berth_op_control(berth_op_t *op, berth_node_id_t node);

// Returns the |*out_count| nodes that berth_op_control() has named so far, valid
// until the op changes. Those of scopes are not among them.
BERTH_API const berth_node_id_t *berth_op_controls(const berth_op_t *op,
                                                   int *out_count);

// Sets the device, whatever scopes say. NULL leaves it to them.
BERTH_API void berth_op_device(berth_op_t *op, const char *device);

// Lets the node be placed where |node| is, with its groups; scopes add theirs.
BERTH_API void berth_op_colocate(berth_op_t *op, berth_node_id_t node);

// Sets an attribute, which must be one of the op's; the last value of a name
// counts. Everything is copied; a tensor is retained, and read-only from then
// on. Attributes that inputs tell ("T") may be left out, and those that have a
// default. NULL for a name, a tensor or a list that is not empty is
// BERTH_INVALID_ARGUMENT when the node is finished, as are attributes that the
// op has not, kinds that differ and values that it does not allow. In
// berth_op_attr_strings() |sizes| NULL means texts that end in a NUL.
BERTH_API void berth_op_attr_int(berth_op_t *op, const char *name,
                                 int64_t value);
BERTH_API void berth_op_attr_float(berth_op_t *op, const char *name,
                                   float value);
BERTH_API void berth_op_attr_bool(berth_op_t *op, const char *name, bool value);
BERTH_API void berth_op_attr_type(berth_op_t *op, const char *name,
                                  berth_dtype_t value);
BERTH_API void berth_op_attr_shape(berth_op_t *op, const char *name,
                                   berth_dims_t value);
BERTH_API void berth_op_attr_string(berth_op_t *op, const char *name,
                                    const char *value, size_t size);
BERTH_API void berth_op_attr_tensor(berth_op_t *op, const char *name,
                                    berth_tensor_t *value);
BERTH_API void berth_op_attr_func(berth_op_t *op, const char *name,
                                  const char *function);
BERTH_API void berth_op_attr_ints(berth_op_t *op, const char *name,
                                  const int64_t *values, int count);
BERTH_API void berth_op_attr_floats(berth_op_t *op, const char *name,
                                    const float *values, int count);
BERTH_API void berth_op_attr_bools(berth_op_t *op, const char *name,
                                   const bool *values, int count);
BERTH_API void berth_op_attr_types(berth_op_t *op, const char *name,
                                   const berth_dtype_t *values, int count);
BERTH_API void berth_op_attr_shapes(berth_op_t *op, const char *name,
                                    const berth_dims_t *values, int count);
BERTH_API void berth_op_attr_strings(berth_op_t *op, const char *name,
                                     const char *const *values,
                                     const size_t *sizes, int count);

// The same from a serialised AttrValue message, of any kind.
BERTH_API void berth_op_attr_proto(berth_op_t *op, const char *name,
                                   const void *bytes, size_t size);

// Adds the node and frees |op|, also on failure. Returns its id, or
// BERTH_NO_NODE and keeps the error in the graph. What it fails with:
//
//   BERTH_INVALID_ARGUMENT    inputs, attributes, a name or a shape do not fit
//   BERTH_NOT_FOUND           there is no such op, and no function of that name
//   BERTH_UNIMPLEMENTED       an op that TensorFlow has removed
//   BERTH_RESOURCE_EXHAUSTED  no memory, or more than a million outputs
//   BERTH_FAILED_PRECONDITION the op was begun without a graph
//
// In a graph that has an error it fails with that.
BERTH_API berth_node_id_t berth_op_finish(berth_op_t *op);

// The same, but the error goes to |err| and the graph stays usable. |op| is
// gone in any case. On failure no node was added, though a name may have been
// taken.
BERTH_API BERTH_NODISCARD berth_code_t berth_op_try_finish(
    berth_op_t *op, berth_node_id_t *out_node, berth_error_t *err);

// Frees |op| without adding a node. NULL is fine.
BERTH_API void berth_op_abandon(berth_op_t *op);

// ---- Constants and placeholders ----

// Add a constant: of a tensor, which is retained and read-only from then on, or
// with a copy of |values|, as many as |shape| has. Errors are kept in the
// graph.
BERTH_API berth_out_t berth_const(berth_graph_t *graph, const char *name,
                                  berth_tensor_t *value);
BERTH_API berth_out_t berth_const_f32(berth_graph_t *graph, const char *name,
                                      const float *values, berth_dims_t shape);
BERTH_API berth_out_t berth_const_i32(berth_graph_t *graph, const char *name,
                                      const int32_t *values,
                                      berth_dims_t shape);

// ---- Looking at a graph ----

// Returns how many nodes there are; their ids are 0 and up. 0 for NULL.
BERTH_API int berth_graph_node_count(const berth_graph_t *graph);

// Returns the node called |name|, or BERTH_NO_NODE.
BERTH_API berth_node_id_t berth_graph_find(const berth_graph_t *graph,
                                           const char *name);

// Reads "name:index" or "name", which is its output 0. BERTH_NOT_FOUND when
// there is no such node, BERTH_INVALID_ARGUMENT for what is no index, or none
// of its outputs.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_out(const berth_graph_t *graph, const char *text,
                     berth_out_t *out, berth_error_t *err);

// Look at one node. All borrowed and valid as long as the graph. What does not
// exist has no name, op or device (NULL), no inputs or outputs (0), no source
// (BERTH_NO_NODE) and no type (BERTH_INVALID). berth_node_device() is what the
// node asks for, "" for nothing; where it runs is a session's affair
// (berth_session_placement()). None of them takes a lock.
BERTH_API const char *berth_node_name(const berth_graph_t *graph,
                                      berth_node_id_t node);
BERTH_API const char *berth_node_op(const berth_graph_t *graph,
                                    berth_node_id_t node);
BERTH_API const char *berth_node_device(const berth_graph_t *graph,
                                        berth_node_id_t node);
BERTH_API int berth_node_input_count(const berth_graph_t *graph,
                                     berth_node_id_t node);
BERTH_API berth_out_t berth_node_input(const berth_graph_t *graph,
                                       berth_node_id_t node, int index);
BERTH_API int berth_node_control_count(const berth_graph_t *graph,
                                       berth_node_id_t node);
BERTH_API berth_node_id_t berth_node_control(const berth_graph_t *graph,
                                             berth_node_id_t node, int index);
BERTH_API int berth_node_output_count(const berth_graph_t *graph,
                                      berth_node_id_t node);
BERTH_API berth_dtype_t berth_out_dtype(const berth_graph_t *graph,
                                        berth_out_t out);

// Stores which values the argument called |arg| of the node's op covers, as the
// schema names it ("values", or an output with |is_output|): a list argument
// covers any number. BERTH_INVALID_ARGUMENT for a name the op does not have,
// and for a node that is none.
BERTH_API BERTH_NODISCARD berth_code_t berth_node_arg_range(
    const berth_graph_t *graph, berth_node_id_t node, const char *arg,
    bool is_output, int *out_first, int *out_count, berth_error_t *err);

// Copies at most |capacity| consumers of |out| (node, input index) and returns
// how many there are: that may be more. |consumers| NULL: none are copied. The
// first call on a large graph builds an index of all edges.
BERTH_API int berth_out_consumers(const berth_graph_t *graph, berth_out_t out,
                                  berth_out_t *consumers, int capacity);

// The same for nodes that wait for |node|. Where memory is short at most 32 are
// copied.
BERTH_API int berth_node_control_consumers(const berth_graph_t *graph,
                                           berth_node_id_t node,
                                           berth_node_id_t *consumers,
                                           int capacity);

// Fills |shape| with what is known of the shape of |out|: nothing, when there
// is no such output. More may be known later, never less, but for a Merge whose
// loop is closed.
BERTH_API void berth_out_shape(const berth_graph_t *graph, berth_out_t out,
                               berth_shape_t *shape);

// Adds what the caller knows, to this output alone: shapes of nodes that use it
// stay as they are. BERTH_INVALID_ARGUMENT when that contradicts, or there is
// no such output.
BERTH_API BERTH_NODISCARD berth_code_t berth_out_set_shape(berth_graph_t *graph,
                                                           berth_out_t out,
                                                           berth_dims_t shape,
                                                           berth_error_t *err);

// Changes the device that |node| asks for; |device| is copied, "" asks for
// nothing, and whether it is a device's name is asked by those who place.
// Sessions that have placed the node keep what they have; no other thread may
// look at it meanwhile. BERTH_INVALID_ARGUMENT for a node that is none.
BERTH_API BERTH_NODISCARD berth_code_t
berth_node_set_device(berth_graph_t *graph, berth_node_id_t node,
                      const char *device, berth_error_t *err);

// Makes |back|, an output of a NextIteration, the second input of |merge|, a
// Merge that was made with its first input twice: closes a loop. The shape of
// the Merge keeps what both inputs agree on; those of nodes that use it stay.
// No session may have run the Merge. BERTH_INVALID_ARGUMENT for other ops,
// other types and a loop that is closed already.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_close_loop(berth_graph_t *graph, berth_node_id_t merge,
                       berth_out_t back, berth_error_t *err);

// Stores the attribute as a serialised AttrValue, the op's default where the
// node has none of its own, to be freed with berth_text_free().
// BERTH_INVALID_ARGUMENT when neither has one, or there is no such node.
BERTH_API BERTH_NODISCARD berth_code_t berth_node_attr_proto(
    const berth_graph_t *graph, berth_node_id_t node, const char *name,
    void **out_bytes, size_t *out_size, berth_error_t *err);

// ---- GraphDefs ----

// How to import. Borrowed for the call; zeroed is the default.
typedef struct berth_import {
  const char *prefix;    // In front of every name; NULL or "": none.
  bool uniquify_names;   // Change names that are taken instead of failing.
  bool uniquify_prefix;  // Change the prefix instead.
  // Inputs "name:index" ("^name") of the GraphDef that are to come from the
  // graph instead.
  const char *const *input_names;
  const berth_out_t *input_outs;  // Index -1: control.
  int input_count;                // Of both lists.
  // What every imported node without inputs waits for.
  const berth_node_id_t *controls;
  int control_count;
  // Asked-for results, names as in the GraphDef; filled in on success, and
  // untouched on failure. The arrays are the caller's, as long as the names.
  const char *const *return_names;  // "name:index"
  berth_out_t *return_outs;
  int return_count;
  const char *const *return_node_names;
  berth_node_id_t *return_nodes;
  int return_node_count;
  const char *default_device;  // For nodes without one. NULL: none.
  // A constant may list fewer values than it has elements; the last one
  // repeats. What one such may take once it is used, in bytes, and what all of
  // a graph may. 0: BERTH_CONSTANT_LIMIT_MB and BERTH_IMPORT_LIMIT_MB of the
  // environment, else 2 GiB and 8 GiB.
  int64_t max_constant_bytes;
  int64_t max_expanded_bytes;
} berth_import_t;

// Adds the nodes and functions of a serialised GraphDef, which may come from
// anywhere; the bytes may go afterwards. All or nothing: on failure the graph
// is as it was. |import| NULL: defaults. Scopes of the graph do not count.
// Other threads wait meanwhile.
//
//   BERTH_DATA_LOSS           the bytes are cut off
//   BERTH_INVALID_ARGUMENT    they are no GraphDef, nodes do not fit together,
//                             a name is taken, a version is not supported,
//                             something in |import| does not exist
//   BERTH_NOT_FOUND           an op is not known
//   BERTH_UNIMPLEMENTED       an op was removed before the GraphDef was made
//   BERTH_RESOURCE_EXHAUSTED  no memory, or beyond the limits in |import|
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_import(berth_graph_t *graph, const void *bytes, size_t size,
                   const berth_import_t *import, berth_error_t *err);

// The same for the text form. BERTH_INVALID_ARGUMENT, with the line, for what
// is not of it.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_import_text(berth_graph_t *graph, const char *text, size_t size,
                        const berth_import_t *import, berth_error_t *err);

// Stores the graph as a serialised GraphDef, or as text, to be freed with
// berth_text_free(): the nodes that there are when it is called, with the
// defaults of their attributes, and the functions. Scopes are not part of it.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_export(const berth_graph_t *graph, void **out_bytes,
                   size_t *out_size, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_export_text(
    const berth_graph_t *graph, char **out_text, berth_error_t *err);

// The same for one NodeDef. BERTH_INVALID_ARGUMENT for a node that is none.
BERTH_API BERTH_NODISCARD berth_code_t
berth_node_export(const berth_graph_t *graph, berth_node_id_t node,
                  void **out_bytes, size_t *out_size, berth_error_t *err);

// ---- Functions ----

// Adds the functions of a serialised FunctionDefLibrary, all or none. An equal
// one that is there already is fine; another one of the same name, that of an
// op, and none are BERTH_INVALID_ARGUMENT. BERTH_DATA_LOSS for bytes that are
// cut off.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_add_functions(
    berth_graph_t *graph, const void *bytes, size_t size, berth_error_t *err);

// Makes a function called |name| of |body|, from |inputs| to |outputs|, and
// adds it to |graph|; |body|, which may be |graph|, stays as it is.
// |output_names| NULL: after the nodes behind them. BERTH_INVALID_ARGUMENT when
// an input or output does not exist, an input or a name comes twice, or a node
// needs an output of a node that is an input, but not that one; and for names
// as above.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_add_function_of(
    berth_graph_t *graph, const char *name, const berth_graph_t *body,
    const berth_out_t *inputs, int input_count, const berth_out_t *outputs,
    const char *const *output_names, int output_count, berth_error_t *err);

// Return how many functions there are, and the name of one, in the order of
// adding; NULL when there is none of that number. Borrowed.
BERTH_API int berth_graph_function_count(const berth_graph_t *graph);
BERTH_API const char *berth_graph_function_name(const berth_graph_t *graph,
                                                int index);

// Stores one as a serialised FunctionDef, to be freed with berth_text_free().
// BERTH_NOT_FOUND when there is none of that name.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_function_export(
    const berth_graph_t *graph, const char *name, void **out_bytes,
    size_t *out_size, berth_error_t *err);

// ---- Op schemas ----

// What Berth knows about ops. Constant: thread-safe, the same in every process.

// Returns how many ops Berth knows.
BERTH_API int berth_op_count(void);

// Returns the name of op |index|, in the order of names; NULL when there is
// none of that number. Borrowed.
BERTH_API const char *berth_op_name(int index);

// Store the schema as a serialised OpDef, and what TensorFlow registers for it
// as a KernelList; to be freed with berth_text_free(). BERTH_NOT_FOUND when
// there is no such op; functions of a graph are none.
BERTH_API BERTH_NODISCARD berth_code_t berth_op_schema_proto(
    const char *op, void **out_bytes, size_t *out_size, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_op_kernels_proto(
    const char *op, void **out_bytes, size_t *out_size, berth_error_t *err);

// True when Berth has a kernel for |op| on devices of |device_type| ("CPU"),
// for some types. A graph with an op that has none can be placed, but not run:
// a run that needs it fails with BERTH_UNIMPLEMENTED.
BERTH_API bool berth_op_has_kernel(const char *op, const char *device_type);

// True when Berth has a kernel for |node| of |graph|, with the types that it
// has, on devices of |device_type|. Where it has none and |out_why| is not NULL
// the reason is stored, to be freed with berth_text_free(); NULL when memory is
// short. A node that does not exist has no kernel.
BERTH_API bool berth_node_has_kernel(const berth_graph_t *graph,
                                     berth_node_id_t node,
                                     const char *device_type, char **out_why);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_GRAPH_H_
