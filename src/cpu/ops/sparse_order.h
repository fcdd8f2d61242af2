// sparse_order.h - The order of places of sparse tensors, and their elements.
//
// Pure functions.
#ifndef BERTH_CPU_OPS_SPARSE_ORDER_H_
#define BERTH_CPU_OPS_SPARSE_ORDER_H_

#include "tensor/tensor.h"

// A place, and which of them it is.
typedef struct berth_sparse_entry {
  const int64_t *at;  // Borrowed; |rank| indices.
  int64_t rank;
  int64_t index;
} berth_sparse_entry_t;

enum { BERTH_SPARSE_TEXT = 256 };

// Compares two places of |rank| indices: below 0, 0 or above 0.
int berth_sparse_compare(const int64_t *a, const int64_t *b, int64_t rank);

// True when |count| places of |rank| indices each ascend; some may be equal.
bool berth_sparse_is_sorted(const int64_t *at, int64_t count, int64_t rank);

// Puts |count| entries in order; equal ones stay as they were.
void berth_sparse_sort(berth_sparse_entry_t *entries, int64_t count);

// Checks that |count| places lie in |shape| and each behind the one before.
// Fails with BERTH_INVALID_ARGUMENT, in TensorFlow's words behind |prefix|.
BERTH_NODISCARD berth_code_t berth_sparse_validate(const int64_t *at,
                                                   int64_t count,
                                                   berth_dims_t shape,
                                                   const char *prefix,
                                                   berth_error_t *err);

// Checks that the places of |at|, a matrix, lie in |shape|, a vector of as many
// numbers as a place has. Fails with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_sparse_inside(const berth_tensor_t *at,
                                                 const berth_tensor_t *shape,
                                                 berth_error_t *err);

// Copies |count| elements of |values| from |from| on to |to| and behind it in
// |out|. Fails with BERTH_RESOURCE_EXHAUSTED, for strings alone.
BERTH_NODISCARD berth_code_t berth_sparse_copy(const berth_tensor_t *values,
                                               int64_t from, int64_t count,
                                               void *out, int64_t to,
                                               berth_error_t *err);

// Returns the numbers of a vector as TensorFlow's messages list them: the first
// ten, with spaces between them.
const char *berth_sparse_text(const berth_tensor_t *vector,
                              char text[BERTH_SPARSE_TEXT]);

#endif  // BERTH_CPU_OPS_SPARSE_ORDER_H_
