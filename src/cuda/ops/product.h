// product.h - Products of many matrices, as cards compute them.
//
// Products lie one behind the other. As far as the steps from one pair of
// inputs to the next are the same they are one strided batch, which is one
// call; where broadcasting breaks the steps that is repeated, level by level:
//
//   [5,1,8,m,k] x [1,4,8,k,n]    levels 5, 4; a batch of 8
//   [5,4,8,m,k] x [k,n]          one product of 160 m rows
//
// Immutable once described.
#ifndef BERTH_CUDA_OPS_PRODUCT_H_
#define BERTH_CUDA_OPS_PRODUCT_H_

#include "kernel/kernel.h"
#include "op/matrix.h"

typedef struct berth_cuda_product {
  berth_dtype_t dtype;
  int64_t m, n, k;
  // As in berth_product_t, but for rows that have become one matrix.
  bool transpose_a, transpose_b;
  bool conj_a, conj_b;
  // The strided batch. Steps count elements; 0 repeats an input.
  int64_t batch, a_step, b_step;
  // The levels around it, outermost first. Borrowed from the arena.
  int32_t levels;
  const int64_t *dims, *a_steps, *b_steps;
  int64_t repeats;  // Product of |dims|.
} berth_cuda_product_t;

// Turns |product|, which has elements, into what cards compute. Levels are made
// in |arena|. Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_cuda_product_from(const berth_product_t *product, berth_arena_t *arena,
                        berth_cuda_product_t *out_product, berth_error_t *err);

// The addresses of one repetition.
typedef struct berth_cuda_operands {
  const void *a;
  const void *b;
  void *c;
} berth_cuda_operands_t;

// Returns those of repetition |index|; |args| are the kernel's.
berth_cuda_operands_t berth_cuda_product_operands(
    const berth_cuda_product_t *product, void *const *args, int64_t index);

// Columns of A and B as they are stored: from one row to the next.
static inline int64_t berth_cuda_product_a_cols(
    const berth_cuda_product_t *product) {
  return product->transpose_a ? product->m : product->k;
}
static inline int64_t berth_cuda_product_b_cols(
    const berth_cuda_product_t *product) {
  return product->transpose_b ? product->k : product->n;
}

#endif  // BERTH_CUDA_OPS_PRODUCT_H_
