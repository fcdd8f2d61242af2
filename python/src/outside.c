// outside.c - Threads that leave Python to work in the library.
//
// They are counted, because they must not be in a kernel when the process ends:
// oneDNN then takes down the code that it made. Daemon threads run on while
// Python is finalised; after that their runs are ended, and waited for.
#include "core.h"
// After core.h, which includes Python.h.
#include <stdatomic.h>
#include <time.h>

// How long the end of the process waits for kernels that nothing can stop.
#define PATIENCE_MS 3000

static atomic_int outside_count;
static atomic_bool is_ending;

PyThreadState *berth_py_leave(void) {
  berth_py_prepare_thread();
  if (berth_py_keeps_lines) berth_py_line_enter();
  atomic_fetch_add_explicit(&outside_count, 1, memory_order_relaxed);
  return PyEval_SaveThread();
}

void berth_py_return(PyThreadState *saved) {
  // First: a thread that comes back too late ends here.
  atomic_fetch_sub_explicit(&outside_count, 1, memory_order_release);
  if (berth_py_keeps_lines) berth_memory_set_line(NULL);
  PyEval_RestoreThread(saved);
}

PyGILState_STATE berth_py_call_in(void) {
  atomic_fetch_sub_explicit(&outside_count, 1, memory_order_release);
  return PyGILState_Ensure();
}

void berth_py_call_out(PyGILState_STATE state) {
  PyGILState_Release(state);
  atomic_fetch_add_explicit(&outside_count, 1, memory_order_relaxed);
}

bool berth_py_is_ending(void) { return atomic_load(&is_ending); }

// Called when Python is gone, and the process about to go.
static void end_runs(void) {
  atomic_store(&is_ending, true);
  for (int i = 0; i < PATIENCE_MS && atomic_load(&outside_count) > 0; ++i) {
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

bool berth_py_outside_init(void) {
  static bool is_registered;
  if (!is_registered) is_registered = Py_AtExit(end_runs) == 0;
  if (!is_registered) {
    PyErr_SetString(PyExc_ImportError,
                    "there are too many functions to call at exit");
  }
  return is_registered;
}

void berth_py_outside_forget(void) { atomic_store(&outside_count, 0); }
