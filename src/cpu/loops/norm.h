// norm.h - The loops of normalisation.
//
// Rows are |rows| of |n| channels side by side; planes are elements of one
// channel. All work on float: 16-bit types are converted around them.
//
// Sums: the mean and the squared distances from it of a part of the rows are
// found in two passes over what is still in the cache; parts are joined in
// double, in their order.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_NORM_H_
#define BERTH_CPU_LOOPS_NORM_H_

#include <stdint.h>

#include "cpu/isa.h"

// Rows that one call for sums takes at most: they stay in the cache.
enum { BERTH_NORM_ROWS = 64, BERTH_NORM_PLANE = 4096 };

// What a gradient of a channel becomes: a * (g - b - (x - mean) * c).
typedef struct berth_norm_slopes {
  const float *mean, *a, *b, *c;
} berth_norm_slopes_t;

// What LRN is told (op/norm.h).
//
// Rows are done some at a time. Where they have few channels, |masks| has a line
// of |at_once| masks for each distance from -radius to radius, which are 0 where
// the number so far away belongs to another row, and another vector behind the
// last line; else it is NULL.
typedef struct berth_lrn_numbers {
  int64_t radius;  // No more than there are channels.
  float bias, alpha, beta;
  int64_t channels;
  int64_t at_once;
  const uint32_t *masks;
} berth_lrn_numbers_t;

// Returns the floats of the room for |n| numbers.
static inline int64_t berth_lrn_room(int64_t n, int64_t radius,
                                     int64_t channels) {
  enum { VECTOR = 16 };  // The longest.
  return 3 * (n + 2 * VECTOR) + n + (n / channels + 1) * radius + 3 * VECTOR;
}

typedef struct berth_norm_loops {
  // Stores the mean of each channel, and the sum of squared distances from it.
  void (*moments)(const float *x, int64_t rows, int64_t n, float *mean,
                  float *squares);
  // Stores the sums of g and of g * (x - mean).
  void (*grad_sums)(const float *g, const float *x, int64_t rows, int64_t n,
                    const float *mean, float *sum, float *product);
  // y = (x - mean) * factor + offset. |y| may be |x|.
  void (*apply)(const float *x, float *y, int64_t rows, int64_t n,
                const float *mean, const float *factor, const float *offset);
  // |y| may be |g|.
  void (*slope)(const float *g, const float *x, float *y, int64_t rows,
                int64_t n, const berth_norm_slopes_t *slopes);

  // The same for |n| elements of one channel; |index| says which.
  void (*plane_moments)(const float *x, int64_t n, float *mean, float *squares);
  void (*plane_grad_sums)(const float *g, const float *x, int64_t n, float mean,
                          float *sum, float *product);
  void (*plane_apply)(const float *x, float *y, int64_t n, float mean,
                      float factor, float offset);
  void (*plane_slope)(const float *g, const float *x, float *y, int64_t n,
                      const berth_norm_slopes_t *slopes, int64_t index);

  // |n| numbers of LRN, and of its gradient: whole rows, |at_once| at most.
  // |room| has berth_lrn_room() floats.
  void (*lrn)(const float *x, float *y, int64_t n,
              const berth_lrn_numbers_t *numbers, float *room);
  void (*lrn_grad)(const float *const inputs[3], float *out, int64_t n,
                   const berth_lrn_numbers_t *numbers, float *room);

  // 16-bit numbers to float and back.
  void (*from_half)(const uint16_t *x, float *y, int64_t n);
  void (*to_half)(const float *x, uint16_t *y, int64_t n);
  void (*from_bfloat16)(const uint16_t *x, float *y, int64_t n);
  void (*to_bfloat16)(const float *x, uint16_t *y, int64_t n);
} berth_norm_loops_t;

BERTH_ISA_TABLE(berth_norm_loops_t, berth_cpu_norm_loops);

#endif  // BERTH_CPU_LOOPS_NORM_H_
