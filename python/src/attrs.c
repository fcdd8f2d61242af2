// attrs.c - Python's values to attributes of an op.
//
// An op's schema says what an attribute holds, so that 1 can be a float and 3 a
// data type. Attributes that no schema names, such as _class, go by the value.
#include "core.h"

// ---- Shapes ----

typedef struct shape_object {
  PyObject ob_base;
  PyObject *dims;  // A sequence, or None.
} shape_object_t;

static PyObject *shape_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  static char *names[] = {"dims", NULL};
  PyObject *dims = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Shape", names, &dims)) {
    return NULL;
  }
  berth_shape_t shape;
  if (!berth_py_read_shape(dims, &shape)) return NULL;
  PyObject *tuple =
      berth_py_shape_tuple((berth_dims_t){shape.rank, shape.dims});
  PyObject *self = tuple != NULL ? type->tp_alloc(type, 0) : NULL;
  if (self == NULL) {
    Py_XDECREF(tuple);
    return NULL;
  }
  ((shape_object_t *)self)->dims = tuple;
  return self;
}

static void shape_dealloc(PyObject *self) {
  Py_XDECREF(((shape_object_t *)self)->dims);
  Py_TYPE(self)->tp_free(self);
}

static PyObject *shape_dims(PyObject *self, void *arg) {
  (void)arg;
  PyObject *dims = ((shape_object_t *)self)->dims;
  Py_INCREF(dims);
  return dims;
}

static PyObject *shape_repr(PyObject *self) {
  return PyUnicode_FromFormat("Shape(%R)", ((shape_object_t *)self)->dims);
}

static PyGetSetDef shape_getters[] = {
    {"dims", shape_dims, NULL,
     "A tuple with None for unknown sizes, or None for an unknown rank.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_shape_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Shape",
    .tp_basicsize = sizeof(shape_object_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Shape(dims=None)\n\nA shape, as the value of an attribute.",
    .tp_new = shape_new,
    .tp_dealloc = shape_dealloc,
    .tp_repr = shape_repr,
    .tp_getset = shape_getters,
};

static bool read_dim(PyObject *item, int64_t *out) {
  if (item == Py_None) {
    *out = -1;
    return true;
  }
  PyObject *number = PyNumber_Index(item);
  if (number == NULL) return false;
  *out = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return !PyErr_Occurred();
}

bool berth_py_read_shape(PyObject *object, berth_shape_t *out) {
  if (Py_TYPE(object) == &berth_py_shape_type) {
    object = ((shape_object_t *)object)->dims;
  }
  out->rank = -1;
  if (object == Py_None) return true;
  PyObject *items = berth_py_items(object, "a shape is a sequence or None");
  if (items == NULL) return false;
  Py_ssize_t rank = PyTuple_GET_SIZE(items);
  bool ok = rank <= BERTH_MAX_RANK;
  if (!ok) PyErr_Format(PyExc_ValueError, "a shape of %zd dimensions", rank);
  for (Py_ssize_t i = 0; ok && i < rank; ++i) {
    ok = read_dim(PyTuple_GET_ITEM(items, i), &out->dims[i]);
  }
  if (ok) out->rank = (int32_t)rank;
  Py_DECREF(items);
  return ok;
}

PyObject *berth_py_shape_tuple(berth_dims_t shape) {
  if (shape.rank < 0) Py_RETURN_NONE;
  PyObject *tuple = PyTuple_New(shape.rank);
  for (int i = 0; tuple != NULL && i < shape.rank; ++i) {
    PyObject *item;
    if (shape.dims[i] < 0) {
      Py_INCREF(Py_None);
      item = Py_None;
    } else {
      item = PyLong_FromLongLong(shape.dims[i]);
    }
    if (item == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SET_ITEM(tuple, i, item);
    }
  }
  return tuple;
}

// ---- Single values ----

// Reads text or bytes. Borrowed from |value|.
static bool read_text(PyObject *value, const char **out_text,
                      size_t *out_size) {
  Py_ssize_t size = 0;
  char *bytes = NULL;
  if (PyUnicode_Check(value)) {
    *out_text = PyUnicode_AsUTF8AndSize(value, &size);
    if (*out_text == NULL) return false;
  } else {
    if (PyBytes_AsStringAndSize(value, &bytes, &size) < 0) return false;
    *out_text = bytes;
  }
  *out_size = (size_t)size;
  return true;
}

// Says what |value|, which is no list, holds when no schema does.
static int kind_of_one(PyObject *value) {
  if (PyBool_Check(value)) return BERTH_PY_BOOL;
  // core.DType is an int too.
  if (PyLong_Check(value)) {
    return PyLong_CheckExact(value) ? BERTH_PY_INT : BERTH_PY_TYPE;
  }
  if (PyFloat_Check(value)) return BERTH_PY_FLOAT;
  if (PyUnicode_Check(value) || PyBytes_Check(value)) return BERTH_PY_STRING;
  if (Py_TYPE(value) == &berth_py_shape_type) return BERTH_PY_SHAPE;
  if (PyObject_TypeCheck(value, &berth_py_tensor_type)) return BERTH_PY_TENSOR;
  return BERTH_PY_UNSAID;
}

// The same for any value. An empty list is one of numbers.
static int kind_of_value(PyObject *value) {
  if (!PyList_Check(value) && !PyTuple_Check(value)) return kind_of_one(value);
  if (PySequence_Fast_GET_SIZE(value) == 0) return BERTH_PY_LIST + BERTH_PY_INT;
  int kind = kind_of_one(PySequence_Fast_GET_ITEM(value, 0));
  return kind != BERTH_PY_UNSAID ? BERTH_PY_LIST + kind : BERTH_PY_UNSAID;
}

static bool set_shape(berth_op_t *op, const char *name, PyObject *value) {
  berth_shape_t shape;
  if (!berth_py_read_shape(value, &shape)) return false;
  berth_op_attr_shape(op, name, (berth_dims_t){shape.rank, shape.dims});
  return true;
}

static bool set_tensor(berth_op_t *op, const char *name, PyObject *value) {
  berth_tensor_t *tensor = berth_py_get_tensor(value);
  if (tensor == NULL) return false;
  berth_op_attr_tensor(op, name, tensor);
  return true;
}

static bool set_text(berth_op_t *op, const char *name, PyObject *value,
                     bool is_function) {
  const char *text = NULL;
  size_t size = 0;
  if (!read_text(value, &text, &size)) return false;
  if (is_function) {
    berth_op_attr_func(op, name, text);
  } else {
    berth_op_attr_string(op, name, text, size);
  }
  return true;
}

static bool set_float(berth_op_t *op, const char *name, PyObject *value) {
  double number = PyFloat_AsDouble(value);
  if (PyErr_Occurred()) return false;
  berth_op_attr_float(op, name, (float)number);
  return true;
}

static bool set_int(berth_op_t *op, const char *name, PyObject *value) {
  int64_t number = 0;
  if (value == Py_None || !read_dim(value, &number)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "None is no number");
    return false;
  }
  berth_op_attr_int(op, name, number);
  return true;
}

static bool read_type(PyObject *value, berth_dtype_t *out) {
  int64_t number = 0;
  if (!read_dim(value, &number)) return false;
  if (number < 0 || number >= 2 * BERTH_REF) {
    PyErr_Format(PyExc_ValueError, "there is no data type %R", value);
    return false;
  }
  *out = (berth_dtype_t)number;
  return true;
}

static bool set_type(berth_op_t *op, const char *name, PyObject *value) {
  berth_dtype_t dtype = BERTH_INVALID;
  if (!read_type(value, &dtype)) return false;
  berth_op_attr_type(op, name, dtype);
  return true;
}

static bool set_bool(berth_op_t *op, const char *name, PyObject *value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return false;
  berth_op_attr_bool(op, name, truth != 0);
  return true;
}

static bool set_one(berth_op_t *op, const char *name, int kind,
                    PyObject *value) {
  switch (kind) {
    case BERTH_PY_STRING:
      return set_text(op, name, value, false);
    case BERTH_PY_FUNC:
      return set_text(op, name, value, true);
    case BERTH_PY_INT:
      return set_int(op, name, value);
    case BERTH_PY_TYPE:
      return set_type(op, name, value);
    case BERTH_PY_FLOAT:
      return set_float(op, name, value);
    case BERTH_PY_BOOL:
      return set_bool(op, name, value);
    case BERTH_PY_SHAPE:
      return set_shape(op, name, value);
    case BERTH_PY_TENSOR:
      return set_tensor(op, name, value);
    default:
      break;
  }
  PyErr_Format(PyExc_TypeError, "attribute %s cannot be set to %R", name,
               value);
  return false;
}

// ---- Lists ----

// Room for |count| values of |size| bytes; NULL with MemoryError.
static void *list_room(Py_ssize_t count, size_t size) {
  void *room = PyMem_Calloc((size_t)count + 1, size);
  if (room == NULL) PyErr_NoMemory();
  return room;
}

static bool set_texts(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  const char **texts = list_room(count, sizeof(char *));
  size_t *sizes = texts != NULL ? list_room(count, sizeof(size_t)) : NULL;
  bool ok = sizes != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = read_text(PyTuple_GET_ITEM(items, i), &texts[i], &sizes[i]);
  }
  if (ok) berth_op_attr_strings(op, name, texts, sizes, (int)count);
  PyMem_Free(texts);
  PyMem_Free(sizes);
  return ok;
}

static bool set_ints(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  int64_t *values = list_room(count, sizeof(int64_t));
  bool ok = values != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = read_dim(PyTuple_GET_ITEM(items, i), &values[i]);
  }
  if (ok) berth_op_attr_ints(op, name, values, (int)count);
  PyMem_Free(values);
  return ok;
}

static bool set_types(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  berth_dtype_t *values = list_room(count, sizeof(berth_dtype_t));
  bool ok = values != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = read_type(PyTuple_GET_ITEM(items, i), &values[i]);
  }
  if (ok) berth_op_attr_types(op, name, values, (int)count);
  PyMem_Free(values);
  return ok;
}

static bool set_floats(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  float *values = list_room(count, sizeof(float));
  bool ok = values != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    values[i] = (float)PyFloat_AsDouble(PyTuple_GET_ITEM(items, i));
    ok = !PyErr_Occurred();
  }
  if (ok) berth_op_attr_floats(op, name, values, (int)count);
  PyMem_Free(values);
  return ok;
}

static bool set_bools(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  bool *values = list_room(count, sizeof(bool));
  bool ok = values != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    int truth = PyObject_IsTrue(PyTuple_GET_ITEM(items, i));
    ok = truth >= 0;
    values[i] = truth > 0;
  }
  if (ok) berth_op_attr_bools(op, name, values, (int)count);
  PyMem_Free(values);
  return ok;
}

static bool set_shapes(berth_op_t *op, const char *name, PyObject *items) {
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  berth_shape_t *shapes = list_room(count, sizeof(berth_shape_t));
  berth_dims_t *dims =
      shapes != NULL ? list_room(count, sizeof(berth_dims_t)) : NULL;
  bool ok = dims != NULL;
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = berth_py_read_shape(PyTuple_GET_ITEM(items, i), &shapes[i]);
    dims[i] = (berth_dims_t){shapes[i].rank, shapes[i].dims};
  }
  if (ok) berth_op_attr_shapes(op, name, dims, (int)count);
  PyMem_Free(shapes);
  PyMem_Free(dims);
  return ok;
}

static bool set_items(berth_op_t *op, const char *name, int kind,
                      PyObject *items) {
  switch (kind) {
    case BERTH_PY_STRING:
      return set_texts(op, name, items);
    case BERTH_PY_INT:
      return set_ints(op, name, items);
    case BERTH_PY_TYPE:
      return set_types(op, name, items);
    case BERTH_PY_FLOAT:
      return set_floats(op, name, items);
    case BERTH_PY_BOOL:
      return set_bools(op, name, items);
    case BERTH_PY_SHAPE:
      return set_shapes(op, name, items);
    default:
      break;
  }
  PyErr_Format(PyExc_TypeError, "attribute %s cannot be set to a list of these",
               name);
  return false;
}

static bool set_list(berth_op_t *op, const char *name, int kind,
                     PyObject *value) {
  PyObject *items = berth_py_items(value, "the attribute is a list");
  if (items == NULL) return false;
  bool ok = set_items(op, name, kind - BERTH_PY_LIST, items);
  Py_DECREF(items);
  return ok;
}

// ---- All of them ----

static bool set_attr(berth_op_t *op, PyObject *kinds, PyObject *key,
                     PyObject *value) {
  const char *name = berth_py_text(key);
  if (name == NULL) return false;
  PyObject *known = PyDict_GetItemWithError(kinds, key);  // Borrowed.
  if (known == NULL && PyErr_Occurred()) return false;
  int kind = known != NULL ? (int)PyLong_AsLong(known) : kind_of_value(value);
  // A bytearray is a whole AttrValue, for what no value can say.
  if (PyByteArray_Check(value)) {
    berth_op_attr_proto(op, name, PyByteArray_AS_STRING(value),
                        (size_t)PyByteArray_GET_SIZE(value));
    return true;
  }
  return kind >= BERTH_PY_LIST ? set_list(op, name, kind, value)
                               : set_one(op, name, kind, value);
}

bool berth_py_attrs_set(berth_op_t *op, PyObject *name, PyObject *attrs) {
  PyObject *kinds = berth_py_schema_kinds(name);
  if (kinds == NULL) return false;
  if (!PyDict_Check(attrs)) {
    PyErr_SetString(PyExc_TypeError, "attributes come in a dict");
    return false;
  }
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool ok = true;
  while (ok && PyDict_Next(attrs, &at, &key, &value)) {
    // Reading a value may call Python, which may change the dict.
    Py_INCREF(key);
    Py_INCREF(value);
    ok = set_attr(op, kinds, key, value);
    Py_DECREF(key);
    Py_DECREF(value);
  }
  return ok;
}
