// runner.c - core.Runner: what Session.run is in Python, for the usual calls.
//
// A runner is called as Session.run(fetches, feed_dict=None, options=None,
// run_metadata=None). It does by itself what most calls are: tensors or
// operations of the session's graph, alone or in a list or tuple, fed with
// arrays that have the right type and shape. Everything else, and everything
// that is wrong, it leaves to a function of Python's with the same arguments,
// which knows nested fetches, conversions and the words for mistakes.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>

typedef struct runner {
  PyObject ob_base;
  PyObject *session;  // Owned: a core.Session; NULL once closed.
  PyObject *graph;    // Owned: what refs of this session have as _graph.
  PyObject *slow;     // Owned: does the rest.
  PyObject *failed;   // Owned: called with the exception of a run, or NULL.
  vectorcallfunc call;
} runner_t;

// A call as the runner understands it.
typedef struct plan {
  bool is_target[BERTH_PY_FEW];  // Of each item that is asked for.
  Py_ssize_t item_count;
  berth_out_t fetches[BERTH_PY_FEW];
  int fetch_count;
  berth_node_id_t targets[BERTH_PY_FEW];
  int target_count;
  berth_py_feeds_t feeds;
  PyObject *session;  // Owned: stays, whatever other threads do to the runner.
} plan_t;

// ---- Understanding a call ----

static berth_graph_t *graph_of(const plan_t *plan) {
  PyObject *graph = ((berth_py_session_t *)plan->session)->graph;
  return ((berth_py_graph_t *)graph)->graph;
}

// Returns the ref that |object| is, if it is a usual one of this graph.
static const berth_py_ref_t *usual_ref(const runner_t *self, PyObject *object) {
  if (!PyObject_TypeCheck(object, &berth_py_ref_type)) return NULL;
  const berth_py_ref_t *ref = (berth_py_ref_t *)object;
  bool usual =
      ref->graph == self->graph && !ref->is_special && ref->out.node >= 0;
  return usual ? ref : NULL;
}

// Fetches may be changed by another thread during the run: nothing of them is
// looked at after this.
static bool plan_fetches(const runner_t *self, PyObject *fetches,
                         plan_t *plan) {
  PyObject *const *items = &fetches;
  plan->item_count = 1;
  if (PyList_CheckExact(fetches) || PyTuple_CheckExact(fetches)) {
    items = PySequence_Fast_ITEMS(fetches);
    plan->item_count = PySequence_Fast_GET_SIZE(fetches);
  }
  if (plan->item_count < 1 || plan->item_count > BERTH_PY_FEW) return false;
  for (Py_ssize_t i = 0; i < plan->item_count; ++i) {
    const berth_py_ref_t *ref = usual_ref(self, items[i]);
    if (ref == NULL) return false;
    plan->is_target[i] = ref->out.index < 0;
    if (ref->out.index >= 0) {
      plan->fetches[plan->fetch_count++] = ref->out;
    } else {
      plan->targets[plan->target_count++] = ref->out.node;
    }
  }
  return true;
}

static bool shape_agrees(berth_dims_t given, const berth_shape_t *known) {
  if (known->rank < 0) return true;
  if (given.rank != known->rank) return false;
  for (int i = 0; i < given.rank; ++i) {
    if (known->dims[i] >= 0 && given.dims[i] != known->dims[i]) return false;
  }
  return true;
}

static bool is_fetched(const plan_t *plan, berth_out_t out) {
  for (int i = 0; i < plan->fetch_count; ++i) {
    if (plan->fetches[i].node == out.node &&
        plan->fetches[i].index == out.index) {
      return true;
    }
  }
  return false;
}

// Makes a tensor of |value| if it has the type and shape of |out|; else NULL.
static berth_tensor_t *usual_value(const berth_graph_t *graph, berth_out_t out,
                                   PyObject *value) {
  berth_dtype_t dtype = berth_out_dtype(graph, out);
  berth_shape_t shape;
  if (dtype == BERTH_INVALID) return NULL;  // There is no such output.
  berth_out_shape(graph, out, &shape);
  if (!berth_py_is_array(value)) {
    return shape.rank <= 0 ? berth_py_scalar_tensor(value, dtype) : NULL;
  }
  if (!berth_py_array_fits(value, dtype) ||
      !shape_agrees(berth_py_array_shape(value), &shape)) {
    return NULL;
  }
  return berth_py_tensor_of(value, dtype, true);
}

static bool plan_feed(const runner_t *self, PyObject *key, PyObject *value,
                      plan_t *plan) {
  const berth_py_ref_t *ref = usual_ref(self, key);
  if (ref == NULL || ref->out.index < 0 || is_fetched(plan, ref->out)) {
    return false;
  }
  berth_out_t out = ref->out;
  berth_tensor_t *tensor = usual_value(graph_of(plan), out, value);
  if (tensor == NULL) {
    // Python meets the same failure, and reports it.
    PyErr_Clear();
    return false;
  }
  plan->feeds.items[plan->feeds.count++] = (berth_feed_t){out, tensor};
  return true;
}

static bool plan_feeds(const runner_t *self, PyObject *feeds, plan_t *plan) {
  if (feeds == NULL || feeds == Py_None) return true;
  if (!PyDict_CheckExact(feeds) || PyDict_GET_SIZE(feeds) > BERTH_PY_FEW) {
    return false;
  }
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool ok = true;
  while (ok && PyDict_Next(feeds, &at, &key, &value)) {
    // The first array imports numpy: others may change the dict meanwhile.
    Py_INCREF(value);
    ok = plan->feeds.count < BERTH_PY_FEW && plan_feed(self, key, value, plan);
    Py_DECREF(value);
  }
  return ok;
}

// ---- Running ----

// Makes a list or tuple, as |fetches| is, of |results|, which are taken over.
static PyObject *results_build(PyObject *fetches, const plan_t *plan,
                               berth_tensor_t **results) {
  PyObject *list = berth_py_results_fill(results, plan->fetch_count,
                                         plan->is_target, plan->item_count);
  if (list == NULL || PyList_CheckExact(fetches)) return list;
  PyObject *tuple = PyList_AsTuple(list);
  Py_DECREF(list);
  return tuple;
}

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

static PyObject *plan_run(const runner_t *self, PyObject *fetches,
                          const plan_t *plan) {
  berth_tensor_t *results[BERTH_PY_FEW];
  berth_run_t run = {.feeds = plan->feeds.items,
                     .feed_count = plan->feeds.count,
                     .fetches = plan->fetches,
                     .fetch_count = plan->fetch_count,
                     .results = results,
                     .targets = plan->targets,
                     .target_count = plan->target_count};
  if (!berth_py_session_run(plan->session, &run)) return fail(self);
  if (PyList_CheckExact(fetches) || PyTuple_CheckExact(fetches)) {
    return results_build(fetches, plan, results);
  }
  if (plan->fetch_count == 1) return berth_py_array_of(results[0]);
  Py_RETURN_NONE;
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
  bool usual = self->session != NULL && given[0] != NULL &&
               (given[2] == NULL || given[2] == Py_None) &&
               (given[3] == NULL || given[3] == Py_None);
  plan_t plan;
  plan.fetch_count = plan.target_count = plan.feeds.count = 0;
  plan.feeds.items = plan.feeds.few;
  plan.session = self->session;
  Py_XINCREF(plan.session);
  PyObject *result = NULL;
  usual = usual && plan_fetches(self, given[0], &plan) &&
          plan_feeds(self, given[1], &plan);
  if (usual) result = plan_run(self, given[0], &plan);
  berth_py_feeds_clear(&plan.feeds);
  Py_XDECREF(plan.session);
  if (usual) return result;
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
  if (failed == Py_None) failed = NULL;
  Py_INCREF(session);
  Py_INCREF(graph);
  Py_INCREF(slow);
  Py_XINCREF(failed);
  self->session = session;
  self->graph = graph;
  self->slow = slow;
  self->failed = failed;
  self->call = runner_call;
  return (PyObject *)self;
}

static int runner_traverse(PyObject *object, visitproc visit, void *arg) {
  runner_t *self = (runner_t *)object;
  Py_VISIT(self->session);
  Py_VISIT(self->graph);
  Py_VISIT(self->slow);
  Py_VISIT(self->failed);
  return 0;
}

static int runner_clear(PyObject *object) {
  runner_t *self = (runner_t *)object;
  Py_CLEAR(self->session);
  Py_CLEAR(self->graph);
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
