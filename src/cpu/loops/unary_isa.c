// unary_isa.c - Loops of one input for float, double, int32 and int64.
#include "cpu/loops/loop.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/vmath.h"
#include "cpu/loops/vmath64.h"

// Constants of the scaled exponential linear unit.
#define SELU_SCALE 1.0507009873554805
#define SELU_SCALE_ALPHA 1.7580993408473768

// Comparisons are written so that a NaN stays one.
#define FLOATS(slot, type, f)                                                \
  LOOP1(neg, slot, type, type, -x)                                           \
  LOOP1(abs, slot, type, type, fabs##f(x))                                   \
  LOOP1(square, slot, type, type, x *x)                                      \
  LOOP1(sign, slot, type, type, x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0 : x))) \
  LOOP1(sqrt, slot, type, type, sqrt##f(x))                                  \
  LOOP1(rsqrt, slot, type, type, 1 / sqrt##f(x))                             \
  LOOP1(reciprocal, slot, type, type, 1 / x)                                 \
  LOOP1(floor, slot, type, type, floor##f(x))                                \
  LOOP1(ceil, slot, type, type, ceil##f(x))                                  \
  LOOP1(round, slot, type, type, rint##f(x))                                 \
  LOOP1(relu, slot, type, type, x <= 0 ? 0 : x)                              \
  LOOP1(relu6, slot, type, type, x <= 0 ? 0 : (x > 6 ? 6 : x))               \
  LOOP1(softsign, slot, type, type, x / (1 + fabs##f(x)))                    \
  LOOP1(is_nan, slot, type, uint8_t, x != x)                                 \
  LOOP1(is_inf, slot, type, uint8_t, fabs##f(x) == (type)INFINITY)           \
  LOOP1(is_finite, slot, type, uint8_t, fabs##f(x) < (type)INFINITY)

FLOATS(F32, float, f)
FLOATS(F64, double, )

LOOP1(exp, F32, float, float, berth_vexp(x))
LOOP1(expm1, F32, float, float, berth_vexpm1(x))
LOOP1(log, F32, float, float, berth_vlog(x))
LOOP1(log1p, F32, float, float, berth_vlog1p(x))
LOOP1(sigmoid, F32, float, float, berth_vsigmoid(x))
LOOP1(tanh, F32, float, float, berth_vtanh(x))
LOOP1(erf, F32, float, float, berth_verf(x))
LOOP1(erfc, F32, float, float, berth_verfc(x))
LOOP1(elu, F32, float, float, x < 0 ? berth_vexpm1(x) : x)
LOOP1(selu, F32, float, float,
      x < 0 ? (float)SELU_SCALE_ALPHA * berth_vexpm1(x) : (float)SELU_SCALE * x)
LOOP1(softplus, F32, float, float, berth_vsoftplus(x))

LOOP1(exp, F64, double, double, berth_vexp64(x))
LOOP1(expm1, F64, double, double, berth_vexpm164(x))
LOOP1(log, F64, double, double, berth_vlog64(x))
LOOP1(log1p, F64, double, double, berth_vlog1p64(x))
LOOP1(sigmoid, F64, double, double, berth_vsigmoid64(x))
LOOP1(tanh, F64, double, double, berth_vtanh64(x))
LOOP1(elu, F64, double, double, x < 0 ? berth_vexpm164(x) : x)
LOOP1(selu, F64, double, double,
      x < 0 ? SELU_SCALE_ALPHA * berth_vexpm164(x) : SELU_SCALE * x)
LOOP1(softplus, F64, double, double, berth_vsoftplus64(x))

// True when the vector code can reduce all of |count| angles.
static bool are_small(const float *x, int64_t count) {
  int large = 0;
  for (int64_t i = 0; i < count; ++i) {
    large |= !(berth_vabs(x[i]) <= BERTH_VTRIG_LIMIT);
  }
  return large == 0;
}

enum { ANGLES = 256 };  // Looked at together.

#define TRIGONOMETRIC(name, vector, scalar)                              \
  static void loop_##name##_F32(const void *a, const void *b, void *out, \
                                int64_t count) {                         \
    (void)b;                                                             \
    for (int64_t at = 0; at < count; at += ANGLES) {                     \
      const float *from = (const float *)a + at;                         \
      float *to = (float *)out + at;                                     \
      const int64_t n = count - at < ANGLES ? count - at : ANGLES;       \
      if (are_small(from, n)) {                                          \
        BERTH_VECTOR_LOOP                                                \
        for (int64_t i = 0; i < n; ++i) to[i] = vector;                  \
      } else {                                                           \
        for (int64_t i = 0; i < n; ++i) to[i] = scalar(from[i]);         \
      }                                                                  \
    }                                                                    \
  }

TRIGONOMETRIC(sin, berth_vsin_turned(from[i], 0), sinf)
TRIGONOMETRIC(cos, berth_vsin_turned(from[i], 1), cosf)
TRIGONOMETRIC(tan, berth_vtan(from[i]), tanf)

// The parameter is the slope.
#define LEAKY_RELU(slot, type)                                                \
  static void loop_leaky_relu_##slot(const void *a, const void *b, void *out, \
                                     int64_t count) {                         \
    const type *from = a;                                                     \
    const type slope = *(const type *)b;                                      \
    type *to = out;                                                           \
    BERTH_VECTOR_LOOP                                                         \
    for (int64_t i = 0; i < count; ++i) {                                     \
      to[i] = from[i] > 0 ? from[i] : from[i] * slope;                        \
    }                                                                         \
  }

LEAKY_RELU(F32, float)
LEAKY_RELU(F64, double)

#define INTEGERS(slot, type, unsigned_type)               \
  LOOP1(neg, slot, unsigned_type, unsigned_type, 0 - x)   \
  LOOP1(abs, slot, type, unsigned_type,                   \
        x < 0 ? 0 - (unsigned_type)x : (unsigned_type)x)  \
  LOOP1(square, slot, unsigned_type, unsigned_type, x *x) \
  LOOP1(sign, slot, type, type, (x > 0) - (x < 0))        \
  LOOP1(relu, slot, type, type, x > 0 ? x : 0)            \
  LOOP1(relu6, slot, type, type, x > 0 ? (x > 6 ? 6 : x) : 0)

INTEGERS(I32, int32_t, uint32_t)
INTEGERS(I64, int64_t, uint64_t)

#define ENTRY(op, slot, name) \
  [BERTH_UNARY_##op][BERTH_SLOT_##slot] = loop_##name##_##slot

#define EVERYWHERE(slot)                                                     \
  ENTRY(NEG, slot, neg), ENTRY(ABS, slot, abs), ENTRY(SQUARE, slot, square), \
      ENTRY(SIGN, slot, sign), ENTRY(RELU, slot, relu),                      \
      ENTRY(RELU6, slot, relu6)

#define FLOATS_OF(slot)                                               \
  ENTRY(SQRT, slot, sqrt), ENTRY(RSQRT, slot, rsqrt),                 \
      ENTRY(RECIPROCAL, slot, reciprocal), ENTRY(FLOOR, slot, floor), \
      ENTRY(CEIL, slot, ceil), ENTRY(ROUND, slot, round),             \
      ENTRY(SOFTSIGN, slot, softsign), ENTRY(IS_NAN, slot, is_nan),   \
      ENTRY(IS_INF, slot, is_inf), ENTRY(IS_FINITE, slot, is_finite), \
      ENTRY(LEAKY_RELU, slot, leaky_relu)

#define CURVES_OF(slot)                                                        \
  ENTRY(EXP, slot, exp), ENTRY(EXPM1, slot, expm1), ENTRY(LOG, slot, log),     \
      ENTRY(LOG1P, slot, log1p), ENTRY(SIGMOID, slot, sigmoid),                \
      ENTRY(TANH, slot, tanh), ENTRY(ELU, slot, elu), ENTRY(SELU, slot, selu), \
      ENTRY(SOFTPLUS, slot, softplus)

const berth_unary_hot_t BERTH_ISA(berth_cpu_unary_hot) = {
    .at = {EVERYWHERE(F32), EVERYWHERE(F64), EVERYWHERE(I32), EVERYWHERE(I64),
           FLOATS_OF(F32), FLOATS_OF(F64), CURVES_OF(F32), CURVES_OF(F64),
           ENTRY(ERF, F32, erf), ENTRY(ERFC, F32, erfc), ENTRY(SIN, F32, sin),
           ENTRY(COS, F32, cos), ENTRY(TAN, F32, tan)}};
