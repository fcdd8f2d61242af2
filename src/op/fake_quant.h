// fake_quant.h - Ops that round numbers as if they were quantised.
#ifndef BERTH_OP_FAKE_QUANT_H_
#define BERTH_OP_FAKE_QUANT_H_

#include "op/case.h"

// What numbers are rounded to: |high| - |low| steps between two limits.
typedef struct berth_fake_quant {
  int low, high;
  bool has_attrs;      // Limits are |min| and |max|; else inputs.
  bool is_by_channel;  // Each of |depth| channels has limits of its own.
  float min, max;
  int64_t depth;
} berth_fake_quant_t;

// The limits, moved so that zero is one of the steps.
typedef struct berth_nudged {
  float min, max, scale, inverse, zero;
  bool is_none;  // Both limits are zero, and so is every number.
} berth_nudged_t;

// Returns what |min| and |max| become.
berth_nudged_t berth_fake_quant_nudge(const berth_fake_quant_t *quant,
                                      float min, float max);

// Checks |op|, sets its output and describes the work. Fails with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_fake_quant(berth_case_t *op,
                                                 berth_fake_quant_t *out,
                                                 berth_error_t *err);

// The same for a gradient, whose limits are inputs 2 and 3.
BERTH_NODISCARD berth_code_t berth_op_fake_quant_grad(berth_case_t *op,
                                                      berth_fake_quant_t *out,
                                                      berth_error_t *err);

#endif  // BERTH_OP_FAKE_QUANT_H_
