// resize.h - The loops of resizing: rows of float, of pixels of some channels.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_RESIZE_H_
#define BERTH_CPU_LOOPS_RESIZE_H_

#include <stdint.h>

#include "cpu/isa.h"

// Where between two inputs an output is.
typedef struct berth_between {
  int64_t lower, upper;
  float share;  // Of the upper one.
} berth_between_t;

// Where among four inputs an output is, and what it takes of each.
typedef struct berth_among {
  int64_t at[4];
  float weights[4];
} berth_among_t;

// The inputs from |begin| to |last| that an output covers, and how much of
// these two.
typedef struct berth_cover {
  int64_t begin, last;
  float first_part, last_part;
} berth_cover_t;

typedef struct berth_resize_loops {
  // Makes a row of |n| pixels of one of |in_size| others.
  void (*across)(const float *in, float *out, const berth_between_t *places,
                 int64_t n, int64_t channels, int64_t in_size);
  // Makes |n| numbers between |top| and |bottom|.
  void (*between)(const float *top, const float *bottom, float share,
                  float *out, int64_t n);
  // Makes |n| numbers among those of four rows.
  void (*among)(const float *const rows[4], const float weights[4], float *out,
                int64_t n);
  // Makes a row of |n| pixels of one of |in_size| others.
  void (*across_four)(const float *in, float *out, const berth_among_t *places,
                      int64_t n, int64_t channels, int64_t in_size);
  // Adds what a row of |in_size| pixels has of each of |n| outputs, times
  // |share|, to them.
  void (*cover)(const float *in, float *out, const berth_cover_t *covers,
                int64_t n, int64_t channels, float share, int64_t in_size);
} berth_resize_loops_t;

BERTH_ISA_TABLE(berth_resize_loops_t, berth_cpu_resize_loops);

#endif  // BERTH_CPU_LOOPS_RESIZE_H_
