// small.h - Ops of several inputs that compute element by element and broadcast
// in ways of their own.
//
// Each function checks its op and sets its output. All fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_SMALL_H_
#define BERTH_OP_SMALL_H_

#include "op/case.h"

// ClipByValue: limits are single, or as the tensor.
BERTH_NODISCARD berth_code_t berth_op_clip(berth_case_t *op,
                                           berth_error_t *err);
// Cross: vectors of three; fails with BERTH_FAILED_PRECONDITION for others.
BERTH_NODISCARD berth_code_t berth_op_cross(berth_case_t *op,
                                            berth_error_t *err);
// Betainc: each of three inputs is a scalar, or as the others.
BERTH_NODISCARD berth_code_t berth_op_betainc(berth_case_t *op,
                                              berth_error_t *err);
// ApproximateEqual: of one shape.
BERTH_NODISCARD berth_code_t berth_op_approximate_equal(berth_case_t *op,
                                                        berth_error_t *err);

#endif  // BERTH_OP_SMALL_H_
