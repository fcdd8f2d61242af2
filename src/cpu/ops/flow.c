// flow.c - Conditionals and loops, as far as they are kernels.
//
// Which value goes where is decided while a program is walked
// (exec/flow_run.c), because it decides what runs at all. A kernel only says
// that Berth has the op; one value at a time, in an eager call, there is
// nothing to decide between.
#include "cpu/kernels.h"
#include "op/value.h"

static berth_code_t prepare_flow(berth_prepare_t *prepare, berth_error_t *err) {
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "%s works in a graph only: it decides what else runs",
                         prepare->op.node->op->name);
}

static berth_code_t prepare_trigger(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  (void)err;
  prepare->run = berth_run_nothing;
  return BERTH_OK;
}

// Not pure, so that nothing is decided before a run begins.
#define FLOW(name) \
  { .op = name, .prepare = prepare_flow }

const berth_kernel_t berth_cpu_flow_kernels[] = {
    FLOW("Switch"),        FLOW("RefSwitch"),
    FLOW("Merge"),         FLOW("RefMerge"),
    FLOW("Enter"),         FLOW("RefEnter"),
    FLOW("Exit"),          FLOW("RefExit"),
    FLOW("NextIteration"), FLOW("RefNextIteration"),
    FLOW("LoopCond"),      {.op = "ControlTrigger", .prepare = prepare_trigger},
    {.op = NULL},
};
