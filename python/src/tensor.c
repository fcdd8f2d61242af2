// tensor.c - core.Tensor: a handle to a tensor that never changes.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>
#include <structmember.h>

// Letters of the struct module for the types that have one.
static const char *const formats[BERTH_DTYPE_COUNT] = {
    [BERTH_FLOAT] = "f",      [BERTH_DOUBLE] = "d",      [BERTH_INT32] = "i",
    [BERTH_UINT8] = "B",      [BERTH_INT16] = "h",       [BERTH_INT8] = "b",
    [BERTH_COMPLEX64] = "Zf", [BERTH_INT64] = "l",       [BERTH_BOOL] = "?",
    [BERTH_UINT16] = "H",     [BERTH_COMPLEX128] = "Zd", [BERTH_HALF] = "e",
    [BERTH_UINT32] = "I",     [BERTH_UINT64] = "L",
};

static berth_tensor_t *tensor_of(PyObject *self) {
  return ((berth_py_tensor_t *)self)->tensor;
}

PyObject *berth_py_tensor_new(PyTypeObject *type, berth_tensor_t *tensor) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self == NULL) {
    berth_tensor_release(tensor);
    return NULL;
  }
  ((berth_py_tensor_t *)self)->tensor = tensor;
  return self;
}

// Wraps |tensor|, or hands on the exception when it is NULL.
static PyObject *wrap(PyTypeObject *type, berth_tensor_t *tensor) {
  return tensor != NULL ? berth_py_tensor_new(type, tensor) : NULL;
}

// Releases |tensor|. With the last of an iterator its threads are waited for,
// which may be about to call Python: the GIL must be theirs then.
static void let_go(berth_tensor_t *tensor) {
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  if (dtype != BERTH_RESOURCE && dtype != BERTH_VARIANT) {
    berth_tensor_release(tensor);
    return;
  }
  PyThreadState *saved = berth_py_leave();
  berth_tensor_release(tensor);
  berth_py_return(saved);
}

static void tensor_dealloc(PyObject *self) {
  let_go(tensor_of(self));
  Py_XDECREF(((berth_py_tensor_t *)self)->device);
  Py_TYPE(self)->tp_free(self);
}

berth_tensor_t *berth_py_get_tensor(PyObject *object) {
  if (PyObject_TypeCheck(object, &berth_py_tensor_type)) {
    return tensor_of(object);
  }
  PyErr_Format(PyExc_TypeError, "expected a core.Tensor, not %s",
               Py_TYPE(object)->tp_name);
  return NULL;
}

PyObject *berth_py_tensor_on(PyTypeObject *type, berth_tensor_t *tensor,
                             PyObject *device) {
  PyObject *made = berth_py_tensor_new(type, tensor);
  if (made != NULL && device != NULL && berth_py_is_on_host(tensor)) {
    Py_INCREF(device);
    ((berth_py_tensor_t *)made)->device = device;
  }
  return made;
}

PyObject *berth_py_tensors_list(PyTypeObject *type, berth_tensor_t **results,
                                int count, PyObject *device) {
  PyObject *list = PyList_New(count);
  for (int i = 0; i < count; ++i) {
    if (list == NULL) {
      berth_tensor_release(results[i]);
      continue;
    }
    PyObject *tensor = berth_py_tensor_on(type, results[i], device);
    if (tensor == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, tensor);
    }
  }
  return list;
}

berth_tensor_t *berth_py_read_tensor(PyObject *object, berth_dtype_t dtype,
                                     bool may_share) {
  if (PyObject_TypeCheck(object, &berth_py_tensor_type)) {
    return berth_tensor_retain(tensor_of(object));
  }
  return berth_py_tensor_of(object, dtype, may_share);
}

// ---- Making ----

// Tensor(value, dtype=0): a copy of an array or what numpy makes one of; the
// other Tensor's contents when |value| is one.
static PyObject *tensor_new(PyTypeObject *type, PyObject *args,
                            PyObject *kwargs) {
  static char *names[] = {"value", "dtype", NULL};
  PyObject *value = NULL;
  int dtype = BERTH_INVALID;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i:Tensor", names, &value,
                                   &dtype)) {
    return NULL;
  }
  return wrap(type, berth_py_read_tensor(value, (berth_dtype_t)dtype, false));
}

static berth_tensor_t *copy_buffer(const Py_buffer *view, int dtype,
                                   const berth_shape_t *shape) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  berth_code_t code = berth_tensor_create(
      (berth_dtype_t)dtype, (berth_dims_t){shape->rank, shape->dims}, &tensor,
      &err);
  if (code != BERTH_OK) {
    berth_py_raise(&err);
    return NULL;
  }
  if (dtype == BERTH_STRING || berth_tensor_size(tensor) != (size_t)view->len) {
    PyErr_Format(PyExc_ValueError, "%zd bytes do not fill a %s tensor of %zu",
                 view->len, berth_dtype_name((berth_dtype_t)dtype),
                 berth_tensor_size(tensor));
    berth_tensor_release(tensor);
    return NULL;
  }
  if (view->len > 0) {
    memcpy(berth_tensor_data(tensor), view->buf, (size_t)view->len);
  }
  return tensor;
}

static PyObject *tensor_from_buffer(PyObject *type, PyObject *args) {
  PyObject *shape_object = NULL;
  Py_buffer view;
  berth_shape_t shape;
  int dtype = 0;
  long long listed = 0;
  if (!PyArg_ParseTuple(args, "y*iO|L:from_buffer", &view, &dtype,
                        &shape_object, &listed)) {
    return NULL;
  }
  berth_tensor_t *tensor = NULL;
  if (berth_py_read_shape(shape_object, &shape)) {
    tensor = copy_buffer(&view, dtype, &shape);
  }
  if (tensor != NULL) berth_tensor_set_listed(tensor, listed);
  PyBuffer_Release(&view);
  return wrap((PyTypeObject *)type, tensor);
}

static bool set_text(berth_tensor_t *tensor, int64_t i, PyObject *item) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *text = NULL;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(item)) {
    text = PyUnicode_AsUTF8AndSize(item, &size);
  } else {
    char *bytes = NULL;
    if (PyBytes_AsStringAndSize(item, &bytes, &size) == 0) text = bytes;
  }
  if (text == NULL) return false;
  if (berth_tensor_set_string(tensor, i, text, (size_t)size, &err) ==
      BERTH_OK) {
    return true;
  }
  berth_py_raise(&err);
  return false;
}

static berth_tensor_t *strings_tensor(PyObject *items,
                                      const berth_shape_t *shape) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_STRING,
                          (berth_dims_t){shape->rank, shape->dims}, &tensor,
                          &err) != BERTH_OK) {
    berth_py_raise(&err);
    return NULL;
  }
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
  bool ok = count == berth_tensor_count(tensor);
  if (!ok) PyErr_SetString(PyExc_ValueError, "strings do not fill the shape");
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = set_text(tensor, i, PySequence_Fast_GET_ITEM(items, i));
  }
  if (ok) return tensor;
  berth_tensor_release(tensor);
  return NULL;
}

static PyObject *tensor_from_strings(PyObject *type, PyObject *args) {
  PyObject *strings = NULL, *shape_object = NULL;
  berth_shape_t shape;
  long long listed = 0;
  if (!PyArg_ParseTuple(args, "OO|L:from_strings", &strings, &shape_object,
                        &listed) ||
      !berth_py_read_shape(shape_object, &shape)) {
    return NULL;
  }
  PyObject *items = PySequence_Fast(strings, "strings come in a sequence");
  if (items == NULL) return NULL;
  berth_tensor_t *tensor = strings_tensor(items, &shape);
  if (tensor != NULL) berth_tensor_set_listed(tensor, listed);
  Py_DECREF(items);
  return wrap((PyTypeObject *)type, tensor);
}

static PyObject *tensor_from_proto(PyObject *type, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "y*:from_proto", &view)) return NULL;
  berth_code_t code =
      berth_tensor_from_proto(view.buf, (size_t)view.len, &tensor, &err);
  PyBuffer_Release(&view);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return berth_py_tensor_new((PyTypeObject *)type, tensor);
}

// ---- Looking ----

static PyObject *tensor_dtype(PyObject *self, void *arg) {
  (void)arg;
  return PyLong_FromLong((long)berth_tensor_dtype(tensor_of(self)));
}

static PyObject *tensor_shape(PyObject *self, void *arg) {
  (void)arg;
  return berth_py_shape_tuple(berth_tensor_shape(tensor_of(self)));
}

static PyObject *tensor_device(PyObject *self, void *arg) {
  (void)arg;
  return PyUnicode_FromString(berth_tensor_device(tensor_of(self)));
}

static PyObject *tensor_kind(PyObject *self, void *arg) {
  (void)arg;
  return berth_py_type_object(berth_tensor_dtype(tensor_of(self)));
}

static PyObject *tensor_rank(PyObject *self, void *arg) {
  (void)arg;
  return PyLong_FromLong(berth_tensor_shape(tensor_of(self)).rank);
}

static PyObject *tensor_nbytes(PyObject *self, void *arg) {
  (void)arg;
  return PyLong_FromSize_t(berth_tensor_size(tensor_of(self)));
}

static PyObject *tensor_numpy(PyObject *self, PyObject *unused) {
  (void)unused;
  return berth_py_array_of(berth_tensor_retain(tensor_of(self)));
}

// Returns a reference to the tensor of |self| in host memory; NULL with an
// exception. Others may run meanwhile, and a signal's handler may end it.
static berth_tensor_t *host_of(PyObject *self) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = NULL;
  if (berth_py_is_on_host(tensor_of(self))) {
    return berth_tensor_retain(tensor_of(self));
  }
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_tensor_to_host_polled(
      tensor_of(self), berth_py_poll, NULL, &host, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) (void)berth_py_raise(&err);
  return host;
}

static PyObject *tensor_to_host(PyObject *self, PyObject *unused) {
  (void)unused;
  berth_tensor_t *host = host_of(self);
  return host != NULL ? berth_py_tensor_new(Py_TYPE(self), host) : NULL;
}

static PyObject *tensor_reshape(PyObject *self, PyObject *dims) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_shape_t shape;
  berth_tensor_t *other = NULL;
  if (!berth_py_read_shape(dims, &shape)) return NULL;
  if (berth_tensor_reshape(tensor_of(self),
                           (berth_dims_t){shape.rank, shape.dims}, &other,
                           &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_tensor_new(Py_TYPE(self), other);
}

static PyObject *tensor_format(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  int classic = 0;
  char *text = NULL;
  if (!PyArg_ParseTuple(args, "|p:format", &classic)) return NULL;
  berth_tensor_t *host = host_of(self);
  if (host == NULL) return NULL;
  berth_code_t code = classic ? berth_tensor_format_classic(host, &text, &err)
                              : berth_tensor_format(host, &text, &err);
  berth_tensor_release(host);
  if (code != BERTH_OK) return berth_py_raise(&err);
  PyObject *result =
      PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  berth_text_free(text);
  return result;
}

static PyObject *tensor_to_proto(PyObject *self, PyObject *unused) {
  (void)unused;
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  berth_tensor_t *host = host_of(self);
  if (host == NULL) return NULL;
  berth_code_t code = berth_tensor_to_proto(host, &bytes, &size, &err);
  berth_tensor_release(host);
  if (code != BERTH_OK) return berth_py_raise(&err);
  PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
  berth_text_free(bytes);
  return result;
}

// ---- The buffer protocol: read-only, without a copy ----

static int refuse_buffer(Py_buffer *view, const char *why) {
  view->obj = NULL;
  PyErr_SetString(PyExc_BufferError, why);
  return -1;
}

// Shape and strides, which the view points to.
static Py_ssize_t *buffer_layout(berth_dims_t shape, Py_ssize_t item_size) {
  size_t rank = (size_t)shape.rank;
  Py_ssize_t *layout = PyMem_Malloc((2 * rank + 1) * sizeof(Py_ssize_t));
  Py_ssize_t stride = item_size;
  for (size_t i = rank; layout != NULL && i-- > 0;) {
    layout[i] = shape.dims[i];
    layout[rank + i] = stride;
    stride *= shape.dims[i];
  }
  return layout;
}

static int tensor_get_buffer(PyObject *self, Py_buffer *view, int flags) {
  berth_tensor_t *tensor = tensor_of(self);
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  const char *format = dtype < BERTH_DTYPE_COUNT ? formats[dtype] : NULL;
  if (format == NULL) return refuse_buffer(view, "this type has no buffer");
  if (!berth_py_is_on_host(tensor)) {
    return refuse_buffer(view, "the tensor is in the memory of a GPU");
  }
  if ((flags & PyBUF_WRITABLE) != 0) {
    return refuse_buffer(view, "tensors are read-only");
  }
  berth_dims_t shape = berth_tensor_shape(tensor);
  Py_ssize_t item_size = (Py_ssize_t)berth_dtype_size(dtype);
  Py_ssize_t *layout = buffer_layout(shape, item_size);
  if (layout == NULL) {
    view->obj = NULL;
    PyErr_NoMemory();
    return -1;
  }
  static char nothing[16];
  void *data = berth_tensor_data(tensor);
  *view = (Py_buffer){.buf = data != NULL ? data : nothing,
                      .obj = self,
                      .len = (Py_ssize_t)berth_tensor_size(tensor),
                      .itemsize = item_size,
                      .readonly = 1,
                      .ndim = shape.rank,
                      .internal = layout};
  if ((flags & PyBUF_FORMAT) != 0) view->format = (char *)(uintptr_t)format;
  if ((flags & PyBUF_ND) != 0) view->shape = layout;
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) {
    view->strides = layout + shape.rank;
  }
  Py_INCREF(self);
  return 0;
}

static void tensor_release_buffer(PyObject *self, Py_buffer *view) {
  (void)self;
  PyMem_Free(view->internal);
}

// ---- The type ----

static PyMethodDef tensor_methods[] = {
    {"from_buffer", tensor_from_buffer, METH_VARARGS | METH_CLASS,
     "from_buffer(buffer, dtype, shape, listed=0)\n\nCopies the bytes of a "
     "buffer; messages list the first |listed| elements, or all bytes."},
    {"from_strings", tensor_from_strings, METH_VARARGS | METH_CLASS,
     "from_strings(strings, shape, listed=0)\n\nMakes a tensor of str or bytes "
     "objects."},
    {"from_proto", tensor_from_proto, METH_VARARGS | METH_CLASS,
     "from_proto(bytes)\n\nReads a serialised TensorProto."},
    {"to_proto", tensor_to_proto, METH_NOARGS,
     "Returns a serialised TensorProto."},
    {"from_dlpack", berth_py_from_dlpack, METH_VARARGS | METH_CLASS,
     "from_dlpack(object, context=None)\n\n"
     "Shares the memory of an array or a capsule; of one on a card with a "
     "context that uses the card."},
    {"__dlpack__", (PyCFunction)(void (*)(void))berth_py_to_dlpack,
     METH_VARARGS | METH_KEYWORDS, "Returns a DLPack capsule."},
    {"__dlpack_device__", berth_py_dlpack_device, METH_NOARGS,
     "Returns DLPack's type and number of the device."},
    {"numpy", tensor_numpy, METH_NOARGS,
     "Returns a copy as a writable numpy array, or scalar."},
    {"to_host", tensor_to_host, METH_NOARGS,
     "Returns the tensor in host memory: itself where it is there."},
    {"reshape", tensor_reshape, METH_O,
     "reshape(shape)\n\nReturns the same memory in another shape."},
    {"format", tensor_format, METH_VARARGS,
     "format(classic=False)\n\nReturns the text numpy prints."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef tensor_getters[] = {
    {"dtype", tensor_dtype, NULL, "The number of the data type.", NULL},
    {"shape", tensor_shape, NULL, "The shape, a tuple.", NULL},
    {"device", tensor_device, NULL, "The full name of the device.", NULL},
    {"kind", tensor_kind, NULL, "The data type, as set_dtypes() told.", NULL},
    {"rank", tensor_rank, NULL, "How many dimensions it has.", NULL},
    {"nbytes", tensor_nbytes, NULL, "Bytes of the elements.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef tensor_members[] = {
    {"_device", T_OBJECT_EX, offsetof(berth_py_tensor_t, device), 0,
     "The device it belongs to, where its memory does not tell."},
    {NULL, 0, 0, 0, NULL}};

static PyBufferProcs tensor_buffer = {tensor_get_buffer, tensor_release_buffer};

// Makes Python's own messages call a class |name|, module and all, as they do
// classes that are not made in Python. The name is kept for ever.
static PyObject *core_set_class_name(PyObject *module, PyObject *args) {
  (void)module;
  PyTypeObject *type = NULL;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "O!s:set_class_name", &PyType_Type, &type,
                        &name)) {
    return NULL;
  }
  if (!PyType_IsSubtype(type, &berth_py_tensor_type) ||
      type == &berth_py_tensor_type) {
    PyErr_SetString(PyExc_TypeError, "the class does not extend Tensor");
    return NULL;
  }
  char *copy = strdup(name);
  if (copy == NULL) return PyErr_NoMemory();
  type->tp_name = copy;
  Py_RETURN_NONE;
}

PyMethodDef berth_py_tensor_methods[] = {
    {"set_class_name", core_set_class_name, METH_VARARGS,
     "set_class_name(class, name)\n\n"
     "Makes Python's own messages call a class of tensors so."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_tensor_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Tensor",
    .tp_basicsize = sizeof(berth_py_tensor_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc =
        "Tensor(value, dtype=0)\n\n"
        "An immutable tensor, with a copy of what numpy makes of value.",
    .tp_new = tensor_new,
    .tp_dealloc = tensor_dealloc,
    .tp_methods = tensor_methods,
    .tp_getset = tensor_getters,
    .tp_members = tensor_members,
    .tp_as_buffer = &tensor_buffer,
};
