// runner.c - core.Runner: what Session.run is in Python, for the usual calls.
//
// A runner is called as Session.run(fetches, feed_dict=None, options=None,
// run_metadata=None). It does by itself what most calls are: elements of the
// session's graph in any form that fetch.c reads, fed with values that feed.c
// reads. Everything else, and everything that is wrong, it leaves to a function
// of Python's with the same arguments, which knows rarer conversions and the
// words for mistakes. Until it is clear that nothing is left to that function
// nothing is done that may be seen.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>
#include <string.h>

typedef struct runner {
  PyObject ob_base;
  PyObject *session;  // Owned: a core.Session; NULL once closed.
  PyObject *slow;     // Owned: does the rest.
  PyObject *failed;   // Owned: called with the exception of a run, or NULL.
  berth_py_elements_t elements;
  vectorcallfunc call;
} runner_t;

// A call as the runner understands it.
typedef struct plan {
  berth_py_form_t form;
  berth_py_feeds_t feeds;
  PyObject *session;  // Owned: stays, whatever other threads do to the runner.
} plan_t;

// ---- Understanding a call ----

static berth_graph_t *graph_of(const plan_t *plan) {
  PyObject *graph = ((berth_py_session_t *)plan->session)->graph;
  return ((berth_py_graph_t *)graph)->graph;
}

static bool is_same(berth_out_t a, berth_out_t b) {
  return a.node == b.node && a.index == b.index;
}

// True when |out| is fetched, too, and gives what it was fed; or fed twice.
static bool is_named_again(const plan_t *plan, berth_out_t out) {
  for (int i = 0; i < plan->form.fetch_count; ++i) {
    if (is_same(plan->form.fetches[i], out)) return true;
  }
  for (int i = 0; i < plan->feeds.count; ++i) {
    if (is_same(plan->feeds.items[i].out, out)) return true;
  }
  return false;
}

static bool plan_feed(const runner_t *self, PyObject *key, PyObject *value,
                      plan_t *plan) {
  berth_out_t out;
  if (!berth_py_element(&self->elements, key, &out)) return false;
  if (out.index < 0 || is_named_again(plan, out)) return false;
  const berth_graph_t *graph = graph_of(plan);
  berth_dtype_t dtype = berth_out_dtype(graph, out);
  if (dtype == BERTH_INVALID) return false;  // There is no such output.
  berth_shape_t shape;
  berth_out_shape(graph, out, &shape);
  berth_tensor_t *tensor = berth_py_feed_tensor(value, dtype, &shape);
  if (tensor == NULL) return false;
  plan->feeds.items[plan->feeds.count++] = (berth_feed_t){out, tensor};
  return true;
}

static bool plan_feeds(const runner_t *self, PyObject *feeds, plan_t *plan) {
  if (feeds == NULL || feeds == Py_None) return true;
  if (!PyDict_CheckExact(feeds)) return false;
  Py_ssize_t size = PyDict_GET_SIZE(feeds);
  if (size > BERTH_PY_FEW && !berth_py_feeds_reserve(&plan->feeds, size)) {
    return false;
  }
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool ok = true;
  while (ok && PyDict_Next(feeds, &at, &key, &value)) {
    // Python looks names up, and numpy is imported with the first array: others
    // may change the dict meanwhile.
    Py_INCREF(key);
    Py_INCREF(value);
    ok = plan->feeds.count < plan->feeds.room &&
         plan_feed(self, key, value, plan);
    Py_DECREF(key);
    Py_DECREF(value);
  }
  return ok && plan->feeds.count == size;
}

// ---- Running ----

// Lets Python say more about the exception that is set. Returns NULL.
static PyObject *fail(const runner_t *self) {
  if (self->failed == NULL) return NULL;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *better = PyObject_CallFunctionObjArgs(self->failed, value, NULL);
  if (better != NULL && PyExceptionInstance_Check(better)) {
    PyErr_SetObject((PyObject *)Py_TYPE(better), better);
  } else if (better != NULL) {
    PyErr_SetObject(type, value);
  }
  Py_XDECREF(better);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return NULL;
}

static PyObject *plan_run(const runner_t *self, const plan_t *plan) {
  berth_tensor_t *results[BERTH_PY_FORM];
  berth_run_t run = {.feeds = plan->feeds.items,
                     .feed_count = plan->feeds.count,
                     .fetches = plan->form.fetches,
                     .fetch_count = plan->form.fetch_count,
                     .results = results,
                     .targets = plan->form.targets,
                     .target_count = plan->form.target_count};
  if (!berth_py_session_run(plan->session, &run)) return fail(self);
  return berth_py_form_build(&plan->form, results);
}

// True when a fetch is a handle that Python makes an object of, which can be fed.
static bool fetches_handle(const plan_t *plan) {
  static const char begin[] = "GetSessionHandle";
  for (int i = 0; i < plan->form.fetch_count; ++i) {
    const char *op = berth_node_op(graph_of(plan), plan->form.fetches[i].node);
    // What is no node of the graph is told later.
    if (op != NULL && strncmp(op, begin, sizeof(begin) - 1) == 0) return true;
  }
  return false;
}

// Reads a call; false, mostly without an exception, when it is not a usual one.
// To be cleared either way.
static bool plan_read(const runner_t *self, PyObject *fetches, PyObject *feeds,
                      plan_t *plan) {
  plan->feeds.items = plan->feeds.few;
  plan->feeds.count = 0;
  plan->feeds.room = BERTH_PY_FEW;
  plan->session = self->session;
  Py_INCREF(plan->session);
  return berth_py_form_read(&self->elements, fetches, &plan->form) &&
         !fetches_handle(plan) && plan_feeds(self, feeds, plan);
}

static void plan_clear(plan_t *plan) {
  berth_py_form_clear(&plan->form);
  berth_py_feeds_clear(&plan->feeds);
  Py_DECREF(plan->session);
}

// Does the call if it is a usual one. NULL without an exception: it is not.
static PyObject *run_quickly(const runner_t *self, PyObject *fetches,
                             PyObject *feeds) {
  plan_t plan;
  PyObject *result = NULL;
  // A form without anything in it is run by nobody.
  if (plan_read(self, fetches, feeds, &plan) &&
      plan.form.fetch_count + plan.form.target_count > 0) {
    result = plan_run(self, &plan);
  }
  plan_clear(&plan);
  return result;
}

// Goes on with a partial run if the call is a usual one, else as above.
static PyObject *go_on_quickly(const runner_t *self, PyObject *partial,
                               PyObject *fetches, PyObject *feeds) {
  plan_t plan;
  PyObject *result = NULL;
  berth_tensor_t *results[BERTH_PY_FORM];
  const berth_py_form_t *form = &plan.form;
  if (plan_read(self, fetches, feeds, &plan) && form->target_count == 0 &&
      berth_py_partial_waits(partial, &plan.feeds, form->fetches,
                             form->fetch_count)) {
    result = berth_py_partial_run(partial, &plan.feeds, form->fetches,
                                  form->fetch_count, results)
                 ? berth_py_form_build(form, results)
                 : fail(self);
  }
  plan_clear(&plan);
  return result;
}

static PyObject *runner_partial(PyObject *object, PyObject *args) {
  const runner_t *self = (runner_t *)object;
  PyObject *partial, *fetches, *feeds, *result = NULL;
  if (!PyArg_ParseTuple(args, "O!OO:partial", &berth_py_partial_type, &partial,
                        &fetches, &feeds)) {
    return NULL;
  }
  if (self->session != NULL) {
    result = go_on_quickly(self, partial, fetches, feeds);
  }
  if (result != NULL || PyErr_Occurred()) return result;
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *runner_call(PyObject *object, PyObject *const *args,
                             size_t flags, PyObject *keywords) {
  static const char *const names[] = {"fetches", "feed_dict", "options",
                                      "run_metadata", NULL};
  runner_t *self = (runner_t *)object;
  PyObject *given[4];
  if (!berth_py_args("run", names, args, PyVectorcall_NARGS(flags), keywords,
                     given)) {
    return NULL;
  }
  PyObject *result = NULL;
  if (self->session != NULL && given[0] != NULL &&
      (given[2] == NULL || given[2] == Py_None) &&
      (given[3] == NULL || given[3] == Py_None)) {
    result = run_quickly(self, given[0], given[1]);
  }
  if (result != NULL || PyErr_Occurred()) return result;
  return PyObject_Vectorcall(self->slow, args, flags, keywords);
}

// ---- The type ----

static PyObject *runner_new(PyTypeObject *type, PyObject *args,
                            PyObject *kwargs) {
  static char *names[] = {"session", "graph", "slow", "failed", NULL};
  PyObject *session, *graph, *slow, *failed = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OO|O:Runner", names,
                                   &berth_py_session_type, &session, &graph,
                                   &slow, &failed)) {
    return NULL;
  }
  runner_t *self = (runner_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->elements.names = PyDict_New();
  if (self->elements.names == NULL) {
    Py_DECREF(self);
    return NULL;
  }
  if (failed == Py_None) failed = NULL;
  Py_INCREF(session);
  Py_INCREF(graph);
  Py_INCREF(slow);
  Py_XINCREF(failed);
  self->session = session;
  self->elements.graph = graph;
  self->slow = slow;
  self->failed = failed;
  self->call = runner_call;
  return (PyObject *)self;
}

static int runner_traverse(PyObject *object, visitproc visit, void *arg) {
  runner_t *self = (runner_t *)object;
  Py_VISIT(self->session);
  Py_VISIT(self->elements.graph);
  Py_VISIT(self->elements.names);
  Py_VISIT(self->slow);
  Py_VISIT(self->failed);
  return 0;
}

static int runner_clear(PyObject *object) {
  runner_t *self = (runner_t *)object;
  Py_CLEAR(self->session);
  Py_CLEAR(self->elements.graph);
  Py_CLEAR(self->elements.names);
  Py_CLEAR(self->slow);
  Py_CLEAR(self->failed);
  return 0;
}

static void runner_dealloc(PyObject *object) {
  PyObject_GC_UnTrack(object);
  (void)runner_clear(object);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *runner_close(PyObject *object, PyObject *unused) {
  (void)unused;
  Py_CLEAR(((runner_t *)object)->session);
  Py_RETURN_NONE;
}

static PyMethodDef runner_methods[] = {
    {"partial", runner_partial, METH_VARARGS,
     "partial(partial, fetches, feed_dict)\n\nGoes on with a run in several "
     "calls; NotImplemented when Python is to look at the arguments."},
    {"close", runner_close, METH_NOARGS,
     "Leaves every further call to Python's function."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_runner_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Runner",
    .tp_basicsize = sizeof(runner_t),
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc =
        "Runner(session, graph, slow, failed=None)\n\n"
        "Does the usual calls of run(fetches, feed_dict, options, "
        "run_metadata) and leaves the others to slow. What a run raises "
        "goes through failed, which returns the exception to raise.",
    .tp_vectorcall_offset = offsetof(runner_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_new = runner_new,
    .tp_traverse = runner_traverse,
    .tp_clear = runner_clear,
    .tp_dealloc = runner_dealloc,
    .tp_methods = runner_methods,
};
