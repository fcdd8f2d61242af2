// einsum.h - What an Einsum means: loops over labels.
//
//   ij,jk->ik    for i: for k: out[i,k] = sum over j of a[i,j] b[j,k]
//
// Each label is a loop. A label that an operand has twice walks along its
// diagonal: its steps are added. One that it lacks, and a dimension of one that
// is broadcast, has a step of 0. The dimensions of an ellipsis are labels, too.
//
// Threads: thread-safe.
#ifndef BERTH_OP_EINSUM_H_
#define BERTH_OP_EINSUM_H_

#include "op/case.h"

enum { BERTH_EINSUM_LOOPS = 24, BERTH_EINSUM_INPUTS = 2 };

typedef struct berth_einsum {
  berth_dtype_t dtype;
  int32_t inputs;   // One or two.
  int64_t outputs;  // Elements of the output.
  int32_t kept;     // Loops over the output, in its order, come first;
  int32_t count;    // those that are summed over follow.
  int64_t dims[BERTH_EINSUM_LOOPS];
  // By operand, the output last; in elements.
  int64_t steps[BERTH_EINSUM_INPUTS + 1][BERTH_EINSUM_LOOPS];
  // The output has a label twice: what is beside its diagonal is zero.
  bool has_diagonal;
} berth_einsum_t;

// Reads the equation of |op|, an Einsum, checks the inputs against it, sets the
// shape of the output and describes the loops in |*out_einsum|. Fails with
// BERTH_INVALID_ARGUMENT as TensorFlow does, and with BERTH_UNIMPLEMENTED for
// more than two inputs or BERTH_EINSUM_LOOPS labels.
BERTH_NODISCARD berth_code_t berth_op_einsum(berth_case_t *op,
                                             berth_einsum_t *out_einsum,
                                             berth_error_t *err);

#endif  // BERTH_OP_EINSUM_H_
