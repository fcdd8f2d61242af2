// color.cu - Kernels of colours: a thread makes a pixel; of contrasts a block
// does one channel of an image.
#include "cuda/math/block.cuh"
#include "cuda/math/gpu.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/color_params.h"

// ---- Hue ----

typedef struct hue {
  float at, low, high;
} hue_t;

BERTH_GPU_FN hue_t hue_between(int category, float low, float middle,
                               float high) {
  hue_t hue;
  const float ratio = (middle - low) / (high - low);
  hue.low = low;
  hue.high = high;
  hue.at = (float)category + (category % 2 == 0 ? ratio : 1 - ratio);
  if (high == low) hue.at = 0;
  return hue;
}

BERTH_GPU_FN hue_t hue_of(float r, float g, float b) {
  if (r < g) {
    if (b < r) return hue_between(1, b, r, g);
    return b > g ? hue_between(3, r, g, b) : hue_between(2, r, b, g);
  }
  if (b < g) return hue_between(0, b, g, r);
  return b > r ? hue_between(4, g, r, b) : hue_between(5, g, b, r);
}

// Stores the highest, middle and lowest number where sixth |category| of the
// circle has them.
BERTH_GPU_FN void place(int category, float high, float middle, float low,
                        float *out) {
  out[0] = category == 0 || category == 5   ? high
           : category == 1 || category == 4 ? middle
                                            : low;
  out[1] = category == 1 || category == 2   ? high
           : category == 0 || category == 3 ? middle
                                            : low;
  out[2] = category == 3 || category == 4   ? high
           : category == 2 || category == 5 ? middle
                                            : low;
}

BERTH_GPU_FN float turn(float at, float amount) {
  at += amount * 6.0f;
  if (!(at < 3.0e38f && at > -3.0e38f)) return 0;
  if (at > 60.0f || at < -60.0f) at -= 6.0f * __builtin_truncf(at / 6.0f);
  while (at < 0) at += 6.0f;
  while (at >= 6.0f) at -= 6.0f;
  return at;
}

BERTH_GPU_FN void turn_hue(const float *x, float amount, float *y) {
  const hue_t hue = hue_of(x[0], x[1], x[2]);
  const float at = turn(hue.at, amount);
  const int category = (int)at;
  float ratio = at - (float)category;
  if (category % 2 != 0) ratio = 1 - ratio;
  place(category > 5 ? 5 : category, hue.high,
        hue.low + ratio * (hue.high - hue.low), hue.low, y);
}

// ---- Saturation ----

BERTH_GPU_FN void saturate(const float *x, float amount, float *y) {
  float high = x[0] > x[1] ? x[0] : x[1], low = x[0] < x[1] ? x[0] : x[1];
  high = high > x[2] ? high : x[2];
  low = low < x[2] ? low : x[2];
  const float range = high - low;
  const float part = 1.0f / (6.0f * range);
  float saturation = high > 0 ? range / high : 0;
  float hue = x[0] == high   ? part * (x[1] - x[2])
              : x[1] == high ? (float)((double)(part * (x[2] - x[0])) + 2.0 / 6)
                             : (float)((double)(part * (x[0] - x[1])) + 4.0 / 6);
  if (range <= 0) hue = 0;
  if (hue < 0) hue = hue + 1;
  // Of a tiny range it may be no number, and steps would not end.
  if (!(hue >= 0 && hue <= 1)) hue = 0;
  saturation *= amount;
  saturation = saturation < 0 ? 0 : saturation > 1 ? 1 : saturation;
  const float c = saturation * high, m = high - c, sixth = hue * 6;
  float turned = sixth;
  while (turned <= 0) turned += 2.0f;
  while (turned >= 2.0f) turned -= 2.0f;
  const float apart = turned - 1 < 0 ? 1 - turned : turned - 1;
  const int category = (int)sixth;
  if (category < 0 || category > 5) {
    y[0] = y[1] = y[2] = m;
    return;
  }
  place(category, c + m, c * (1 - apart) + m, m, y);
}

#define DEFINE_ADJUST(name, type, function)                                  \
  BERTH_KERNEL(berth_##name##_##type, berth_color_params_t) {                \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                 \
    const float amount = *p.amount;                                          \
    BERTH_EACH(i, p.images *p.pixels) {                                      \
      float x[3], y[3];                                                      \
      BERTH_UNROLL                                                           \
      for (uint64_t k = 0; k < 3; ++k) x[k] = berth_load_##type(in[3 * i + k]);   \
      function(x, amount, y);                                                \
      BERTH_UNROLL                                                           \
      for (uint64_t k = 0; k < 3; ++k) out[3 * i + k] = berth_store_##type(y[k]); \
    }                                                                        \
  }
DEFINE_ADJUST(hue, f32, turn_hue)
DEFINE_ADJUST(hue, f16, turn_hue)
DEFINE_ADJUST(saturation, f32, saturate)
DEFINE_ADJUST(saturation, f16, saturate)

// ---- HSV ----

#define DEFINE_HSV(type, W)                                                  \
  BERTH_KERNEL(berth_to_hsv_##type, berth_color_params_t) {                  \
    BERTH_EACH(i, p.images *p.pixels) {                                      \
      const W *x = (const W *)p.in + 3 * i;                                  \
      W *y = (W *)p.out + 3 * i;                                             \
      const W r = x[0], g = x[1], b = x[2];                                  \
      W high = r > g ? r : g, low = r < g ? r : g;                           \
      high = high > b ? high : b;                                            \
      low = low < b ? low : b;                                               \
      const W range = high - low;                                            \
      const W part = 1 / range * ((W)1 / (W)6);                              \
      W hue = r == high   ? part * (g - b)                                   \
              : g == high ? part * (b - r) + (W)2 / (W)6                     \
                          : part * (r - g) + (W)4 / (W)6;                    \
      if (!(range > 0)) hue = 0;                                             \
      if (hue < 0) hue = hue + 1;                                            \
      y[0] = hue;                                                            \
      y[1] = high > 0 ? range / high : (W)0;                                 \
      y[2] = high;                                                           \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_GPU_FN W inside_##type(W x) { return x < 0 ? 0 : x > 1 ? 1 : x; }    \
                                                                             \
  BERTH_KERNEL(berth_from_hsv_##type, berth_color_params_t) {                \
    BERTH_EACH(i, p.images *p.pixels) {                                      \
      const W *x = (const W *)p.in + 3 * i;                                  \
      W *y = (W *)p.out + 3 * i;                                             \
      const W sixth = x[0] * 6, s = x[1], v = x[2], rest = 1 - s;            \
      const W r = sixth - 3 < 0 ? 3 - sixth : sixth - 3;                     \
      const W g = sixth - 2 < 0 ? 2 - sixth : sixth - 2;                     \
      const W b = sixth - 4 < 0 ? 4 - sixth : sixth - 4;                     \
      y[0] = (rest + s * inside_##type(r - 1)) * v;                          \
      y[1] = (rest + s * inside_##type(2 - g)) * v;                          \
      y[2] = (rest + s * inside_##type(2 - b)) * v;                          \
    }                                                                        \
  }
DEFINE_HSV(f32, float)
DEFINE_HSV(f64, double)

// ---- Contrast ----

#define ADD(a, b) ((a) + (b))
BERTH_BLOCK_REDUCE(sum_f64, double, ADD)

#define DEFINE_CONTRAST(type)                                               \
  BERTH_KERNEL(berth_contrast_##type, berth_color_params_t) {               \
    const float amount = *p.amount;                                         \
    const berth_team_t team = berth_team(BERTH_TEAM_BLOCK);                 \
    const uint64_t n = p.channels;                                          \
    for (uint64_t k = team.index; k < p.images * n; k += team.count) {      \
      const uint64_t first = k / n * p.pixels * n + k % n;                  \
      const berth_stored_##type *x =                                        \
          (const berth_stored_##type *)p.in + first;                        \
      berth_stored_##type *y = (berth_stored_##type *)p.out + first;        \
      double sum = 0;                                                       \
      for (uint64_t i = team.lane; i < p.pixels; i += team.lanes) {         \
        sum += (double)berth_load_##type(x[i * n]);                         \
      }                                                                     \
      sum = sum_f64_team(sum, team);                                        \
      const float mean = (float)(sum / (double)p.pixels);                   \
      for (uint64_t i = team.lane; i < p.pixels; i += team.lanes) {         \
        const float value = berth_load_##type(x[i * n]) - mean;             \
        y[i * n] = berth_store_##type(value * amount + mean);               \
      }                                                                     \
    }                                                                       \
  }
DEFINE_CONTRAST(f32)
DEFINE_CONTRAST(f16)
