// callback.c - Python functions that BerthCallback ops call.
//
// A function gets a list of core.Tensor and returns a sequence of tensors or
// arrays, one for each output. What it raises ends the run: core.Error, and an
// exception with an `error_code`, keep their code, any other becomes UNKNOWN.
// KeyboardInterrupt goes through to whoever called run(): it was meant for the
// run.
#include "core.h"

static PyObject *functions;  // A list: what was ever registered.

static PyObject *inputs_list(const berth_host_call_t *call) {
  int count = berth_host_call_input_count(call);
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *tensor = berth_py_tensor_new(
        &berth_py_tensor_type,
        berth_tensor_retain(berth_host_call_input(call, i)));
    if (tensor == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, tensor);
    }
  }
  return list;
}

// Most outputs that a callback can have.
#define OUTPUT_ROOM 256

// Reads what the function returned; how many, or -1.
static int outputs_read(PyObject *returned, berth_tensor_t **outputs) {
  PyObject *items = berth_py_items(returned, "a callback returns a sequence");
  if (items == NULL) return -1;
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  if (count > OUTPUT_ROOM) {
    PyErr_Format(PyExc_ValueError, "a callback returned %zd values", count);
    count = -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    outputs[i] =
        berth_py_read_tensor(PyTuple_GET_ITEM(items, i), BERTH_INVALID, false);
    if (outputs[i] != NULL) continue;
    while (i > 0) berth_tensor_release(outputs[--i]);
    count = -1;
  }
  Py_DECREF(items);
  return (int)count;
}

// Calls |function| with the inputs of |call|; how many outputs, or -1.
static int outputs_make(const berth_host_call_t *call, PyObject *function,
                        berth_tensor_t **outputs) {
  PyObject *inputs = inputs_list(call);
  if (inputs == NULL) return -1;
  PyObject *returned = PyObject_CallFunctionObjArgs(function, inputs, NULL);
  int count = returned != NULL ? outputs_read(returned, outputs) : -1;
  Py_XDECREF(returned);
  Py_DECREF(inputs);
  return count;
}

// Makes outputs, or describes what was raised: |*out_code|, and a new bytes
// object, or NULL where the exception stays set. |is_python|: this thread
// called run().
static PyObject *outputs_try(const berth_host_call_t *call, PyObject *function,
                             bool is_python, berth_tensor_t **outputs,
                             int *out_count, berth_code_t *out_code) {
  *out_code = BERTH_CANCELLED;
  *out_count = 0;
  // A signal may have ended the run already.
  if (PyErr_Occurred()) return NULL;
  int count = outputs_make(call, function, outputs);
  if (count >= 0) {
    *out_code = BERTH_OK;
    *out_count = count;
    return NULL;
  }
  bool stays = is_python && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  return stays ? NULL : berth_py_error_take(out_code);
}

static void call_function(berth_host_call_t *call, void *arg) {
  bool is_python = PyGILState_GetThisThreadState() != NULL;
  PyGILState_STATE state = berth_py_call_in();
  berth_tensor_t *outputs[OUTPUT_ROOM];
  berth_code_t code = BERTH_OK;
  int count = 0;
  PyObject *text = outputs_try(call, arg, is_python, outputs, &count, &code);
  const char *message =
      text != NULL ? PyBytes_AS_STRING(text) : "Run call was cancelled";
  PyThreadState *saved = PyEval_SaveThread();
  berth_host_call_finish(call, code, message, outputs, count);
  PyEval_RestoreThread(saved);
  Py_XDECREF(text);
  berth_py_call_out(state);
}

static PyObject *core_register_callback(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *token = NULL, *function = NULL;
  if (!PyArg_ParseTuple(args, "UO:register_callback", &token, &function)) {
    return NULL;
  }
  const char *name = berth_py_text(token);
  if (name == NULL) return NULL;
  bool remove = function == Py_None;
  // Functions are never dropped: a run may be about to call one.
  if (functions == NULL) functions = PyList_New(0);
  if (functions == NULL ||
      (!remove && PyList_Append(functions, function) < 0)) {
    return NULL;
  }
  if (berth_host_register(name, remove ? NULL : call_function, function,
                          &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  Py_RETURN_NONE;
}

PyMethodDef berth_py_callback_methods[] = {
    {"register_callback", core_register_callback, METH_VARARGS,
     "register_callback(token, function)\n\n"
     "Makes BerthCallback ops with that token call function(list of tensors), "
     "which returns a sequence of values; None removes it."},
    {NULL, NULL, 0, NULL}};
