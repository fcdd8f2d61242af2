// index.h - Ops that pick elements by index, and those that say where elements
// stand.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words,
// BERTH_UNIMPLEMENTED for what TensorFlow does not do either, and
// BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_INDEX_H_
#define BERTH_OP_INDEX_H_

#include "op/case.h"

// ---- gather.c ----

// What Gather and GatherV2 do. Parameters are seen as
// [batch, outer, limit, inner], indices as [batch, count], and the result is
// [batch, outer, count, inner]:
//
//   result[b, o, i, :] = params[b, o, indices[b, i], :]
typedef struct berth_gather {
  int64_t total;  // Elements of the result; 0: there is no work, nor the rest.
  int64_t batch, outer, limit, count, inner;
} berth_gather_t;

// Checks |op|, sets its output and describes the work. Whether indices are in
// [0, limit) is for the kernel to see.
BERTH_NODISCARD berth_code_t berth_op_gather(berth_case_t *op,
                                             berth_gather_t *out_gather,
                                             berth_error_t *err);

// ---- one_hot.c ----

// What OneHot does. Indices are seen as [prefix, suffix] around the new axis;
// the result is [prefix, depth, suffix], off everywhere but where the index
// says on.
typedef struct berth_one_hot {
  int64_t count;  // Elements of the result; 0: there is no work, nor the rest.
  int64_t prefix, depth, suffix;
} berth_one_hot_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_one_hot(berth_case_t *op,
                                              berth_one_hot_t *out_one_hot,
                                              berth_error_t *err);

// ---- where.c ----

// The places of the elements of input 0 that are not zero. How many there are
// is known only when they have been looked at.
BERTH_NODISCARD berth_code_t berth_op_where(berth_case_t *op,
                                            berth_error_t *err);

// The different elements of a vector, and which of them each one is.
BERTH_NODISCARD berth_code_t berth_op_unique(berth_case_t *op,
                                             berth_error_t *err);

// Where each number stands in a permutation.
BERTH_NODISCARD berth_code_t berth_op_invert_permutation(berth_case_t *op,
                                                         berth_error_t *err);

#endif  // BERTH_OP_INDEX_H_
