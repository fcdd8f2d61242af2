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

// What SoftmaxCrossEntropyWithLogits does: a loss for each row, and its
// gradient. Logits and labels broadcast to [rows, columns]; a step of 0 repeats.
typedef struct berth_cross_entropy {
  berth_dtype_t dtype;
  int64_t rows, columns;
  int64_t logits_steps[2], labels_steps[2];
  berth_dtype_t label_type;  // Of the sparse one: a class for each row.
} berth_cross_entropy_t;

// Check |op|, the one with a distribution as labels, or the sparse one, set its
// outputs and describe the work in |*out_loss|. Whether labels are in
// [0, columns) is for the kernel to see.
BERTH_NODISCARD berth_code_t berth_op_cross_entropy(
    berth_case_t *op, berth_cross_entropy_t *out_loss, berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_cross_entropy(
    berth_case_t *op, berth_cross_entropy_t *out_loss, berth_error_t *err);

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
