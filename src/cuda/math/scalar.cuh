// scalar.cuh - What the expressions of op/unary_list.inc and op/binary_list.inc
// are made of on cards: FN(exp) is berth_exp_f32 for elements of f32.
//
// BERTH_T is the short name of the type, defined by whoever expands an
// expression.
#ifndef BERTH_CUDA_MATH_SCALAR_CUH_
#define BERTH_CUDA_MATH_SCALAR_CUH_

#include "cuda/math/complex.cuh"
#include "cuda/math/math.cuh"

#define BERTH_PASTE2(a, b) a##b
#define BERTH_PASTE(a, b) BERTH_PASTE2(a, b)

// ---- Types ----

// Classes, for #if: BERTH_CLASS == BERTH_CLASS_SIGNED. Half and bfloat16 are
// computed in float.
#define BERTH_CLASS_REAL 1
#define BERTH_CLASS_HALF 2
#define BERTH_CLASS_BFLOAT16 3
#define BERTH_CLASS_SIGNED 4
#define BERTH_CLASS_UNSIGNED 5
#define BERTH_CLASS_BOOL 6
#define BERTH_CLASS_COMPLEX 7
#define BERTH_CLASS_f32 BERTH_CLASS_REAL
#define BERTH_CLASS_f64 BERTH_CLASS_REAL
#define BERTH_CLASS_f16 BERTH_CLASS_HALF
#define BERTH_CLASS_bf16 BERTH_CLASS_BFLOAT16
#define BERTH_CLASS_i8 BERTH_CLASS_SIGNED
#define BERTH_CLASS_i16 BERTH_CLASS_SIGNED
#define BERTH_CLASS_i32 BERTH_CLASS_SIGNED
#define BERTH_CLASS_i64 BERTH_CLASS_SIGNED
#define BERTH_CLASS_u8 BERTH_CLASS_UNSIGNED
#define BERTH_CLASS_u16 BERTH_CLASS_UNSIGNED
#define BERTH_CLASS_u32 BERTH_CLASS_UNSIGNED
#define BERTH_CLASS_u64 BERTH_CLASS_UNSIGNED
#define BERTH_CLASS_b8 BERTH_CLASS_BOOL
#define BERTH_CLASS_c64 BERTH_CLASS_COMPLEX
#define BERTH_CLASS_c128 BERTH_CLASS_COMPLEX
#define BERTH_CLASS BERTH_PASTE(BERTH_CLASS_, BERTH_T)
#define BERTH_IS_REAL (BERTH_CLASS <= BERTH_CLASS_BFLOAT16)

// Bits of an element, for #if.
#define BERTH_BITS_f32 32
#define BERTH_BITS_f64 64
#define BERTH_BITS_f16 16
#define BERTH_BITS_bf16 16
#define BERTH_BITS_i8 8
#define BERTH_BITS_i16 16
#define BERTH_BITS_i32 32
#define BERTH_BITS_i64 64
#define BERTH_BITS_u8 8
#define BERTH_BITS_u16 16
#define BERTH_BITS_u32 32
#define BERTH_BITS_u64 64
#define BERTH_BITS_b8 8
#define BERTH_BITS_c64 64
#define BERTH_BITS_c128 128
#define BERTH_BITS BERTH_PASTE(BERTH_BITS_, BERTH_T)

// Elements that are 16 bytes.
#define BERTH_PACK (128 / BERTH_BITS)

// Whose functions compute with it.
#define BERTH_FUNCTIONS_f32 f32
#define BERTH_FUNCTIONS_f64 f64
#define BERTH_FUNCTIONS_f16 f32
#define BERTH_FUNCTIONS_bf16 f32
#define BERTH_FUNCTIONS_i8 i8
#define BERTH_FUNCTIONS_i16 i16
#define BERTH_FUNCTIONS_i32 i32
#define BERTH_FUNCTIONS_i64 i64
#define BERTH_FUNCTIONS_u8 u8
#define BERTH_FUNCTIONS_u16 u16
#define BERTH_FUNCTIONS_u32 u32
#define BERTH_FUNCTIONS_u64 u64
#define BERTH_FUNCTIONS_c64 c64
#define BERTH_FUNCTIONS_c128 c128

// ---- Words of the lists ----

#define BERTH_FN3(name, type) berth_##name##_##type
#define BERTH_FN2(name, type) BERTH_FN3(name, type)
#define FN(name) BERTH_FN2(name, BERTH_PASTE(BERTH_FUNCTIONS_, BERTH_T))
#define T(x) ((BERTH_PASTE(berth_working_, BERTH_T))(x))
#define U(x) ((uint64_t)(x))
#define ROUND(x) BERTH_PASTE(BERTH_ROUND_, BERTH_T)(x)
#define PICK(a, b) BERTH_PASTE(BERTH_PICK_, BERTH_T)(a, b)
#define INFINITE BERTH_INF_F64

#define BERTH_ROUND_f32(x) (x)
#define BERTH_ROUND_f64(x) (x)
#define BERTH_ROUND_f16(x) berth_load_f16(berth_store_f16(x))
#define BERTH_ROUND_bf16(x) berth_load_bf16(berth_store_bf16(x))
#define BERTH_PICK_f32(a, b) a
#define BERTH_PICK_f64(a, b) b
#define BERTH_PICK_f16(a, b) a
#define BERTH_PICK_bf16(a, b) b

// ---- Functions of real numbers ----

#define BERTH_SCALAR_REAL(type, real_t)                              \
  BERTH_GPU_FN real_t berth_softplus_##type(real_t x, real_t e,      \
                                            real_t limit) {          \
    return x > limit ? x : (x < -limit ? e : berth_log1p_##type(e)); \
  }                                                                  \
  BERTH_GPU_FN real_t berth_floor_mod_##type(real_t x, real_t y) {   \
    const real_t r = berth_fmod_##type(x, y);                        \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;                 \
  }

BERTH_SCALAR_REAL(f32, float)
BERTH_SCALAR_REAL(f64, double)

// ---- Functions of integers ----

// A card cannot raise an error, so that what is one on the host has a result
// here, the one of TensorFlow's compiled kernels: x / 0 has all bits set (-1),
// x mod 0 is x, and a negative power is 0 but for bases of 1 and -1. Dividing
// the smallest number by -1 wraps.

// |wide_t| is what small integers are divided as.
#define BERTH_SCALAR_UNSIGNED(type, wide_t)                        \
  BERTH_GPU_FN wide_t berth_quotient_##type(wide_t x, wide_t y) {  \
    return y == 0 ? ~(wide_t)0 : x / y;                            \
  }                                                                \
  BERTH_GPU_FN wide_t berth_remainder_##type(wide_t x, wide_t y) { \
    return y == 0 ? x : x % y;                                     \
  }

BERTH_SCALAR_UNSIGNED(u8, uint32_t)
BERTH_SCALAR_UNSIGNED(u16, uint32_t)
BERTH_SCALAR_UNSIGNED(u32, uint32_t)
BERTH_SCALAR_UNSIGNED(u64, uint64_t)

BERTH_GPU_FN int64_t berth_power(int64_t x, int64_t y) {
  if (y < 0) {
    if (x == -1) return (y & 1) != 0 ? -1 : 1;
    return x == 1 ? 1 : 0;
  }
  uint64_t base = (uint64_t)x, result = 1;
  for (; y > 0; y >>= 1) {
    if ((y & 1) != 0) result *= base;
    base *= base;
  }
  return (int64_t)result;
}

#define BERTH_SCALAR_SIGNED(type, wide_t)                          \
  BERTH_GPU_FN wide_t berth_quotient_##type(wide_t x, wide_t y) {  \
    if (y == 0) return -1;                                         \
    return y == -1 ? (wide_t)(0 - (uint64_t)x) : x / y;            \
  }                                                                \
  BERTH_GPU_FN wide_t berth_remainder_##type(wide_t x, wide_t y) { \
    if (y == 0) return x;                                          \
    return y == -1 ? 0 : x % y;                                    \
  }                                                                \
  /* True when the quotient was rounded up. */                     \
  BERTH_GPU_FN int berth_is_above_##type(wide_t x, wide_t y) {     \
    const wide_t r = berth_remainder_##type(x, y);                 \
    return y != 0 && r != 0 && (r ^ y) < 0;                        \
  }                                                                \
  BERTH_GPU_FN wide_t berth_floor_mod_##type(wide_t x, wide_t y) { \
    return berth_remainder_##type(x, y) +                          \
           (berth_is_above_##type(x, y) ? y : 0);                  \
  }                                                                \
  BERTH_GPU_FN int64_t berth_power_##type(wide_t x, wide_t y) {    \
    return berth_power((int64_t)x, (int64_t)y);                    \
  }

BERTH_SCALAR_SIGNED(i8, int32_t)
BERTH_SCALAR_SIGNED(i16, int32_t)
BERTH_SCALAR_SIGNED(i32, int32_t)
BERTH_SCALAR_SIGNED(i64, int64_t)

#endif  // BERTH_CUDA_MATH_SCALAR_CUH_
