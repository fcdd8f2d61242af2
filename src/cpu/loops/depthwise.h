// depthwise.h - Loops of depthwise convolutions: every channel by itself.
//
// A run is a row of places whose taps all lie inside the image. Tap t of place
// p is at x[t] + p * step, its factors at w[t]; both are |channels| long.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_DEPTHWISE_H_
#define BERTH_CPU_LOOPS_DEPTHWISE_H_

#include <stdint.h>

#include "cpu/isa.h"
#include "cpu/loops/ending.h"

typedef struct berth_depthwise {
  const char **x;  // By tap.
  char **w;        // By tap.
  int taps;
  // Taps come in lines of so many, each this many elements behind the one
  // before.
  int along;
  int64_t next;
  int64_t places, channels;
  int64_t step, apart;  // From place to place, in elements: in x, and in y.
  char *y;
  const berth_ending_t *ending;  // Of sums of floats; NULL: none.
} berth_depthwise_t;

typedef void (*berth_depthwise_fn)(const berth_depthwise_t *run);

typedef struct berth_depthwise_loops {
  // y = sum over taps of x w.
  berth_depthwise_fn f32_dot, f64_dot;
  // Adds the sum over places of x y to each w.
  berth_depthwise_fn f32_add, f64_add;
} berth_depthwise_loops_t;

BERTH_ISA_TABLE(berth_depthwise_loops_t, berth_cpu_depthwise_loops);

#endif  // BERTH_CPU_LOOPS_DEPTHWISE_H_
