// fourier.h - Fourier transforms of the last one to three dimensions.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_FOURIER_H_
#define BERTH_OP_FOURIER_H_

#include "op/case.h"

enum { BERTH_FOURIER_RANK = 3 };

// |batch| transforms of |sizes|, the last dimensions; those that are not
// transformed are 1 and come first.
typedef struct berth_fourier {
  int64_t batch;
  int64_t sizes[BERTH_FOURIER_RANK];
  // Of the input, of which more may be there than is needed, and the output.
  int64_t in[BERTH_FOURIER_RANK], out[BERTH_FOURIER_RANK];
  bool is_inverse, is_real;  // Real numbers are on one side.
} berth_fourier_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_fourier(berth_case_t *op,
                                              berth_fourier_t *out_fourier,
                                              berth_error_t *err);

#endif  // BERTH_OP_FOURIER_H_
