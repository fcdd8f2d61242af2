// value.c - Numbers, texts, nested lists and arrays as eager tensors.
//
// By the rules of eager TensorFlow, which framework/sequences.py has in full:
// integers are int32 and floats float32 unless a type is asked for. What is not
// plain (other types inside, sizes that differ, numbers that do not fit) is
// declined without an exception; Python's functions then do it, or find the
// words for what is wrong.
#include "core.h"
// After core.h, which includes Python.h.
#include <math.h>

enum { MOST_DEPTH = 8 };

static PyObject *dtype_class;   // framework.dtypes.DType
static PyObject *dtype_finder;  // framework.dtypes.as_dtype
static PyObject *dtype_objects[BERTH_DTYPE_COUNT];
static PyObject *enum_name;  // "_enum"
static bool is_open = true;  // No conversion of a program's own is in force.

// ---- Types ----

// Reads the number of a DType.
static berth_dtype_t number_of(PyObject *dtype) {
  PyObject *number = PyObject_GetAttr(dtype, enum_name);
  long value = number != NULL ? PyLong_AsLong(number) : 0;
  Py_XDECREF(number);
  if (PyErr_Occurred()) PyErr_Clear();
  return (berth_dtype_t)(value % BERTH_REF);
}

berth_dtype_t berth_py_type_number(PyObject *value) {
  if ((PyObject *)Py_TYPE(value) == dtype_class) return number_of(value);
  if (PyLong_Check(value) && !PyLong_CheckExact(value)) {  // core.DType
    long number = PyLong_AsLong(value);
    return number > 0 && number < BERTH_DTYPE_COUNT ? (berth_dtype_t)number
                                                    : BERTH_INVALID;
  }
  if (dtype_finder == NULL || value == Py_None) return BERTH_INVALID;
  PyObject *found = PyObject_CallOneArg(dtype_finder, value);
  if (found == NULL) {
    PyErr_Clear();
    return BERTH_INVALID;
  }
  berth_dtype_t number = number_of(found);
  Py_DECREF(found);
  return number;
}

PyObject *berth_py_type_object(berth_dtype_t dtype) {
  PyObject *object =
      dtype > 0 && dtype < BERTH_DTYPE_COUNT ? dtype_objects[dtype] : NULL;
  if (object == NULL) return PyLong_FromLong((long)dtype);
  Py_INCREF(object);
  return object;
}

// ---- Numbers ----

// What elements are, from their type alone.
typedef enum leaf {
  LEAF_NONE = 0,
  LEAF_BOOL,
  LEAF_INT,
  LEAF_FLOAT,
  LEAF_TEXT
} leaf_t;

static leaf_t leaf_of(PyObject *item) {
  if (PyFloat_CheckExact(item)) return LEAF_FLOAT;
  if (PyLong_CheckExact(item)) return LEAF_INT;
  if (PyBool_Check(item)) return LEAF_BOOL;
  if (PyUnicode_CheckExact(item) || PyBytes_CheckExact(item)) return LEAF_TEXT;
  return LEAF_NONE;
}

static bool write_integer(berth_dtype_t dtype, PyObject *item, void *out) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(item, &overflow);
  if (overflow != 0) return false;
  switch (dtype) {
#define CASE(number, type, low, high) \
  case number:                        \
    *(type *)out = (type)value;       \
    return value >= (low) && value <= (high);
    CASE(BERTH_INT32, int32_t, INT32_MIN, INT32_MAX)
    CASE(BERTH_INT64, int64_t, INT64_MIN, INT64_MAX)
    CASE(BERTH_INT16, int16_t, INT16_MIN, INT16_MAX)
    CASE(BERTH_INT8, int8_t, INT8_MIN, INT8_MAX)
    CASE(BERTH_UINT8, uint8_t, 0, UINT8_MAX)
    CASE(BERTH_UINT16, uint16_t, 0, UINT16_MAX)
    CASE(BERTH_UINT32, uint32_t, 0, UINT32_MAX)
    CASE(BERTH_UINT64, uint64_t, 0, INT64_MAX)
#undef CASE
    default:
      return false;
  }
}

// A double holds integers of up to 53 bits as they are, so that a float is
// rounded once.
static bool read_real(PyObject *item, double *out) {
  if (PyFloat_CheckExact(item)) {
    *out = PyFloat_AS_DOUBLE(item);
    return true;
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(item, &overflow);
  *out = (double)value;
  return overflow == 0 && value >= -(1LL << 53) && value <= 1LL << 53;
}

// Writes one element of |dtype|. |is_free|: the type follows from the elements.
static bool write_leaf(berth_dtype_t dtype, bool is_free, PyObject *item,
                       void *out) {
  leaf_t leaf = leaf_of(item);
  double real = 0;
  if (leaf == LEAF_BOOL || dtype == BERTH_BOOL) {
    if (leaf != LEAF_BOOL || dtype != BERTH_BOOL) return false;
    *(bool *)out = item == Py_True;
    return true;
  }
  if (leaf != LEAF_INT && leaf != LEAF_FLOAT) return false;
  if (dtype == BERTH_FLOAT) {
    if (!read_real(item, &real)) return false;
    *(float *)out = (float)real;
    return !is_free || isinf(real) || !isinf((float)real);
  }
  if (dtype == BERTH_DOUBLE) {
    if (!read_real(item, &real)) return false;
    *(double *)out = real;
    return true;
  }
  return leaf == LEAF_INT && write_integer(dtype, item, out);
}

// ---- Lists ----

static bool is_row(PyObject *value) {
  return PyList_CheckExact(value) || PyTuple_CheckExact(value);
}

// Reads the sizes that the first elements show, and returns the first leaf:
// NULL when there is none.
static bool read_sizes(PyObject *value, berth_shape_t *shape, PyObject **leaf) {
  shape->rank = 0;
  while (is_row(value)) {
    if (shape->rank == MOST_DEPTH) return false;
    Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    shape->dims[shape->rank++] = size;
    if (size == 0) {
      *leaf = NULL;
      return true;
    }
    value = PySequence_Fast_GET_ITEM(value, 0);
  }
  *leaf = value;
  return true;
}

// True when some element of |value| is a float.
static bool has_float(PyObject *value) {
  if (!is_row(value)) return PyFloat_CheckExact(value);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    if (has_float(PySequence_Fast_GET_ITEM(value, i))) return true;
  }
  return false;
}

// A tensor being filled.
typedef struct filling {
  const berth_shape_t *shape;
  berth_tensor_t *tensor;
  berth_dtype_t dtype;
  bool is_free;
  size_t element;
  char *at;       // Where the next number goes.
  int64_t index;  // Of the next text.
} filling_t;

static bool fill_text(filling_t *filling, PyObject *item) {
  Py_ssize_t size = 0;
  const char *text = NULL;
  if (PyUnicode_CheckExact(item)) {
    text = PyUnicode_AsUTF8AndSize(item, &size);
    if (text == NULL) PyErr_Clear();
  } else if (PyBytes_CheckExact(item)) {
    text = PyBytes_AS_STRING(item);
    size = PyBytes_GET_SIZE(item);
  }
  return text != NULL &&
         berth_tensor_set_string(filling->tensor, filling->index++, text,
                                 (size_t)size, NULL) == BERTH_OK;
}

static bool fill_leaf(filling_t *filling, PyObject *item) {
  if (filling->dtype == BERTH_STRING) return fill_text(filling, item);
  if (!write_leaf(filling->dtype, filling->is_free, item, filling->at)) {
    return false;
  }
  filling->at += filling->element;
  return true;
}

// Fills in |value|, which is |depth| lists inside. Nothing here calls Python,
// so that lists stay as they are.
static bool fill(filling_t *filling, PyObject *value, int depth) {
  if (depth == filling->shape->rank) {
    return !is_row(value) && fill_leaf(filling, value);
  }
  if (!is_row(value)) return false;
  Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
  if (size != filling->shape->dims[depth]) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!fill(filling, PySequence_Fast_GET_ITEM(value, i), depth + 1)) {
      return false;
    }
  }
  return true;
}

// Returns the type that elements like |leaf| ask for.
static berth_dtype_t own_type(PyObject *value, PyObject *leaf) {
  switch (leaf != NULL ? leaf_of(leaf) : LEAF_FLOAT) {
    case LEAF_BOOL:
      return BERTH_BOOL;
    case LEAF_INT:
      return has_float(value) ? BERTH_FLOAT : BERTH_INT32;
    case LEAF_FLOAT:
      return BERTH_FLOAT;
    case LEAF_TEXT:
      return BERTH_STRING;
    default:
      return BERTH_INVALID;
  }
}

static bool is_fillable(berth_dtype_t dtype) {
  switch ((int)dtype) {
    case BERTH_FLOAT:
    case BERTH_DOUBLE:
    case BERTH_INT32:
    case BERTH_UINT8:
    case BERTH_INT16:
    case BERTH_INT8:
    case BERTH_STRING:
    case BERTH_INT64:
    case BERTH_BOOL:
    case BERTH_UINT16:
    case BERTH_UINT32:
    case BERTH_UINT64:
      return true;
    default:
      return false;
  }
}

static berth_tensor_t *tensor_of_lists(PyObject *value, berth_dtype_t wanted) {
  berth_shape_t shape;
  PyObject *leaf = NULL;
  if (!read_sizes(value, &shape, &leaf)) return NULL;
  berth_dtype_t dtype = wanted;
  if (dtype == BERTH_INVALID) dtype = own_type(value, leaf);
  if (!is_fillable(dtype)) return NULL;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, (berth_dims_t){shape.rank, shape.dims},
                          &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  filling_t filling = {.shape = &shape,
                       .tensor = tensor,
                       .dtype = dtype,
                       .is_free = wanted == BERTH_INVALID,
                       .element = berth_dtype_size(dtype),
                       .at = berth_tensor_data(tensor)};
  if (fill(&filling, value, 0)) return tensor;
  berth_tensor_release(tensor);
  return NULL;
}

berth_tensor_t *berth_py_value_tensor(PyObject *value, berth_dtype_t wanted) {
  if (!is_open) return NULL;
  if (is_row(value) || leaf_of(value) != LEAF_NONE) {
    return tensor_of_lists(value, wanted);
  }
  if (!berth_py_is_plain_array(value) ||
      (wanted != BERTH_INVALID && !berth_py_array_fits(value, wanted))) {
    return NULL;
  }
  berth_tensor_t *tensor = berth_py_tensor_of(value, wanted, false);
  if (tensor == NULL) PyErr_Clear();
  return tensor;
}

// ---- What Python sets ----

static PyObject *core_set_dtypes(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *kind = NULL, *finder = NULL, *objects = NULL;
  if (!PyArg_ParseTuple(args, "OOO!:set_dtypes", &kind, &finder, &PyDict_Type,
                        &objects)) {
    return NULL;
  }
  Py_INCREF(kind);
  Py_XSETREF(dtype_class, kind);
  Py_INCREF(finder);
  Py_XSETREF(dtype_finder, finder);
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(objects, &at, &key, &value)) {
    long number = PyLong_AsLong(key);
    if (number <= 0 || number >= BERTH_DTYPE_COUNT) continue;
    Py_INCREF(value);
    Py_XSETREF(dtype_objects[number], value);
  }
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

static PyObject *core_set_own_conversions(PyObject *module, PyObject *value) {
  (void)module;
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return NULL;
  is_open = truth == 0;
  Py_RETURN_NONE;
}

PyMethodDef berth_py_value_methods[] = {
    {"set_dtypes", core_set_dtypes, METH_VARARGS,
     "set_dtypes(class, finder, objects)\n\n"
     "Tells the class of types, what finds one, and {number: type}."},
    {"set_own_conversions", core_set_own_conversions, METH_O,
     "set_own_conversions(value)\n\n"
     "Says whether a program converts numbers, lists or arrays itself: none is "
     "converted here then."},
    {NULL, NULL, 0, NULL}};

int berth_py_value_init(PyObject *module) {
  (void)module;
  if (enum_name == NULL) enum_name = PyUnicode_InternFromString("_enum");
  return enum_name != NULL ? 0 : -1;
}
