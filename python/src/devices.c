// devices.c - The process's devices, cards and settings, as Python's values.
#include "core.h"

// Appends |value|, whose reference is taken over.
static bool append(PyObject *list, PyObject *value) {
  bool ok = value != NULL && PyList_Append(list, value) == 0;
  Py_XDECREF(value);
  return ok;
}

// ---- Devices ----

static PyObject *device_dict(const berth_device_info_t *info) {
  return Py_BuildValue("{s:s,s:s,s:s,s:L,s:K}", "name", info->name, "type",
                       info->type, "description", info->description,
                       "memory_limit", (long long)info->memory_limit,
                       "incarnation", (unsigned long long)info->incarnation);
}

static PyObject *core_devices(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_count(&count, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < count; ++i) {
    berth_device_info_t info;
    if (berth_device_query(i, &info, &err) != BERTH_OK) {
      Py_DECREF(list);
      return berth_py_raise(&err);
    }
    if (!append(list, device_dict(&info))) Py_CLEAR(list);
  }
  return list;
}

static PyObject *core_memory_stats(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_stats_t s;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:memory_stats", &name)) return NULL;
  if (berth_device_memory_stats(name, &s, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return Py_BuildValue(
      "{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L}", "num_allocs",
      s.num_allocs, "live_allocs", s.live_allocs, "bytes_in_use",
      s.bytes_in_use, "peak_bytes_in_use", s.peak_bytes_in_use,
      "largest_alloc_size", s.largest_alloc_size, "bytes_limit", s.bytes_limit,
      "pool_bytes", s.pool_bytes, "peak_pool_bytes", s.peak_pool_bytes,
      "idle_bytes", s.idle_bytes, "largest_free_block_bytes",
      s.largest_free_block_bytes, "region_count", s.region_count);
}

// Returns None, or raises what |code| says.
static PyObject *done(berth_code_t code, berth_error_t *err) {
  if (code != BERTH_OK) return berth_py_raise(err);
  Py_RETURN_NONE;
}

// Reads a number of bytes; the letter K would take any number as one.
static int read_bytes(PyObject *object, void *out) {
  unsigned long long bytes = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred()) return 0;
  *(unsigned long long *)out = bytes;
  return 1;
}

static PyObject *core_reset_memory_stats(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:reset_memory_stats", &name)) return NULL;
  return done(berth_device_reset_memory_stats(name, &err), &err);
}

static PyObject *core_trim_memory(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  unsigned long long keep = 0;
  uint64_t bytes = 0;
  if (!PyArg_ParseTuple(args, "s|O&:trim_memory", &name, read_bytes, &keep)) {
    return NULL;
  }
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_trim_memory(name, keep, &bytes, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return PyLong_FromUnsignedLongLong(bytes);
}

static PyObject *core_set_memory_limit(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  unsigned long long bytes = 0;
  if (!PyArg_ParseTuple(args, "sO&:set_memory_limit", &name, read_bytes,
                        &bytes)) {
    return NULL;
  }
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_set_memory_limit(name, bytes, &err);
  PyEval_RestoreThread(saved);
  return done(code, &err);
}

static PyObject *core_set_memory_growth(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  int growth = 0;
  if (!PyArg_ParseTuple(args, "sp:set_memory_growth", &name, &growth)) {
    return NULL;
  }
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_set_memory_growth(name, growth != 0, &err);
  PyEval_RestoreThread(saved);
  return done(code, &err);
}

static PyObject *core_release_memory(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:release_memory", &name)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_release_memory(name, &err);
  PyEval_RestoreThread(saved);
  return done(code, &err);
}

static PyObject *core_device_card(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  int card = 0;
  if (!PyArg_ParseTuple(args, "s:device_card", &name)) return NULL;
  if (berth_device_card(name, &card, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return PyLong_FromLong(card);
}

static PyObject *core_complete_name(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  const char *base = "/job:localhost/replica:0/task:0/device:CPU:0";
  char *text = NULL;
  if (!PyArg_ParseTuple(args, "s|s:complete_name", &name, &base)) return NULL;
  if (berth_device_name_complete(name, base, &text, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_text_take(text);
}

static PyObject *core_check_name(PyObject *module, PyObject *args) {
  (void)module;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:check_name", &name)) return NULL;
  return PyBool_FromLong(berth_device_name_check(name));
}

// ---- Cards ----

static PyObject *card_dict(const berth_card_t *card) {
  return Py_BuildValue("{s:s,s:s,s:s,s:i,s:i,s:(ii),s:K,s:K,s:O,s:O}", "name",
                       card->name, "uuid", card->uuid, "pci_bus_id",
                       card->pci_bus_id, "bus_index", card->bus_index,
                       "fast_index", card->fast_index, "compute_capability",
                       card->cc_major, card->cc_minor, "total_bytes",
                       (unsigned long long)card->total_bytes, "free_bytes",
                       (unsigned long long)card->free_bytes, "is_slice",
                       card->is_slice ? Py_True : Py_False, "is_simulated",
                       card->is_simulated ? Py_True : Py_False);
}

static PyObject *core_cards(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_card_count(&count, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < count; ++i) {
    berth_card_t card;
    if (berth_card_query(i, &card, &err) != BERTH_OK) {
      Py_DECREF(list);
      return berth_py_raise(&err);
    }
    if (!append(list, card_dict(&card))) Py_CLEAR(list);
  }
  return list;
}

static PyObject *core_card_problem(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyUnicode_FromString(berth_card_problem());
}

// ---- Settings ----

static PyObject *core_configure(PyObject *module, PyObject *settings) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  bool reset = settings == Py_None;
  if (!reset && !berth_py_config_read(settings, &config)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_process_configure(reset ? NULL : &config, &err);
  PyEval_RestoreThread(saved);
  berth_config_clear(&config);
  return done(code, &err);
}

static PyObject *core_set_tf32(PyObject *module, PyObject *value) {
  (void)module;
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return NULL;
  berth_process_set_tf32(truth != 0);
  Py_RETURN_NONE;
}

static PyObject *core_has_tf32(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(berth_process_has_tf32());
}

PyMethodDef berth_py_device_methods[] = {
    {"devices", core_devices, METH_NOARGS,
     "Returns the process's devices as dicts: name, type, description, "
     "memory_limit, incarnation."},
    {"memory_stats", core_memory_stats, METH_VARARGS,
     "memory_stats(device)\n\nReturns the figures of a device's memory."},
    {"reset_memory_stats", core_reset_memory_stats, METH_VARARGS,
     "reset_memory_stats(device)\n\nStarts counts and peaks anew."},
    {"trim_memory", core_trim_memory, METH_VARARGS,
     "trim_memory(device, keep=0)\n\nGives idle memory back; returns bytes."},
    {"set_memory_limit", core_set_memory_limit, METH_VARARGS,
     "set_memory_limit(device, bytes)\n\nLimits what a GPU may hold."},
    {"set_memory_growth", core_set_memory_growth, METH_VARARGS,
     "set_memory_growth(device, growth)\n\nLets a GPU hold what it uses."},
    {"release_memory", core_release_memory, METH_VARARGS,
     "release_memory(device)\n\nGives back all that is held of its card."},
    {"device_card", core_device_card, METH_VARARGS,
     "device_card(device)\n\nReturns the number of a GPU's card."},
    {"complete_name", core_complete_name, METH_VARARGS,
     "complete_name(name, base='…CPU:0')\n\nReturns a full device name."},
    {"check_name", core_check_name, METH_VARARGS,
     "check_name(name)\n\nTells whether the runtime can read a device name."},
    {"cards", core_cards, METH_NOARGS, "Returns the cards as dicts."},
    {"card_problem", core_card_problem, METH_NOARGS,
     "Returns why there is no card; '' when there is one."},
    {"configure", core_configure, METH_O,
     "configure(config)\n\nSets what sessions without settings get."},
    {"set_tf32", core_set_tf32, METH_O,
     "Allows products of float32 on GPUs to round to TF32, or not."},
    {"has_tf32", core_has_tf32, METH_NOARGS, "Tells whether they may."},
    {NULL, NULL, 0, NULL}};
