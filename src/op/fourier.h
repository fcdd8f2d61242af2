// fourier.h - Fourier transforms of the last one or two dimensions.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_FOURIER_H_
#define BERTH_OP_FOURIER_H_

#include "op/case.h"

// |batch| transforms of |rows| by |columns|; |rows| is 1 in one dimension.
typedef struct berth_fourier {
  int64_t batch, rows, columns;
  int64_t in_columns, out_columns;  // Of a row of the input and the output.
  bool is_inverse, is_real;         // Real numbers are on one side.
} berth_fourier_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_fourier(berth_case_t *op,
                                              berth_fourier_t *out_fourier,
                                              berth_error_t *err);

#endif  // BERTH_OP_FOURIER_H_
