// rows.h - Ops that look at rows: softmaxes, and the best of a row.
//
// A row is the last dimension of the input. All fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_ROWS_H_
#define BERTH_OP_ROWS_H_

#include "op/case.h"

// What Softmax and LogSoftmax do: |rows| of |columns| elements. Both are 0 for
// an input without elements.
typedef struct berth_softmax {
  berth_dtype_t dtype;
  int64_t rows, columns;
} berth_softmax_t;

// Checks |op|, sets its output and describes the work in |*out_softmax|. A row
// may be overwritten once all of it has been read.
BERTH_NODISCARD berth_code_t berth_op_softmax(berth_case_t *op,
                                              berth_softmax_t *out_softmax,
                                              berth_error_t *err);

// What TopKV2 does: the |k| largest of each row of |n|, the largest first; of
// equal ones the first. No work where |rows| or |k| is 0.
typedef struct berth_top_k {
  berth_dtype_t dtype;
  berth_dtype_t index_type;
  int64_t rows, n, k;
} berth_top_k_t;

// Checks |op|, sets its outputs and describes the work in |*out_top|.
BERTH_NODISCARD berth_code_t berth_op_top_k(berth_case_t *op,
                                            berth_top_k_t *out_top,
                                            berth_error_t *err);

// What InTopK and InTopKV2 do: whether the target of each row, one of |classes|
// predictions, is among the best.
typedef struct berth_in_top_k {
  berth_dtype_t index_type;  // Of the targets, and of k.
  int64_t rows, classes;
  bool has_input;  // How many are the best is input 2, known when it runs;
  int64_t k;       // else it is this.
} berth_in_top_k_t;

// Checks |op|, sets its output and describes the work in |*out_in|.
BERTH_NODISCARD berth_code_t berth_op_in_top_k(berth_case_t *op,
                                               berth_in_top_k_t *out_in,
                                               berth_error_t *err);

#endif  // BERTH_OP_ROWS_H_
