// whole.c - Kernels that compute with whole numbers that stand for fractions,
// but for products.
#include "cpu/ops/whole.h"

#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/whole.h"

// ---- Numbers ----

int64_t berth_whole_at(berth_dtype_t type, const void *data, int64_t i) {
  switch (type) {
    case BERTH_QINT8:
      return ((const int8_t *)data)[i];
    case BERTH_QUINT8:
      return ((const uint8_t *)data)[i];
    default:
      return ((const int32_t *)data)[i];
  }
}

void berth_whole_set(berth_dtype_t type, void *data, int64_t i, int64_t x) {
  if (type == BERTH_QINT32) {
    ((int32_t *)data)[i] = (int32_t)x;
  } else {
    ((uint8_t *)data)[i] = (uint8_t)x;
  }
}

int64_t berth_whole_least(berth_dtype_t type) {
  return type == BERTH_QUINT8 ? 0 : type == BERTH_QINT8 ? INT8_MIN : INT32_MIN;
}

int64_t berth_whole_most(berth_dtype_t type) {
  return type == BERTH_QUINT8  ? UINT8_MAX
         : type == BERTH_QINT8 ? INT8_MAX
                               : INT32_MAX;
}

// How many numbers |type| has.
static double steps_of(berth_dtype_t type) {
  return type == BERTH_QINT32 ? 0x1p32 : 0x1p8;
}

float berth_whole_to_float(berth_dtype_t type, int64_t x, float min,
                           float max) {
  if (min == max) return min;
  double steps = steps_of(type);
  double scale = (double)(max - min) * (steps / (steps - 1)) / steps;
  double first = (double)(roundf(min / (float)scale) * (float)scale);
  return (float)(first + (double)(x - berth_whole_least(type)) * scale);
}

int64_t berth_whole_place(berth_dtype_t type, float x, float min, float max) {
  int64_t least = berth_whole_least(type);
  if (min == max) return least;
  double steps = steps_of(type);
  double scale = steps / ((double)(max - min) * (steps / (steps - 1)));
  return (int64_t)(round((double)x * scale) - round((double)min * scale)) +
         least;
}

int64_t berth_whole_from_float(berth_dtype_t type, float x, float min,
                               float max) {
  int64_t place = berth_whole_place(type, x, min, max);
  int64_t least = berth_whole_least(type), most = berth_whole_most(type);
  return place < least ? least : place > most ? most : place;
}

void berth_whole_product_range(berth_dtype_t a, float min_a, float max_a,
                               berth_dtype_t b, float min_b, float max_b,
                               float *out_min, float *out_max) {
  float one_a = (max_a - min_a) / (float)(steps_of(a) - 1);
  float one_b = (max_b - min_b) / (float)(steps_of(b) - 1);
  *out_min = one_a * one_b * (float)INT32_MIN;
  *out_max = one_a * one_b * (float)INT32_MAX;
}

berth_whole_shift_t berth_whole_shift(berth_dtype_t from, float min, float max,
                                      berth_dtype_t to, float to_min,
                                      float to_max) {
  float least = (float)berth_whole_least(to);
  float most = (float)berth_whole_most(to);
  float step = (float)((double)(max - min) / (steps_of(from) - 1));
  float rounded = max == min ? min : roundf(min / step) * step;
  float scale = to_max == to_min
                    ? 0
                    : (float)((steps_of(to) - 1) / (double)(to_max - to_min));
  return (berth_whole_shift_t){
      .step = step,
      .first = rounded - (float)berth_whole_least(from) * step,
      .scale = scale,
      .behind = roundf(to_min * scale) - least,
      .least = least,
      .most = most > 2147483520.0f ? 2147483520.0f : most};
}

int32_t berth_whole_shifted(const berth_whole_shift_t *shift, int64_t x) {
  float stands = shift->first + (float)x * shift->step;
  float to = roundf(stands * shift->scale) - shift->behind;
  to = to < shift->least ? shift->least : to;
  return (int32_t)(to > shift->most ? shift->most : to);
}

static float float_at(void *const *args, int index) {
  return *(const float *)args[index];
}

// ---- One input ----

typedef struct plan {
  int64_t count;
  berth_dtype_t from, to;
  bool has_six;
} plan_t;

static berth_code_t run_relu(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  float min = float_at(args, 1), max = float_at(args, 2);
  int64_t zero = berth_whole_from_float(plan->from, 0, min, max);
  int64_t six = plan->has_six ? berth_whole_from_float(plan->from, 6, min, max)
                              : berth_whole_most(plan->from);
  for (int64_t i = 0; i < plan->count; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    int64_t x = berth_whole_at(plan->from, args[0], i);
    x = x < zero ? zero : x;
    berth_whole_set(plan->to, args[3], i, x > six ? six : x);
  }
  *(float *)args[4] = min;
  *(float *)args[5] = max;
  return BERTH_OK;
}

// Makes bytes of words with numbers that have 16 binary places.
static void shift_to_bytes(const plan_t *plan, const float r[4],
                           const int32_t *in, uint8_t *out) {
  float width = r[3] - r[2];
  double steps = width == 0 ? 0 : 255.0 / (double)width * 0x1p16;
  int64_t scale =
      width == 0
          ? 0
          : (int64_t)(255.0 * 0x1p16 * (double)(r[1] - r[0]) / (double)width);
  int64_t middle = (int64_t)((double)((r[0] + r[1]) / 2) * steps);
  int64_t first =
      width == 0 ? 0
                 : (int64_t)(0x1p16 * ((double)r[2] * 255.0) / (double)width);
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t x = ((in[i] * scale) >> 32) + middle - first;
    x = (x + (1 << 15)) >> 16;
    out[i] = (uint8_t)(x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : x);
  }
}

// Makes numbers of the range |r|[0] to |r|[1] those of |r|[2] to |r|[3].
static void shift_all(const plan_t *plan, const float r[4], const void *in,
                      void *out) {
  if (plan->to == BERTH_QUINT8) {
    shift_to_bytes(plan, r, in, out);
    return;
  }
  berth_whole_shift_t shift =
      berth_whole_shift(plan->from, r[0], r[1], plan->to, r[2], r[3]);
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t x = berth_whole_at(plan->from, in, i);
    berth_whole_set(plan->to, out, i, berth_whole_shifted(&shift, x));
  }
}

static berth_code_t run_requantize(const void *arg, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = arg;
  float low = float_at(args, 3), high = float_at(args, 4);
  if (!(low <= 0)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "requested_output_min must be <= 0, but got %g",
                           (double)low);
  }
  if (!(high >= low)) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "requested_output_max must be >= requested_output_min, but got %g and "
        "%g",
        (double)high, (double)low);
  }
  float r[4] = {float_at(args, 1), float_at(args, 2), low, high};
  shift_all(plan, r, args[0], args[5]);
  *(float *)args[6] = low;
  *(float *)args[7] = high;
  return BERTH_OK;
}

// Stores what the least and the largest number of the input stand for.
static void used_range(const plan_t *plan, void *const *args, float *out_min,
                       float *out_max) {
  float min = float_at(args, 1), max = float_at(args, 2);
  int64_t least = berth_whole_most(plan->from);
  int64_t most = berth_whole_least(plan->from);
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t x = berth_whole_at(plan->from, args[0], i);
    least = x < least ? x : least;
    most = x > most ? x : most;
  }
  *out_min = fminf(0, berth_whole_to_float(plan->from, least, min, max));
  *out_max = berth_whole_to_float(plan->from, most, min, max);
}

static berth_code_t run_range(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  used_range(arg, args, args[3], args[4]);
  return BERTH_OK;
}

static berth_code_t run_shrink(const void *arg, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  float low = 0, high = 0;
  used_range(plan, args, &low, &high);
  float r[4] = {float_at(args, 1), float_at(args, 2), low, high};
  shift_all(plan, r, args[0], args[3]);
  *(float *)args[4] = low;
  *(float *)args[5] = high;
  return BERTH_OK;
}

static berth_code_t prepare_any(berth_prepare_t *prepare, berth_run_fn run,
                                berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_node_t *node = prepare->op.node;
  *plan = (plan_t){.count = prepare->op.inputs[0].count,
                   .from = prepare->op.inputs[0].dtype,
                   .to = node->output_types[0],
                   .has_six = strcmp(node->op->name, "QuantizedRelu6") == 0};
  prepare->run = run;
  prepare->work = plan->count * 4;
  return BERTH_OK;
}

#define UNARY(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    BERTH_TRY(berth_op_whole_unary(&prepare->op, err));        \
    return prepare_any(prepare, run_##name, err);              \
  }

UNARY(relu)
UNARY(requantize)
UNARY(shrink)

static berth_code_t prepare_range(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_whole_range(&prepare->op, err));
  return prepare_any(prepare, run_range, err);
}

static berth_code_t run_reshape(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  size_t size = berth_dtype_size(plan->from) * (size_t)plan->count;
  if (size > 0) memcpy(args[4], args[0], size);
  *(float *)args[5] = float_at(args, 2);
  *(float *)args[6] = float_at(args, 3);
  return BERTH_OK;
}

static berth_code_t prepare_reshape(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_whole_reshape(&prepare->op, err));
  return prepare_any(prepare, run_reshape, err);
}

// ---- Two inputs ----

typedef struct pair {
  berth_whole_pair_t sizes;
  berth_dtype_t types[2];
  bool is_bias;
} pair_t;

static berth_code_t run_mul(const void *arg, void *const *args,
                            berth_call_t *call) {
  const pair_t *plan = arg;
  const uint8_t *x = args[0], *y = args[1];
  int32_t *out = args[6];
  float r[4];
  for (int i = 0; i < 4; ++i) r[i] = float_at(args, 2 + i);
  BERTH_TRY(berth_whole_check_ranges(call->node, r, call->err));
  int32_t zero_x = (int32_t)berth_whole_place(BERTH_QUINT8, 0, r[0], r[1]);
  int32_t zero_y = (int32_t)berth_whole_place(BERTH_QUINT8, 0, r[2], r[3]);
  for (int64_t i = 0; i < plan->sizes.count; ++i) {
    out[i] = (x[i % plan->sizes.periods[0]] - zero_x) *
             (y[i % plan->sizes.periods[1]] - zero_y);
  }
  berth_whole_product_range(BERTH_QUINT8, r[0], r[1], BERTH_QUINT8, r[2], r[3],
                            args[7], args[8]);
  return BERTH_OK;
}

// The sum has room for many: its range is so much wider than those of both.
static float sum_limit(const pair_t *plan, const float r[4]) {
  float most = fmaxf(fmaxf(r[1], -r[0]), fmaxf(r[3], -r[2]));
  return most * (plan->is_bias ? 0x1p17f : 0x1p14f);
}

// How numbers of an input become those of the sum: single ones by themselves,
// others by a whole factor, as TensorFlow does it.
typedef struct joins {
  berth_dtype_t type;
  const float *range;
  float limit;
  bool is_line;
  int64_t first, factor;
  berth_whole_shift_t shift;
} joins_t;

static joins_t joins_of(const pair_t *plan, int input, const float r[4],
                        float limit) {
  bool is_single = plan->sizes.periods[input] == 1 &&
                   (input == 0 || plan->sizes.periods[0] != 1);
  joins_t joins = {.type = plan->types[input],
                   .range = r + 2 * input,
                   .limit = limit,
                   .is_line = !plan->is_bias && !is_single};
  const float *own = joins.range;
  float zero = berth_whole_to_float(joins.type, 0, own[0], own[1]);
  float one = berth_whole_to_float(joins.type, 1, own[0], own[1]);
  joins.first = berth_whole_place(BERTH_QINT32, zero, -limit, limit);
  joins.factor =
      berth_whole_place(BERTH_QINT32, one, -limit, limit) - joins.first;
  joins.shift = berth_whole_shift(joins.type, own[0], own[1], BERTH_QINT32,
                                  -limit, limit);
  return joins;
}

static int32_t joined(const pair_t *plan, const joins_t *joins, int64_t x) {
  if (joins->is_line) {
    int64_t sum = joins->first + x * joins->factor;
    return (int32_t)(sum < INT32_MIN   ? INT32_MIN
                     : sum > INT32_MAX ? INT32_MAX
                                       : sum);
  }
  if (plan->is_bias && joins->type == BERTH_QUINT8) {
    return berth_whole_shifted(&joins->shift, x);
  }
  float stands =
      berth_whole_to_float(joins->type, x, joins->range[0], joins->range[1]);
  return (int32_t)berth_whole_from_float(BERTH_QINT32, stands, -joins->limit,
                                         joins->limit);
}

static berth_code_t run_add(const void *arg, void *const *args,
                            berth_call_t *call) {
  const pair_t *plan = arg;
  int32_t *out = args[6];
  float r[4];
  for (int i = 0; i < 4; ++i) r[i] = float_at(args, 2 + i);
  BERTH_TRY(berth_whole_check_ranges(call->node, r, call->err));
  float limit = sum_limit(plan, r);
  const int64_t *periods = plan->sizes.periods;
  joins_t x = joins_of(plan, 0, r, limit), y = joins_of(plan, 1, r, limit);
  for (int64_t i = 0; i < plan->sizes.count; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    int64_t a = berth_whole_at(x.type, args[0], i % periods[0]);
    int64_t b = berth_whole_at(y.type, args[1], i % periods[1]);
    out[i] = joined(plan, &x, a) + joined(plan, &y, b);
  }
  *(float *)args[7] = -limit;
  *(float *)args[8] = limit;
  return BERTH_OK;
}

static berth_code_t prepare_pair(berth_prepare_t *prepare, berth_error_t *err) {
  pair_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_pair(&prepare->op, &plan->sizes, err));
  const char *name = prepare->op.node->op->name;
  for (int i = 0; i < 2; ++i) plan->types[i] = prepare->op.inputs[i].dtype;
  plan->is_bias = strcmp(name, "QuantizedBiasAdd") == 0;
  prepare->run = strcmp(name, "QuantizedMul") == 0 ? run_mul : run_add;
  prepare->work = plan->sizes.count * 10;
  return BERTH_OK;
}

// ---- Pooling ----

typedef struct pool {
  berth_window_t window;
  berth_dtype_t type;
  bool is_mean;
} pool_t;

// Does output (|b|, |y|, |x|, |c|).
static int64_t pool_one(const pool_t *plan, const void *in, int64_t b,
                        int64_t y, int64_t x, int64_t c) {
  const berth_window_axis_t *h = &plan->window.axes[1];
  const berth_window_axis_t *w = &plan->window.axes[2];
  int64_t first[2], last[2], sum = 0, most = berth_whole_least(plan->type);
  berth_window_taps(h, y, &first[0], &last[0]);
  berth_window_taps(w, x, &first[1], &last[1]);
  for (int64_t i = first[0]; i < last[0]; ++i) {
    for (int64_t j = first[1]; j < last[1]; ++j) {
      int64_t row = b * h->in + y * h->stride - h->before + i;
      int64_t at = row * w->in + x * w->stride - w->before + j;
      int64_t value =
          berth_whole_at(plan->type, in, at * plan->window.channels + c);
      sum += value;
      most = value > most ? value : most;
    }
  }
  int64_t taps = (last[0] - first[0]) * (last[1] - first[1]);
  return !plan->is_mean ? most : taps > 0 ? sum / taps : 0;
}

static berth_code_t run_pool(const void *arg, void *const *args,
                             berth_call_t *call) {
  const pool_t *plan = arg;
  const berth_window_t *window = &plan->window;
  int64_t height = window->axes[1].out, width = window->axes[2].out, at = 0;
  for (int64_t i = 0; i < window->batch * height * width; ++i) {
    int64_t b = i / (height * width), y = i / width % height, x = i % width;
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    for (int64_t c = 0; c < window->channels; ++c) {
      berth_whole_set(plan->type, args[3], at++,
                      pool_one(plan, args[0], b, y, x, c));
    }
  }
  *(float *)args[4] = float_at(args, 1);
  *(float *)args[5] = float_at(args, 2);
  return BERTH_OK;
}

static berth_code_t prepare_pool(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pooling_t pooling;
  BERTH_TRY(berth_op_whole_pool(&prepare->op, &pooling, err));
  pool_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (pool_t){
      .window = pooling.window,
      .type = prepare->op.inputs[0].dtype,
      .is_mean = strcmp(prepare->op.node->op->name, "QuantizedAvgPool") == 0};
  prepare->run = run_pool;
  prepare->work = prepare->op.inputs[0].count * 10;
  return BERTH_OK;
}

// ---- QuantizedConcat ----

typedef struct concat {
  berth_whole_concat_t parts;
  berth_dtype_t type;
} concat_t;

// Stores a range that has room for all parts, and 0.
static void join_ranges(const concat_t *plan, void *const *args, float *out_min,
                        float *out_max) {
  int parts = plan->parts.parts;
  float low = 0, high = 0;
  for (int i = 0; i < parts; ++i) {
    low = fminf(low, float_at(args, 1 + parts + i));
    high = fmaxf(high, float_at(args, 1 + 2 * parts + i));
  }
  if (plan->type == BERTH_QINT32) {
    high = fmaxf(fabsf(low), fabsf(high));
    low = -high;
  }
  *out_min = low;
  *out_max = high;
}

static berth_code_t run_concat(const void *arg, void *const *args,
                               berth_call_t *call) {
  const concat_t *plan = arg;
  int parts = plan->parts.parts;
  void *out = args[call->node->input_count];
  float *out_min = args[call->node->input_count + 1];
  float *out_max = args[call->node->input_count + 2];
  int64_t at = 0;
  join_ranges(plan, args, out_min, out_max);
  for (int64_t k = 0; k < plan->parts.outer * parts; ++k) {
    int part = (int)(k % parts);
    int64_t run = plan->parts.runs[part];
    float low = float_at(args, 1 + parts + part);
    float high = float_at(args, 1 + 2 * parts + part);
    bool is_same = low == *out_min && high == *out_max;
    berth_whole_shift_t shift = berth_whole_shift(
        plan->type, low, high, plan->type, *out_min, *out_max);
    for (int64_t i = 0; i < run; ++i) {
      int64_t x =
          berth_whole_at(plan->type, args[1 + part], k / parts * run + i);
      if (!is_same) x = berth_whole_shifted(&shift, x);
      berth_whole_set(plan->type, out, at++, x);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_concat(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  concat_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_concat(&prepare->op, &plan->parts, err));
  plan->type = prepare->op.inputs[1].dtype;
  prepare->run = run_concat;
  return BERTH_OK;
}

#define BYTE BERTH_TYPE(QUINT8)
#define BYTES (BERTH_TYPE(QUINT8) | BERTH_TYPE(QINT8))
#define WORD BERTH_TYPE(QINT32)
#define BOTH (BERTH_TYPE(QUINT8) | BERTH_TYPE(QINT32))

const berth_kernel_t berth_cpu_whole_kernels[] = {
    {.op = "QuantizedRelu",
     .types = {{"Tinput", BOTH}, {"out_type", BOTH}},
     .prepare = prepare_relu},
    {.op = "QuantizedRelu6",
     .types = {{"Tinput", BOTH}, {"out_type", BOTH}},
     .prepare = prepare_relu},
    {.op = "Requantize",
     .types = {{"Tinput", WORD}, {"out_type", BYTES}},
     .prepare = prepare_requantize},
    {.op = "RequantizationRange",
     .types = {{"Tinput", WORD}},
     .prepare = prepare_range},
    {.op = "QuantizeDownAndShrinkRange",
     .types = {{"Tinput", WORD}, {"out_type", BYTE}},
     .prepare = prepare_shrink},
    {.op = "QuantizedReshape",
     .types = {{"T", BOTH}},
     .prepare = prepare_reshape},
    {.op = "QuantizedAdd",
     .types = {{"T1", BYTE}, {"T2", BYTE}},
     .prepare = prepare_pair},
    {.op = "QuantizedMul",
     .types = {{"T1", BYTE}, {"T2", BYTE}},
     .prepare = prepare_pair},
    {.op = "QuantizedBiasAdd",
     .types = {{"T1", BYTES}, {"T2", BYTES}},
     .prepare = prepare_pair},
    {.op = "QuantizedMaxPool",
     .types = {{"T", BYTES}},
     .prepare = prepare_pool},
    {.op = "QuantizedAvgPool",
     .types = {{"T", BYTES}},
     .prepare = prepare_pool},
    {.op = "QuantizedConcat",
     .types = {{"T", BOTH}},
     .prepare = prepare_concat},
    {.op = NULL},
};
