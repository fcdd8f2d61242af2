// cast.cuh - Kernels that convert elements, by the type they come from.
//
// BERTH_CASTS_f32 has all kernels of f32; cmake/BerthCudaModules.cmake says
// which are in one module.
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

// ---- All that one type becomes ----

#define BERTH_CASTS_f32               \
  BERTH_CAST_TO_WHOLE(f32, f32, x)    \
  BERTH_CAST_TO_REAL(f32, x)          \
  BERTH_CAST(f32, f16, BERTH_CUT(x))  \
  BERTH_CAST(f32, bf16, BERTH_CUT(x)) \
  BERTH_CAST(f32, e5m2, BERTH_CUT(x)) \
  BERTH_CAST(f32, e4m3, BERTH_CUT(x))

#define BERTH_CASTS_f64                                \
  BERTH_CAST_TO_WHOLE(f64, f64, x)                     \
  BERTH_CAST(f64, f32, BERTH_CUT(x))                   \
  BERTH_CAST(f64, f16, BERTH_CUT(x))                   \
  BERTH_CAST(f64, bf16, BERTH_CUT(x))                  \
  BERTH_CAST(f64, c64, berth_make_c64((float)x, 0.0f)) \
  BERTH_CAST(f64, c128, berth_make_c128(x, 0.0))

// Floats of 16 and of 8 bits.
#define BERTH_CASTS_OF_16(from, other) \
  BERTH_CAST_TO_WHOLE(from, f32, x)    \
  BERTH_CAST_TO_REAL(from, x)          \
  BERTH_CAST(from, f32, x)             \
  BERTH_CAST(from, other, x)           \
  BERTH_CAST(from, e5m2, BERTH_CUT(x)) \
  BERTH_CAST(from, e4m3, BERTH_CUT(x))
#define BERTH_CASTS_f16 BERTH_CASTS_OF_16(f16, bf16)
#define BERTH_CASTS_bf16 BERTH_CASTS_OF_16(bf16, f16)

#define BERTH_CASTS_OF_8(from, other) \
  BERTH_CAST(from, f16, x)            \
  BERTH_CAST(from, bf16, x)           \
  BERTH_CAST(from, f32, x)            \
  BERTH_CAST(from, other, BERTH_CUT(x))
#define BERTH_CASTS_e5m2 BERTH_CASTS_OF_8(e5m2, e4m3)
#define BERTH_CASTS_e4m3 BERTH_CASTS_OF_8(e4m3, e5m2)

// Complex numbers: to anything real goes the real part.
#define BERTH_CASTS_OF_COMPLEX(from, fn)  \
  BERTH_CAST_TO_WHOLE(from, fn, x.re)     \
  BERTH_CAST(from, f16, BERTH_CUT(x.re))  \
  BERTH_CAST(from, bf16, BERTH_CUT(x.re)) \
  BERTH_CAST(from, f32, BERTH_CUT(x.re))  \
  BERTH_CAST(from, f64, (double)x.re)
#define BERTH_CASTS_c64            \
  BERTH_CASTS_OF_COMPLEX(c64, f32) \
  BERTH_CAST(c64, c128, berth_make_c128((double)x.re, (double)x.im))
#define BERTH_CASTS_c128            \
  BERTH_CASTS_OF_COMPLEX(c128, f64) \
  BERTH_CAST(c128, c64, berth_make_c64(BERTH_CUT(x.re), BERTH_CUT(x.im)))

// Integers and bool.
#define BERTH_CASTS_TO_BITS(from) \
  BERTH_CAST(from, i8, x)         \
  BERTH_CAST(from, i16, x)        \
  BERTH_CAST(from, i32, x)        \
  BERTH_CAST(from, i64, x)
#define BERTH_CASTS_TO_FLOATS(from) \
  BERTH_CAST(from, f16, x)          \
  BERTH_CAST(from, bf16, x)         \
  BERTH_CAST(from, f32, x)          \
  BERTH_CAST_TO_REAL(from, x)
#define BERTH_CASTS_OF_WHOLE(from) \
  BERTH_CASTS_TO_BITS(from)        \
  BERTH_CASTS_TO_FLOATS(from)      \
  BERTH_CAST(from, b8, x != 0)     \
  BERTH_CAST(from, i4, x)          \
  BERTH_CAST(from, u4, x)
#define BERTH_CASTS_i8 BERTH_CASTS_OF_WHOLE(i8)
#define BERTH_CASTS_i16 BERTH_CASTS_OF_WHOLE(i16)
#define BERTH_CASTS_i32 BERTH_CASTS_OF_WHOLE(i32)
#define BERTH_CASTS_i64 BERTH_CASTS_OF_WHOLE(i64)
#define BERTH_CASTS_u8 BERTH_CASTS_OF_WHOLE(u8)
#define BERTH_CASTS_u16 BERTH_CASTS_OF_WHOLE(u16)
#define BERTH_CASTS_u32 BERTH_CASTS_OF_WHOLE(u32)
#define BERTH_CASTS_u64 BERTH_CASTS_OF_WHOLE(u64)
#define BERTH_CASTS_b8    \
  BERTH_CASTS_TO_BITS(b8) \
  BERTH_CASTS_TO_FLOATS(b8)
#define BERTH_CASTS_i4    \
  BERTH_CASTS_TO_BITS(i4) \
  BERTH_CAST(i4, u4, x)
#define BERTH_CASTS_u4    \
  BERTH_CASTS_TO_BITS(u4) \
  BERTH_CAST(u4, i4, x)

#endif  // BERTH_CUDA_OPS_CAST_CUH_
