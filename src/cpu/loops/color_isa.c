// color_isa.c - The loops of colours in floats, for each instruction set.
//
// Some pixels at a time are taken apart into lines of a colour each, which
// become vectors.
#include "cpu/loops/color.h"

#include "base/compiler.h"

enum { AT_ONCE = 64 };

typedef struct lines {
  float x[3][AT_ONCE];
} lines_t;

static BERTH_INLINE void lines_read(const float *in, int64_t n,
                                    lines_t *lines) {
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) lines->x[k][i] = in[3 * i + k];
  }
}

static BERTH_INLINE void lines_write(const lines_t *lines, int64_t n,
                                     float *out) {
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) out[3 * i + k] = lines->x[k][i];
  }
}

static void lines_to_hsv(lines_t *lines) {
  const float sixth = 1.0f / 6;
  for (int i = 0; i < AT_ONCE; ++i) {
    const float r = lines->x[0][i], g = lines->x[1][i], b = lines->x[2][i];
    const float most = r > g ? r : g, least = r < g ? r : g;
    const float high = most > b ? most : b, low = least < b ? least : b;
    const float range = high - low, part = (1 / range) * sixth;
    const float from_red = part * (g - b);
    const float from_green = part * (b - r) + 2.0f / 6;
    const float from_blue = part * (r - g) + 4.0f / 6;
    const float other = g == high ? from_green : from_blue;
    float hue = r == high ? from_red : other;
    hue = range > 0 ? hue : 0;
    lines->x[0][i] = hue < 0 ? hue + 1 : hue;
    const float saturation = range / high;
    lines->x[1][i] = high > 0 ? saturation : 0;
    lines->x[2][i] = high;
  }
}

static BERTH_INLINE float inside(float x) {
  x = x > 1 ? 1 : x;
  return x < 0 ? 0 : x;
}

static void lines_from_hsv(lines_t *lines) {
  for (int i = 0; i < AT_ONCE; ++i) {
    const float sixth = lines->x[0][i] * 6, s = lines->x[1][i];
    const float v = lines->x[2][i], rest = 1 - s;
    const float r = __builtin_fabsf(sixth - 3) - 1;
    const float g = 2 - __builtin_fabsf(sixth - 2);
    const float b = 2 - __builtin_fabsf(sixth - 4);
    lines->x[0][i] = (rest + s * inside(r)) * v;
    lines->x[1][i] = (rest + s * inside(g)) * v;
    lines->x[2][i] = (rest + s * inside(b)) * v;
  }
}

static BERTH_INLINE void pixels_do(const float *in, float *out, int64_t count,
                                   void (*turn)(lines_t *)) {
  lines_t lines = {0};
  for (int64_t i = 0; i < count; i += AT_ONCE) {
    const int64_t n = count - i < AT_ONCE ? count - i : AT_ONCE;
    lines_read(in + 3 * i, n, &lines);
    turn(&lines);
    lines_write(&lines, n, out + 3 * i);
  }
}

static void to_hsv(const float *in, float *out, int64_t count) {
  pixels_do(in, out, count, lines_to_hsv);
}

static void from_hsv(const float *in, float *out, int64_t count) {
  pixels_do(in, out, count, lines_from_hsv);
}

const berth_color_loops_t BERTH_ISA(berth_cpu_color_loops) = {to_hsv, from_hsv};
