// plan.c - core.Session: how much memory a run will take.
#include "berth/memory_plan.h"
#include "core.h"

// What a plan is asked for, read from Python.
typedef struct wanted {
  berth_py_outs_t fetches;
  berth_py_nodes_t targets;
  berth_shape_feed_t *feeds;
  int64_t *dims;            // Of all feeds.
  berth_tensor_t **values;  // By feed: what is known to be fed. Owned.
  Py_ssize_t feed_count;
} wanted_t;

static void wanted_clear(wanted_t *wanted) {
  berth_py_outs_clear(&wanted->fetches);
  berth_py_nodes_clear(&wanted->targets);
  PyMem_Free(wanted->feeds);
  PyMem_Free(wanted->dims);
  for (Py_ssize_t i = 0; i < wanted->feed_count; ++i) {
    berth_tensor_release(wanted->values[i]);
  }
  PyMem_Free(wanted->values);
}

// Reads the shape of feed |index|, behind |used| dimensions of others.
static bool shape_read(wanted_t *wanted, Py_ssize_t index, PyObject *shape,
                       Py_ssize_t *used) {
  Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  int64_t *dims =
      PyMem_Resize(wanted->dims, int64_t, (size_t)(*used + rank + 1));
  if (dims == NULL) {
    PyErr_NoMemory();
    return false;
  }
  wanted->dims = dims;
  for (Py_ssize_t i = 0; i < rank; ++i) {
    dims[*used + i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
    if (PyErr_Occurred()) return false;
  }
  wanted->feeds[index].shape.rank = (int32_t)rank;
  *used += rank;
  return true;
}

// Reads |feeds|, a list of pairs of an output and a tuple of dimensions, and of a
// handle as a third where one is fed.
static bool feeds_read(wanted_t *wanted, PyObject *feeds) {
  Py_ssize_t used = 0, count = PyList_GET_SIZE(feeds);
  wanted->feeds = PyMem_Calloc((size_t)count + 1, sizeof(*wanted->feeds));
  wanted->values = PyMem_Calloc((size_t)count + 1, sizeof(*wanted->values));
  if (wanted->feeds == NULL || wanted->values == NULL) {
    return PyErr_NoMemory() != NULL;
  }
  wanted->feed_count = count;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *out = NULL, *shape = NULL, *value = NULL;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(feeds, i), "OO!|O", &out,
                          &PyTuple_Type, &shape, &value) ||
        !berth_py_read_out(out, &wanted->feeds[i].out) ||
        !shape_read(wanted, i, shape, &used)) {
      return false;
    }
    if (value == NULL) continue;
    berth_tensor_t *handle = berth_py_get_tensor(value);
    if (handle == NULL) return false;
    wanted->values[i] = berth_tensor_retain(handle);
  }
  // The dimensions stay where they are from now on.
  const int64_t *dims = wanted->dims;
  for (Py_ssize_t i = 0; i < count; ++i) {
    wanted->feeds[i].shape.dims = dims;
    dims += wanted->feeds[i].shape.rank;
  }
  return true;
}

static bool wanted_read(PyObject *fetches, PyObject *targets, PyObject *feeds,
                        wanted_t *wanted) {
  bool ok = berth_py_outs_read(fetches, &wanted->fetches);
  ok = berth_py_nodes_read(ok ? targets : NULL, &wanted->targets) && ok;
  return ok && feeds_read(wanted, feeds);
}

static berth_memory_request_t request_of(const wanted_t *wanted,
                                         int64_t batch) {
  return (berth_memory_request_t){.feeds = wanted->feeds,
                                  .feed_count = (int)wanted->feed_count,
                                  .fetches = wanted->fetches.items,
                                  .fetch_count = wanted->fetches.count,
                                  .targets = wanted->targets.items,
                                  .target_count = wanted->targets.count,
                                  .batch = batch,
                                  .values = wanted->values};
}

// Makes the plan and returns it as JSON.
static PyObject *plan_print(berth_session_t *session,
                            const berth_memory_request_t *request) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_plan_t *plan = NULL;
  char *text = NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_session_plan_memory(session, request, &plan, &err);
  if (code == BERTH_OK) code = berth_memory_plan_print(plan, &text, &err);
  berth_memory_plan_destroy(plan);
  PyEval_RestoreThread(saved);
  return code == BERTH_OK ? berth_py_text_take(text) : berth_py_raise(&err);
}

PyObject *berth_py_plan_memory(PyObject *session, PyObject *args) {
  PyObject *fetches = NULL, *targets = NULL, *feeds = NULL, *text = NULL;
  long long batch = 0;
  if (!PyArg_ParseTuple(args, "OOO!L:plan_memory", &fetches, &targets,
                        &PyList_Type, &feeds, &batch)) {
    return NULL;
  }
  wanted_t wanted = {0};
  if (wanted_read(fetches, targets, feeds, &wanted)) {
    berth_memory_request_t request = request_of(&wanted, batch);
    text = plan_print(berth_py_session_of(session), &request);
  }
  wanted_clear(&wanted);
  return text;
}

PyObject *berth_py_plan_batch(PyObject *session, PyObject *args) {
  PyObject *fetches = NULL, *targets = NULL, *feeds = NULL, *result = NULL;
  const char *device = NULL;
  unsigned long long limit = 0;
  if (!PyArg_ParseTuple(args, "OOO!zK:plan_batch", &fetches, &targets,
                        &PyList_Type, &feeds, &device, &limit)) {
    return NULL;
  }
  wanted_t wanted = {0};
  if (wanted_read(fetches, targets, feeds, &wanted)) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_memory_request_t request = request_of(&wanted, 0);
    int64_t batch = 0;
    PyThreadState *saved = PyEval_SaveThread();
    berth_code_t code = berth_session_plan_batch(
        berth_py_session_of(session), &request, device, limit, &batch, &err);
    PyEval_RestoreThread(saved);
    result =
        code == BERTH_OK ? PyLong_FromLongLong(batch) : berth_py_raise(&err);
  }
  wanted_clear(&wanted);
  return result;
}
