// matrix.h - Ops on matrices: products of many at once, and biases.
//
// A product is C = A B, once for each index of a batch. Where an input lacks a
// dimension of the batch, or has one index there, it is repeated:
//
//   MatMul [m,k] x [k,n]                    a batch of one, of rank 0
//   BatchMatMulV2 [5,1,m,k] x [4,k,n]       dims 5 4, A's steps 1 0, B's 0 1
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_MATRIX_H_
#define BERTH_OP_MATRIX_H_

#include "op/case.h"

typedef struct berth_product {
  berth_dtype_t dtype;
  int64_t m, n, k;  // Of each product: C is m by n.
  // As the inputs are stored, by rows: A is k by m when it is transposed.
  bool transpose_a, transpose_b;
  bool conj_a, conj_b;  // Of transposed complex ones.
  // The batch, slowest dimension first, and how many matrices of A and B one
  // index of each goes; 0 where the input is repeated. They are in the arena;
  // NULL where there is nothing to do.
  int64_t batch;  // How many products; 0: none.
  int32_t batch_rank;
  const int64_t *batch_dims, *a_steps, *b_steps;
} berth_product_t;

// How products are asked for: checks |op|, sets its output and describes the
// work in |*out_product|.
typedef berth_code_t (*berth_product_fn)(berth_case_t *op,
                                         berth_product_t *out_product,
                                         berth_error_t *err);

// MatMul: one product.
BERTH_NODISCARD berth_code_t berth_op_matmul(berth_case_t *op,
                                             berth_product_t *out_product,
                                             berth_error_t *err);

// BatchMatMul: both inputs have the same batch.
BERTH_NODISCARD berth_code_t berth_op_batch_matmul(berth_case_t *op,
                                                   berth_product_t *out_product,
                                                   berth_error_t *err);

// BatchMatMulV2: the batches are broadcast.
BERTH_NODISCARD berth_code_t berth_op_batch_matmul_v2(
    berth_case_t *op, berth_product_t *out_product, berth_error_t *err);

// Checks the inputs of SparseMatMul, which is a MatMul otherwise.
BERTH_NODISCARD berth_code_t berth_op_sparse_matmul(const berth_case_t *op,
                                                    berth_error_t *err);

// Columns of A and B as they are stored: from one row to the next.
static inline int64_t berth_product_a_cols(const berth_product_t *product) {
  return product->transpose_a ? product->m : product->k;
}
static inline int64_t berth_product_b_cols(const berth_product_t *product) {
  return product->transpose_b ? product->k : product->n;
}

// What BiasAdd and BiasAddV1 do: an addition that broadcasts. The shape of the
// biases as they are added to input 0: the channels, and a 1 for every
// dimension behind them.
//
//   [8,5,5,3] + [3], the channels last     rank 1: 3
//   [8,3,5,5] + [3], the channels first    rank 3: 3 1 1
typedef struct berth_bias {
  int32_t rank;
  int64_t dims[BERTH_MAX_RANK];  // |rank| of them are set.
} berth_bias_t;

// Checks |op|, sets its output and describes the biases in |*out_bias|.
BERTH_NODISCARD berth_code_t berth_op_bias_add(berth_case_t *op,
                                               berth_bias_t *out_bias,
                                               berth_error_t *err);

#endif  // BERTH_OP_MATRIX_H_
