// choose.h - From a node to a step: which kernel, on which memory.
#ifndef BERTH_EXEC_CHOOSE_H_
#define BERTH_EXEC_CHOOSE_H_

#include "base/str.h"
#include "exec/step.h"
#include "kernel/choice.h"

// Fills |step| for |node| of |graph| on device |device| of |devices|; which of
// its outputs are in host memory is noted in |arena|. The kernel stays NULL
// when there is none, and |why| says so. Fails when memory is short.
BERTH_NODISCARD berth_code_t
berth_step_choose(const berth_graph_t *graph, const berth_node_t *node,
                  const berth_exec_device_t *devices, int device,
                  berth_arena_t *arena, berth_step_t *step,
                  berth_choice_t *choice, berth_str_t *why, berth_error_t *err);

// True when |step| wants input |index| in host memory. One that looks at shapes
// alone wants it nowhere in particular: ask |choice->shapes_only| first.
bool berth_step_wants_on_host(const berth_step_t *step,
                              const berth_choice_t *choice,
                              const berth_graph_t *graph, int index);

#endif  // BERTH_EXEC_CHOOSE_H_
