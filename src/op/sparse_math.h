// sparse_math.h - What is computed with sparse tensors: products, sums,
// reductions.
//
// A sparse tensor is three inputs: places, one row each, values, and the shape.
// All of these ops make their outputs, which depend on what the places are.
#ifndef BERTH_OP_SPARSE_MATH_H_
#define BERTH_OP_SPARSE_MATH_H_

#include "op/case.h"

// Check |op| as far as shapes go: a product with a dense matrix; an element-wise
// function of a dense tensor that broadcasts; the sum with one; the sum of two, and its gradient;
// the larger or smaller of two; a sum or maximum along axes; Softmax. Fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_sparse_product(berth_case_t *op,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_cwise(berth_case_t *op,
                                                   berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_dense_add(berth_case_t *op,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_add(berth_case_t *op,
                                                 berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_add_grad(berth_case_t *op,
                                                      berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_extreme(berth_case_t *op,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_reduce(berth_case_t *op,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_sparse_softmax(berth_case_t *op,
                                                     berth_error_t *err);

// Stores the sizes m, k and n of the product |node|, of a sparse matrix of
// |shape| and a dense one of |b|, which may be transposed. Fails with
// BERTH_INVALID_ARGUMENT where they do not fit.
BERTH_NODISCARD berth_code_t berth_sparse_product_sizes(
    const berth_node_t *node, const int64_t *shape, berth_dims_t b,
    int64_t out_sizes[3], berth_error_t *err);

#endif  // BERTH_OP_SPARSE_MATH_H_
