// spectrum_isa.c - Fourier transforms, for each instruction set.
#include "cpu/loops/spectrum.h"

#include <string.h>

#include "cpu/loops/simd.h"

// One copy for all callers, whatever they call it with.
#if defined(__clang__)
#define ALONE BERTH_NOINLINE
#else
#define ALONE BERTH_NOINLINE __attribute__((noclone))
#endif

// Of two vectors: the elements with even and with odd numbers, and the first
// and the second halves of both in turns.
#define EVEN_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define ODD_2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define EVEN_4(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD_4(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define EVEN_8(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_8(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW_8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define EVEN_16(a, b)                                                          \
  __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, \
                          26, 28, 30)
#define ODD_16(a, b)                                                           \
  __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, \
                          27, 29, 31)
#define LOW_16(a, b)                                                         \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, \
                          22, 7, 23)
#define HIGH_16(a, b)                                                         \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, \
                          14, 30, 15, 31)

#if BERTH_VECTOR_BYTES == 64
#define LANES_OF(x) x##_16
#define WIDE_OF(x) x##_8
#elif BERTH_VECTOR_BYTES == 32
#define LANES_OF(x) x##_8
#define WIDE_OF(x) x##_4
#else
#define LANES_OF(x) x##_4
#define WIDE_OF(x) x##_2
#endif

#define T float
#define V berth_f32v_t
#define V_(x) berth_f32v_##x
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define EVEN(a, b) LANES_OF(EVEN)(a, b)
#define ODD(a, b) LANES_OF(ODD)(a, b)
#define LOW(a, b) LANES_OF(LOW)(a, b)
#define HIGH(a, b) LANES_OF(HIGH)(a, b)
#include "cpu/loops/spectrum_lanes.inc"
#include "cpu/loops/spectrum_rows.inc"
#undef T
#undef V
#undef V_
#undef LANES
#undef NAME
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH

#define T double
#define V berth_f64v_t
#define V_(x) berth_f64v_##x
#define LANES BERTH_F64_LANES
#define NAME(x) f64_##x
#define EVEN(a, b) WIDE_OF(EVEN)(a, b)
#define ODD(a, b) WIDE_OF(ODD)(a, b)
#define LOW(a, b) WIDE_OF(LOW)(a, b)
#define HIGH(a, b) WIDE_OF(HIGH)(a, b)
#include "cpu/loops/spectrum_lanes.inc"
#include "cpu/loops/spectrum_rows.inc"

const berth_spectrum_table_t BERTH_ISA(berth_cpu_spectrum) = {
    .f32 = {BERTH_F32_LANES, f32_rows, f32_columns, f32_unpair, f32_pair},
    .f64 = {BERTH_F64_LANES, f64_rows, f64_columns, f64_unpair, f64_pair},
};
