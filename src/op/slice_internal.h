// slice_internal.h - What slices have in common.
#ifndef BERTH_OP_SLICE_INTERNAL_H_
#define BERTH_OP_SLICE_INTERNAL_H_

#include "op/move.h"

// Adds the move of a slice, unless it has no elements. |spec| has the sizes as
// its dims, the offset and the steps in the source; the target is the output as
// it lies in memory. Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_slice_add(berth_case_t *op,
                                             berth_moves_t *moves,
                                             berth_move_spec_t *spec,
                                             berth_error_t *err);

#endif  // BERTH_OP_SLICE_INTERNAL_H_
