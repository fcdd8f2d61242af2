// session.c - core.Session: runs of a graph.
#include "core.h"

// ---- Settings ----

// Reads a ConfigProto from an object that is bytes or can be serialised.
static bool config_parse(PyObject *object, berth_config_t *config) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *bytes = object;
  Py_INCREF(bytes);
  if (!PyBytes_Check(object)) {
    Py_DECREF(bytes);
    bytes = PyObject_CallMethod(object, "SerializeToString", NULL);
  }
  if (bytes == NULL) return false;
  char *data = NULL;
  Py_ssize_t size = 0;
  bool ok = PyBytes_AsStringAndSize(bytes, &data, &size) == 0;
  if (ok && berth_config_parse(data, (size_t)size, config, &err) != BERTH_OK) {
    berth_py_raise(&err);
    ok = false;
  }
  Py_DECREF(bytes);
  return ok;
}

bool berth_py_config_read(PyObject *object, berth_config_t *config) {
  berth_error_t err = BERTH_ERROR_INIT;
  bool ok;
  if (object != NULL && object != Py_None) {
    ok = config_parse(object, config);
  } else {
    ok = berth_process_query_config(config, &err) == BERTH_OK;
    if (!ok) berth_py_raise(&err);
  }
  if (ok) config->poll = berth_py_poll;
  return ok;
}

// ---- Life ----

static berth_session_t *session_of(PyObject *self) {
  return ((berth_py_session_t *)self)->session;
}

berth_session_t *berth_py_session_of(PyObject *session) {
  return session_of(session);
}

static berth_graph_t *graph_of(PyObject *self) {
  PyObject *graph = ((berth_py_session_t *)self)->graph;
  return ((berth_py_graph_t *)graph)->graph;
}

static berth_session_t *session_open(PyObject *graph, PyObject *settings) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_session_t *session = NULL;
  if (!berth_py_config_read(settings, &config)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_session_create(((berth_py_graph_t *)graph)->graph,
                                           &config, &session, &err);
  PyEval_RestoreThread(saved);
  berth_config_clear(&config);
  if (code != BERTH_OK) berth_py_raise(&err);
  return session;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args,
                             PyObject *kwargs) {
  static char *names[] = {"graph", "config", NULL};
  PyObject *graph = NULL, *settings = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O:Session", names,
                                   &berth_py_graph_type, &graph, &settings)) {
    return NULL;
  }
  berth_session_t *session = session_open(graph, settings);
  if (session == NULL) return NULL;
  berth_py_session_t *self = (berth_py_session_t *)type->tp_alloc(type, 0);
  if (self == NULL) {
    berth_session_destroy(session);
    return NULL;
  }
  Py_INCREF(graph);
  self->graph = graph;
  self->session = session;
  return (PyObject *)self;
}

#if PY_VERSION_HEX < 0x030D0000
#define Py_IsFinalizing _Py_IsFinalizing
#endif

static void session_dealloc(PyObject *self) {
  berth_session_t *session = session_of(self);
  if (Py_IsFinalizing()) {
    // What runs that were ended have left to cards may take long, and would be
    // waited for: the process takes it along.
    berth_session_cancel(session);
  } else {
    PyThreadState *saved = PyEval_SaveThread();
    berth_session_destroy(session);
    PyEval_RestoreThread(saved);
    Py_XDECREF(((berth_py_session_t *)self)->graph);
    Py_XDECREF(((berth_py_session_t *)self)->context);
  }
  Py_TYPE(self)->tp_free(self);
}

static PyObject *session_close(PyObject *self, PyObject *unused) {
  (void)unused;
  // Not waiting: the caller may be part of what runs, as the handler of a
  // signal and the function of a py_func are.
  berth_session_cancel(session_of(self));
  Py_RETURN_NONE;
}

// ---- Feeds and results ----

bool berth_py_feeds_reserve(berth_py_feeds_t *feeds, Py_ssize_t room) {
  feeds->items = feeds->few;
  feeds->count = 0;
  feeds->room = BERTH_PY_FEW;
  if (room <= BERTH_PY_FEW) return true;
  berth_feed_t *items = PyMem_Calloc((size_t)room, sizeof(berth_feed_t));
  if (items == NULL) {
    PyErr_NoMemory();
    return false;
  }
  feeds->items = items;
  feeds->room = room;
  return true;
}

void berth_py_feeds_clear(berth_py_feeds_t *feeds) {
  for (int i = 0; i < feeds->count; ++i) {
    berth_tensor_release(feeds->items[i].tensor);
  }
  if (feeds->items != feeds->few) PyMem_Free(feeds->items);
  feeds->items = feeds->few;
  feeds->count = 0;
}

static bool feed_add(const berth_graph_t *graph, PyObject *key, PyObject *value,
                     berth_py_feeds_t *feeds) {
  berth_feed_t *feed = &feeds->items[feeds->count];
  if (!berth_py_read_out(key, &feed->out)) return false;
  if (feed->out.node < 0 || feed->out.node >= berth_graph_node_count(graph) ||
      feed->out.index < 0 ||
      feed->out.index >= berth_node_output_count(graph, feed->out.node)) {
    PyErr_Format(PyExc_IndexError, "there is no output %d of node %d to feed",
                 feed->out.index, (int)feed->out.node);
    return false;
  }
  berth_dtype_t dtype = berth_out_dtype(graph, feed->out);
  feed->tensor = berth_py_read_tensor(value, dtype, true);
  feeds->count += feed->tensor != NULL;
  return feed->tensor != NULL;
}

static bool feeds_read_dict(const berth_graph_t *graph, PyObject *dict,
                            berth_py_feeds_t *feeds) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool ok = berth_py_feeds_reserve(feeds, PyDict_Size(dict));
  while (ok && PyDict_Next(dict, &at, &key, &value)) {
    // Making a tensor may call Python, which may change the dict.
    Py_INCREF(key);
    Py_INCREF(value);
    ok = feeds->count < feeds->room;
    if (!ok) PyErr_SetString(PyExc_RuntimeError, "feeds grew while being read");
    ok = ok && feed_add(graph, key, value, feeds);
    Py_DECREF(key);
    Py_DECREF(value);
  }
  return ok;
}

static bool feeds_read_pairs(const berth_graph_t *graph, PyObject *pairs,
                             berth_py_feeds_t *feeds) {
  Py_ssize_t count = PyTuple_GET_SIZE(pairs);
  if (!berth_py_feeds_reserve(feeds, count)) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *pair = PyTuple_GET_ITEM(pairs, i);
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
      PyErr_SetString(PyExc_TypeError, "a feed is a pair: (output, value)");
      return false;
    }
    if (!feed_add(graph, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1),
                  feeds)) {
      return false;
    }
  }
  return true;
}

bool berth_py_feeds_read(const berth_graph_t *graph, PyObject *feeds,
                         berth_py_feeds_t *out) {
  out->items = out->few;
  out->count = 0;
  if (feeds == NULL || feeds == Py_None) return true;
  if (PyDict_Check(feeds)) return feeds_read_dict(graph, feeds, out);
  PyObject *pairs = berth_py_items(feeds, "feeds are a dict or a sequence");
  if (pairs == NULL) return false;
  bool ok = feeds_read_pairs(graph, pairs, out);
  Py_DECREF(pairs);
  return ok;
}

bool berth_py_succeeded(berth_code_t code, berth_error_t *err,
                        berth_tensor_t **results, int count) {
  if (code != BERTH_OK) {
    berth_py_raise(err);
    return false;
  }
  if (!PyErr_Occurred()) return true;
  for (int i = 0; i < count; ++i) berth_tensor_release(results[i]);
  return false;
}

bool berth_py_session_run(PyObject *session, const berth_run_t *run) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_session_run_with(session_of(session), run, &err);
  berth_py_return(saved);
  return berth_py_succeeded(code, &err, run->results, run->fetch_count);
}

PyObject *berth_py_results_fill(berth_tensor_t **results, int count,
                                const bool *is_target, Py_ssize_t items) {
  int next = 0;
  PyObject *list = PyList_New(items);
  for (Py_ssize_t i = 0; list != NULL && i < items; ++i) {
    PyObject *item = Py_None;
    if (is_target != NULL && is_target[i]) {
      Py_INCREF(item);
    } else {
      item = berth_py_array_of(results[next++]);
    }
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  while (next < count) berth_tensor_release(results[next++]);
  return list;
}

PyObject *berth_py_results_list(berth_tensor_t **results, int count) {
  return berth_py_results_fill(results, count, NULL, count);
}

// ---- Running ----

// Everything one run is given, read from Python.
typedef struct request {
  berth_py_outs_t fetches;
  berth_py_nodes_t targets;
  berth_py_feeds_t feeds;
  berth_tensor_t *few[BERTH_PY_FEW];
  berth_tensor_t **results;
} request_t;

static void request_clear(request_t *request) {
  berth_py_outs_clear(&request->fetches);
  berth_py_nodes_clear(&request->targets);
  berth_py_feeds_clear(&request->feeds);
  if (request->results != request->few) PyMem_Free(request->results);
}

static bool request_read(PyObject *self, PyObject *fetches, PyObject *targets,
                         PyObject *feeds, request_t *request) {
  request->results = request->few;
  // Each read leaves something that can be cleared. Once one failed nothing is
  // read any more, which could call Python.
  bool ok = berth_py_outs_read(fetches, &request->fetches);
  ok = berth_py_nodes_read(ok ? targets : NULL, &request->targets) && ok;
  ok =
      berth_py_feeds_read(graph_of(self), ok ? feeds : NULL, &request->feeds) &&
      ok;
  if (ok && request->fetches.count > BERTH_PY_FEW) {
    request->results =
        PyMem_Calloc((size_t)request->fetches.count, sizeof(berth_tensor_t *));
    if (request->results == NULL) PyErr_NoMemory();
  }
  return ok && request->results != NULL;
}

static berth_run_t request_run(const request_t *request) {
  return (berth_run_t){.feeds = request->feeds.items,
                       .feed_count = request->feeds.count,
                       .fetches = request->fetches.items,
                       .fetch_count = request->fetches.count,
                       .targets = request->targets.items,
                       .target_count = request->targets.count,
                       .results = request->results};
}

// Runs, and returns a list of arrays, or of tensors where the session is a
// context's.
static PyObject *request_do(PyObject *self, const berth_run_t *run) {
  if (!berth_py_session_run(self, run)) return NULL;
  PyObject *context = ((berth_py_session_t *)self)->context;
  if (context == NULL) {
    // Before the feeds go, so that a result that is one is seen to be shared.
    return berth_py_results_list(run->results, run->fetch_count);
  }
  return berth_py_tensors_list(berth_py_context_class(context), run->results,
                               run->fetch_count, NULL);
}

static PyObject *session_run(PyObject *self, PyObject *const *args,
                             Py_ssize_t count, PyObject *keywords) {
  static const char *const names[] = {"fetches", "targets", "feeds", NULL};
  PyObject *given[3];
  if (!berth_py_args("run", names, args, count, keywords, given)) return NULL;
  request_t request;
  PyObject *list = NULL;
  if (request_read(self, given[0], given[1], given[2], &request)) {
    berth_run_t run = request_run(&request);
    list = request_do(self, &run);
  }
  request_clear(&request);
  return list;
}

// Runs with RunOptions and returns (results, RunMetadata).
static PyObject *do_with(PyObject *self, request_t *request,
                         const Py_buffer *options) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_run_t run = request_run(request);
  void *metadata = NULL;
  size_t size = 0;
  run.out_metadata = &metadata;
  run.out_metadata_size = &size;
  if (options->len > 0 &&
      berth_run_parse_options(&run, options->buf, (size_t)options->len, &err) !=
          BERTH_OK) {
    return berth_py_raise(&err);
  }
  PyObject *list = request_do(self, &run);
  if (list == NULL) {
    berth_text_free(metadata);
    return NULL;
  }
  return Py_BuildValue("(NN)", list, berth_py_bytes_take(metadata, size));
}

static PyObject *session_run_with(PyObject *self, PyObject *args) {
  Py_buffer options;
  PyObject *fetches = NULL, *targets = NULL, *feeds = NULL, *result = NULL;
  if (!PyArg_ParseTuple(args, "y*|OOO:run_with", &options, &fetches, &targets,
                        &feeds)) {
    return NULL;
  }
  request_t request;
  if (request_read(self, fetches, targets, feeds, &request)) {
    result = do_with(self, &request, &options);
  }
  request_clear(&request);
  PyBuffer_Release(&options);
  return result;
}

// ---- Looking ----

static PyObject *session_list_devices(PyObject *self, PyObject *unused) {
  (void)unused;
  int count = berth_session_device_count(session_of(self));
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *name =
        PyUnicode_FromString(berth_session_device_name(session_of(self), i));
    if (name == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, name);
    }
  }
  return list;
}

static PyObject *session_placement(PyObject *self, PyObject *object) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node;
  berth_node_placement_t place = {0};
  if (!berth_py_read_node(object, &node)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code =
      berth_session_placement(session_of(self), node, &place, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return Py_BuildValue("(zsi)", place.device, berth_reason_name(place.reason),
                       place.because);
}

static PyObject *session_pin(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  int node = 0;
  const char *device = NULL;
  if (!PyArg_ParseTuple(args, "is:pin", &node, &device)) return NULL;
  if (berth_session_pin(session_of(self), node, device, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

static PyObject *session_explain(PyObject *self, PyObject *object) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node;
  char *text = NULL;
  if (!berth_py_read_node(object, &node)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code =
      berth_session_explain(session_of(self), node, &text, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return berth_py_text_take(text);
}

static PyMethodDef session_methods[] = {
    {"run", (PyCFunction)(void (*)(void))session_run,
     METH_FASTCALL | METH_KEYWORDS,
     "run(fetches, targets=(), feeds=())\n\n"
     "Runs and returns a list with an array for each fetch."},
    {"run_with", session_run_with, METH_VARARGS,
     "run_with(options, fetches, targets=(), feeds=())\n\n"
     "Runs with serialised RunOptions; returns (results, RunMetadata bytes)."},
    {"make_callable", berth_py_make_callable, METH_VARARGS,
     "make_callable(feeds, fetches, targets=())\n\nPlans a run once."},
    {"partial_setup", berth_py_partial_setup, METH_VARARGS,
     "partial_setup(feeds, fetches, targets=())\n\n"
     "Begins a run that goes in several calls."},
    {"plan_memory", berth_py_plan_memory, METH_VARARGS,
     "plan_memory(fetches, targets, feeds, batch)\n\n"
     "Returns, as JSON, what a run will take; feeds are (output, shape)."},
    {"plan_batch", berth_py_plan_batch, METH_VARARGS,
     "plan_batch(fetches, targets, feeds, device, limit)\n\n"
     "Returns the largest batch that stays within a limit."},
    {"close", session_close, METH_NOARGS,
     "Ends what is running and refuses further runs."},
    {"list_devices", session_list_devices, METH_NOARGS,
     "Returns the full names of the session's devices."},
    {"pin", session_pin, METH_VARARGS,
     "pin(node, device)\n\nPuts a node on a device, whatever it asks for."},
    {"placement", session_placement, METH_O,
     "placement(node)\n\nReturns (device, reason, node of the reason)."},
    {"explain", session_explain, METH_O,
     "explain(node)\n\nReturns a sentence that says why a node is there."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_session_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Session",
    .tp_basicsize = sizeof(berth_py_session_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc =
        "Session(graph, config=None)\n\n"
        "Runs a graph; config is a serialised ConfigProto.",
    .tp_new = session_new,
    .tp_dealloc = session_dealloc,
    .tp_methods = session_methods,
};
