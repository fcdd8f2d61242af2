// import.c - GraphDefs and functions into a core.Graph.
#include "core.h"

static berth_graph_t *graph_of(PyObject *self) {
  return ((berth_py_graph_t *)self)->graph;
}

// Names and the outputs that they stand for. Names are borrowed.
typedef struct names {
  PyObject *sequence;  // Owned: what holds them, or NULL.
  const char **texts;
  berth_out_t *outs;
  int count;
} names_t;

static bool names_reserve(names_t *names, Py_ssize_t count) {
  names->texts = PyMem_Calloc((size_t)count + 1, sizeof(char *));
  names->outs = PyMem_Calloc((size_t)count + 1, sizeof(berth_out_t));
  if (names->texts != NULL && names->outs != NULL) return true;
  PyErr_NoMemory();
  return false;
}

// Reads a sequence of names.
static bool names_read(PyObject *object, names_t *names) {
  if (object == NULL || object == Py_None) return names_reserve(names, 0);
  names->sequence = berth_py_items(object, "names come in a sequence");
  if (names->sequence == NULL) return false;
  Py_ssize_t count = PyTuple_GET_SIZE(names->sequence);
  if (!names_reserve(names, count)) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    names->texts[i] = berth_py_text(PyTuple_GET_ITEM(names->sequence, i));
    if (names->texts[i] == NULL) return false;
    ++names->count;
  }
  return true;
}

// Reads {name: output}.
static bool names_read_map(PyObject *map, names_t *names) {
  if (map == NULL || map == Py_None) return names_reserve(names, 0);
  if (!PyDict_Check(map)) {
    PyErr_SetString(PyExc_TypeError, "input_map is a dict");
    return false;
  }
  // Names are borrowed from the copy, which nobody changes.
  names->sequence = PyDict_Copy(map);
  if (names->sequence == NULL) return false;
  if (!names_reserve(names, PyDict_GET_SIZE(names->sequence))) return false;
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(names->sequence, &at, &key, &value)) {
    names->texts[names->count] = berth_py_text(key);
    if (names->texts[names->count] == NULL ||
        !berth_py_read_out(value, &names->outs[names->count])) {
      return false;
    }
    ++names->count;
  }
  return true;
}

static void names_clear(names_t *names) {
  Py_XDECREF(names->sequence);
  PyMem_Free(names->texts);
  PyMem_Free(names->outs);
}

// ---- GraphDefs ----

static PyObject *numbers_list(const berth_node_id_t *nodes, int count) {
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *number = PyLong_FromLong(nodes[i]);
    if (number == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, number);
    }
  }
  return list;
}

// Imports, and returns (outputs, nodes) that were asked for.
static PyObject *import_do(PyObject *self, const Py_buffer *data,
                           berth_import_t *import) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t *nodes = PyMem_Calloc((size_t)import->return_node_count + 1,
                                        sizeof(berth_node_id_t));
  if (nodes == NULL) return PyErr_NoMemory();
  import->return_nodes = nodes;
  PyObject *result = NULL;
  if (berth_graph_import(graph_of(self), data->buf, (size_t)data->len, import,
                         &err) == BERTH_OK) {
    result = Py_BuildValue(
        "(NN)", berth_py_outs_list(import->return_outs, import->return_count),
        numbers_list(nodes, import->return_node_count));
  } else {
    berth_py_raise(&err);
  }
  PyMem_Free(nodes);
  return result;
}

PyObject *berth_py_graph_import(PyObject *self, PyObject *args,
                                PyObject *kwargs) {
  static char *keys[] = {
      "data",         "prefix",   "input_map",      "returns",
      "return_nodes", "controls", "uniquify_names", "uniquify_prefix",
      "device",       NULL};
  Py_buffer data;
  berth_import_t import = {0};
  PyObject *map = NULL, *returns = NULL, *nodes = NULL, *controls = NULL;
  int unique_names = 0, unique_prefix = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y*|zOOOOppz:import_", keys,
                                   &data, &import.prefix, &map, &returns,
                                   &nodes, &controls, &unique_names,
                                   &unique_prefix, &import.default_device)) {
    return NULL;
  }
  names_t inputs = {0}, outs = {0}, wanted = {0};
  berth_py_nodes_t after;
  PyObject *result = NULL;
  bool ok = berth_py_nodes_read(controls, &after);
  if (ok && names_read_map(map, &inputs) && names_read(returns, &outs) &&
      names_read(nodes, &wanted)) {
    import.uniquify_names = unique_names != 0;
    import.uniquify_prefix = unique_prefix != 0;
    import.input_names = inputs.texts;
    import.input_outs = inputs.outs;
    import.input_count = inputs.count;
    import.controls = after.items;
    import.control_count = after.count;
    import.return_names = outs.texts;
    import.return_outs = outs.outs;
    import.return_count = outs.count;
    import.return_node_names = wanted.texts;
    import.return_node_count = wanted.count;
    result = import_do(self, &data, &import);
  }
  names_clear(&inputs);
  names_clear(&outs);
  names_clear(&wanted);
  berth_py_nodes_clear(&after);
  PyBuffer_Release(&data);
  return result;
}

// ---- Functions ----

PyObject *berth_py_graph_add_functions(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  Py_buffer data;
  if (!PyArg_ParseTuple(args, "y*:add_functions", &data)) return NULL;
  berth_code_t code = berth_graph_add_functions(graph_of(self), data.buf,
                                                (size_t)data.len, &err);
  PyBuffer_Release(&data);
  if (code != BERTH_OK) return berth_py_raise(&err);
  Py_RETURN_NONE;
}

PyObject *berth_py_graph_add_function(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  PyObject *body = NULL, *inputs = NULL, *outputs = NULL, *labels = NULL;
  if (!PyArg_ParseTuple(args, "sO!OO|O:add_function", &name,
                        &berth_py_graph_type, &body, &inputs, &outputs,
                        &labels)) {
    return NULL;
  }
  berth_py_outs_t ins, outs;
  names_t names = {0};
  bool ok = berth_py_outs_read(inputs, &ins);
  ok = berth_py_outs_read(ok ? outputs : NULL, &outs) && ok;
  ok = ok && names_read(labels, &names);
  if (ok && names.count != 0 && names.count != outs.count) {
    PyErr_SetString(PyExc_ValueError, "every output needs a name, or none");
    ok = false;
  }
  if (ok && berth_graph_add_function_of(graph_of(self), name, graph_of(body),
                                        ins.items, ins.count, outs.items,
                                        names.count > 0 ? names.texts : NULL,
                                        outs.count, &err) != BERTH_OK) {
    berth_py_raise(&err);
    ok = false;
  }
  berth_py_outs_clear(&ins);
  berth_py_outs_clear(&outs);
  names_clear(&names);
  if (!ok) return NULL;
  Py_RETURN_NONE;
}

PyObject *berth_py_graph_functions(PyObject *self, void *arg) {
  (void)arg;
  int count = berth_graph_function_count(graph_of(self));
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *name =
        PyUnicode_FromString(berth_graph_function_name(graph_of(self), i));
    if (name == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, name);
    }
  }
  return list;
}
