// callee.h - Functions of a session's graph that its nodes call.
//
// A function that the graph was not rid of (lower/lower.h) is a program of the
// session, made when it is first called. A call is a run inside the run that
// calls, on its thread, ended by what ends that. Calls in calls go on in
// another thread where the stack is short.
#ifndef BERTH_RUNTIME_CALLEE_H_
#define BERTH_RUNTIME_CALLEE_H_

#include "runtime/session_internal.h"

// How deep calls may be in calls.
enum { BERTH_MOST_CALLS = 10000 };

// Makes the routine (state/routine.h) of the function that |node| calls; the
// caller owns one reference. The session's lock is held. Fails with the reason
// why the function cannot be called.
BERTH_NODISCARD berth_code_t berth_callee_bind(berth_session_t *session,
                                               const berth_node_t *node,
                                               berth_resource_t **out_resource,
                                               berth_error_t *err);

#endif  // BERTH_RUNTIME_CALLEE_H_
