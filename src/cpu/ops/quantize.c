// quantize.c - Kernels that make numbers whole, and whole numbers fractions.
#include "op/quantize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"

// ---- QuantizeAndDequantizeV2 to V4 ----

static berth_code_t fail_range(double min, double max, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Invalid range: input_min %g > input_max %g", min,
                         max);
}

#define T float
#define LARGEST FLT_MAX
#define RINT rintf
#define FLOOR floorf
#include "cpu/ops/quantize_slot.inc"

#define T double
#define LARGEST DBL_MAX
#define RINT rint
#define FLOOR floor
#include "cpu/ops/quantize_slot.inc"

static berth_code_t prepare_round(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_quant_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_round_quant(&prepare->op, plan, err));
  bool is_float = prepare->op.inputs[0].dtype == BERTH_FLOAT;
  prepare->run = is_float ? run_round_float : run_round_double;
  prepare->work = prepare->op.inputs[0].count * 4;
  return BERTH_OK;
}

static berth_code_t prepare_round_grad(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_quant_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_round_quant_grad(&prepare->op, plan, err));
  bool is_float = prepare->op.inputs[0].dtype == BERTH_FLOAT;
  prepare->run = is_float ? run_grad_float : run_grad_double;
  prepare->work = prepare->op.inputs[0].count * 2;
  return BERTH_OK;
}

// ---- QuantizeV2, Dequantize ----

typedef struct plan {
  berth_quant_t quant;
  berth_dtype_t type;  // Of whole numbers.
  berth_dtype_t to;    // Of fractions.
  double low, high;    // The least and largest whole number.
} plan_t;

static int64_t whole_at(berth_dtype_t type, const void *data, int64_t i) {
  switch (type) {
    case BERTH_QINT8:
      return ((const int8_t *)data)[i];
    case BERTH_QUINT8:
      return ((const uint8_t *)data)[i];
    case BERTH_QINT16:
      return ((const int16_t *)data)[i];
    case BERTH_QUINT16:
      return ((const uint16_t *)data)[i];
    default:
      return ((const int32_t *)data)[i];
  }
}

static void whole_set(berth_dtype_t type, void *data, int64_t i, int64_t x) {
  switch (type) {
    case BERTH_QINT8:
      ((int8_t *)data)[i] = (int8_t)x;
      break;
    case BERTH_QUINT8:
      ((uint8_t *)data)[i] = (uint8_t)x;
      break;
    case BERTH_QINT16:
      ((int16_t *)data)[i] = (int16_t)x;
      break;
    case BERTH_QUINT16:
      ((uint16_t *)data)[i] = (uint16_t)x;
      break;
    default:
      ((int32_t *)data)[i] = (int32_t)x;
      break;
  }
}

static bool is_signed(berth_dtype_t type) {
  return type != BERTH_QUINT8 && type != BERTH_QUINT16;
}

// How a slice is made whole: x is clipped to [min, max], |shift| is taken off,
// and what is left multiplied.
typedef struct steps {
  float min, max, shift, scale;
  double behind;  // Added after the multiplication.
} steps_t;

static steps_t scaled_steps(const plan_t *plan, float min, float max) {
  float low = (float)plan->low + (plan->quant.is_narrow ? 1.0f : 0.0f);
  float high = (float)plan->high;
  float from_min = low * min > 0 ? low / min : FLT_MAX;
  float from_max = high * max > 0 ? high / max : FLT_MAX;
  steps_t s = {.scale = from_min < from_max ? from_min : from_max};
  s.min = low / s.scale;
  s.max = high / s.scale;
  return s;
}

static steps_t steps_of(const plan_t *plan, float in_min, float in_max) {
  float most = fmaxf(1.0f, fmaxf(fabsf(in_min), fabsf(in_max)));
  float min = fminf(0.0f, in_min);
  float max = fmaxf(in_max, min + most * plan->quant.least_range);
  max = fmaxf(0.0f, max);
  if (plan->quant.mode == BERTH_QUANT_SCALED) {
    return scaled_steps(plan, min, max);
  }
  steps_t s = {.min = min, .max = max};
  if (plan->quant.mode == BERTH_QUANT_COMBINED) {
    s.scale = (float)((plan->high - plan->low) / (double)(max - min));
    s.shift = min;
    s.behind = is_signed(plan->type)
                   ? -(double)(float)((plan->high - plan->low + 1) / 2.0)
                   : 0;
    return s;
  }
  s.scale = max == min ? 0 : (float)((plan->high - plan->low) / (max - min));
  s.behind = -((double)roundf(min * s.scale) - plan->low);
  return s;
}

static int64_t whole_of(const plan_t *plan, const steps_t *s, float x) {
  float in = x > s->max ? s->max : x;
  in = in < s->min ? s->min : in;
  if (plan->quant.mode == BERTH_QUANT_FIRST) {
    double value = (double)roundf(x * s->scale) + s->behind;
    value = value < plan->low ? plan->low : value;
    return (int64_t)(value > plan->high ? plan->high : value);
  }
  float value = (in - s->shift) * s->scale;
  if (plan->quant.mode == BERTH_QUANT_SCALED) {
    return (int64_t)(plan->quant.rounds_to_even ? rintf(value) : roundf(value));
  }
  if (!is_signed(plan->type)) return (int64_t)(value + 0.5f);
  return (int64_t)roundf(value + (float)s->behind);
}

static berth_code_t run_quantize(const void *data, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = data;
  const berth_quant_t *q = &plan->quant;
  const float *x = args[0], *min = args[1], *max = args[2];
  float *out_min = args[4], *out_max = args[5];
  for (int64_t k = 0; k < q->depth; ++k) {
    if (!(max[k] >= min[k])) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "input_max_range must be larger than input_min_range.");
    }
    steps_t s = steps_of(plan, min[k], max[k]);
    out_min[k] = s.min;
    out_max[k] = s.max;
    for (int64_t b = 0; b < q->before; ++b) {
      int64_t at = (b * q->depth + k) * q->after;
      for (int64_t i = at; i < at + q->after; ++i) {
        if (berth_cpu_ends_at(call, i)) return BERTH_OK;
        whole_set(plan->type, args[3], i, whole_of(plan, &s, x[i]));
      }
    }
  }
  return BERTH_OK;
}

// How whole numbers become fractions: first + x * step, or (x + half) * step
// + first.
typedef struct line {
  float step, first, half;
} line_t;

static line_t line_of(const plan_t *plan, float min, float max) {
  float low = (float)plan->low, high = (float)plan->high;
  if (plan->quant.mode == BERTH_QUANT_SCALED) {
    float narrow = plan->quant.is_narrow ? 1.0f : 0.0f;
    line_t line = {.step = max / high};
    if (low != 0) line.step = fmaxf(min / (low + narrow), line.step);
    return line;
  }
  if (plan->quant.mode == BERTH_QUANT_COMBINED) {
    line_t line = {.step = (max - min) / (high - low), .first = min};
    if (is_signed(plan->type)) {
      line.half = (float)((plan->high - plan->low + 1) / 2.0);
    }
    return line;
  }
  line_t line = {.step =
                     (float)((double)(max - min) / (plan->high - plan->low))};
  float rounded = max == min ? min : roundf(min / line.step) * line.step;
  line.first = rounded - low * line.step;
  return line;
}

static berth_code_t run_dequantize(const void *data, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = data;
  const berth_quant_t *q = &plan->quant;
  const float *min = args[1], *max = args[2];
  for (int64_t k = 0; k < q->depth; ++k) {
    line_t line = line_of(plan, min[k], max[k]);
    for (int64_t b = 0; b < q->before; ++b) {
      int64_t at = (b * q->depth + k) * q->after;
      for (int64_t i = at; i < at + q->after; ++i) {
        if (berth_cpu_ends_at(call, i)) return BERTH_OK;
        float x = (float)whole_at(plan->type, args[0], i);
        berth_number_set(plan->to, args[3], i,
                         (double)((x + line.half) * line.step + line.first));
      }
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_whole(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_node_t *node = prepare->op.node;
  bool is_forth = strcmp(node->op->name, "QuantizeV2") == 0;
  plan->type = is_forth ? node->output_types[0] : prepare->op.inputs[0].dtype;
  plan->to = node->output_types[0];
  double steps = pow(2, (double)berth_dtype_size(plan->type) * 8);
  plan->low = is_signed(plan->type) ? -steps / 2 : 0;
  plan->high = plan->low + steps - 1;
  BERTH_TRY(is_forth ? berth_op_quantize(&prepare->op, &plan->quant, err)
                     : berth_op_dequantize(&prepare->op, &plan->quant, err));
  prepare->run = is_forth ? run_quantize : run_dequantize;
  prepare->work = prepare->op.inputs[0].count * 8;
  return BERTH_OK;
}

#define FRACTIONS                                   \
  {                                                 \
    { "T", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) } \
  }

const berth_kernel_t berth_cpu_quantize_kernels[] = {
    {.op = "QuantizeAndDequantizeV2",
     .types = FRACTIONS,
     .prepare = prepare_round},
    {.op = "QuantizeAndDequantizeV3",
     .types = FRACTIONS,
     .prepare = prepare_round},
    {.op = "QuantizeAndDequantizeV4",
     .types = FRACTIONS,
     .prepare = prepare_round},
    {.op = "QuantizeAndDequantizeV4Grad",
     .types = FRACTIONS,
     .prepare = prepare_round_grad},
    {.op = "QuantizeV2",
     .types = {{"T", BERTH_TYPES_QUANTIZED}},
     .prepare = prepare_whole},
    {.op = "Dequantize",
     .types = {{"T", BERTH_TYPES_QUANTIZED}},
     .prepare = prepare_whole},
    {.op = NULL},
};
