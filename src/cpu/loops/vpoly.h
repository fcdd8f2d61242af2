// vpoly.h - Polynomials as straight code, for loops that compilers turn into
// vectors.
//
//   BERTH_VPOLY(x, a, b, c)     a + b x + c x^2 of float, by Horner's rule
//   BERTH_VPOLY64(x, a, b, c)   the same of double
//
// Two to 28 coefficients; |x| is a variable.
#ifndef BERTH_CPU_LOOPS_VPOLY_H_
#define BERTH_CPU_LOOPS_VPOLY_H_

#include "cpu/loops/vexp.h"
#include "cpu/loops/vmath64.h"

// clang-format off
#define BERTH_VPOLY_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, \
    a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, \
    a28, name, ...) name
#define BERTH_VPOLY_COUNT(...) \
  BERTH_VPOLY_PICK(__VA_ARGS__, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
    17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define BERTH_VPOLY_PASTE2(n) BERTH_VPOLY_##n
#define BERTH_VPOLY_PASTE(n) BERTH_VPOLY_PASTE2(n)
// Gcc keeps each number that it knows as often as a vector has lanes, though
// this set repeats one as it reads it. So it must not know them: a quarter of a
// special function less, and as fast.
#if defined(__AVX512F__) && !defined(__clang__)
#define BERTH_VPOLY_TABLE(type, f, x, ...)                               \
  __extension__({                                                        \
    static type berth_table[] __attribute__((                            \
        used, aligned(sizeof(type)), section(".data.rel.ro.poly"))) = {  \
        __VA_ARGS__};                                                    \
    type berth_sum = berth_table[BERTH_VPOLY_COUNT(__VA_ARGS__) - 1];    \
    _Pragma("GCC unroll 32")                                             \
    for (int berth_i = BERTH_VPOLY_COUNT(__VA_ARGS__) - 2; berth_i >= 0; \
         --berth_i) {                                                    \
      berth_sum = f(x, berth_sum, berth_table[berth_i]);                 \
    }                                                                    \
    berth_sum;                                                           \
  })
#define BERTH_VPOLY(x, ...) \
  BERTH_VPOLY_TABLE(float, berth_vfma, x, __VA_ARGS__)
#define BERTH_VPOLY64(x, ...) \
  BERTH_VPOLY_TABLE(double, berth_vfma64, x, __VA_ARGS__)
#else
#define BERTH_VPOLY(x, ...) \
  BERTH_VPOLY_PASTE(BERTH_VPOLY_COUNT(__VA_ARGS__))(berth_vfma, x, __VA_ARGS__)
#define BERTH_VPOLY64(x, ...)                       \
  BERTH_VPOLY_PASTE(BERTH_VPOLY_COUNT(__VA_ARGS__)) \
  (berth_vfma64, x, __VA_ARGS__)
#endif

#define BERTH_VPOLY_1(f, x, a) (a)
#define BERTH_VPOLY_2(f, x, a, ...) f(x, BERTH_VPOLY_1(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_3(f, x, a, ...) f(x, BERTH_VPOLY_2(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_4(f, x, a, ...) f(x, BERTH_VPOLY_3(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_5(f, x, a, ...) f(x, BERTH_VPOLY_4(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_6(f, x, a, ...) f(x, BERTH_VPOLY_5(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_7(f, x, a, ...) f(x, BERTH_VPOLY_6(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_8(f, x, a, ...) f(x, BERTH_VPOLY_7(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_9(f, x, a, ...) f(x, BERTH_VPOLY_8(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_10(f, x, a, ...) f(x, BERTH_VPOLY_9(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_11(f, x, a, ...) f(x, BERTH_VPOLY_10(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_12(f, x, a, ...) f(x, BERTH_VPOLY_11(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_13(f, x, a, ...) f(x, BERTH_VPOLY_12(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_14(f, x, a, ...) f(x, BERTH_VPOLY_13(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_15(f, x, a, ...) f(x, BERTH_VPOLY_14(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_16(f, x, a, ...) f(x, BERTH_VPOLY_15(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_17(f, x, a, ...) f(x, BERTH_VPOLY_16(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_18(f, x, a, ...) f(x, BERTH_VPOLY_17(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_19(f, x, a, ...) f(x, BERTH_VPOLY_18(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_20(f, x, a, ...) f(x, BERTH_VPOLY_19(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_21(f, x, a, ...) f(x, BERTH_VPOLY_20(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_22(f, x, a, ...) f(x, BERTH_VPOLY_21(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_23(f, x, a, ...) f(x, BERTH_VPOLY_22(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_24(f, x, a, ...) f(x, BERTH_VPOLY_23(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_25(f, x, a, ...) f(x, BERTH_VPOLY_24(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_26(f, x, a, ...) f(x, BERTH_VPOLY_25(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_27(f, x, a, ...) f(x, BERTH_VPOLY_26(f, x, __VA_ARGS__), a)
#define BERTH_VPOLY_28(f, x, a, ...) f(x, BERTH_VPOLY_27(f, x, __VA_ARGS__), a)
// clang-format on

#endif  // BERTH_CPU_LOOPS_VPOLY_H_
