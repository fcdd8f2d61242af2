// quick.c - core.Quick and core.Maker: functions of Python with a short way.
//
// A function such as tf.reduce_sum does much that matters only sometimes:
// conversions of odd things, names, graphs, words for what is wrong. Quick
// stands in front of it and knows which of its parameters are which inputs and
// attributes of one op. Where ops run at once and the arguments are plain it
// calls the op (apply.c); in every other case it calls the function, arguments
// untouched, before anything else was called. Maker stands the same way in
// front of functions that make a tensor of a value.
#include "core.h"
// After core.h, which includes Python.h.
#include <limits.h>
#include <stddef.h>

enum { MOST_AXES = 8 };

// True for what says no more than leaving an argument out.
static bool is_left_out(PyObject *value) {
  return value == NULL || value == Py_None || value == Py_False;
}

// ---- Quick functions ----

// What a parameter is for. Inputs and attributes are counted from these.
enum { FOR_NOTHING = -1, FOR_NAME = -2, FOR_NONE = -3 };
enum { INPUTS = 0, ATTRS = 100, ROWS = 200 };

typedef struct quick {
  PyObject ob_base;
  PyObject *dict;      // Owned: what functools.update_wrapper() copies.
  PyObject *name;      // Owned, a str: the op.
  PyObject *function;  // Owned: does it at length.
  PyObject *targets;   // Owned: a tuple, the parameters as the op calls them.
  PyObject *fills;   // Owned: a dict, what inputs and attributes have instead.
  PyObject *change;  // Owned: an attribute, another type than the first
                     // input's; NULL: none.
  bool is_whole;     // Further parameters are those of the op.
  int renamed;       // So many of them are called otherwise.
  bool by_keyword;   // There are no others.
  berth_py_names_t names;
  berth_py_terms_t terms;
  vectorcallfunc call;
  // Found at the first call.
  berth_py_op_t *op;
  int places[BERTH_PY_MOST_PARAMETERS];
  bool is_direct;  // The first parameters are the inputs, in their order.
  PyObject *inputs[BERTH_PY_MOST_INPUTS];  // Borrowed from |fills|.
  PyObject *attrs[BERTH_PY_MOST_ATTRS];    // The same.
} quick_t;

// Axes of tensors: all of them, and all of them backwards.
static PyObject *all_axes, *reversed_axes;
static PyObject *name_text;  // "name"

// Makes a tensor of the axes of |tensor|, as |which| says. NULL, without an
// exception, when it has too many or is no eager tensor.
static PyObject *axes_of(PyObject *tensor, PyObject *which) {
  PyTypeObject *type = berth_py_mode_class(false);
  if (tensor == NULL || Py_TYPE(tensor) != type) return NULL;
  int rank = berth_tensor_shape(((berth_py_tensor_t *)tensor)->tensor).rank;
  int32_t axes[MOST_AXES];
  int64_t size = rank;
  berth_tensor_t *made = NULL;
  if (rank > MOST_AXES) return NULL;
  for (int i = 0; i < rank; ++i) {
    axes[i] = which == reversed_axes ? rank - 1 - i : i;
  }
  if (berth_tensor_copy_from(BERTH_INT32, (berth_dims_t){1, &size}, axes, &made,
                             NULL) != BERTH_OK) {
    return NULL;
  }
  return berth_py_tensor_new(type, made);
}

// Finds what a parameter is for; a star marks a row that may be one number.
static bool place_find(const quick_t *self, PyObject *target, int *out) {
  const char *text = PyUnicode_AsUTF8(target);
  Py_ssize_t size = 0;
  if (text == NULL) return false;
  if (strcmp(text, "-") == 0 || strcmp(text, "!") == 0 ||
      strcmp(text, "name") == 0) {
    *out = text[0] == '-' ? FOR_NOTHING : text[0] == '!' ? FOR_NONE : FOR_NAME;
    return true;
  }
  size = (Py_ssize_t)strlen(text);
  bool is_row = text[size - 1] == '*';
  PyObject *name = PyUnicode_FromStringAndSize(text, size - is_row);
  if (name == NULL) return false;
  int input = berth_py_op_input(self->op, name);
  int attr = input < 0 ? berth_py_op_attr(self->op, name) : -1;
  Py_DECREF(name);
  *out = input >= 0 ? INPUTS + input : (is_row ? ROWS : ATTRS) + attr;
  if (input >= 0 || attr >= 0) return true;
  PyErr_Format(PyExc_ValueError, "%U has no %U", self->name, target);
  return false;
}

static bool fill_in(quick_t *self) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(self->fills, &at, &key, &value)) {
    int input = berth_py_op_input(self->op, key);
    int attr = input < 0 ? berth_py_op_attr(self->op, key) : -1;
    if (input < 0 && attr < 0) {
      PyErr_Format(PyExc_ValueError, "%U has no %U", self->name, key);
      return false;
    }
    *(input >= 0 ? &self->inputs[input] : &self->attrs[attr]) = value;
  }
  return true;
}

// Adds a parameter that is called as what it is for; |skip| counts those that
// are there under another name.
static bool add_own(quick_t *self, PyObject *name, int place, int *skip) {
  int at = *skip > 0 ? self->renamed - *skip : self->names.count;
  if (at == BERTH_PY_MOST_PARAMETERS) return false;
  self->places[at] = place;
  if ((*skip)-- > 0) return true;
  Py_INCREF(name);
  self->names.items[self->names.count++] = name;
  return true;
}

// Adds the parameters of the op itself: inputs, attributes that must be said,
// those that need not, and a name.
static bool add_all(quick_t *self) {
  const berth_py_op_t *op = self->op;
  int skip = self->renamed = self->names.count;
  bool ok = true;
  for (int i = 0; ok && i < op->input_count; ++i) {
    ok = add_own(self, op->inputs[i].name, INPUTS + i, &skip);
  }
  for (int with_default = 0; with_default < 2; ++with_default) {
    for (int i = 0; ok && i < op->attr_count; ++i) {
      const berth_py_attr_t *attr = &op->attrs[i];
      if (attr->is_told || attr->has_default != (with_default == 1)) continue;
      ok = add_own(self, attr->name, ATTRS + i, &skip);
    }
  }
  return ok && add_own(self, name_text, FOR_NAME, &skip);
}

// Finds the op; false, mostly without an exception, when there is none.
static bool quick_open(quick_t *self) {
  berth_py_op_t *op = berth_py_op_find(self->name);
  if (op == NULL || !op->is_quick) return false;
  self->op = op;
  bool ok = fill_in(self);
  if (self->is_whole) {
    ok = ok && add_all(self);
  } else {
    for (int i = 0; ok && i < self->names.count; ++i) {
      ok = place_find(self, PyTuple_GET_ITEM(self->targets, i),
                      &self->places[i]);
    }
  }
  self->terms.change =
      ok && self->change != NULL ? berth_py_op_attr(op, self->change) : -1;
  if (!ok) self->op = NULL;
  self->is_direct =
      ok && !self->by_keyword && self->names.count >= op->input_count;
  for (int i = 0; self->is_direct && i < op->input_count; ++i) {
    self->is_direct = self->places[i] == INPUTS + i;
  }
  for (int i = 0; self->is_direct && i < op->attr_count; ++i) {
    self->is_direct = self->attrs[i] == NULL;
  }
  return ok;
}

// The inputs and attributes of one call. All borrowed but |row|.
typedef struct given {
  PyObject *inputs[BERTH_PY_MOST_INPUTS];
  PyObject *attrs[BERTH_PY_MOST_ATTRS];
  PyObject *name;
  PyObject *row;    // Owned: a number as a row of one, or axes.
  PyObject *value;  // Owned: of a variable whose axes are wanted.
} given_t;

static bool place_one(given_t *given, int place, PyObject *value) {
  if (place == FOR_NOTHING) {
    return is_left_out(value) ||
           (PyLong_CheckExact(value) && PyObject_Not(value) == 1);
  }
  if (value == NULL) return true;
  if (value == Py_None) {
    // Where None is said it is not always what leaving it out is.
    return place < 0 ||
           (place < ATTRS && (given->inputs[place] == all_axes ||
                              given->inputs[place] == reversed_axes));
  }
  if (place == FOR_NONE) return false;
  if (place == FOR_NAME) {
    given->name = value;
    return PyUnicode_CheckExact(value);
  }
  if (place >= ROWS && PyLong_CheckExact(value) && given->row == NULL) {
    given->row = PyTuple_Pack(1, value);
    if (given->row == NULL) PyErr_Clear();
    given->attrs[place - ROWS] = given->row;
    return given->row != NULL;
  }
  if (place >= ATTRS) {
    given->attrs[place - (place >= ROWS ? ROWS : ATTRS)] = value;
  } else {
    given->inputs[place] = value;
  }
  return true;
}

static bool place_all(const quick_t *self, PyObject *const *slots,
                      given_t *given) {
  memcpy(given->inputs, self->inputs,
         (size_t)self->op->input_count * sizeof(PyObject *));
  memcpy(given->attrs, self->attrs,
         (size_t)self->op->attr_count * sizeof(PyObject *));
  given->name = NULL;
  given->row = given->value = NULL;
  for (int i = 0; i < self->names.count; ++i) {
    if (!place_one(given, self->places[i], slots[i])) return false;
  }
  for (int i = 1; i < self->op->input_count; ++i) {
    PyObject *value = given->inputs[i];
    if (value != all_axes && value != reversed_axes) continue;
    if (given->row != NULL) return false;
    if (berth_py_is_variable(given->inputs[0])) {
      given->value = berth_py_variable_value(given->inputs[0]);
      given->inputs[0] = given->value;
    }
    given->row = axes_of(given->inputs[0], value);
    given->inputs[i] = given->row;
    if (given->row == NULL) return false;
  }
  return true;
}

static PyObject *quick_call(PyObject *object, PyObject *const *args,
                            size_t flags, PyObject *keywords) {
  quick_t *self = (quick_t *)object;
  PyObject *slots[BERTH_PY_MOST_PARAMETERS];
  PyObject *result = NULL;
  if (self->is_direct && keywords == NULL &&
      PyVectorcall_NARGS(flags) == self->op->input_count) {
    result = berth_py_op_call(self->op, args, NULL, NULL, &self->terms);
    if (result != NULL || PyErr_Occurred()) return result;
    return berth_py_public_call(self->function, self->dict, args, flags,
                                keywords);
  }
  if (berth_py_mode_context() != NULL &&
      (self->op != NULL || quick_open(self)) &&
      (!self->by_keyword || PyVectorcall_NARGS(flags) == 0) &&
      berth_py_args_sort(&self->names, args, PyVectorcall_NARGS(flags),
                         keywords, slots)) {
    given_t given;
    if (place_all(self, slots, &given)) {
      result = berth_py_op_call(self->op, given.inputs, given.attrs, given.name,
                                &self->terms);
    }
    Py_XDECREF(given.row);
    Py_XDECREF(given.value);
  }
  if (result != NULL || PyErr_Occurred()) return result;
  return berth_py_public_call(self->function, self->dict, args, flags,
                              keywords);
}

static bool quick_read(quick_t *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"op",
                          "function",
                          "parameters",
                          "targets",
                          "fills",
                          "types",
                          "most_rank",
                          "takes_tensors",
                          "refuses_variables",
                          "converts_first",
                          "change",
                          "by_keyword",
                          NULL};
  PyObject *parameters = NULL, *fills = NULL, *name = NULL, *function = NULL;
  PyObject *targets = NULL, *change = Py_None;
  unsigned long long types = ULLONG_MAX;
  int most_rank = INT_MAX, takes_tensors = 0, refuses = 0, first = 0;
  int by_keyword = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "UOO!OO!|$KipppOp:Quick", words, &name, &function,
          &PyTuple_Type, &parameters, &targets, &PyDict_Type, &fills, &types,
          &most_rank, &takes_tensors, &refuses, &first, &change, &by_keyword) ||
      !berth_py_names_read(parameters, &self->names)) {
    return false;
  }
  self->is_whole = targets == Py_None;
  if (berth_py_text(name) == NULL) return false;
  if (!self->is_whole && (!PyTuple_Check(targets) ||
                          PyTuple_GET_SIZE(targets) != self->names.count)) {
    PyErr_SetString(PyExc_ValueError, "every parameter needs a target");
    return false;
  }
  self->terms = (berth_py_terms_t){.types = types,
                                   .most_rank = most_rank,
                                   .takes_tensors = takes_tensors != 0,
                                   .refuses_variables = refuses != 0,
                                   .converts_first = first != 0,
                                   .change = -1};
  self->by_keyword = by_keyword != 0;
  PyObject **kept[] = {&self->name, &self->function, &self->targets,
                       &self->fills, &self->change};
  PyObject *given[] = {name, function, targets, fills, change};
  for (int i = 0; i < 5; ++i) {
    if (given[i] == Py_None) continue;
    Py_INCREF(given[i]);
    *kept[i] = given[i];
  }
  self->call = quick_call;
  return true;
}

static PyObject *quick_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self != NULL && !quick_read((quick_t *)self, args, kwargs)) {
    Py_CLEAR(self);
  }
  return self;
}

static int quick_traverse(PyObject *object, visitproc visit, void *arg) {
  quick_t *self = (quick_t *)object;
  Py_VISIT(self->dict);
  Py_VISIT(self->function);
  Py_VISIT(self->fills);
  return 0;
}

static int quick_clear(PyObject *object) {
  quick_t *self = (quick_t *)object;
  Py_CLEAR(self->dict);
  Py_CLEAR(self->function);
  return 0;
}

static void quick_dealloc(PyObject *object) {
  quick_t *self = (quick_t *)object;
  PyObject_GC_UnTrack(object);
  (void)quick_clear(object);
  Py_XDECREF(self->name);
  Py_XDECREF(self->targets);
  Py_XDECREF(self->fills);
  Py_XDECREF(self->change);
  berth_py_names_clear(&self->names);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *quick_repr(PyObject *self) {
  return PyObject_Repr(((quick_t *)self)->function);
}

static PyMethodDef methods[] = {
    {"__reduce__", berth_py_reduce, METH_NOARGS, "Returns its name."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_quick_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Quick",
    .tp_basicsize = sizeof(quick_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc =
        "Quick(op, function, parameters, targets, fills, types=…, most_rank=…, "
        "takes_tensors=False, refuses_variables=False, converts_first=False, "
        "change=None, by_keyword=False)\n\n"
        "Calls an op where that is all that function does, and function "
        "elsewhere. targets say what each of the parameters is in the op: an "
        "input, an attribute (with a star: a row that may be one number), "
        "'name', '-' for what must be left out, or False or 0, '!' for what "
        "must "
        "be left out; fills, what inputs and "
        "attributes are when nothing is said. With targets of None the "
        "parameters "
        "are the op's own, the first ones renamed.",
    .tp_vectorcall_offset = offsetof(quick_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(quick_t, dict),
    .tp_new = quick_new,
    .tp_traverse = quick_traverse,
    .tp_clear = quick_clear,
    .tp_dealloc = quick_dealloc,
    .tp_descr_get = berth_py_bind,
    .tp_repr = quick_repr,
    .tp_getset = getters,
    .tp_methods = methods,
};

// ---- Functions that make tensors of values ----

// What the parameters of a Maker are for.
typedef enum role {
  ROLE_VALUE,
  ROLE_TYPE,
  ROLE_HINT,
  ROLE_NAME,
  ROLE_OTHER
} role_t;

typedef struct maker {
  PyObject ob_base;
  PyObject *dict;      // Owned.
  PyObject *function;  // Owned: does it at length.
  berth_py_names_t names;
  role_t roles[BERTH_PY_MOST_PARAMETERS];
  bool keeps;  // Tensors are returned as they are.
  vectorcallfunc call;
} maker_t;

static role_t role_of(const char *name) {
  if (strcmp(name, "value") == 0) return ROLE_VALUE;
  if (strcmp(name, "dtype") == 0) return ROLE_TYPE;
  if (strcmp(name, "name") == 0) return ROLE_NAME;
  if (strcmp(name, "dtype_hint") == 0 || strcmp(name, "preferred_dtype") == 0) {
    return ROLE_HINT;
  }
  return ROLE_OTHER;
}

// Makes a tensor of |value|; NULL, without an exception, when the function has
// to.
static PyObject *make(const maker_t *self, PyObject *value, PyObject *type) {
  berth_dtype_t dtype = BERTH_INVALID;
  if (value == NULL) return NULL;
  if (type != NULL) {
    dtype = berth_py_type_number(type);
    if (dtype == BERTH_INVALID) return NULL;
  }
  if (Py_TYPE(value) != berth_py_mode_class(false)) {
    PyObject *read = self->keeps ? berth_py_variable_value(value) : NULL;
    if (read == NULL || PyErr_Occurred()) {
      return PyErr_Occurred() ? NULL : berth_py_constant(value, dtype);
    }
    berth_dtype_t found =
        berth_tensor_dtype(((berth_py_tensor_t *)read)->tensor);
    if (dtype == BERTH_INVALID || found == dtype) return read;
    Py_DECREF(read);
    return NULL;
  }
  berth_dtype_t own = berth_tensor_dtype(((berth_py_tensor_t *)value)->tensor);
  if (!self->keeps || (type != NULL && own != dtype)) return NULL;
  Py_INCREF(value);
  return value;
}

static PyObject *maker_call(PyObject *object, PyObject *const *args,
                            size_t flags, PyObject *keywords) {
  const maker_t *self = (maker_t *)object;
  PyObject *slots[BERTH_PY_MOST_PARAMETERS];
  PyObject *said[3] = {NULL, NULL, NULL};  // By role.
  PyObject *result = NULL;
  if (berth_py_mode_context() != NULL &&
      berth_py_args_sort(&self->names, args, PyVectorcall_NARGS(flags),
                         keywords, slots)) {
    bool ok = true;
    for (int i = 0; ok && i < self->names.count; ++i) {
      if (self->roles[i] == ROLE_OTHER) {
        ok = is_left_out(slots[i]);
      } else if (self->roles[i] != ROLE_NAME && slots[i] != Py_None &&
                 slots[i] != NULL) {
        said[self->roles[i]] = slots[i];
      }
    }
    // A hint is for values, and only if they fit.
    bool is_tensor = ok && said[ROLE_VALUE] != NULL &&
                     Py_TYPE(said[ROLE_VALUE]) == berth_py_mode_class(false);
    PyObject *type = said[ROLE_TYPE];
    if (type == NULL && !is_tensor && !berth_py_is_variable(said[ROLE_VALUE])) {
      type = said[ROLE_HINT];
    }
    if (ok) result = make(self, said[ROLE_VALUE], type);
  }
  if (result != NULL || PyErr_Occurred()) return result;
  return berth_py_public_call(self->function, self->dict, args, flags,
                              keywords);
}

static PyObject *maker_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  static char *words[] = {"function", "parameters", "keeps", NULL};
  PyObject *function = NULL, *parameters = NULL;
  int keeps = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!p:Maker", words, &function,
                                   &PyTuple_Type, &parameters, &keeps)) {
    return NULL;
  }
  maker_t *self = (maker_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  if (!berth_py_names_read(parameters, &self->names)) {
    Py_DECREF(self);
    return NULL;
  }
  for (int i = 0; i < self->names.count; ++i) {
    self->roles[i] = role_of(PyUnicode_AsUTF8(self->names.items[i]));
  }
  Py_INCREF(function);
  self->function = function;
  self->keeps = keeps != 0;
  self->call = maker_call;
  return (PyObject *)self;
}

static int maker_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(((maker_t *)object)->dict);
  Py_VISIT(((maker_t *)object)->function);
  return 0;
}

static int maker_clear(PyObject *object) {
  Py_CLEAR(((maker_t *)object)->dict);
  Py_CLEAR(((maker_t *)object)->function);
  return 0;
}

static void maker_dealloc(PyObject *object) {
  PyObject_GC_UnTrack(object);
  (void)maker_clear(object);
  berth_py_names_clear(&((maker_t *)object)->names);
  Py_TYPE(object)->tp_free(object);
}

PyTypeObject berth_py_maker_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Maker",
    .tp_basicsize = sizeof(maker_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc =
        "Maker(function, parameters, keeps)\n\n"
        "Makes an eager tensor of a plain value, and calls function with "
        "anything else; keeps: tensors are returned as they are.",
    .tp_vectorcall_offset = offsetof(maker_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(maker_t, dict),
    .tp_new = maker_new,
    .tp_traverse = maker_traverse,
    .tp_clear = maker_clear,
    .tp_dealloc = maker_dealloc,
    .tp_descr_get = berth_py_bind,
    .tp_getset = getters,
    .tp_methods = methods,
};

// ---- What fills stand for ----

static int add_marker(PyObject *module, const char *name, PyObject **marker) {
  if (*marker == NULL) {
    *marker = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
  }
  if (*marker == NULL) return -1;
  Py_INCREF(*marker);
  return PyModule_AddObject(module, name, *marker);
}

int berth_py_quick_init(PyObject *module) {
  if (name_text == NULL) name_text = PyUnicode_InternFromString("name");
  if (name_text == NULL) return -1;
  if (add_marker(module, "ALL_AXES", &all_axes) < 0) return -1;
  return add_marker(module, "REVERSED_AXES", &reversed_axes);
}
