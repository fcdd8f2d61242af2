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
// Threads: a graph may be built and read from several threads; each call is
// atomic. The scopes are the graph's, not the thread's.
#ifndef BERTH_GRAPH_H_
#define BERTH_GRAPH_H_

#include "berth/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_graph berth_graph_t;

// A node's id: its place in the order of building. -1 is no node.
typedef int32_t berth_node_id_t;
#define BERTH_NO_NODE (-1)

// One output of a node.
typedef struct berth_out {
  berth_node_id_t node;
  int32_t index;
} berth_out_t;

// ---- Life ----

// Creates an empty graph with one reference; NULL when memory is short.
// Building in NULL does nothing, as building after any other error does, and
// berth_graph_error() says why.
BERTH_API berth_graph_t *berth_graph_create(void);
BERTH_API berth_graph_t *berth_graph_retain(berth_graph_t *graph);
BERTH_API void berth_graph_release(berth_graph_t *graph);

// Returns the code of the first error of building, BERTH_OK when there is none,
// and copies its text into |err|.
BERTH_API berth_code_t berth_graph_error(const berth_graph_t *graph,
                                         berth_error_t *err);

// ---- Scopes ----

// Names made inside get "name/" in front; the scope's own name is made unique.
BERTH_API void berth_scope_push(berth_graph_t *graph, const char *name);
BERTH_API void berth_scope_pop(berth_graph_t *graph);

// Asks for a device for the nodes built inside. Inner scopes override outer
// ones part by part; NULL hides the outer ones.
BERTH_API void berth_device_push(berth_graph_t *graph, const char *device);
// Chooses the device of each node built inside by a function, whose result
// (copied; "" for none) replaces what outer scopes say.
typedef const char *(*berth_device_fn)(berth_graph_t *graph, const char *op,
                                       const char *name, void *arg);
BERTH_API void berth_device_push_function(berth_graph_t *graph,
                                          berth_device_fn fn, void *arg);
BERTH_API void berth_device_pop(berth_graph_t *graph);

// Nodes built inside are placed where |node| is.
BERTH_API void berth_colocate_push(berth_graph_t *graph, berth_node_id_t node);
BERTH_API void berth_colocate_pop(berth_graph_t *graph);

// Nodes built inside run after |nodes|. |nodes| NULL hides the outer ones.
BERTH_API void berth_control_push(berth_graph_t *graph,
                                  const berth_node_id_t *nodes, int count);
BERTH_API void berth_control_pop(berth_graph_t *graph);

// Stores the name a node called |name| would get now, without taking it. To be
// freed with berth_text_free().
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_unique_name(berth_graph_t *graph, const char *name, bool take,
                        char **out_name, berth_error_t *err);

// ---- Building any op ----

// An op under construction. Lives until berth_op_finish() or
// berth_op_abandon().
typedef struct berth_op berth_op_t;

// Begins a node. Never NULL-checked: all calls below accept what this returns.
BERTH_API berth_op_t *berth_op_begin(berth_graph_t *graph, const char *op,
                                     const char *name);

// As berth_op_begin(), with a name that is used exactly as given, without
// scopes; a name already taken is then an error.
BERTH_API berth_op_t *berth_op_begin_exact(berth_graph_t *graph, const char *op,
                                           const char *name);

// The next input argument: one value, or a list of them.
BERTH_API void berth_op_input(berth_op_t *op, berth_out_t input);
BERTH_API void berth_op_input_list(berth_op_t *op, const berth_out_t *inputs,
                                   int count);
BERTH_API void berth_op_control(berth_op_t *op, berth_node_id_t node);
// Sets the device, whatever scopes say. NULL leaves it to them.
BERTH_API void berth_op_device(berth_op_t *op, const char *device);
BERTH_API void berth_op_colocate(berth_op_t *op, berth_node_id_t node);

// Sets an attribute, which must be one of the op's; the last value of a name
// counts. Everything is copied; a tensor is retained.
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
// A serialised AttrValue message.
BERTH_API void berth_op_attr_proto(berth_op_t *op, const char *name,
                                   const void *bytes, size_t size);

// Adds the node and frees |op|. Returns its id, or BERTH_NO_NODE and keeps the
// error in the graph.
BERTH_API berth_node_id_t berth_op_finish(berth_op_t *op);

// The same, but the error goes to |err| and the graph stays usable.
BERTH_API BERTH_NODISCARD berth_code_t berth_op_try_finish(
    berth_op_t *op, berth_node_id_t *out_node, berth_error_t *err);

// Forgets |op|. NULL is fine.
BERTH_API void berth_op_abandon(berth_op_t *op);

// ---- Constants and placeholders ----

// Adds a constant: of a tensor, which is retained, or with a copy of |values|.
BERTH_API berth_out_t berth_const(berth_graph_t *graph, const char *name,
                                  berth_tensor_t *value);
BERTH_API berth_out_t berth_const_f32(berth_graph_t *graph, const char *name,
                                      const float *values, berth_dims_t shape);
BERTH_API berth_out_t berth_const_i32(berth_graph_t *graph, const char *name,
                                      const int32_t *values,
                                      berth_dims_t shape);

// ---- Looking at a graph ----

// Returns how many nodes there are; their ids are 0 and up.
BERTH_API int berth_graph_node_count(const berth_graph_t *graph);

// Returns the node called |name|, or BERTH_NO_NODE.
BERTH_API berth_node_id_t berth_graph_find(const berth_graph_t *graph,
                                           const char *name);

// Reads "name:index" or "name". BERTH_NOT_FOUND and BERTH_INVALID_ARGUMENT.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_out(const berth_graph_t *graph, const char *text,
                     berth_out_t *out, berth_error_t *err);

// All borrowed and valid as long as the graph. What does not exist has no name,
// op or device (NULL), no inputs or outputs (0), no source (BERTH_NO_NODE) and
// no type (BERTH_INVALID).
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
// Stores which values the argument |arg| covers; BERTH_INVALID_ARGUMENT for a
// name the op does not have.
BERTH_API BERTH_NODISCARD berth_code_t berth_node_arg_range(
    const berth_graph_t *graph, berth_node_id_t node, const char *arg,
    bool is_output, int *out_first, int *out_count, berth_error_t *err);

// Copies at most |capacity| consumers of |out| (node, input index) and returns
// how many there are. |consumers| NULL: none are copied.
BERTH_API int berth_out_consumers(const berth_graph_t *graph, berth_out_t out,
                                  berth_out_t *consumers, int capacity);
// The same for nodes that wait for |node|.
BERTH_API int berth_node_control_consumers(const berth_graph_t *graph,
                                           berth_node_id_t node,
                                           berth_node_id_t *consumers,
                                           int capacity);

// Fills |shape| with what is known of the shape of |out|: nothing, when there
// is no such output.
BERTH_API void berth_out_shape(const berth_graph_t *graph, berth_out_t out,
                               berth_shape_t *shape);
// Adds what the caller knows; BERTH_INVALID_ARGUMENT when that contradicts, or
// there is no such output.
BERTH_API BERTH_NODISCARD berth_code_t berth_out_set_shape(berth_graph_t *graph,
                                                           berth_out_t out,
                                                           berth_dims_t shape,
                                                           berth_error_t *err);

// Changes the device that |node| asks for. Sessions that have placed the node
// keep what they have; no other thread may look at it meanwhile.
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

// Stores the attribute as a serialised AttrValue, to be freed with
// berth_text_free(). BERTH_INVALID_ARGUMENT when the node has no such one.
BERTH_API BERTH_NODISCARD berth_code_t berth_node_attr_proto(
    const berth_graph_t *graph, berth_node_id_t node, const char *name,
    void **out_bytes, size_t *out_size, berth_error_t *err);

// ---- GraphDefs ----

typedef struct berth_import {
  const char *prefix;    // In front of every name; NULL or "": none.
  bool uniquify_names;   // Change names that are taken instead of failing.
  bool uniquify_prefix;  // Change the prefix instead.
  // Inputs "name:index" ("^name") of the GraphDef that are to come from the
  // graph instead.
  const char *const *input_names;
  const berth_out_t *input_outs;  // Index -1: control.
  int input_count;
  // What every imported node without inputs waits for.
  const berth_node_id_t *controls;
  int control_count;
  // Asked-for results, names as in the GraphDef; filled in on success.
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

// Adds the nodes of a serialised GraphDef. All or nothing: on failure the graph
// is as it was. |import| NULL: defaults.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_import(berth_graph_t *graph, const void *bytes, size_t size,
                   const berth_import_t *import, berth_error_t *err);
// The same for the text form.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_import_text(berth_graph_t *graph, const char *text, size_t size,
                        const berth_import_t *import, berth_error_t *err);

// Stores the graph as a serialised GraphDef, or as text, to be freed with
// berth_text_free().
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_export(const berth_graph_t *graph, void **out_bytes,
                   size_t *out_size, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_export_text(
    const berth_graph_t *graph, char **out_text, berth_error_t *err);
// The same for one NodeDef.
BERTH_API BERTH_NODISCARD berth_code_t
berth_node_export(const berth_graph_t *graph, berth_node_id_t node,
                  void **out_bytes, size_t *out_size, berth_error_t *err);

// ---- Functions ----

// Adds the functions of a serialised FunctionDefLibrary. An equal one that is
// there already is fine; another one of the same name is an error.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_add_functions(
    berth_graph_t *graph, const void *bytes, size_t size, berth_error_t *err);
// Makes a function called |name| of |body|, from |inputs| to |outputs|, and
// adds it to |graph|.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_add_function_of(
    berth_graph_t *graph, const char *name, const berth_graph_t *body,
    const berth_out_t *inputs, int input_count, const berth_out_t *outputs,
    const char *const *output_names, int output_count, berth_error_t *err);
BERTH_API int berth_graph_function_count(const berth_graph_t *graph);
BERTH_API const char *berth_graph_function_name(const berth_graph_t *graph,
                                                int index);
// Stores one as a serialised FunctionDef.
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_function_export(
    const berth_graph_t *graph, const char *name, void **out_bytes,
    size_t *out_size, berth_error_t *err);

// ---- Op schemas ----

// Returns how many ops Berth knows.
BERTH_API int berth_op_count(void);
// Returns the name of op |index|, in the order of names; NULL when there is
// none of that number. Borrowed.
BERTH_API const char *berth_op_name(int index);
// Stores the schema as a serialised OpDef, and what TensorFlow registers for
// it as a KernelList; to be freed with berth_text_free(). BERTH_NOT_FOUND.
BERTH_API BERTH_NODISCARD berth_code_t berth_op_schema_proto(
    const char *op, void **out_bytes, size_t *out_size, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_op_kernels_proto(
    const char *op, void **out_bytes, size_t *out_size, berth_error_t *err);
// True when Berth has a kernel for |op| on devices of |device_type| ("CPU"),
// for some types. A graph with an op that has none can be placed, but not run.
BERTH_API bool berth_op_has_kernel(const char *op, const char *device_type);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_GRAPH_H_
