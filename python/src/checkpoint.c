// checkpoint.c - core.Checkpoint: the tensors of a checkpoint.
#include "berth/checkpoint.h"

#include "core.h"

typedef struct checkpoint {
  PyObject ob_base;
  berth_checkpoint_t *checkpoint;  // Owned.
} checkpoint_t;

static PyObject *checkpoint_new(PyTypeObject *type, PyObject *args,
                                PyObject *kwargs) {
  static char *names[] = {"prefix", NULL};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_checkpoint_t *made = NULL;
  const char *prefix = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s:Checkpoint", names,
                                   &prefix)) {
    return NULL;
  }
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_checkpoint_open(prefix, &made, &err);
  berth_py_return(saved);
  if (!berth_py_succeeded(code, &err, NULL, 0)) {
    berth_checkpoint_close(made);
    return NULL;
  }
  checkpoint_t *self = (checkpoint_t *)type->tp_alloc(type, 0);
  if (self == NULL) {
    berth_checkpoint_close(made);
    return NULL;
  }
  self->checkpoint = made;
  return (PyObject *)self;
}

static void checkpoint_dealloc(PyObject *self) {
  berth_checkpoint_close(((checkpoint_t *)self)->checkpoint);
  Py_TYPE(self)->tp_free(self);
}

static PyObject *shape_tuple(berth_dims_t dims) {
  PyObject *shape = PyTuple_New(dims.rank);
  for (int32_t i = 0; shape != NULL && i < dims.rank; ++i) {
    PyObject *size = PyLong_FromLongLong(dims.dims[i]);
    if (size == NULL) {
      Py_CLEAR(shape);
    } else {
      PyTuple_SET_ITEM(shape, i, size);
    }
  }
  return shape;
}

// The name, type and shape of tensor |index|.
static PyObject *describe(const berth_checkpoint_t *checkpoint, int64_t index) {
  const char *name = berth_checkpoint_name(checkpoint, index);
  PyObject *text =
      PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
  PyObject *shape = shape_tuple(berth_checkpoint_shape(checkpoint, index));
  if (text == NULL || shape == NULL) {
    Py_XDECREF(text);
    Py_XDECREF(shape);
    return NULL;
  }
  return Py_BuildValue("NiN", text,
                       (int)berth_checkpoint_dtype(checkpoint, index), shape);
}

static PyObject *checkpoint_list(PyObject *self, PyObject *unused) {
  (void)unused;
  const berth_checkpoint_t *checkpoint = ((checkpoint_t *)self)->checkpoint;
  int64_t count = berth_checkpoint_count(checkpoint);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (int64_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = describe(checkpoint, i);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
  }
  return list;
}

static PyObject *checkpoint_read(PyObject *self, PyObject *args) {
  berth_checkpoint_t *checkpoint = ((checkpoint_t *)self)->checkpoint;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:read", &name)) return NULL;
  int64_t index = berth_checkpoint_find(checkpoint, name);
  if (index < 0) {
    PyErr_SetString(PyExc_KeyError, name);
    return NULL;
  }
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_checkpoint_read(checkpoint, index, &tensor, &err);
  berth_py_return(saved);
  if (!berth_py_succeeded(code, &err, &tensor, code == BERTH_OK)) return NULL;
  return berth_py_tensor_new(&berth_py_tensor_type, tensor);
}

static PyMethodDef checkpoint_methods[] = {
    {"list", checkpoint_list, METH_NOARGS,
     "list()\n\nReturns (name, type, shape) of each tensor, by name."},
    {"read", checkpoint_read, METH_VARARGS,
     "read(name)\n\nReads a tensor; KeyError for one that is not there."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_checkpoint_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Checkpoint",
    .tp_basicsize = sizeof(checkpoint_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The tensors of a checkpoint.",
    .tp_new = checkpoint_new,
    .tp_dealloc = checkpoint_dealloc,
    .tp_methods = checkpoint_methods,
};
