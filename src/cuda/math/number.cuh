// number.cuh - The element types of kernels: how they lie in memory and how
// they are computed with.
//
// Each type has a short name, which kernel names end with: f16 bf16 f32 f64 i8
// i16 i32 i64 u8 u16 u32 u64 b8 c64 c128. For every one of them there are
//
//   berth_stored_f16             its element in memory
//   berth_working_f16            what is computed with: float, for 16 bits
//   berth_load_f16(stored)       from one to the other
//   berth_store_f16(working)     and back, rounded to nearest even
//   BERTH_AS_f16(x)              any number as a working one
//
// so that a macro over the short name makes a kernel of any type. A bool is a
// byte; a complex number is a struct, with functions for its arithmetic.
//
// Pure functions.
#ifndef BERTH_CUDA_MATH_NUMBER_CUH_
#define BERTH_CUDA_MATH_NUMBER_CUH_

#include "cuda/math/gpu.cuh"

// ---- Bits ----

BERTH_GPU_FN uint32_t berth_bits_f32(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
BERTH_GPU_FN float berth_from_bits_f32(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
BERTH_GPU_FN uint64_t berth_bits_f64(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
BERTH_GPU_FN double berth_from_bits_f64(uint64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

// ---- half ----

#ifdef __CUDA_ARCH__

BERTH_GPU_FN float berth_load_f16(uint16_t x) {
  float y;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
BERTH_GPU_FN uint16_t berth_store_f16(float x) {
  uint16_t y;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}

#else

BERTH_GPU_FN float berth_load_f16(uint16_t x) {
  const uint32_t sign = (uint32_t)(x & 0x8000U) << 16;
  const uint32_t bits = (uint32_t)(x & 0x7fffU) << 13;
  const uint32_t exponent = bits & 0x0f800000U;
  if (exponent == 0x0f800000U) {  // Infinite or NaN.
    return berth_from_bits_f32(sign | 0x7f800000U | (bits & 0x007fffffU));
  }
  // Another bias. A denormal number has no leading one: 2^-14 is added and
  // taken away, so that no float is denormal: threads may flush those.
  float size = berth_from_bits_f32(bits + 0x38000000U);
  if (exponent == 0) {
    size = berth_from_bits_f32(bits + 0x38800000U) - 6.103515625e-05f;
  }
  return berth_from_bits_f32(sign | berth_bits_f32(size));
}
BERTH_GPU_FN uint16_t berth_store_f16(float x) {
  const uint32_t sign = (berth_bits_f32(x) >> 16) & 0x8000U;
  const uint32_t bits = berth_bits_f32(x) & 0x7fffffffU;
  uint32_t y = (bits + 0x0fffU + ((bits >> 13) & 1) - 0x38000000U) >> 13;
  if (bits < 0x38800000U) {
    // Below 2^-14 adding 1/2 shifts the digits to where they belong, rounded.
    y = berth_bits_f32(berth_from_bits_f32(bits) + 0.5f) - 0x3f000000U;
  }
  if (bits >= 0x477ff000U) y = bits > 0x7f800000U ? 0x7e00U : 0x7c00U;
  return (uint16_t)(sign | y);
}

#endif

typedef uint16_t berth_stored_f16;
typedef float berth_working_f16;

// ---- bfloat16 ----

typedef uint16_t berth_stored_bf16;
typedef float berth_working_bf16;

BERTH_GPU_FN float berth_load_bf16(uint16_t x) {
  return berth_from_bits_f32((uint32_t)x << 16);
}
BERTH_GPU_FN uint16_t berth_store_bf16(float x) {
  const uint32_t bits = berth_bits_f32(x);
  const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1)) >> 16;
  return (uint16_t)(x != x ? ((bits >> 16) & 0x8000U) | 0x7fc0U : rounded);
}

// ---- Complex numbers ----

typedef struct __attribute__((aligned(8))) berth_gpu_c64 {
  float re, im;
} berth_stored_c64;
typedef struct __attribute__((aligned(16))) berth_gpu_c128 {
  double re, im;
} berth_stored_c128;

// Products and quotients as TensorFlow computes them, which does not look for
// infinities behind NaNs as C does. Quotients are scaled by the larger part of
// the divisor, so that squares stay in range.
#define BERTH_COMPLEX_FUNCTIONS(type, real_t, abs_fn)                        \
  BERTH_GPU_FN berth_stored_##type berth_make_##type(real_t re, real_t im) { \
    berth_stored_##type z;                                                   \
    z.re = re;                                                               \
    z.im = im;                                                               \
    return z;                                                                \
  }                                                                          \
  BERTH_GPU_FN berth_stored_##type berth_add_##type(berth_stored_##type x,   \
                                                    berth_stored_##type y) { \
    return berth_make_##type(x.re + y.re, x.im + y.im);                      \
  }                                                                          \
  BERTH_GPU_FN berth_stored_##type berth_sub_##type(berth_stored_##type x,   \
                                                    berth_stored_##type y) { \
    return berth_make_##type(x.re - y.re, x.im - y.im);                      \
  }                                                                          \
  BERTH_GPU_FN berth_stored_##type berth_mul_##type(berth_stored_##type x,   \
                                                    berth_stored_##type y) { \
    return berth_make_##type(x.re * y.re - x.im * y.im,                      \
                             x.re * y.im + x.im * y.re);                     \
  }                                                                          \
  BERTH_GPU_FN berth_stored_##type berth_div_##type(berth_stored_##type x,   \
                                                    berth_stored_##type y) { \
    const real_t a = abs_fn(y.re), b = abs_fn(y.im);                         \
    const real_t scale = a > b ? a : b;                                      \
    const real_t c = y.re / scale, d = y.im / scale;                         \
    const real_t size = (c * c + d * d) * scale;                             \
    if (scale == 0) return berth_make_##type(x.re / scale, x.im / scale);    \
    return berth_make_##type((x.re * c + x.im * d) / size,                   \
                             (x.im * c - x.re * d) / size);                  \
  }                                                                          \
  BERTH_GPU_FN int berth_equal_##type(berth_stored_##type x,                 \
                                      berth_stored_##type y) {               \
    return x.re == y.re && x.im == y.im;                                     \
  }                                                                          \
  BERTH_GPU_FN int berth_is_zero_##type(berth_stored_##type x) {             \
    return x.re == 0 && x.im == 0;                                           \
  }

BERTH_COMPLEX_FUNCTIONS(c64, float, __builtin_fabsf)
BERTH_COMPLEX_FUNCTIONS(c128, double, __builtin_fabs)

// ---- Types that are computed with as they lie ----

#define BERTH_PLAIN_TYPE(type, element_t)                             \
  typedef element_t berth_working_##type;                             \
  BERTH_GPU_FN berth_working_##type berth_load_##type(element_t x) {  \
    return x;                                                         \
  }                                                                   \
  BERTH_GPU_FN element_t berth_store_##type(berth_working_##type x) { \
    return x;                                                         \
  }

typedef float berth_stored_f32;
typedef double berth_stored_f64;
typedef int8_t berth_stored_i8;
typedef int16_t berth_stored_i16;
typedef int32_t berth_stored_i32;
typedef int64_t berth_stored_i64;
typedef uint8_t berth_stored_u8;
typedef uint16_t berth_stored_u16;
typedef uint32_t berth_stored_u32;
typedef uint64_t berth_stored_u64;
typedef uint8_t berth_stored_b8;

BERTH_PLAIN_TYPE(f32, berth_stored_f32)
BERTH_PLAIN_TYPE(f64, berth_stored_f64)
BERTH_PLAIN_TYPE(i8, berth_stored_i8)
BERTH_PLAIN_TYPE(i16, berth_stored_i16)
BERTH_PLAIN_TYPE(i32, berth_stored_i32)
BERTH_PLAIN_TYPE(i64, berth_stored_i64)
BERTH_PLAIN_TYPE(u8, berth_stored_u8)
BERTH_PLAIN_TYPE(u16, berth_stored_u16)
BERTH_PLAIN_TYPE(u32, berth_stored_u32)
BERTH_PLAIN_TYPE(u64, berth_stored_u64)
BERTH_PLAIN_TYPE(b8, berth_stored_b8)
BERTH_PLAIN_TYPE(c64, berth_stored_c64)
BERTH_PLAIN_TYPE(c128, berth_stored_c128)

// Turns an expression into a number of a type: what an integer is too small for
// is cut off.
#define BERTH_AS_f16(x) ((float)(x))
#define BERTH_AS_bf16(x) ((float)(x))
#define BERTH_AS_f32(x) ((float)(x))
#define BERTH_AS_f64(x) ((double)(x))
#define BERTH_AS_i8(x) ((int8_t)(x))
#define BERTH_AS_i16(x) ((int16_t)(x))
#define BERTH_AS_i32(x) ((int32_t)(x))
#define BERTH_AS_i64(x) ((int64_t)(x))
#define BERTH_AS_u8(x) ((uint8_t)(x))
#define BERTH_AS_u16(x) ((uint16_t)(x))
#define BERTH_AS_u32(x) ((uint32_t)(x))
#define BERTH_AS_u64(x) ((uint64_t)(x))
#define BERTH_AS_b8(x) ((uint8_t)(x))
#define BERTH_AS_c64(x) (x)
#define BERTH_AS_c128(x) (x)

#endif  // BERTH_CUDA_MATH_NUMBER_CUH_
