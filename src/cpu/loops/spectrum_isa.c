// spectrum_isa.c - Fourier transforms, for each instruction set.
#include "cpu/loops/spectrum.h"

#include <string.h>

#include "cpu/loops/shuffle.h"
#include "cpu/loops/simd.h"

// One copy for all callers, whatever they call it with.
#if defined(__clang__)
#define ALONE BERTH_NOINLINE
#else
#define ALONE BERTH_NOINLINE __attribute__((noclone))
#endif

#define T float
#define V berth_f32v_t
#define V_(x) berth_f32v_##x
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define EVEN(a, b) BERTH_F32_SHUFFLE(EVEN)(a, b)
#define ODD(a, b) BERTH_F32_SHUFFLE(ODD)(a, b)
#define LOW(a, b) BERTH_F32_SHUFFLE(LOW)(a, b)
#define HIGH(a, b) BERTH_F32_SHUFFLE(HIGH)(a, b)
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
#define EVEN(a, b) BERTH_F64_SHUFFLE(EVEN)(a, b)
#define ODD(a, b) BERTH_F64_SHUFFLE(ODD)(a, b)
#define LOW(a, b) BERTH_F64_SHUFFLE(LOW)(a, b)
#define HIGH(a, b) BERTH_F64_SHUFFLE(HIGH)(a, b)
#include "cpu/loops/spectrum_lanes.inc"
#include "cpu/loops/spectrum_rows.inc"

const berth_spectrum_table_t BERTH_ISA(berth_cpu_spectrum) = {
    .f32 = {BERTH_F32_LANES, f32_rows, f32_columns, f32_unpair, f32_pair},
    .f64 = {BERTH_F64_LANES, f64_rows, f64_columns, f64_unpair, f64_pair},
};
