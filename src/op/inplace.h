// inplace.h - Rows of a tensor that are changed, and tensors that are not set.
#ifndef BERTH_OP_INPLACE_H_
#define BERTH_OP_INPLACE_H_

#include "op/case.h"
#include "op/index.h"

// Rows that are joined with others: output 0 is input 0, but for those that
// input 1 names.
typedef struct berth_inplace {
  berth_combine_t how;
  berth_dtype_t dtype;
  int64_t rows, cols;  // Of what is changed.
  int64_t changes;     // Rows that change it.
} berth_inplace_t;

// Checks InplaceAdd, InplaceSub or InplaceUpdate and describes it. Fails with
// BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_op_inplace(berth_case_t *op,
                                              berth_inplace_t *out,
                                              berth_error_t *err);

// Checks the types of DeepCopy. Fails with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_op_deep_copy(berth_case_t *op,
                                                berth_error_t *err);

// Sets the output of FakeParam: what is not known of its shape is nothing.
void berth_op_fake(berth_case_t *op);

// Reads the shape of Empty. Fails with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_op_empty(berth_case_t *op,
                                            berth_error_t *err);

#endif  // BERTH_OP_INPLACE_H_
