// binary.h - The loops of ops with two inputs.
//
// One table per instruction set for the types in most use, one table for all
// others. An entry without functions: no such loop.
#ifndef BERTH_CPU_LOOPS_BINARY_H_
#define BERTH_CPU_LOOPS_BINARY_H_

#include "cpu/isa.h"
#include "cpu/ops/slot.h"
#include "cpu/ops/sweep.h"

typedef enum berth_binary_op {
  BERTH_BINARY_ADD,
  BERTH_BINARY_SUB,
  BERTH_BINARY_MUL,
  BERTH_BINARY_DIV,
  BERTH_BINARY_TRUNC_DIV,
  BERTH_BINARY_FLOOR_DIV,
  BERTH_BINARY_TRUNC_MOD,
  BERTH_BINARY_FLOOR_MOD,
  BERTH_BINARY_MAX,
  BERTH_BINARY_MIN,
  BERTH_BINARY_POW,
  BERTH_BINARY_SQUARED_DIFFERENCE,
  BERTH_BINARY_DIV_NO_NAN,
  BERTH_BINARY_MUL_NO_NAN,
  BERTH_BINARY_XDIVY,
  BERTH_BINARY_XLOGY,
  BERTH_BINARY_ATAN2,
  BERTH_BINARY_EQUAL,
  BERTH_BINARY_NOT_EQUAL,
  BERTH_BINARY_LESS,
  BERTH_BINARY_LESS_EQUAL,
  BERTH_BINARY_AND,
  BERTH_BINARY_OR,
  BERTH_BINARY_COUNT
} berth_binary_op_t;

typedef struct berth_binary_hot {
  berth_loops_t at[BERTH_BINARY_COUNT][BERTH_SLOT_HOT_COUNT];
} berth_binary_hot_t;

BERTH_ISA_TABLE(berth_binary_hot_t, berth_cpu_binary_hot);

// For all slots; where both tables have a loop the other one is faster.
extern const berth_loops_t berth_cpu_binary_rest[BERTH_BINARY_COUNT]
                                                [BERTH_SLOT_COUNT];

// Returns the loops of |op| for elements of |dtype|, or NULL.
const berth_loops_t *berth_binary_loops(berth_binary_op_t op,
                                        berth_dtype_t dtype);

// Sets the shape of output 0, of type |output|, to what inputs 0 and 1
// broadcast to. Fails with BERTH_INVALID_ARGUMENT when they do not, and with
// BERTH_RESOURCE_EXHAUSTED when there can be no such tensor.
BERTH_NODISCARD berth_code_t berth_binary_prepare_shape(
    berth_prepare_t *prepare, berth_dtype_t output, berth_error_t *err);

#endif  // BERTH_CPU_LOOPS_BINARY_H_
