// routine.h - Functions of graphs, ready to be called by kernels.
//
// A routine is a session of its own in a context, on a graph that has nothing
// but a call of the function. The context is kept as long as it.
#ifndef BERTH_RUNTIME_ROUTINE_H_
#define BERTH_RUNTIME_ROUTINE_H_

#include "berth/eager.h"
#include "state/routine.h"

// Makes the routine of the function |name| of |graph|, run in |context|. Fails
// with BERTH_NOT_FOUND when there is no such function, and as a first run does.
BERTH_NODISCARD berth_code_t berth_routine_create(berth_context_t *context,
                                                  const berth_graph_t *graph,
                                                  const char *name,
                                                  berth_routine_t **out_routine,
                                                  berth_error_t *err);

// A berth_routine_fn of eager contexts: |context| is one, and finds functions
// in its libraries.
berth_code_t berth_context_routine(void *context, const char *name,
                                   berth_routine_t **out_routine,
                                   berth_error_t *err);

// Adds and takes away a reference to a context.
berth_context_t *berth_context_retain(berth_context_t *context);
void berth_context_release(berth_context_t *context);

#endif  // BERTH_RUNTIME_ROUTINE_H_
