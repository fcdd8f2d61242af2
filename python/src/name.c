// name.c - core.NameScope: name scopes where ops run at once.
//
// A scope changes one text, the thread's, and puts it back. Where graphs are
// built Python's class, which extends this one, does the work.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>
#include <structmember.h>

// The scope of this thread, with a slash at its end. Owned; NULL: none.
static _Thread_local PyObject *scope;
static PyObject *no_scope;                    // ""
static PyObject *enter_method, *exit_method;  // "_enter", "_exit"

typedef struct name_scope {
  PyObject ob_base;
  PyObject *name;    // Owned: what was asked for, or None.
  PyObject *values;  // Owned: the inputs of the ops inside, or None.
  PyObject *outer;   // Owned: the scope around. NULL: it is one of a graph.
} name_scope_t;

static PyObject *current(void) { return scope != NULL ? scope : no_scope; }

// Makes |text| the scope; the reference is taken over.
static void set_current(PyObject *text) {
  PyObject *before = scope;
  scope = text;
  Py_XDECREF(before);
}

// Returns the whole name of a scope: one with a slash is whole already.
static PyObject *whole(PyObject *name) {
  Py_ssize_t size = PyUnicode_Check(name) ? PyUnicode_GET_LENGTH(name) : 0;
  if (size == 0) {
    Py_INCREF(no_scope);
    return no_scope;
  }
  if (PyUnicode_READ_CHAR(name, size - 1) == '/') {
    Py_INCREF(name);
    return name;
  }
  return PyUnicode_FromFormat("%U%U/", current(), name);
}

static int scope_init(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name", "default_name", "values", NULL};
  PyObject *name = NULL, *other = Py_None, *values = Py_None;
  name_scope_t *self = (name_scope_t *)object;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:name_scope", words,
                                   &name, &other, &values)) {
    return -1;
  }
  if (other != Py_None && !PyUnicode_Check(other)) {
    PyErr_Format(PyExc_TypeError,
                 "`default_name` type (%R) is not a string type. You likely "
                 "meant to pass this into the `values` kwarg.",
                 (PyObject *)Py_TYPE(other));
    return -1;
  }
  if (name == Py_None) name = other;
  Py_INCREF(name);
  Py_XSETREF(self->name, name);
  Py_INCREF(values);
  Py_XSETREF(self->values, values);
  return 0;
}

static PyObject *scope_enter(PyObject *object, PyObject *unused) {
  (void)unused;
  name_scope_t *self = (name_scope_t *)object;
  if (!berth_py_mode_is_eager() || berth_py_place.graphs != 0) {
    return PyObject_CallMethodNoArgs(object, enter_method);
  }
  PyObject *text = whole(self->name != NULL ? self->name : Py_None);
  if (text == NULL) return NULL;
  PyObject *outer = current();
  Py_INCREF(outer);
  Py_XSETREF(self->outer, outer);
  Py_INCREF(text);
  set_current(text);
  return text;
}

static PyObject *scope_exit(PyObject *object, PyObject *const *args,
                            Py_ssize_t count) {
  name_scope_t *self = (name_scope_t *)object;
  PyObject *outer = self->outer;
  if (outer != NULL) {
    self->outer = NULL;
    set_current(outer);
    Py_RETURN_NONE;
  }
  PyObject *given[4] = {object, Py_None, Py_None, Py_None};
  for (Py_ssize_t i = 0; i < count && i < 3; ++i) given[i + 1] = args[i];
  return PyObject_VectorcallMethod(exit_method, given, 4, NULL);
}

static int scope_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(((name_scope_t *)object)->values);
  return 0;
}

static int scope_clear(PyObject *object) {
  Py_CLEAR(((name_scope_t *)object)->values);
  return 0;
}

static void scope_dealloc(PyObject *object) {
  name_scope_t *self = (name_scope_t *)object;
  PyObject_GC_UnTrack(object);
  (void)scope_clear(object);
  Py_XDECREF(self->name);
  Py_XDECREF(self->outer);
  Py_TYPE(object)->tp_free(object);
}

static PyMethodDef methods[] = {
    {"__enter__", scope_enter, METH_NOARGS, "Begins the scope."},
    {"__exit__", (PyCFunction)(void (*)(void))scope_exit, METH_FASTCALL,
     "Ends it."},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"name", T_OBJECT, offsetof(name_scope_t, name), READONLY,
     "The name that was asked for."},
    {"_values", T_OBJECT, offsetof(name_scope_t, values), READONLY,
     "The inputs of the ops inside."},
    {NULL, 0, 0, 0, NULL}};

PyTypeObject berth_py_name_scope_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.NameScope",
    .tp_basicsize = sizeof(name_scope_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc =
        "NameScope(name, default_name=None, values=None)\n--\n\n"
        "A name scope where ops run at once. Elsewhere _enter() and _exit(), "
        "which extensions have, are called.",
    .tp_new = PyType_GenericNew,
    .tp_init = scope_init,
    .tp_traverse = scope_traverse,
    .tp_clear = scope_clear,
    .tp_dealloc = scope_dealloc,
    .tp_methods = methods,
    .tp_members = members,
};

static PyObject *core_eager_scope(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyObject *text = current();
  Py_INCREF(text);
  return text;
}

PyMethodDef berth_py_name_methods[] = {
    {"eager_scope", core_eager_scope, METH_NOARGS,
     "Returns the name scope of this thread where ops run at once, with a "
     "slash "
     "at its end."},
    {NULL, NULL, 0, NULL}};

int berth_py_name_init(PyObject *module) {
  (void)module;
  if (no_scope == NULL) no_scope = PyUnicode_InternFromString("");
  if (enter_method == NULL) enter_method = PyUnicode_InternFromString("_enter");
  if (exit_method == NULL) exit_method = PyUnicode_InternFromString("_exit");
  return no_scope != NULL && enter_method != NULL && exit_method != NULL ? 0
                                                                         : -1;
}
