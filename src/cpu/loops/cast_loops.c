// cast_loops.c - Conversions to and from the four wide types.
#include "cpu/loops/cast.h"
#include "cpu/loops/vmath64.h"
#include "tensor/complex.h"
#include "tensor/float8.h"
#include "tensor/half.h"

#define CONVERT(name, from_t, to_t, expr)                       \
  static void name(const void *from, void *to, int64_t count) { \
    const from_t *in = from;                                    \
    to_t *out = to;                                             \
    for (int64_t i = 0; i < count; ++i) {                       \
      const from_t x = in[i];                                   \
      out[i] = (to_t)(expr);                                    \
    }                                                           \
  }

// Bytes 0x00-0x0f are numbers of four bits, in two's complement.
#define FROM_INT4(x) (((x)&15) - (((x)&8) << 1))

static BERTH_INLINE uint8_t to_e5m2(double x) {
  return berth_float8_from_float(berth_float8_format(BERTH_FLOAT8_E5M2),
                                 (float)x);
}
static BERTH_INLINE uint8_t to_e4m3fn(double x) {
  return berth_float8_from_float(berth_float8_format(BERTH_FLOAT8_E4M3FN),
                                 (float)x);
}

// ---- Loads ----

CONVERT(load_i8, int8_t, int64_t, x)
CONVERT(load_u8, uint8_t, int64_t, x)
CONVERT(load_i16, int16_t, int64_t, x)
CONVERT(load_u16, uint16_t, int64_t, x)
CONVERT(load_i32, int32_t, int64_t, x)
CONVERT(load_u32, uint32_t, int64_t, x)
CONVERT(load_64, int64_t, int64_t, x)
CONVERT(load_i4, uint8_t, int64_t, FROM_INT4(x))
CONVERT(load_u4, uint8_t, int64_t, x & 15)
CONVERT(load_f32, float, double, x)
CONVERT(load_f64, double, double, x)
CONVERT(load_bfloat16, uint16_t, double, berth_bfloat16_to_float(x))

// What is half, and what |bits| and |scale| make of it.
#define LOAD_AS_HALF(name, from_t, bits, scale)                                \
  static void name(const void *from, void *to, int64_t count) {                \
    enum { PIECE = 256 };                                                      \
    const from_t *in = from;                                                   \
    double *out = to;                                                          \
    uint16_t half[PIECE];                                                      \
    float floats[PIECE];                                                       \
    for (int64_t at = 0; at < count; at += PIECE) {                            \
      const int64_t n = count - at < PIECE ? count - at : PIECE;               \
      for (int64_t i = 0; i < n; ++i) {                                        \
        const uint32_t x = in[at + i];                                         \
        half[i] = (uint16_t)(bits);                                            \
      }                                                                        \
      BERTH_ISA_PICK(berth_cpu_convert_loops)->half_to_float(half, floats, n); \
      for (int64_t i = 0; i < n; ++i) {                                        \
        out[at + i] = (double)floats[i] * (scale);                             \
      }                                                                        \
    }                                                                          \
  }
LOAD_AS_HALF(load_half, uint16_t, x, 1)
LOAD_AS_HALF(load_e5m2, uint8_t, x << 8, 1)
// All bits but the sign are its only NaN.
LOAD_AS_HALF(load_e4m3fn, uint8_t,
             (x & 0x80) << 8 | ((x & 0x7f) == 0x7f ? 0x7e00 : (x & 0x7f) << 7),
             256)

CONVERT(load_c64, berth_complex64_t, berth_complex128_t, x)
CONVERT(load_c128, berth_complex128_t, berth_complex128_t, x)
CONVERT(real_c64, berth_complex64_t, double, crealf(x))
CONVERT(real_c128, berth_complex128_t, double, creal(x))

CONVERT(narrow_c64, berth_complex64_t, float, crealf(x))
CONVERT(narrow_c128, berth_complex128_t, float, creal(x))

#define INTEGER(fn) \
  { BERTH_WIDE_I64, fn, NULL, NULL }
#define FLOATING(fn) \
  { BERTH_WIDE_F64, fn, NULL, NULL }

const berth_cast_load_t berth_cpu_cast_loads[BERTH_DTYPE_COUNT] = {
    [BERTH_INT8] = INTEGER(load_i8),
    [BERTH_QINT8] = INTEGER(load_i8),
    [BERTH_UINT8] = INTEGER(load_u8),
    [BERTH_QUINT8] = INTEGER(load_u8),
    [BERTH_BOOL] = INTEGER(load_u8),
    [BERTH_INT16] = INTEGER(load_i16),
    [BERTH_QINT16] = INTEGER(load_i16),
    [BERTH_UINT16] = INTEGER(load_u16),
    [BERTH_QUINT16] = INTEGER(load_u16),
    [BERTH_INT32] = INTEGER(load_i32),
    [BERTH_QINT32] = INTEGER(load_i32),
    [BERTH_UINT32] = INTEGER(load_u32),
    [BERTH_INT64] = INTEGER(load_64),
    [BERTH_INT4] = INTEGER(load_i4),
    [BERTH_UINT4] = INTEGER(load_u4),
    [BERTH_UINT64] = {BERTH_WIDE_U64, load_64, NULL, NULL},
    [BERTH_FLOAT] = FLOATING(load_f32),
    [BERTH_DOUBLE] = FLOATING(load_f64),
    [BERTH_HALF] = FLOATING(load_half),
    [BERTH_BFLOAT16] = FLOATING(load_bfloat16),
    [BERTH_FLOAT8_E5M2] = FLOATING(load_e5m2),
    [BERTH_FLOAT8_E4M3FN] = FLOATING(load_e4m3fn),
    [BERTH_COMPLEX64] = {BERTH_WIDE_C128, load_c64, real_c64, narrow_c64},
    [BERTH_COMPLEX128] = {BERTH_WIDE_C128, load_c128, real_c128, narrow_c128},
};

// ---- Stores ----

// Of integers, the low bits.
CONVERT(low_8, uint64_t, uint8_t, x)
CONVERT(low_16, uint64_t, uint16_t, x)
CONVERT(low_32, uint64_t, uint32_t, x)
CONVERT(low_64, uint64_t, uint64_t, x)
CONVERT(low_u4, uint64_t, uint8_t, x & 15)
// A byte holds the sign of its four bits too.
CONVERT(low_i4, uint64_t, uint8_t, FROM_INT4(x))
CONVERT(is_set, uint64_t, uint8_t, x != 0)

// Both halves as doubles, of which the upper one has all its bits above.
static BERTH_INLINE double from_u64(uint64_t x) {
  const double high =
      berth_double_from_bits(x >> 32 | UINT64_C(0x4530000000000000));
  const double low =
      berth_double_from_bits((x & UINT32_MAX) | UINT64_C(0x4330000000000000));
  return high - 0x1.00000001p84 + low;
}

#define TO_FLOATS(from_t, name)                                         \
  CONVERT(name##_f32, from_t, float, x)                                 \
  CONVERT(name##_half, from_t, uint16_t, berth_float_to_half((float)x)) \
  CONVERT(name##_bfloat16, from_t, uint16_t,                            \
          berth_float_to_bfloat16((float)x))                            \
  CONVERT(name##_c64, from_t, berth_complex64_t, (float)x)              \
  CONVERT(name##_c128, from_t, berth_complex128_t, (double)x)

TO_FLOATS(int64_t, i64)
TO_FLOATS(uint64_t, u64)
TO_FLOATS(double, f64)
CONVERT(i64_f64, int64_t, double, x)
CONVERT(u64_f64, uint64_t, double, from_u64(x))
#define f64_f64 load_f64

#define FROM_FLOAT(name, type)                                                \
  void berth_cpu_cast_f32_##name(const void *from, void *to, int64_t count) { \
    const float *in = from;                                                   \
    type *out = to;                                                           \
    for (int64_t i = 0; i < count; ++i) {                                     \
      out[2 * i] = (type)in[i];                                               \
      out[2 * i + 1] = 0;                                                     \
    }                                                                         \
  }
FROM_FLOAT(c64, float)
FROM_FLOAT(c128, double)

// As x86 converts: what does not fit, and NaN, becomes the smallest number.
static BERTH_INLINE int32_t to_i32(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}
static BERTH_INLINE int64_t to_i64(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x
                                                                  : INT64_MIN;
}
// Unsigned numbers have the positive half besides; negative ones wrap.
static BERTH_INLINE uint32_t to_u32(double x) {
  return x > -2147483649.0 && x < 4294967296.0 ? (uint32_t)(int64_t)x
                                               : UINT32_C(1) << 31;
}
static BERTH_INLINE uint64_t to_u64(double x) {
  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) {
    return (uint64_t)x;
  }
  return (uint64_t)to_i64(x);
}

CONVERT(f64_8, double, uint8_t, (uint32_t)to_i32(x))
CONVERT(f64_16, double, uint16_t, (uint32_t)to_i32(x))
CONVERT(f64_i32, double, int32_t, to_i32(x))
CONVERT(f64_u32, double, uint32_t, to_u32(x))
CONVERT(f64_i64, double, int64_t, to_i64(x))
CONVERT(f64_u64, double, uint64_t, to_u64(x))
CONVERT(f64_bool, double, uint8_t, x != 0)
CONVERT(f64_e5m2, double, uint8_t, to_e5m2(x))
CONVERT(f64_e4m3fn, double, uint8_t, to_e4m3fn(x))
CONVERT(c128_c64, berth_complex128_t, berth_complex64_t, x)

#define INTEGERS_OF(low)                                                    \
  [BERTH_INT8] = low##_8, [BERTH_UINT8] = low##_8, [BERTH_QINT8] = low##_8, \
  [BERTH_QUINT8] = low##_8, [BERTH_INT16] = low##_16,                       \
  [BERTH_UINT16] = low##_16, [BERTH_QINT16] = low##_16,                     \
  [BERTH_QUINT16] = low##_16

#define LOW_OF                                                       \
  INTEGERS_OF(low), [BERTH_INT32] = low_32, [BERTH_QINT32] = low_32, \
                    [BERTH_UINT32] = low_32, [BERTH_INT64] = low_64, \
                    [BERTH_UINT64] = low_64, [BERTH_INT4] = low_i4,  \
                    [BERTH_UINT4] = low_u4, [BERTH_BOOL] = is_set

#define FLOATS_OF(name)                                           \
  [BERTH_FLOAT] = name##_f32, [BERTH_DOUBLE] = name##_f64,        \
  [BERTH_HALF] = name##_half, [BERTH_BFLOAT16] = name##_bfloat16, \
  [BERTH_COMPLEX64] = name##_c64, [BERTH_COMPLEX128] = name##_c128

const berth_convert_fn
    berth_cpu_cast_stores[BERTH_WIDE_COUNT][BERTH_DTYPE_COUNT] = {
        [BERTH_WIDE_I64] = {LOW_OF, FLOATS_OF(i64)},
        [BERTH_WIDE_U64] = {LOW_OF, FLOATS_OF(u64)},
        [BERTH_WIDE_F64] =
            {INTEGERS_OF(f64), [BERTH_INT32] = f64_i32,
             [BERTH_QINT32] = f64_i32, [BERTH_UINT32] = f64_u32,
             [BERTH_INT64] = f64_i64, [BERTH_UINT64] = f64_u64,
             [BERTH_BOOL] = f64_bool, [BERTH_FLOAT8_E5M2] = f64_e5m2,
             [BERTH_FLOAT8_E4M3FN] = f64_e4m3fn, FLOATS_OF(f64)},
        [BERTH_WIDE_C128] =
            {[BERTH_COMPLEX64] = c128_c64, [BERTH_COMPLEX128] = load_c128},
};
