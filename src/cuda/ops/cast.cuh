// cast.cuh - Kernels that convert elements, by the type they come from.
//
// Named berth_unary_cast_<to>_<from>. The parameter is the number of binary
// digits that a result keeps when it is to be cut off instead of rounded; 0:
// rounded. Numbers that do not fit an integer, and NaN, become what they do on
// the host: the smallest one.
//
// Integers of one size are the same bits with a sign or without, so that u8 and
// u16, and u32 and u64 of integers, are served by the kernels of i8 … i64.
#ifndef BERTH_CUDA_OPS_CAST_CUH_
#define BERTH_CUDA_OPS_CAST_CUH_

#include "cuda/ops/elementwise.cuh"

// ---- Types of their own ----

// Numbers of four bits, one a byte, and floats of eight.
typedef uint8_t berth_stored_i4;
typedef uint8_t berth_stored_u4;
typedef uint8_t berth_stored_e5m2;
typedef uint8_t berth_stored_e4m3;
typedef int32_t berth_working_i4;
typedef int32_t berth_working_u4;
typedef float berth_working_e5m2;
typedef float berth_working_e4m3;
#define BERTH_AS_i4(x) ((int32_t)(x))
#define BERTH_AS_u4(x) ((int32_t)(x))
#define BERTH_AS_e5m2(x) ((float)(x))
#define BERTH_AS_e4m3(x) ((float)(x))

BERTH_GPU_FN int32_t berth_load_u4(uint8_t x) { return x & 15; }
BERTH_GPU_FN uint8_t berth_store_u4(int32_t x) { return (uint8_t)(x & 15); }
BERTH_GPU_FN int32_t berth_load_i4(uint8_t x) {
  return (x & 15) - ((x & 8) << 1);
}
// A byte holds the sign of its four bits too.
BERTH_GPU_FN uint8_t berth_store_i4(int32_t x) {
  return (uint8_t)((x & 15) - ((x & 8) << 1));
}

// The code of |x| in a format of |digits| binary digits, rounded to nearest
// even; |special| for what is larger than the code |largest|, which is its own
// where |x| is finite.
BERTH_GPU_FN uint8_t berth_to_float8(float x, uint32_t digits, uint32_t bias,
                                     uint32_t largest, uint32_t special) {
  const uint32_t sign = berth_bits_f32(x) >> 24 & 0x80;
  const uint32_t bits = berth_bits_f32(x) & 0x7fffffffU;
  const uint32_t shift = 23 - digits, offset = (127 - bias) << digits;
  uint32_t code;
  if (bits >> 23 <= 127 - bias) {
    // Below its normal numbers: the code counts the smallest steps.
    const float steps = berth_from_bits_f32((126 + bias + digits) << 23);
    code = (uint32_t)__builtin_rintf(berth_from_bits_f32(bits) * steps);
  } else {
    const uint32_t half = (1U << (shift - 1)) - 1 + (bits >> shift & 1);
    code =
        bits >= 0x7f800000U ? largest + 1 : ((bits + half) >> shift) - offset;
  }
  return (uint8_t)(sign | (code > largest ? special : code));
}

BERTH_GPU_FN float berth_load_e5m2(uint8_t x) {
  return berth_load_f16((uint16_t)(x << 8));
}
BERTH_GPU_FN uint8_t berth_store_e5m2(float x) {
  return berth_to_float8(x, 2, 15, 0x7b, x != x ? 0x7e : 0x7c);
}
BERTH_GPU_FN float berth_load_e4m3(uint8_t x) {
  const uint32_t size = x & 0x7f;
  // Another bias; below the normal numbers the code counts the smallest steps.
  float y = size < 8 ? (float)size * 0.001953125f
                     : berth_from_bits_f32((size << 20) + (120U << 23));
  if (size == 0x7f) y = __builtin_nanf("");
  return (x & 0x80) != 0 ? -y : y;
}
BERTH_GPU_FN uint8_t berth_store_e4m3(float x) {
  return berth_to_float8(x, 3, 7, 0x7e, 0x7f);
}

// ---- Real numbers to integers ----

// |below| is what the numbers that are cut off to the smallest one lie above.
#define BERTH_TO_INTEGERS(fn, real_t, below)                           \
  BERTH_GPU_FN int32_t berth_to_i32_##fn(real_t x) {                   \
    return below && x < (real_t)2147483648.0 ? (int32_t)x : INT32_MIN; \
  }                                                                    \
  BERTH_GPU_FN uint32_t berth_to_u32_##fn(real_t x) {                  \
    return below && x < (real_t)4294967296.0 ? (uint32_t)(int64_t)x    \
                                             : (uint32_t)1 << 31;      \
  }                                                                    \
  BERTH_GPU_FN int64_t berth_to_i64_##fn(real_t x) {                   \
    return x >= (real_t)-9223372036854775808.0 &&                      \
                   x < (real_t)9223372036854775808.0                   \
               ? (int64_t)x                                            \
               : INT64_MIN;                                            \
  }                                                                    \
  BERTH_GPU_FN uint64_t berth_to_u64_##fn(real_t x) {                  \
    return x >= (real_t)9223372036854775808.0 &&                       \
                   x < (real_t)18446744073709551616.0                  \
               ? (uint64_t)x                                           \
               : (uint64_t)berth_to_i64_##fn(x);                       \
  }

BERTH_TO_INTEGERS(f32, float, x >= -2147483648.0f)
BERTH_TO_INTEGERS(f64, double, x > -2147483649.0)

// ---- Kernels ----

#define BERTH_CAST(from, to, expr)                                             \
  BERTH_UNARY_TO(                                                              \
      cast_##to, from, to,                                                     \
      (uint32_t)(16 / (sizeof(berth_stored_##from) > sizeof(berth_stored_##to) \
                           ? sizeof(berth_stored_##from)                       \
                           : sizeof(berth_stored_##to))),                      \
      expr)

// Of a real number |x|, an expression.
#define BERTH_CAST_TO_REAL(from, real)                     \
  BERTH_CAST(from, f64, (double)real)                      \
  BERTH_CAST(from, c64, berth_make_c64((float)real, 0.0f)) \
  BERTH_CAST(from, c128, berth_make_c128((double)real, 0.0))

#define BERTH_CAST_TO_WHOLE(from, fn, real)                \
  BERTH_CAST(from, i8, (uint32_t)berth_to_i32_##fn(real))  \
  BERTH_CAST(from, i16, (uint32_t)berth_to_i32_##fn(real)) \
  BERTH_CAST(from, i32, berth_to_i32_##fn(real))           \
  BERTH_CAST(from, u32, berth_to_u32_##fn(real))           \
  BERTH_CAST(from, i64, berth_to_i64_##fn(real))           \
  BERTH_CAST(from, u64, berth_to_u64_##fn(real))           \
  BERTH_CAST(from, b8, (real) != 0)

// |x| with its last binary digits cut off, but for |digits|.
BERTH_GPU_FN double berth_cut(double x, double digits) {
  const uint64_t keep = ~(uint64_t)0 << (52 - (int)digits);
  return x != x ? x : berth_from_bits_f64(berth_bits_f64(x) & keep);
}
#define BERTH_CUT(x) \
  (parameter != 0 ? (float)berth_cut((double)(x), parameter) : (float)(x))

#endif  // BERTH_CUDA_OPS_CAST_CUH_
