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

const char *berth_py_text(PyObject *object) {
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "expected str, not %s",
                 Py_TYPE(object)->tp_name);
    return NULL;
  }
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == NULL || strlen(text) == (size_t)size) return text;
  PyErr_SetString(PyExc_ValueError, "embedded null character");
  return NULL;
}

bool berth_py_read_text(PyObject *object, const char **out) {
  *out = NULL;
  if (object == NULL || object == Py_None) return true;
  if (PyBytes_Check(object)) {
    char *bytes = NULL;
    // Without a size it refuses NULs.
    if (PyBytes_AsStringAndSize(object, &bytes, NULL) == 0) *out = bytes;
  } else {
    *out = berth_py_text(object);
  }
  return *out != NULL;
}

PyObject *berth_py_items(PyObject *sequence, const char *what) {
  PyObject *items = PySequence_Fast(sequence, what);
  if (items == NULL || PyTuple_Check(items)) return items;
  PyObject *tuple = PyList_AsTuple(items);
  Py_DECREF(items);
  return tuple;
}

// ---- Parameters with names ----

static int name_at(const berth_py_names_t *names, PyObject *name) {
  for (int i = 0; i < names->count; ++i) {
    if (names->items[i] == name) return i;
  }
  for (int i = 0; i < names->count; ++i) {
    if (PyUnicode_Compare(names->items[i], name) == 0) return i;
  }
  return -1;
}

bool berth_py_args_sort(const berth_py_names_t *names, PyObject *const *args,
                        Py_ssize_t given, PyObject *keywords,
                        PyObject **slots) {
  if (given > names->count) return false;
  for (int i = 0; i < names->count; ++i) slots[i] = i < given ? args[i] : NULL;
  Py_ssize_t count = keywords != NULL ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    int at = name_at(names, PyTuple_GET_ITEM(keywords, i));
    if (at < 0 || slots[at] != NULL) return false;
    slots[at] = args[given + i];
  }
  return true;
}

bool berth_py_names_read(PyObject *sequence, berth_py_names_t *out) {
  out->count = 0;
  if (!PyTuple_Check(sequence) ||
      PyTuple_GET_SIZE(sequence) > BERTH_PY_MOST_PARAMETERS) {
    PyErr_Format(PyExc_ValueError, "a tuple of up to %d parameters is needed",
                 BERTH_PY_MOST_PARAMETERS);
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence); ++i) {
    PyObject *name = PyTuple_GET_ITEM(sequence, i);
    if (berth_py_text(name) == NULL) return false;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    out->items[out->count++] = name;
  }
  return true;
}

void berth_py_names_clear(berth_py_names_t *names) {
  for (int i = 0; i < names->count; ++i) Py_CLEAR(names->items[i]);
  names->count = 0;
}

// ---- Objects that stand for functions ----

PyObject *berth_py_bind(PyObject *self, PyObject *object, PyObject *type) {
  (void)type;
  if (object != NULL && object != Py_None) return PyMethod_New(self, object);
  Py_INCREF(self);
  return self;
}

PyObject *berth_py_reduce(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyObject_GetAttrString(self, "__qualname__");
}
