// set.h - Sets: the elements along the last dimension of a tensor, or of a
// sparse one.
#ifndef BERTH_OP_SET_H_
#define BERTH_OP_SET_H_

#include "op/case.h"

// What two sets become.
typedef enum berth_set_how {
  BERTH_SET_LESS = 0,  // What the first has and the second has not.
  BERTH_SET_MORE,      // The other way round.
  BERTH_SET_BOTH,
  BERTH_SET_EITHER
} berth_set_how_t;

typedef struct berth_set {
  berth_set_how_t how;
  bool validates;     // Places of sparse tensors are in order.
  bool is_sparse[2];  // Of both, three inputs each; else one.
} berth_set_t;

// Check |op| as far as shapes go and describe the work: an operation on two
// tensors of sets, and SetSize. The outputs are known when it has run. Fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_set_operation(berth_case_t *op,
                                                    berth_set_t *out,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_set_size(berth_case_t *op,
                                               berth_set_t *out,
                                               berth_error_t *err);

#endif  // BERTH_OP_SET_H_
