// fourier_plan.h - What is computed once for Fourier transforms of a length.
//
// Tables lie in the arena of the plan.
#ifndef BERTH_CPU_OPS_FOURIER_PLAN_H_
#define BERTH_CPU_OPS_FOURIER_PLAN_H_

#include "cpu/loops/spectrum.h"
#include "kernel/kernel.h"

// Where tables are made, and of which type.
typedef struct berth_fourier_maker {
  berth_arena_t *arena;
  const berth_spectrum_loops_t *loops;
  bool is_wide;  // Doubles.
} berth_fourier_maker_t;

// Plans transforms of |n| elements in lanes. False when memory is short.
BERTH_NODISCARD bool berth_fourier_plan_lanes(
    const berth_fourier_maker_t *maker, int64_t n,
    berth_spectrum_lanes_t *out_lanes);

// Plans transforms of |count| rows of |n|. False when memory is short.
BERTH_NODISCARD bool berth_fourier_plan_row(const berth_fourier_maker_t *maker,
                                            int64_t n, int64_t count,
                                            berth_spectrum_row_t *out_row);

// Returns e^(-2 pi i k / n) for k in [0, count). NULL when memory is short.
const void *berth_fourier_plan_turns(const berth_fourier_maker_t *maker,
                                     int64_t n, int64_t count);

#endif  // BERTH_CPU_OPS_FOURIER_PLAN_H_
