// numpy.c - Arrays of numpy to tensors and back.
//
// numpy is loaded when the first array is met or made, never before: programs
// that need no arrays start faster.
//
// Memory goes two ways without a copy. A large array that is fed lends its
// memory to a tensor, which holds the array. A large result that nobody else
// holds becomes the memory of an array, whose base holds the tensor.
#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define NPY_TARGET_VERSION NPY_1_20_API_VERSION
#include "core.h"
// After core.h, which settles how Python.h is included.
#include <float.h>
#include <math.h>
#include <numpy/arrayobject.h>
#include <pthread.h>
#include <string.h>

// Arrays of up to this many bytes are copied: cheaper than an owner.
#define SMALL_BYTES 2048

static const int numpy_types[BERTH_DTYPE_COUNT] = {
    [BERTH_FLOAT] = NPY_FLOAT,        [BERTH_DOUBLE] = NPY_DOUBLE,
    [BERTH_INT32] = NPY_INT,          [BERTH_UINT8] = NPY_UBYTE,
    [BERTH_INT16] = NPY_SHORT,        [BERTH_INT8] = NPY_BYTE,
    [BERTH_STRING] = NPY_OBJECT,      [BERTH_COMPLEX64] = NPY_CFLOAT,
    [BERTH_INT64] = NPY_LONG,         [BERTH_BOOL] = NPY_BOOL,
    [BERTH_QINT8] = NPY_BYTE,         [BERTH_QUINT8] = NPY_UBYTE,
    [BERTH_QINT32] = NPY_INT,         [BERTH_QINT16] = NPY_SHORT,
    [BERTH_QUINT16] = NPY_USHORT,     [BERTH_UINT16] = NPY_USHORT,
    [BERTH_COMPLEX128] = NPY_CDOUBLE, [BERTH_HALF] = NPY_HALF,
    [BERTH_UINT32] = NPY_UINT,        [BERTH_UINT64] = NPY_ULONG,
    [BERTH_INT4] = NPY_BYTE,          [BERTH_UINT4] = NPY_UBYTE,
    [BERTH_INT2] = NPY_BYTE,          [BERTH_UINT2] = NPY_UBYTE,
};

// ---- Loading ----

static bool numpy_load(void) {
  if (PyArray_API != NULL) return true;
  if (_import_array() < 0) {
    PyErr_Clear();
    PyErr_SetString(PyExc_ImportError,
                    "this needs numpy, which cannot be imported");
    return false;
  }
  return true;
}

bool berth_py_is_array(PyObject *object) {
  if (PyArray_API == NULL) {
    PyObject *modules = PyImport_GetModuleDict();  // Borrowed.
    if (PyDict_GetItemString(modules, "numpy") == NULL) return false;
    if (!numpy_load()) {
      PyErr_Clear();
      return false;
    }
  }
  return PyArray_Check(object);
}

// ---- Types ----

// Returns the number of numpy's type for |dtype|; NPY_NOTYPE: it has none.
static int numpy_type(berth_dtype_t dtype) {
  if (dtype <= BERTH_INVALID || dtype >= BERTH_DTYPE_COUNT) return NPY_NOTYPE;
  // NPY_BOOL is 0, as is what the table does not name.
  int number = numpy_types[dtype];
  return number != NPY_BOOL || dtype == BERTH_BOOL ? number : NPY_NOTYPE;
}

// Returns the type that ml_dtypes has for |dtype|: numpy knows no bfloat16.
static PyArray_Descr *borrowed_descr(berth_dtype_t dtype) {
  if (dtype == BERTH_VARIANT) {
    berth_error_t err = {
        .code = BERTH_INTERNAL,
        .text = "Tensorflow type 21 not convertible to numpy dtype."};
    (void)berth_py_raise(&err);
    return NULL;
  }
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  PyObject *type = NULL;
  PyArray_Descr *descr = NULL;
  if (module != NULL) {
    type = PyObject_GetAttrString(module, berth_dtype_name(dtype));
  }
  if (type == NULL || !PyArray_DescrConverter(type, &descr)) {
    PyErr_Format(PyExc_TypeError,
                 "numpy has no type for %s; the package ml_dtypes has",
                 berth_dtype_name(dtype));
  }
  Py_XDECREF(module);
  Py_XDECREF(type);
  return descr;
}

// Returns a new reference to numpy's type for |dtype|.
static PyArray_Descr *descr_of(berth_dtype_t dtype) {
  dtype = dtype >= BERTH_REF ? dtype - BERTH_REF : dtype;
  int number = numpy_type(dtype);
  return number != NPY_NOTYPE ? PyArray_DescrFromType(number)
                              : borrowed_descr(dtype);
}

// Returns the type called as the class of |descr|'s elements is.
static berth_dtype_t dtype_by_name(PyArray_Descr *descr) {
  const char *name = descr->typeobj->tp_name;
  const char *dot = strrchr(name, '.');
  return berth_dtype_find(dot != NULL ? dot + 1 : name);
}

static berth_dtype_t dtype_of(PyArray_Descr *descr) {
  switch (descr->type_num) {
    case NPY_FLOAT:
      return BERTH_FLOAT;
    case NPY_DOUBLE:
      return BERTH_DOUBLE;
    case NPY_INT:
      return BERTH_INT32;
    case NPY_UBYTE:
      return BERTH_UINT8;
    case NPY_SHORT:
      return BERTH_INT16;
    case NPY_BYTE:
      return BERTH_INT8;
    case NPY_OBJECT:
    case NPY_STRING:
    case NPY_UNICODE:
      return BERTH_STRING;
    case NPY_CFLOAT:
      return BERTH_COMPLEX64;
    case NPY_LONG:
    case NPY_LONGLONG:
      return BERTH_INT64;
    case NPY_BOOL:
      return BERTH_BOOL;
    case NPY_USHORT:
      return BERTH_UINT16;
    case NPY_CDOUBLE:
      return BERTH_COMPLEX128;
    case NPY_HALF:
      return BERTH_HALF;
    case NPY_UINT:
      return BERTH_UINT32;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return BERTH_UINT64;
    default:
      return dtype_by_name(descr);
  }
}

bool berth_py_is_plain_array(PyObject *object) {
  if (!berth_py_is_array(object) || !PyArray_CheckExact(object)) return false;
  PyArrayObject *array = (PyArrayObject *)object;
  berth_dtype_t dtype = dtype_of(PyArray_DESCR(array));
  return dtype != BERTH_INVALID && dtype != BERTH_STRING &&
         PyArray_ISCARRAY_RO(array);
}

bool berth_py_array_fits(PyObject *array, berth_dtype_t dtype) {
  PyArrayObject *a = (PyArrayObject *)array;
  dtype = dtype >= BERTH_REF ? dtype - BERTH_REF : dtype;
  return dtype != BERTH_STRING && PyArray_ISCARRAY_RO(a) &&
         (PyArray_DESCR(a)->type_num == numpy_type(dtype) ||
          dtype_of(PyArray_DESCR(a)) == dtype);
}

bool berth_py_is_numeric(PyObject *object) {
  if (PyArray_API == NULL) return false;  // It is nothing of numpy's.
  if (PyArray_Check(object)) {
    int type = PyArray_TYPE((PyArrayObject *)object);
    return PyTypeNum_ISNUMBER(type) || type == NPY_BOOL;
  }
  return PyArray_IsScalar(object, Number) || PyArray_IsScalar(object, Bool);
}

// True when all |count| numbers become floats without overflow or underflow.
static bool narrows_quietly(const double *numbers, npy_intp count) {
  bool ok = true;
  for (npy_intp i = 0; ok && i < count; ++i) {
    double size = fabs(numbers[i]);
    ok = (size >= FLT_MIN && size <= FLT_MAX) || size == 0 || !isfinite(size);
  }
  return ok;
}

bool berth_py_casts_quietly(PyObject *array, berth_dtype_t dtype) {
  PyArrayObject *a = (PyArrayObject *)array;
  int from = PyArray_TYPE(a), to = numpy_type(dtype);
  if (from == to) return true;
  if (PyTypeNum_ISINTEGER(from) || from == NPY_BOOL) return to != NPY_HALF;
  if (from == NPY_DOUBLE && to == NPY_FLOAT) {
    return PyArray_ISCARRAY_RO(a) &&
           narrows_quietly(PyArray_DATA(a), PyArray_SIZE(a));
  }
  bool widens = (from == NPY_HALF || from == NPY_FLOAT) &&
                (to == NPY_FLOAT || to == NPY_DOUBLE);
  return widens || (to == NPY_BOOL && PyTypeNum_ISFLOAT(from));
}

PyObject *berth_py_asarray(PyObject *value) {
  if (!numpy_load()) return NULL;
  return PyArray_FromAny(value, NULL, 0, 0, NPY_ARRAY_ENSUREARRAY, NULL);
}

bool berth_py_has_strings(PyObject *array) {
  int type = PyArray_TYPE((PyArrayObject *)array);
  return type == NPY_OBJECT || type == NPY_STRING || type == NPY_UNICODE;
}

berth_dims_t berth_py_array_shape(PyObject *array) {
  PyArrayObject *a = (PyArrayObject *)array;
  return (berth_dims_t){PyArray_NDIM(a), (const int64_t *)PyArray_DIMS(a)};
}

// ---- Objects whose memory is lent ----

// Objects to drop: a tensor may go where the GIL is not held.
static pthread_mutex_t lent_lock = PTHREAD_MUTEX_INITIALIZER;
static PyObject **lent;  // Guarded by lent_lock.
static int lent_count, lent_room;

// Keeps |object| for later. Where there is no memory for that it is never
// dropped, which is the lesser evil.
static void lent_push(PyObject *object) {
  pthread_mutex_lock(&lent_lock);
  if (lent_count == lent_room) {
    int room = lent_room * 2 + 16;
    PyObject **more = PyMem_RawRealloc(lent, (size_t)room * sizeof(PyObject *));
    if (more != NULL) {
      lent = more;
      lent_room = room;
    }
  }
  if (lent_count < lent_room) lent[lent_count++] = object;
  pthread_mutex_unlock(&lent_lock);
}

static PyObject *lent_pop(void) {
  pthread_mutex_lock(&lent_lock);
  PyObject *object = lent_count > 0 ? lent[--lent_count] : NULL;
  pthread_mutex_unlock(&lent_lock);
  return object;
}

static int lent_drop(void *arg) {
  (void)arg;
  PyObject *object;
  while ((object = lent_pop()) != NULL) Py_DECREF(object);
  return 0;
}

// PyGILState_Check() says yes to everybody once there are subinterpreters.
static bool has_gil(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() && PyThreadState_GetUnchecked() != NULL;
#else
  PyThreadState *own =
      Py_IsInitialized() ? PyGILState_GetThisThreadState() : NULL;
  return own != NULL && own == _PyThreadState_UncheckedGet();
#endif
}

void berth_py_give_back(void *data, size_t size, void *arg) {
  (void)data;
  (void)size;
  // Waiting for the GIL here could be for ever: who has it may wait for a lock
  // that this thread has.
  if (has_gil()) {
    Py_DECREF((PyObject *)arg);
    return;
  }
  lent_push(arg);
  // A full queue of pending calls is fine: the next object drops them all.
  (void)Py_AddPendingCall(lent_drop, NULL);
}

// ---- Arrays to tensors ----

bool berth_py_string_set(berth_tensor_t *tensor, int64_t i, PyObject *item) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *text = NULL;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(item)) {
    text = PyUnicode_AsUTF8AndSize(item, &size);
  } else if (PyBytes_Check(item)) {
    text = PyBytes_AS_STRING(item);
    size = PyBytes_GET_SIZE(item);
  } else {
    PyErr_Format(PyExc_TypeError, "Unsupported object type %s",
                 Py_TYPE(item)->tp_name);
  }
  if (text == NULL) return false;
  if (berth_tensor_set_string(tensor, i, text, (size_t)size, &err) !=
      BERTH_OK) {
    berth_py_raise(&err);
    return false;
  }
  return true;
}

// Copies texts and byte strings, of any of numpy's three types for them.
static berth_tensor_t *strings_copy(PyArrayObject *array) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_STRING, berth_py_array_shape((PyObject *)array),
                          &tensor, &err) != BERTH_OK) {
    berth_py_raise(&err);
    return NULL;
  }
  PyObject *iter = PyArray_IterNew((PyObject *)array);
  bool ok = iter != NULL;
  for (int64_t i = 0; ok && i < berth_tensor_count(tensor); ++i) {
    PyObject *item = PyArray_GETITEM(array, PyArray_ITER_DATA(iter));
    ok = item != NULL && berth_py_string_set(tensor, i, item);
    Py_XDECREF(item);
    if (ok) PyArray_ITER_NEXT(iter);
  }
  Py_XDECREF(iter);
  if (ok) return tensor;
  berth_tensor_release(tensor);
  return NULL;
}

static berth_tensor_t *numbers_take(PyArrayObject *array, berth_dtype_t dtype,
                                    bool may_share) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  berth_dims_t shape = berth_py_array_shape((PyObject *)array);
  size_t size = (size_t)PyArray_NBYTES(array);
  berth_code_t code;
  if (may_share && size > SMALL_BYTES) {
    code = berth_tensor_wrap(dtype, shape, PyArray_DATA(array), size,
                             berth_py_give_back, array, &tensor, &err);
    if (code == BERTH_OK) Py_INCREF(array);
  } else {
    code = berth_tensor_copy_from(dtype, shape, PyArray_DATA(array), &tensor,
                                  &err);
  }
  if (code != BERTH_OK) berth_py_raise(&err);
  return tensor;
}

berth_tensor_t *berth_py_array_take(PyObject *array, berth_dtype_t dtype) {
  if (!berth_py_array_fits(array, dtype)) return NULL;
  return numbers_take((PyArrayObject *)array, dtype, true);
}

// Returns a new reference to an array of |object| with bytes that |dtype| has.
static PyArrayObject *array_convert(PyObject *object, berth_dtype_t dtype) {
  PyArray_Descr *descr = NULL;
  if (dtype != BERTH_INVALID && dtype != BERTH_STRING) {
    descr = descr_of(dtype);
    if (descr == NULL) return NULL;
  }
  return (PyArrayObject *)PyArray_CheckFromAny(
      object, descr, 0, 0,
      NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST, NULL);
}

// True when nobody else can reach the memory of |array|: what was converted is
// a copy, unless its memory is that of the object it was made of.
static bool is_ours(PyArrayObject *array) {
  return Py_REFCNT(array) == 1 && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA);
}

berth_tensor_t *berth_py_tensor_of(PyObject *object, berth_dtype_t dtype,
                                   bool may_share) {
  if (!numpy_load()) return NULL;
  dtype = dtype >= BERTH_REF ? dtype - BERTH_REF : dtype;
  if (PyArray_Check(object) && dtype != BERTH_INVALID &&
      berth_py_array_fits(object, dtype)) {
    return numbers_take((PyArrayObject *)object, dtype, may_share);
  }
  PyArrayObject *array = array_convert(object, dtype);
  if (array == NULL) return NULL;
  berth_tensor_t *tensor = NULL;
  if (dtype == BERTH_INVALID) dtype = dtype_of(PyArray_DESCR(array));
  if (dtype == BERTH_INVALID) {
    PyErr_Format(PyExc_TypeError, "no tensor has the type of %R",
                 (PyObject *)PyArray_DESCR(array));
  } else if (dtype == BERTH_STRING) {
    tensor = strings_copy(array);
  } else {
    tensor = numbers_take(array, dtype, may_share || is_ours(array));
  }
  Py_DECREF(array);
  return tensor;
}

// Writes |object| to |out| if it is a scalar of the type |dtype|.
static bool scalar_write(PyObject *object, berth_dtype_t dtype, void *out) {
  if (PyArray_API == NULL || !PyArray_IsScalar(object, Generic)) return false;
  PyArray_Descr *descr = PyArray_DescrFromScalar(object);
  bool fits = descr != NULL && dtype != BERTH_STRING &&
              descr->type_num == numpy_type(dtype);
  Py_XDECREF(descr);
  if (fits) PyArray_ScalarAsCtype(object, out);
  return fits;
}

berth_tensor_t *berth_py_scalar_tensor(PyObject *object, berth_dtype_t dtype) {
  uint64_t room[2];  // The largest number is complex128.
  berth_tensor_t *tensor = NULL;
  if (!scalar_write(object, dtype, room)) return NULL;
  (void)!berth_tensor_copy_from(dtype, (berth_dims_t){0, NULL}, room, &tensor,
                                NULL);
  return tensor;
}

// ---- Tensors to arrays ----

static void capsule_release(PyObject *capsule) {
  berth_tensor_release(PyCapsule_GetPointer(capsule, NULL));
}

// Makes an array over the memory of |tensor|, and takes the reference over.
static PyObject *array_over(berth_tensor_t *tensor, PyArray_Descr *descr) {
  berth_dims_t shape = berth_tensor_shape(tensor);
  PyObject *owner = PyCapsule_New(tensor, NULL, capsule_release);
  if (owner == NULL) {
    Py_DECREF(descr);
    berth_tensor_release(tensor);
    return NULL;
  }
  PyObject *array = PyArray_NewFromDescr(
      &PyArray_Type, descr, shape.rank, (const npy_intp *)shape.dims, NULL,
      berth_tensor_data(tensor), NPY_ARRAY_CARRAY, NULL);
  if (array == NULL) {
    Py_DECREF(owner);
  } else if (PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) {
    Py_CLEAR(array);
  }
  return array;
}

static PyObject *array_copy(berth_tensor_t *tensor, PyArray_Descr *descr) {
  berth_dims_t shape = berth_tensor_shape(tensor);
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, shape.rank,
                           (const npy_intp *)shape.dims, NULL, NULL, 0, NULL);
  size_t size = berth_tensor_size(tensor);
  if (array != NULL && size > 0) {
    memcpy(PyArray_DATA((PyArrayObject *)array), berth_tensor_data(tensor),
           size);
  }
  berth_tensor_release(tensor);
  return array;
}

// Makes an array of bytes objects.
static PyObject *array_strings(berth_tensor_t *tensor, PyArray_Descr *descr) {
  berth_dims_t shape = berth_tensor_shape(tensor);
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, shape.rank,
                           (const npy_intp *)shape.dims, NULL, NULL, 0, NULL);
  PyObject **items =
      array != NULL ? PyArray_DATA((PyArrayObject *)array) : NULL;
  for (int64_t i = 0; array != NULL && i < berth_tensor_count(tensor); ++i) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(tensor, i, &size);
    PyObject *item = PyBytes_FromStringAndSize(text, (Py_ssize_t)size);
    if (item == NULL) {
      Py_CLEAR(array);
    } else {
      Py_XSETREF(items[i], item);
    }
  }
  berth_tensor_release(tensor);
  return array;
}

// Replaces a tensor elsewhere by a copy in host memory; false frees it.
static bool bring_home(berth_tensor_t **tensor) {
  if (berth_py_is_on_host(*tensor)) return true;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *there = *tensor;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code =
      berth_tensor_to_host_polled(there, berth_py_poll, NULL, tensor, &err);
  berth_tensor_release(there);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) berth_py_raise(&err);
  return code == BERTH_OK;
}

PyObject *berth_py_array_of(berth_tensor_t *tensor) {
  if (!bring_home(&tensor)) return NULL;
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  PyArray_Descr *descr = numpy_load() ? descr_of(dtype) : NULL;
  if (descr == NULL) {
    berth_tensor_release(tensor);
    return NULL;
  }
  PyObject *array;
  if (dtype == BERTH_STRING) {
    array = array_strings(tensor, descr);
  } else if (berth_tensor_size(tensor) > SMALL_BYTES &&
             berth_tensor_is_exclusive(tensor)) {
    array = array_over(tensor, descr);
  } else {
    array = array_copy(tensor, descr);
  }
  return array != NULL ? PyArray_Return((PyArrayObject *)array) : NULL;
}
