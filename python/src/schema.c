// schema.c - OpDefs and AttrValues to Python's values.
//
// A reader of just these messages, so that neither building nor looking at
// graphs loads protobuf. The messages come from Berth itself; what is cut short
// ends the reading.
#include <string.h>

#include "core.h"

static PyObject *dtype_class;  // core.DType, an int.
static PyObject *kinds_by_op;  // {op: {attribute: kind}}

// ---- Messages ----

// A message, or what is left of it.
typedef struct wire {
  const uint8_t *at, *end;
} wire_t;

// One field of a message: |value| for numbers, |body| for the rest.
typedef struct field {
  int number;
  uint64_t value;
  wire_t body;
} field_t;

static uint64_t read_varint(wire_t *in) {
  uint64_t value = 0;
  for (int shift = 0; in->at < in->end && shift < 64; shift += 7) {
    uint8_t byte = *in->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

static uint64_t read_fixed(wire_t *in, size_t size) {
  uint64_t value = 0;
  if ((size_t)(in->end - in->at) < size) {
    in->at = in->end;
    return 0;
  }
  memcpy(&value, in->at, size);
  in->at += size;
  return value;
}

static wire_t read_body(wire_t *in) {
  uint64_t size = read_varint(in);
  if (size > (uint64_t)(in->end - in->at)) size = (uint64_t)(in->end - in->at);
  wire_t body = {in->at, in->at + size};
  in->at += size;
  return body;
}

static bool next_field(wire_t *in, field_t *out) {
  if (in->at >= in->end) return false;
  uint64_t tag = read_varint(in);
  *out = (field_t){.number = (int)(tag >> 3)};
  switch (tag & 7) {
    case 0:
      out->value = read_varint(in);
      return true;
    case 1:
      out->value = read_fixed(in, 8);
      return true;
    case 2:
      out->body = read_body(in);
      return true;
    case 5:
      out->value = read_fixed(in, 4);
      return true;
    default:
      return false;
  }
}

static PyObject *text_of(wire_t body) {
  return PyUnicode_DecodeUTF8((const char *)body.at, body.end - body.at,
                              "replace");
}

// ---- Values of attributes ----

// Fields of AttrValue; ListValue has the same numbers.
enum { LIST = 1, S = 2, I = 3, F = 4, B = 5, TYPE = 6, SHAPE = 7, TENSOR = 8 };
enum { LIST_FUNC = 9, FUNC = 10 };

PyObject *berth_py_dtype_new(int number) {
  return PyObject_CallFunction(dtype_class, "i", number);
}

static PyObject *float_value(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof(value));
  return PyFloat_FromDouble((double)value);
}

static PyObject *shape_value(wire_t body) {
  berth_shape_t shape = {.rank = 0};
  field_t field, part;
  while (next_field(&body, &field)) {
    if (field.number == 3 && field.value != 0) shape.rank = -1;
    if (field.number != 2 || shape.rank < 0 || shape.rank == BERTH_MAX_RANK) {
      continue;
    }
    int64_t size = 0;
    while (next_field(&field.body, &part)) {
      if (part.number == 1) size = (int64_t)part.value;
    }
    shape.dims[shape.rank++] = size;
  }
  PyObject *dims = berth_py_shape_tuple((berth_dims_t){shape.rank, shape.dims});
  if (dims == NULL) return NULL;
  PyObject *value = PyObject_CallFunctionObjArgs(
      (PyObject *)&berth_py_shape_type, dims, NULL);
  Py_DECREF(dims);
  return value;
}

static PyObject *tensor_value(wire_t body) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_from_proto(body.at, (size_t)(body.end - body.at), &tensor,
                              &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_tensor_new(&berth_py_tensor_type, tensor);
}

// The name of a function; its own attributes are not told.
static PyObject *func_value(wire_t body) {
  field_t field;
  while (next_field(&body, &field)) {
    if (field.number == 1) return text_of(field.body);
  }
  return PyUnicode_FromString("");
}

static PyObject *single_value(const field_t *field) {
  switch (field->number) {
    case S:
      return PyBytes_FromStringAndSize((const char *)field->body.at,
                                       field->body.end - field->body.at);
    case I:
      return PyLong_FromLongLong((int64_t)field->value);
    case F:
      return float_value(field->value);
    case B:
      return PyBool_FromLong(field->value != 0);
    case TYPE:
      return berth_py_dtype_new((int)field->value);
    case SHAPE:
      return shape_value(field->body);
    case TENSOR:
      return tensor_value(field->body);
    case LIST_FUNC:
    case FUNC:
      return func_value(field->body);
    default:
      Py_RETURN_NONE;
  }
}

static bool append(PyObject *list, PyObject *value) {
  bool ok = value != NULL && PyList_Append(list, value) == 0;
  Py_XDECREF(value);
  return ok;
}

// Appends the numbers of a packed field.
static bool append_packed(PyObject *list, const field_t *field) {
  wire_t body = field->body;
  while (body.at < body.end) {
    field_t one = {.number = field->number};
    one.value = field->number == F ? read_fixed(&body, 4) : read_varint(&body);
    if (!append(list, single_value(&one))) return false;
  }
  return true;
}

static PyObject *list_value(wire_t body) {
  PyObject *list = PyList_New(0);
  field_t field;
  bool ok = list != NULL;
  while (ok && next_field(&body, &field)) {
    bool is_number = field.number >= I && field.number <= TYPE;
    ok = is_number && field.body.at != NULL
             ? append_packed(list, &field)
             : append(list, single_value(&field));
  }
  if (!ok) Py_CLEAR(list);
  return list;
}

static PyObject *attr_value(wire_t body) {
  field_t field;
  if (!next_field(&body, &field)) Py_RETURN_NONE;
  return field.number == LIST ? list_value(field.body) : single_value(&field);
}

PyObject *berth_py_attr_value(const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  return attr_value((wire_t){at, at + size});
}

// ---- Schemas ----

// Puts |value|, whose reference is taken over, into |dict|.
static bool put(PyObject *dict, const char *key, PyObject *value) {
  bool ok = value != NULL && PyDict_SetItemString(dict, key, value) == 0;
  Py_XDECREF(value);
  return ok;
}

static bool read_arg_field(PyObject *dict, const field_t *field) {
  switch (field->number) {
    case 1:
      return put(dict, "name", text_of(field->body));
    case 3:
      return put(dict, "type", berth_py_dtype_new((int)field->value));
    case 4:
      return put(dict, "type_attr", text_of(field->body));
    case 5:
      return put(dict, "number_attr", text_of(field->body));
    case 6:
      return put(dict, "type_list_attr", text_of(field->body));
    case 16:
      return put(dict, "is_ref", PyBool_FromLong(field->value != 0));
    default:
      return true;
  }
}

static bool read_attr_field(PyObject *dict, const field_t *field) {
  switch (field->number) {
    case 1:
      return put(dict, "name", text_of(field->body));
    case 2:
      return put(dict, "type", text_of(field->body));
    case 3:
      return put(dict, "default", attr_value(field->body));
    case 5:
      return true;
    case 6:
      return put(dict, "minimum", PyLong_FromLongLong((int64_t)field->value));
    case 7:
      return put(dict, "allowed", attr_value(field->body));
    default:
      return true;
  }
}

typedef bool (*field_fn)(PyObject *dict, const field_t *field);

// Appends a dict of the message |body| to the list |key| of |schema|.
static bool append_part(PyObject *schema, const char *key, wire_t body,
                        field_fn read) {
  PyObject *dict = PyDict_New();
  field_t field;
  bool ok = dict != NULL;
  while (ok && next_field(&body, &field)) ok = read(dict, &field);
  PyObject *list = ok ? PyMapping_GetItemString(schema, key) : NULL;
  ok = list != NULL && PyList_Append(list, dict) == 0;
  Py_XDECREF(list);
  Py_XDECREF(dict);
  return ok;
}

static bool read_op_field(PyObject *schema, const field_t *field) {
  switch (field->number) {
    case 1:
      return put(schema, "name", text_of(field->body));
    case 2:
      return append_part(schema, "inputs", field->body, read_arg_field);
    case 3:
      return append_part(schema, "outputs", field->body, read_arg_field);
    case 4:
      return append_part(schema, "attrs", field->body, read_attr_field);
    case 17:
      return put(schema, "is_stateful", PyBool_FromLong(field->value != 0));
    default:
      return true;
  }
}

static PyObject *schema_dict(wire_t body) {
  PyObject *schema = Py_BuildValue("{s:[],s:[],s:[],s:O}", "inputs", "outputs",
                                   "attrs", "is_stateful", Py_False);
  field_t field;
  bool ok = schema != NULL;
  while (ok && next_field(&body, &field)) ok = read_op_field(schema, &field);
  if (!ok) Py_CLEAR(schema);
  return schema;
}

PyObject *berth_py_op_schema(PyObject *module, PyObject *name) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *op = berth_py_text(name);
  void *bytes = NULL;
  size_t size = 0;
  if (op == NULL) return NULL;
  if (berth_op_schema_proto(op, &bytes, &size, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  const uint8_t *at = bytes;
  PyObject *schema = schema_dict((wire_t){at, at + size});
  berth_text_free(bytes);
  return schema;
}

// ---- Kinds ----

static int kind_named(const char *name) {
  static const struct {
    const char *name;
    int kind;
  } kinds[] = {{"string", BERTH_PY_STRING}, {"int", BERTH_PY_INT},
               {"float", BERTH_PY_FLOAT},   {"bool", BERTH_PY_BOOL},
               {"type", BERTH_PY_TYPE},     {"shape", BERTH_PY_SHAPE},
               {"tensor", BERTH_PY_TENSOR}, {"func", BERTH_PY_FUNC}};
  bool is_list = strncmp(name, "list(", 5) == 0;
  const char *base = is_list ? name + 5 : name;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
    if (strncmp(base, kinds[i].name, strlen(kinds[i].name)) == 0) {
      return kinds[i].kind + (is_list ? BERTH_PY_LIST : 0);
    }
  }
  return BERTH_PY_UNSAID;
}

static bool add_kind(PyObject *kinds, PyObject *attr) {
  PyObject *name = PyMapping_GetItemString(attr, "name");
  PyObject *type = name != NULL ? PyMapping_GetItemString(attr, "type") : NULL;
  const char *text = type != NULL ? PyUnicode_AsUTF8(type) : NULL;
  PyObject *kind = text != NULL ? PyLong_FromLong(kind_named(text)) : NULL;
  bool ok = kind != NULL && PyDict_SetItem(kinds, name, kind) == 0;
  Py_XDECREF(kind);
  Py_XDECREF(type);
  Py_XDECREF(name);
  return ok;
}

static bool add_kinds(PyObject *kinds, PyObject *op) {
  PyObject *schema = berth_py_op_schema(NULL, op);
  if (schema == NULL) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
    // The graph says so, in its own words, when the node is finished.
    PyErr_Clear();
    return true;
  }
  PyObject *attrs = PyMapping_GetItemString(schema, "attrs");
  bool ok = attrs != NULL;
  for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(attrs); ++i) {
    ok = add_kind(kinds, PyList_GET_ITEM(attrs, i));
  }
  Py_XDECREF(attrs);
  Py_DECREF(schema);
  return ok;
}

PyObject *berth_py_schema_kinds(PyObject *op) {
  PyObject *kinds = PyDict_GetItemWithError(kinds_by_op, op);  // Borrowed.
  if (kinds != NULL || PyErr_Occurred()) return kinds;
  kinds = PyDict_New();
  bool ok = kinds != NULL && add_kinds(kinds, op) &&
            PyDict_SetItem(kinds_by_op, op, kinds) == 0;
  Py_XDECREF(kinds);  // The table holds it.
  return ok ? kinds : NULL;
}

int berth_py_schema_init(PyObject *module) {
  if (kinds_by_op == NULL) kinds_by_op = PyDict_New();
  // An import may be repeated; what was made before is still in use.
  if (dtype_class == NULL) {
    dtype_class = PyObject_CallFunction(
        (PyObject *)&PyType_Type, "s(O){s:s,s:s,s:()}", "DType",
        (PyObject *)&PyLong_Type, "__module__", "berth._core", "__doc__",
        "The number of a data type, as the value of an attribute.",
        "__slots__");
  }
  if (kinds_by_op == NULL || dtype_class == NULL) return -1;
  Py_INCREF(dtype_class);
  return PyModule_AddObject(module, "DType", dtype_class);
}
