// args.c - Arguments and texts, as all methods take and give them.
#include <string.h>

#include "core.h"

static bool place_keyword(const char *function, const char *const *names,
                          PyObject *keyword, PyObject *value, PyObject **out) {
  for (int i = 0; names[i] != NULL; ++i) {
    if (PyUnicode_CompareWithASCIIString(keyword, names[i]) != 0) continue;
    if (out[i] != NULL) {
      PyErr_Format(PyExc_TypeError,
                   "%s() got multiple values for argument '%s'", function,
                   names[i]);
      return false;
    }
    out[i] = value;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
               function, keyword);
  return false;
}

bool berth_py_args(const char *function, const char *const *names,
                   PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                   PyObject **out) {
  Py_ssize_t room = 0;
  while (names[room] != NULL) out[room++] = NULL;
  if (count > room) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arguments, not %zd",
                 function, room, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) out[i] = args[i];
  Py_ssize_t named = keywords != NULL ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (!place_keyword(function, names, PyTuple_GET_ITEM(keywords, i),
                       args[count + i], out)) {
      return false;
    }
  }
  return true;
}

PyObject *berth_py_bytes_take(void *bytes, size_t size) {
  PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
  berth_text_free(bytes);
  return result;
}

PyObject *berth_py_text_take(char *text) {
  PyObject *result =
      PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  berth_text_free(text);
  return result;
}

bool berth_py_read_text(PyObject *object, const char **out) {
  *out = NULL;
  if (object == NULL || object == Py_None) return true;
  if (PyUnicode_Check(object)) {
    *out = PyUnicode_AsUTF8(object);
  } else if (PyBytes_Check(object)) {
    *out = PyBytes_AS_STRING(object);
  } else {
    PyErr_Format(PyExc_TypeError, "expected str, not %s",
                 Py_TYPE(object)->tp_name);
  }
  return *out != NULL;
}
