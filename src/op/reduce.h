// reduce.h - Ops that make one of many: sums, extremes, and where they are.
//
// A reduction is described by levels, the dimensions of its input as far as
// they matter: those of one index are gone, and neighbours that are both kept
// or both reduced are one. So levels are kept and reduced in turns:
//
//   Sum [2,3,1,4] over 1     2 kept, 3 reduced, 4 kept
//   Sum [2,3,1,4] over 1,3   2 kept, 12 reduced
//   Sum [2,3] over nothing   no work: the output is the input
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_REDUCE_H_
#define BERTH_OP_REDUCE_H_

#include "op/case.h"

// What becomes of the values. All is the least truth value, Any the greatest.
typedef enum berth_reduce {
  BERTH_REDUCE_SUM,
  BERTH_REDUCE_MEAN,
  BERTH_REDUCE_PROD,
  BERTH_REDUCE_MAX,
  BERTH_REDUCE_MIN,
  BERTH_REDUCE_HALF_SQUARES,  // Half the sum of squares.
} berth_reduce_t;

typedef struct berth_reduction_level {
  int64_t count;  // Two indices or more.
  bool is_reduced;
} berth_reduction_level_t;

typedef struct berth_reduction {
  berth_reduce_t kind;
  berth_dtype_t dtype;
  int64_t values;   // Elements of the input; 0: each output is made of nothing.
  int64_t outputs;  // Elements of the output; 0: there is no work.
  // Slowest first, in the arena; none where the input has no elements.
  int32_t level_count;
  const berth_reduction_level_t *levels;
} berth_reduction_t;

// Checks |op|, which reduces input 0 over the dimensions that input 1 names,
// sets its output and describes the work in |*out_reduction|. An output with
// the elements of the input is an alias.
BERTH_NODISCARD berth_code_t berth_op_reduce(berth_case_t *op,
                                             berth_reduce_t kind,
                                             berth_reduction_t *out_reduction,
                                             berth_error_t *err);

// The same over the dimensions that are |reduced|.
BERTH_NODISCARD berth_code_t berth_op_reduce_marked(
    berth_case_t *op, berth_reduce_t kind, const bool *reduced,
    berth_reduction_t *out_reduction, berth_error_t *err);

// The same for BiasAddGrad (bias.c), which reduces all dimensions but that of
// the channels.
BERTH_NODISCARD berth_code_t berth_op_bias_add_grad(
    berth_case_t *op, berth_reduction_t *out_reduction, berth_error_t *err);

// The same for L2Loss, which reduces all of its input. Never an alias.
BERTH_NODISCARD berth_code_t berth_op_l2_loss(berth_case_t *op,
                                              berth_reduction_t *out_reduction,
                                              berth_error_t *err);

// What ArgMax and ArgMin do: the input is [outer, n, inner], the output
// [outer, inner] has indices below n. Without elements outer, n and inner are 0
// and there is no work.
typedef struct berth_arg {
  berth_dtype_t dtype;
  berth_dtype_t index_type;
  int64_t outer, n, inner;
} berth_arg_t;

// Checks |op|, sets its output and describes the work in |*out_arg|.
BERTH_NODISCARD berth_code_t berth_op_arg(berth_case_t *op,
                                          berth_arg_t *out_arg,
                                          berth_error_t *err);

#endif  // BERTH_OP_REDUCE_H_
