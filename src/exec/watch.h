// watch.h - What may end a run, and looking at it now and then.
//
// The user's handle, a closing session, a deadline and the poll callback all
// end a run in the same way: |ended| is set, which kernels see, and the thread
// of the run comes back with the reason. Computing constants while a program
// is made is watched in the same way.
//
// Threads: a watch belongs to one thread; |ended| may be read by others.
#ifndef BERTH_EXEC_WATCH_H_
#define BERTH_EXEC_WATCH_H_

#include <stdatomic.h>

#include "base/error.h"
#include "berth/config.h"
#include "exec/trace.h"
#include "state/container.h"

// What ends a run, and what it may use.
typedef struct berth_run_control {
  const atomic_int *closed;     // Not zero: the session is closing.
  const atomic_int *cancelled;  // Optional. Not zero: the user's handle fired.
  int64_t deadline_ns;          // 0: none.
  berth_poll_fn poll;           // Optional.
  void *poll_arg;
  int threads;           // For parallel loops; 0: all.
  bool in_turn;          // Parts of a program one after the other.
  int depth;             // Calls of functions that the run is inside of.
  berth_trace_t *trace;  // Optional.
} berth_run_control_t;

// Zeroed but for |control| is a watch that has not begun.
typedef struct berth_watch {
  const berth_run_control_t *control;  // Borrowed.
  atomic_int ended;                    // Kernels look at this.
  berth_code_t why;                    // What ended it; BERTH_OK: nothing.
  int64_t next_poll_ns;
  // What the run keeps under names; made by the first step that needs it.
  berth_container_t *of_run;
} berth_watch_t;

// True when a look has ended the run. For the thread of the run.
static inline bool berth_watch_has_ended(const berth_watch_t *watch) {
  return watch->why != BERTH_OK;
}

// Looks at whatever may end the run; true when it must end.
bool berth_watch_look(berth_watch_t *watch);

// The same for berth_parallel_scope_t.poll; |watch| is a berth_watch_t.
bool berth_watch_poll(void *watch);

// Says what ended the run where a kernel has only told that it was: returns
// |code|, or describes the reason in |err| and returns its code.
berth_code_t berth_watch_why(const berth_watch_t *watch, berth_code_t code,
                             berth_error_t *err);

// Describes why the run was ended and returns the code.
berth_code_t berth_watch_error(const berth_watch_t *watch, berth_error_t *err);

#endif  // BERTH_EXEC_WATCH_H_
