// renamed.c - core.Renamed: a function under other parameters.
//
// The same function is called with its parameters in another order, or by other
// names, in the two versions of TensorFlow. Arguments that fit are handed on by
// the names that the function has for them; those that do not go to another
// function, which finds the words.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>

typedef struct renamed {
  PyObject ob_base;
  PyObject *dict;      // Owned.
  PyObject *function;  // Owned: does the work.
  PyObject *refuse;    // Owned: is called with what does not fit.
  PyObject *targets;   // Owned: a tuple of its names; None: it must be None.
  PyObject
      *first[BERTH_PY_MOST_PARAMETERS + 1];  // Owned: the names of so many.
  berth_py_names_t names;
  unsigned required;  // Those that must be given, a bit each.
  vectorcallfunc call;
} renamed_t;

// Returns the names of the first |count| arguments. Borrowed.
static PyObject *first_names(renamed_t *self, Py_ssize_t count) {
  if (self->first[count] == NULL) {
    self->first[count] = PyTuple_GetSlice(self->targets, 0, count);
  }
  return self->first[count];
}

// Calls the function with the arguments of |slots|.
static PyObject *call_named(renamed_t *self, PyObject *const *slots) {
  PyObject *values[BERTH_PY_MOST_PARAMETERS];
  Py_ssize_t count = 0;
  PyObject *names = PyTuple_New(self->names.count);
  if (names == NULL) return NULL;
  for (int i = 0; i < self->names.count; ++i) {
    PyObject *target = PyTuple_GET_ITEM(self->targets, i);
    if (slots[i] == NULL || target == Py_None) continue;
    Py_INCREF(target);
    PyTuple_SET_ITEM(names, count, target);
    values[count++] = slots[i];
  }
  PyObject *result = NULL;
  if (count == self->names.count || _PyTuple_Resize(&names, count) == 0) {
    result = PyObject_Vectorcall(self->function, values, 0, names);
  }
  Py_XDECREF(names);
  return result;
}

static PyObject *renamed_call(PyObject *object, PyObject *const *args,
                              size_t flags, PyObject *keywords) {
  renamed_t *self = (renamed_t *)object;
  PyObject *slots[BERTH_PY_MOST_PARAMETERS];
  Py_ssize_t given = PyVectorcall_NARGS(flags);
  bool fits = berth_py_args_sort(&self->names, args, given, keywords, slots);
  bool is_plain = true;
  for (int i = 0; fits && i < self->names.count; ++i) {
    fits = slots[i] != NULL || (self->required >> i & 1) == 0;
    if (!fits || PyTuple_GET_ITEM(self->targets, i) != Py_None) continue;
    fits = slots[i] == NULL || slots[i] == Py_None;
    is_plain &= i >= given;
  }
  if (!fits) return PyObject_Vectorcall(self->refuse, args, flags, keywords);
  if (keywords == NULL && is_plain) {
    PyObject *names = first_names(self, given);
    return names != NULL ? PyObject_Vectorcall(self->function, args, 0, names)
                         : NULL;
  }
  return call_named(self, slots);
}

static PyObject *renamed_new(PyTypeObject *type, PyObject *args,
                             PyObject *kwargs) {
  static char *words[] = {"function", "refuse",   "names",
                          "targets",  "required", NULL};
  PyObject *function = NULL, *refuse = NULL, *names = NULL, *targets = NULL;
  unsigned required = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO!O!I:Renamed", words,
                                   &function, &refuse, &PyTuple_Type, &names,
                                   &PyTuple_Type, &targets, &required)) {
    return NULL;
  }
  renamed_t *self = (renamed_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  if (!berth_py_names_read(names, &self->names) ||
      PyTuple_GET_SIZE(targets) != self->names.count) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError, "every name needs a target");
    }
    Py_DECREF(self);
    return NULL;
  }
  Py_INCREF(function);
  Py_INCREF(refuse);
  Py_INCREF(targets);
  self->function = function;
  self->refuse = refuse;
  self->targets = targets;
  self->required = required;
  self->call = renamed_call;
  return (PyObject *)self;
}

static int renamed_traverse(PyObject *object, visitproc visit, void *arg) {
  renamed_t *self = (renamed_t *)object;
  Py_VISIT(self->dict);
  Py_VISIT(self->function);
  Py_VISIT(self->refuse);
  return 0;
}

static int renamed_clear(PyObject *object) {
  renamed_t *self = (renamed_t *)object;
  Py_CLEAR(self->dict);
  Py_CLEAR(self->function);
  Py_CLEAR(self->refuse);
  return 0;
}

static void renamed_dealloc(PyObject *object) {
  renamed_t *self = (renamed_t *)object;
  PyObject_GC_UnTrack(object);
  (void)renamed_clear(object);
  Py_XDECREF(self->targets);
  for (int i = 0; i <= BERTH_PY_MOST_PARAMETERS; ++i) {
    Py_XDECREF(self->first[i]);
  }
  berth_py_names_clear(&self->names);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *renamed_repr(PyObject *object) {
  PyObject *name = PyObject_GetAttrString(object, "__qualname__");
  if (name == NULL) return NULL;
  PyObject *text = PyUnicode_FromFormat("<function %U at %p>", name, object);
  Py_DECREF(name);
  return text;
}

static PyMethodDef methods[] = {
    {"__reduce__", berth_py_reduce, METH_NOARGS, "Returns its name."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_renamed_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Renamed",
    .tp_basicsize = sizeof(renamed_t),
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc =
        "Renamed(function, refuse, names, targets, required)\n\n"
        "Calls function with arguments called names by their targets; those "
        "with a target of None must be None, and those whose bit required has "
        "must be given. Arguments that do not fit are given to refuse.",
    .tp_vectorcall_offset = offsetof(renamed_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(renamed_t, dict),
    .tp_new = renamed_new,
    .tp_traverse = renamed_traverse,
    .tp_clear = renamed_clear,
    .tp_dealloc = renamed_dealloc,
    .tp_repr = renamed_repr,
    .tp_getset = getters,
    .tp_methods = methods,
};
