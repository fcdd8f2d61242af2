// pad_internal.h - What pads and their gradients have in common.
#ifndef BERTH_OP_PAD_INTERNAL_H_
#define BERTH_OP_PAD_INTERNAL_H_

#include "op/case.h"

// Checks the shapes of inputs 0 and 1, a tensor of at most |max_rank|
// dimensions and what is added to each; |joint| stands between two of them in a
// message. Fails with BERTH_INVALID_ARGUMENT and BERTH_UNIMPLEMENTED.
BERTH_NODISCARD berth_code_t berth_pad_check(const berth_case_t *op,
                                             int max_rank, const char *joint,
                                             berth_error_t *err);

#endif  // BERTH_OP_PAD_INTERNAL_H_
