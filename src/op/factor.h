// factor.h - Decompositions of matrices, and functions made of them.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_FACTOR_H_
#define BERTH_OP_FACTOR_H_

#include "op/case.h"

typedef enum berth_factor_kind {
  BERTH_FACTOR_QR,
  BERTH_FACTOR_SVD,
  BERTH_FACTOR_EIGH,  // SelfAdjointEigV2
  BERTH_FACTOR_EIG,
  BERTH_FACTOR_ROOT,       // MatrixSquareRoot
  BERTH_FACTOR_LOG,        // MatrixLogarithm
  BERTH_FACTOR_EXP,        // MatrixExponential
  BERTH_FACTOR_LEAST,      // MatrixSolveLs
  BERTH_FACTOR_CHOLESKY,   // CholeskyGrad
  BERTH_FACTOR_THREE,      // TridiagonalSolve
  BERTH_FACTOR_THREE_MUL,  // TridiagonalMatMul
} berth_factor_kind_t;

// |batch| matrices of |m| rows and |n| columns, and where there are right sides
// those have |columns|.
typedef struct berth_factor {
  berth_factor_kind_t kind;
  int64_t batch, m, n, columns;
  bool is_full;      // All columns of Q, U and V.
  bool has_vectors;  // Not values alone.
} berth_factor_t;

// Checks |op|, sets its outputs and describes the work.
BERTH_NODISCARD berth_code_t berth_op_factor(berth_case_t *op,
                                             berth_factor_t *out_factor,
                                             berth_error_t *err);

#endif  // BERTH_OP_FACTOR_H_
