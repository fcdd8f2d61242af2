// ragged.h - Ragged tensors: what shapes of theirs must be.
#ifndef BERTH_OP_RAGGED_H_
#define BERTH_OP_RAGGED_H_

#include "base/error.h"
#include "tensor/shape.h"

// Checks that a default of shape |def| can stand for a row of |values|: it has
// fewer dimensions, and each is 1 or the same. Shapes may be known in part.
// Fails with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_ragged_check_default(berth_dims_t def,
                                                        berth_dims_t values,
                                                        berth_error_t *err);

// Joins |sizes|, the shape asked for a ragged tensor of |ragged| row partitions
// and |values|, with what these have: of |rank| dimensions, or -1 for any, -1
// where a size is not known. |sizes| has room for the rank of all. Fails with
// BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_ragged_join(int ragged, berth_dims_t values,
                                               int64_t rank, int64_t *sizes,
                                               berth_error_t *err);

#endif  // BERTH_OP_RAGGED_H_
