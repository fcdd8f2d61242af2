// depthwise_isa.c - Depthwise convolutions, for each instruction set.
#include "cpu/loops/depthwise.h"

#include <stdbool.h>

#include "cpu/loops/simd.h"

static BERTH_INLINE void f32_end(const berth_depthwise_t *run,
                                 berth_f32v_t *sums, int places, int64_t at,
                                 int64_t c) {
  const berth_ending_t *end = run->ending;
  for (int i = 0; i < places; ++i) {
    berth_f32v_t x = sums[i];
    if (end->row != NULL) x += berth_f32v_load(end->row + c);
    if (end->other != NULL) {
      x += berth_f32v_load(end->other + at + i * run->apart);
    }
    if (end->clamp == BERTH_CLAMP_RELU6) x = berth_f32v_six(x);
    sums[i] = end->clamp != BERTH_CLAMP_NONE ? berth_f32v_relu(x) : x;
  }
}

#define T float
#define V berth_f32v_t
#define V_(x) berth_f32v_##x
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define END f32_end
#define HAS_MANY 1
#define END_ONE(run, sum, at, c) \
  sum = berth_ending_one((run)->ending, sum, at, c)
#include "cpu/loops/depthwise_loop.h"
#undef T
#undef V
#undef V_
#undef LANES
#undef NAME
#undef END
#undef END_ONE
#undef HAS_MANY

// Only floats have endings.
#define END(run, sums, places, at, c) (void)(run)
#define END_ONE(run, sum, at, c) (void)(run)
#define HAS_MANY 0

#define T double
#define V berth_f64v_t
#define V_(x) berth_f64v_##x
#define LANES BERTH_F64_LANES
#define NAME(x) f64_##x
#include "cpu/loops/depthwise_loop.h"

#include "cpu/loops/depthwise_square.inc"

const berth_depthwise_loops_t BERTH_ISA(berth_cpu_depthwise_loops) = {
    .f32_dot = f32_dot,
    .f64_dot = f64_dot,
    .f32_add = f32_add,
    .f64_add = f64_add,
    .f32_squares = {{WALKS}, {LEAPS}},
    .f32_lanes = BERTH_F32_LANES,
};
