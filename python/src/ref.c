// ref.c - core.Ref: a node of a graph, or one of its outputs.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>
#include <string.h>
#include <structmember.h>

// An extension may fill the members in itself, or never.
static PyObject *ref_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)args;
  (void)kwargs;
  berth_py_ref_t *self = (berth_py_ref_t *)type->tp_alloc(type, 0);
  if (self != NULL) self->out = (berth_out_t){BERTH_NO_NODE, -1};
  return (PyObject *)self;
}

static int ref_init(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"graph", "node", "index", NULL};
  berth_py_ref_t *ref = (berth_py_ref_t *)self;
  PyObject *graph = NULL;
  int node = 0, index = -1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oi|i:Ref", names, &graph,
                                   &node, &index)) {
    return -1;
  }
  Py_INCREF(graph);
  Py_XSETREF(ref->graph, graph);
  ref->out = (berth_out_t){node, index};
  return 0;
}

static int ref_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((berth_py_ref_t *)self)->graph);
  return 0;
}

static int ref_clear(PyObject *self) {
  Py_CLEAR(((berth_py_ref_t *)self)->graph);
  return 0;
}

static void ref_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  (void)ref_clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyMemberDef ref_members[] = {
    {"_graph", T_OBJECT, offsetof(berth_py_ref_t, graph), 0,
     "What it was made with."},
    {"_node", T_INT, offsetof(berth_py_ref_t, out.node), 0,
     "The node's number."},
    {"_index", T_INT, offsetof(berth_py_ref_t, out.index), 0,
     "Which output; -1 for the node itself."},
    {"_special", T_BOOL, offsetof(berth_py_ref_t, is_special), 0,
     "Makes a Runner leave it to Python."},
    {NULL, 0, 0, 0, NULL}};

PyTypeObject berth_py_ref_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Ref",
    .tp_basicsize = sizeof(berth_py_ref_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc =
        "Ref(graph, node, index=-1)\n\n"
        "A node, or one of its outputs; made to be extended.",
    .tp_new = ref_new,
    .tp_init = ref_init,
    .tp_traverse = ref_traverse,
    .tp_clear = ref_clear,
    .tp_dealloc = ref_dealloc,
    .tp_members = ref_members,
};

static bool read_number(PyObject *object, int32_t *out) {
  long number = PyLong_AsLong(object);
  if (number == -1 && PyErr_Occurred()) return false;
  if (number < INT32_MIN || number > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "there is no node or output %ld", number);
    return false;
  }
  *out = (int32_t)number;
  return true;
}

bool berth_py_read_out(PyObject *object, berth_out_t *out) {
  if (PyObject_TypeCheck(object, &berth_py_ref_type)) {
    *out = ((berth_py_ref_t *)object)->out;
    return true;
  }
  if (PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == 2) {
    return read_number(PyTuple_GET_ITEM(object, 0), &out->node) &&
           read_number(PyTuple_GET_ITEM(object, 1), &out->index);
  }
  PyErr_Format(PyExc_TypeError, "an output is a Ref or (node, index), not %s",
               Py_TYPE(object)->tp_name);
  return false;
}

bool berth_py_read_node(PyObject *object, berth_node_id_t *out) {
  if (PyObject_TypeCheck(object, &berth_py_ref_type)) {
    *out = ((berth_py_ref_t *)object)->out.node;
    return true;
  }
  return read_number(object, out);
}

// Points |*items| at room for |count| of |size| bytes: |few|, or memory.
static bool items_reserve(Py_ssize_t count, size_t size, void *few,
                          void **items) {
  *items = few;
  if (count <= BERTH_PY_FEW) return true;
  void *room = PyMem_Calloc((size_t)count, size);
  if (room == NULL) {
    PyErr_NoMemory();
    return false;
  }
  *items = room;
  return true;
}

bool berth_py_outs_read(PyObject *sequence, berth_py_outs_t *out) {
  out->items = out->few;
  out->count = 0;
  if (sequence == NULL || sequence == Py_None) return true;
  PyObject *items = berth_py_items(sequence, "outputs come in a sequence");
  if (items == NULL) return false;
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  bool ok =
      items_reserve(count, sizeof(berth_out_t), out->few, (void **)&out->items);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = berth_py_read_out(PyTuple_GET_ITEM(items, i), &out->items[i]);
    out->count += ok;
  }
  Py_DECREF(items);
  return ok;
}

bool berth_py_outs_copy(const berth_py_outs_t *from, berth_py_outs_t *out) {
  out->count = 0;
  if (!items_reserve(from->count, sizeof(berth_out_t), out->few,
                     (void **)&out->items)) {
    return false;
  }
  memcpy(out->items, from->items, (size_t)from->count * sizeof(berth_out_t));
  out->count = from->count;
  return true;
}

void berth_py_outs_clear(berth_py_outs_t *outs) {
  if (outs->items != outs->few) PyMem_Free(outs->items);
  outs->items = outs->few;
  outs->count = 0;
}

PyObject *berth_py_outs_list(const berth_out_t *outs, int count) {
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *pair = Py_BuildValue("(ii)", outs[i].node, outs[i].index);
    if (pair == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, pair);
    }
  }
  return list;
}

bool berth_py_nodes_read(PyObject *sequence, berth_py_nodes_t *out) {
  out->items = out->few;
  out->count = 0;
  if (sequence == NULL || sequence == Py_None) return true;
  PyObject *items = berth_py_items(sequence, "nodes come in a sequence");
  if (items == NULL) return false;
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  bool ok = items_reserve(count, sizeof(berth_node_id_t), out->few,
                          (void **)&out->items);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = berth_py_read_node(PyTuple_GET_ITEM(items, i), &out->items[i]);
    out->count += ok;
  }
  Py_DECREF(items);
  return ok;
}

void berth_py_nodes_clear(berth_py_nodes_t *nodes) {
  if (nodes->items != nodes->few) PyMem_Free(nodes->items);
  nodes->items = nodes->few;
  nodes->count = 0;
}
