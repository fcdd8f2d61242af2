// mode.c - Whether ops run when they are called: the one place that knows.
//
//   process    is_eager  ops run at once
//              context   where they are called the short way
//   thread     graphs    default graphs around the call
//              eager     functions around it whose ops run at once anyway
//              wishes    scopes that only the long way obeys
//              device    the device that a scope asks for
//
// Ops run at once when the process is eager, or the thread is in a function of
// tf.py_function, and it has no default graph. A call needs nothing but context and device when, besides, no scope
// wishes anything. Everybody asks here: Python through berth.base.execution,
// apply() and Quick functions before every call. Nothing here changes because
// somebody asked.
//
// Threads: the process' part is guarded by the GIL; the rest is a thread's own.
#include "core.h"

berth_py_mode_t berth_py_mode;
_Thread_local berth_py_place_t berth_py_place;

// Makes |quick| follow from the rest.
static void settle(void) {
  berth_py_mode.quick = berth_py_mode.is_eager ? berth_py_mode.context : NULL;
}

PyTypeObject *berth_py_mode_class(bool anywhere) {
  PyObject *found = anywhere ? berth_py_mode.context : berth_py_mode_context();
  return found != NULL ? berth_py_context_class(found) : NULL;
}

static PyObject *core_set_eager(PyObject *module, PyObject *value) {
  (void)module;
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return NULL;
  berth_py_mode.is_eager = truth != 0;
  settle();
  Py_RETURN_NONE;
}

static PyObject *core_is_eager(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(berth_py_mode_is_eager());
}

static PyObject *core_executing(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(berth_py_mode_is_eager() &&
                         berth_py_place.graphs == 0);
}

static PyObject *core_calls_shortly(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(berth_py_mode_context() != NULL);
}

static PyObject *core_set_graphs(PyObject *module, PyObject *count) {
  (void)module;
  long graphs = PyLong_AsLong(count);
  if (graphs == -1 && PyErr_Occurred()) return NULL;
  berth_py_place.graphs = graphs;
  Py_RETURN_NONE;
}

static PyObject *core_enter_eager(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  ++berth_py_place.eager;
  Py_RETURN_NONE;
}

static PyObject *core_leave_eager(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  --berth_py_place.eager;
  Py_RETURN_NONE;
}

static PyObject *core_enter(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  ++berth_py_place.wishes;
  Py_RETURN_NONE;
}

static PyObject *core_leave(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  --berth_py_place.wishes;
  Py_RETURN_NONE;
}

static PyObject *core_set_device(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *device = NULL;
  int is_device = 0;
  if (!PyArg_ParseTuple(args, "Op:set_device", &device, &is_device))
    return NULL;
  if (device != Py_None && !PyUnicode_Check(device)) {
    PyErr_SetString(PyExc_TypeError, "a device is named by a str");
    return NULL;
  }
  PyObject *before = berth_py_place.device;
  berth_py_place.device = device == Py_None ? NULL : device;
  berth_py_place.is_device = device != Py_None && is_device != 0;
  Py_XINCREF(berth_py_place.device);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

static PyObject *core_set_context(PyObject *module, PyObject *value) {
  (void)module;
  if (value != Py_None && Py_TYPE(value) != &berth_py_context_type) {
    PyErr_SetString(PyExc_TypeError, "set_quick_context takes a Context");
    return NULL;
  }
  PyObject *before = berth_py_mode.context;
  berth_py_mode.context = value == Py_None ? NULL : value;
  Py_XINCREF(berth_py_mode.context);
  settle();
  berth_py_constants_forget();
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

static PyObject *core_forget(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  berth_py_constants_forget();
  Py_RETURN_NONE;
}

PyMethodDef berth_py_mode_methods[] = {
    {"forget_constants", core_forget, METH_NOARGS,
     "forget_constants()\n\n"
     "Drops the numbers that are kept on devices for calls to come."},
    {"set_eager", core_set_eager, METH_O,
     "set_eager(value)\n\n"
     "Makes ops run at once, or make graphs, where there is no default graph."},
    {"is_eager", core_is_eager, METH_NOARGS,
     "Tells whether ops run at once where there is no default graph."},
    {"executing_eagerly", core_executing, METH_NOARGS,
     "Tells whether ops run at once here, in this thread."},
    {"calls_shortly", core_calls_shortly, METH_NOARGS,
     "Tells whether ops run at once here and nobody looks at how: neither a "
     "log "
     "nor a policy."},
    {"set_graphs", core_set_graphs, METH_O,
     "set_graphs(count)\n\nSays how many default graphs this thread is in."},
    {"enter_eager_scope", core_enter_eager, METH_NOARGS,
     "Makes ops of this thread run at once, whatever the program was written "
     "for."},
    {"leave_eager_scope", core_leave_eager, METH_NOARGS,
     "Ends what enter_eager_scope() began."},
    {"enter_slow_scope", core_enter, METH_NOARGS,
     "Makes Quick functions of this thread do everything at length."},
    {"leave_slow_scope", core_leave, METH_NOARGS,
     "Ends what enter_slow_scope() began."},
    {"set_device", core_set_device, METH_VARARGS,
     "set_device(name, is_device)\n\n"
     "Says which device this thread asks for, by its full name, and whether "
     "there is one; None asks for none."},
    {"set_quick_context", core_set_context, METH_O,
     "set_quick_context(context)\n\n"
     "Lets Quick functions call ops in a context; None stops that."},
    {NULL, NULL, 0, NULL}};
