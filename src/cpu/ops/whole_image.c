// whole_image.c - Kernels for images of whole numbers that stand for fractions:
// resizing, normalisation, ranges by channel.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/resize_place.h"
#include "cpu/ops/whole.h"
#include "op/whole.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static float float_at(void *const *args, int index) {
  return *(const float *)args[index];
}

// ---- Resizing ----

// Four inputs around an output, and how far it is from the first ones.
typedef struct corner {
  int64_t at[2][2];  // By row, column: elements.
  float shares[2];   // Along rows, columns.
} corner_t;

// Interpolates with shares that have |digits| binary places: numbers are cut
// off in TensorFlow's order, and words have been rounded to float before.
static int64_t interpolate(berth_dtype_t type, const void *in,
                           const corner_t *corner, int64_t channel) {
  int digits = type == BERTH_QUINT8 ? 7 : 30;
  int64_t one = INT64_C(1) << digits, shares[2], lines[2];
  for (int i = 0; i < 2; ++i) {
    shares[i] = (int64_t)(corner->shares[i] * (float)one);
  }
  for (int row = 0; row < 2; ++row) {
    const int64_t *at = corner->at[row];
    int64_t a = (int64_t)(float)berth_whole_at(type, in, at[0] + channel);
    int64_t b = (int64_t)(float)berth_whole_at(type, in, at[1] + channel);
    lines[row] = a * one + (b - a) * shares[1];
  }
  int64_t sum = lines[0] + (lines[1] - lines[0]) / one * shares[0];
  return (sum + one / 2) / one;
}

static float interpolate_floats(const float *in, const corner_t *corner,
                                int64_t channel) {
  float lines[2];
  for (int row = 0; row < 2; ++row) {
    float a = in[corner->at[row][0] + channel];
    float b = in[corner->at[row][1] + channel];
    lines[row] = a + (b - a) * corner->shares[1];
  }
  return lines[0] + (lines[1] - lines[0]) * corner->shares[0];
}

// Finds the inputs around the output at |row| of all rows, |column|.
static corner_t corner_of(const berth_resize_t *r, int64_t row,
                          int64_t column) {
  berth_between_t y = berth_resize_between(r, 0, row % r->axes[0].out);
  berth_between_t x = berth_resize_between(r, 1, column);
  int64_t image = row / r->axes[0].out * r->axes[0].in;
  corner_t corner = {.shares = {y.share, x.share}};
  for (int i = 0; i < 2; ++i) {
    int64_t line = (image + (i == 0 ? y.lower : y.upper)) * r->axes[1].in;
    corner.at[i][0] = (line + x.lower) * r->channels;
    corner.at[i][1] = (line + x.upper) * r->channels;
  }
  return corner;
}

static berth_code_t run_resize(const void *arg, void *const *args,
                               berth_call_t *call) {
  const berth_resize_t *r = arg;
  *(float *)args[5] = float_at(args, 2);
  *(float *)args[6] = float_at(args, 3);
  int64_t rows = r->batch * r->axes[0].out, columns = r->axes[1].out;
  if (r->axes[0].in == r->axes[0].out && r->axes[1].in == columns) {
    size_t count = (size_t)(rows * columns * r->channels);
    memcpy(args[4], args[0], count * berth_dtype_size(r->dtype));
    return BERTH_OK;
  }
  for (int64_t i = 0; i < rows * columns; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    corner_t corner = corner_of(r, i / columns, i % columns);
    for (int64_t c = 0; c < r->channels; ++c) {
      int64_t to = i * r->channels + c;
      if (r->dtype == BERTH_FLOAT) {
        ((float *)args[4])[to] = interpolate_floats(args[0], &corner, c);
      } else {
        berth_whole_set(r->dtype, args[4], to,
                        interpolate(r->dtype, args[0], &corner, c));
      }
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_resize(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_resize_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_resize(&prepare->op, plan, err));
  prepare->run = run_resize;
  prepare->work =
      plan->batch * plan->axes[0].out * plan->axes[1].out * plan->channels * 8;
  return BERTH_OK;
}

// ---- Normalisation ----

typedef struct norm {
  int64_t batch, places, channels;
  bool is_given;
  float low, high, epsilon, separation;
} norm_t;

// How a channel of an image becomes one of mean 0 and variance 1: of what
// numbers stand for.
typedef struct line {
  double mean, scale;
} line_t;

static line_t line_of(const norm_t *plan, const uint8_t *in, double step) {
  int64_t sum = 0, squares = 0;
  for (int64_t i = 0; i < plan->places; ++i) {
    int64_t x = in[i * plan->channels];
    sum += x;
    squares += x * x;
  }
  double mean = (double)sum / (double)plan->places;
  double variance = (double)squares / (double)plan->places - mean * mean;
  variance = variance < 0 ? 0 : variance;
  double root = sqrt(variance * step * step + (double)plan->epsilon);
  return (line_t){mean, step / root};
}

static float normal(const line_t *line, uint8_t x) {
  return (float)(((double)x - line->mean) * line->scale);
}

// Stores the least and the largest number that comes out.
static void find_range(const norm_t *plan, const line_t *lines,
                       const uint8_t *in, float *low, float *high) {
  *low = INFINITY;
  *high = -INFINITY;
  int64_t row = plan->channels, all = plan->batch * plan->places * row;
  for (int64_t i = 0; i < all; ++i) {
    int64_t image = i / (plan->places * row);
    float y = normal(&lines[image * row + i % row], in[i]);
    *low = fminf(*low, y);
    *high = fmaxf(*high, y);
  }
  if (*high - *low < plan->separation) *high = *low + plan->separation;
}

static berth_code_t run_norm(const void *arg, void *const *args,
                             berth_call_t *call) {
  const norm_t *plan = arg;
  const uint8_t *in = args[0];
  float min = float_at(args, 1), max = float_at(args, 2);
  line_t *lines = args[6];
  if (!(min < max)) {
    return INVALID("input_min must be less than input_max : %g >= %g",
                   (double)min, (double)max);
  }
  double step = (double)(max - min) / 255;
  int64_t row = plan->channels;
  for (int64_t i = 0; i < plan->batch * row; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    lines[i] = line_of(plan, in + i / row * plan->places * row + i % row, step);
  }
  float low = plan->low, high = plan->high;
  if (!plan->is_given) find_range(plan, lines, in, &low, &high);
  for (int64_t i = 0; i < plan->batch * plan->places * row; ++i) {
    int64_t image = i / (plan->places * row);
    float y = normal(&lines[image * row + i % row], in[i]);
    ((uint8_t *)args[3])[i] =
        (uint8_t)berth_whole_from_float(BERTH_QUINT8, y, low, high);
  }
  *(float *)args[4] = low;
  *(float *)args[5] = high;
  return BERTH_OK;
}

static berth_code_t prepare_norm(berth_prepare_t *prepare,
                                 berth_error_t *err) {
  norm_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_norm(&prepare->op, err));
  const berth_node_t *node = prepare->op.node;
  const int64_t *dims = prepare->op.inputs[0].dims;
  *plan = (norm_t){
      .batch = dims[0],
      .places = dims[1] * dims[2],
      .channels = dims[3],
      .is_given = berth_node_attr_bool(node, "output_range_given", false),
      .low = berth_node_attr_float(node, "given_y_min", 0),
      .high = berth_node_attr_float(node, "given_y_max", 0),
      .epsilon = berth_node_attr_float(node, "variance_epsilon", 1e-5F),
      .separation = berth_node_attr_float(node, "min_separation", 1e-3F)};
  if (prepare->op.inputs[0].count == 0) plan->batch = plan->places = 0;
  prepare->scratch_size = (size_t)(plan->batch * dims[3]) * sizeof(line_t);
  prepare->run = run_norm;
  prepare->work = prepare->op.inputs[0].count * 10;
  return BERTH_OK;
}

// ---- Ranges by channel ----

typedef struct channels {
  int64_t rows, count;
  berth_dtype_t to;
  float most;  // Of a range.
} channels_t;

static float reach(void *const *args, int64_t channel) {
  return fmaxf(fabsf(((const float *)args[1])[channel]),
               fabsf(((const float *)args[2])[channel]));
}

// Finds one range in which what all channels stand for is.
static berth_code_t run_range(const void *arg, void *const *args,
                              berth_call_t *call) {
  const channels_t *plan = arg;
  const int32_t *in = args[0];
  float most = 0;
  bool is_negative = false;
  for (int64_t c = 0; c < plan->count; ++c) {
    int64_t largest = 0;
    for (int64_t i = 0; i < plan->rows; ++i) {
      int64_t x = in[i * plan->count + c];
      if (berth_cpu_ends_at(call, i)) return BERTH_OK;
      is_negative |= x < 0;
      x = x < 0 ? -x : x;
      largest = x > largest ? x : largest;
    }
    most = fmaxf(most, reach(args, c) * (float)largest / 0x1p31F);
  }
  most = most > plan->most ? plan->most : most;
  *(float *)args[3] = is_negative ? -most : 0;
  *(float *)args[4] = most;
  return BERTH_OK;
}

static berth_code_t run_channels(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const channels_t *plan = arg;
  float low = float_at(args, 3), high = float_at(args, 4);
  bool is_signed = plan->to == BERTH_QINT8;
  if (is_signed && !(low < 0)) {
    return INVALID(
        "If out_type is QINT8, requested_output_max must be non negative, got "
        "%g",
        (double)low);
  }
  float wanted = fmaxf(fabsf(low), fabsf(high));
  for (int64_t c = 0; c < plan->count; ++c) {
    float scale =
        (is_signed ? 127.0F : 255.0F) * (reach(args, c) / wanted / 0x1p31F);
    for (int64_t i = c; i < plan->rows * plan->count; i += plan->count) {
      float x = rintf((float)((const int32_t *)args[0])[i] * scale);
      float least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
      x = !(x > least) ? least : x < most ? x : most;
      berth_whole_set(plan->to, args[5], i, (int64_t)x);
    }
  }
  *(float *)args[6] = low;
  *(float *)args[7] = high;
  return BERTH_OK;
}

static berth_code_t prepare_channels(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  channels_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_channels(&prepare->op, err));
  const berth_case_input_t *in = &prepare->op.inputs[0];
  const berth_node_t *node = prepare->op.node;
  *plan = (channels_t){
      .count = in->dims[3],
      .rows = in->dims[3] > 0 ? in->count / in->dims[3] : 0,
      .to = node->output_types[0],
      .most = berth_node_attr_float(node, "clip_value_max", 0)};
  prepare->run = prepare->op.output_count == 2 ? run_range : run_channels;
  prepare->work = in->count * 4;
  return BERTH_OK;
}

#define BYTE BERTH_TYPE(QUINT8)
#define WORD BERTH_TYPE(QINT32)

const berth_kernel_t berth_cpu_whole_image_kernels[] = {
    {.op = "QuantizedResizeBilinear",
     .types = {{"T", BYTE | WORD | BERTH_TYPE(FLOAT)}},
     .prepare = prepare_resize},
    {.op = "QuantizedInstanceNorm",
     .types = {{"T", BYTE}},
     .prepare = prepare_norm},
    {.op = "RequantizePerChannel",
     .types = {{"T", WORD}, {"out_type", BYTE | BERTH_TYPE(QINT8)}},
     .prepare = prepare_channels},
    {.op = "RequantizationRangePerChannel",
     .types = {{"T", WORD}},
     .prepare = prepare_channels},
    {.op = NULL},
};
