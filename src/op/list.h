// list.h - Ops on lists and arrays of tensors, and on stacks.
//
// What they check depends on what they hold, which is known only in a run: the
// kernels check it.
#ifndef BERTH_OP_LIST_H_
#define BERTH_OP_LIST_H_

#include "op/case.h"

// Leaves the outputs of an op on a list, an array or a stack open.
BERTH_NODISCARD berth_code_t berth_op_on_list(berth_case_t *op,
                                              berth_error_t *err);

#endif  // BERTH_OP_LIST_H_
