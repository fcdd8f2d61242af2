// depthwise_isa.c - Depthwise convolutions, for each instruction set.
#include "cpu/loops/depthwise.h"

#include "cpu/loops/simd.h"

#define T float
#define V berth_f32v_t
#define V_(x) berth_f32v_##x
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#include "cpu/loops/depthwise_loop.h"
#undef T
#undef V
#undef V_
#undef LANES
#undef NAME

#define T double
#define V berth_f64v_t
#define V_(x) berth_f64v_##x
#define LANES BERTH_F64_LANES
#define NAME(x) f64_##x
#include "cpu/loops/depthwise_loop.h"

const berth_depthwise_loops_t BERTH_ISA(berth_cpu_depthwise_loops) = {
    .f32_dot = f32_dot,
    .f64_dot = f64_dot,
    .f32_add = f32_add,
    .f64_add = f64_add,
};
