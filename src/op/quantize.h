// quantize.h - Ops that make numbers whole, or whole numbers fractions again.
#ifndef BERTH_OP_QUANTIZE_H_
#define BERTH_OP_QUANTIZE_H_

#include "op/case.h"

// How whole numbers stand for a range.
typedef enum berth_quant_mode {
  BERTH_QUANT_COMBINED = 0,  // MIN_COMBINED: the least is the range's least.
  BERTH_QUANT_FIRST,         // MIN_FIRST: the same, moved so that 0 is exact.
  BERTH_QUANT_SCALED         // SCALED: 0 is 0.
} berth_quant_mode_t;

// Numbers of |before| x |depth| x |after|; each of |depth| slices has a range
// of its own.
typedef struct berth_quant {
  berth_quant_mode_t mode;
  bool rounds_to_even;  // Halves; else as the op has it.
  bool is_signed, is_narrow, has_range;
  int bits;
  float low, high;    // The range, where it is not an input.
  float least_range;  // How far the ends of a range are apart, at least.
  int64_t before, depth, after;
} berth_quant_t;

// Check |op|, set its outputs and describe the work: QuantizeAndDequantizeV2 to
// V4, whose ranges are inputs 1 and 2 when |has_range|; the gradient of the
// last; QuantizeV2; Dequantize. Fail with BERTH_INVALID_ARGUMENT in
// TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_round_quant(berth_case_t *op,
                                                  berth_quant_t *out,
                                                  berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_round_quant_grad(berth_case_t *op,
                                                       berth_quant_t *out,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_quantize(berth_case_t *op,
                                               berth_quant_t *out,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_dequantize(berth_case_t *op,
                                                 berth_quant_t *out,
                                                 berth_error_t *err);

#endif  // BERTH_OP_QUANTIZE_H_
