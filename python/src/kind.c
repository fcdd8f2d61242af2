// kind.c - What tells calls of a function apart: keys of their arguments.
//
// A tf.function keeps what it has made for a kind of arguments under a key that
// is made here, for every call. Arguments that it does not know have none; the
// long way in Python then finds out what they are.
#include "core.h"

enum { MOST_RANK = 8, MOST_DEPTH = 16 };
// Room for what is written of one tensor.
enum { TENSOR_ROOM = 8 + sizeof(char *) + MOST_RANK * sizeof(int64_t) };

// Writes type, rank, device and shape of |tensor| to |at|; returns the end.
static char *tensor_write(const berth_tensor_t *tensor, char *at) {
  berth_dims_t shape = berth_tensor_shape(tensor);
  int32_t head[2] = {(int32_t)berth_tensor_dtype(tensor), shape.rank};
  const char *device = berth_tensor_device(tensor);  // One name each.
  memcpy(at, head, sizeof(head));
  at += sizeof(head);
  memcpy(at, &device, sizeof(device));
  at += sizeof(device);
  memcpy(at, shape.dims, (size_t)shape.rank * sizeof(*shape.dims));
  return at + (size_t)shape.rank * sizeof(*shape.dims);
}

// Returns the tensor of |item| if it is one of |type| of a usual rank.
static const berth_tensor_t *tensor_of(PyObject *item,
                                       const PyTypeObject *type) {
  if (Py_TYPE(item) != type) return NULL;
  const berth_tensor_t *tensor = ((berth_py_tensor_t *)item)->tensor;
  return berth_tensor_shape(tensor).rank <= MOST_RANK ? tensor : NULL;
}

static PyObject *core_kind(PyObject *module, PyObject *args) {
  (void)module;
  char key[BERTH_PY_FEW * TENSOR_ROOM];
  char *at = key;
  const PyTypeObject *type = berth_py_mode_class(false);
  Py_ssize_t count = PyTuple_Check(args) ? PyTuple_GET_SIZE(args) : -1;
  if (type == NULL || berth_py_place.device != NULL || count < 0 ||
      count > BERTH_PY_FEW) {
    Py_RETURN_NONE;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const berth_tensor_t *tensor = tensor_of(PyTuple_GET_ITEM(args, i), type);
    if (tensor == NULL) Py_RETURN_NONE;
    at = tensor_write(tensor, at);
  }
  return PyBytes_FromStringAndSize(key, at - key);
}

// ---- Arguments of any form ----

// A key under construction. Both lists are owned.
typedef struct walk {
  const PyTypeObject *type;
  PyObject *parts;
  PyObject *tensors;
  int depth;
} walk_t;

static bool walk(walk_t *w, PyObject *item);

static bool add_taken(PyObject *list, PyObject *item) {
  bool ok = item != NULL && PyList_Append(list, item) == 0;
  Py_XDECREF(item);
  return ok;
}

static bool walk_tensor(walk_t *w, PyObject *item) {
  char key[TENSOR_ROOM];
  const berth_tensor_t *tensor = tensor_of(item, w->type);
  if (tensor == NULL) return false;
  const char *end = tensor_write(tensor, key);
  return add_taken(w->parts, PyBytes_FromStringAndSize(key, end - key)) &&
         PyList_Append(w->tensors, item) == 0;
}

// Adds the class and length of a container: what follows is in it.
static bool walk_head(walk_t *w, PyObject *item, Py_ssize_t count) {
  return PyList_Append(w->parts, (PyObject *)Py_TYPE(item)) == 0 &&
         add_taken(w->parts, PyLong_FromSsize_t(count));
}

static bool walk_row(walk_t *w, PyObject *item) {
  Py_ssize_t count = PySequence_Fast_GET_SIZE(item);
  bool ok = walk_head(w, item, count);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = walk(w, PySequence_Fast_GET_ITEM(item, i));
  }
  return ok;
}

static bool walk_dict(walk_t *w, PyObject *item) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool ok = walk_head(w, item, PyDict_GET_SIZE(item));
  while (ok && PyDict_Next(item, &at, &key, &value)) {
    ok = PyUnicode_CheckExact(key) && PyList_Append(w->parts, key) == 0 &&
         walk(w, value);
  }
  return ok;
}

// True for values that a key may hold: they never change and keep nothing else
// alive.
static bool is_literal(PyObject *item) {
  return item == Py_None || PyBool_Check(item) || PyLong_CheckExact(item) ||
         PyFloat_CheckExact(item) || PyUnicode_CheckExact(item) ||
         PyBytes_CheckExact(item);
}

// True for a list, a tuple, or a tuple whose items have names; the key holds the
// class.
static bool is_row(PyObject *item) {
  if (PyTuple_CheckExact(item) || PyList_CheckExact(item)) return true;
  return PyTuple_Check(item) &&
         PyObject_HasAttrString((PyObject *)Py_TYPE(item), "_fields");
}

// Adds |item| to the key. False, mostly without an exception, when it has none.
static bool walk(walk_t *w, PyObject *item) {
  if (Py_TYPE(item) == w->type) return walk_tensor(w, item);
  if (is_literal(item)) {
    // 1 and True are equal, but not the same.
    return PyList_Append(w->parts, (PyObject *)Py_TYPE(item)) == 0 &&
           PyList_Append(w->parts, item) == 0;
  }
  bool row = is_row(item);
  if ((!row && !PyDict_CheckExact(item)) || w->depth >= MOST_DEPTH) {
    return false;
  }
  ++w->depth;
  bool ok = row ? walk_row(w, item) : walk_dict(w, item);
  --w->depth;
  return ok;
}

static PyObject *core_key(PyObject *module, PyObject *const *args,
                          Py_ssize_t count) {
  (void)module;
  if (count != 2 || !PyTuple_CheckExact(args[0]) ||
      !PyDict_CheckExact(args[1])) {
    PyErr_SetString(PyExc_TypeError, "key_of takes a tuple and a dict");
    return NULL;
  }
  walk_t w = {.type = berth_py_mode_class(true)};
  if (w.type == NULL) Py_RETURN_NONE;
  PyObject *result = NULL;
  w.parts = PyList_New(0);
  w.tensors = PyList_New(0);
  if (w.parts != NULL && w.tensors != NULL && walk(&w, args[0]) &&
      walk(&w, args[1])) {
    result = Py_BuildValue("(NO)", PyList_AsTuple(w.parts), w.tensors);
  } else if (!PyErr_Occurred()) {
    Py_INCREF(Py_None);
    result = Py_None;
  }
  Py_XDECREF(w.parts);
  Py_XDECREF(w.tensors);
  return result;
}

PyMethodDef berth_py_kind_methods[] = {
    {"kind_of", core_kind, METH_O,
     "kind_of(args)\n\n"
     "Returns a key for the types, shapes and devices of a tuple of a few "
     "eager tensors; None for anything else, in device scopes, and where calls "
     "go the long way."},
    {"key_of", (PyCFunction)(void (*)(void))core_key, METH_FASTCALL,
     "key_of(args, kwargs)\n\n"
     "Returns a key for arguments and the eager tensors among them in a list; "
     "None when they hold anything but tensors, plain values, tuples, lists "
     "and dicts."},
    {NULL, NULL, 0, NULL}};
