// error.c - Codes of Berth to exceptions of Python, and back.
#include "core.h"

#define CODE_COUNT (BERTH_UNAUTHENTICATED + 1)

static PyObject *error_class;          // core.Error.
static PyObject *classes[CODE_COUNT];  // Set by Python; NULL: core.Error.

int berth_py_error_init(PyObject *module) {
  // An import may be repeated; errors stay what they were.
  if (error_class == NULL) {
    error_class = PyErr_NewExceptionWithDoc(
        "berth._core.Error",
        "A failure of Berth: `code` is its number, `message` its text.", NULL,
        NULL);
  }
  if (error_class == NULL) return -1;
  Py_INCREF(error_class);
  return PyModule_AddObject(module, "Error", error_class);
}

PyObject *berth_py_set_error_class(PyObject *module, PyObject *args) {
  (void)module;
  int code = 0;
  PyObject *type = NULL;
  if (!PyArg_ParseTuple(args, "iO:set_error_class", &code, &type)) return NULL;
  if (code <= 0 || code >= CODE_COUNT || !PyCallable_Check(type)) {
    PyErr_SetString(PyExc_ValueError,
                    "set_error_class takes a code of 1 to 16 and a class");
    return NULL;
  }
  Py_INCREF(type);
  Py_XSETREF(classes[code], type);
  Py_RETURN_NONE;
}

// Makes core.Error, with the attributes that Python's classes have of their
// own.
static PyObject *plain_error(berth_code_t code, PyObject *text) {
  PyObject *error = PyObject_CallFunctionObjArgs(error_class, text, NULL);
  PyObject *number = PyLong_FromLong((long)code);
  if (error == NULL || number == NULL ||
      PyObject_SetAttrString(error, "code", number) < 0 ||
      PyObject_SetAttrString(error, "message", text) < 0) {
    Py_CLEAR(error);
  }
  Py_XDECREF(number);
  return error;
}

static PyObject *make_error(berth_code_t code, PyObject *text) {
  PyObject *type = code < CODE_COUNT ? classes[code] : NULL;
  if (type == NULL) return plain_error(code, text);
  return PyObject_CallFunctionObjArgs(type, Py_None, Py_None, text, NULL);
}

PyObject *berth_py_raise(berth_error_t *err) {
  if (!PyErr_Occurred()) {
    const char *message = berth_error_message(err);
    PyObject *text =
        PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *error = text != NULL ? make_error(err->code, text) : NULL;
    if (error != NULL) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(text);
  }
  berth_error_clear(err);
  return NULL;
}

// Returns the number that |value| has as |name|, or 0.
static long number_of(PyObject *value, const char *name) {
  PyObject *number = PyObject_GetAttrString(value, name);
  long code = number != NULL ? PyLong_AsLong(number) : 0;
  Py_XDECREF(number);
  PyErr_Clear();
  return code > 0 && code < CODE_COUNT ? code : 0;
}

void berth_py_pass(void) {
  if (PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
}

PyObject *berth_py_error_take(berth_code_t *out_code) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  // Others have a `code` that means something else: SystemExit.
  bool is_own = PyObject_IsInstance(value, error_class) == 1;
  long code = number_of(value, is_own ? "code" : "error_code");
  *out_code = code != 0 ? (berth_code_t)code : BERTH_UNKNOWN;
  PyObject *text = PyObject_Str(value);
  PyObject *bytes = NULL;
  if (text != NULL && code != 0) bytes = PyUnicode_AsUTF8String(text);
  if (text != NULL && code == 0) {
    PyObject *line =
        PyUnicode_FromFormat("%s: %U", Py_TYPE(value)->tp_name, text);
    bytes = line != NULL ? PyUnicode_AsUTF8String(line) : NULL;
    Py_XDECREF(line);
  }
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Clear();
  return bytes != NULL ? bytes : PyBytes_FromString("the callback failed");
}
