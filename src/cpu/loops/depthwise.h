// depthwise.h - Loops of depthwise convolutions: every channel by itself.
//
// A run is a row of places whose taps all lie inside the image. Tap t of place
// p is at x[t] + p * step, its factors at w[t]; both are |channels| long. Windows
// of three by three have loops over whole rows.
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
  int64_t places, channels;
  int64_t step, apart;  // From place to place, in elements: in x, and in y.
  char *y;
  const berth_ending_t *ending;  // Of sums of floats; NULL: none.
} berth_depthwise_t;

typedef void (*berth_depthwise_fn)(const berth_depthwise_t *run);

// Whole rows of the output, of windows of three by three of floats.
typedef struct berth_depthwise_square {
  // Lines of the image, one after the other; the first and the last may be NULL:
  // they are outside.
  const float *const *x;
  const float *w;    // Tap by tap.
  float *y;          // The first row,
  int64_t row;       // and from one to the next, in elements.
  int64_t channels;  // At least a vector.
  int64_t in, out;   // Places of a line; of a row.
  int64_t before;    // 1: windows begin one place before the line; or 0. They
                     // end one behind it at most.
  const berth_ending_t *ending;  // From |y| on; NULL: none.
} berth_depthwise_square_t;

typedef void (*berth_depthwise_square_fn)(const berth_depthwise_square_t *run);

enum {
  BERTH_DEPTHWISE_ROWS = 4,     // That are done at once, at most.
  BERTH_DEPTHWISE_STRIDES = 2,  // Of such windows: 1 and 2.
};

typedef struct berth_depthwise_loops {
  // y = sum over taps of x w.
  berth_depthwise_fn f32_dot, f64_dot;
  // Adds the sum over places of x y to each w.
  berth_depthwise_fn f32_add, f64_add;
  // By stride - 1 and rows - 1; NULL: not so many at once. One row always.
  berth_depthwise_square_fn f32_squares[BERTH_DEPTHWISE_STRIDES]
                                       [BERTH_DEPTHWISE_ROWS];
  int32_t f32_lanes;  // Of a vector.
} berth_depthwise_loops_t;

BERTH_ISA_TABLE(berth_depthwise_loops_t, berth_cpu_depthwise_loops);

#endif  // BERTH_CPU_LOOPS_DEPTHWISE_H_
