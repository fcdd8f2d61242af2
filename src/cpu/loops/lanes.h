// lanes.h - Loops of convolutions whose channels are in small groups.
//
// Some channels of the goal are worked on at a time, one in each lane of a
// vector. What they see is brought into vectors too: of a place of the image
// those channels, side by side. Factor i of each lane meets lane at[i] of that
// vector: of four groups of four channels, with sixteen lanes,
//
//   at[0]: 0 0 0 0 4 4 4 4 8 8 8 8 12 12 12 12    at[1]: 1 1 1 1 5 5 5 5 ...
//
// and no multiplication is in vain. Where one vector does not hold what the
// lanes see there are as many as factors, and each lane has its own.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_LANES_H_
#define BERTH_CPU_LOOPS_LANES_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa.h"

// Places that are brought into vectors.
typedef struct berth_lanes_read {
  const void *from;  // The channel that the first lane has, of the first place.
  int64_t place;     // From place to place, in elements.
  int64_t count;     // Of places.
  int64_t lanes;     // That there are in |from|, of one vector; or
  int64_t vectors;   // so many vectors,
  const int32_t *at;  // of these channels. NULL: one, of channels side by side.
  float *to;
} berth_lanes_read_t;

// Vectors of places that are multiplied by vectors of factors.
typedef struct berth_lane_sums {
  const float **x;  // By line of taps: where the first of the line reads.
  float **w;        // Their factors.
  int64_t lines;
  // Taps of a line, each of |depth| factors, and how far one is from the next.
  int64_t taps, depth, x_tap, w_tap;
  // What factors meet: lanes |at| of the vector, each factor |at_next| further
  // on, or each with a vector of its own, |x_next| floats from the one before.
  const int32_t *at;
  int64_t at_next, x_next;
  int64_t places, step, apart;  // From place to place: in x, and in y.
  float *y;
} berth_lane_sums_t;

typedef void (*berth_lanes_read_fn)(const berth_lanes_read_t *read);

typedef struct berth_lane_loops {
  int64_t lanes;  // Of a vector: at most BERTH_LANES_MOST.
  berth_lanes_read_fn read_f32, read_half, read_bfloat16;
  void (*dot)(const berth_lane_sums_t *run);  // y = sum of x w.
  void (*add)(const berth_lane_sums_t *run);  // w += sum over places of x y.
} berth_lane_loops_t;

enum { BERTH_LANES_MOST = 16 };

BERTH_ISA_TABLE(berth_lane_loops_t, berth_cpu_lane_loops);

#endif  // BERTH_CPU_LOOPS_LANES_H_
