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

// ---- scatter.c ----

// How a value joins what is there.
typedef enum berth_combine {
  BERTH_COMBINE_SET,
  BERTH_COMBINE_ADD,
  BERTH_COMBINE_SUB,
  BERTH_COMBINE_MUL,
  BERTH_COMBINE_DIV,
  BERTH_COMBINE_MIN,
  BERTH_COMBINE_MAX
} berth_combine_t;

// Places in a tensor of |shape|: |count| of them, each |depth| indices that
// lead to a slice of |slice| elements.
typedef struct berth_places {
  berth_dtype_t dtype;       // Of what lies there.
  berth_dtype_t index_type;  // Of the indices.
  int64_t count;
  int32_t depth;
  int64_t slice;
  berth_dims_t shape;  // What the places are in.
  berth_dims_t outer;  // Of the places themselves, for messages.
} berth_places_t;

// GatherNd: reads the slices of input 0 at the places that are input 1. Checks
// |op|, sets its output and describes the work. Whether places are inside is
// for the kernel to see, here and below.
BERTH_NODISCARD berth_code_t berth_op_gather_nd(berth_case_t *op,
                                                berth_places_t *out_places,
                                                berth_error_t *err);

// What ops do that write slices.
typedef struct berth_scatter {
  berth_combine_t combine;
  bool is_nd;   // Places are coordinates, not indices of the first dimension.
  bool is_ref;  // The variable is a reference, which the op gives on.
  bool is_one;  // One element for all.
  berth_dtype_t dtype, index_type;
  berth_dims_t indices, updates;  // In the op's arena.
} berth_scatter_t;

// ScatterNd: zeros with slices added; TensorScatterAdd and its like: input 0
// with slices written. Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_scatter_nd(berth_case_t *op,
                                                 berth_combine_t *out_combine,
                                                 berth_places_t *out_places,
                                                 berth_error_t *err);

// ScatterAdd and its like, of references and of resources: sets the output of
// |op|, if it has one, and describes the work as far as it is known before the
// variable is.
BERTH_NODISCARD berth_code_t berth_op_scatter(berth_case_t *op,
                                              berth_scatter_t *out_scatter,
                                              berth_error_t *err);

// Checks that |scatter| fits a variable of |shape|, and says where.
BERTH_NODISCARD berth_code_t berth_scatter_check(const berth_scatter_t *scatter,
                                                 berth_dims_t shape,
                                                 berth_places_t *out_places,
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

// ---- unravel.c, bucketize.c ----

// UnravelIndex: checks |op| and sets its output.
BERTH_NODISCARD berth_code_t berth_op_unravel(berth_case_t *op,
                                              berth_error_t *err);

// Bucketize: checks |op|, whose boundaries must be in order, and sets its
// output.
BERTH_NODISCARD berth_code_t berth_op_bucketize(berth_case_t *op,
                                                berth_error_t *err);

// ---- sparse.c ----

// What SparseToDense does: |places| elements, or one for all of them, go into
// a tensor of |count| elements; a place is |rank| numbers.
typedef struct berth_sparse {
  int64_t count, places;
  int32_t rank;
  bool checks_order;  // Places must come in order, none of them twice.
  bool is_one;        // One element for all places.
} berth_sparse_t;

// Checks |op|, sets its output and describes the work. Whether places are in
// the tensor is for the kernel to see.
BERTH_NODISCARD berth_code_t berth_op_sparse_to_dense(
    berth_case_t *op, berth_sparse_t *out_sparse, berth_error_t *err);

#endif  // BERTH_OP_INDEX_H_
