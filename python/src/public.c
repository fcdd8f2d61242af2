// public.c - core.Public: a function that has words for arguments that do not
// fit.
//
// TensorFlow checks the arguments of most of its functions before Python does,
// and says what is wrong in words of its own. Nothing is looked at here while
// all goes well: when a function of Python was not even entered, which leaves a
// TypeError without a traceback, the arguments are given to the function that is
// called "refuse" in the dictionary of the object, and it raises what there is
// to say. If it returns, the error stands.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>

typedef struct public {
  PyObject ob_base;
  PyObject *dict;      // Owned: what functools.update_wrapper() copies.
  PyObject *function;  // Owned.
  vectorcallfunc call;
}
public_t;

static PyObject *refuse_text;  // "refuse"

// Raises what |dict| has to say of arguments that do not fit; the error that is
// set stands if that is nothing.
static void refuse(PyObject *dict, PyObject *const *args, size_t flags,
                   PyObject *keywords) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *words = trace == NULL && dict != NULL
                        ? PyDict_GetItemWithError(dict, refuse_text)
                        : NULL;
  PyObject *result = NULL;
  if (words != NULL) {
    Py_INCREF(words);  // The dictionary may let go of it meanwhile.
    result = PyObject_Vectorcall(words, args, flags, keywords);
    Py_DECREF(words);
  }
  if (PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  } else {
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(result);
}

PyObject *berth_py_public_call(PyObject *function, PyObject *dict,
                               PyObject *const *args, size_t flags,
                               PyObject *keywords) {
  PyObject *result = PyObject_Vectorcall(function, args, flags, keywords);
  if (result == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
    refuse(dict, args, flags, keywords);
  }
  return result;
}

static PyObject *public_call(PyObject *object, PyObject *const *args,
                             size_t flags, PyObject *keywords) {
  public_t *self = (public_t *)object;
  return berth_py_public_call(self->function, self->dict, args, flags,
                              keywords);
}

static PyObject *public_new(PyTypeObject *type, PyObject *args,
                            PyObject *kwargs) {
  static char *words[] = {"function", NULL};
  PyObject *function = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Public", words,
                                   &function)) {
    return NULL;
  }
  public_t *self = (public_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(function);
  self->function = function;
  self->call = public_call;
  return (PyObject *)self;
}

static int public_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(((public_t *)object)->dict);
  Py_VISIT(((public_t *)object)->function);
  return 0;
}

static int public_clear(PyObject *object) {
  Py_CLEAR(((public_t *)object)->dict);
  Py_CLEAR(((public_t *)object)->function);
  return 0;
}

static void public_dealloc(PyObject *object) {
  PyObject_GC_UnTrack(object);
  (void)public_clear(object);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *public_repr(PyObject *object) {
  return PyObject_Repr(((public_t *)object)->function);
}

// Returns what makes it again: "origin" in the dictionary.
static PyObject *public_reduce(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyObject_GetAttrString(object, "origin");
}

static PyMethodDef methods[] = {
    {"__reduce__", public_reduce, METH_NOARGS, "Returns what makes it again."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_public_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Public",
    .tp_basicsize = sizeof(public_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc =
        "Public(function)\n\n"
        "Calls function, and its own attribute refuse, if it has one, with "
        "arguments that do not fit.",
    .tp_vectorcall_offset = offsetof(public_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(public_t, dict),
    .tp_new = public_new,
    .tp_traverse = public_traverse,
    .tp_clear = public_clear,
    .tp_dealloc = public_dealloc,
    .tp_descr_get = berth_py_bind,
    .tp_repr = public_repr,
    .tp_getset = getters,
    .tp_methods = methods,
};

int berth_py_public_init(void) {
  if (refuse_text == NULL) refuse_text = PyUnicode_InternFromString("refuse");
  return refuse_text != NULL ? 0 : -1;
}
