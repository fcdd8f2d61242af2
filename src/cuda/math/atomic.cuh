// atomic.cuh - Joining a value with one in memory that other threads join with
// at the same time.
//
//   join_of_f32(x, y, how)            x joined with y: a working number
//   berth_join_f32(at, y, how)        *at becomes that, whoever else does so
//   berth_join_alone_f32(at, y, how)  the same where nobody else does
//   berth_join_bits(at, y)            sets the bits of y
//
// |how| is a berth_combine_t but SET. The order in which threads come is not
// settled: sums of floats may differ in their last digits from run to run. On
// the host one thread does all, in order.
#ifndef BERTH_CUDA_MATH_ATOMIC_CUH_
#define BERTH_CUDA_MATH_ATOMIC_CUH_

#include "cuda/math/scalar.cuh"

// As BERTH_COMBINE_ADD and its like (op/index.h).
enum {
  BERTH_JOIN_ADD = 1,
  BERTH_JOIN_SUB,
  BERTH_JOIN_MUL,
  BERTH_JOIN_DIV,
  BERTH_JOIN_MIN,
  BERTH_JOIN_MAX
};

// ---- Joining two values ----

#define BERTH_JOINED(type, add, sub, mul, div, min, max)              \
  BERTH_GPU_FN berth_working_##type join_of_##type(                   \
      berth_working_##type x, berth_working_##type y, uint32_t how) { \
    switch (how) {                                                    \
      case BERTH_JOIN_ADD:                                            \
        return add;                                                   \
      case BERTH_JOIN_SUB:                                            \
        return sub;                                                   \
      case BERTH_JOIN_MUL:                                            \
        return mul;                                                   \
      case BERTH_JOIN_DIV:                                            \
        return div;                                                   \
      case BERTH_JOIN_MIN:                                            \
        return min;                                                   \
      default:                                                        \
        return max;                                                   \
    }                                                                 \
  }

// A NaN stays one.
#define BERTH_JOINED_REAL(type)                                           \
  BERTH_JOINED(type, x + y, x - y, x * y, x / y, x < y || x != x ? x : y, \
               x > y || x != x ? x : y)
#define BERTH_JOINED_WHOLE(type)                                           \
  BERTH_JOINED(type, BERTH_AS_##type(U(x) + U(y)),                         \
               BERTH_AS_##type(U(x) - U(y)), BERTH_AS_##type(U(x) * U(y)), \
               BERTH_AS_##type(berth_quotient_##type(x, y)),               \
               x<y ? x : y, x> y ? x : y)
// Complex numbers have no order.
#define BERTH_JOINED_COMPLEX(type)                                   \
  BERTH_JOINED(type, berth_add_##type(x, y), berth_sub_##type(x, y), \
               berth_mul_##type(x, y), berth_div_##type(x, y), x, x)

BERTH_JOINED_REAL(f16)
BERTH_JOINED_REAL(bf16)
BERTH_JOINED_REAL(f32)
BERTH_JOINED_REAL(f64)
BERTH_JOINED_WHOLE(i8)
BERTH_JOINED_WHOLE(i16)
BERTH_JOINED_WHOLE(i32)
BERTH_JOINED_WHOLE(i64)
BERTH_JOINED_WHOLE(u8)
BERTH_JOINED_WHOLE(u16)
BERTH_JOINED_WHOLE(u32)
BERTH_JOINED_WHOLE(u64)
BERTH_JOINED_COMPLEX(c64)
BERTH_JOINED_COMPLEX(c128)

// ---- In memory ----

// By itself, where no other thread is at work.
#define BERTH_JOIN_ALONE(type)                                              \
  BERTH_GPU_FN void berth_join_alone_##type(                                \
      berth_stored_##type *at, berth_stored_##type y, uint32_t how) {       \
    *at = berth_store_##type(                                               \
        join_of_##type(berth_load_##type(*at), berth_load_##type(y), how)); \
  }

#ifdef __CUDA_ARCH__

// Stores |next| at |at| if |now| is there; returns what was. As assembly, like
// all of these: clang's functions of this kind come with headers of the vendor.
BERTH_GPU_FN uint32_t berth_swap_x4(uint32_t *at, uint32_t now, uint32_t next) {
  uint32_t was;
  __asm__ volatile("atom.cas.b32 %0, [%1], %2, %3;"
                   : "=r"(was)
                   : "l"(at), "r"(now), "r"(next)
                   : "memory");
  return was;
}
BERTH_GPU_FN uint64_t berth_swap_x8(uint64_t *at, uint64_t now, uint64_t next) {
  uint64_t was;
  __asm__ volatile("atom.cas.b64 %0, [%1], %2, %3;"
                   : "=l"(was)
                   : "l"(at), "l"(now), "l"(next)
                   : "memory");
  return was;
}

#define BERTH_RED(name, instruction, element_t, letter) \
  BERTH_GPU_FN void name(element_t *at, element_t y) {  \
    __asm__ volatile(instruction " [%0], %1;"           \
                     :                                  \
                     : "l"(at), letter(y)               \
                     : "memory");                       \
  }
BERTH_RED(berth_red_add_f32, "red.add.f32", float, "f")
BERTH_RED(berth_red_add_f64, "red.add.f64", double, "d")
BERTH_RED(berth_red_add_u32, "red.add.u32", uint32_t, "r")
BERTH_RED(berth_red_add_u64, "red.add.u64", uint64_t, "l")
BERTH_RED(berth_red_min_i32, "red.min.s32", int32_t, "r")
BERTH_RED(berth_red_or_u64, "red.or.b64", uint64_t, "l")
BERTH_RED(berth_red_max_i32, "red.max.s32", int32_t, "r")

BERTH_GPU_FN void berth_join_bits(uint64_t *at, uint64_t y) {
  berth_red_or_u64(at, y);
}

// Elements of |size| bytes that are a word, |word_t|: tries until nobody else
// came between.
#define BERTH_JOIN_WORD(type, word_t, swap)                                 \
  BERTH_GPU_FN void berth_join_slowly_##type(                               \
      berth_stored_##type *at, berth_stored_##type y, uint32_t how) {       \
    word_t now = *(volatile word_t *)at;                                    \
    for (;;) {                                                              \
      berth_stored_##type x, z;                                             \
      word_t next;                                                          \
      __builtin_memcpy(&x, &now, sizeof(x));                                \
      z = berth_store_##type(                                               \
          join_of_##type(berth_load_##type(x), berth_load_##type(y), how)); \
      __builtin_memcpy(&next, &z, sizeof(z));                               \
      const word_t was = swap((word_t *)at, now, next);                     \
      if (was == now) return;                                               \
      now = was;                                                            \
    }                                                                       \
  }

// Smaller ones are a part of a word.
#define BERTH_JOIN_PART(type, bits_t)                                       \
  BERTH_GPU_FN void berth_join_slowly_##type(                               \
      berth_stored_##type *at, berth_stored_##type y, uint32_t how) {       \
    uint32_t *word = (uint32_t *)((uintptr_t)at & ~(uintptr_t)3);           \
    const uint32_t shift = (uint32_t)((uintptr_t)at & 3) * 8;               \
    const uint32_t mask = (uint32_t)(bits_t) ~(bits_t)0 << shift;           \
    uint32_t now = *(volatile uint32_t *)word;                              \
    for (;;) {                                                              \
      const berth_stored_##type x =                                         \
          (berth_stored_##type)(bits_t)(now >> shift);                      \
      const berth_stored_##type z = berth_store_##type(                     \
          join_of_##type(berth_load_##type(x), berth_load_##type(y), how)); \
      const uint32_t next = (now & ~mask) | (uint32_t)(bits_t)z << shift;   \
      const uint32_t was = berth_swap_x4(word, now, next);                  \
      if (was == now) return;                                               \
      now = was;                                                            \
    }                                                                       \
  }

#define BERTH_JOIN_SLOWLY_4(type) BERTH_JOIN_WORD(type, uint32_t, berth_swap_x4)
#define BERTH_JOIN_SLOWLY_8(type) BERTH_JOIN_WORD(type, uint64_t, berth_swap_x8)
#define BERTH_JOIN_SLOWLY_2(type) BERTH_JOIN_PART(type, uint16_t)
#define BERTH_JOIN_SLOWLY_1(type) BERTH_JOIN_PART(type, uint8_t)
// No card swaps 16 bytes: their products are joined in order (scatter_type.inc).
#define BERTH_JOIN_SLOWLY_16(type)                                    \
  BERTH_GPU_FN void berth_join_slowly_##type(                         \
      berth_stored_##type *at, berth_stored_##type y, uint32_t how) { \
    berth_join_alone_##type(at, y, how);                              \
  }

// What the card has an instruction for; 0: it has none.
#define BERTH_JOIN_FAST_f32(at, y, how) \
  ((how) > BERTH_JOIN_SUB               \
       ? 0                              \
       : (berth_red_add_f32(at, (how) == BERTH_JOIN_ADD ? (y) : -(y)), 1))
#define BERTH_JOIN_FAST_f64(at, y, how) \
  ((how) > BERTH_JOIN_SUB               \
       ? 0                              \
       : (berth_red_add_f64(at, (how) == BERTH_JOIN_ADD ? (y) : -(y)), 1))
#define BERTH_JOIN_FAST_WORD(at, y, how, bits)                \
  ((how) > BERTH_JOIN_SUB                                     \
       ? 0                                                    \
       : (berth_red_add_u##bits(                              \
              (uint##bits##_t *)(at),                         \
              (how) == BERTH_JOIN_ADD                         \
                  ? (uint##bits##_t)(y)                       \
                  : (uint##bits##_t)0 - (uint##bits##_t)(y)), \
          1))
#define BERTH_JOIN_FAST_i32(at, y, how)                      \
  ((how) == BERTH_JOIN_MIN   ? (berth_red_min_i32(at, y), 1) \
   : (how) == BERTH_JOIN_MAX ? (berth_red_max_i32(at, y), 1) \
                             : BERTH_JOIN_FAST_WORD(at, y, how, 32))
#define BERTH_JOIN_FAST_u32(at, y, how) BERTH_JOIN_FAST_WORD(at, y, how, 32)
#define BERTH_JOIN_FAST_i64(at, y, how) BERTH_JOIN_FAST_WORD(at, y, how, 64)
#define BERTH_JOIN_FAST_u64(at, y, how) BERTH_JOIN_FAST_WORD(at, y, how, 64)
// Of complex numbers the parts are added one by one.
#define BERTH_JOIN_FAST_c64(at, y, how)                                  \
  ((how) > BERTH_JOIN_SUB                                                \
       ? 0                                                               \
       : (berth_red_add_f32(&(at)->re,                                   \
                            (how) == BERTH_JOIN_ADD ? (y).re : -(y).re), \
          berth_red_add_f32(&(at)->im,                                   \
                            (how) == BERTH_JOIN_ADD ? (y).im : -(y).im), \
          1))
#define BERTH_JOIN_FAST_c128(at, y, how)                                 \
  ((how) > BERTH_JOIN_SUB                                                \
       ? 0                                                               \
       : (berth_red_add_f64(&(at)->re,                                   \
                            (how) == BERTH_JOIN_ADD ? (y).re : -(y).re), \
          berth_red_add_f64(&(at)->im,                                   \
                            (how) == BERTH_JOIN_ADD ? (y).im : -(y).im), \
          1))
#define BERTH_JOIN_FAST_f16(at, y, how) 0
#define BERTH_JOIN_FAST_bf16(at, y, how) 0
#define BERTH_JOIN_FAST_i8(at, y, how) 0
#define BERTH_JOIN_FAST_i16(at, y, how) 0
#define BERTH_JOIN_FAST_u8(at, y, how) 0
#define BERTH_JOIN_FAST_u16(at, y, how) 0

#define BERTH_JOIN(type, size)                                        \
  BERTH_JOIN_ALONE(type)                                              \
  BERTH_JOIN_SLOWLY_##size(type) BERTH_GPU_FN void berth_join_##type( \
      berth_stored_##type *at, berth_stored_##type y, uint32_t how) { \
    if (!BERTH_JOIN_FAST_##type(at, y, how)) {                        \
      berth_join_slowly_##type(at, y, how);                           \
    }                                                                 \
  }

#else

BERTH_GPU_FN void berth_join_bits(uint64_t *at, uint64_t y) { *at |= y; }

#define BERTH_JOIN(type, size)                                               \
  BERTH_JOIN_ALONE(type)                                                     \
  BERTH_GPU_FN void berth_join_##type(berth_stored_##type *at,               \
                                      berth_stored_##type y, uint32_t how) { \
    berth_join_alone_##type(at, y, how);                                     \
  }

#endif

BERTH_JOIN(f16, 2)
BERTH_JOIN(bf16, 2)
BERTH_JOIN(f32, 4)
BERTH_JOIN(f64, 8)
BERTH_JOIN(i8, 1)
BERTH_JOIN(i16, 2)
BERTH_JOIN(i32, 4)
BERTH_JOIN(i64, 8)
BERTH_JOIN(u8, 1)
BERTH_JOIN(u16, 2)
BERTH_JOIN(u32, 4)
BERTH_JOIN(u64, 8)
BERTH_JOIN(c64, 8)
BERTH_JOIN(c128, 16)

#endif  // BERTH_CUDA_MATH_ATOMIC_CUH_
