// signal.c - Signals that arrive while the library works.
//
// Python only notes a signal when it arrives; its handlers run in the main
// thread, when that next looks. A run looks through berth_py_poll().
//
// Some of oneDNN's kernels keep their stack in a small buffer on the heap. The
// system would put what it saves for a signal's handler below that, over
// whatever is there. Handlers of Python's run on another stack where there is
// one, so every thread that runs something gets one.
#include "core.h"
// After core.h, which includes Python.h.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- Stacks ----

// Room for the state of every register there is, and for the handler.
#define STACK_BYTES (64 * 1024)

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static _Thread_local bool has_looked;

// Called with the stack of a thread that ends.
static void stack_take(void *stack) {
  stack_t now;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    (void)sigaltstack(&none, NULL);
  }
  PyMem_RawFree(stack);
}

static void key_make(void) {
  has_key = pthread_key_create(&key, stack_take) == 0;
}

// Without a stack signals do what they did before.
static void stack_give(void) {
  stack_t now;
  if (sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) {
    return;  // Somebody has given one, such as faulthandler.
  }
  (void)pthread_once(&key_once, key_make);
  void *memory = has_key ? PyMem_RawMalloc(STACK_BYTES) : NULL;
  if (memory == NULL) return;
  stack_t own = {.ss_sp = memory, .ss_size = STACK_BYTES};
  if (pthread_setspecific(key, memory) != 0) {
    PyMem_RawFree(memory);
  } else {
    (void)sigaltstack(&own, NULL);
  }
}

void berth_py_prepare_thread(void) {
  if (has_looked) return;
  has_looked = true;
  stack_give();
}

// ---- Handlers ----

static pthread_t main_thread;

// Who forks is the main thread of the child, and the only one.
static void after_fork(void) {
  main_thread = pthread_self();
  berth_py_outside_forget();
}

// Asks Python, which costs an import: for threads other than the process's
// first.
static bool ask_main_thread(void) {
  PyObject *threading = PyImport_ImportModule("threading");
  PyObject *thread = threading != NULL
                         ? PyObject_CallMethod(threading, "main_thread", NULL)
                         : NULL;
  PyObject *ident =
      thread != NULL ? PyObject_GetAttrString(thread, "ident") : NULL;
  if (ident != NULL) main_thread = (pthread_t)PyLong_AsUnsignedLong(ident);
  Py_XDECREF(ident);
  Py_XDECREF(thread);
  Py_XDECREF(threading);
  return !PyErr_Occurred();
}

bool berth_py_poll_init(void) {
  static bool is_watching;
  if (!is_watching) {
    is_watching = pthread_atfork(NULL, NULL, after_fork) == 0;
  }
  if (syscall(SYS_gettid) != getpid()) return ask_main_thread();
  main_thread = pthread_self();
  return true;
}

int berth_py_poll(void *arg) {
  (void)arg;
  if (berth_py_is_ending()) return 1;
  if (!pthread_equal(pthread_self(), main_thread)) return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  // What a handler raises stays set, and is what the caller of run() sees.
  // While it is, handlers of further signals wait.
  int stop = PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0;
  PyGILState_Release(state);
  return stop;
}
