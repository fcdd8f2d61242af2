// color.h - The loops of colours in floats.
//
// Pixels are three numbers each. Pure functions behind a constant table per
// instruction set.
#ifndef BERTH_CPU_LOOPS_COLOR_H_
#define BERTH_CPU_LOOPS_COLOR_H_

#include <stdint.h>

#include "cpu/isa.h"

// Turns |count| pixels. |out| may be |in|.
typedef void (*berth_color_fn)(const float *in, float *out, int64_t count);

typedef struct berth_color_loops {
  berth_color_fn to_hsv, from_hsv;
} berth_color_loops_t;

BERTH_ISA_TABLE(berth_color_loops_t, berth_cpu_color_loops);

#endif  // BERTH_CPU_LOOPS_COLOR_H_
