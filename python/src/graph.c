// graph.c - core.Graph: building, looking, importing and exporting.
#include <stddef.h>

#include "core.h"

static berth_graph_t *graph_of(PyObject *self) {
  return ((berth_py_graph_t *)self)->graph;
}

static PyObject *graph_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  (void)args;
  (void)kwargs;
  berth_graph_t *graph = berth_graph_create();
  if (graph == NULL) return PyErr_NoMemory();
  PyObject *self = type->tp_alloc(type, 0);
  if (self == NULL) {
    berth_graph_release(graph);
    return NULL;
  }
  ((berth_py_graph_t *)self)->graph = graph;
  return self;
}

static void graph_dealloc(PyObject *self) {
  berth_graph_release(graph_of(self));
  Py_TYPE(self)->tp_free(self);
}

// ---- Building ----

static bool add_list(berth_op_t *op, PyObject *list) {
  berth_py_outs_t outs;
  bool ok = berth_py_outs_read(list, &outs);
  if (ok) berth_op_input_list(op, outs.items, outs.count);
  berth_py_outs_clear(&outs);
  return ok;
}

static bool add_inputs(berth_op_t *op, PyObject *inputs) {
  if (inputs == NULL || inputs == Py_None) return true;
  PyObject *items = berth_py_items(inputs, "inputs come in a sequence");
  if (items == NULL) return false;
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(items); ++i) {
    PyObject *item = PyTuple_GET_ITEM(items, i);
    berth_out_t out;
    if (PyList_Check(item)) {
      ok = add_list(op, item);
    } else if ((ok = berth_py_read_out(item, &out))) {
      berth_op_input(op, out);
    }
  }
  Py_DECREF(items);
  return ok;
}

typedef void (*node_fn)(berth_op_t *op, berth_node_id_t node);

static bool add_nodes(berth_op_t *op, PyObject *nodes, node_fn add) {
  berth_py_nodes_t list;
  bool ok = berth_py_nodes_read(nodes, &list);
  for (int i = 0; ok && i < list.count; ++i) add(op, list.items[i]);
  berth_py_nodes_clear(&list);
  return ok;
}

// Arguments of Graph.op().
enum { TYPE, NAME, INPUTS, ATTRS, DEVICE, CONTROLS, COLOCATE, EXACT, ARGS };
static const char *const op_names[] = {"type",     "name",   "inputs",
                                       "attrs",    "device", "controls",
                                       "colocate", "exact",  NULL};

static bool describe(berth_op_t *op, PyObject *const *args) {
  const char *device;
  if (!add_inputs(op, args[INPUTS]) ||
      !berth_py_read_text(args[DEVICE], &device)) {
    return false;
  }
  if (args[ATTRS] != NULL && args[ATTRS] != Py_None &&
      !berth_py_attrs_set(op, args[TYPE], args[ATTRS])) {
    return false;
  }
  if (device != NULL) berth_op_device(op, device);
  return add_nodes(op, args[CONTROLS], berth_op_control) &&
         add_nodes(op, args[COLOCATE], berth_op_colocate);
}

static PyObject *graph_op(PyObject *self, PyObject *const *args,
                          Py_ssize_t count, PyObject *keywords) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *given[ARGS];
  const char *type, *name;
  if (!berth_py_args("op", op_names, args, count, keywords, given) ||
      !berth_py_read_text(given[TYPE], &type) ||
      !berth_py_read_text(given[NAME], &name)) {
    return NULL;
  }
  if (type == NULL) {
    PyErr_SetString(PyExc_TypeError, "op() needs a type");
    return NULL;
  }
  bool exact = given[EXACT] != NULL && PyObject_IsTrue(given[EXACT]) == 1;
  berth_op_t *op = exact ? berth_op_begin_exact(graph_of(self), type, name)
                         : berth_op_begin(graph_of(self), type, name);
  berth_node_id_t node = BERTH_NO_NODE;
  if (!describe(op, given)) {
    berth_op_abandon(op);
    return NULL;
  }
  if (berth_op_try_finish(op, &node, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return PyLong_FromLong(node);
}

static PyObject *graph_unique_name(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  int take = 1;
  char *unique = NULL;
  if (!PyArg_ParseTuple(args, "s|p:unique_name", &name, &take)) return NULL;
  if (berth_graph_unique_name(graph_of(self), name, take != 0, &unique, &err) !=
      BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_text_take(unique);
}

static PyObject *graph_set_shape(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_out_t out;
  berth_shape_t shape;
  PyObject *dims = NULL;
  if (!PyArg_ParseTuple(args, "iiO:set_shape", &out.node, &out.index, &dims) ||
      !berth_py_read_shape(dims, &shape)) {
    return NULL;
  }
  if (berth_out_set_shape(graph_of(self), out,
                          (berth_dims_t){shape.rank, shape.dims},
                          &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

static PyObject *graph_set_device(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  int node = 0;
  const char *device = NULL;
  if (!PyArg_ParseTuple(args, "is:set_device", &node, &device)) return NULL;
  if (node < 0 || node >= berth_graph_node_count(graph_of(self))) {
    PyErr_Format(PyExc_IndexError, "there is no node %d", node);
    return NULL;
  }
  if (berth_node_set_device(graph_of(self), node, device, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

static PyObject *graph_close_loop(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *head = NULL, *tail = NULL;
  berth_node_id_t merge = BERTH_NO_NODE;
  berth_out_t back;
  if (!PyArg_ParseTuple(args, "OO:close_loop", &head, &tail) ||
      !berth_py_read_node(head, &merge) || !berth_py_read_out(tail, &back)) {
    return NULL;
  }
  if (berth_graph_close_loop(graph_of(self), merge, back, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

// ---- Looking ----

// Reads a node's number and checks that there is one.
static bool read_known(PyObject *self, PyObject *object, berth_node_id_t *out) {
  if (!berth_py_read_node(object, out)) return false;
  if (*out >= 0 && *out < berth_graph_node_count(graph_of(self))) return true;
  PyErr_Format(PyExc_IndexError, "there is no node %d", (int)*out);
  return false;
}

static PyObject *graph_node_name(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  return PyUnicode_FromString(berth_node_name(graph_of(self), node));
}

static PyObject *graph_node_op(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  return PyUnicode_FromString(berth_node_op(graph_of(self), node));
}

static PyObject *graph_node_device(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  return PyUnicode_FromString(berth_node_device(graph_of(self), node));
}

static PyObject *graph_node_outputs(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  return PyLong_FromLong(berth_node_output_count(graph_of(self), node));
}

static PyObject *graph_node_inputs(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  int count = berth_node_input_count(graph_of(self), node);
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    berth_out_t in = berth_node_input(graph_of(self), node, i);
    PyObject *pair = Py_BuildValue("(ii)", in.node, in.index);
    if (pair == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, pair);
    }
  }
  return list;
}

static PyObject *graph_node_controls(PyObject *self, PyObject *object) {
  berth_node_id_t node;
  if (!read_known(self, object, &node)) return NULL;
  int count = berth_node_control_count(graph_of(self), node);
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *item =
        PyLong_FromLong(berth_node_control(graph_of(self), node, i));
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  return list;
}

static PyObject *graph_node_attr(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *object = NULL;
  const char *name = NULL;
  int raw = 0;
  berth_node_id_t node;
  void *bytes = NULL;
  size_t size = 0;
  if (!PyArg_ParseTuple(args, "Os|p:node_attr", &object, &name, &raw) ||
      !read_known(self, object, &node)) {
    return NULL;
  }
  if (berth_node_attr_proto(graph_of(self), node, name, &bytes, &size, &err) !=
      BERTH_OK) {
    return berth_py_raise(&err);
  }
  if (raw) return berth_py_bytes_take(bytes, size);
  PyObject *value = berth_py_attr_value(bytes, size);
  berth_text_free(bytes);
  return value;
}

static PyObject *graph_node_def(PyObject *self, PyObject *object) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node;
  void *bytes = NULL;
  size_t size = 0;
  if (!read_known(self, object, &node)) return NULL;
  if (berth_node_export(graph_of(self), node, &bytes, &size, &err) !=
      BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_bytes_take(bytes, size);
}

// Reads "node, index" and checks that there is such an output.
static bool read_known_out(PyObject *self, PyObject *args, berth_out_t *out) {
  if (!PyArg_ParseTuple(args, "ii", &out->node, &out->index)) return false;
  if (out->node >= 0 && out->node < berth_graph_node_count(graph_of(self)) &&
      out->index >= 0 &&
      out->index < berth_node_output_count(graph_of(self), out->node)) {
    return true;
  }
  PyErr_Format(PyExc_IndexError, "there is no output %d of node %d", out->index,
               (int)out->node);
  return false;
}

static PyObject *graph_output_dtype(PyObject *self, PyObject *args) {
  berth_out_t out;
  if (!read_known_out(self, args, &out)) return NULL;
  return PyLong_FromLong((long)berth_out_dtype(graph_of(self), out));
}

static PyObject *graph_output_shape(PyObject *self, PyObject *args) {
  berth_out_t out;
  berth_shape_t shape;
  if (!read_known_out(self, args, &out)) return NULL;
  berth_out_shape(graph_of(self), out, &shape);
  return berth_py_shape_tuple((berth_dims_t){shape.rank, shape.dims});
}

static PyObject *graph_consumers(PyObject *self, PyObject *args) {
  berth_out_t out;
  if (!read_known_out(self, args, &out)) return NULL;
  int room = berth_out_consumers(graph_of(self), out, NULL, 0);
  berth_out_t *outs = PyMem_Calloc((size_t)room + 1, sizeof(berth_out_t));
  if (outs == NULL) return PyErr_NoMemory();
  int count = berth_out_consumers(graph_of(self), out, outs, room);
  PyObject *list = berth_py_outs_list(outs, count < room ? count : room);
  PyMem_Free(outs);
  return list;
}

static PyObject *graph_arg_range(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *object = NULL;
  const char *arg = NULL;
  int is_output = 1, first = 0, count = 0;
  berth_node_id_t node;
  if (!PyArg_ParseTuple(args, "Os|p:arg_range", &object, &arg, &is_output) ||
      !read_known(self, object, &node)) {
    return NULL;
  }
  if (berth_node_arg_range(graph_of(self), node, arg, is_output != 0, &first,
                           &count, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return Py_BuildValue("(ii)", first, count);
}

static PyObject *graph_find(PyObject *self, PyObject *name) {
  const char *text = berth_py_text(name);
  if (text == NULL) return NULL;
  berth_node_id_t node = berth_graph_find(graph_of(self), text);
  if (node == BERTH_NO_NODE) Py_RETURN_NONE;
  return PyLong_FromLong(node);
}

static PyObject *graph_node_count(PyObject *self, void *arg) {
  (void)arg;
  return PyLong_FromLong(berth_graph_node_count(graph_of(self)));
}

// ---- GraphDefs ----

static PyObject *graph_export(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  int as_text = 0;
  void *bytes = NULL;
  char *text = NULL;
  size_t size = 0;
  if (!PyArg_ParseTuple(args, "|p:export", &as_text)) return NULL;
  berth_code_t code =
      as_text ? berth_graph_export_text(graph_of(self), &text, &err)
              : berth_graph_export(graph_of(self), &bytes, &size, &err);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return as_text ? berth_py_text_take(text) : berth_py_bytes_take(bytes, size);
}

static PyMethodDef graph_methods[] = {
    {"op", (PyCFunction)(void (*)(void))graph_op, METH_FASTCALL | METH_KEYWORDS,
     "op(type, name=None, inputs=(), attrs=None, device=None, controls=(), "
     "colocate=(), exact=False)\n\n"
     "Adds a node and returns its number. The name is made unique, or with "
     "exact used as it is."},
    {"unique_name", graph_unique_name, METH_VARARGS,
     "unique_name(name, take=True)\n\nReturns the name a node would get."},
    {"set_shape", graph_set_shape, METH_VARARGS,
     "set_shape(node, index, dims)\n\nAdds what is known of a shape."},
    {"set_device", graph_set_device, METH_VARARGS,
     "set_device(node, device)\n\nChanges the device that a node asks for."},
    {"close_loop", graph_close_loop, METH_VARARGS,
     "close_loop(merge, back)\n\nMakes an output of a NextIteration the second "
     "input of a Merge."},
    {"gradients", berth_py_graph_gradients, METH_VARARGS,
     "gradients(owner, ys, xs, dys, stops, name, gated, colocated, free, "
     "first)\n\nMakes the nodes that compute slopes of ys by xs; what is new is "
     "named and placed by methods of the owner."},
    {"node_name", graph_node_name, METH_O, "Returns a node's name."},
    {"node_op", graph_node_op, METH_O, "Returns a node's op."},
    {"node_device", graph_node_device, METH_O, "Returns the device asked for."},
    {"node_inputs", graph_node_inputs, METH_O,
     "Returns a node's inputs, a list of (node, index)."},
    {"node_controls", graph_node_controls, METH_O,
     "Returns the nodes that a node waits for."},
    {"node_outputs", graph_node_outputs, METH_O,
     "Returns how many outputs a node has."},
    {"node_attr", graph_node_attr, METH_VARARGS,
     "node_attr(node, name, raw=False)\n\n"
     "Returns an attribute, or with raw its serialised AttrValue."},
    {"node_def", graph_node_def, METH_O, "Returns a serialised NodeDef."},
    {"output_dtype", graph_output_dtype, METH_VARARGS,
     "output_dtype(node, index)\n\nReturns the number of the type."},
    {"output_shape", graph_output_shape, METH_VARARGS,
     "output_shape(node, index)\n\n"
     "Returns a tuple with None for unknown sizes, or None."},
    {"consumers", graph_consumers, METH_VARARGS,
     "consumers(node, index)\n\nReturns who uses it: (node, input index)."},
    {"arg_range", graph_arg_range, METH_VARARGS,
     "arg_range(node, name, is_output=True)\n\n"
     "Returns (first, count) of the values of a named argument."},
    {"find", graph_find, METH_O, "Returns the node of that name, or None."},
    {"export", graph_export, METH_VARARGS,
     "export(as_text=False)\n\nReturns a GraphDef, serialised or as text."},
    {"import_", (PyCFunction)(void (*)(void))berth_py_graph_import,
     METH_VARARGS | METH_KEYWORDS,
     "import_(data, prefix=None, input_map=None, returns=(), return_nodes=(), "
     "controls=(), uniquify_names=False, uniquify_prefix=False, "
     "device=None)\n\n"
     "Adds the nodes of a serialised GraphDef; returns (outputs, nodes)."},
    {"add_functions", berth_py_graph_add_functions, METH_VARARGS,
     "add_functions(data)\n\nAdds those of a FunctionDefLibrary."},
    {"add_function", berth_py_graph_add_function, METH_VARARGS,
     "add_function(name, body, inputs, outputs, output_names=None)\n\n"
     "Makes a function of another graph."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef graph_getters[] = {
    {"functions", berth_py_graph_functions, NULL, "Names of its functions.",
     NULL},
    {"node_count", graph_node_count, NULL, "How many nodes there are.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_graph_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Graph",
    .tp_basicsize = sizeof(berth_py_graph_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Graph()\n\nA graph that only grows.",
    .tp_new = graph_new,
    .tp_dealloc = graph_dealloc,
    .tp_methods = graph_methods,
    .tp_getset = graph_getters,
};
