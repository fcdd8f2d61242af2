// binary_one.h - Functions of two arguments for a single element of each input.
#ifndef BERTH_CPU_OPS_BINARY_ONE_H_
#define BERTH_CPU_OPS_BINARY_ONE_H_

#include "cpu/ops/form.h"
#include "kernel/kernel.h"
#include "op/scalar.h"

// Returns what runs |op| on one element of |slot|, without a loop and a plan;
// NULL for functions and types in lesser use. With |swap| the inputs come the
// other way round.
berth_run_fn berth_binary_one(berth_binary_op_t op, berth_form_t slot,
                              bool swap);

#endif  // BERTH_CPU_OPS_BINARY_ONE_H_
