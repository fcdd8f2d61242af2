// events.h - Ops on files of events.
//
// What they check depends on what they are given in a run: the kernels check
// it.
#ifndef BERTH_OP_EVENTS_H_
#define BERTH_OP_EVENTS_H_

#include "op/case.h"

// Fails with BERTH_INVALID_ARGUMENT, in TensorFlow's words where it has some,
// for an argument that has to be one value and is not.
BERTH_NODISCARD berth_code_t berth_op_on_events(berth_case_t *op,
                                                berth_error_t *err);

#endif  // BERTH_OP_EVENTS_H_
