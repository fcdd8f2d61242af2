// shuffle.h - Shuffles of two vectors, for each number of elements.
//
// EVEN and ODD are the elements with even and with odd numbers, LOW and HIGH
// the first and the second halves of both in turns: they take complex numbers
// apart and put them together.
//
// Include it in *_isa.c files alone, after simd.h.
#ifndef BERTH_CPU_LOOPS_SHUFFLE_H_
#define BERTH_CPU_LOOPS_SHUFFLE_H_

#include "cpu/loops/simd.h"

#define BERTH_EVEN_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define BERTH_ODD_2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define BERTH_LOW_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define BERTH_HIGH_2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define BERTH_EVEN_4(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define BERTH_ODD_4(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define BERTH_LOW_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define BERTH_HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define BERTH_EVEN_8(a, b) \
  __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define BERTH_ODD_8(a, b) \
  __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define BERTH_LOW_8(a, b) \
  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define BERTH_HIGH_8(a, b) \
  __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define BERTH_EVEN_16(a, b)                                                    \
  __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, \
                          26, 28, 30)
#define BERTH_ODD_16(a, b)                                                     \
  __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, \
                          27, 29, 31)
#define BERTH_LOW_16(a, b)                                                   \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, \
                          22, 7, 23)
#define BERTH_HIGH_16(a, b)                                                   \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, \
                          14, 30, 15, 31)

#if BERTH_VECTOR_BYTES == 64
#define BERTH_F32_SHUFFLE(x) BERTH_##x##_16
#define BERTH_F64_SHUFFLE(x) BERTH_##x##_8
#elif BERTH_VECTOR_BYTES == 32
#define BERTH_F32_SHUFFLE(x) BERTH_##x##_8
#define BERTH_F64_SHUFFLE(x) BERTH_##x##_4
#else
#define BERTH_F32_SHUFFLE(x) BERTH_##x##_4
#define BERTH_F64_SHUFFLE(x) BERTH_##x##_2
#endif

#endif  // BERTH_CPU_LOOPS_SHUFFLE_H_
