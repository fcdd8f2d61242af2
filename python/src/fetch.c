// fetch.c - The form of what Session.run is asked for: flat and back.
//
// A form is the fetches as a row of steps, each container before its items:
//
//   {'a': x, 'b': [x, op]}  ->  dict 2 ('a', 'b'), leaf 0, list 2, leaf 0, none
//
// It is made anew in every call, so that containers may change between calls,
// and holds all that building the results needs, so that they may change
// during one. A tensor that is asked for twice is run, and made an array, once.
//
// What is left to Python: containers of other classes, anything that is no
// element of the graph, and forms that are very large, as a list that holds
// itself is.
#include "core.h"

enum {
  STEP_NONE,  // An operation: it has no result.
  STEP_LEAF,
  STEP_LIST,
  STEP_TUPLE,
  STEP_NAMED,  // A class that extends tuple, as namedtuples do.
  STEP_DICT,
  STEP_ORDERED,
};

// ---- Elements of the graph ----

// Asks the graph for the element called |name| and keeps the answer: a graph
// only grows, and what has a name has it for good.
static PyObject *named_ref(const berth_py_elements_t *self, PyObject *name) {
  PyObject *found = PyDict_GetItemWithError(self->names, name);  // Borrowed.
  if (found != NULL) {
    Py_INCREF(found);
    return found;
  }
  found = PyObject_CallMethod(self->graph, "as_graph_element", "O", name);
  if (found != NULL && PyDict_SetItem(self->names, name, found) < 0) {
    Py_CLEAR(found);
  }
  return found;
}

// Returns what a variable, for instance, stands for.
static PyObject *wrapped_ref(PyObject *object) {
  static PyObject *method;
  if (method == NULL) method = PyUnicode_InternFromString("_as_graph_element");
  if (method == NULL || PyType_Check(object)) return NULL;
  return PyObject_CallMethodNoArgs(object, method);
}

bool berth_py_element_find(const berth_py_elements_t *self, PyObject *object,
                           berth_out_t *out) {
  // Numbers are asked for by mistake, and by nothing else.
  if (object == Py_None || PyLong_Check(object) || PyFloat_Check(object)) {
    return false;
  }
  PyObject *found = PyUnicode_CheckExact(object) ? named_ref(self, object)
                                                 : wrapped_ref(object);
  bool ok = found != NULL && PyObject_TypeCheck(found, &berth_py_ref_type) &&
            berth_py_element_of(self, found, out);
  Py_XDECREF(found);
  if (!ok) berth_py_pass();
  return ok;
}

// ---- Fetches to a form ----

static berth_py_step_t *step_add(berth_py_form_t *form, int kind) {
  if (form->step_count == BERTH_PY_FORM) return NULL;
  berth_py_step_t *step = &form->steps[form->step_count++];
  *step = (berth_py_step_t){.kind = kind};
  return step;
}

// Returns the place of |out| among the results.
static int place_of(berth_py_form_t *form, berth_out_t out) {
  for (int i = 0; i < form->fetch_count; ++i) {
    if (form->fetches[i].node == out.node &&
        form->fetches[i].index == out.index) {
      return i;
    }
  }
  form->fetches[form->fetch_count] = out;
  return form->fetch_count++;
}

static bool add_element(const berth_py_elements_t *elements, PyObject *fetch,
                        berth_py_form_t *form) {
  berth_out_t out;
  if (!berth_py_element(elements, fetch, &out)) return false;
  berth_py_step_t *step = step_add(form, out.index < 0 ? STEP_NONE : STEP_LEAF);
  if (step == NULL) return false;
  if (out.index < 0) {
    form->targets[form->target_count++] = out.node;
  } else {
    step->at = place_of(form, out);
  }
  return true;
}

static bool add_any(const berth_py_elements_t *elements, PyObject *fetch,
                    berth_py_form_t *form);

// A list may change while its items are read: a name is looked up in Python.
static bool add_sequence(const berth_py_elements_t *elements, PyObject *fetch,
                         berth_py_form_t *form) {
  bool is_list = PyList_CheckExact(fetch);
  berth_py_step_t *step = step_add(form, is_list ? STEP_LIST : STEP_TUPLE);
  if (step == NULL) return false;
  if (!is_list && !PyTuple_CheckExact(fetch)) {
    step->kind = STEP_NAMED;
    step->extra = (PyObject *)Py_TYPE(fetch);
    Py_INCREF(step->extra);
  }
  step->count = Py_SIZE(fetch);
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < step->count; ++i) {
    if (i >= Py_SIZE(fetch)) return false;
    PyObject *item = PySequence_Fast_ITEMS(fetch)[i];
    Py_INCREF(item);
    ok = add_any(elements, item, form);
    Py_DECREF(item);
  }
  return ok && step->count == Py_SIZE(fetch);
}

static bool add_dict(const berth_py_elements_t *elements, PyObject *fetch,
                     berth_py_form_t *form) {
  berth_py_step_t *step = step_add(form, STEP_DICT);
  if (step == NULL) return false;
  Py_ssize_t size = PyDict_GET_SIZE(fetch), at = 0;
  PyObject *key, *value;
  bool ok = (step->extra = PyTuple_New(size)) != NULL;
  while (ok && PyDict_Next(fetch, &at, &key, &value)) {
    // As above, it may change.
    ok = step->count < size;
    if (!ok) break;
    Py_INCREF(key);
    PyTuple_SET_ITEM(step->extra, step->count++, key);
    Py_INCREF(value);
    ok = add_any(elements, value, form);
    Py_DECREF(value);
  }
  berth_py_pass();
  return ok && step->count == size && PyDict_GET_SIZE(fetch) == size;
}

// An OrderedDict has an order of its own, which PyDict_Next() does not follow.
static bool add_ordered(const berth_py_elements_t *elements, PyObject *fetch,
                        berth_py_form_t *form) {
  berth_py_step_t *step = step_add(form, STEP_ORDERED);
  if (step == NULL) return false;
  step->extra = PySequence_Tuple(fetch);
  bool ok = step->extra != NULL;
  step->count = ok ? PyTuple_GET_SIZE(step->extra) : 0;
  for (Py_ssize_t i = 0; ok && i < step->count; ++i) {
    PyObject *key = PyTuple_GET_ITEM(step->extra, i);
    PyObject *value = PyDict_GetItemWithError(fetch, key);
    ok = value != NULL;
    Py_XINCREF(value);
    ok = ok && add_any(elements, value, form);
    Py_XDECREF(value);
  }
  berth_py_pass();
  return ok && step->count == PyDict_GET_SIZE(fetch);
}

static bool add_any(const berth_py_elements_t *elements, PyObject *fetch,
                    berth_py_form_t *form) {
  if (PyList_CheckExact(fetch) || PyTuple_Check(fetch)) {
    return add_sequence(elements, fetch, form);
  }
  if (PyDict_CheckExact(fetch)) return add_dict(elements, fetch, form);
  if (PyODict_CheckExact(fetch)) {
    return add_ordered(elements, fetch, form);
  }
  return add_element(elements, fetch, form);
}

bool berth_py_form_read(const berth_py_elements_t *elements, PyObject *fetches,
                        berth_py_form_t *form) {
  form->step_count = form->fetch_count = form->target_count = 0;
  return add_any(elements, fetches, form);
}

void berth_py_form_clear(berth_py_form_t *form) {
  for (int i = 0; i < form->step_count; ++i) Py_XDECREF(form->steps[i].extra);
  form->step_count = 0;
}

// ---- A form to results ----

static PyObject *build(const berth_py_form_t *form, PyObject *const *values,
                       int *at);

static PyObject *build_list(const berth_py_form_t *form, Py_ssize_t count,
                            PyObject *const *values, int *at) {
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
    PyObject *item = build(form, values, at);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  return list;
}

static PyObject *build_tuple(const berth_py_form_t *form,
                             const berth_py_step_t *step,
                             PyObject *const *values, int *at) {
  PyObject *tuple = PyTuple_New(step->count);
  for (Py_ssize_t i = 0; tuple != NULL && i < step->count; ++i) {
    PyObject *item = build(form, values, at);
    if (item == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SET_ITEM(tuple, i, item);
    }
  }
  if (tuple == NULL || step->extra == NULL) return tuple;
  PyObject *named = PyObject_Call(step->extra, tuple, NULL);
  Py_DECREF(tuple);
  return named;
}

static PyObject *build_dict(const berth_py_form_t *form,
                            const berth_py_step_t *step,
                            PyObject *const *values, int *at) {
  bool is_plain = step->kind == STEP_DICT;
  PyObject *dict = is_plain ? PyDict_New() : PyODict_New();
  for (Py_ssize_t i = 0; dict != NULL && i < step->count; ++i) {
    PyObject *key = PyTuple_GET_ITEM(step->extra, i);
    PyObject *item = build(form, values, at);
    if (item == NULL || (is_plain ? PyDict_SetItem(dict, key, item)
                                  : PyODict_SetItem(dict, key, item)) < 0) {
      Py_CLEAR(dict);
    }
    Py_XDECREF(item);
  }
  return dict;
}

static PyObject *build(const berth_py_form_t *form, PyObject *const *values,
                       int *at) {
  const berth_py_step_t *step = &form->steps[(*at)++];
  switch (step->kind) {
    case STEP_LEAF:
      Py_INCREF(values[step->at]);
      return values[step->at];
    case STEP_LIST:
      return build_list(form, step->count, values, at);
    case STEP_TUPLE:
    case STEP_NAMED:
      return build_tuple(form, step, values, at);
    case STEP_DICT:
    case STEP_ORDERED:
      return build_dict(form, step, values, at);
    default:
      Py_RETURN_NONE;
  }
}

PyObject *berth_py_form_build(const berth_py_form_t *form,
                              berth_tensor_t **results) {
  PyObject *values[BERTH_PY_FORM];
  int made = 0, next = 0, at = 0;
  PyObject *built = NULL;
  values[0] = NULL;
  while (next < form->fetch_count && made == next) {
    values[made] = berth_py_array_of(results[next++]);
    made += values[made] != NULL;
  }
  while (next < form->fetch_count) berth_tensor_release(results[next++]);
  if (made == form->fetch_count) built = build(form, values, &at);
  while (made > 0) Py_DECREF(values[--made]);
  return built;
}
