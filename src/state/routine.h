// routine.h - Functions that kernels call.
//
// A routine is a function of a graph made ready to run: a kernel whose node
// names one (the function of a dataset's map) asks for it by name, keeps it and
// calls it with tensors. Who can make routines, a session or an eager context,
// says so in its container.
//
// Threads: a routine may be called from several threads at once.
#ifndef BERTH_STATE_ROUTINE_H_
#define BERTH_STATE_ROUTINE_H_

#include "state/container.h"
#include "tensor/tensor.h"

typedef struct berth_routine berth_routine_t;
struct berth_run_control;  // exec/watch.h

// What a maker fills in. Counted, as resources are.
struct berth_routine {
  berth_resource_t resource;  // First.
  int input_count;
  int output_count;
  bool has_state;  // Calls depend on those before: random numbers, counters.
  // Calls it; outputs are the caller's, and in host memory. Nothing is stored
  // on failure. |control| is what ends the run that calls; NULL: what the
  // routine's own session has.
  berth_code_t (*call)(berth_routine_t *routine, berth_tensor_t *const *inputs,
                       berth_tensor_t **outputs,
                       const struct berth_run_control *control,
                       berth_error_t *err);
  // Stores another one of the same function, whose state begins anew.
  berth_code_t (*copy)(berth_routine_t *routine, berth_routine_t **out_copy,
                       berth_error_t *err);
};

// Makes the routine of the function called |name|; the caller owns one
// reference. BERTH_NOT_FOUND when there is none of that name.
typedef berth_code_t (*berth_routine_fn)(void *arg, const char *name,
                                         berth_routine_t **out_routine,
                                         berth_error_t *err);

// Says who makes the routines of |container|; |arg| outlives it.
void berth_container_set_routines(berth_container_t *container,
                                  berth_routine_fn make, void *arg);

// Makes one. Fails as the maker does, and with BERTH_UNIMPLEMENTED where there
// is none.
BERTH_NODISCARD berth_code_t berth_routine_make(berth_container_t *container,
                                                const char *name,
                                                berth_routine_t **out_routine,
                                                berth_error_t *err);

#endif  // BERTH_STATE_ROUTINE_H_
