// train.h - Ops by which optimisers update variables: ApplyAdam and its like,
// through references and handles, of whole variables and by rows.
//
// All take the variable, its slots, scalars and a gradient; those by rows also
// the indices of the rows that the gradient is for. What one computes for each
// element is a function of train_list.inc. Shapes of variables are known when
// an op runs: the checks that wait for it are here, too.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_TRAIN_H_
#define BERTH_OP_TRAIN_H_

#include "op/case.h"

// BERTH_TRAIN_ADAM …
typedef enum berth_train_function {
#define TRAIN(NAME, ...) BERTH_TRAIN_##NAME,
#include "op/train_list.inc"
  BERTH_TRAIN_COUNT
} berth_train_function_t;

enum { BERTH_TRAIN_VARIABLES = 4, BERTH_TRAIN_SCALARS = 6 };

// What must hold of a scalar's value, where a device can tell.
typedef enum berth_train_sign {
  BERTH_TRAIN_ANY,
  BERTH_TRAIN_POSITIVE,
  BERTH_TRAIN_NOT_NEGATIVE,
  BERTH_TRAIN_NOT_POSITIVE,
} berth_train_sign_t;

typedef struct berth_train {
  berth_train_function_t function;
  const berth_node_t *node;  // For messages. Borrowed; outlives this.
  bool is_ref;               // Variables are references; the first is given on.
  bool is_sparse;
  berth_dtype_t dtype, index_type;
  int32_t variable_count;  // The first inputs: the variable, then its slots.
  int32_t grad, indices;   // Inputs.
  int32_t scalar_count;
  int32_t scalars[BERTH_TRAIN_SCALARS];  // Inputs, in their order.
  berth_train_sign_t signs[BERTH_TRAIN_SCALARS];
  berth_dims_t grad_dims;  // In the op's arena.
  int64_t index_count;     // Rows; 0 for those of whole variables.
} berth_train_t;

// Checks |op|, sets its output, if it has one, and describes the work.
BERTH_NODISCARD berth_code_t berth_op_train(berth_case_t *op,
                                            berth_train_t *out_train,
                                            berth_error_t *err);

// Fails unless slot |index| (1 or more), which has |slot| as its dimensions, is
// one of a variable that has |variable|.
BERTH_NODISCARD berth_code_t berth_train_check_slot(const berth_train_t *train,
                                                    int index,
                                                    berth_dims_t variable,
                                                    berth_dims_t slot,
                                                    berth_error_t *err);

// Fails unless the gradient fits a variable of |variable|.
BERTH_NODISCARD berth_code_t berth_train_check_gradient(
    const berth_train_t *train, berth_dims_t variable, berth_error_t *err);

// Fails unless scalar |index| may be |value|.
BERTH_NODISCARD berth_code_t berth_train_check_value(const berth_train_t *train,
                                                     int index, double value,
                                                     berth_error_t *err);

// Sets the error of index number |at|, |index|, which is none of |rows|.
berth_code_t berth_train_fail_index(const berth_train_t *train, int64_t at,
                                    int64_t index, int64_t rows,
                                    berth_error_t *err);

#endif  // BERTH_OP_TRAIN_H_
