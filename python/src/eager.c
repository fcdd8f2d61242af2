// eager.c - core.Context: ops called at once.
#include "core.h"
// After core.h, which includes Python.h.
#include <limits.h>

// ---- Descriptions: an op with its attributes, made once ----

typedef struct description {
  PyObject ob_base;
  PyObject *name;  // Owned, a str.
  berth_op_t *op;  // Owned; only read after it is made.
} description_t;

static PyObject *description_new(PyTypeObject *type, PyObject *args,
                                 PyObject *kwargs) {
  static char *names[] = {"op", "attrs", NULL};
  PyObject *name = NULL, *attrs = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|O:Description", names,
                                   &name, &attrs)) {
    return NULL;
  }
  const char *text = berth_py_text(name);
  if (text == NULL) return NULL;
  berth_op_t *op = berth_op_begin(NULL, text, NULL);
  description_t *self = NULL;
  if (attrs == NULL || attrs == Py_None ||
      berth_py_attrs_set(op, name, attrs)) {
    self = (description_t *)type->tp_alloc(type, 0);
  }
  if (self == NULL) {
    berth_op_abandon(op);
    return NULL;
  }
  Py_INCREF(name);
  self->name = name;
  self->op = op;
  return (PyObject *)self;
}

static void description_dealloc(PyObject *self) {
  berth_op_abandon(((description_t *)self)->op);
  Py_XDECREF(((description_t *)self)->name);
  Py_TYPE(self)->tp_free(self);
}

PyTypeObject berth_py_description_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Description",
    .tp_basicsize = sizeof(description_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "Description(op, attrs=None)\n\n"
        "An op with attributes, for any number of calls.",
    .tp_new = description_new,
    .tp_dealloc = description_dealloc,
};

// ---- Descriptions that were made before ----

// Most of them that are kept. Past that all are forgotten: who calls with ever
// new attributes gains nothing from keeping them.
#define CACHE_ROOM 1024

static PyObject *cache;  // {(op, name, value, …): Description}

// True for values that are equal exactly when attributes made of them are.
static bool is_plain(PyObject *value) {
  return PyLong_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value);
}

// Makes the key for |op| with |attrs|; NULL without an exception where there is
// none.
static PyObject *cache_key(PyObject *op, PyObject *attrs) {
  PyObject *key, *value;
  Py_ssize_t at = 0, i = 1;
  if (!PyDict_CheckExact(attrs)) return NULL;
  PyObject *tuple = PyTuple_New(1 + 2 * PyDict_GET_SIZE(attrs));
  if (tuple == NULL) return NULL;
  Py_INCREF(op);
  PyTuple_SET_ITEM(tuple, 0, op);
  while (PyDict_Next(attrs, &at, &key, &value)) {
    if (!is_plain(value)) {
      Py_DECREF(tuple);
      return NULL;
    }
    Py_INCREF(key);
    PyTuple_SET_ITEM(tuple, i++, key);
    Py_INCREF(value);
    PyTuple_SET_ITEM(tuple, i++, value);
  }
  return tuple;
}

// Returns a new reference to the description of |op| with |attrs|.
static PyObject *describe(PyObject *op, PyObject *attrs) {
  PyObject *key = cache_key(op, attrs);
  if (key == NULL && PyErr_Occurred()) return NULL;
  if (cache == NULL) cache = PyDict_New();
  PyObject *made = key != NULL && cache != NULL
                       ? PyDict_GetItemWithError(cache, key)  // Borrowed.
                       : NULL;
  if (made != NULL) {
    Py_INCREF(made);
  } else if (!PyErr_Occurred()) {
    made = PyObject_CallFunctionObjArgs((PyObject *)&berth_py_description_type,
                                        op, attrs, NULL);
    if (made != NULL && key != NULL) {
      if (PyDict_GET_SIZE(cache) >= CACHE_ROOM) PyDict_Clear(cache);
      if (PyDict_SetItem(cache, key, made) < 0) Py_CLEAR(made);
    }
  }
  Py_XDECREF(key);
  return made;
}

// ---- Contexts ----

typedef struct context {
  PyObject ob_base;
  berth_context_t *context;  // Owned.
  PyTypeObject *type;        // Owned: of the tensors that calls return.
  bool has_gpu;
  PyObject *names;  // Owned: a tuple of its devices' names; NULL: there is one.
} context_t;

static berth_context_t *context_open(PyObject *settings) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_context_t *context = NULL;
  if (!berth_py_config_read(settings, &config)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_context_create(&config, &context, &err);
  PyEval_RestoreThread(saved);
  berth_config_clear(&config);
  if (code != BERTH_OK) berth_py_raise(&err);
  return context;
}

// Keeps the names of the devices, if there is a choice.
static bool context_name(context_t *self) {
  int count = berth_context_device_count(self->context);
  if (count < 2 && self->names == NULL) return true;
  PyObject *names = PyTuple_New(count);
  bool has_gpu = false;
  for (int i = 0; names != NULL && i < count; ++i) {
    const char *name = berth_context_device_name(self->context, i);
    PyObject *text = PyUnicode_InternFromString(name);
    if (text == NULL) {
      Py_DECREF(names);
      return false;
    }
    PyTuple_SET_ITEM(names, i, text);
    has_gpu |= strstr(name, "/device:CPU:") == NULL;
  }
  if (names == NULL) return false;
  Py_XSETREF(self->names, names);
  self->has_gpu = has_gpu;
  return true;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args,
                             PyObject *kwargs) {
  static char *names[] = {"config", "tensor_class", NULL};
  PyObject *settings = NULL;
  PyTypeObject *tensor_type = &berth_py_tensor_type;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO!:Context", names,
                                   &settings, &PyType_Type, &tensor_type)) {
    return NULL;
  }
  if (!PyType_IsSubtype(tensor_type, &berth_py_tensor_type)) {
    PyErr_SetString(PyExc_TypeError, "tensor_class does not extend Tensor");
    return NULL;
  }
  berth_context_t *context = context_open(settings);
  if (context == NULL) return NULL;
  context_t *self = (context_t *)type->tp_alloc(type, 0);
  if (self == NULL) {
    berth_context_destroy(context);
    return NULL;
  }
  Py_INCREF(tensor_type);
  self->context = context;
  self->type = tensor_type;
  if (!context_name(self)) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static void context_dealloc(PyObject *self) {
  context_t *context = (context_t *)self;
  PyThreadState *saved = PyEval_SaveThread();
  berth_context_destroy(context->context);
  PyEval_RestoreThread(saved);
  Py_XDECREF(context->type);
  Py_XDECREF(context->names);
  Py_TYPE(self)->tp_free(self);
}

// Gives the process the GPUs that |settings|, a serialised ConfigProto, asks
// for, and the context those.
static PyObject *context_configure(PyObject *self, PyObject *settings) {
  berth_context_t *context = ((context_t *)self)->context;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  if (!berth_py_config_read(settings, &config)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_process_reconfigure(&config, &err);
  if (code == BERTH_OK) code = berth_context_refresh(context, &config, &err);
  PyEval_RestoreThread(saved);
  berth_config_clear(&config);
  if (code != BERTH_OK) {
    berth_py_raise(&err);
    return NULL;
  }
  if (!context_name((context_t *)self)) return NULL;
  Py_RETURN_NONE;
}

// ---- Calls ----

// What one call is given. Tensors are owned: lists may change during the call.
typedef struct call {
  berth_tensor_t *few[BERTH_PY_FEW];
  berth_tensor_t **inputs;
  int count, room;
} call_t;

static bool call_grow(call_t *call) {
  if (call->count < call->room) return true;
  int room = call->room * 2;
  bool is_few = call->inputs == call->few;
  berth_tensor_t **more = PyMem_Realloc(
      is_few ? NULL : call->inputs, (size_t)room * sizeof(berth_tensor_t *));
  if (more == NULL) {
    PyErr_NoMemory();
    return false;
  }
  if (is_few) memcpy(more, call->few, sizeof(call->few));
  call->inputs = more;
  call->room = room;
  return true;
}

static bool call_add(call_t *call, PyObject *item) {
  berth_tensor_t *tensor = berth_py_get_tensor(item);
  if (tensor == NULL || !call_grow(call)) return false;
  call->inputs[call->count++] = berth_tensor_retain(tensor);
  return true;
}

// Adds a tensor, or the tensors of a list.
static bool call_add_item(call_t *call, PyObject *item) {
  if (!PyList_Check(item)) return call_add(call, item);
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < PyList_GET_SIZE(item); ++i) {
    ok = call_add(call, PyList_GET_ITEM(item, i));
  }
  return ok;
}

// Takes the inputs of |sequence|; a list in it stands for its items.
static bool call_read(call_t *call, PyObject *sequence) {
  call->inputs = call->few;
  call->count = 0;
  call->room = BERTH_PY_FEW;
  PyObject *items = PySequence_Fast(sequence, "inputs come in a sequence");
  if (items == NULL) return false;
  bool ok = true;
  // Nothing in here calls Python, so that the lists stay as they are.
  for (Py_ssize_t i = 0; ok && i < PySequence_Fast_GET_SIZE(items); ++i) {
    ok = call_add_item(call, PySequence_Fast_GET_ITEM(items, i));
  }
  Py_DECREF(items);
  return ok;
}

static void call_clear(call_t *call) {
  for (int i = 0; i < call->count; ++i) berth_tensor_release(call->inputs[i]);
  if (call->inputs != call->few) PyMem_Free(call->inputs);
}

// As many outputs as most calls have.
#define OUTPUT_ROOM 64

// Calls |op|, or what |description| says, with room for |*count| outputs.
static berth_code_t call_once(const context_t *self, const call_t *call,
                              const char *op, const description_t *description,
                              const char *device, berth_tensor_t **outputs,
                              int *count, berth_error_t *err) {
  berth_code_t code;
  PyThreadState *saved = berth_py_leave();
  if (berth_py_noting > 0) {
    code = berth_py_call_noted(
        self->context, op, description == NULL ? NULL : description->op, device,
        call->inputs, call->count, outputs, count, err);
  } else if (description != NULL) {
    code = berth_eager_call_op(self->context, description->op, device,
                               call->inputs, call->count, outputs, count, err);
  } else {
    code = berth_eager_call(self->context, op, device, call->inputs,
                            call->count, outputs, count, err);
  }
  berth_py_return(saved);
  return code;
}

static PyObject *call_do(const context_t *self, const call_t *call,
                         const char *op, const description_t *description,
                         const char *device) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *some[OUTPUT_ROOM];
  berth_tensor_t **outputs = some;
  PyObject *list = NULL;
  int count = OUTPUT_ROOM;
  berth_code_t code =
      call_once(self, call, op, description, device, outputs, &count, &err);
  if (code != BERTH_OK && count > OUTPUT_ROOM) {
    // It was not called for want of room.
    berth_error_clear(&err);
    outputs = PyMem_Calloc((size_t)count, sizeof(*outputs));
    if (outputs == NULL) return PyErr_NoMemory();
    code =
        call_once(self, call, op, description, device, outputs, &count, &err);
  }
  if (berth_py_succeeded(code, &err, outputs, count)) {
    list = berth_py_tensors_list(self->type, outputs, count,
                                 berth_py_context_last((PyObject *)self));
  }
  if (outputs != some) PyMem_Free(outputs);
  return list;
}

// Calls |op|, a str or a Description, with |attrs| if they are not part of it.
static PyObject *call_op(const context_t *self, const call_t *call,
                         PyObject *op, PyObject *attrs, const char *device) {
  if (Py_TYPE(op) == &berth_py_description_type) {
    return call_do(self, call, NULL, (description_t *)op, device);
  }
  const char *name = NULL;
  if (!berth_py_read_text(op, &name)) return NULL;
  if (name == NULL) {
    PyErr_SetString(PyExc_TypeError, "call() needs an op");
    return NULL;
  }
  if (attrs == NULL || attrs == Py_None) {
    return call_do(self, call, name, NULL, device);
  }
  PyObject *made = describe(op, attrs);
  if (made == NULL) return NULL;
  PyObject *list = call_do(self, call, NULL, (description_t *)made, device);
  Py_DECREF(made);
  return list;
}

static PyObject *context_call(PyObject *self, PyObject *const *args,
                              Py_ssize_t count, PyObject *keywords) {
  static const char *const names[] = {"op", "device", "inputs", "attrs", NULL};
  PyObject *given[4];
  const char *device = NULL;
  if (!berth_py_args("call", names, args, count, keywords, given) ||
      !berth_py_read_text(given[1], &device)) {
    return NULL;
  }
  if (given[0] == NULL || given[2] == NULL) {
    PyErr_SetString(PyExc_TypeError, "call() needs op, device and inputs");
    return NULL;
  }
  call_t call;
  PyObject *list = NULL;
  if (call_read(&call, given[2])) {
    list = call_op((context_t *)self, &call, given[0], given[3], device);
  }
  call_clear(&call);
  return list;
}

static PyObject *context_copy(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  context_t *context = (context_t *)self;
  PyObject *object = NULL;
  const char *device = NULL;
  berth_tensor_t *copy = NULL;
  if (!PyArg_ParseTuple(args, "Os:copy", &object, &device)) return NULL;
  berth_tensor_t *tensor = berth_py_get_tensor(object);
  if (tensor == NULL) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code =
      berth_eager_copy(context->context, tensor, device, &copy, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return berth_py_tensor_new(context->type, copy);
}

static PyObject *context_handle_device(PyObject *self, PyObject *object) {
  const berth_tensor_t *tensor = berth_py_get_tensor(object);
  if (tensor == NULL) return NULL;
  const char *name =
      berth_context_handle_device(((context_t *)self)->context, tensor);
  if (name == NULL) Py_RETURN_NONE;
  return PyUnicode_FromString(name);
}

// ---- Sessions ----

berth_context_t *berth_py_context_handle(PyObject *context) {
  return ((context_t *)context)->context;
}

bool berth_py_context_is_quiet(PyObject *context) {
  return !((context_t *)context)->has_gpu;
}

PyObject *berth_py_context_last(PyObject *context) {
  const context_t *self = (context_t *)context;
  if (self->names == NULL) return NULL;
  int last = berth_context_last_device(self->context);
  // They change together, but not in one moment.
  return last > 0 && last < PyTuple_GET_SIZE(self->names)
             ? PyTuple_GET_ITEM(self->names, last)
             : NULL;
}

PyTypeObject *berth_py_context_class(PyObject *context) {
  return ((context_t *)context)->type;
}

// Opens a session on |graph|, a core.Graph, that prefers |device|, if any.
static berth_session_t *session_open(const context_t *self, PyObject *graph,
                                     const char *device) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_context_session(
      self->context, ((berth_py_graph_t *)graph)->graph, &session, &err);
  if (code == BERTH_OK && device != NULL) {
    code = berth_session_prefer_device(session, device, &err);
  }
  if (code != BERTH_OK) berth_session_destroy(session);
  PyEval_RestoreThread(saved);
  if (code == BERTH_OK) return session;
  berth_py_raise(&err);
  return NULL;
}

static PyObject *context_session(PyObject *self, PyObject *args) {
  PyObject *graph = NULL;
  const char *device = NULL;
  PyTypeObject *type = &berth_py_session_type;
  if (!PyArg_ParseTuple(args, "O!|z:session", &berth_py_graph_type, &graph,
                        &device)) {
    return NULL;
  }
  berth_session_t *session = session_open((context_t *)self, graph, device);
  if (session == NULL) return NULL;
  berth_py_session_t *made = (berth_py_session_t *)type->tp_alloc(type, 0);
  if (made == NULL) {
    berth_session_destroy(session);
    return NULL;
  }
  Py_INCREF(graph);
  Py_INCREF(self);
  made->graph = graph;
  made->context = self;
  made->session = session;
  return (PyObject *)made;
}

static PyObject *context_add_function(PyObject *self, PyObject *args) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  PyObject *graph = NULL;
  if (!PyArg_ParseTuple(args, "sO!:add_function", &name, &berth_py_graph_type,
                        &graph)) {
    return NULL;
  }
  if (berth_context_add_function(((context_t *)self)->context, name,
                                 ((berth_py_graph_t *)graph)->graph,
                                 &err) != BERTH_OK) {
    berth_py_raise(&err);
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *context_remove_function(PyObject *self, PyObject *name) {
  const char *text = PyUnicode_AsUTF8(name);
  if (text == NULL) return NULL;
  berth_context_remove_function(((context_t *)self)->context, text);
  Py_RETURN_NONE;
}

// ---- Looking and setting ----

static PyObject *context_devices(PyObject *self, void *arg) {
  (void)arg;
  const berth_context_t *context = ((context_t *)self)->context;
  int count = berth_context_device_count(context);
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *name =
        PyUnicode_FromString(berth_context_device_name(context, i));
    if (name == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, name);
    }
  }
  return list;
}

static PyObject *context_set_log(PyObject *self, PyObject *value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return NULL;
  berth_context_set_log_placement(((context_t *)self)->context, truth != 0);
  Py_RETURN_NONE;
}

static PyObject *context_set_soft(PyObject *self, PyObject *value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return NULL;
  berth_context_set_soft_placement(((context_t *)self)->context, truth != 0);
  Py_RETURN_NONE;
}

static PyObject *context_cache_size(PyObject *self, void *arg) {
  (void)arg;
  return PyLong_FromLong(
      berth_context_cache_size(((context_t *)self)->context));
}

static PyObject *context_set_cache_limit(PyObject *self, PyObject *value) {
  long count = PyLong_AsLong(value);
  if (count == -1 && PyErr_Occurred()) return NULL;
  if (count < 0 || count > INT_MAX) {
    PyErr_SetString(PyExc_ValueError, "a cache holds from 0 to 2**31 - 1");
    return NULL;
  }
  berth_context_t *context = ((context_t *)self)->context;
  PyThreadState *saved = PyEval_SaveThread();
  berth_context_set_cache_limit(context, (int)count);
  PyEval_RestoreThread(saved);
  Py_RETURN_NONE;
}

static PyMethodDef context_methods[] = {
    {"call", (PyCFunction)(void (*)(void))context_call,
     METH_FASTCALL | METH_KEYWORDS,
     "call(op, device, inputs, attrs=None)\n\n"
     "Calls an op, named or described, and returns a list of tensors. A device "
     "of None means wherever it is best."},
    {"copy", context_copy, METH_VARARGS,
     "copy(tensor, device)\n\nReturns the tensor on a device."},
    {"add_function", context_add_function, METH_VARARGS,
     "Lets ops call the function called name of a graph."},
    {"remove_function", context_remove_function, METH_O,
     "Forgets a function; what was made with it keeps it."},
    {"session", context_session, METH_VARARGS,
     "session(graph, device=None)\n\n"
     "Returns a session with the context's devices and variables, whose "
     "callables take and give tensors. What asks for no device runs on "
     "|device|, "
     "where it can."},
    {"handle_device", context_handle_device, METH_O,
     "handle_device(tensor)\n\n"
     "Returns the full name of the device of what a handle stands for, or "
     "None."},
    {"configure", context_configure, METH_O,
     "Gives the process and the context the GPUs that a serialised ConfigProto "
     "asks for, while they run."},
    {"set_cache_limit", context_set_cache_limit, METH_O,
     "Says how many kinds of calls are kept ready."},
    {"set_log_placement", context_set_log, METH_O,
     "Makes calls log their placement, or not."},
    {"set_soft_placement", context_set_soft, METH_O,
     "Lets calls run elsewhere than asked, or not."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef context_getters[] = {
    {"cache_size", context_cache_size, NULL, "Kinds of calls that are ready.",
     NULL},
    {"devices", context_devices, NULL, "Full names of its devices.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject berth_py_context_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Context",
    .tp_basicsize = sizeof(context_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "Context(config=None, tensor_class=Tensor)\n\n"
        "Calls ops at once; config is a serialised ConfigProto.",
    .tp_new = context_new,
    .tp_dealloc = context_dealloc,
    .tp_methods = context_methods,
    .tp_getset = context_getters,
};
