// binary.h - The loops of ops with two inputs.
//
// Tables per instruction set for the types in most use, and others for all
// types. All are made from op/binary_list.inc.
#ifndef BERTH_CPU_LOOPS_BINARY_H_
#define BERTH_CPU_LOOPS_BINARY_H_

#include "cpu/isa.h"
#include "cpu/ops/form.h"
#include "cpu/ops/sweep.h"
#include "op/scalar.h"

// By slot, then by function. An entry without functions: no such loop.
typedef struct berth_binary_hot {
  const berth_loops_t *at[BERTH_FORM_HOT_COUNT];
  // Of half and bfloat16 what rounds in between, on floats.
  const berth_loops_t *half, *bfloat16;
  // Of the function with a slope: of float and double.
  berth_slope_fn slope_f32, slope_f64;
} berth_binary_hot_t;

BERTH_ISA_TABLE(berth_binary_hot_t, berth_cpu_binary_hot);

// NULL for float and double; what both have is faster there.
extern const berth_loops_t *const berth_cpu_binary_rest[BERTH_FORM_COUNT];

// Returns the loops of |op| for elements of |dtype|, or NULL.
const berth_loops_t *berth_binary_loops(berth_binary_op_t op,
                                        berth_dtype_t dtype);

#endif  // BERTH_CPU_LOOPS_BINARY_H_
