// visit.c - Calling a library that is taken apart when the process ends.
//
// Note [Who is first]
//
// exit() calls handlers in the order opposite to the one in which they were
// registered, and ours must come before the library's. A library registers
// some when it is loaded, but more of them when its functions first run (static
// objects of a function; oneDNN makes its machine code so), on any thread, at any
// time. Registering once, after loading, is therefore too early. Three ways
// together:
//
//   1. exit() destroys the calling thread's thread-local objects before it
//      calls any handler. The main thread, which is nearly always the one that
//      calls it (by returning from main, too), has one that registers the
//      handler there and then: it is the newest, and so the first. A main thread
//      that merely ends registers a handler, and that is all.
//   2. For an exit() in another thread, who opens a library uses it in small in
//      every way, and then has the handler registered (berth_visit_settle).
//   3. For what that leaves out the handler is registered again after the
//      visits 1, 2, 4, 8 and so on.
//
// A handler that is called again finds the doors shut. quick_exit(), _exit() and
// signals destroy nothing, and need nothing. Neither does a library's being
// closed: this code and what it visits stay for the life of the process.
//
// Each thread has a counter, by its number, so that a visit writes nothing that
// other threads' visits read. That two share one does no harm.
#include "base/visit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/thread.h"

enum { COUNTERS = 256, NAP_NS = 50000 };

// The end of a process waits no longer than this for a visit.
static const int64_t LONGEST_NS = 20 * INT64_C(1000000000);

static struct { BERTH_ALIGNED(64) atomic_int visits; } counters[COUNTERS];
static atomic_bool is_shut = false;
static atomic_uint total = 0;  // Of visits, for Note [Who is first].

// The calling thread's counter, and its visits there.
static BERTH_THREAD_LOCAL atomic_int *own = NULL;
static BERTH_THREAD_LOCAL int own_visits = 0;

static void shut_doors(void) {
  atomic_store(&is_shut, true);
  int64_t deadline = berth_now_ns() + LONGEST_NS;
  for (int i = 0; i < COUNTERS; ++i) {
    atomic_int *counter = &counters[i].visits;
    // A signal's handler may call exit() in the middle of a visit.
    int mine = counter == own ? own_visits : 0;
    while (atomic_load(counter) > mine && berth_now_ns() < deadline) {
      berth_sleep_ns(NAP_NS);
    }
  }
}

// In a forked child nobody but the calling thread is left.
static void after_fork(void) {
  for (int i = 0; i < COUNTERS; ++i) atomic_store(&counters[i].visits, 0);
  if (own != NULL) atomic_store(own, own_visits);
}

// ---- Note [Who is first] ----

void berth_visit_settle(void) { (void)atexit(shut_doors); }

// What C++ compilers use for thread-local objects; of the C library's own.
extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso)
    __attribute__((weak));

static void main_ends(void *arg) {
  (void)arg;
  berth_visit_settle();
}

// Runs when the library is loaded, which is usually in the main thread.
__attribute__((constructor)) static void watch_main(void) {
  (void)pthread_atfork(NULL, NULL, after_fork);
  berth_visit_settle();
  bool is_main = berth_thread_id() == (int64_t)getpid();
  if (is_main && __cxa_thread_atexit_impl != NULL) {
    (void)__cxa_thread_atexit_impl(main_ends, NULL, &is_shut);
  }
}

// ---- Visits ----

static atomic_int *find_own(void) {
  if (own == NULL) own = &counters[berth_thread_id() % COUNTERS].visits;
  return own;
}

bool berth_visit_begin(void) {
  atomic_int *counter = find_own();
  // Either the handler sees the visit, or the visit the shut doors.
  atomic_fetch_add(counter, 1);
  if (atomic_load(&is_shut)) {
    atomic_fetch_sub(counter, 1);
    return false;
  }
  ++own_visits;
  return true;
}

void berth_visit_end(void) {
  unsigned number =
      1 + atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
  if ((number & (number - 1)) == 0) berth_visit_settle();
  --own_visits;
  atomic_fetch_sub(own, 1);
}

bool berth_visit_is_over(void) { return atomic_load(&is_shut); }
