// stack.c - Where a node was made: the calls of Python that led there.
//
// Every node of a graph keeps its stack, and almost none is ever looked at. So
// a stack is one flat tuple, cheap to make and nothing for the garbage
// collector to go through; lines are worked out when somebody asks.
#include "core.h"

#include <stdio.h>

// After Python.h: PyFrame_GetBack() of versions before 3.11.
#include <frameobject.h>

// Where |frame| stands: the offset of its instruction, or in old versions of
// Python, which do not tell, the line as a negative number.
static long frame_place(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return -(long)PyFrame_GetLineNumber(frame);
#endif
}

// Moves |*frame|, a reference that is ours, to its caller.
static void frame_leave(PyFrameObject **frame) {
  PyFrameObject *caller = PyFrame_GetBack(*frame);
  Py_DECREF(*frame);
  *frame = caller;
}

// Returns the innermost frame but |skip|, a new reference; NULL: none.
static PyFrameObject *frame_at(long skip) {
  PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
  for (; frame != NULL && skip > 0; --skip) frame_leave(&frame);
  return frame;
}

static Py_ssize_t frame_depth(long skip) {
  Py_ssize_t depth = 0;
  for (PyFrameObject *frame = frame_at(skip); frame != NULL; ++depth) {
    frame_leave(&frame);
  }
  return depth;
}

static PyObject *core_call_stack(PyObject *module, PyObject *count) {
  (void)module;
  long skip = PyLong_AsLong(count);
  if (skip == -1 && PyErr_Occurred()) return NULL;
  Py_ssize_t depth = frame_depth(skip);
  // Frames are made when asked for: a missing one may be want of memory.
  if (PyErr_Occurred()) return NULL;
  PyObject *stack = PyTuple_New(2 * depth);
  PyFrameObject *frame = stack != NULL ? frame_at(skip) : NULL;
  for (Py_ssize_t i = 0; i < depth && frame != NULL; ++i) {
    PyObject *place = PyLong_FromLong(frame_place(frame));
    if (place == NULL) {
      Py_CLEAR(stack);
      Py_CLEAR(frame);
      break;
    }
    PyTuple_SET_ITEM(stack, 2 * i, (PyObject *)PyFrame_GetCode(frame));
    PyTuple_SET_ITEM(stack, 2 * i + 1, place);
    frame_leave(&frame);
  }
  Py_XDECREF(frame);
  if (PyErr_Occurred()) Py_CLEAR(stack);
  return stack;
}

static PyObject *core_code_line(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *code = NULL;
  int place = 0;
  if (!PyArg_ParseTuple(args, "O!i:code_line", &PyCode_Type, &code, &place)) {
    return NULL;
  }
  if (place < 0) return PyLong_FromLong(-(long)place);
  return PyLong_FromLong(PyCode_Addr2Line((PyCodeObject *)code, place));
}

// ---- Lines that want memory ----

bool berth_py_keeps_lines = false;
// Where the package lies, a str: its own lines are nobody's.
static PyObject *package = NULL;

// Tells the library the line of |frame|; false for a line of the package.
static bool line_tell(PyFrameObject *frame) {
  PyCodeObject *code = PyFrame_GetCode(frame);
  bool is_own = PyUnicode_Tailmatch(code->co_filename, package, 0,
                                    PY_SSIZE_T_MAX, -1) != 0;
  if (!is_own) {
    char text[1024];
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    snprintf(text, sizeof(text), "%s:%d", file != NULL ? file : "?",
             PyFrame_GetLineNumber(frame));
    berth_memory_set_line(text);
  }
  Py_DECREF(code);
  return !is_own;
}

void berth_py_line_enter(void) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyFrameObject *frame = frame_at(0);
  while (frame != NULL && !line_tell(frame)) frame_leave(&frame);
  if (frame == NULL) berth_memory_set_line(NULL);
  Py_XDECREF(frame);
  PyErr_Restore(type, value, trace);
}

static PyObject *core_keep_lines(PyObject *module, PyObject *folder) {
  (void)module;
  if (folder != Py_None && !PyUnicode_Check(folder)) {
    return PyErr_Format(PyExc_TypeError, "a folder is a str, not %.100s",
                        Py_TYPE(folder)->tp_name);
  }
  berth_py_keeps_lines = folder != Py_None;
  Py_INCREF(folder);
  Py_XSETREF(package, folder);
  Py_RETURN_NONE;
}

PyMethodDef berth_py_stack_methods[] = {
    {"keep_lines", core_keep_lines, METH_O,
     "keep_lines(folder)\n\nLets reports of memory name lines of the program, "
     "which are outside of the package in |folder|; None: they do not."},
    {"call_stack", core_call_stack, METH_O,
     "call_stack(skip)\n\n"
     "Returns the calls that led here, innermost first and without the first "
     "few: code, place, code, place, …"},
    {"code_line", core_code_line, METH_VARARGS,
     "code_line(code, place)\n\nReturns the line of a place of call_stack()."},
    {NULL, NULL, 0, NULL}};
