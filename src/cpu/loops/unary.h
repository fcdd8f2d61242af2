// unary.h - The loops of ops with one input.
//
// As binary.h: a table per instruction set for the types in most use, and one
// for all others.
#ifndef BERTH_CPU_LOOPS_UNARY_H_
#define BERTH_CPU_LOOPS_UNARY_H_

#include "cpu/isa.h"
#include "cpu/ops/slot.h"
#include "cpu/ops/sweep.h"

typedef enum berth_unary_op {
  BERTH_UNARY_NEG,
  BERTH_UNARY_ABS,
  BERTH_UNARY_SQUARE,
  BERTH_UNARY_SIGN,
  BERTH_UNARY_SQRT,
  BERTH_UNARY_RSQRT,
  BERTH_UNARY_RECIPROCAL,
  BERTH_UNARY_FLOOR,
  BERTH_UNARY_CEIL,
  BERTH_UNARY_ROUND,
  BERTH_UNARY_TRUNC,  // No op of its own; part of a division.
  BERTH_UNARY_EXP,
  BERTH_UNARY_EXPM1,
  BERTH_UNARY_LOG,
  BERTH_UNARY_LOG1P,
  BERTH_UNARY_SIGMOID,
  BERTH_UNARY_TANH,
  BERTH_UNARY_SIN,
  BERTH_UNARY_COS,
  BERTH_UNARY_TAN,
  BERTH_UNARY_ERF,
  BERTH_UNARY_ERFC,
  BERTH_UNARY_RELU,
  BERTH_UNARY_RELU6,
  BERTH_UNARY_ELU,
  BERTH_UNARY_SELU,
  BERTH_UNARY_LEAKY_RELU,
  BERTH_UNARY_SOFTPLUS,
  BERTH_UNARY_SOFTSIGN,
  BERTH_UNARY_IS_NAN,  // From here on the result is a bool.
  BERTH_UNARY_IS_INF,
  BERTH_UNARY_IS_FINITE,
  BERTH_UNARY_NOT,
  BERTH_UNARY_COUNT
} berth_unary_op_t;

typedef struct berth_unary_hot {
  berth_loop_fn at[BERTH_UNARY_COUNT][BERTH_SLOT_HOT_COUNT];
} berth_unary_hot_t;

BERTH_ISA_TABLE(berth_unary_hot_t, berth_cpu_unary_hot);

// For all slots; where both tables have a loop the other one is faster.
extern const berth_loop_fn berth_cpu_unary_rest[BERTH_UNARY_COUNT]
                                               [BERTH_SLOT_COUNT];

// For half and bfloat16, ops that round in between; on floats. The index is 0
// for half, 1 for bfloat16. NULL: as float.
extern const berth_loop_fn berth_cpu_unary_narrow[BERTH_UNARY_COUNT][2];

// Returns the loop of |op| for elements of |dtype|, or NULL.
berth_loop_fn berth_unary_loop(berth_unary_op_t op, berth_dtype_t dtype);

#endif  // BERTH_CPU_LOOPS_UNARY_H_
