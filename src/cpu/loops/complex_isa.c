// complex_isa.c - Loops of complex numbers.
//
// What is a few instructions goes over the parts as they lie. Longer functions
// are of double for both types: a block is taken apart, done in vectors and put
// together again; elements that are too large or too small for that, or not
// numbers, are the C library's.
#include <complex.h>
#include <math.h>

#include "cpu/loops/binary_scalar.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/loops/even.h"
#include "cpu/loops/loop.h"
#include "cpu/loops/vcomplex.h"
#include "tensor/complex.h"

enum { PLANE = 128 };  // Elements taken apart at a time.

typedef struct planes {
  _Alignas(64) double re[2][PLANE], im[2][PLANE];  // Of both inputs.
  double out_re[PLANE], out_im[PLANE];
} planes_t;

// A function, what it is elsewhere, and the sizes it holds for.
typedef struct plane {
  void (*run)(planes_t *planes);
  berth_complex128_t (*far)(berth_complex128_t x, berth_complex128_t y);
  double least, most;
  bool has_two, is_real;  // Whether a part comes out.
} plane_t;

// ---- Blocks ----

// A block as it lies in memory: filled up with ones where there is less.
typedef union block {
  float narrow[2 * PLANE];
  double wide[2 * PLANE];
} block_t;

static BERTH_ONCE void plane_read(const void *from, bool is_wide, int64_t n,
                                  double *re, double *im) {
  block_t filled;
  const block_t *block = from;
  if (n < PLANE) {
    for (int i = 0; i < 2 * PLANE && is_wide; ++i) filled.wide[i] = 1;
    for (int i = 0; i < 2 * PLANE && !is_wide; ++i) filled.narrow[i] = 1;
    memcpy(&filled, from, (size_t)n * (is_wide ? 16 : 8));
    block = &filled;
  }
  if (is_wide) {
    for (int i = 0; i < PLANE; ++i) {
      re[i] = block->wide[2 * i];
      im[i] = block->wide[2 * i + 1];
    }
  } else {
    for (int i = 0; i < PLANE; ++i) {
      re[i] = (double)block->narrow[2 * i];
      im[i] = (double)block->narrow[2 * i + 1];
    }
  }
}

// Parts are a half of the numbers.
static BERTH_ONCE void plane_write_part(block_t *block, bool is_wide,
                                        const double *re) {
  for (int i = 0; i < PLANE && is_wide; ++i) block->wide[i] = re[i];
  for (int i = 0; i < PLANE && !is_wide; ++i) block->narrow[i] = (float)re[i];
}

static BERTH_ONCE void plane_write(block_t *block, bool is_wide,
                                   const double *re, const double *im) {
  if (is_wide) {
    for (int i = 0; i < PLANE; ++i) {
      block->wide[2 * i] = re[i];
      block->wide[2 * i + 1] = im[i];
    }
  } else {
    for (int i = 0; i < PLANE; ++i) {
      block->narrow[2 * i] = (float)re[i];
      block->narrow[2 * i + 1] = (float)im[i];
    }
  }
}

// Whether the parts of a number are within limits: 1 or 0.
static BERTH_INLINE double is_held(const plane_t *plane, double re, double im) {
  double a = berth_vabs64(re), b = berth_vabs64(im), size = a > b ? a : b;
  double held = size >= plane->least ? 1.0 : 0.0;
  held = size <= plane->most ? held : 0.0;
  held = a == a ? held : 0.0;
  return b == b ? held : 0.0;
}

static BERTH_ONCE bool are_held(const plane_t *plane, const double *re,
                                const double *im) {
  double held[PLANE];
  int missing = 0;
  for (int i = 0; i < PLANE; ++i) held[i] = is_held(plane, re[i], im[i]);
  for (int i = 0; i < PLANE; ++i) missing |= held[i] == 0.0;
  return missing == 0;
}

static berth_complex128_t number_at(const planes_t *planes, int k, int64_t i) {
  berth_complex128_t x;
  ((double *)&x)[0] = planes->re[k][i];
  ((double *)&x)[1] = planes->im[k][i];
  return x;
}

// Does by |far| what the vectors could not.
static BERTH_ONCE void plane_mend(const plane_t *plane, planes_t *planes) {
  const int last = plane->has_two ? 1 : 0;
  for (int i = 0; i < PLANE; ++i) {
    if (is_held(plane, planes->re[0][i], planes->im[0][i]) != 0.0 &&
        is_held(plane, planes->re[last][i], planes->im[last][i]) != 0.0) {
      continue;
    }
    berth_complex128_t z =
        plane->far(number_at(planes, 0, i), number_at(planes, last, i));
    planes->out_re[i] = creal(z);
    planes->out_im[i] = cimag(z);
  }
}

static BERTH_ONCE void plane_do(const plane_t *plane, planes_t *planes) {
  const int last = plane->has_two ? 1 : 0;
  plane->run(planes);
  if (are_held(plane, planes->re[0], planes->im[0]) &&
      (last == 0 || are_held(plane, planes->re[1], planes->im[1]))) {
    return;
  }
  plane_mend(plane, planes);
}

static BERTH_ONCE void plane_run(const plane_t *plane, bool is_wide,
                                 const char *a, const char *b, char *out,
                                 int64_t count) {
  const size_t size = is_wide ? 16 : 8, part = plane->is_real ? size / 2 : size;
  planes_t planes;
  block_t block;
  for (int64_t at = 0; at < count; at += PLANE) {
    const int64_t n = count - at < PLANE ? count - at : PLANE;
    plane_read(a + (size_t)at * size, is_wide, n, planes.re[0], planes.im[0]);
    if (plane->has_two) {
      plane_read(b + (size_t)at * size, is_wide, n, planes.re[1], planes.im[1]);
    }
    plane_do(plane, &planes);
    if (plane->is_real) {
      plane_write_part(&block, is_wide, planes.out_re);
    } else {
      plane_write(&block, is_wide, planes.out_re, planes.out_im);
    }
    memcpy(out + (size_t)at * part, &block, (size_t)n * part);
  }
}

// ---- Longer functions ----

// The angle of a number; that of double does for both.
static void run_angle(planes_t *p) {
  for (int at = 0; at < PLANE; at += BERTH_EVEN(double)) {
    for (int k = 0; k < BERTH_EVEN(double); ++k) {
      p->out_re[at + k] = berth_vatan2_64(p->im[0][at + k], p->re[0][at + k]);
    }
  }
}

#define FAR(name, expr)                                        \
  static berth_complex128_t far_##name(berth_complex128_t x,   \
                                       berth_complex128_t y) { \
    (void)y;                                                   \
    return expr;                                               \
  }
FAR(exp, cexp(x))
FAR(log, clog(x))
FAR(log1p, clog(1 + x))
FAR(sigmoid, 1 / (1 + cexp(-x)))
FAR(sqrt, csqrt(x))
FAR(rsqrt, 1 / csqrt(x))
FAR(reciprocal, 1 / x)
FAR(sign, cabs(x) == 0 ? 0 : x / cabs(x))
FAR(abs, cabs(x))
FAR(xlogy, x == 0 ? x : berth_scalar_mul_C128(x, clog(y)))
FAR(xlog1py, x == 0 ? x : berth_scalar_mul_C128(x, clog(1 + y)))

FAR(div_no_nan, y == 0 ? 0 : berth_scalar_div_C128(x, y))
FAR(xdivy, x == 0 ? x : berth_scalar_div_C128(x, y))
#define berth_vc_div_no_nan berth_vc_div
#define berth_vc_xdivy berth_vc_div

#define LOOPS_WIDE(name, suffix)                                       \
  static void loop_##name##_C64##suffix(const void *a, const void *b,  \
                                        void *out, int64_t count) {    \
    plane_run(&plane_##name, false, a, b, out, count);                 \
  }                                                                    \
  static void loop_##name##_C128##suffix(const void *a, const void *b, \
                                         void *out, int64_t count) {   \
    plane_run(&plane_##name, true, a, b, out, count);                  \
  }

#define PLANE1(name, least, most, is_real)                               \
  static void run_##name(planes_t *p) {                                  \
    for (int at = 0; at < PLANE; at += BERTH_EVEN(double)) {             \
      for (int k = 0; k < BERTH_EVEN(double); ++k) {                     \
        const int i = at + k;                                            \
        const berth_vpair_t z =                                          \
            berth_vc_##name((berth_vpair_t){p->re[0][i], p->im[0][i]});  \
        p->out_re[i] = z.re;                                             \
        p->out_im[i] = z.im;                                             \
      }                                                                  \
    }                                                                    \
  }                                                                      \
  static const plane_t plane_##name = {run_##name, far_##name, least,    \
                                       most,       false,      is_real}; \
  LOOPS_WIDE(name, )

#define PLANE2(name, least, most)                                       \
  static void run_##name(planes_t *p) {                                 \
    for (int at = 0; at < PLANE; at += BERTH_EVEN(double)) {            \
      for (int k = 0; k < BERTH_EVEN(double); ++k) {                    \
        const int i = at + k;                                           \
        const berth_vpair_t z =                                         \
            berth_vc_##name((berth_vpair_t){p->re[0][i], p->im[0][i]},  \
                            (berth_vpair_t){p->re[1][i], p->im[1][i]}); \
        p->out_re[i] = z.re;                                            \
        p->out_im[i] = z.im;                                            \
      }                                                                 \
    }                                                                   \
  }                                                                     \
  static const plane_t plane_##name = {run_##name, far_##name, least,   \
                                       most,       true,       false};  \
  LOOPS_WIDE(name, _both)                                               \
  LOOPS_SPREAD(name, C64, berth_complex64_t)                            \
  LOOPS_SPREAD(name, C128, berth_complex128_t)

PLANE1(exp, 1e-300, 600, false)
PLANE1(sigmoid, 1e-300, 300, false)
PLANE1(log, 1e-150, 1e150, false)
PLANE1(log1p, 0, 1e150, false)
PLANE1(sqrt, 1e-150, 1e150, false)
PLANE1(rsqrt, 1e-150, 1e150, false)
PLANE1(reciprocal, 1e-150, 1e150, false)
PLANE1(sign, 1e-150, 1e150, false)
PLANE1(abs, 1e-150, 1e150, true)
PLANE2(div_no_nan, 1e-150, 1e150)
PLANE2(xdivy, 1e-150, 1e150)
PLANE2(xlogy, 1e-150, 1e150)
PLANE2(xlog1py, 1e-150, 1e150)

// ---- Brief functions ----

// Of the parts a, b of x and c, d of y: |set| sets u and v.
#define BRIEF2(name, slot, part_t, set)                                 \
  static void loop_##name##_##slot##_both(const void *x, const void *y, \
                                          void *out, int64_t count) {   \
    const part_t *left = x, *right = y;                                 \
    part_t *to = out;                                                   \
    BERTH_VECTOR_LOOP                                                   \
    for (int64_t i = 0; i < count; ++i) {                               \
      const part_t a = left[2 * i], b = left[2 * i + 1];                \
      const part_t c = right[2 * i], d = right[2 * i + 1];              \
      part_t u, v;                                                      \
      set;                                                              \
      to[2 * i] = u;                                                    \
      to[2 * i + 1] = v;                                                \
    }                                                                   \
  }                                                                     \
  LOOPS_SPREAD(name, slot, part_t _Complex)

#define BRIEF1(name, slot, part_t, set)                                     \
  static void loop_##name##_##slot(const void *x, const void *y, void *out, \
                                   int64_t count) {                         \
    const part_t *from = x;                                                 \
    part_t *to = out;                                                       \
    (void)y;                                                                \
    BERTH_VECTOR_LOOP                                                       \
    for (int64_t i = 0; i < count; ++i) {                                   \
      const part_t a = from[2 * i], b = from[2 * i + 1];                    \
      part_t u, v;                                                          \
      set;                                                                  \
      to[2 * i] = u;                                                        \
      to[2 * i + 1] = v;                                                    \
    }                                                                       \
  }

#define BRIEF_PART(name, slot, part_t, expr)                                \
  static void loop_##name##_##slot(const void *x, const void *y, void *out, \
                                   int64_t count) {                         \
    const part_t *from = x;                                                 \
    part_t *to = out;                                                       \
    (void)y;                                                                \
    BERTH_VECTOR_LOOP                                                       \
    for (int64_t i = 0; i < count; ++i) {                                   \
      const part_t a = from[2 * i], b = from[2 * i + 1];                    \
      (void)a;                                                              \
      (void)b;                                                              \
      to[i] = expr;                                                         \
    }                                                                       \
  }

#define SET_MUL u = a * c - b * d, v = a * d + b * c
#define SET_MUL_NO_NAN                     \
  const int is_zero = (c == 0) & (d == 0); \
  u = is_zero ? 0 : a * c - b * d, v = is_zero ? 0 : a * d + b * c
#define SET_SQUARED_DIFFERENCE               \
  u = (a - c) * (a - c) + (b - d) * (b - d), \
  v = (b - d) * (a - c) - (a - c) * (b - d)

// The quotient as |up| and |across|: a double has room for the squares of all
// floats.
#define QUOTIENT_C64                                            \
  const double size = (double)c * c + (double)d * d;            \
  const double by = 1 / size;                                   \
  const double dot = (double)a * c + (double)b * d;             \
  const double turn = (double)b * c - (double)a * d;            \
  const float up = (float)((size == 0 ? (double)a : dot) * by); \
  const float across = (float)((size == 0 ? (double)b : turn) * by)

// Scaled by the larger part, so that squares stay in range, and first of all so
// that its inverse does.
#define QUOTIENT_C128                                              \
  const double c_size = berth_vabs64(c), d_size = berth_vabs64(d); \
  const double larger = c_size > d_size ? c_size : d_size;         \
  const double lift = larger < 1e-280 ? 0x1p200 : 1;               \
  const double scale = larger * lift;                              \
  const double p = c * lift / scale, q = d * lift / scale;         \
  const double by = 1 / ((p * p + q * q) * scale);                 \
  const double dot = (a * lift) * p + (b * lift) * q;              \
  const double turn = (b * lift) * p - (a * lift) * q;             \
  const double up = scale == 0 ? a / scale : dot * by;             \
  const double across = scale == 0 ? b / scale : turn * by

#define SET_DIV u = up, v = across

#define BRIEF(slot, part_t)                                            \
  BRIEF1(square, slot, part_t, (u = a * a - b * b, v = a * b + b * a)) \
  BRIEF1(conj, slot, part_t, (u = a, v = -b))                          \
  BRIEF_PART(real, slot, part_t, a)                                    \
  BRIEF_PART(imag, slot, part_t, b)                                    \
  BRIEF2(mul, slot, part_t, SET_MUL)                                   \
  BRIEF2(mul_no_nan, slot, part_t, SET_MUL_NO_NAN)                     \
  BRIEF2(squared_difference, slot, part_t, SET_SQUARED_DIFFERENCE)     \
  BRIEF2(div, slot, part_t, QUOTIENT_##slot; SET_DIV)
BRIEF(C64, float)
BRIEF(C128, double)

FAR(angle, carg(x))
static const plane_t plane_angle = {run_angle,        far_angle, 0,
                                    (double)INFINITY, false,     true};
LOOPS_WIDE(angle, )

// ---- Tables ----

#define UNARY_ENTRY(NAME, name, slot) \
  [BERTH_UNARY_##NAME] = loop_##name##_##slot
#define BINARY_ENTRY(NAME, name, slot) \
  [BERTH_BINARY_##NAME] = LOOPS3_OF(name, slot)

#define LOOPS_OF(slot)                                                      \
  {                                                                         \
    .unary = {UNARY_ENTRY(EXP, exp, slot),                                  \
              UNARY_ENTRY(LOG, log, slot),                                  \
              UNARY_ENTRY(LOG1P, log1p, slot),                              \
              UNARY_ENTRY(SIGMOID, sigmoid, slot),                          \
              UNARY_ENTRY(SQRT, sqrt, slot),                                \
              UNARY_ENTRY(RSQRT, rsqrt, slot),                              \
              UNARY_ENTRY(RECIPROCAL, reciprocal, slot),                    \
              UNARY_ENTRY(SIGN, sign, slot),                                \
              UNARY_ENTRY(SQUARE, square, slot)},                           \
    .part = {[BERTH_PART_REAL] = loop_real_##slot,                          \
             [BERTH_PART_IMAG] = loop_imag_##slot,                          \
             [BERTH_PART_ANGLE] = loop_angle_##slot,                        \
             [BERTH_PART_ABS] = loop_abs_##slot,                            \
             [BERTH_PART_CONJ] = loop_conj_##slot},                         \
    .binary = {BINARY_ENTRY(MUL, mul, slot),                                \
               BINARY_ENTRY(DIV, div, slot),                                \
               BINARY_ENTRY(MUL_NO_NAN, mul_no_nan, slot),                  \
               BINARY_ENTRY(DIV_NO_NAN, div_no_nan, slot),                  \
               BINARY_ENTRY(XDIVY, xdivy, slot),                            \
               BINARY_ENTRY(XLOGY, xlogy, slot),                            \
               BINARY_ENTRY(SQUARED_DIFFERENCE, squared_difference, slot)}, \
    .xlog1py = LOOPS3_OF(xlog1py, slot)                                     \
  }

const berth_complex_hot_t BERTH_ISA(berth_cpu_complex_hot) = {
    .c64 = LOOPS_OF(C64), .c128 = LOOPS_OF(C128)};
