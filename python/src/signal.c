// signal.c - Signals that arrive while the library works.
//
// Python only notes a signal when it arrives; its handlers run in the main
// thread, when that next looks. A run looks through berth_py_poll().
//
// Some of oneDNN's kernels keep their stack in a small buffer on the heap. The
// system would put what it saves for a signal's handler below that, over
// whatever is there. Handlers of Python's may have a stack of their own, so the
// main thread, which signals go to, gets one.
#include "core.h"
// After core.h, which includes Python.h.
#include <pthread.h>
#include <signal.h>

// Room for the state of every register there is, and for the handler.
#define STACK_BYTES (256 * 1024)

static pthread_t main_thread;

static void give_stack(void) {
  static char stack[STACK_BYTES];
  stack_t before;
  if (sigaltstack(NULL, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) {
    return;  // Somebody has given one, such as faulthandler.
  }
  stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
  // Without it signals do what they did before.
  (void)sigaltstack(&own, NULL);
}

void berth_py_poll_init(void) {
  main_thread = pthread_self();
  give_stack();
}

int berth_py_poll(void *arg) {
  (void)arg;
  if (!pthread_equal(pthread_self(), main_thread)) return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  // What the handler raises stays set, and is what the caller of run() sees.
  int stop = PyErr_CheckSignals() < 0;
  PyGILState_Release(state);
  return stop;
}
