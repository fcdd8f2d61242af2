// op.c - What an op takes and gives, ready for calls; its attributes as keys.
//
//   schema (a dict of schema.c) ──once──> berth_py_op_t ─┬─ inputs, attributes
//                                                        └─ descriptions
//
// A call says attributes as Python's values. They are written into a key, words
// that are equal exactly when the attributes are; what was described before
// under the same key is used again. Attributes that have their default are in
// no key, so that saying them makes no other call.
//
// Ops live as long as the process. Everything here is called with the GIL held,
// which guards the lists of descriptions; while a call uses one without the
// GIL, |users| keeps it.
#include "core.h"

// Most descriptions that an op keeps.
enum { MOST_DESCRIBED = 64 };

static PyObject *ops;  // {name: capsule of a berth_py_op_t}, or None: no op.
static PyObject *seeding_name;  // "_seeding"
static long seeding;            // How often a seed was set.

// ---- Keys ----

bool berth_py_key_add(berth_py_key_t *key, uint64_t word) {
  if (key->count == BERTH_PY_KEY_WORDS) return false;
  key->words[key->count++] = word;
  return true;
}

static bool key_text(berth_py_key_t *key, const char *text, Py_ssize_t size) {
  size_t words = ((size_t)size + 7) / 8;
  if (!berth_py_key_add(key, (uint64_t)size) ||
      words > (size_t)(BERTH_PY_KEY_WORDS - key->count)) {
    return false;
  }
  memset(key->words + key->count, 0, words * 8);
  memcpy(key->words + key->count, text, (size_t)size);
  key->count += (int)words;
  return true;
}

static bool key_string(berth_py_key_t *key, PyObject *value) {
  Py_ssize_t size = 0;
  if (PyBytes_CheckExact(value)) {
    return key_text(key, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
  }
  if (!PyUnicode_CheckExact(value)) return false;
  const char *text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == NULL) PyErr_Clear();
  return text != NULL && key_text(key, text, size);
}

static bool key_int(berth_py_key_t *key, PyObject *value) {
  int overflow = 0;
  if (!PyLong_Check(value)) return false;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0 && berth_py_key_add(key, (uint64_t)number);
}

static bool key_float(berth_py_key_t *key, PyObject *value) {
  double number;
  if (PyFloat_CheckExact(value)) {
    number = PyFloat_AS_DOUBLE(value);
  } else {
    if (!PyLong_CheckExact(value)) return false;
    number = PyLong_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
  }
  float narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  return berth_py_key_add(key, bits);
}

static bool key_bool(berth_py_key_t *key, PyObject *value) {
  if (!PyBool_Check(value) && !PyLong_CheckExact(value)) return false;
  return berth_py_key_add(key, (uint64_t)(PyObject_IsTrue(value) == 1));
}

static bool key_type(berth_py_key_t *key, PyObject *value) {
  berth_dtype_t dtype = berth_py_type_number(value);
  return dtype != BERTH_INVALID && berth_py_key_add(key, (uint64_t)dtype);
}

static bool key_shape(berth_py_key_t *key, PyObject *value) {
  if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return false;
  Py_ssize_t rank = PySequence_Fast_GET_SIZE(value);
  bool ok = berth_py_key_add(key, (uint64_t)rank);
  for (Py_ssize_t i = 0; ok && i < rank; ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(value, i);
    ok = PyLong_CheckExact(item) && key_int(key, item);
  }
  return ok;
}

static bool key_value(berth_py_key_t *key, int kind, PyObject *value);

static bool key_list(berth_py_key_t *key, int kind, PyObject *value) {
  if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return false;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
  bool ok = berth_py_key_add(key, (uint64_t)count);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    ok = key_value(key, kind, PySequence_Fast_GET_ITEM(value, i));
  }
  return ok;
}

// Writes |value| of an attribute of |kind|. False, without an exception, for
// what is to be looked at more closely: it has another type, or a wrong one.
static bool key_value(berth_py_key_t *key, int kind, PyObject *value) {
  switch (kind) {
    case BERTH_PY_STRING:
      return key_string(key, value);
    case BERTH_PY_INT:
      return key_int(key, value);
    case BERTH_PY_FLOAT:
      return key_float(key, value);
    case BERTH_PY_BOOL:
      return key_bool(key, value);
    case BERTH_PY_TYPE:
      return key_type(key, value);
    case BERTH_PY_SHAPE:
      return key_shape(key, value);
    default:
      return kind > BERTH_PY_LIST && key_list(key, kind - BERTH_PY_LIST, value);
  }
}

bool berth_py_key_attr(berth_py_key_t *key, const berth_py_op_t *op, int index,
                       PyObject *value) {
  const berth_py_attr_t *attr = &op->attrs[index];
  int begin = key->count;
  if (!berth_py_key_add(key, (uint64_t)index) ||
      !key_value(key, attr->kind, value)) {
    return false;
  }
  size_t size = (size_t)(key->count - begin - 1) * sizeof(uint64_t);
  if (attr->fallback != NULL &&
      size == (size_t)attr->fallback->count * sizeof(uint64_t) &&
      memcmp(key->words + begin + 1, attr->fallback->words, size) == 0) {
    key->count = begin;  // It says nothing.
  }
  return true;
}

// ---- Descriptions ----

static PyObject *type_as_number(PyObject *value) {
  return berth_py_dtype_new((int)berth_py_type_number(value));
}

// Puts a value that has a key into |dict|, in the form that attrs.c takes.
static bool put_attr(PyObject *dict, const berth_py_attr_t *attr,
                     PyObject *value) {
  PyObject *given = NULL;
  if (attr->kind == BERTH_PY_TYPE) {
    given = type_as_number(value);
  } else if (attr->kind == BERTH_PY_LIST + BERTH_PY_TYPE) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    given = PyList_New(count);
    for (Py_ssize_t i = 0; given != NULL && i < count; ++i) {
      PyObject *item = type_as_number(PySequence_Fast_GET_ITEM(value, i));
      if (item == NULL) {
        Py_CLEAR(given);
      } else {
        PyList_SET_ITEM(given, i, item);
      }
    }
  } else {
    Py_INCREF(value);
    given = value;
  }
  bool ok = given != NULL && PyDict_SetItem(dict, attr->name, given) == 0;
  Py_XDECREF(given);
  return ok;
}

static bool put_count(PyObject *dict, PyObject *name, long value) {
  PyObject *number = PyLong_FromLong(value);
  bool ok = number != NULL && PyDict_SetItem(dict, name, number) == 0;
  Py_XDECREF(number);
  return ok;
}

// Makes the dict of the attributes that a call says.
static PyObject *call_attrs(const berth_py_op_t *op, PyObject *const *values,
                            const int *counts) {
  PyObject *dict = PyDict_New();
  bool ok = dict != NULL;
  for (int i = 0; ok && i < op->attr_count; ++i) {
    if (values[i] != NULL && values[i] != Py_None) {
      ok = put_attr(dict, &op->attrs[i], values[i]);
    } else if (counts[i] >= 0) {
      ok = put_count(dict, op->attrs[i].name, counts[i]);
    }
  }
  if (ok && op->is_seeded && seeding > 0) {
    ok = put_count(dict, seeding_name, seeding);
  }
  if (!ok) Py_CLEAR(dict);
  return dict;
}

static void described_free(berth_py_described_t *described) {
  berth_op_abandon(described->op);
  PyMem_Free(described);
}

static berth_py_described_t *described_new(const berth_py_op_t *op,
                                           const berth_py_key_t *key,
                                           PyObject *const *values,
                                           const int *counts) {
  size_t size = (size_t)key->count * sizeof(uint64_t);
  berth_py_described_t *made = PyMem_Calloc(1, sizeof(*made) + size);
  if (made == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  PyObject *attrs = call_attrs(op, values, counts);
  made->op = berth_op_begin(NULL, op->text, NULL);
  made->count = key->count;
  memcpy(made->words, key->words, size);
  bool ok = attrs != NULL && berth_py_attrs_set(made->op, op->name, attrs);
  Py_XDECREF(attrs);
  if (ok) return made;
  described_free(made);
  return NULL;
}

// Forgets the description that was not used for longest, if there are many.
static void forget_last(berth_py_op_t *op) {
  if (op->described_count <= MOST_DESCRIBED) return;
  berth_py_described_t **link = &op->described;
  while ((*link)->next != NULL) link = &(*link)->next;
  berth_py_described_t *last = *link;
  *link = NULL;
  --op->described_count;
  last->is_forgotten = true;
  if (last->users == 0) described_free(last);
}

bool berth_py_key_seeding(const berth_py_op_t *op, berth_py_key_t *key) {
  return !op->is_seeded || seeding == 0 ||
         (berth_py_key_add(key, UINT64_MAX) &&
          berth_py_key_add(key, (uint64_t)seeding));
}

berth_py_described_t *berth_py_describe(berth_py_op_t *op,
                                        const berth_py_key_t *key,
                                        PyObject *const *values,
                                        const int *counts) {
  size_t size = (size_t)key->count * sizeof(uint64_t);
  berth_py_described_t **link = &op->described;
  while (*link != NULL && ((*link)->count != key->count ||
                           memcmp((*link)->words, key->words, size) != 0)) {
    link = &(*link)->next;
  }
  berth_py_described_t *found = *link;
  if (found != NULL) {
    *link = found->next;
  } else {
    // This may run Python, which may call ops: |link| is stale afterwards.
    found = described_new(op, key, values, counts);
    if (found == NULL) return NULL;
    ++op->described_count;
  }
  found->next = op->described;
  op->described = found;
  ++found->users;
  forget_last(op);
  return found;
}

void berth_py_described_put(berth_py_described_t *described) {
  if (--described->users == 0 && described->is_forgotten) {
    described_free(described);
  }
}

// ---- Ops ----

static PyObject *item_of(PyObject *dict, const char *key) {
  return PyDict_GetItemString(dict, key);  // Borrowed.
}

static PyObject *interned(PyObject *text) {
  Py_INCREF(text);
  PyUnicode_InternInPlace(&text);
  return text;
}

static int attr_named(const berth_py_op_t *op, PyObject *name) {
  for (int i = 0; name != NULL && i < op->attr_count; ++i) {
    if (PyUnicode_Compare(op->attrs[i].name, name) == 0) return i;
  }
  return -1;
}

static void arg_read(berth_py_op_t *op, PyObject *table, berth_py_arg_t *arg) {
  PyObject *type = item_of(table, "type");
  arg->name = interned(item_of(table, "name"));
  arg->dtype = type != NULL ? (berth_dtype_t)PyLong_AsLong(type) : 0;
  arg->type = attr_named(op, item_of(table, "type_attr"));
  arg->number = attr_named(op, item_of(table, "number_attr"));
  arg->types = attr_named(op, item_of(table, "type_list_attr"));
  arg->is_list = arg->number >= 0 || arg->types >= 0;
}

static uint64_t allowed_types(PyObject *list) {
  uint64_t mask = 0;
  if (list == NULL || !PyList_Check(list)) return UINT64_MAX;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    long number = PyLong_AsLong(PyList_GET_ITEM(list, i));
    if (number > 0 && number < 64) mask |= UINT64_C(1) << number;
  }
  return mask;
}

static bool attr_read(PyObject *table, PyObject *kinds, berth_py_attr_t *attr) {
  PyObject *name = item_of(table, "name");
  PyObject *kind = PyDict_GetItem(kinds, name);  // Borrowed.
  PyObject *minimum = item_of(table, "minimum");
  PyObject *value = item_of(table, "default");
  berth_py_key_t key = {.count = 0};
  attr->name = interned(name);
  attr->kind = kind != NULL ? (int)PyLong_AsLong(kind) : BERTH_PY_UNSAID;
  attr->minimum = minimum != NULL ? PyLong_AsLongLong(minimum) : 0;
  attr->allowed = attr->kind == BERTH_PY_TYPE
                      ? allowed_types(item_of(table, "allowed"))
                      : UINT64_MAX;
  attr->has_default = value != NULL;
  if (value == NULL || !key_value(&key, attr->kind, value)) return true;
  if (attr->kind == BERTH_PY_TYPE) attr->type = (berth_dtype_t)key.words[0];
  attr->fallback = PyMem_Malloc(sizeof(key));
  if (attr->fallback != NULL) *attr->fallback = key;
  return attr->fallback != NULL;
}

// Says how the outputs are handed out.
static berth_py_gives_t gives_of(PyObject *outputs) {
  Py_ssize_t count = PyList_GET_SIZE(outputs);
  if (count == 0) return BERTH_PY_NOTHING;
  PyObject *first = PyList_GET_ITEM(outputs, 0);
  bool is_list = item_of(first, "number_attr") != NULL ||
                 item_of(first, "type_list_attr") != NULL;
  if (count > 1) return BERTH_PY_SEVERAL;
  return is_list ? BERTH_PY_A_LIST : BERTH_PY_A_TENSOR;
}

// True when there are several outputs and lists among them.
static bool has_list_of_several(PyObject *outputs) {
  Py_ssize_t count = PyList_GET_SIZE(outputs);
  bool has_list = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *output = PyList_GET_ITEM(outputs, i);
    has_list |= item_of(output, "number_attr") != NULL ||
                item_of(output, "type_list_attr") != NULL;
  }
  return count > 1 && has_list;
}

// True when several inputs are lists of types of their own: how many are of
// each does not show where they stand in one row.
static bool has_several_lists(const berth_py_op_t *op) {
  int count = 0;
  for (int i = 0; i < op->input_count; ++i) {
    count += op->inputs[i].types >= 0 ? 1 : 0;
  }
  return count > 1;
}

// True when a few tensors say all that a call needs, which changes nothing.
static bool is_plain(const berth_py_op_t *op) {
  bool plain = op->is_quick && !op->is_stateful &&
               op->gives == BERTH_PY_A_TENSOR &&
               op->input_count <= BERTH_PY_MOST_PLAIN;
  for (int i = 0; i < op->attr_count; ++i) {
    plain &= op->attrs[i].is_told || op->attrs[i].has_default;
  }
  for (int i = 0; i < op->input_count; ++i) plain &= !op->inputs[i].is_list;
  return plain;
}

static berth_py_op_t *op_read(PyObject *name, PyObject *schema) {
  PyObject *inputs = item_of(schema, "inputs"),
           *attrs = item_of(schema, "attrs");
  PyObject *kinds = berth_py_schema_kinds(name);  // Borrowed.
  berth_py_op_t *op = PyMem_Calloc(1, sizeof(*op));
  if (op == NULL || kinds == NULL) return NULL;
  op->name = interned(name);
  op->text = PyUnicode_AsUTF8(op->name);
  op->input_count = (int)PyList_GET_SIZE(inputs);
  op->attr_count = (int)PyList_GET_SIZE(attrs);
  op->gives = gives_of(item_of(schema, "outputs"));
  op->inputs = PyMem_Calloc((size_t)op->input_count + 1, sizeof(*op->inputs));
  op->attrs = PyMem_Calloc((size_t)op->attr_count + 1, sizeof(*op->attrs));
  if (op->inputs == NULL || op->attrs == NULL) return NULL;
  for (int i = 0; i < op->attr_count; ++i) {
    if (!attr_read(PyList_GET_ITEM(attrs, i), kinds, &op->attrs[i]))
      return NULL;
    op->is_seeded |=
        PyUnicode_CompareWithASCIIString(op->attrs[i].name, "seed2") == 0;
  }
  for (int i = 0; i < op->input_count; ++i) {
    arg_read(op, PyList_GET_ITEM(inputs, i), &op->inputs[i]);
    int tells[3] = {op->inputs[i].type, op->inputs[i].number,
                    op->inputs[i].types};
    for (int j = 0; j < 3; ++j) {
      if (tells[j] >= 0) op->attrs[tells[j]].is_told = true;
    }
  }
  op->is_quick = op->input_count <= BERTH_PY_MOST_INPUTS &&
                 op->attr_count <= BERTH_PY_MOST_ATTRS &&
                 !has_list_of_several(item_of(schema, "outputs")) &&
                 !has_several_lists(op);
  op->is_stateful = item_of(schema, "is_stateful") == Py_True;
  op->is_plain = is_plain(op);
  return op;
}

// Reads the op |name| and keeps it; one that is not known as None.
static PyObject *op_learn(PyObject *name) {
  PyObject *schema = berth_py_op_schema(NULL, name);
  PyObject *kept = Py_None;
  if (schema == NULL) {
    PyErr_Clear();
    Py_INCREF(kept);
  } else {
    berth_py_op_t *op = op_read(name, schema);
    Py_DECREF(schema);
    kept = op != NULL ? PyCapsule_New(op, NULL, NULL) : PyErr_NoMemory();
  }
  if (kept != NULL && PyDict_SetItem(ops, name, kept) < 0) Py_CLEAR(kept);
  Py_XDECREF(kept);  // The table holds it.
  return kept;
}

int berth_py_op_attr(const berth_py_op_t *op, PyObject *name) {
  for (int i = 0; i < op->attr_count; ++i) {
    if (op->attrs[i].name == name) return i;
  }
  return PyUnicode_Check(name) ? attr_named(op, name) : -1;
}

int berth_py_op_input(const berth_py_op_t *op, PyObject *name) {
  for (int i = 0; i < op->input_count; ++i) {
    if (PyUnicode_Compare(op->inputs[i].name, name) == 0) return i;
  }
  return -1;
}

berth_py_op_t *berth_py_op_find(PyObject *name) {
  if (!PyUnicode_CheckExact(name)) return NULL;
  PyObject *kept = PyDict_GetItemWithError(ops, name);  // Borrowed.
  if (kept == NULL && !PyErr_Occurred()) kept = op_learn(name);
  if (kept == NULL || kept == Py_None) return NULL;
  return PyCapsule_GetPointer(kept, NULL);
}

// ---- What Python sets ----

static PyObject *core_set_seeding(PyObject *module, PyObject *count) {
  (void)module;
  long number = PyLong_AsLong(count);
  if (number == -1 && PyErr_Occurred()) return NULL;
  seeding = number;
  Py_RETURN_NONE;
}

PyMethodDef berth_py_op_methods[] = {
    {"set_seeding", core_set_seeding, METH_O,
     "set_seeding(count)\n\n"
     "Says how often a seed was set: random ops that are called afterwards "
     "begin anew."},
    {NULL, NULL, 0, NULL}};

int berth_py_op_init(PyObject *module) {
  (void)module;
  if (ops == NULL) ops = PyDict_New();
  if (seeding_name == NULL)
    seeding_name = PyUnicode_InternFromString("_seeding");
  return ops != NULL && seeding_name != NULL ? 0 : -1;
}
