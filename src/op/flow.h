// flow.h - Conditionals and loops.
#ifndef BERTH_OP_FLOW_H_
#define BERTH_OP_FLOW_H_

#include "op/case.h"

// Which value goes where is decided while a program is walked
// (exec/flow_run.c), because it decides what runs at all. By itself, one value
// at a time, an op has nothing to decide between: fails with
// BERTH_UNIMPLEMENTED.
BERTH_NODISCARD berth_code_t berth_op_flow(berth_case_t *op,
                                           berth_error_t *err);

#endif  // BERTH_OP_FLOW_H_
