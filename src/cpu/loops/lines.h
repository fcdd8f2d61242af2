// lines.h - Short lines of numbers that are added where they belong.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_LINES_H_
#define BERTH_CPU_LOOPS_LINES_H_

#include <stdint.h>

#include "cpu/isa.h"

// So many lines of |length| numbers each, |from_step| apart.
typedef struct berth_lines {
  int64_t count, length;
  int64_t from_step, to_step;
} berth_lines_t;

typedef struct berth_lines_loops {
  // Adds line i to the numbers at |to| + i * to_step; the places of neighbours
  // may have some in common.
  void (*add)(const berth_lines_t *lines, const float *from, float *to);
  void (*add_f64)(const berth_lines_t *lines, const double *from, double *to);
  // Adds |length| floats, each times |by|; product and sum are rounded.
  void (*add_times)(int64_t length, const float *from, float by, float *to);
} berth_lines_loops_t;

BERTH_ISA_TABLE(berth_lines_loops_t, berth_cpu_lines_loops);

#endif  // BERTH_CPU_LOOPS_LINES_H_
