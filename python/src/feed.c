// feed.c - Values that Session.run is fed, to tensors of what they are fed to.
//
// The rules are those of numpy.asarray(value).astype(dtype), and one of
// TensorFlow's: an int alone must be what it becomes. Numbers, texts and lists
// of them are read here. Numbers that change more than by rounding, lists with
// scalars or arrays of numpy in them, and arrays of another type are numpy's to
// convert. Everything that could call a program's own code, or is wrong, is
// left to Python, which reads it once and has all the words.
#include <float.h>
#include <math.h>

#include "core.h"

// Lists within lists.
#define MOST_RANK 32

// Ints up to here are doubles.
#define MOST_EXACT (1LL << 53)

// A value while it is read.
typedef struct reader {
  berth_dtype_t dtype;
  int rank;
  int64_t dims[MOST_RANK];
  berth_tensor_t *tensor;
  char *at;       // The next number.
  int64_t index;  // The next text.
} reader_t;

// ---- Types ----

static bool is_read_here(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
    case BERTH_DOUBLE:
    case BERTH_BOOL:
    case BERTH_STRING:
    case BERTH_INT8:
    case BERTH_UINT8:
    case BERTH_INT16:
    case BERTH_UINT16:
    case BERTH_INT32:
    case BERTH_UINT32:
    case BERTH_INT64:
      return true;
    default:
      return false;
  }
}

// True for the types of numbers that are numpy's own, so that it converts to
// them. What it borrows from others, or lacks, is left to Python.
static bool is_numpys(berth_dtype_t dtype) {
  return (is_read_here(dtype) && dtype != BERTH_STRING) ||
         dtype == BERTH_HALF || dtype == BERTH_UINT64 ||
         dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
}

// ---- Numbers ----

// True when |value| becomes a float without a word of numpy about it.
static bool is_quiet(double value) {
  double size = fabs(value);
  return (size >= FLT_MIN && size <= FLT_MAX) || size == 0 || !isfinite(size);
}

static bool read_int(PyObject *item, int64_t *out) {
  if (PyBool_Check(item)) {
    *out = item == Py_True;
    return true;
  }
  if (!PyLong_CheckExact(item)) return false;
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(item, &overflow);
  return overflow == 0;
}

static bool read_double(PyObject *item, double *out) {
  if (PyFloat_CheckExact(item)) {
    *out = PyFloat_AS_DOUBLE(item);
    return true;
  }
  int64_t number;
  if (!read_int(item, &number)) return false;
  *out = (double)number;
  return number >= -MOST_EXACT && number <= MOST_EXACT;
}

#define WRITE_INT(type, low, high)                     \
  if (number < (low) || number > (high)) return false; \
  type value = (type)number;                           \
  memcpy(out, &value, sizeof(value));                  \
  return true

static bool write_int(PyObject *item, berth_dtype_t dtype, void *out) {
  int64_t number;
  if (!read_int(item, &number)) return false;
  switch (dtype) {
    case BERTH_INT8: {
      WRITE_INT(int8_t, INT8_MIN, INT8_MAX);
    }
    case BERTH_UINT8: {
      WRITE_INT(uint8_t, 0, UINT8_MAX);
    }
    case BERTH_INT16: {
      WRITE_INT(int16_t, INT16_MIN, INT16_MAX);
    }
    case BERTH_UINT16: {
      WRITE_INT(uint16_t, 0, UINT16_MAX);
    }
    case BERTH_INT32: {
      WRITE_INT(int32_t, INT32_MIN, INT32_MAX);
    }
    case BERTH_UINT32: {
      WRITE_INT(uint32_t, 0, UINT32_MAX);
    }
    case BERTH_INT64: {
      WRITE_INT(int64_t, INT64_MIN, INT64_MAX);
    }
    default:
      return false;
  }
}

// Writes |item| to |out| if it is a number that becomes one of |dtype|.
static bool write_number(PyObject *item, berth_dtype_t dtype, void *out) {
  double number;
  int64_t whole;
  switch (dtype) {
    case BERTH_FLOAT:
      if (!read_double(item, &number) || !is_quiet(number)) return false;
      *(float *)out = (float)number;
      return true;
    case BERTH_DOUBLE:
      return read_double(item, out);
    case BERTH_BOOL:
      if (!read_int(item, &whole)) return false;
      *(bool *)out = whole != 0;
      return true;
    default:
      return write_int(item, dtype, out);
  }
}

// ---- Lists ----

static bool is_list(PyObject *value) {
  return PyList_CheckExact(value) || PyTuple_CheckExact(value);
}

// Reads the shape off the first items; reading all of them proves it.
static bool read_dims(PyObject *value, reader_t *reader) {
  reader->rank = 0;
  while (is_list(value)) {
    if (reader->rank == MOST_RANK) return false;
    reader->dims[reader->rank++] = Py_SIZE(value);
    if (Py_SIZE(value) == 0) break;
    value = PySequence_Fast_ITEMS(value)[0];
  }
  return true;
}

static bool read_item(PyObject *item, reader_t *reader) {
  if (reader->dtype == BERTH_STRING) {
    return (PyUnicode_CheckExact(item) || PyBytes_CheckExact(item)) &&
           berth_py_string_set(reader->tensor, reader->index++, item);
  }
  bool ok = write_number(item, reader->dtype, reader->at);
  reader->at += berth_dtype_size(reader->dtype);
  return ok;
}

static bool read_items(PyObject *value, int depth, reader_t *reader) {
  if (depth == reader->rank) return read_item(value, reader);
  if (!is_list(value) || Py_SIZE(value) != reader->dims[depth]) return false;
  PyObject *const *items = PySequence_Fast_ITEMS(value);
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < Py_SIZE(value); ++i) {
    ok = read_items(items[i], depth + 1, reader);
  }
  return ok;
}

// Reads a number, a text or lists of them, of which nothing else has a say.
static berth_tensor_t *plain_tensor(PyObject *value, berth_dtype_t dtype,
                                    const berth_shape_t *shape) {
  reader_t reader = {.dtype = dtype};
  if (!is_read_here(dtype) || !read_dims(value, &reader)) return NULL;
  berth_dims_t dims = {reader.rank, reader.dims};
  if (!berth_py_shape_agrees(dims, shape) ||
      berth_tensor_create(dtype, dims, &reader.tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  reader.at = berth_tensor_data(reader.tensor);
  if (read_items(value, 0, &reader)) return reader.tensor;
  berth_tensor_release(reader.tensor);
  return NULL;
}

// ---- What numpy converts ----

// True when numpy reads |value| without calling a program's own code.
static bool is_harmless(PyObject *value, int depth) {
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
      PyBool_Check(value) || PyComplex_CheckExact(value)) {
    return true;
  }
  if (!is_list(value)) return berth_py_is_numeric(value);
  bool ok = depth < MOST_RANK;
  for (Py_ssize_t i = 0; ok && i < Py_SIZE(value); ++i) {
    ok = is_harmless(PySequence_Fast_ITEMS(value)[i], depth + 1);
  }
  return ok;
}

static berth_tensor_t *array_tensor(PyObject *array, berth_dtype_t dtype,
                                    const berth_shape_t *shape) {
  if (!berth_py_shape_agrees(berth_py_array_shape(array), shape)) return NULL;
  berth_tensor_t *tensor = berth_py_array_take(array, dtype);
  if (tensor != NULL || PyErr_Occurred()) return tensor;
  bool usual = dtype == BERTH_STRING && berth_py_has_strings(array);
  // A warning of numpy's would come twice if Python has to do the call after
  // all.
  if (is_numpys(dtype) && berth_py_is_numeric(array)) {
    usual = berth_py_casts_quietly(array, dtype);
  }
  return usual ? berth_py_tensor_of(array, dtype, true) : NULL;
}

static berth_tensor_t *converted_tensor(PyObject *value, berth_dtype_t dtype,
                                        const berth_shape_t *shape) {
  PyObject *array = berth_py_asarray(value);
  if (array == NULL) return NULL;
  berth_tensor_t *tensor = array_tensor(array, dtype, shape);
  Py_DECREF(array);
  return tensor;
}

// True when the int |value|, alone, may be fed to |dtype|.
static bool is_faithful(PyObject *value, berth_dtype_t dtype) {
  int64_t number;
  if (dtype != BERTH_BOOL)
    return true;  // Where it does not fit, it is not read.
  return read_int(value, &number) && (number == 0 || number == 1);
}

bool berth_py_shape_agrees(berth_dims_t given, const berth_shape_t *known) {
  if (known->rank < 0) return true;
  if (given.rank != known->rank) return false;
  for (int i = 0; i < given.rank; ++i) {
    if (known->dims[i] >= 0 && given.dims[i] != known->dims[i]) return false;
  }
  return true;
}

static berth_tensor_t *feed_tensor(PyObject *value, berth_dtype_t dtype,
                                   const berth_shape_t *shape) {
  if (berth_py_is_array(value)) return array_tensor(value, dtype, shape);
  if (shape->rank <= 0 && berth_py_is_numeric(value)) {
    berth_tensor_t *scalar = berth_py_scalar_tensor(value, dtype);
    if (scalar != NULL) return scalar;
  }
  bool is_int = PyLong_CheckExact(value);
  if (is_int && !is_faithful(value, dtype)) return NULL;
  berth_tensor_t *tensor = plain_tensor(value, dtype, shape);
  if (tensor != NULL || is_int) return tensor;
  bool usual = is_numpys(dtype) && is_harmless(value, 0);
  return usual ? converted_tensor(value, dtype, shape) : NULL;
}

berth_tensor_t *berth_py_feed_tensor(PyObject *value, berth_dtype_t dtype,
                                     const berth_shape_t *shape) {
  dtype = dtype >= BERTH_REF ? dtype - BERTH_REF : dtype;
  berth_tensor_t *tensor = feed_tensor(value, dtype, shape);
  if (tensor == NULL) berth_py_pass();
  return tensor;
}
