// sparse_check.h - What families of sparse tensors check alike.
#ifndef BERTH_OP_SPARSE_CHECK_H_
#define BERTH_OP_SPARSE_CHECK_H_

#include "graph/shape_fn.h"
#include "op/case.h"

// Says that all outputs of |op| are known only when it has run.
static inline berth_code_t berth_sparse_makes_all(berth_case_t *op) {
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

// Checks the places, values and shape that are inputs |first| to |first| + 2:
// `Sparse indices must be rank 2 but is rank 1`, and so on.
BERTH_NODISCARD berth_code_t berth_sparse_check(const berth_case_t *op,
                                                int first, berth_error_t *err);

// Checks the ranks of a node's inputs, a digit each; "-" is any.
BERTH_NODISCARD berth_code_t berth_sparse_ranks(berth_shape_context_t *c,
                                                const char *ranks,
                                                berth_error_t *err);

// Says that output |index| is a matrix of |m| x |n|, -1 for what is not known.
BERTH_NODISCARD berth_code_t berth_sparse_matrix(berth_shape_context_t *c,
                                                 int index, int64_t m,
                                                 int64_t n, berth_error_t *err);

#endif  // BERTH_OP_SPARSE_CHECK_H_
