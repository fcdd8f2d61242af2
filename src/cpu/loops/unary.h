// unary.h - The loops of ops with one input.
//
// As binary.h: tables per instruction set for the types in most use, and others
// for all types. All are made from op/unary_list.inc.
#ifndef BERTH_CPU_LOOPS_UNARY_H_
#define BERTH_CPU_LOOPS_UNARY_H_

#include "cpu/isa.h"
#include "cpu/ops/form.h"
#include "cpu/ops/sweep.h"
#include "op/scalar.h"

// By slot, then by function. NULL: no such loop.
typedef struct berth_unary_hot {
  const berth_loop_fn *at[BERTH_FORM_HOT_COUNT];
  // Of half and bfloat16 what rounds in between, on floats. NULL: as float.
  const berth_loop_fn *half, *bfloat16;
} berth_unary_hot_t;

BERTH_ISA_TABLE(berth_unary_hot_t, berth_cpu_unary_hot);

// For the slots that are not hot.
extern const berth_loop_fn *const berth_cpu_unary_rest[BERTH_FORM_COUNT];

// Returns the loop of |op| for elements of |dtype|, or NULL.
berth_loop_fn berth_unary_loop(berth_unary_op_t op, berth_dtype_t dtype);

#endif  // BERTH_CPU_LOOPS_UNARY_H_
