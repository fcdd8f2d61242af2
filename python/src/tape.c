// tape.c - core.Tape: what calls at once have done, for gradients.
//
// A thread has a list of tapes that note its calls. Whatever calls an op goes
// through berth_py_call_noted() when that list is not empty.
#include "core.h"

#include "berth/tape.h"

typedef struct tape {
  PyObject ob_base;
  berth_tape_t *tape;   // Owned; NULL: not yet begun.
  PyObject *context;    // Owned.
  PyObject *functions;  // Owned: a list, by token.
} tape_t;

enum { MOST_TAPES = 32 };

// The tapes that note what this thread does, outermost first. Borrowed: who
// pushes one holds it.
static _Thread_local struct {
  tape_t *items[MOST_TAPES];
  berth_tape_t *tapes[MOST_TAPES];
} noting;
_Thread_local int berth_py_noting;

static PyObject *tape_new(PyTypeObject *type, PyObject *args,
                          PyObject *kwargs) {
  PyObject *context = NULL;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "O!:Tape", &berth_py_context_type, &context)) {
    return NULL;
  }
  berth_error_t err = BERTH_ERROR_INIT;
  tape_t *self = (tape_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(context);
  self->context = context;
  self->functions = PyList_New(0);
  if (self->functions == NULL) {
    Py_DECREF(self);
    return NULL;
  }
  if (berth_tape_create(berth_py_context_handle(context), &self->tape, &err) !=
      BERTH_OK) {
    Py_DECREF(self);
    return berth_py_raise(&err);
  }
  return (PyObject *)self;
}

static int tape_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((tape_t *)self)->context);
  Py_VISIT(((tape_t *)self)->functions);
  return 0;
}

static int tape_clear(PyObject *self) {
  Py_CLEAR(((tape_t *)self)->functions);
  return 0;
}

static void tape_dealloc(PyObject *self) {
  tape_t *tape = (tape_t *)self;
  PyObject_GC_UnTrack(self);
  berth_tape_destroy(tape->tape);
  Py_XDECREF(tape->context);
  Py_XDECREF(tape->functions);
  Py_TYPE(self)->tp_free(self);
}

// ---- Noting ----

static PyObject *tape_push(PyObject *self, PyObject *unused) {
  (void)unused;
  if (berth_py_noting == MOST_TAPES) {
    PyErr_SetString(PyExc_RuntimeError, "too many tapes in each other");
    return NULL;
  }
  noting.items[berth_py_noting] = (tape_t *)self;
  noting.tapes[berth_py_noting++] = ((tape_t *)self)->tape;
  Py_INCREF(self);
  Py_RETURN_NONE;
}

static PyObject *tape_pop(PyObject *self, PyObject *unused) {
  (void)unused;
  int at = berth_py_noting - 1;
  while (at >= 0 && noting.items[at] != (tape_t *)self) --at;
  if (at < 0) Py_RETURN_FALSE;
  for (int i = at; i + 1 < berth_py_noting; ++i) {
    noting.items[i] = noting.items[i + 1];
    noting.tapes[i] = noting.tapes[i + 1];
  }
  --berth_py_noting;
  Py_DECREF(self);
  Py_RETURN_TRUE;
}

PyObject *berth_py_tapes(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyObject *list = PyList_New(berth_py_noting);
  for (int i = 0; list != NULL && i < berth_py_noting; ++i) {
    Py_INCREF(noting.items[i]);
    PyList_SET_ITEM(list, i, (PyObject *)noting.items[i]);
  }
  return list;
}

// NOLINTNEXTLINE(readability-function-size): as the call that it stands for.
berth_code_t berth_py_call_noted(berth_context_t *context, const char *op,
                                 const berth_op_t *description,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int count,
                                 berth_tensor_t **outputs, int *output_count,
                                 berth_error_t *err) {
  return berth_tape_call(context, noting.tapes, berth_py_noting, op,
                         description, device, inputs, count, outputs,
                         output_count, err);
}

static PyObject *tape_watch(PyObject *self, PyObject *object) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = berth_py_get_tensor(object);
  if (tensor == NULL) return NULL;
  if (berth_tape_watch(((tape_t *)self)->tape, tensor, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

// ---- Lists of tensors ----

typedef struct tensors {
  berth_tensor_t **items;  // Borrowed from |list|; NULL for None.
  int count;
  PyObject *list;  // Owned.
} tensors_t;

static void tensors_clear(tensors_t *tensors) {
  PyMem_Free(tensors->items);
  Py_CLEAR(tensors->list);
}

static bool tensors_read(PyObject *sequence, tensors_t *out) {
  *out = (tensors_t){0};
  out->list = PySequence_Tuple(sequence);
  if (out->list == NULL) return false;
  out->count = (int)PyTuple_GET_SIZE(out->list);
  out->items = PyMem_Calloc((size_t)out->count + 1, sizeof(*out->items));
  if (out->items == NULL) {
    PyErr_NoMemory();
    return false;
  }
  for (int i = 0; i < out->count; ++i) {
    PyObject *item = PyTuple_GET_ITEM(out->list, i);
    if (item == Py_None) continue;
    out->items[i] = berth_py_get_tensor(item);
    if (out->items[i] == NULL) return false;
  }
  return true;
}

// Returns |given|, with those that were replaced in |tensors|, whose references
// are taken over.
static PyObject *renewed(PyTypeObject *type, PyObject *given,
                         berth_tensor_t **tensors) {
  Py_ssize_t count = PyTuple_GET_SIZE(given);
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GET_ITEM(given, i);
    if (((berth_py_tensor_t *)item)->tensor == tensors[i]) {
      berth_tensor_release(tensors[i]);
      Py_INCREF(item);
    } else {
      item = berth_py_tensor_on(type, tensors[i],
                                ((berth_py_tensor_t *)item)->device);
      if (item == NULL) Py_CLEAR(list);
    }
    if (list != NULL) PyList_SET_ITEM(list, i, item);
  }
  return list;
}

static PyObject *note(tape_t *tape, PyObject *function, const tensors_t *in,
                      tensors_t *out) {
  berth_error_t err = BERTH_ERROR_INIT;
  bool is_noted = false;
  int64_t token = PyList_GET_SIZE(tape->functions);
  for (int i = 0; i < out->count; ++i) berth_tensor_retain(out->items[i]);
  berth_code_t code = berth_tape_note(tape->tape, token, in->items, in->count,
                                      out->items, out->count, &is_noted, &err);
  PyObject *list =
      renewed(berth_py_context_class(tape->context), out->list, out->items);
  if (code != BERTH_OK) {
    Py_CLEAR(list);
    return berth_py_raise(&err);
  }
  if (list != NULL && is_noted && PyList_Append(tape->functions, function) < 0)
    Py_CLEAR(list);
  return list;
}

// note(function, inputs, outputs): function(dys) gives the slopes.
static PyObject *tape_note(PyObject *self, PyObject *args) {
  PyObject *function, *inputs, *outputs, *result = NULL;
  if (!PyArg_ParseTuple(args, "OOO:note", &function, &inputs, &outputs)) {
    return NULL;
  }
  tensors_t in, out = {0};
  if (tensors_read(inputs, &in) && tensors_read(outputs, &out)) {
    result = note((tape_t *)self, function, &in, &out);
  }
  tensors_clear(&in);
  tensors_clear(&out);
  return result;
}

// ---- Slopes ----

typedef struct way_back {
  tape_t *tape;
  PyTypeObject *type;  // Of tensors.
} way_back_t;

static PyObject *tensor_of(PyTypeObject *type, berth_tensor_t *tensor) {
  if (tensor == NULL) Py_RETURN_NONE;
  return berth_py_tensor_new(type, berth_tensor_retain(tensor));
}

// Returns None, a tensor, or three of them.
static PyObject *slope_of(PyTypeObject *type, const berth_tape_slope_t *slope) {
  if (slope->indices == NULL) return tensor_of(type, slope->values);
  return Py_BuildValue("(NNN)", tensor_of(type, slope->values),
                       tensor_of(type, slope->indices),
                       tensor_of(type, slope->dense_shape));
}

static PyObject *slopes_list(PyTypeObject *type,
                             const berth_tape_slope_t *slopes, int count) {
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *item = slope_of(type, &slopes[i]);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  return list;
}

static bool read_one(PyObject *object, berth_tensor_t **out) {
  if (object == Py_None) return true;
  berth_tensor_t *tensor = berth_py_get_tensor(object);
  if (tensor == NULL) return false;
  *out = berth_tensor_retain(tensor);
  return true;
}

static bool read_slope(PyObject *object, berth_tape_slope_t *out) {
  if (!PyTuple_Check(object)) return read_one(object, &out->values);
  if (PyTuple_GET_SIZE(object) != 3) {
    PyErr_SetString(PyExc_ValueError, "a slope by rows has three parts");
    return false;
  }
  return read_one(PyTuple_GET_ITEM(object, 0), &out->values) &&
         read_one(PyTuple_GET_ITEM(object, 1), &out->indices) &&
         read_one(PyTuple_GET_ITEM(object, 2), &out->dense_shape);
}

static berth_code_t own_slopes(void *arg, int64_t token,
                               const berth_tape_slope_t *dy, int dy_count,
                               berth_tape_slope_t *dx, int dx_count,
                               berth_error_t *err) {
  way_back_t *way = arg;
  (void)err;
  PyGILState_STATE state = berth_py_call_in();
  PyObject *dys = slopes_list(way->type, dy, dy_count);
  PyObject *function = PyList_GetItem(way->tape->functions, (Py_ssize_t)token);
  PyObject *found = dys == NULL || function == NULL
                        ? NULL
                        : PyObject_CallFunctionObjArgs(function, dys, NULL);
  Py_XDECREF(dys);
  PyObject *items = found == NULL ? NULL : PySequence_Tuple(found);
  Py_XDECREF(found);
  bool ok = items != NULL;
  if (ok && PyTuple_GET_SIZE(items) != dx_count) {
    PyErr_Format(PyExc_ValueError, "%d slopes are needed, not %zd", dx_count,
                 PyTuple_GET_SIZE(items));
    ok = false;
  }
  for (int i = 0; ok && i < dx_count; ++i) {
    ok = read_slope(PyTuple_GET_ITEM(items, i), &dx[i]);
  }
  Py_XDECREF(items);
  berth_py_call_out(state);
  return ok ? BERTH_OK : BERTH_UNKNOWN;
}

static void slopes_release(berth_tape_slope_t *slopes, int count) {
  for (int i = 0; i < count; ++i) {
    berth_tensor_release(slopes[i].values);
    berth_tensor_release(slopes[i].indices);
    berth_tensor_release(slopes[i].dense_shape);
  }
}

// Goes back and returns a list of slopes.
static PyObject *go_back(tape_t *self, const tensors_t *ys,
                         const tensors_t *dys, const tensors_t *xs) {
  berth_tape_slope_t *slopes =
      PyMem_Calloc((size_t)xs->count + 1, sizeof(*slopes));
  if (slopes == NULL) return PyErr_NoMemory();
  way_back_t way = {self, berth_py_context_class(self->context)};
  berth_tape_wish_t wish = {.ys = ys->items,
                            .y_count = ys->count,
                            .dys = dys->items,
                            .xs = xs->items,
                            .x_count = xs->count,
                            .slopes = slopes,
                            .tapes = noting.tapes,
                            .tape_count = berth_py_noting,
                            .slopes_fn = own_slopes,
                            .arg = &way};
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *list = NULL;
  PyThreadState *saved = berth_py_leave();
  berth_code_t code = berth_tape_gradient(self->tape, &wish, &err);
  berth_py_return(saved);
  if (PyErr_Occurred()) {
    berth_error_clear(&err);
  } else if (code != BERTH_OK) {
    berth_py_raise(&err);
  } else {
    list = slopes_list(way.type, slopes, xs->count);
  }
  slopes_release(slopes, xs->count);
  PyMem_Free(slopes);
  return list;
}

// gradient(ys, dys, xs): what is None in |dys| is ones.
static PyObject *tape_gradient(PyObject *self, PyObject *args) {
  PyObject *y_list, *dy_list, *x_list, *result = NULL;
  if (!PyArg_ParseTuple(args, "OOO:gradient", &y_list, &dy_list, &x_list)) {
    return NULL;
  }
  tensors_t ys, dys = {0}, xs = {0};
  if (tensors_read(y_list, &ys) && tensors_read(dy_list, &dys) &&
      tensors_read(x_list, &xs)) {
    if (dys.count != ys.count) {
      PyErr_SetString(PyExc_ValueError, "as many slopes as targets");
    } else {
      result = go_back((tape_t *)self, &ys, &dys, &xs);
    }
  }
  tensors_clear(&ys);
  tensors_clear(&dys);
  tensors_clear(&xs);
  return result;
}

static PyMethodDef tape_methods[] = {
    {"push", tape_push, METH_NOARGS,
     "push()\n\nNotes what this thread calls from now on."},
    {"pop", tape_pop, METH_NOARGS,
     "pop()\n\nEnds that; False when it did not."},
    {"watch", tape_watch, METH_O,
     "watch(tensor)\n\nNotes what depends on a tensor."},
    {"note", tape_note, METH_VARARGS,
     "note(function, inputs, outputs)\n\nNotes a call of the program's own, "
     "whose slopes function(dys) gives, and returns its outputs."},
    {"gradient", tape_gradient, METH_VARARGS,
     "gradient(ys, dys, xs)\n\nReturns slopes: None, a tensor, or values, "
     "indices and shape."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_tape_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "berth._core.Tape",
    .tp_basicsize = sizeof(tape_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Tape(context)\n\nWhat calls at once have done, for gradients.",
    .tp_new = tape_new,
    .tp_traverse = tape_traverse,
    .tp_clear = tape_clear,
    .tp_dealloc = tape_dealloc,
    .tp_methods = tape_methods,
};
