// apply.c - Calling any op with values of Python: core.apply().
//
//   values ──take──> tensors, or sources ──convert──> tensors ──call──> results
//            settle types                 attributes as a key
//
// Tensors, variables and plain values are taken as they are; the types that
// they settle are those that the other inputs are converted to, in the order in
// which eager TensorFlow does it. Whatever is not plain, and every mistake in
// the arguments, is declined before anything is called, and Python's functions
// (eager/context.py) do it all. An op that was called and failed has failed:
// Python is asked for the words only.
#include "core.h"
// After core.h, which includes Python.h.
#include <limits.h>

// Most tensors that a call here takes and gives.
enum { MOST_TENSORS = 64 };

// What Python does when the short way ends, all owned.
static struct {
  PyObject *longer;  // (op, name, args, attrs): does it at length.
  PyObject *fail;   // (error, op, name, args, attrs): raises for a failed call.
  PyObject *error;  // The class of errors that |fail| is for.
  PyObject *tuple_of;  // (op): the class of several outputs.
  PyTypeObject *variable;
} hooks;
static PyObject *handle_name, *dtype_name, *read_name;

typedef struct call {
  const berth_py_op_t *op;
  PyObject *context;
  PyTypeObject *type;
  bool has_variable;  // Something was read.
  int count;
  berth_tensor_t *tensors[MOST_TENSORS];  // Owned; NULL: to be converted.
  PyObject *sources[MOST_TENSORS];        // Owned; NULL: it is there.
  uint8_t args[MOST_TENSORS];             // Which argument it belongs to.
  berth_dtype_t settled[BERTH_PY_MOST_ATTRS];
  int counts[BERTH_PY_MOST_ATTRS];  // Lengths of lists; -1 for none.
} call_t;

static void call_clear(call_t *call) {
  for (int i = 0; i < call->count; ++i) {
    berth_tensor_release(call->tensors[i]);
    Py_XDECREF(call->sources[i]);
  }
}

// ---- Taking inputs ----

static const char *device_asked(void) {
  PyObject *device = berth_py_place.device;
  return device != NULL ? PyUnicode_AsUTF8(device) : NULL;
}

// Calls an op with one description, or none, and room for |*count| outputs.
static berth_code_t call_runtime(PyObject *context, const char *op,
                                 const berth_py_described_t *described,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int input_count,
                                 berth_tensor_t **outputs, int *count,
                                 berth_error_t *err) {
  berth_context_t *handle = berth_py_context_handle(context);
  PyThreadState *saved = berth_py_leave();
  berth_code_t code =
      berth_py_noting > 0
          ? berth_py_call_noted(
                handle, op, described == NULL ? NULL : described->op, device,
                inputs, input_count, outputs, count, err)
      : described != NULL
          ? berth_eager_call_op(handle, described->op, device, inputs,
                                input_count, outputs, count, err)
          : berth_eager_call(handle, op, device, inputs, input_count, outputs,
                             count, err);
  berth_py_return(saved);
  return code;
}

// Reads a variable. NULL, without an exception, when the long way has to.
static berth_tensor_t *read_variable(PyObject *context, PyTypeObject *type,
                                     PyObject *variable) {
  if (berth_py_noting > 0) return NULL;  // Tapes are to know of it.
  berth_py_op_t *op = berth_py_op_find(read_name);
  PyObject *handle = PyObject_GetAttr(variable, handle_name);
  PyObject *dtype =
      handle != NULL ? PyObject_GetAttr(variable, dtype_name) : NULL;
  berth_tensor_t *value = NULL;
  berth_py_key_t key = {.count = 0};
  int none = -1, count = 1;
  if (op != NULL && dtype != NULL && Py_TYPE(handle) == type &&
      berth_py_key_attr(&key, op, 0, dtype)) {
    berth_py_described_t *read = berth_py_describe(op, &key, &dtype, &none);
    if (read != NULL) {
      berth_tensor_t *input = ((berth_py_tensor_t *)handle)->tensor;
      if (call_runtime(context, NULL, read, NULL, &input, 1, &value, &count,
                       NULL) != BERTH_OK) {
        value = NULL;
      }
      berth_py_described_put(read);
    }
  }
  Py_XDECREF(handle);
  Py_XDECREF(dtype);
  // The long way meets the same error, and a signal's exception stays.
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
    PyErr_Clear();
  return value;
}

// Takes one value for argument |arg|: a tensor as it is, the value of a
// variable, or something to be converted.
static bool take(call_t *call, int arg, PyObject *item) {
  if (call->count == MOST_TENSORS || item == NULL || item == Py_None) {
    return false;
  }
  berth_tensor_t *tensor = NULL;
  PyObject *source = NULL;
  if (Py_TYPE(item) == call->type) {
    tensor = berth_tensor_retain(((berth_py_tensor_t *)item)->tensor);
  } else if (hooks.variable != NULL &&
             PyObject_TypeCheck(item, hooks.variable)) {
    tensor = read_variable(call->context, call->type, item);
    if (tensor == NULL) return false;
    call->has_variable = true;
  } else {
    Py_INCREF(item);
    source = item;
  }
  call->tensors[call->count] = tensor;
  call->sources[call->count] = source;
  call->args[call->count++] = (uint8_t)arg;
  return true;
}

static bool take_list(call_t *call, int index, PyObject *list) {
  const berth_py_arg_t *arg = &call->op->inputs[index];
  if (list == NULL || (!PyList_CheckExact(list) && !PyTuple_CheckExact(list))) {
    return false;
  }
  int begin = call->count;
  // Reading a variable lets others run, who may change the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    if (!take(call, index, PySequence_Fast_GET_ITEM(list, i))) return false;
  }
  if (arg->number < 0) return true;
  int count = call->count - begin;
  if (call->counts[arg->number] >= 0 && call->counts[arg->number] != count) {
    return false;
  }
  call->counts[arg->number] = count;
  return count >= call->op->attrs[arg->number].minimum;
}

static bool take_all(call_t *call, PyObject *const *values) {
  bool ok = true;
  for (int i = 0; ok && i < call->op->input_count; ++i) {
    ok = call->op->inputs[i].is_list ? take_list(call, i, values[i])
                                     : take(call, i, values[i]);
  }
  return ok;
}

// ---- Types and conversions ----

// Notes the types that attributes and tensors say.
static bool settle(call_t *call, PyObject *const *attrs) {
  const berth_py_op_t *op = call->op;
  for (int i = 0; i < op->attr_count; ++i) {
    call->settled[i] = BERTH_INVALID;
    if (!op->attrs[i].is_told || op->attrs[i].kind != BERTH_PY_TYPE ||
        attrs[i] == NULL || attrs[i] == Py_None) {
      continue;
    }
    call->settled[i] = berth_py_type_number(attrs[i]);
    if (call->settled[i] == BERTH_INVALID) return false;
  }
  for (int i = 0; i < call->count; ++i) {
    int type = op->inputs[call->args[i]].type;
    if (type >= 0 && call->tensors[i] != NULL &&
        call->settled[type] == BERTH_INVALID) {
      call->settled[type] = berth_tensor_dtype(call->tensors[i]);
    }
  }
  return true;
}

// ---- Constants on cards ----

// A number that was brought to a device, as TensorFlow does, once.
typedef struct kept {
  PyTypeObject *type;     // Of the number. Borrowed: Python's own.
  uint64_t bits;          // The number.
  berth_dtype_t dtype;    // What it was asked to be.
  PyObject *device;       // Owned: that was asked for, or NULL.
  berth_tensor_t *value;  // Owned; NULL: nothing is here.
} kept_t;
enum { KEPT_BITS = 8 };
static kept_t kept[1 << KEPT_BITS];

static void kept_clear(kept_t *slot) {
  berth_tensor_release(slot->value);
  Py_CLEAR(slot->device);
  slot->value = NULL;
}

void berth_py_constants_forget(void) {
  for (int i = 0; i < 1 << KEPT_BITS; ++i) kept_clear(&kept[i]);
}

// Reads what tells a number apart; false for what is none.
static bool number_bits(PyObject *value, uint64_t *bits) {
  if (PyFloat_CheckExact(value)) {
    double number = PyFloat_AS_DOUBLE(value);
    memcpy(bits, &number, sizeof(*bits));
    return true;
  }
  int overflow = 0;
  if (!PyLong_CheckExact(value)) return false;
  *bits = (uint64_t)PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0;
}

// Brings |tensor|, which is released, to the device in force.
static berth_tensor_t *bring(PyObject *context, berth_tensor_t *tensor) {
  berth_tensor_t *there = NULL;
  int count = 1;
  if (call_runtime(context, "_EagerConst", NULL, device_asked(), &tensor, 1,
                   &there, &count, NULL) != BERTH_OK) {
    there = NULL;
  }
  berth_tensor_release(tensor);
  return there;
}

// Makes a constant on the device in force.
static berth_tensor_t *constant_of(PyObject *context, PyObject *value,
                                   berth_dtype_t dtype) {
  uint64_t bits = 0;
  if (berth_py_context_is_quiet(context)) {
    return berth_py_value_tensor(value, dtype);
  }
  kept_t *slot = NULL;
  PyObject *device = berth_py_place.device;
  if (number_bits(value, &bits)) {
    uint64_t hash = (bits ^ (uint64_t)dtype ^ (uintptr_t)Py_TYPE(value)) *
                    UINT64_C(0x9e3779b97f4a7c15);
    slot = &kept[hash >> (64 - KEPT_BITS)];
    if (slot->value != NULL && slot->bits == bits && slot->dtype == dtype &&
        slot->type == Py_TYPE(value) && slot->device == device) {
      return berth_tensor_retain(slot->value);
    }
  }
  berth_tensor_t *tensor = berth_py_value_tensor(value, dtype);
  if (tensor != NULL) tensor = bring(context, tensor);
  // Another context may have come meanwhile.
  if (tensor == NULL || slot == NULL || berth_py_mode.context != context) {
    return tensor;
  }
  kept_clear(slot);
  Py_XINCREF(device);
  *slot = (kept_t){.type = Py_TYPE(value),
                   .bits = bits,
                   .dtype = dtype,
                   .device = device,
                   .value = berth_tensor_retain(tensor)};
  return tensor;
}

// Makes an input of |value|. Lists, and what tells kernels sizes and axes, stay
// on the host: a kernel on a card has them copied where it wants them.
static berth_tensor_t *input_of(const call_t *call, PyObject *value,
                                berth_dtype_t dtype) {
  // A device that there is not is refused where constants are made.
  if (berth_py_place.device != NULL && !berth_py_place.is_device) return NULL;
  if (PyFloat_CheckExact(value) ||
      (PyLong_CheckExact(value) && dtype != BERTH_INT32)) {
    return constant_of(call->context, value, dtype);
  }
  return berth_py_value_tensor(value, dtype);
}

// Sees to it that input |i| is there and has the type it is to have.
static bool complete(call_t *call, int i) {
  const berth_py_op_t *op = call->op;
  const berth_py_arg_t *arg = &op->inputs[call->args[i]];
  berth_dtype_t wanted = arg->type >= 0    ? call->settled[arg->type]
                         : arg->types >= 0 ? BERTH_INVALID
                                           : arg->dtype;
  if (call->tensors[i] == NULL) {
    berth_dtype_t type = wanted;
    if (type == BERTH_INVALID && arg->type >= 0) {
      type = op->attrs[arg->type].type;
    }
    call->tensors[i] = input_of(call, call->sources[i], type);
    if (call->tensors[i] == NULL) return false;
  }
  berth_dtype_t dtype = berth_tensor_dtype(call->tensors[i]);
  if (wanted != BERTH_INVALID && dtype != wanted) return false;
  if (arg->type < 0) return true;
  call->settled[arg->type] = dtype;
  return (op->attrs[arg->type].allowed >> dtype & 1) != 0;
}

static bool complete_all(call_t *call) {
  bool ok = true;
  for (int i = 0; ok && i < call->count; ++i) ok = complete(call, i);
  return ok;
}

// ---- Attributes ----

static bool key_of(const call_t *call, PyObject *const *attrs,
                   berth_py_key_t *key) {
  const berth_py_op_t *op = call->op;
  bool ok = true;
  for (int i = 0; ok && i < op->attr_count; ++i) {
    if (attrs[i] != NULL && attrs[i] != Py_None) {
      ok = berth_py_key_attr(key, op, i, attrs[i]);
    } else if (call->counts[i] >= 0) {
      ok = berth_py_key_add(key, (uint64_t)i) &&
           berth_py_key_add(key, (uint64_t)call->counts[i]);
    } else {
      ok = op->attrs[i].has_default || op->attrs[i].is_told;
    }
  }
  return ok && berth_py_key_seeding(op, key);
}

// ---- Results ----

static PyObject *wrap_list(const call_t *call, berth_tensor_t **outputs,
                           int count, PyObject *device, bool as_tuple) {
  PyObject *row = as_tuple ? PyTuple_New(count) : PyList_New(count);
  for (int i = 0; i < count; ++i) {
    if (row == NULL) {
      berth_tensor_release(outputs[i]);
      continue;
    }
    PyObject *made = berth_py_tensor_on(call->type, outputs[i], device);
    if (made == NULL) {
      Py_CLEAR(row);
    } else if (as_tuple) {
      PyTuple_SET_ITEM(row, i, made);
    } else {
      PyList_SET_ITEM(row, i, made);
    }
  }
  return row;
}

// Hands |outputs| out in the form of the op; takes them over.
static PyObject *results(berth_py_op_t *op, const call_t *call,
                         berth_tensor_t **outputs, int count) {
  PyObject *device = berth_py_context_last(call->context);
  if (op->gives == BERTH_PY_A_TENSOR && count == 1) {
    return berth_py_tensor_on(call->type, outputs[0], device);
  }
  PyObject *row =
      wrap_list(call, outputs, count, device, op->gives == BERTH_PY_SEVERAL);
  if (row == NULL || op->gives == BERTH_PY_A_LIST) return row;
  PyObject *result = NULL;
  if (op->gives == BERTH_PY_NOTHING) {
    Py_INCREF(Py_None);
    result = Py_None;
  } else {
    if (op->tuple == NULL) {
      op->tuple = PyObject_CallOneArg(hooks.tuple_of, op->name);
    }
    if (op->tuple != NULL) result = PyObject_CallObject(op->tuple, row);
  }
  Py_DECREF(row);
  return result;
}

// Asks Python for the words about a call that failed. An exception is set.
static void explain(const berth_py_op_t *op, PyObject *name,
                    PyObject *const *values, PyObject *const *attrs) {
  if (hooks.fail == NULL || !PyErr_ExceptionMatches(hooks.error)) return;
  PyObject *kind, *error, *trace;
  PyErr_Fetch(&kind, &error, &trace);
  PyErr_NormalizeException(&kind, &error, &trace);
  PyObject *args = PyDict_New(), *said = PyDict_New();
  bool ok = args != NULL && said != NULL;
  for (int i = 0; ok && i < op->attr_count; ++i) {
    if (attrs[i] == NULL || attrs[i] == Py_None) continue;
    ok = PyDict_SetItem(said, op->attrs[i].name, attrs[i]) == 0;
  }
  for (int i = 0; ok && i < op->input_count; ++i) {
    ok = PyDict_SetItem(args, op->inputs[i].name, values[i]) == 0;
  }
  PyObject *done = ok ? PyObject_CallFunctionObjArgs(
                            hooks.fail, error, op->name,
                            name != NULL ? name : Py_None, args, said, NULL)
                      : NULL;
  Py_XDECREF(args);
  Py_XDECREF(said);
  if (done == NULL) {  // As it should be.
    Py_XDECREF(kind);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return;
  }
  Py_DECREF(done);
  PyErr_Restore(kind, error, trace);
}

// ---- Calls ----

// Calls the op with the inputs of |call| and the attributes of |key|. NULL,
// without an exception, when it failed and |is_repeatable|.
static PyObject *perform(berth_py_op_t *op, const call_t *call,
                         const berth_py_key_t *key, PyObject *const *attrs,
                         PyObject *const *values, PyObject *name,
                         bool is_repeatable) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *outputs[MOST_TENSORS];
  int count = MOST_TENSORS;
  berth_py_described_t *described = NULL;
  if (key->count > 0) {
    described = berth_py_describe(op, key, attrs, call->counts);
    if (described == NULL) return NULL;
  }
  berth_code_t code =
      call_runtime(call->context, op->text, described, device_asked(),
                   call->tensors, call->count, outputs, &count, &err);
  if (described != NULL) berth_py_described_put(described);
  if (code != BERTH_OK && count > MOST_TENSORS) {
    berth_error_clear(&err);  // It was not called for want of room.
    return NULL;
  }
  if (code != BERTH_OK && is_repeatable && !PyErr_Occurred()) {
    berth_error_clear(&err);
    return NULL;
  }
  if (!berth_py_succeeded(code, &err, outputs, count)) {
    explain(op, name, values, attrs);
    return NULL;
  }
  return results(op, call, outputs, count);
}

// True when the types and ranks of inputs are within |terms|.
static bool tensors_fit(const berth_py_terms_t *terms,
                        berth_tensor_t *const *tensors, int count) {
  if (terms->types != UINT64_MAX && count > 0 &&
      (terms->types >> berth_tensor_dtype(tensors[0]) & 1) == 0) {
    return false;
  }
  for (int i = 0; terms->most_rank != INT_MAX && i < count; ++i) {
    if (berth_tensor_shape(tensors[i]).rank > terms->most_rank) return false;
  }
  return true;
}

// True when the function that was called does no more than call its op.
static bool terms_hold(const berth_py_terms_t *terms, const call_t *call,
                       PyObject *const *attrs) {
  if (terms->change >= 0 && (attrs[terms->change] == NULL ||
                             berth_py_type_number(attrs[terms->change]) ==
                                 berth_tensor_dtype(call->tensors[0]))) {
    return false;
  }
  // What the function converts first does not ask what comes behind.
  if ((terms->takes_tensors || terms->refuses_variables) &&
      call->has_variable) {
    return false;
  }
  bool is_first = terms->converts_first && call->sources[0] != NULL;
  for (int i = 0; i < call->count; ++i) {
    if (call->sources[i] != NULL ? terms->takes_tensors : is_first)
      return false;
  }
  return tensors_fit(terms, call->tensors, call->count);
}

// Calls a plain op with tensors, which are the caller's. NULL, without an
// exception, when something is no tensor or the call fails: such an op can be
// called again, and the long way finds the words.
static PyObject *call_plain(const berth_py_op_t *op, PyObject *context,
                            PyObject *const *values,
                            const berth_py_terms_t *terms) {
  PyObject *scope = berth_py_place.device;
  PyTypeObject *type = berth_py_context_class(context);
  berth_tensor_t *tensors[BERTH_PY_MOST_PLAIN], *output = NULL;
  int count = 1;
  for (int i = 0; i < op->input_count; ++i) {
    if (values[i] == NULL || Py_TYPE(values[i]) != type) return NULL;
    tensors[i] = ((berth_py_tensor_t *)values[i])->tensor;
  }
  if (terms != NULL && !tensors_fit(terms, tensors, op->input_count)) {
    return NULL;
  }
  const char *device = scope != NULL ? PyUnicode_AsUTF8(scope) : NULL;
  berth_context_t *handle = berth_py_context_handle(context);
  PyThreadState *saved = berth_py_leave();
  berth_code_t code =
      berth_py_noting > 0
          ? berth_py_call_noted(handle, op->text, NULL, device, tensors,
                                op->input_count, &output, &count, NULL)
          : berth_eager_call(handle, op->text, device, tensors, op->input_count,
                             &output, &count, NULL);
  berth_py_return(saved);
  if (code != BERTH_OK) return NULL;
  if (PyErr_Occurred()) {
    berth_tensor_release(output);
    return NULL;
  }
  return berth_py_tensor_on(type, output, berth_py_context_last(context));
}

// Calls |op| with whatever values there are.
__attribute__((noinline)) static PyObject *call_any(
    berth_py_op_t *op, PyObject *context, PyObject *const *values,
    PyObject *const *attrs, PyObject *name, const berth_py_terms_t *terms) {
  static PyObject *const no_attrs[BERTH_PY_MOST_ATTRS];
  call_t call;
  call.op = op;
  call.context = context;
  call.type = berth_py_context_class(context);
  call.has_variable = false;
  call.count = 0;
  berth_py_key_t key;
  key.count = 0;
  PyObject *result = NULL;
  if (attrs == NULL) attrs = no_attrs;
  for (int i = 0; i < op->attr_count; ++i) call.counts[i] = -1;
  if (take_all(&call, values) && settle(&call, attrs) && complete_all(&call) &&
      key_of(&call, attrs, &key) &&
      (terms == NULL || terms_hold(terms, &call, attrs))) {
    // A function that is called instead finds its own words.
    result = perform(op, &call, &key, attrs, values, name,
                     terms != NULL && !op->is_stateful);
  }
  call_clear(&call);
  return result;
}

PyObject *berth_py_op_call(berth_py_op_t *op, PyObject *const *values,
                           PyObject *const *attrs, PyObject *name,
                           const berth_py_terms_t *terms) {
  PyObject *context = berth_py_mode_context();
  if (context == NULL || !op->is_quick) return NULL;
  Py_INCREF(context);  // Another thread may set another one.
  PyObject *made = NULL;
  if (attrs == NULL && op->is_plain) {
    made = call_plain(op, context, values, terms);
  }
  if (made == NULL && !PyErr_Occurred()) {
    made = call_any(op, context, values, attrs, name, terms);
  }
  Py_DECREF(context);
  return made;
}

// ---- core.apply ----

// Puts the values of |dict| in the order of the attributes of |op|.
static bool sort_attrs(const berth_py_op_t *op, PyObject *dict,
                       PyObject **attrs) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  memset(attrs, 0, (size_t)op->attr_count * sizeof(*attrs));
  if (!PyDict_CheckExact(dict)) return false;
  while (PyDict_Next(dict, &at, &key, &value)) {
    int i = berth_py_op_attr(op, key);
    if (i < 0) return false;
    attrs[i] = value;
  }
  return true;
}

// Calls |name| the short way; NULL, without an exception, when there is none.
static PyObject *apply_shortly(PyObject *const *args, Py_ssize_t count) {
  PyObject *values[BERTH_PY_MOST_INPUTS], *attrs[BERTH_PY_MOST_ATTRS];
  if (berth_py_mode_context() == NULL || count < 3 ||
      !PyDict_CheckExact(args[2])) {
    return NULL;
  }
  berth_py_op_t *op = berth_py_op_find(args[0]);
  if (op == NULL || !op->is_quick) return NULL;
  for (int i = 0; i < op->input_count; ++i) {
    values[i] = PyDict_GetItemWithError(args[2], op->inputs[i].name);
    if (values[i] == NULL) return NULL;
  }
  if (count <= 3 || args[3] == Py_None) {
    return berth_py_op_call(op, values, NULL, args[1], NULL);
  }
  if (!sort_attrs(op, args[3], attrs)) return NULL;
  return berth_py_op_call(op, values, attrs, args[1], NULL);
}

static PyObject *core_apply(PyObject *module, PyObject *const *args,
                            Py_ssize_t count, PyObject *keywords) {
  (void)module;
  if (keywords == NULL) {
    PyObject *result = apply_shortly(args, count);
    if (result != NULL || PyErr_Occurred()) return result;
  }
  if (hooks.longer == NULL) {
    PyErr_SetString(PyExc_RuntimeError, "apply() is called before set_apply()");
    return NULL;
  }
  return PyObject_Vectorcall(hooks.longer, args, (size_t)count, keywords);
}

static PyObject *core_set_apply(PyObject *module, PyObject *args,
                                PyObject *kwargs) {
  static char *names[] = {"longer",   "fail",     "error",
                          "tuple_of", "variable", NULL};
  PyObject *given[5] = {NULL, NULL, NULL, NULL, NULL};
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOO:set_apply", names,
                                   &given[0], &given[1], &given[2], &given[3],
                                   &given[4])) {
    return NULL;
  }
  if (given[4] != NULL && !PyType_Check(given[4])) {
    PyErr_SetString(PyExc_TypeError, "variable is a class");
    return NULL;
  }
  PyObject **hook[5] = {&hooks.longer, &hooks.fail, &hooks.error,
                        &hooks.tuple_of, (PyObject **)&hooks.variable};
  for (int i = 0; i < 5; ++i) {
    if (given[i] == NULL) continue;
    Py_INCREF(given[i]);
    Py_XSETREF(*hook[i], given[i]);
  }
  Py_RETURN_NONE;
}

bool berth_py_is_variable(PyObject *object) {
  return object != NULL && hooks.variable != NULL &&
         PyObject_TypeCheck(object, hooks.variable);
}

// Returns the value of a variable, as a tensor that belongs to its device.
PyObject *berth_py_variable_value(PyObject *variable) {
  PyObject *context = berth_py_mode_context();
  if (context == NULL || !berth_py_is_variable(variable)) return NULL;
  Py_INCREF(context);
  PyTypeObject *type = berth_py_context_class(context);
  PyObject *made = NULL;
  berth_tensor_t *value = read_variable(context, type, variable);
  if (value != NULL) {
    made = berth_py_tensor_on(type, value, berth_py_context_last(context));
  }
  Py_DECREF(context);
  return made;
}

// ---- Constants ----

// Makes a constant of |value| for a result; NULL, without an exception, when
// Python has to.
PyObject *berth_py_constant(PyObject *value, berth_dtype_t dtype) {
  PyObject *context = berth_py_mode_context();
  if (context == NULL) return NULL;
  PyTypeObject *type = berth_py_context_class(context);
  if (Py_TYPE(value) == type) return NULL;
  if (berth_py_place.device != NULL && !berth_py_place.is_device) return NULL;
  berth_tensor_t *tensor = constant_of(context, value, dtype);
  return tensor != NULL
             ? berth_py_tensor_on(type, tensor, berth_py_place.device)
             : NULL;
}

PyMethodDef berth_py_apply_methods[] = {
    {"apply", (PyCFunction)(void (*)(void))core_apply,
     METH_FASTCALL | METH_KEYWORDS,
     "apply(op, name, args, attrs=None)\n\n"
     "Calls an op at once, or adds it to the graph that is being built: "
     "returns its output, a list or tuple of several, or None."},
    {"set_apply", (PyCFunction)(void (*)(void))core_set_apply,
     METH_VARARGS | METH_KEYWORDS,
     "set_apply(longer=…, fail=…, error=…, tuple_of=…, variable=…)"
     "\n\nTells apply() what Python does when the short way ends."},
    {NULL, NULL, 0, NULL}};

int berth_py_apply_init(PyObject *module) {
  (void)module;
  if (handle_name == NULL) handle_name = PyUnicode_InternFromString("_handle");
  if (dtype_name == NULL) dtype_name = PyUnicode_InternFromString("_dtype");
  if (read_name == NULL)
    read_name = PyUnicode_InternFromString("ReadVariableOp");
  return handle_name != NULL && dtype_name != NULL && read_name != NULL ? 0
                                                                        : -1;
}
