// callable.c - Runs that are planned once, and runs in several calls.
#include <stddef.h>
#include "core.h"

// Points to the graph of |session|, a core.Session.
static berth_graph_t *graph_of(PyObject *session) {
  PyObject *graph = ((berth_py_session_t *)session)->graph;
  return ((berth_py_graph_t *)graph)->graph;
}

// ---- Callables ----

typedef struct callable {
  PyObject ob_base;
  PyObject *session;  // Owned: outlives |callable|.
  berth_callable_t *callable;
  berth_py_outs_t feeds;
  int fetch_count;
  PyTypeObject *type;  // Owned: of results; NULL: they are arrays.
  vectorcallfunc call;
} callable_t;

// Runs with |inputs|, whose references stay the caller's.
static PyObject *callable_run(const callable_t *self,
                              berth_tensor_t *const *inputs) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *few[BERTH_PY_FEW];
  berth_tensor_t **results = few;
  if (self->fetch_count > BERTH_PY_FEW) {
    results = PyMem_Calloc((size_t)self->fetch_count, sizeof(*results));
    if (results == NULL) return PyErr_NoMemory();
  }
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_callable_run(self->callable, inputs, results, &err);
  berth_py_return(saved);
  PyObject *list = NULL;
  if (berth_py_succeeded(code, &err, results, self->fetch_count)) {
    list = self->type != NULL
               ? berth_py_tensors_list(self->type, results, self->fetch_count,
                                       NULL)
               : berth_py_results_list(results, self->fetch_count);
  }
  if (results != few) PyMem_Free(results);
  return list;
}

static PyObject *callable_call(PyObject *object, PyObject *const *args,
                               size_t flags, PyObject *keywords) {
  callable_t *self = (callable_t *)object;
  Py_ssize_t given = PyVectorcall_NARGS(flags);
  if (keywords != NULL || given != self->feeds.count) {
    PyErr_Format(PyExc_TypeError, "this callable takes %d values, not %zd",
                 self->feeds.count, given);
    return NULL;
  }
  berth_py_feeds_t feeds;
  berth_tensor_t *few[BERTH_PY_FEW];
  berth_tensor_t **inputs = few;
  PyObject *list = NULL;
  bool ok = berth_py_feeds_reserve(&feeds, given);
  if (ok && given > BERTH_PY_FEW) {
    inputs = PyMem_Calloc((size_t)given, sizeof(*inputs));
    if (inputs == NULL) PyErr_NoMemory();
    ok = inputs != NULL;
  }
  berth_graph_t *graph = graph_of(self->session);
  // What a function is given may be handed on, so it cannot be lent.
  bool may_share = self->type == NULL;
  for (Py_ssize_t i = 0; ok && i < given; ++i) {
    inputs[i] = berth_py_read_tensor(
        args[i], berth_out_dtype(graph, self->feeds.items[i]), may_share);
    ok = inputs[i] != NULL;
    feeds.items[i].tensor = inputs[i];
    feeds.count += ok;
  }
  if (ok) list = callable_run(self, inputs);
  berth_py_feeds_clear(&feeds);
  if (inputs != few) PyMem_Free(inputs);
  return list;
}

static void callable_dealloc(PyObject *object) {
  callable_t *self = (callable_t *)object;
  berth_callable_destroy(self->callable);
  berth_py_outs_clear(&self->feeds);
  Py_XDECREF(self->session);
  Py_XDECREF(self->type);
  Py_TYPE(object)->tp_free(object);
}

PyTypeObject berth_py_callable_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Callable",
    .tp_basicsize = sizeof(callable_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc =
        "A run that is planned: takes the feeds' values in order, returns "
        "a list with an array for each fetch, or a tensor where the session is "
        "a context's.",
    .tp_vectorcall_offset = offsetof(callable_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = callable_dealloc,
};

static PyObject *callable_make(PyObject *session, const berth_py_outs_t *feeds,
                               const berth_py_outs_t *fetches,
                               const berth_py_nodes_t *targets) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyTypeObject *type = &berth_py_callable_type;
  callable_t *self = (callable_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(session);
  self->session = session;
  self->call = callable_call;
  self->fetch_count = fetches->count;
  PyObject *context = ((berth_py_session_t *)session)->context;
  if (context != NULL) self->type = berth_py_context_class(context);
  Py_XINCREF(self->type);
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_callable_create(
      ((berth_py_session_t *)session)->session, feeds->items, feeds->count,
      fetches->items, fetches->count, targets->items, targets->count,
      &self->callable, &err);
  berth_py_return(saved);
  if (berth_py_outs_copy(feeds, &self->feeds) &&
      berth_py_succeeded(code, &err, NULL, 0)) {
    return (PyObject *)self;
  }
  berth_error_clear(&err);
  Py_DECREF(self);
  return NULL;
}

// ---- Partial runs ----

typedef struct partial {
  PyObject ob_base;
  PyObject *session;  // Owned: outlives |partial|.
  berth_partial_t *partial;
  // What was set up and has not been fed or fetched yet.
  berth_py_outs_t feeds, fetches;
} partial_t;

// Returns where |out| is among |outs|, or -1.
static int place_of(const berth_py_outs_t *outs, berth_out_t out) {
  for (int i = 0; i < outs->count; ++i) {
    if (outs->items[i].node == out.node && outs->items[i].index == out.index) {
      return i;
    }
  }
  return -1;
}

static void settle(berth_py_outs_t *outs, berth_out_t out) {
  int place;
  while ((place = place_of(outs, out)) >= 0) {
    outs->items[place] = outs->items[--outs->count];
  }
}

bool berth_py_partial_waits(PyObject *object, const berth_py_feeds_t *feeds,
                            const berth_out_t *fetches, int count) {
  const partial_t *self = (partial_t *)object;
  for (int i = 0; i < feeds->count; ++i) {
    if (place_of(&self->feeds, feeds->items[i].out) < 0) return false;
  }
  for (int i = 0; i < count; ++i) {
    if (place_of(&self->fetches, fetches[i]) < 0) return false;
  }
  return true;
}

bool berth_py_partial_run(PyObject *object, const berth_py_feeds_t *feeds,
                          const berth_out_t *fetches, int count,
                          berth_tensor_t **results) {
  partial_t *self = (partial_t *)object;
  berth_error_t err = BERTH_ERROR_INIT;
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_partial_run(
      self->partial, feeds->items, feeds->count, fetches, count, results, &err);
  berth_py_return(saved);
  if (!berth_py_succeeded(code, &err, results, count)) return false;
  for (int i = 0; i < feeds->count; ++i) {
    settle(&self->feeds, feeds->items[i].out);
  }
  for (int i = 0; i < count; ++i) settle(&self->fetches, fetches[i]);
  return true;
}

static PyObject *partial_do(PyObject *self, const berth_py_feeds_t *feeds,
                            const berth_py_outs_t *fetches) {
  berth_tensor_t **results =
      PyMem_Calloc((size_t)fetches->count + 1, sizeof(*results));
  if (results == NULL) return PyErr_NoMemory();
  PyObject *list = NULL;
  if (berth_py_partial_run(self, feeds, fetches->items, fetches->count,
                           results)) {
    list = berth_py_results_list(results, fetches->count);
  }
  PyMem_Free(results);
  return list;
}

static PyObject *partial_is_done(PyObject *object, void *unused) {
  (void)unused;
  const partial_t *self = (partial_t *)object;
  return PyBool_FromLong(self->feeds.count == 0 && self->fetches.count == 0);
}

static PyObject *partial_run(PyObject *object, PyObject *args) {
  partial_t *self = (partial_t *)object;
  PyObject *fetch_object = NULL, *feed_object = NULL, *list = NULL;
  if (!PyArg_ParseTuple(args, "O|O:run", &fetch_object, &feed_object)) {
    return NULL;
  }
  berth_py_outs_t fetches;
  berth_py_feeds_t feeds;
  bool ok = berth_py_outs_read(fetch_object, &fetches);
  ok = berth_py_feeds_read(graph_of(self->session), ok ? feed_object : NULL,
                           &feeds) &&
       ok;
  if (ok) list = partial_do(object, &feeds, &fetches);
  berth_py_outs_clear(&fetches);
  berth_py_feeds_clear(&feeds);
  return list;
}

static void partial_dealloc(PyObject *object) {
  partial_t *self = (partial_t *)object;
  PyThreadState *saved = PyEval_SaveThread();
  berth_partial_destroy(self->partial);
  PyEval_RestoreThread(saved);
  berth_py_outs_clear(&self->feeds);
  berth_py_outs_clear(&self->fetches);
  Py_XDECREF(self->session);
  Py_TYPE(object)->tp_free(object);
}

static PyMethodDef partial_methods[] = {
    {"run", partial_run, METH_VARARGS,
     "run(fetches, feeds=())\n\nGoes on with the run."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef partial_members[] = {
    {"is_done", partial_is_done, NULL, "True when nothing is left to do.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_partial_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Partial",
    .tp_basicsize = sizeof(partial_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A run that is fed and fetched from in several calls.",
    .tp_dealloc = partial_dealloc,
    .tp_methods = partial_methods,
    .tp_getset = partial_members,
};

static PyObject *partial_make(PyObject *session, const berth_py_outs_t *feeds,
                              const berth_py_outs_t *fetches,
                              const berth_py_nodes_t *targets) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyTypeObject *type = &berth_py_partial_type;
  partial_t *self = (partial_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(session);
  self->session = session;
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_partial_create(
      ((berth_py_session_t *)session)->session, feeds->items, feeds->count,
      fetches->items, fetches->count, targets->items, targets->count,
      &self->partial, &err);
  berth_py_return(saved);
  self->feeds.items = self->feeds.few;
  self->fetches.items = self->fetches.few;
  if (berth_py_succeeded(code, &err, NULL, 0) &&
      berth_py_outs_copy(feeds, &self->feeds) &&
      berth_py_outs_copy(fetches, &self->fetches)) {
    return (PyObject *)self;
  }
  Py_DECREF(self);
  return NULL;
}

// ---- Methods of core.Session ----

typedef PyObject *(*make_fn)(PyObject *session, const berth_py_outs_t *feeds,
                             const berth_py_outs_t *fetches,
                             const berth_py_nodes_t *targets);

static PyObject *make(PyObject *session, PyObject *args, make_fn fn) {
  PyObject *feed_object = NULL, *fetch_object = NULL, *target_object = NULL;
  PyObject *made = NULL;
  if (!PyArg_ParseTuple(args, "OO|O", &feed_object, &fetch_object,
                        &target_object)) {
    return NULL;
  }
  berth_py_outs_t feeds, fetches;
  berth_py_nodes_t targets;
  bool ok = berth_py_outs_read(feed_object, &feeds);
  ok = berth_py_outs_read(ok ? fetch_object : NULL, &fetches) && ok;
  ok = berth_py_nodes_read(ok ? target_object : NULL, &targets) && ok;
  if (ok) made = fn(session, &feeds, &fetches, &targets);
  berth_py_outs_clear(&feeds);
  berth_py_outs_clear(&fetches);
  berth_py_nodes_clear(&targets);
  return made;
}

PyObject *berth_py_make_callable(PyObject *session, PyObject *args) {
  return make(session, args, callable_make);
}

PyObject *berth_py_partial_setup(PyObject *session, PyObject *args) {
  return make(session, args, partial_make);
}
