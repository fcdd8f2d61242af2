// quick.c - core.Quick: functions of Python that are one eager call, mostly.
//
// A function such as tf.matmul does much that matters only sometimes:
// conversions, names, device scopes, graphs. Quick stands in front of it.
// Called with nothing but eager tensors, in a thread where nothing but calling
// the op is to be done, it calls the op. In every other case, and when the op
// fails, it calls the function, which does the same at length and finds the
// words for what is wrong. It is therefore only for ops that can be called
// twice.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>

typedef struct quick {
  PyObject ob_base;
  PyObject *dict;      // Owned: what functools.update_wrapper() copies.
  PyObject *name;      // Owned, a str: the op.
  PyObject *function;  // Owned: does it at length.
  Py_ssize_t count;    // How many inputs.
  vectorcallfunc call;
} quick_t;

static PyObject *quick_call(PyObject *object, PyObject *const *args,
                            size_t flags, PyObject *keywords) {
  const quick_t *self = (quick_t *)object;
  PyObject *context = berth_py_mode_context();
  if (context != NULL && keywords == NULL &&
      PyVectorcall_NARGS(flags) == self->count) {
    Py_INCREF(context);
    PyObject *result =
        berth_py_call_quickly(context, self->name, args, (int)self->count);
    Py_DECREF(context);
    if (result != NULL || PyErr_Occurred()) return result;
  }
  return PyObject_Vectorcall(self->function, args, flags, keywords);
}

static PyObject *quick_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  static char *names[] = {"op", "function", "count", NULL};
  PyObject *name = NULL, *function = NULL;
  Py_ssize_t count = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UOn:Quick", names, &name,
                                   &function, &count)) {
    return NULL;
  }
  if (count < 0 || count > BERTH_PY_FEW || berth_py_text(name) == NULL) {
    PyErr_Format(PyExc_ValueError, "Quick takes up to %d inputs", BERTH_PY_FEW);
    return NULL;
  }
  quick_t *self = (quick_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(name);
  Py_INCREF(function);
  self->name = name;
  self->function = function;
  self->count = count;
  self->call = quick_call;
  return (PyObject *)self;
}

static int quick_traverse(PyObject *object, visitproc visit, void *arg) {
  quick_t *self = (quick_t *)object;
  Py_VISIT(self->dict);
  Py_VISIT(self->function);
  return 0;
}

static int quick_clear(PyObject *object) {
  quick_t *self = (quick_t *)object;
  Py_CLEAR(self->dict);
  Py_CLEAR(self->function);
  return 0;
}

static void quick_dealloc(PyObject *object) {
  PyObject_GC_UnTrack(object);
  (void)quick_clear(object);
  Py_XDECREF(((quick_t *)object)->name);
  Py_TYPE(object)->tp_free(object);
}

// Binds as a function does, so that it can be a method.
static PyObject *quick_get(PyObject *self, PyObject *object, PyObject *type) {
  (void)type;
  if (object != NULL && object != Py_None) return PyMethod_New(self, object);
  Py_INCREF(self);
  return self;
}

static PyObject *quick_repr(PyObject *self) {
  return PyUnicode_FromFormat("<quick %R>", ((quick_t *)self)->function);
}

static PyGetSetDef quick_getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_quick_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Quick",
    .tp_basicsize = sizeof(quick_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc =
        "Quick(op, function, count)\n\n"
        "Calls an op with count eager tensors at once, and function with "
        "anything else.",
    .tp_vectorcall_offset = offsetof(quick_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(quick_t, dict),
    .tp_new = quick_new,
    .tp_traverse = quick_traverse,
    .tp_clear = quick_clear,
    .tp_dealloc = quick_dealloc,
    .tp_descr_get = quick_get,
    .tp_repr = quick_repr,
    .tp_getset = quick_getters,
};
