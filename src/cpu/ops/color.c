// color.c - The kernels of colours: contrast, hue, saturation, HSV.
#include "op/color.h"

#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/color.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/types.h"
#include "tensor/half.h"

typedef struct plan {
  berth_color_t color;
  void (*pixels)(const void *in, void *out, int64_t begin, int64_t end,
                 float amount);
} plan_t;

typedef struct color_run {
  const plan_t *plan;
  const void *in;
  void *out;
  float amount;
} color_run_t;

// ---- Hue ----

// A colour as its hue, from 0 to 6, and its lowest and highest number.
typedef struct hue {
  float at, low, high;
} hue_t;

// Returns the hue that lies between edge |category| and the next: |middle| is
// the number that is neither the lowest nor the highest.
static hue_t hue_between(int category, float low, float middle, float high) {
  if (high == low) return (hue_t){0, low, high};
  float ratio = (middle - low) / (high - low);
  return (hue_t){(float)category + (category % 2 == 0 ? ratio : 1 - ratio), low,
                 high};
}

static hue_t hue_of(float r, float g, float b) {
  if (r < g) {
    if (b < r) return hue_between(1, b, r, g);
    return b > g ? hue_between(3, r, g, b) : hue_between(2, r, b, g);
  }
  if (b < g) return hue_between(0, b, g, r);
  return b > r ? hue_between(4, g, r, b) : hue_between(5, g, b, r);
}

static void color_of(hue_t hue, float *out) {
  // Which number is the highest, the middle and the lowest in each sixth.
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                  {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
  int category = (int)hue.at;
  float ratio = hue.at - (float)category;
  if (category % 2 != 0) ratio = 1 - ratio;
  const int *place = order[category < 0 || category > 5 ? 5 : category];
  out[place[0]] = hue.high;
  out[place[1]] = hue.low + ratio * (hue.high - hue.low);
  out[place[2]] = hue.low;
}

// Turns a hue by |amount| of a circle.
static float turn(float at, float amount) {
  at += amount * 6.0f;
  if (!isfinite(at)) return 0;
  // Large ones are cut first: steps would not end.
  if (fabsf(at) > 60.0f) at = fmodf(at, 6.0f);
  while (at < 0) at += 6.0f;
  while (at >= 6.0f) at -= 6.0f;
  return at;
}

static void adjust_hue(const void *in, void *out, int64_t begin, int64_t end,
                       float amount) {
  for (int64_t i = begin; i < end; ++i) {
    const float *x = (const float *)in + 3 * i;
    hue_t hue = hue_of(x[0], x[1], x[2]);
    hue.at = turn(hue.at, amount);
    color_of(hue, (float *)out + 3 * i);
  }
}

// ---- Saturation ----

static float largest(const float *x) {
  float most = x[0] > x[1] ? x[0] : x[1];
  return most > x[2] ? most : x[2];
}

static float smallest(const float *x) {
  float least = x[0] < x[1] ? x[0] : x[1];
  return least < x[2] ? least : x[2];
}

static void adjust_saturation(const void *in, void *out, int64_t begin,
                              int64_t end, float amount) {
  for (int64_t i = begin; i < end; ++i) {
    const float *x = (const float *)in + 3 * i;
    float *y = (float *)out + 3 * i;
    float high = largest(x), range = high - smallest(x);
    float saturation = high > 0 ? range / high : 0;
    float part = 1.0f / (6.0f * range);
    float hue = x[0] == high ? part * (x[1] - x[2])
                : x[1] == high
                    ? (float)((double)(part * (x[2] - x[0])) + 2.0 / 6)
                    : (float)((double)(part * (x[0] - x[1])) + 4.0 / 6);
    if (range <= 0) hue = 0;
    if (hue < 0) hue = hue + 1;
    // Of a tiny range it may be no number, and steps would not end.
    if (!(hue >= 0 && hue <= 1)) hue = 0;
    saturation *= amount;
    saturation = saturation < 0 ? 0 : saturation > 1 ? 1 : saturation;
    float c = saturation * high, m = high - c, sixth = hue * 6;
    float turned = sixth;
    while (turned <= 0) turned += 2.0f;
    while (turned >= 2.0f) turned -= 2.0f;
    float between = c * (1 - fabsf(turned - 1));
    static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                    {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
    int category = (int)sixth;
    y[0] = y[1] = y[2] = m;
    if (category < 0 || category > 5) continue;
    y[order[category][0]] = c + m;
    y[order[category][1]] = between + m;
    y[order[category][2]] = 0 + m;
  }
}

// ---- HSV ----

// Every step is rounded as an element is.
#define DEFINE_HSV(name, T, W, LOAD, STORE, ROUND)                            \
  static void to_hsv_##name(const void *in, void *out, int64_t begin,         \
                            int64_t end, float amount) {                      \
    (void)amount;                                                             \
    for (int64_t i = begin; i < end; ++i) {                                   \
      const T *x = (const T *)in + 3 * i;                                     \
      T *y = (T *)out + 3 * i;                                                \
      W r = LOAD(x[0]), g = LOAD(x[1]), b = LOAD(x[2]);                       \
      W high = r > g ? r : g, low = r < g ? r : g;                            \
      high = high > b ? high : b;                                             \
      low = low < b ? low : b;                                                \
      W range = ROUND(high - low);                                            \
      W sixth = ROUND((W)1 / (W)6);                                           \
      W part = ROUND(ROUND(1 / range) * sixth);                               \
      W hue = r == high ? ROUND(part * ROUND(g - b))                          \
              : g == high                                                     \
                  ? ROUND(ROUND(part * ROUND(b - r)) + ROUND((W)2 / (W)6))    \
                  : ROUND(ROUND(part * ROUND(r - g)) + ROUND((W)4 / (W)6));   \
      if (!(range > 0)) hue = 0;                                              \
      if (hue < 0) hue = ROUND(hue + 1);                                      \
      y[0] = STORE(hue);                                                      \
      y[1] = STORE(high > 0 ? range / high : (W)0);                           \
      y[2] = STORE(high);                                                     \
    }                                                                         \
  }                                                                           \
                                                                              \
  static W inside_##name(W x) { return x < 0 ? 0 : x > 1 ? 1 : x; }           \
                                                                              \
  static void from_hsv_##name(const void *in, void *out, int64_t begin,       \
                              int64_t end, float amount) {                    \
    (void)amount;                                                             \
    for (int64_t i = begin; i < end; ++i) {                                   \
      const T *x = (const T *)in + 3 * i;                                     \
      T *y = (T *)out + 3 * i;                                                \
      W sixth = ROUND(LOAD(x[0]) * 6), s = LOAD(x[1]), v = LOAD(x[2]);        \
      W r =                                                                   \
          ROUND(ROUND(sixth - 3) < 0 ? -ROUND(sixth - 3) : ROUND(sixth - 3)); \
      W g = ROUND(sixth - 2) < 0 ? -ROUND(sixth - 2) : ROUND(sixth - 2);      \
      W b = ROUND(sixth - 4) < 0 ? -ROUND(sixth - 4) : ROUND(sixth - 4);      \
      W rest = ROUND(1 - s);                                                  \
      r = inside_##name(ROUND(r - 1));                                        \
      g = inside_##name(ROUND(2 - g));                                        \
      b = inside_##name(ROUND(2 - b));                                        \
      y[0] = STORE(ROUND(rest + ROUND(s * r)) * v);                           \
      y[1] = STORE(ROUND(rest + ROUND(s * g)) * v);                           \
      y[2] = STORE(ROUND(rest + ROUND(s * b)) * v);                           \
    }                                                                         \
  }
#define PLAIN(x) (x)
#define ROUND_HALF(x) berth_half_to_float(berth_float_to_half(x))
#define ROUND_BFLOAT16(x) berth_bfloat16_to_float(berth_float_to_bfloat16(x))
DEFINE_HSV(f64, double, double, PLAIN, PLAIN, PLAIN)
DEFINE_HSV(half, uint16_t, float, berth_half_to_float, berth_float_to_half,
           ROUND_HALF)
DEFINE_HSV(bfloat16, uint16_t, float, berth_bfloat16_to_float,
           berth_float_to_bfloat16, ROUND_BFLOAT16)

static void to_hsv_f32(const void *in, void *out, int64_t begin, int64_t end,
                       float amount) {
  (void)amount;
  BERTH_ISA_PICK(berth_cpu_color_loops)
      ->to_hsv((const float *)in + 3 * begin, (float *)out + 3 * begin,
               end - begin);
}

static void from_hsv_f32(const void *in, void *out, int64_t begin, int64_t end,
                         float amount) {
  (void)amount;
  BERTH_ISA_PICK(berth_cpu_color_loops)
      ->from_hsv((const float *)in + 3 * begin, (float *)out + 3 * begin,
                 end - begin);
}

// ---- Running pixels ----

static void run_pixels(void *arg, int64_t begin, int64_t end) {
  const color_run_t *run = arg;
  run->plan->pixels(run->in, run->out, begin, end, run->amount);
}

static berth_code_t run_all(const void *arg, void *const *args,
                            berth_call_t *call) {
  const plan_t *plan = arg;
  bool has_amount = call->node->input_count > 1;
  color_run_t run = {.plan = plan,
                     .in = args[0],
                     .out = args[has_amount ? 2 : 1],
                     .amount = has_amount ? *(const float *)args[1] : 0};
  berth_parallel_for(plan->color.images * plan->color.pixels, 2000, run_pixels,
                     &run);
  return BERTH_OK;
}

// ---- Contrast ----

// Makes the sums of |count| pixels of |n| numbers each, which are lost, the
// first pixel of |y|: the second half is added to the first until one is left,
// as TensorFlow does.
static void sum_halves(const float *x, float *y, int64_t count, int64_t n) {
  int64_t right = count / 2, left = count - right;
  for (int64_t i = 0; i < right * n; ++i) y[i] = x[i] + x[i + left * n];
  for (int64_t i = right * n; i < left * n; ++i) y[i] = x[i];
  for (count = left; count > 1; count = left) {
    right = count / 2;
    left = count - right;
    for (int64_t i = 0; i < right * n; ++i) y[i] += y[i + left * n];
  }
}

static void stretch(const float *x, const float *means, int64_t count,
                    float amount, float *y) {
  for (int64_t i = 0; i < count; ++i) {
    y[i] = (x[i] - means[i]) * amount + means[i];
  }
}

// Means of pixels of a few numbers are repeated to make long rows.
enum { MEANS_AT_ONCE = 96 };

static void stretch_image(const float *x, float *y, int64_t pixels, int64_t n,
                          float amount) {
  float means[MEANS_AT_ONCE];
  int64_t total = pixels * n, row = MEANS_AT_ONCE / n * n;
  if (n > MEANS_AT_ONCE) {
    // The means stand in the first pixel, which is the last to be made.
    for (int64_t i = pixels - 1; i > 0; --i) {
      stretch(x + i * n, y, n, amount, y + i * n);
    }
    stretch(x, y, n, amount, y);
    return;
  }
  for (int64_t i = 0; i < row; ++i) means[i] = y[i % n];
  for (int64_t i = 0; i < total; i += row) {
    stretch(x + i, means, total - i < row ? total - i : row, amount, y + i);
  }
}

static void run_images(void *arg, int64_t begin, int64_t end) {
  const color_run_t *run = arg;
  const berth_color_t *color = &run->plan->color;
  int64_t n = color->channels;
  for (int64_t k = begin; k < end; ++k) {
    const float *x = (const float *)run->in + k * color->pixels * n;
    float *y = (float *)run->out + k * color->pixels * n;
    sum_halves(x, y, color->pixels, n);
    for (int64_t i = 0; i < n; ++i) y[i] *= 1 / (float)color->pixels;
    stretch_image(x, y, color->pixels, n, run->amount);
  }
}

static berth_code_t run_contrast(const void *arg, void *const *args,
                                 berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  color_run_t run = {.plan = plan,
                     .in = args[0],
                     .out = args[2],
                     .amount = *(const float *)args[1]};
  int64_t image = plan->color.pixels * plan->color.channels;
  berth_parallel_for(plan->color.images, 20000 / (image + 1) + 1, run_images,
                     &run);
  return BERTH_OK;
}

// The first version: any numbers, and results between two limits.
static berth_code_t run_limited(const void *arg, void *const *args,
                                berth_call_t *call) {
  const berth_color_t *color = &((const plan_t *)arg)->color;
  int64_t n = color->channels, image = color->pixels * n;
  float amount = *(const float *)args[1], *y = args[4];
  float low = *(const float *)args[2], high = *(const float *)args[3];
  for (int64_t k = 0; k < color->images * n; ++k) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    int64_t at = k / n * image + k % n, end = at - k % n + image;
    double sum = 0;
    for (int64_t i = at; i < end; i += n) {
      sum += berth_number_at(color->dtype, args[0], i);
    }
    float mean = (float)(sum / (double)color->pixels);
    for (int64_t i = at; i < end; i += n) {
      float x = (float)berth_number_at(color->dtype, args[0], i);
      x = (x - mean) * amount + mean;
      x = x > high ? high : x;
      y[i] = x < low ? low : x;
    }
  }
  return BERTH_OK;
}

// ---- Preparing ----

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_color_t *color, berth_run_fn run,
                              plan_t **out_plan, berth_error_t *err) {
  prepare->run = berth_run_nothing;
  *out_plan = NULL;
  int64_t pixels = color->images * color->pixels;
  if (pixels * color->channels == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->color = *color;
  prepare->work = pixels * 10;
  prepare->run = run;
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t prepare_contrast(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_color_t color;
  plan_t *plan;
  BERTH_TRY(berth_op_adjust(&prepare->op, &color, err));
  prepare->op.may_overwrite = 0;  // The output is used before it is written.
  return make_plan(prepare, &color,
                   prepare->op.input_count > 2 ? run_limited : run_contrast,
                   &plan, err);
}

static berth_code_t prepare_hue(berth_prepare_t *prepare, berth_error_t *err) {
  berth_color_t color;
  plan_t *plan;
  BERTH_TRY(berth_op_adjust(&prepare->op, &color, err));
  BERTH_TRY(make_plan(prepare, &color, run_all, &plan, err));
  if (plan != NULL) plan->pixels = adjust_hue;
  return BERTH_OK;
}

static berth_code_t prepare_saturation(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_color_t color;
  plan_t *plan;
  BERTH_TRY(berth_op_adjust(&prepare->op, &color, err));
  BERTH_TRY(make_plan(prepare, &color, run_all, &plan, err));
  if (plan != NULL) plan->pixels = adjust_saturation;
  return BERTH_OK;
}

#define PICK(dtype, way)                  \
  ((dtype) == BERTH_FLOAT    ? way##_f32  \
   : (dtype) == BERTH_DOUBLE ? way##_f64  \
   : (dtype) == BERTH_HALF   ? way##_half \
                             : way##_bfloat16)

static berth_code_t prepare_to_hsv(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_color_t color;
  plan_t *plan;
  BERTH_TRY(berth_op_hsv(&prepare->op, &color, err));
  BERTH_TRY(make_plan(prepare, &color, run_all, &plan, err));
  if (plan != NULL) plan->pixels = PICK(color.dtype, to_hsv);
  return BERTH_OK;
}

static berth_code_t prepare_from_hsv(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_color_t color;
  plan_t *plan;
  BERTH_TRY(berth_op_hsv(&prepare->op, &color, err));
  BERTH_TRY(make_plan(prepare, &color, run_all, &plan, err));
  if (plan != NULL) plan->pixels = PICK(color.dtype, from_hsv);
  return BERTH_OK;
}

#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cpu_color_kernels[] = {
    KERNEL("AdjustContrast",
           BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | BERTH_TYPE(INT8) |
               BERTH_TYPE(INT16) | BERTH_TYPE(INT32) | BERTH_TYPE(UINT8),
           prepare_contrast),
    KERNEL("AdjustContrastv2", BERTH_TYPE(FLOAT), prepare_contrast),
    KERNEL("AdjustHue", BERTH_TYPE(FLOAT), prepare_hue),
    KERNEL("AdjustSaturation", BERTH_TYPE(FLOAT), prepare_saturation),
    KERNEL("RGBToHSV", BERTH_TYPES_FLOATING, prepare_to_hsv),
    KERNEL("HSVToRGB", BERTH_TYPES_FLOATING, prepare_from_hsv),
    {.op = NULL},
};
