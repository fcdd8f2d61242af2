// module.c - The module berth._core.
#include "core.h"

static PyObject *core_ops(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  int count = berth_op_count();
  PyObject *list = PyList_New(count);
  for (int i = 0; list != NULL && i < count; ++i) {
    PyObject *name = PyUnicode_FromString(berth_op_name(i));
    if (name == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SET_ITEM(list, i, name);
    }
  }
  return list;
}

static PyObject *core_has_kernel(PyObject *module, PyObject *args) {
  (void)module;
  const char *op = NULL, *type = "CPU";
  if (!PyArg_ParseTuple(args, "s|s:has_kernel", &op, &type)) return NULL;
  return PyBool_FromLong(berth_op_has_kernel(op, type));
}

static PyMethodDef core_methods[] = {
    {"set_error_class", berth_py_set_error_class, METH_VARARGS,
     "set_error_class(code, cls)\n\n"
     "Makes failures with that code raise cls(None, None, message)."},
    {"ops", core_ops, METH_NOARGS, "Returns the names of all ops, sorted."},
    {"tapes", berth_py_tapes, METH_NOARGS,
     "tapes()\n\nReturns the tapes that note what this thread calls."},
    {"op_gradient", berth_py_op_gradient, METH_O,
     "op_gradient(name)\n\n1 when an op has a rule for its gradient, -1 when "
     "there is nothing to go through, else 0."},
    {"op_schema", berth_py_op_schema, METH_O,
     "op_schema(name)\n\nReturns a dict: name, inputs, outputs, attrs (lists "
     "of "
     "dicts), is_stateful."},
    {"has_kernel", core_has_kernel, METH_VARARGS,
     "has_kernel(op, device_type='CPU')\n\nTells whether Berth can run an op."},
    {"crc32c", berth_py_crc32c, METH_O,
     "crc32c(data)\n\nReturns the checksum CRC-32C of bytes."},
    {NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, const char *name, PyTypeObject *type) {
  if (PyType_Ready(type) < 0) return -1;
  Py_INCREF(type);
  return PyModule_AddObject(module, name, (PyObject *)type);
}

static int add_types(PyObject *module) {
  static const struct {
    const char *name;
    PyTypeObject *type;
  } types[] = {{"Ref", &berth_py_ref_type},
               {"Tensor", &berth_py_tensor_type},
               {"Shape", &berth_py_shape_type},
               {"Graph", &berth_py_graph_type},
               {"Session", &berth_py_session_type},
               {"Runner", &berth_py_runner_type},
               {"Callable", &berth_py_callable_type},
               {"Partial", &berth_py_partial_type},
               {"Description", &berth_py_description_type},
               {"Quick", &berth_py_quick_type},
               {"Maker", &berth_py_maker_type},
               {"Index", &berth_py_index_type},
               {"Renamed", &berth_py_renamed_type},
               {"RecordReader", &berth_py_record_reader_type},
               {"RecordWriter", &berth_py_record_writer_type},
               {"Public", &berth_py_public_type},
               {"NameScope", &berth_py_name_scope_type},
               {"Tape", &berth_py_tape_type},
               {"Checkpoint", &berth_py_checkpoint_type},
               {"Context", &berth_py_context_type}};
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    if (add_type(module, types[i].name, types[i].type) < 0) return -1;
  }
  return 0;
}

static int core_fill(PyObject *module) {
  // Classes, and what runs call back, are one for the process: interpreters
  // would share objects that only one of them guards.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "berth._core works only in the main interpreter");
    return -1;
  }
  bool ok =
      berth_py_poll_init() && berth_py_outside_init() &&
      add_types(module) == 0 && berth_py_error_init(module) == 0 &&
      berth_py_schema_init(module) == 0 && berth_py_op_init(module) == 0 &&
      berth_py_value_init(module) == 0 && berth_py_apply_init(module) == 0 &&
      berth_py_quick_init(module) == 0 && berth_py_index_init(module) == 0 &&
      berth_py_name_init(module) == 0 && berth_py_public_init() == 0 &&
      PyModule_AddFunctions(module, berth_py_name_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_tensor_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_op_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_value_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_apply_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_device_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_share_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_mode_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_kind_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_stack_methods) == 0 &&
      PyModule_AddFunctions(module, berth_py_callback_methods) == 0;
  return ok ? 0 : -1;
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)core_fill},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "berth._core",
    .m_doc = "Berth's C library: graphs, tensors, sessions, eager calls.",
    .m_methods = core_methods,
    .m_slots = core_slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&core_module); }
