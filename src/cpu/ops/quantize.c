// quantize.c - Kernels that make numbers whole, and whole numbers fractions.
#include "op/quantize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/quant.h"

// ---- QuantizeAndDequantizeV2 to V4 ----

static berth_code_t fail_range(double min, double max, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Invalid range: input_min %g > input_max %g", min,
                         max);
}

#define T float
#define LARGEST FLT_MAX
#define ROUND_ALL BERTH_ISA_PICK(berth_cpu_quant_loops)->steps
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

enum { AT_ONCE = 256 };  // Numbers that are done together.

#define READ(type)                                   \
  for (int64_t k = 0; k < n; ++k) {                  \
    out[k] = (float)((const type *)data)[begin + k]; \
  }                                                  \
  break
#define WRITE(type)                             \
  for (int64_t k = 0; k < n; ++k) {             \
    ((type *)data)[begin + k] = (type)whole[k]; \
  }                                             \
  break

// Reads |n| whole numbers of |data| from |begin| on.
static void wholes_get(berth_dtype_t type, const void *data, int64_t begin,
                       int64_t n, float *out) {
  switch (type) {
    case BERTH_QINT8:
      READ(int8_t);
    case BERTH_QUINT8:
      READ(uint8_t);
    case BERTH_QINT16:
      READ(int16_t);
    case BERTH_QUINT16:
      READ(uint16_t);
    default:
      READ(int32_t);
  }
}

static void wholes_set(berth_dtype_t type, void *data, int64_t begin, int64_t n,
                       const int64_t *whole) {
  switch (type) {
    case BERTH_QINT8:
      WRITE(int8_t);
    case BERTH_QUINT8:
      WRITE(uint8_t);
    case BERTH_QINT16:
      WRITE(int16_t);
    case BERTH_QUINT16:
      WRITE(uint16_t);
    default:
      WRITE(int32_t);
  }
}
#undef READ
#undef WRITE

static bool is_signed(berth_dtype_t type) {
  return type != BERTH_QUINT8 && type != BERTH_QUINT16;
}

// True when a loop that is at |i|, AT_ONCE by AT_ONCE, is to look whether it was
// ended.
static bool looks_at(int64_t i) {
  return i / BERTH_CPU_POLL != (i + AT_ONCE) / BERTH_CPU_POLL;
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

// Rounds halves away from 0, as roundf() does: what is added is the largest
// number below a half. Large ones are whole.
static inline float round_away(float x) {
  const float large = 8388608.0f;
  float size = fabsf(x), small = size < large ? size : 0;
  float whole = (float)(int32_t)(small + 0.49999997f);
  return size < large ? copysignf(whole, x) : x;
}

static inline float clip(float x, float min, float max) {
  x = x > max ? max : x;
  return x < min ? min : x;
}

static void wholes_first(const plan_t *plan, const steps_t *s, const float *x,
                         int64_t n, int64_t *out) {
  for (int64_t i = 0; i < n; ++i) {
    double value = (double)round_away(x[i] * s->scale) + s->behind;
    value = value < plan->low ? plan->low : value;
    out[i] = (int64_t)(value > plan->high ? plan->high : value);
  }
}

static void wholes_scaled(const steps_t *s, bool to_even, const float *x,
                          int64_t n, int64_t *out) {
  for (int64_t i = 0; i < n; ++i) {
    float value = (clip(x[i], s->min, s->max) - s->shift) * s->scale;
    out[i] = (int64_t)(to_even ? rintf(value) : round_away(value));
  }
}

// |behind| is 0 where numbers have no sign: they are cut off behind a half.
static void wholes_combined(const steps_t *s, bool has_sign, const float *x,
                            int64_t n, int64_t *out) {
  float behind = (float)s->behind;
  for (int64_t i = 0; i < n; ++i) {
    float value = (clip(x[i], s->min, s->max) - s->shift) * s->scale;
    out[i] = (int64_t)(has_sign ? round_away(value + behind) : value + 0.5f);
  }
}

// Makes |n| numbers, at most AT_ONCE, whole.
static void wholes_of(const plan_t *plan, const steps_t *s, const float *x,
                      int64_t n, int64_t *out) {
  switch (plan->quant.mode) {
    case BERTH_QUANT_FIRST:
      wholes_first(plan, s, x, n, out);
      return;
    case BERTH_QUANT_SCALED:
      wholes_scaled(s, plan->quant.rounds_to_even, x, n, out);
      return;
    default:
      wholes_combined(s, is_signed(plan->type), x, n, out);
  }
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
      int64_t at = (b * q->depth + k) * q->after, end = at + q->after;
      for (; at < end; at += AT_ONCE) {
        int64_t n = end - at < AT_ONCE ? end - at : AT_ONCE, whole[AT_ONCE];
        wholes_of(plan, &s, x + at, n, whole);
        wholes_set(plan->type, args[3], at, n, whole);
        if (looks_at(at) && berth_cpu_has_ended(call)) return BERTH_OK;
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

static void put_line(berth_dtype_t to, const line_t *line, const float *x,
                     int64_t n, void *out, int64_t at) {
  line_t l = *line;
  for (int64_t i = 0; i < n && to == BERTH_FLOAT; ++i) {
    ((float *)out)[at + i] = (x[i] + l.half) * l.step + l.first;
  }
  for (int64_t i = 0; i < n && to != BERTH_FLOAT; ++i) {
    berth_number_set(to, out, at + i,
                     (double)((x[i] + l.half) * l.step + l.first));
  }
}

static berth_code_t run_dequantize(const void *data, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = data;
  const berth_quant_t *q = &plan->quant;
  const float *min = args[1], *max = args[2];
  for (int64_t k = 0; k < q->depth; ++k) {
    line_t line = line_of(plan, min[k], max[k]);
    for (int64_t b = 0; b < q->before; ++b) {
      int64_t at = (b * q->depth + k) * q->after, end = at + q->after;
      for (; at < end; at += AT_ONCE) {
        int64_t n = end - at < AT_ONCE ? end - at : AT_ONCE;
        float x[AT_ONCE];
        wholes_get(plan->type, args[0], at, n, x);
        put_line(plan->to, &line, x, n, args[3], at);
        if (looks_at(at) && berth_cpu_has_ended(call)) return BERTH_OK;
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
