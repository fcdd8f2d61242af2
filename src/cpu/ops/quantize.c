// quantize.c - Kernels that make numbers whole, and whole numbers fractions.
#include "op/quantize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/floats.h"
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
#define LIMITS BERTH_ISA_PICK(berth_cpu_quant_loops)->limits
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

// The loop that reads whole numbers as floats.
static berth_convert_fn reader_of(berth_dtype_t type) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  switch (type) {
    case BERTH_QINT8:
      return loops->INT8_to_FLOAT;
    case BERTH_QUINT8:
      return loops->UINT8_to_FLOAT;
    case BERTH_QINT16:
      return loops->INT16_to_FLOAT;
    case BERTH_QUINT16:
      return loops->UINT16_to_FLOAT;
    default:
      return loops->INT32_to_FLOAT;
  }
}

// The loop that stores whole numbers; NULL: they are stored as they are.
static berth_convert_fn writer_of(berth_dtype_t type) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  size_t size = berth_dtype_size(type);
  return size == 1   ? loops->INT32_to_UINT8
         : size == 2 ? loops->INT32_to_UINT16
                     : NULL;
}

static bool is_signed(berth_dtype_t type) {
  return type != BERTH_QUINT8 && type != BERTH_QUINT16;
}

// True when a loop that is at |i|, AT_ONCE by AT_ONCE, is to look whether it was
// ended.
static bool looks_at(int64_t i) {
  return i / BERTH_CPU_POLL != (i + AT_ONCE) / BERTH_CPU_POLL;
}

static berth_quant_whole_t scaled_steps(const plan_t *plan, float min,
                                        float max) {
  float low = (float)plan->low + (plan->quant.is_narrow ? 1.0f : 0.0f);
  float high = (float)plan->high;
  float from_min = low * min > 0 ? low / min : FLT_MAX;
  float from_max = high * max > 0 ? high / max : FLT_MAX;
  berth_quant_whole_t s = {.how = plan->quant.rounds_to_even
                                      ? BERTH_QUANT_TO_EVEN
                                      : BERTH_QUANT_AWAY,
                           .scale = from_min < from_max ? from_min : from_max};
  s.min = low / s.scale;
  s.max = high / s.scale;
  return s;
}

static berth_quant_whole_t steps_of(const plan_t *plan, float in_min,
                                    float in_max) {
  float most = fmaxf(1.0f, fmaxf(fabsf(in_min), fabsf(in_max)));
  float min = fminf(0.0f, in_min);
  float max = fmaxf(in_max, min + most * plan->quant.least_range);
  max = fmaxf(0.0f, max);
  if (plan->quant.mode == BERTH_QUANT_SCALED) {
    return scaled_steps(plan, min, max);
  }
  berth_quant_whole_t s = {
      .min = min, .max = max, .low = plan->low, .high = plan->high};
  if (plan->quant.mode == BERTH_QUANT_COMBINED) {
    s.how = is_signed(plan->type) ? BERTH_QUANT_AWAY : BERTH_QUANT_UP;
    s.scale = (float)((plan->high - plan->low) / (double)(max - min));
    s.shift = min;
    s.behind = is_signed(plan->type)
                   ? -(double)(float)((plan->high - plan->low + 1) / 2.0)
                   : 0;
    return s;
  }
  s.how = BERTH_QUANT_MOVED;
  s.scale = max == min ? 0 : (float)((plan->high - plan->low) / (max - min));
  s.behind = -((double)roundf(min * s.scale) - plan->low);
  return s;
}

// Makes |n| numbers, at most AT_ONCE, whole.
static void wholes_of(const berth_quant_whole_t *steps, const float *x,
                      int64_t n, berth_convert_fn write, char *out) {
  int32_t whole[AT_ONCE];
  int32_t *to = write == NULL ? (int32_t *)(void *)out : whole;
  BERTH_ISA_PICK(berth_cpu_quant_loops)->whole(x, to, n, steps);
  if (write != NULL) write(whole, out, n);
}

static berth_code_t run_quantize(const void *data, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = data;
  const berth_quant_t *q = &plan->quant;
  const float *x = args[0], *min = args[1], *max = args[2];
  float *out_min = args[4], *out_max = args[5];
  int64_t size = (int64_t)berth_dtype_size(plan->type);
  berth_convert_fn write = writer_of(plan->type);
  for (int64_t k = 0; k < q->depth; ++k) {
    if (!(max[k] >= min[k])) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "input_max_range must be larger than input_min_range.");
    }
    berth_quant_whole_t s = steps_of(plan, min[k], max[k]);
    out_min[k] = s.min;
    out_max[k] = s.max;
    for (int64_t b = 0; b < q->before; ++b) {
      int64_t at = (b * q->depth + k) * q->after, end = at + q->after;
      for (; at < end; at += AT_ONCE) {
        int64_t n = end - at < AT_ONCE ? end - at : AT_ONCE;
        wholes_of(&s, x + at, n, write, (char *)args[3] + at * size);
        if (looks_at(at) && berth_cpu_has_ended(call)) return BERTH_OK;
      }
    }
  }
  return BERTH_OK;
}

static berth_quant_line_t line_of(const plan_t *plan, float min, float max) {
  float low = (float)plan->low, high = (float)plan->high;
  if (plan->quant.mode == BERTH_QUANT_SCALED) {
    float narrow = plan->quant.is_narrow ? 1.0f : 0.0f;
    berth_quant_line_t line = {.step = max / high};
    if (low != 0) line.step = fmaxf(min / (low + narrow), line.step);
    return line;
  }
  if (plan->quant.mode == BERTH_QUANT_COMBINED) {
    berth_quant_line_t line = {.step = (max - min) / (high - low),
                               .first = min};
    if (is_signed(plan->type)) {
      line.half = (float)((plan->high - plan->low + 1) / 2.0);
    }
    return line;
  }
  berth_quant_line_t line = {
      .step = (float)((double)(max - min) / (plan->high - plan->low))};
  float rounded = max == min ? min : roundf(min / line.step) * line.step;
  line.first = rounded - low * line.step;
  return line;
}

// Stores |n| fractions of type |to| from element |at| on; |x| is lost.
static void put_line(berth_dtype_t to, const berth_quant_line_t *line, float *x,
                     int64_t n, void *out, int64_t at) {
  const berth_quant_loops_t *loops = BERTH_ISA_PICK(berth_cpu_quant_loops);
  if (to == BERTH_FLOAT) {
    loops->line(x, (float *)out + at, n, line);
    return;
  }
  loops->line(x, x, n, line);
  berth_floats_to(to, x, (char *)out + (size_t)at * berth_dtype_size(to), n);
}

static berth_code_t run_dequantize(const void *data, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = data;
  const berth_quant_t *q = &plan->quant;
  const float *min = args[1], *max = args[2];
  int64_t size = (int64_t)berth_dtype_size(plan->type);
  berth_convert_fn read = reader_of(plan->type);
  for (int64_t k = 0; k < q->depth; ++k) {
    berth_quant_line_t line = line_of(plan, min[k], max[k]);
    for (int64_t b = 0; b < q->before; ++b) {
      int64_t at = (b * q->depth + k) * q->after, end = at + q->after;
      for (; at < end; at += AT_ONCE) {
        int64_t n = end - at < AT_ONCE ? end - at : AT_ONCE;
        float x[AT_ONCE];
        read((const char *)args[0] + at * size, x, n);
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
