// gradients.c - Graph.gradients(): slopes, made under the names of Python.
//
// The library walks back through the graph and has a rule for each op; a
// graph of Python says what new nodes are called, where they go and what they
// wait for, by methods of its own:
//
//   _emit_name(op, name)            the name of a new node
//   _emit_plain()                   True when nothing below is needed
//   _emit_where(op, name, inputs, waits)
//                                   (inputs, device, controls, groups); |waits|
//                                   are nodes that it waits for in any case
//   _emit_done(node)                it has been made
//   _emit_push(name, node, is_free), _emit_pop()
//   _emit_slopes(node, dys)         slopes by a function of the program's, or
//                                   None
#include "core.h"

#include "berth/grad.h"

enum { MOST_BEGUN = 64 };

// An op that is being made.
typedef struct begun {
  PyObject *op, *name;
} begun_t;

typedef struct emission {
  PyObject *owner;  // Of the methods.
  berth_graph_t *graph;
  // What an op needs may be made between its begin and its end.
  begun_t begun[MOST_BEGUN];
  int depth;
  bool is_plain;
} emission_t;

// Says that Python has raised something; who called the library raises it.
static berth_code_t raised(berth_error_t *err) {
  (void)err;
  return BERTH_UNKNOWN;
}

static void begun_clear(begun_t *begun) {
  Py_CLEAR(begun->op);
  Py_CLEAR(begun->name);
}

static berth_op_t *emit_begin(void *arg, const char *op, const char *name) {
  emission_t *e = arg;
  if (e->depth == MOST_BEGUN) {
    PyErr_SetString(PyExc_RecursionError, "too many ops in each other");
    return berth_op_begin_exact(e->graph, op, "lost");
  }
  begun_t *begun = &e->begun[e->depth++];
  begun->op = PyUnicode_FromString(op);
  begun->name = PyErr_Occurred()
                    ? NULL
                    : PyObject_CallMethod(e->owner, "_emit_name", "Os",
                                          begun->op, name == NULL ? op : name);
  const char *text = begun->name == NULL ? NULL : PyUnicode_AsUTF8(begun->name);
  return berth_op_begin_exact(e->graph, op, text == NULL ? "lost" : text);
}

// Returns inputs as Python has them: pairs, and lists of pairs.
static PyObject *inputs_list(const berth_out_t *inputs, const int *counts,
                             int count) {
  PyObject *list = PyList_New(0);
  for (int i = 0, at = 0; list != NULL && i < count; ++i) {
    PyObject *item;
    if (counts[i] < 0) {
      item = Py_BuildValue("(ii)", inputs[at].node, inputs[at].index);
      at += 1;
    } else {
      item = berth_py_outs_list(inputs + at, counts[i]);
      at += counts[i];
    }
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

// Returns the nodes that |op| waits for so far.
static PyObject *waits_list(const berth_op_t *op) {
  int count;
  const berth_node_id_t *nodes = berth_op_controls(op, &count);
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *item = PyLong_FromLong(nodes[i]);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  return list;
}

static bool put_inputs(berth_op_t *op, PyObject *list) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject *item = PyList_GET_ITEM(list, i);
    if (PyList_Check(item)) {
      berth_py_outs_t outs;
      bool ok = berth_py_outs_read(item, &outs);
      if (ok) berth_op_input_list(op, outs.items, outs.count);
      berth_py_outs_clear(&outs);
      if (!ok) return false;
    } else {
      berth_out_t out;
      if (!berth_py_read_out(item, &out)) return false;
      berth_op_input(op, out);
    }
  }
  return true;
}

static bool put_groups(berth_op_t *op, PyObject *groups) {
  if (groups == Py_None) return true;
  PyObject *attrs = Py_BuildValue("{sO}", "_class", groups);
  PyObject *type = PyUnicode_FromString("NoOp");
  bool ok =
      attrs != NULL && type != NULL && berth_py_attrs_set(op, type, attrs);
  Py_XDECREF(attrs);
  Py_XDECREF(type);
  return ok;
}

// Asks Python where the op goes, and what its inputs are there.
static bool place(emission_t *e, berth_op_t *op, const berth_out_t *inputs,
                  const int *counts, int count) {
  const begun_t *begun = &e->begun[e->depth - 1];
  PyObject *list = inputs_list(inputs, counts, count);
  PyObject *waits = list == NULL ? NULL : waits_list(op);
  PyObject *where =
      waits == NULL ? NULL
                    : PyObject_CallMethod(e->owner, "_emit_where", "OOOO",
                                          begun->op, begun->name, list, waits);
  Py_XDECREF(list);
  Py_XDECREF(waits);
  PyObject *found = NULL, *controls = NULL, *groups = NULL;
  const char *device = NULL;
  bool ok =
      where != NULL && PyArg_ParseTuple(where, "O!zOO", &PyList_Type, &found,
                                        &device, &controls, &groups);
  ok = ok && put_inputs(op, found) && put_groups(op, groups);
  if (ok && device != NULL) berth_op_device(op, device);
  berth_py_nodes_t nodes;
  if (ok && (ok = berth_py_nodes_read(controls, &nodes))) {
    for (int i = 0; i < nodes.count; ++i) berth_op_control(op, nodes.items[i]);
    berth_py_nodes_clear(&nodes);
  }
  Py_XDECREF(where);
  return ok;
}

static void put_plain(berth_op_t *op, const berth_out_t *inputs,
                      const int *counts, int count) {
  for (int i = 0, at = 0; i < count; ++i) {
    if (counts[i] < 0) {
      berth_op_input(op, inputs[at++]);
    } else {
      berth_op_input_list(op, inputs + at, counts[i]);
      at += counts[i];
    }
  }
}

static berth_code_t emit_finish(void *arg, berth_op_t *op,
                                const berth_out_t *inputs, const int *counts,
                                int count, berth_node_id_t *out_node,
                                berth_error_t *err) {
  emission_t *e = arg;
  bool ok = !PyErr_Occurred() && e->depth > 0;
  if (ok && e->is_plain) {
    put_plain(op, inputs, counts, count);
  } else if (ok) {
    ok = place(e, op, inputs, counts, count);
  }
  if (e->depth > 0) begun_clear(&e->begun[--e->depth]);
  if (!ok) {
    berth_op_abandon(op);
    return raised(err);
  }
  berth_code_t code = berth_op_try_finish(op, out_node, err);
  if (code != BERTH_OK || e->is_plain) return code;
  PyObject *done =
      PyObject_CallMethod(e->owner, "_emit_done", "i", (int)*out_node);
  Py_XDECREF(done);
  return done == NULL ? raised(err) : BERTH_OK;
}

static berth_code_t emit_push(void *arg, const char *name, berth_node_id_t node,
                              bool is_free, berth_error_t *err) {
  emission_t *e = arg;
  PyObject *plain =
      PyObject_CallMethod(e->owner, "_emit_push", "ziO", name, (int)node,
                          is_free ? Py_True : Py_False);
  if (plain == NULL) return raised(err);
  e->is_plain = plain == Py_True;
  Py_DECREF(plain);
  return BERTH_OK;
}

static void emit_pop(void *arg) {
  emission_t *e = arg;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *plain = PyObject_CallMethod(e->owner, "_emit_pop", NULL);
  e->is_plain = plain == Py_True;
  Py_XDECREF(plain);
  if (plain == NULL) PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

// ---- Slopes ----

// Returns a slope as Python has it: None, a pair, or three of them.
static PyObject *slope_of(const berth_slope_t *slope) {
  if (slope->values.node < 0) Py_RETURN_NONE;
  if (slope->indices.node < 0) {
    return Py_BuildValue("(ii)", slope->values.node, slope->values.index);
  }
  PyObject *sizes = Py_None;
  if (slope->dense_shape.node >= 0) {
    sizes = Py_BuildValue("(ii)", slope->dense_shape.node,
                          slope->dense_shape.index);
  } else {
    Py_INCREF(sizes);
  }
  if (sizes == NULL) return NULL;
  return Py_BuildValue("((ii)(ii)N)", slope->values.node, slope->values.index,
                       slope->indices.node, slope->indices.index, sizes);
}

static bool read_slope(PyObject *object, berth_slope_t *out) {
  berth_out_t none = {BERTH_NO_NODE, 0};
  *out = (berth_slope_t){none, none, none};
  if (object == Py_None) return true;
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 3) {
    return berth_py_read_out(object, &out->values);
  }
  PyObject *sizes = PyTuple_GET_ITEM(object, 2);
  return berth_py_read_out(PyTuple_GET_ITEM(object, 0), &out->values) &&
         berth_py_read_out(PyTuple_GET_ITEM(object, 1), &out->indices) &&
         (sizes == Py_None || berth_py_read_out(sizes, &out->dense_shape));
}

static PyObject *slopes_list(const berth_slope_t *slopes, int count) {
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *item = slope_of(&slopes[i]);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, item);
    }
  }
  return list;
}

// Reads |count| slopes of a sequence; fewer is an error.
static bool slopes_read(PyObject *sequence, berth_slope_t *slopes, int count) {
  PyObject *items = berth_py_items(sequence, "slopes come in a sequence");
  if (items == NULL) return false;
  bool ok = PyTuple_GET_SIZE(items) == count;
  if (!ok) {
    PyErr_Format(PyExc_ValueError, "%d slopes are needed, not %zd", count,
                 PyTuple_GET_SIZE(items));
  }
  for (int i = 0; ok && i < count; ++i) {
    ok = read_slope(PyTuple_GET_ITEM(items, i), &slopes[i]);
  }
  Py_DECREF(items);
  return ok;
}

static berth_code_t emit_differentiate(void *arg, berth_node_id_t node,
                                       const berth_slope_t *dy,
                                       berth_slope_t *dx, bool *out_done,
                                       berth_error_t *err) {
  emission_t *e = arg;
  PyObject *dys = slopes_list(dy, berth_node_output_count(e->graph, node));
  PyObject *dxs = dys == NULL ? NULL
                              : PyObject_CallMethod(e->owner, "_emit_slopes",
                                                    "iO", (int)node, dys);
  Py_XDECREF(dys);
  if (dxs == NULL) return raised(err);
  *out_done = dxs != Py_None;
  bool ok = !*out_done ||
            slopes_read(dxs, dx, berth_node_input_count(e->graph, node));
  Py_DECREF(dxs);
  return ok ? BERTH_OK : raised(err);
}

// ---- The call ----

typedef struct wish {
  berth_py_outs_t ys, xs, stops;
  berth_slope_t *dys, *slopes;
} wish_t;

static bool wish_read(wish_t *w, PyObject *ys, PyObject *xs, PyObject *dys,
                      PyObject *stops) {
  if (!berth_py_outs_read(ys, &w->ys) || !berth_py_outs_read(xs, &w->xs) ||
      !berth_py_outs_read(stops, &w->stops)) {
    return false;
  }
  w->slopes = PyMem_Calloc((size_t)w->xs.count + 1, sizeof(*w->slopes));
  w->dys = PyMem_Calloc((size_t)w->ys.count + 1, sizeof(*w->dys));
  if (w->slopes == NULL || w->dys == NULL) {
    PyErr_NoMemory();
    return false;
  }
  return slopes_read(dys, w->dys, w->ys.count);
}

static void wish_clear(wish_t *w) {
  berth_py_outs_clear(&w->ys);
  berth_py_outs_clear(&w->xs);
  berth_py_outs_clear(&w->stops);
  PyMem_Free(w->dys);
  PyMem_Free(w->slopes);
}

PyObject *berth_py_graph_gradients(PyObject *self, PyObject *args) {
  PyObject *owner, *ys, *xs, *dys, *stops, *result = NULL;
  const char *name;
  int gated, colocated, is_free, first;
  if (!PyArg_ParseTuple(args, "OOOOOzpppi:gradients", &owner, &ys, &xs, &dys,
                        &stops, &name, &gated, &colocated, &is_free, &first)) {
    return NULL;
  }
  berth_graph_t *graph = ((berth_py_graph_t *)self)->graph;
  emission_t e = {.owner = owner, .graph = graph};
  berth_emitter_t emitter = {.arg = &e,
                             .begin = emit_begin,
                             .finish = emit_finish,
                             .push = emit_push,
                             .pop = emit_pop,
                             .differentiate = emit_differentiate};
  wish_t w = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  if (wish_read(&w, ys, xs, dys, stops)) {
    berth_gradients_t how = {.name = name,
                             .dys = w.dys,
                             .stops = w.stops.items,
                             .stop_count = w.stops.count,
                             .is_gated = gated != 0,
                             .is_colocated = colocated != 0,
                             .is_free = is_free != 0,
                             .first = first,
                             .emitter = owner == Py_None ? NULL : &emitter};
    berth_code_t code =
        berth_gradients(graph, w.ys.items, w.ys.count, w.xs.items, w.xs.count,
                        &how, w.slopes, &err);
    if (PyErr_Occurred()) {
      berth_error_clear(&err);
    } else if (code != BERTH_OK) {
      berth_py_raise(&err);
    } else {
      result = slopes_list(w.slopes, w.xs.count);
    }
  }
  wish_clear(&w);
  while (e.depth > 0) begun_clear(&e.begun[--e.depth]);
  return result;
}

PyObject *berth_py_op_gradient(PyObject *module, PyObject *name) {
  (void)module;
  const char *text = berth_py_text(name);
  return text == NULL ? NULL : PyLong_FromLong(berth_op_gradient(text));
}
