// dlpack.c - Sharing the memory of tensors with other libraries, by DLPack.
//
// DLPack is a struct in a capsule. Who takes it renames the capsule and calls
// the struct's deleter when done; a capsule that nobody took calls it itself.
#include "core.h"
// After core.h, which includes Python.h.
#include <string.h>

#define FRESH "dltensor"
#define TAKEN "used_dltensor"

// ---- The format, as DLPack 0.8 lays it out ----

enum { ON_CPU = 1, ON_CUDA = 2, ON_CUDA_HOST = 3 };
enum {
  KIND_INT,
  KIND_UINT,
  KIND_FLOAT,
  KIND_BFLOAT = 4,
  KIND_COMPLEX,
  KIND_BOOL
};

typedef struct dl_type {
  uint8_t kind, bits;
  uint16_t lanes;
} dl_type_t;

typedef struct dl_device {
  int32_t type, index;
} dl_device_t;

typedef struct dl_tensor {
  void *data;
  dl_device_t device;
  int32_t rank;
  dl_type_t type;
  int64_t *shape;
  int64_t *strides;  // In elements; NULL: row by row.
  uint64_t offset;
} dl_tensor_t;

typedef struct dl_managed {
  dl_tensor_t tensor;
  void *context;
  void (*deleter)(struct dl_managed *self);
} dl_managed_t;

static const struct {
  dl_type_t type;
  berth_dtype_t dtype;
} types[] = {
    {{KIND_FLOAT, 32, 1}, BERTH_FLOAT},
    {{KIND_FLOAT, 64, 1}, BERTH_DOUBLE},
    {{KIND_INT, 32, 1}, BERTH_INT32},
    {{KIND_UINT, 8, 1}, BERTH_UINT8},
    {{KIND_INT, 16, 1}, BERTH_INT16},
    {{KIND_INT, 8, 1}, BERTH_INT8},
    {{KIND_COMPLEX, 64, 1}, BERTH_COMPLEX64},
    {{KIND_INT, 64, 1}, BERTH_INT64},
    {{KIND_BOOL, 8, 1}, BERTH_BOOL},
    {{KIND_BFLOAT, 16, 1}, BERTH_BFLOAT16},
    {{KIND_UINT, 16, 1}, BERTH_UINT16},
    {{KIND_COMPLEX, 128, 1}, BERTH_COMPLEX128},
    {{KIND_FLOAT, 16, 1}, BERTH_HALF},
    {{KIND_UINT, 32, 1}, BERTH_UINT32},
    {{KIND_UINT, 64, 1}, BERTH_UINT64},
};
enum { TYPE_COUNT = sizeof(types) / sizeof(types[0]) };

static const dl_type_t *type_find(berth_dtype_t dtype) {
  for (int i = 0; i < TYPE_COUNT; ++i) {
    if (types[i].dtype == dtype) return &types[i].type;
  }
  return NULL;
}

static berth_dtype_t dtype_find(dl_type_t type) {
  for (int i = 0; i < TYPE_COUNT; ++i) {
    if (types[i].type.kind == type.kind && types[i].type.bits == type.bits &&
        types[i].type.lanes == type.lanes) {
      return types[i].dtype;
    }
  }
  return BERTH_INVALID;
}

// ---- Lending a tensor ----

static bool device_find(const berth_tensor_t *tensor, dl_device_t *out) {
  *out = (dl_device_t){ON_CPU, 0};
  if (berth_py_is_on_host(tensor)) return true;
  berth_error_t err = BERTH_ERROR_INIT;
  int card = 0;
  if (berth_device_card(berth_tensor_device(tensor), &card, &err) != BERTH_OK) {
    berth_py_raise(&err);
    return false;
  }
  *out = (dl_device_t){ON_CUDA, card};
  return true;
}

// Waits until |tensor| is there. A copy of it is the only thing that waits for
// its stream; other libraries know nothing of Berth's.
static bool wait_for(berth_tensor_t *tensor) {
  if (berth_py_is_on_host(tensor)) return true;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *copy = NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code =
      berth_tensor_to_host_polled(tensor, berth_py_poll, NULL, &copy, &err);
  berth_tensor_release(copy);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) berth_py_raise(&err);
  return code == BERTH_OK;
}

static void managed_delete(dl_managed_t *managed) {
  berth_tensor_release(managed->context);
  PyMem_RawFree(managed);
}

static void capsule_delete(PyObject *capsule) {
  // One that was taken has another name, and is the taker's to end.
  if (!PyCapsule_IsValid(capsule, FRESH)) return;
  dl_managed_t *managed = PyCapsule_GetPointer(capsule, FRESH);
  managed->deleter(managed);
}

static dl_managed_t *managed_new(berth_tensor_t *tensor, dl_type_t type,
                                 dl_device_t device) {
  dl_managed_t *managed = PyMem_RawCalloc(1, sizeof(*managed));
  if (managed == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  berth_dims_t shape = berth_tensor_shape(tensor);
  *managed = (dl_managed_t){
      .tensor = {.data = berth_tensor_data(tensor),
                 .device = device,
                 .rank = shape.rank,
                 .type = type,
                 .shape = (int64_t *)(uintptr_t)shape.dims},
      .context = berth_tensor_retain(tensor),
      .deleter = managed_delete,
  };
  return managed;
}

PyObject *berth_py_to_dlpack(PyObject *self, PyObject *args, PyObject *kwargs) {
  // The arguments say where the taker wants it; it decides what to do when it
  // is elsewhere.
  (void)args;
  (void)kwargs;
  berth_tensor_t *tensor = berth_py_get_tensor(self);
  if (tensor == NULL) return NULL;
  const dl_type_t *type = type_find(berth_tensor_dtype(tensor));
  if (type == NULL) {
    PyErr_Format(PyExc_BufferError, "DLPack has no type for %s",
                 berth_dtype_name(berth_tensor_dtype(tensor)));
    return NULL;
  }
  dl_device_t device;
  if (!device_find(tensor, &device) || !wait_for(tensor)) return NULL;
  dl_managed_t *managed = managed_new(tensor, *type, device);
  if (managed == NULL) return NULL;
  PyObject *capsule = PyCapsule_New(managed, FRESH, capsule_delete);
  if (capsule == NULL) managed_delete(managed);
  return capsule;
}

PyObject *berth_py_dlpack_device(PyObject *self, PyObject *unused) {
  (void)unused;
  dl_device_t device;
  berth_tensor_t *tensor = berth_py_get_tensor(self);
  if (tensor == NULL || !device_find(tensor, &device)) return NULL;
  return Py_BuildValue("(ii)", device.type, device.index);
}

// ---- Borrowing from others ----

static bool is_compact(const dl_tensor_t *tensor) {
  uint64_t stride = 1;  // May wrap; such a shape is refused afterwards.
  if (tensor->strides == NULL) return true;
  for (int i = tensor->rank - 1; i >= 0; --i) {
    if (tensor->shape[i] > 1 && (uint64_t)tensor->strides[i] != stride) {
      return false;
    }
    stride *= (uint64_t)tensor->shape[i];
  }
  return true;
}

static void owner_delete(PyObject *owner) {
  dl_managed_t *managed = PyCapsule_GetPointer(owner, TAKEN);
  if (managed->deleter != NULL) managed->deleter(managed);
}

static bool is_on_host(dl_device_t device) {
  return device.type == ON_CPU || device.type == ON_CUDA_HOST;
}

// Says what is wrong with |tensor|; NULL: nothing.
static const char *refusal(const dl_tensor_t *tensor) {
  if (!is_on_host(tensor->device) && tensor->device.type != ON_CUDA) {
    return "only arrays in the memory of the host or of a CUDA card can be "
           "shared with Berth";
  }
  if (dtype_find(tensor->type) == BERTH_INVALID) {
    return "no tensor has the type of this array";
  }
  if (tensor->rank > BERTH_MAX_RANK) return "the array has too many dimensions";
  if (tensor->rank < 0 || (tensor->rank > 0 && tensor->shape == NULL)) {
    return "the array has no shape";
  }
  return is_compact(tensor) ? NULL : "the array is not stored row by row";
}

// Finds the device of |context| that lives on a card. NULL with an exception.
static const char *name_find(berth_context_t *context, int card) {
  int count = context != NULL ? berth_context_device_count(context) : 0;
  for (int i = 0; i < count; ++i) {
    const char *name = berth_context_device_name(context, i);
    berth_error_t err = BERTH_ERROR_INIT;
    int found = -1;
    berth_code_t code = berth_device_card(name, &found, &err);
    berth_error_clear(&err);
    if (code == BERTH_OK && found == card) return name;
  }
  PyErr_Format(PyExc_BufferError,
               "the array is on card %d, which Berth does not use", card);
  return NULL;
}

// Makes a tensor over |managed|, which |owner| ends.
static berth_tensor_t *tensor_over(dl_managed_t *managed, PyObject *owner,
                                   berth_context_t *context) {
  berth_error_t err = BERTH_ERROR_INIT;
  const dl_tensor_t *t = &managed->tensor;
  berth_dtype_t dtype = dtype_find(t->type);
  berth_dims_t shape = {t->rank, t->shape};
  char *data = (char *)t->data + t->offset;
  size_t size = berth_dtype_size(dtype);
  for (int i = 0; i < t->rank; ++i) size *= (size_t)t->shape[i];
  berth_tensor_t *tensor = NULL;
  berth_code_t code = BERTH_OK;
  const char *name = NULL;
  if (!is_on_host(t->device)) {
    name = name_find(context, t->device.index);
    if (name == NULL) return NULL;
  }
  Py_INCREF(owner);
  if (name != NULL) {
    code = berth_eager_wrap(context, name, dtype, shape, data, size,
                            berth_py_give_back, owner, &tensor, &err);
  } else {
    code = berth_tensor_wrap(dtype, shape, data, size, berth_py_give_back,
                             owner, &tensor, &err);
  }
  if (code != BERTH_OK) {
    Py_DECREF(owner);
    berth_py_raise(&err);
  }
  return tensor;
}

static PyObject *take(PyTypeObject *type, PyObject *capsule,
                      berth_context_t *context) {
  if (!PyCapsule_CheckExact(capsule)) {
    PyErr_Format(PyExc_TypeError, "__dlpack__() gives a capsule, not %.200s",
                 Py_TYPE(capsule)->tp_name);
    return NULL;
  }
  if (!PyCapsule_IsValid(capsule, FRESH)) {
    bool is_taken = PyCapsule_IsValid(capsule, TAKEN);
    PyErr_SetString(PyExc_ValueError,
                    is_taken ? "A DLPack tensor may be consumed at most once."
                             : "DLPack tensor must be a capsule with name "
                               "\"dltensor\".");
    return NULL;
  }
  dl_managed_t *managed = PyCapsule_GetPointer(capsule, FRESH);
  if (managed == NULL) return NULL;
  const char *why = refusal(&managed->tensor);
  if (why != NULL) {
    PyErr_SetString(PyExc_BufferError, why);
    return NULL;
  }
  PyObject *owner = PyCapsule_New(managed, TAKEN, owner_delete);
  if (owner == NULL) return NULL;
  // From here on |owner| ends it; the name cannot fail to change.
  (void)PyCapsule_SetName(capsule, TAKEN);
  berth_tensor_t *tensor = tensor_over(managed, owner, context);
  Py_DECREF(owner);
  return tensor != NULL ? berth_py_tensor_new(type, tensor) : NULL;
}

// Returns the stream that must wait for |object| when it is on a card, as a
// number; None when it is not. A tensor of Berth's own tells.
static PyObject *stream_for(PyObject *object, berth_context_t *context) {
  PyObject *where = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  if (where == NULL) return NULL;
  int kind = 0, card = 0;
  bool is_read = PyTuple_Check(where);
  if (is_read) {
    is_read = PyArg_ParseTuple(where, "ii:__dlpack_device__", &kind, &card);
  } else {
    PyErr_Format(PyExc_TypeError,
                 "__dlpack_device__() gives a tuple of two numbers, not %.200s",
                 Py_TYPE(where)->tp_name);
  }
  Py_DECREF(where);
  if (!is_read) return NULL;
  if (kind != ON_CUDA) Py_RETURN_NONE;
  const char *name = name_find(context, card);
  if (name == NULL) return NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = NULL, *there = NULL;
  berth_code_t code =
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(1), &host, &err);
  if (code == BERTH_OK) {
    code = berth_eager_copy(context, host, name, &there, &err);
  }
  PyObject *stream = code == BERTH_OK
                         ? PyLong_FromVoidPtr(berth_tensor_stream(there))
                         : berth_py_raise(&err);
  berth_tensor_release(there);
  berth_tensor_release(host);
  return stream;
}

// Calls |method| with the stream that waits; NULL: without.
static PyObject *method_call(PyObject *method, PyObject *stream) {
  PyObject *none = PyTuple_New(0), *capsule = NULL;
  PyObject *options = stream == NULL || stream == Py_None
                          ? PyDict_New()
                          : Py_BuildValue("{sO}", "stream", stream);
  if (none != NULL && options != NULL) {
    capsule = PyObject_Call(method, none, options);
  }
  Py_XDECREF(options);
  Py_XDECREF(none);
  return capsule;
}

// Returns the method that gives the capsule of |object|.
static PyObject *method_of(PyObject *object) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
  if (method == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Format(PyExc_TypeError,
                 "from_dlpack() takes a DLPack capsule or an object with "
                 "__dlpack__(), not %.200s",
                 Py_TYPE(object)->tp_name);
  }
  return method;
}

// Asks |object| for its capsule.
static PyObject *capsule_of(PyObject *object, berth_context_t *context) {
  PyObject *stream = NULL, *capsule = NULL;
  if (PyObject_HasAttrString(object, "__dlpack_device__")) {
    stream = stream_for(object, context);
    if (stream == NULL) return NULL;
  }
  PyObject *method = method_of(object);
  if (method != NULL) capsule = method_call(method, stream);
  Py_XDECREF(method);
  Py_XDECREF(stream);
  return capsule;
}

PyObject *berth_py_from_dlpack(PyObject *type, PyObject *args) {
  PyObject *object = NULL, *owner = NULL;
  if (!PyArg_ParseTuple(args, "O|O!:from_dlpack", &object,
                        &berth_py_context_type, &owner)) {
    return NULL;
  }
  berth_context_t *context =
      owner != NULL ? berth_py_context_handle(owner) : NULL;
  if (PyCapsule_CheckExact(object)) {
    return take((PyTypeObject *)type, object, context);
  }
  PyObject *capsule = capsule_of(object, context);
  if (capsule == NULL) return NULL;
  PyObject *tensor = take((PyTypeObject *)type, capsule, context);
  Py_DECREF(capsule);
  return tensor;
}
