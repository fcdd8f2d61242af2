// unary_loops.c - Loops of one input for the types and ops in lesser use.
//
// Compiled once, for any CPU; the functions are the C library's.
#include <math.h>

#include "cpu/loops/loop.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/vmath.h"
#include "tensor/complex.h"
#include "tensor/half.h"

// --- Small and unsigned integers
// -----------------------------------------------

#define UNSIGNED(slot, type)                                \
  LOOP1(square, slot, type, type, (uint64_t)x *(uint64_t)x) \
  LOOP1(relu6, slot, type, type, x > 6 ? 6 : x)             \
  LOOP1(relu, slot, type, type, x)

#define SIGNED(slot, type)                                            \
  LOOP1(neg, slot, type, type, 0 - (uint64_t)x)                       \
  LOOP1(abs, slot, type, type, x < 0 ? 0 - (uint64_t)x : (uint64_t)x) \
  LOOP1(square, slot, type, type, (uint64_t)x *(uint64_t)x)           \
  LOOP1(sign, slot, type, type, (x > 0) - (x < 0))                    \
  LOOP1(relu, slot, type, type, x > 0 ? x : 0)                        \
  LOOP1(relu6, slot, type, type, x > 0 ? (x > 6 ? 6 : x) : 0)

UNSIGNED(U8, uint8_t)
UNSIGNED(U16, uint16_t)
UNSIGNED(U32, uint32_t)
UNSIGNED(U64, uint64_t)
SIGNED(I8, int8_t)
SIGNED(I16, int16_t)
LOOP1(not, U8, uint8_t, uint8_t, x == 0)

// --- Real numbers
// ----------------------------------------------------------------

LOOP1_CALL(trunc, F32, float, float, truncf(x))
LOOP1_CALL(sin, F64, double, double, sin(x))
LOOP1_CALL(cos, F64, double, double, cos(x))
LOOP1_CALL(tan, F64, double, double, tan(x))
LOOP1_CALL(erf, F64, double, double, erf(x))
LOOP1_CALL(erfc, F64, double, double, erfc(x))

// --- Half and bfloat16 ------------------------------------------------------

// Constants of the scaled exponential linear unit.
#define SELU_SCALE 1.0507009873554805
#define SELU_SCALE_ALPHA 1.7580993408473768

// TensorFlow rounds every step of these to the type, and it shows.
#define NARROW(slot, round, threshold)                                         \
  static BERTH_INLINE float softplus_##slot(float x) {                         \
    float e = round(berth_vexp(x));                                            \
    return x > threshold ? x : (x < -threshold ? e : berth_vlog1p(e));         \
  }                                                                            \
  LOOP1_CALL(elu, slot, float, float, x < 0 ? round(berth_vexp(x)) - 1 : x)    \
  LOOP1_CALL(                                                                  \
      selu, slot, float, float,                                                \
      x < 0 ? round((float)SELU_SCALE_ALPHA) * round(round(berth_vexp(x)) - 1) \
            : round((float)SELU_SCALE) * x)                                    \
  LOOP1_CALL(softplus, slot, float, float, softplus_##slot(x))

static BERTH_INLINE float round_half(float x) {
  return berth_half_to_float(berth_float_to_half(x));
}
static BERTH_INLINE float round_bfloat16(float x) {
  return berth_bfloat16_to_float(berth_float_to_bfloat16(x));
}

// Beyond the thresholds the result is x or e^x as it stands.
NARROW(HALF, round_half, 7.01f)
NARROW(BFLOAT16, round_bfloat16, 2.85f)

const berth_loop_fn berth_cpu_unary_narrow[BERTH_UNARY_COUNT][2] = {
    [BERTH_UNARY_ELU] = {loop_elu_HALF, loop_elu_BFLOAT16},
    [BERTH_UNARY_SELU] = {loop_selu_HALF, loop_selu_BFLOAT16},
    [BERTH_UNARY_SOFTPLUS] = {loop_softplus_HALF, loop_softplus_BFLOAT16},
};

// --- Complex numbers
// ---------------------------------------------------------------

#define COMPLEX(slot, type, real_t, f)                         \
  static BERTH_INLINE type sign_##slot(type x) {               \
    real_t size = cabs##f(x);                                  \
    return size == 0 ? 0 : x / size;                           \
  }                                                            \
  LOOP1(neg, slot, type, type, -x)                             \
  LOOP1_CALL(square, slot, type, type, x *x)                   \
  LOOP1_CALL(sign, slot, type, type, sign_##slot(x))           \
  LOOP1_CALL(sqrt, slot, type, type, csqrt##f(x))              \
  LOOP1_CALL(rsqrt, slot, type, type, 1 / csqrt##f(x))         \
  LOOP1_CALL(reciprocal, slot, type, type, 1 / x)              \
  LOOP1_CALL(exp, slot, type, type, cexp##f(x))                \
  LOOP1_CALL(expm1, slot, type, type, cexp##f(x) - 1)          \
  LOOP1_CALL(log, slot, type, type, clog##f(x))                \
  LOOP1_CALL(log1p, slot, type, type, clog##f(1 + x))          \
  LOOP1_CALL(sigmoid, slot, type, type, 1 / (1 + cexp##f(-x))) \
  LOOP1_CALL(tanh, slot, type, type, ctanh##f(x))              \
  LOOP1_CALL(sin, slot, type, type, csin##f(x))                \
  LOOP1_CALL(cos, slot, type, type, ccos##f(x))                \
  LOOP1_CALL(tan, slot, type, type, ctan##f(x))

COMPLEX(C64, berth_complex64_t, float, f)
COMPLEX(C128, berth_complex128_t, double, )

// --- The table
// -----------------------------------------------------------------------

#define ENTRY(op, slot, name) \
  [BERTH_UNARY_##op][BERTH_SLOT_##slot] = loop_##name##_##slot

#define UNSIGNED_OF(slot)                               \
  ENTRY(SQUARE, slot, square), ENTRY(RELU, slot, relu), \
      ENTRY(RELU6, slot, relu6)

#define SIGNED_OF(slot)                                                  \
  ENTRY(NEG, slot, neg), ENTRY(ABS, slot, abs), ENTRY(SIGN, slot, sign), \
      UNSIGNED_OF(slot)

#define CURVES_OF(slot)                                                      \
  ENTRY(EXP, slot, exp), ENTRY(EXPM1, slot, expm1), ENTRY(LOG, slot, log),   \
      ENTRY(LOG1P, slot, log1p), ENTRY(SIGMOID, slot, sigmoid),              \
      ENTRY(TANH, slot, tanh), ENTRY(SIN, slot, sin), ENTRY(COS, slot, cos), \
      ENTRY(TAN, slot, tan)

#define COMPLEX_OF(slot)                                                       \
  ENTRY(NEG, slot, neg), ENTRY(SQUARE, slot, square), ENTRY(SIGN, slot, sign), \
      ENTRY(SQRT, slot, sqrt), ENTRY(RSQRT, slot, rsqrt),                      \
      ENTRY(RECIPROCAL, slot, reciprocal), CURVES_OF(slot)

const berth_loop_fn berth_cpu_unary_rest[BERTH_UNARY_COUNT][BERTH_SLOT_COUNT] =
    {
        UNSIGNED_OF(U8),        UNSIGNED_OF(U16),
        UNSIGNED_OF(U32),       UNSIGNED_OF(U64),
        SIGNED_OF(I8),          SIGNED_OF(I16),
        ENTRY(NOT, U8, not ),   ENTRY(TRUNC, F32, trunc),
        ENTRY(SIN, F64, sin),   ENTRY(COS, F64, cos),
        ENTRY(TAN, F64, tan),   ENTRY(ERF, F64, erf),
        ENTRY(ERFC, F64, erfc), COMPLEX_OF(C64),
        COMPLEX_OF(C128),
};
