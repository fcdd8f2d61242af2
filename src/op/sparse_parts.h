// sparse_parts.h - Sparse tensors that are joined, cut, put in order or filled.
//
// All but gradients make their outputs.
#ifndef BERTH_OP_SPARSE_PARTS_H_
#define BERTH_OP_SPARSE_PARTS_H_

#include "op/case.h"

// Check |op| as far as shapes go. Fail with BERTH_INVALID_ARGUMENT in
// TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_sparse_concat(berth_case_t *op,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_split(berth_case_t *op,
                                                   berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_slice(berth_case_t *op,
                                                   berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_slice_grad(berth_case_t *op,
                                                        berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_reorder(berth_case_t *op,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_reshape(berth_case_t *op,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_fill_rows(berth_case_t *op,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_ragged_fill_rows(berth_case_t *op,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_fill_grad(berth_case_t *op,
                                                       berth_error_t *err);

#endif  // BERTH_OP_SPARSE_PARTS_H_
