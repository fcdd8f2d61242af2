// fused.h - Products and convolutions with what follows them in one op, as
// TensorFlow's optimiser leaves them in graphs.
#ifndef BERTH_OP_FUSED_H_
#define BERTH_OP_FUSED_H_

#include "op/case.h"
#include "op/elementwise.h"

// What follows: a bias is added, or the result normalised by four vectors
// (scale, offset, mean, variance), then perhaps a function of one number.
typedef struct berth_fused_tail {
  bool is_norm;      // Else a bias.
  bool is_function;  // |function| counts.
  berth_unary_op_t function;
  float slope;    // Of LeakyRelu.
  float epsilon;  // Of the normalisation.
} berth_fused_tail_t;

// Checks |op|, _FusedMatMul, _FusedConv2D, _FusedConv3D or
// _FusedDepthwiseConv2dNative, but for what its first two inputs are, and says
// what follows. Fails with BERTH_UNIMPLEMENTED for a list that
// TensorFlow does not have either, and with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_op_fused_tail(const berth_case_t *op,
                                                 berth_fused_tail_t *out,
                                                 berth_error_t *err);

// Checks that the vectors of |tail| have one element for each of |channels|.
// TensorFlow does not look.
BERTH_NODISCARD berth_code_t
berth_op_fused_check(const berth_case_t *op, const berth_fused_tail_t *tail,
                     int64_t channels, berth_error_t *err);

#endif  // BERTH_OP_FUSED_H_
