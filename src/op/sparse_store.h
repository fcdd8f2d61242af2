// sparse_store.h - Sparse tensors as texts, and under numbers.
//
// All make their outputs. All fail with BERTH_INVALID_ARGUMENT in TensorFlow's
// words.
#ifndef BERTH_OP_SPARSE_STORE_H_
#define BERTH_OP_SPARSE_STORE_H_

#include "op/case.h"

// Checks the ranks of a sparse tensor that is put away whole.
BERTH_NODISCARD berth_code_t berth_op_sparse_store(berth_case_t *op,
                                                   berth_error_t *err);

// Checks one that is put away row by row, which has at least two dimensions.
BERTH_NODISCARD berth_code_t berth_op_sparse_store_rows(berth_case_t *op,
                                                        berth_error_t *err);

// Checks texts of which three stand for a sparse tensor.
BERTH_NODISCARD berth_code_t berth_op_sparse_restore(berth_case_t *op,
                                                     berth_error_t *err);

// Checks the numbers of sparse tensors.
BERTH_NODISCARD berth_code_t berth_op_sparse_take(berth_case_t *op,
                                                  berth_error_t *err);

#endif  // BERTH_OP_SPARSE_STORE_H_
