// core.h - What the files of the extension berth._core share.
//
// The extension stands on include/berth alone. Every function here is called
// with the GIL held; those that can fail return NULL, false or -1 with a Python
// exception set, as Python's own API does. `berth_py_` marks what is visible
// outside its file.
//
//   module.c   the module and its functions
//   error.c    codes to exceptions, and back
//   args.c     arguments and texts
//   ref.c      core.Ref: a node or its output
//   graph.c    core.Graph
//   gradients.c  its gradients
//   import.c   GraphDefs and functions for it
//   attrs.c    values to attributes; core.Shape
//   schema.c   OpDefs and AttrValues to values
//   stack.c    where nodes were made
//   numpy.c    arrays to tensors and back
//   tensor.c   core.Tensor
//   record.c   files of records, and their checksum
//   checkpoint.c  core.Checkpoint: tensors in files
//   dlpack.c   memory shared with other libraries
//   session.c  core.Session
//   callable.c runs planned once, runs in several calls
//   runner.c   core.Runner: the usual calls of Session.run
//   fetch.c    what it is asked for, flat and back
//   feed.c     what it is fed, to tensors
//   eager.c    core.Context
//   tape.c     core.Tape: what calls have done, for gradients
//   mode.c     whether ops run when they are called, and on which device
//   op.c       what an op takes and gives; its attributes as keys
//   value.c    numbers, lists and arrays as eager tensors
//   apply.c    core.apply: any op called with values of Python
//   quick.c    core.Quick: functions that are one eager call, mostly
//   index.c    core.Index: parts of tensors, x[...]
//   renamed.c  core.Renamed: a function under other parameters
//   public.c   core.Public: words for arguments that do not fit
//   name.c     core.NameScope: name scopes where ops run at once
//   kind.c     keys of the arguments of functions
//   callback.c functions that ops call
//   devices.c  devices, cards and settings
//   shares.c   budgets of cards, and neighbours on them
//   signal.c   signals that arrive during a run
//   outside.c  threads that work in the library
#ifndef BERTH_PYTHON_CORE_H_
#define BERTH_PYTHON_CORE_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>

#include "berth/device.h"
#include "berth/eager.h"
#include "berth/graph.h"
#include "berth/report.h"
#include "berth/session.h"
#include "berth/share.h"
#include "berth/tensor.h"

// ---- Objects ----

// A node of a graph (|index| -1), or one of its outputs. Python's Tensor and
// Operation extend it, so that C reads them without asking for attributes.
typedef struct berth_py_ref {
  PyObject ob_base;
  PyObject *graph;  // Owned; whatever Python calls the graph. May be NULL.
  berth_out_t out;
  char is_special;  // What may not be fed or fetched, for instance.
} berth_py_ref_t;

typedef struct berth_py_tensor {
  PyObject ob_base;
  berth_tensor_t *tensor;  // Owned; NULL only before it is made.
  // Owned: the full name of the device it belongs to, where its memory does not
  // tell, as that of all logical CPUs is the same. NULL otherwise.
  PyObject *device;
} berth_py_tensor_t;

typedef struct berth_py_graph {
  PyObject ob_base;
  berth_graph_t *graph;  // Owned.
} berth_py_graph_t;

typedef struct berth_py_session {
  PyObject ob_base;
  PyObject *graph;           // Owned: a core.Graph.
  berth_session_t *session;  // Owned; NULL only before it is made.
  // Of a core.Context, which it keeps: its runs give tensors of the context's
  // class instead of arrays. Owned; NULL otherwise.
  PyObject *context;
} berth_py_session_t;

// True when |tensor| is in host memory. Its stream does not tell: a device
// whose memory has been given back has none.
static inline bool berth_py_is_on_host(const berth_tensor_t *tensor) {
  return strstr(berth_tensor_device(tensor), "/device:CPU:") != NULL;
}

// Graph.gradients().
PyObject *berth_py_graph_gradients(PyObject *self, PyObject *args);
// op_gradient().
PyObject *berth_py_op_gradient(PyObject *module, PyObject *name);

extern PyTypeObject berth_py_ref_type;
extern PyTypeObject berth_py_tensor_type;
extern PyTypeObject berth_py_graph_type;
extern PyTypeObject berth_py_session_type;
extern PyTypeObject berth_py_callable_type;
extern PyTypeObject berth_py_partial_type;
extern PyTypeObject berth_py_runner_type;
extern PyTypeObject berth_py_context_type;
extern PyTypeObject berth_py_tape_type;
extern PyTypeObject berth_py_shape_type;
extern PyTypeObject berth_py_description_type;
extern PyTypeObject berth_py_quick_type;
extern PyTypeObject berth_py_maker_type;
extern PyTypeObject berth_py_index_type;
extern PyTypeObject berth_py_name_scope_type;
extern PyTypeObject berth_py_renamed_type;
extern PyTypeObject berth_py_public_type;
extern PyTypeObject berth_py_record_reader_type;
extern PyTypeObject berth_py_record_writer_type;
extern PyTypeObject berth_py_checkpoint_type;

// ---- Errors ----

// Makes core.Error and adds it and set_error_class() to |module|.
int berth_py_error_init(PyObject *module);
// Raises the class set for the code of |err| with its text, and clears |err|.
// An exception that is already set, such as KeyboardInterrupt, stays. Returns
// NULL.
PyObject *berth_py_raise(berth_error_t *err);
// Forgets the exception that is set, if any, since Python's own way meets it
// again and reports it. What is no Exception stays, a KeyboardInterrupt for
// instance.
void berth_py_pass(void);
// Tells which class is raised for a code; called as core.set_error_class().
PyObject *berth_py_set_error_class(PyObject *module, PyObject *args);
// Describes the exception that is set as a code and a text, and clears it. The
// text is a new bytes object.
PyObject *berth_py_error_take(berth_code_t *out_code);

// ---- Arguments ----

// Sorts the arguments of a vectorcall into |out| by |names|, which NULL ends;
// those left out are NULL. All borrowed. |function| is for the error's text.
bool berth_py_args(const char *function, const char *const *names,
                   PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                   PyObject **out);
// The names of a function's parameters, for calls that cost little.
#define BERTH_PY_MOST_PARAMETERS 16
typedef struct berth_py_names {
  int count;
  PyObject *items[BERTH_PY_MOST_PARAMETERS];  // Owned, interned.
} berth_py_names_t;

// Reads a tuple of names. To be cleared also on failure.
bool berth_py_names_read(PyObject *tuple, berth_py_names_t *out);
void berth_py_names_clear(berth_py_names_t *names);
// Sorts the arguments of a vectorcall, |given| of them without a name, into
// |slots|, NULL for those left out; all borrowed. False, without an exception,
// when they do not fit.
bool berth_py_args_sort(const berth_py_names_t *names, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords, PyObject **slots);
// What objects that stand for functions have in common: they bind as functions
// do, so that they can be methods (tp_descr_get), and pickle by name.
PyObject *berth_py_bind(PyObject *self, PyObject *object, PyObject *type);
PyObject *berth_py_reduce(PyObject *self, PyObject *unused);
// Calls |function|. Arguments that do not fit it, so that it was not entered,
// are given to what |dict|, which may be NULL, has as "refuse".
PyObject *berth_py_public_call(PyObject *function, PyObject *dict,
                               PyObject *const *args, size_t flags,
                               PyObject *keywords);
// Makes a bytes object of what Berth allocated, and frees that.
PyObject *berth_py_bytes_take(void *bytes, size_t size);
// Makes a str of a text that Berth allocated, and frees that.
PyObject *berth_py_text_take(char *text);
// Reads a str, or None (and NULL) as NULL. Borrowed.
bool berth_py_read_text(PyObject *object, const char **out);
// Returns the text of a str, which must not contain NULs: C would see only its
// beginning. Borrowed; NULL with an exception.
const char *berth_py_text(PyObject *object);
// Returns a new tuple of the items of |sequence|. Reading an item may call
// Python, which may change a list: what is read stays as it was and alive.
// |what| is the text of the TypeError.
PyObject *berth_py_items(PyObject *sequence, const char *what);

// ---- References ----

// Reads a core.Ref, or a tuple (node, index).
bool berth_py_read_out(PyObject *object, berth_out_t *out);
// Reads a core.Ref, or a node's number.
bool berth_py_read_node(PyObject *object, berth_node_id_t *out);

// Arrays for one call, in the object itself while there are few.
#define BERTH_PY_FEW 8
typedef struct berth_py_outs {
  berth_out_t few[BERTH_PY_FEW];
  berth_out_t *items;
  int count;
} berth_py_outs_t;
typedef struct berth_py_nodes {
  berth_node_id_t few[BERTH_PY_FEW];
  berth_node_id_t *items;
  int count;
} berth_py_nodes_t;

// Read a sequence of what berth_py_read_out() and berth_py_read_node() read;
// NULL and None mean an empty one. To be cleared also on failure.
bool berth_py_outs_read(PyObject *sequence, berth_py_outs_t *out);
bool berth_py_outs_copy(const berth_py_outs_t *from, berth_py_outs_t *out);
void berth_py_outs_clear(berth_py_outs_t *outs);
// Makes a list of pairs (node, index).
PyObject *berth_py_outs_list(const berth_out_t *outs, int count);
bool berth_py_nodes_read(PyObject *sequence, berth_py_nodes_t *out);
void berth_py_nodes_clear(berth_py_nodes_t *nodes);

// ---- numpy, loaded when first needed ----

// True for a numpy array; false, and nothing is loaded, while numpy is not.
bool berth_py_is_array(PyObject *object);
// True for an array, of no class that extends arrays, of numbers whose bytes can
// be used as they are.
bool berth_py_is_plain_array(PyObject *object);
// True for an array whose type is |dtype| and whose bytes can be used as they
// are.
bool berth_py_array_fits(PyObject *array, berth_dtype_t dtype);
// True for arrays and scalars of numpy's with numbers, complex ones and bools
// among them.
bool berth_py_is_numeric(PyObject *object);
// True when numpy makes |array|, which is numeric, one of |dtype| without a
// warning.
bool berth_py_casts_quietly(PyObject *array, berth_dtype_t dtype);
// Returns what numpy.asarray(value) does.
PyObject *berth_py_asarray(PyObject *value);
// True when an array may hold texts.
bool berth_py_has_strings(PyObject *array);
// Stores |item|, a str or bytes, as element |i| of a tensor of strings.
bool berth_py_string_set(berth_tensor_t *tensor, int64_t i, PyObject *item);
// Returns the shape of an array.
berth_dims_t berth_py_array_shape(PyObject *array);
// Makes a tensor of |object|, an array or anything numpy makes one of, with
// type |dtype| (BERTH_INVALID: its own). |may_share|: large arrays lend their
// memory.
berth_tensor_t *berth_py_tensor_of(PyObject *object, berth_dtype_t dtype,
                                   bool may_share);
// Makes a tensor of an array that has type |dtype| and the order of memory that
// tensors have; large ones lend their memory. NULL without an exception: it has
// not.
berth_tensor_t *berth_py_array_take(PyObject *array, berth_dtype_t dtype);
// Makes a tensor of rank 0 of a scalar of numpy's that has type |dtype|. NULL,
// and mostly no exception, for anything else.
berth_tensor_t *berth_py_scalar_tensor(PyObject *object, berth_dtype_t dtype);
// Makes an array, or for rank 0 numpy's scalar, of |tensor|, whose reference is
// taken over. It is the caller's alone and writable: memory that nobody else
// has is handed over, other memory copied.
PyObject *berth_py_array_of(berth_tensor_t *tensor);
// Drops |arg|, an object whose memory was lent to a tensor, when the GIL is
// held next: a berth_deallocator_fn, called from any thread.
void berth_py_give_back(void *data, size_t size, void *arg);

// ---- Tensors ----

// Makes an object of |type|, core.Tensor or an extension of it, that takes over
// the reference to |tensor|.
PyObject *berth_py_tensor_new(PyTypeObject *type, berth_tensor_t *tensor);
// The same; in the host's memory it belongs to |device|. NULL: to the first CPU.
PyObject *berth_py_tensor_on(PyTypeObject *type, berth_tensor_t *tensor,
                             PyObject *device);
// Reads a core.Tensor (retained), or makes one as berth_py_tensor_of() does.
berth_tensor_t *berth_py_read_tensor(PyObject *object, berth_dtype_t dtype,
                                     bool may_share);
// Returns the tensor of a core.Tensor. Borrowed; NULL with TypeError.
berth_tensor_t *berth_py_get_tensor(PyObject *object);

// ---- Shapes and attributes ----

// Reads a shape: core.Shape, None (unknown rank) or a sequence of sizes, None
// or -1 for an unknown one.
bool berth_py_read_shape(PyObject *object, berth_shape_t *out);
// Makes a tuple with None for unknown sizes; None for an unknown rank.
PyObject *berth_py_shape_tuple(berth_dims_t shape);

// What an attribute holds, as its op says.
typedef enum berth_py_kind {
  BERTH_PY_UNSAID = 0,  // Not one of the op's: by the value.
  BERTH_PY_STRING,
  BERTH_PY_INT,
  BERTH_PY_FLOAT,
  BERTH_PY_BOOL,
  BERTH_PY_TYPE,
  BERTH_PY_SHAPE,
  BERTH_PY_TENSOR,
  BERTH_PY_FUNC,
  BERTH_PY_LIST = 16  // Added to the kind of the items.
} berth_py_kind_t;

// Returns a dict {attribute: kind} of |op|, a str. Borrowed. An op that is not
// known has an empty one.
PyObject *berth_py_schema_kinds(PyObject *op);
// Sets the attributes of |attrs|, a dict, on |op|, which is called |name|.
bool berth_py_attrs_set(berth_op_t *op, PyObject *name, PyObject *attrs);
// Makes the Python value of a serialised AttrValue.
PyObject *berth_py_attr_value(const void *bytes, size_t size);
// Makes the dict that core.op_schema() returns.
PyObject *berth_py_op_schema(PyObject *module, PyObject *name);
// Adds core.DType to |module|.
int berth_py_schema_init(PyObject *module);
// Returns core.DType(number).
PyObject *berth_py_dtype_new(int number);

// ---- Runs ----

// Settings for sessions and contexts: |bytes| is a ConfigProto, an object that
// makes one, or None for the process's own.
bool berth_py_config_read(PyObject *bytes, berth_config_t *config);
// Stops the runs of the main thread when a signal's handler raises.
int berth_py_poll(void *arg);
// Remembers which thread Python's handlers of signals run in. False with an
// exception.
bool berth_py_poll_init(void);
// Gives this thread a stack for the handlers of signals, if it has none.
void berth_py_prepare_thread(void);

// Release the GIL and take it again, as PyEval_SaveThread() and
// PyEval_RestoreThread() do, around work that may run kernels.
PyThreadState *berth_py_leave(void);
void berth_py_return(PyThreadState *saved);
// Take the GIL and release it, as PyGILState_Ensure() and PyGILState_Release()
// do, in what such work calls.
PyGILState_STATE berth_py_call_in(void);
void berth_py_call_out(PyGILState_STATE state);
// Sees to it that no kernel runs when the process ends. False with an
// exception.
bool berth_py_outside_init(void);
// True when Python is gone: whatever runs is to end.
bool berth_py_is_ending(void);
// Forgets the threads that a forked child does not have.
void berth_py_outside_forget(void);

// The feeds of one run. Tensors are owned.
typedef struct berth_py_feeds {
  berth_feed_t few[BERTH_PY_FEW];
  berth_feed_t *items;
  int count;
  Py_ssize_t room;
} berth_py_feeds_t;

// Reads feeds: a dict, or a sequence of pairs, from what berth_py_read_out()
// reads to tensors or arrays. To be cleared also on failure.
bool berth_py_feeds_read(const berth_graph_t *graph, PyObject *feeds,
                         berth_py_feeds_t *out);
bool berth_py_feeds_reserve(berth_py_feeds_t *feeds, Py_ssize_t room);
void berth_py_feeds_clear(berth_py_feeds_t *feeds);

// True when a call gave |results|; else raises what |err| says and clears it. A
// signal whose handler raised while the call was finishing counts as a failure:
// |results| are released.
bool berth_py_succeeded(berth_code_t code, berth_error_t *err,
                        berth_tensor_t **results, int count);
// Runs |run| in |session|, a core.Session, without the GIL. True when there are
// results; else as berth_py_succeeded().
bool berth_py_session_run(PyObject *session, const berth_run_t *run);
// Makes a list of arrays of |results|, whose references are taken over.
PyObject *berth_py_results_list(berth_tensor_t **results, int count);
// The same with None for each of |items| that |is_target| marks: it was run for
// its effect and has no result.
PyObject *berth_py_results_fill(berth_tensor_t **results, int count,
                                const bool *is_target, Py_ssize_t items);
// The same with tensors of |type|, which belong to |device|.
PyObject *berth_py_tensors_list(PyTypeObject *type, berth_tensor_t **results,
                                int count, PyObject *device);

// ---- Forms of fetches ----

// Where the elements of a graph are found.
typedef struct berth_py_elements {
  PyObject *graph;  // Owned: what refs have as _graph, and as_graph_element().
  PyObject *names;  // Owned: a dict from names to elements, those asked for.
} berth_py_elements_t;

// True when |object|, a ref, is a usual one of the graph, and then which.
static inline bool berth_py_element_of(const berth_py_elements_t *elements,
                                       PyObject *object, berth_out_t *out) {
  const berth_py_ref_t *ref = (const berth_py_ref_t *)object;
  *out = ref->out;
  return ref->graph == elements->graph && !ref->is_special &&
         ref->out.node >= 0;
}
// The same for names, and for what wraps a ref as a variable does.
bool berth_py_element_find(const berth_py_elements_t *elements,
                           PyObject *object, berth_out_t *out);
// Finds the element that |object| is, names or wraps. False, mostly without an
// exception: Python is to look at it.
static inline bool berth_py_element(const berth_py_elements_t *elements,
                                    PyObject *object, berth_out_t *out) {
  return PyObject_TypeCheck(object, &berth_py_ref_type)
             ? berth_py_element_of(elements, object, out)
             : berth_py_element_find(elements, object, out);
}

// The most containers and elements of a form.
#define BERTH_PY_FORM 256

typedef struct berth_py_step {
  int kind;
  int at;            // Of a leaf: which result.
  Py_ssize_t count;  // Of a container: how many items follow.
  PyObject *extra;   // Owned: the class of a named tuple, the keys of a dict.
} berth_py_step_t;

// What a run is asked for; see fetch.c. The arrays are filled to their counts.
typedef struct berth_py_form {
  int step_count;
  int fetch_count;
  int target_count;
  berth_py_step_t steps[BERTH_PY_FORM];
  berth_out_t fetches[BERTH_PY_FORM];
  berth_node_id_t targets[BERTH_PY_FORM];
} berth_py_form_t;

// Reads |fetches|. False without an exception: Python is to look at them. To be
// cleared either way.
bool berth_py_form_read(const berth_py_elements_t *elements, PyObject *fetches,
                        berth_py_form_t *form);
void berth_py_form_clear(berth_py_form_t *form);
// Puts |results|, whose references are taken over, in the form of the fetches.
PyObject *berth_py_form_build(const berth_py_form_t *form,
                              berth_tensor_t **results);

// True when a tensor of the shape |given| may be fed to what is |known| to have
// another.
bool berth_py_shape_agrees(berth_dims_t given, const berth_shape_t *known);
// Makes a tensor of |value| as a feed of |dtype| and |shape|, with the rules of
// numpy.asarray(value).astype(dtype). NULL without an exception: Python is to look at
// it, and to report what is wrong with it.
berth_tensor_t *berth_py_feed_tensor(PyObject *value, berth_dtype_t dtype,
                                     const berth_shape_t *shape);

// True when |partial|, a core.Partial, still waits for all of |feeds| and
// |fetches|.
bool berth_py_partial_waits(PyObject *partial, const berth_py_feeds_t *feeds,
                            const berth_out_t *fetches, int count);
// Goes on with |partial|. True when there are results; else as
// berth_py_succeeded().
bool berth_py_partial_run(PyObject *partial, const berth_py_feeds_t *feeds,
                          const berth_out_t *fetches, int count,
                          berth_tensor_t **results);

// ---- Methods that other files' types have ----

// Session.plan_memory(fetches, targets, feeds, batch) and
// Session.plan_batch(fetches, targets, feeds, device, limit).
PyObject *berth_py_plan_memory(PyObject *session, PyObject *args);
PyObject *berth_py_plan_batch(PyObject *session, PyObject *args);

// Returns the session of |session|, a core.Session. Borrowed.
berth_session_t *berth_py_session_of(PyObject *session);

// Session.make_callable(feeds, fetches, targets=()).
PyObject *berth_py_make_callable(PyObject *session, PyObject *args);
// Session.partial_setup(feeds, fetches, targets=()).
PyObject *berth_py_partial_setup(PyObject *session, PyObject *args);
// Tensor.__dlpack__(…), Tensor.__dlpack_device__(), Tensor.from_dlpack(object,
// context=None).
PyObject *berth_py_to_dlpack(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *berth_py_dlpack_device(PyObject *self, PyObject *unused);
PyObject *berth_py_from_dlpack(PyObject *type, PyObject *args);
// Graph.import_(data, …).
PyObject *berth_py_graph_import(PyObject *self, PyObject *args,
                                PyObject *kwargs);
// Graph.add_functions(data), of a FunctionDefLibrary.
PyObject *berth_py_graph_add_functions(PyObject *self, PyObject *args);
// Graph.add_function(name, body, inputs, outputs, output_names=None).
PyObject *berth_py_graph_add_function(PyObject *self, PyObject *args);
// Graph.functions.
PyObject *berth_py_graph_functions(PyObject *self, void *arg);

// ---- Tapes ----

// How many tapes note what this thread calls.
extern _Thread_local int berth_py_noting;
// As berth_eager_call() and, with a |description|, berth_eager_call_op(), for
// when there are any.
berth_code_t berth_py_call_noted(berth_context_t *context, const char *op,
                                 const berth_op_t *description,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int count,
                                 berth_tensor_t **outputs, int *output_count,
                                 berth_error_t *err);
// tapes(): those tapes.
PyObject *berth_py_tapes(PyObject *module, PyObject *unused);

// ---- Eager calls ----

// Returns the class of the tensors of |context|, a core.Context. Borrowed.
PyTypeObject *berth_py_context_class(PyObject *context);
// Returns the context that |context|, a core.Context, stands for. Borrowed.
berth_context_t *berth_py_context_handle(PyObject *context);
// True when constants need not be brought anywhere: there is no GPU.
bool berth_py_context_is_quiet(PyObject *context);
// Returns the name of the device on which the thread's last call ran; NULL: it
// is the first CPU. Borrowed.
PyObject *berth_py_context_last(PyObject *context);

// Whether ops run when they are called. The states are mode.c's, to be changed
// and told apart there; they lie open for the questions of every call.
typedef struct berth_py_mode {
  bool is_eager;      // Ops run at once where no graph is being built.
  PyObject *context;  // Owned: where ops are called the short way, or NULL.
  PyObject *quick;    // Borrowed: |context| if |is_eager|, else NULL.
} berth_py_mode_t;
typedef struct berth_py_place {
  long graphs;       // Default graphs around the call.
  long eager;        // Functions around the call whose ops run at once anyway.
  long wishes;       // Scopes that only the long way obeys.
  PyObject *device;  // Owned: the full name that a scope asks for, or NULL.
  bool is_device;    // There is such a device.
} berth_py_place_t;
extern berth_py_mode_t berth_py_mode;
extern _Thread_local berth_py_place_t berth_py_place;

// True when ops run at once in this thread where no graph is being built.
static inline bool berth_py_mode_is_eager(void) {
  return berth_py_mode.is_eager || berth_py_place.eager != 0;
}

// Returns the context in which ops are called in this thread when nothing but
// calling them is to be done, on the device of the place; NULL where calls go
// the long way. Borrowed.
static inline PyObject *berth_py_mode_context(void) {
  if (berth_py_mode.quick == NULL) return NULL;
  const berth_py_place_t *here = &berth_py_place;
  return (here->graphs | here->wishes) == 0 ? berth_py_mode.quick : NULL;
}
// Returns the class of the tensors of that context; NULL when there is none.
// With |anywhere| it does not matter where calls go. Borrowed.
PyTypeObject *berth_py_mode_class(bool anywhere);

// ---- Ops that are called ----

// Attributes as words that are equal exactly when the attributes are.
#define BERTH_PY_KEY_WORDS 32
typedef struct berth_py_key {
  int count;
  uint64_t words[BERTH_PY_KEY_WORDS];
} berth_py_key_t;

// An op with attributes, ready for calls. Owned by the op; |users| counts calls
// that use it now.
typedef struct berth_py_described berth_py_described_t;
struct berth_py_described {
  berth_py_described_t *next;
  berth_op_t *op;  // Owned; only read after it is made.
  int users;
  bool is_forgotten;
  int count;
  uint64_t words[];
};

typedef struct berth_py_arg {
  PyObject *name;       // Owned, interned.
  berth_dtype_t dtype;  // Where no attribute says it.
  int type;    // The attribute that says its type, -1 for none; and so on:
  int number;  // how many there are,
  int types;   // of which types.
  bool is_list;
} berth_py_arg_t;

typedef struct berth_py_attr {
  PyObject *name;  // Owned, interned.
  int kind;        // A berth_py_kind_t.
  bool is_told;    // By the inputs.
  bool has_default;
  berth_dtype_t type;        // Its default, of a type; BERTH_INVALID: none.
  uint64_t allowed;          // Types that it may have, a bit each.
  int64_t minimum;           // Of the length of a list.
  berth_py_key_t *fallback;  // Owned: its default. NULL: none.
} berth_py_attr_t;

typedef enum berth_py_gives {
  BERTH_PY_NOTHING,
  BERTH_PY_A_TENSOR,
  BERTH_PY_A_LIST,
  BERTH_PY_SEVERAL  // In a tuple with names.
} berth_py_gives_t;

#define BERTH_PY_MOST_INPUTS 16
#define BERTH_PY_MOST_PLAIN 4
#define BERTH_PY_MOST_ATTRS 16
typedef struct berth_py_op {
  PyObject *name;    // Owned, interned.
  const char *text;  // The same.
  int input_count, attr_count;
  berth_py_arg_t *inputs;
  berth_py_attr_t *attrs;
  berth_py_gives_t gives;
  PyObject *tuple;   // Owned: the class of several outputs; NULL: not yet.
  bool is_quick;     // It can be called the short way.
  bool is_plain;     // A few tensors say all that a call needs, which changes
                     // nothing and gives one tensor.
  bool is_seeded;    // It begins anew when a seed is set.
  bool is_stateful;  // A call may change something.
  berth_py_described_t *described;  // The last used first.
  int described_count;
} berth_py_op_t;

// Returns the op of that name; NULL, without an exception, when there is none.
berth_py_op_t *berth_py_op_find(PyObject *name);
// Returns the number of an attribute, or an input, of |op|; -1 for none.
int berth_py_op_attr(const berth_py_op_t *op, PyObject *name);
int berth_py_op_input(const berth_py_op_t *op, PyObject *name);

// Adds a word, attribute |index| of |op| with |value|, or what a random op has
// besides. False, without an exception, when there is no room, or the value is
// not one that a key can hold.
bool berth_py_key_add(berth_py_key_t *key, uint64_t word);
bool berth_py_key_attr(berth_py_key_t *key, const berth_py_op_t *op, int index,
                       PyObject *value);
bool berth_py_key_seeding(const berth_py_op_t *op, berth_py_key_t *key);
// Finds or makes the description of |op| with |values| by attribute (NULL and
// None: not said) and lengths (-1: none), whose key is |key|. To be put back.
berth_py_described_t *berth_py_describe(berth_py_op_t *op,
                                        const berth_py_key_t *key,
                                        PyObject *const *values,
                                        const int *counts);
void berth_py_described_put(berth_py_described_t *described);

// Reads a type: a DType of Python's, or what names one. BERTH_INVALID, without
// an exception, for anything else.
berth_dtype_t berth_py_type_number(PyObject *value);
// Returns Python's object for a type.
PyObject *berth_py_type_object(berth_dtype_t dtype);
// Makes a tensor of a number, a text, nested lists of them or an array, with
// type |wanted| (BERTH_INVALID: its own). NULL, without an exception, for
// anything else.
berth_tensor_t *berth_py_value_tensor(PyObject *value, berth_dtype_t wanted);

// What has to be so for a function to be one call of its op.
typedef struct berth_py_terms {
  uint64_t types;          // The first input has one of these.
  int most_rank;           // No input has more dimensions.
  bool refuses_variables;  // They are read another way.
  bool takes_tensors;      // Nothing has to be converted.
  int change;              // An attribute: another type than the first input's.
                           // -1: none.
  bool converts_first;  // What comes first does not ask for the type of others.
} berth_py_terms_t;

// Calls |op| in the context in force with |values| by argument and |attrs| by
// attribute (NULL and None: the default; NULL for all of them: no attribute is
// said), under |terms| (NULL: none). |name| is for errors. NULL without an
// exception when the long way has to be gone: nothing has been called then, or
// under terms an op failed that changes nothing.
PyObject *berth_py_op_call(berth_py_op_t *op, PyObject *const *values,
                           PyObject *const *attrs, PyObject *name,
                           const berth_py_terms_t *terms);
// Makes a constant of |value| on the device in force; NULL, without an
// exception, when the long way has to be gone.
PyObject *berth_py_constant(PyObject *value, berth_dtype_t dtype);
// True for a variable that is read and changed at once.
bool berth_py_is_variable(PyObject *object);
// Returns the value of a variable; NULL, without an exception, for anything
// else, and when the long way has to be gone.
PyObject *berth_py_variable_value(PyObject *variable);
// Forgets constants of a context that is no longer in force.
void berth_py_constants_forget(void);

extern PyMethodDef berth_py_tensor_methods[];
extern PyMethodDef berth_py_op_methods[];
extern PyMethodDef berth_py_name_methods[];
extern PyMethodDef berth_py_value_methods[];
extern PyMethodDef berth_py_apply_methods[];
// Make what each of these files needs, and add what is public to |module|; -1
// with an exception.
int berth_py_op_init(PyObject *module);
int berth_py_value_init(PyObject *module);
int berth_py_apply_init(PyObject *module);
int berth_py_quick_init(PyObject *module);
int berth_py_index_init(PyObject *module);
int berth_py_name_init(PyObject *module);
int berth_py_public_init(void);
extern PyMethodDef berth_py_mode_methods[];
extern PyMethodDef berth_py_kind_methods[];

// ---- The process ----

// Functions of the module about stacks, devices, cards and host callbacks.
extern PyMethodDef berth_py_stack_methods[];
// True when memory is to be known by the lines of the program that want it; and
// tells the library which one that is now. The GIL is held.
extern bool berth_py_keeps_lines;
void berth_py_line_enter(void);
extern PyMethodDef berth_py_device_methods[];

// ---- shares.c ----

extern PyMethodDef berth_py_share_methods[];
extern PyMethodDef berth_py_callback_methods[];

// ---- crc.c ----

// crc32c(data): the checksum of bytes.
PyObject *berth_py_crc32c(PyObject *module, PyObject *data);

#endif  // BERTH_PYTHON_CORE_H_
