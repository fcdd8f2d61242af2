// winograd.h - Loops of convolutions by tiles: Winograd's way.
//
// A tile of 6 x 6 places, multiplied in 36 points, stands for 4 x 4 places of a
// window of 3 x 3, or for 2 x 2 places of one of 5 x 5. Polynomials are taken at
// 0, 1, -1, 2, -2 and infinity, along both axes:
//
//   image  x     ── input ──>   V
//                                  V U = M   ── output ──>  y
//   filter w     ── filter ─>   U
//
//   slopes dy    ── slope ──>  dM
//                              V' dM = dU    ── taps ────>  dw
//
// Numbers of a point follow each other; those of the next one are |apart|
// floats behind. All counts are multiples of BERTH_WINOGRAD_LANES.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_WINOGRAD_H_
#define BERTH_CPU_LOOPS_WINOGRAD_H_

#include <stdint.h>

#include "cpu/isa.h"
#include "cpu/loops/ending.h"

enum {
  BERTH_WINOGRAD_TILE = 6,     // Places of a tile along an axis.
  BERTH_WINOGRAD_POINTS = 36,  // Of a tile.
  BERTH_WINOGRAD_LANES = 16,
};

// Returns how many places a tile stands for along an axis.
static inline int berth_winograd_wide(int window) {
  return BERTH_WINOGRAD_TILE + 1 - window;
}

// Places of an output that a tile stands for: |wide| x |wide| lines.
typedef struct berth_winograd_out {
  float *const *lines;           // NULL in it: outside.
  const float *goal;             // The begin of the output.
  const berth_ending_t *ending;  // NULL: none.
} berth_winograd_out_t;

typedef struct berth_winograd_loops {
  // Makes points of the 36 |lines| of a tile.
  void (*input)(const float *const *lines, int64_t channels, float *to,
                int64_t apart);
  // Makes the output of points.
  void (*output)(int wide, const float *from, int64_t apart, int64_t channels,
                 const berth_winograd_out_t *out);
  // Makes points of slopes by an output; NULL in |lines|: zeros.
  void (*slope)(int wide, const float *const *lines, int64_t channels,
                float *to, int64_t apart);
  // Makes points of a filter whose taps are |step| floats apart; |is_turned|:
  // the last tap first.
  void (*filter)(int window, const float *from, int64_t step, int64_t count,
                 float *to, int64_t apart, int is_turned);
  // Makes taps of points of the slope by a filter.
  void (*taps)(int window, const float *from, int64_t apart, int64_t count,
               float *to, int64_t step);
} berth_winograd_loops_t;

BERTH_ISA_TABLE(berth_winograd_loops_t, berth_cpu_winograd_loops);

#endif  // BERTH_CPU_LOOPS_WINOGRAD_H_
