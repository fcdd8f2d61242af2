// series.h - Series and continued fractions of special functions.
//
// A vector of numbers goes on until the last of them is there; each keeps what
// it has when it is, so that it does not depend on the others.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_SERIES_H_
#define BERTH_CPU_LOOPS_SERIES_H_

#include "cpu/isa.h"

enum { BERTH_SERIES_LANES = 8 };  // Counts are multiples of it.

// What is added up, for |count| numbers a and x, and b where there is one.
typedef struct berth_series {
  int count;
  double precision;  // Of fractions 8 times it, for they are never at rest.
  const double *a, *b, *x;
  double *value, *slope;  // The latter by a.
} berth_series_t;

typedef void (*berth_series_fn)(const berth_series_t *series);

typedef struct berth_series_loops {
  // That of the lower incomplete gamma function, in front of which there is
  // x^a e^-x / Γ(a + 1), and the fraction of the upper one, with Γ(a); with
  // slopes and without.
  berth_series_fn lower, upper, lower_slope, upper_slope;
  // The fraction of the incomplete beta function.
  berth_series_fn beta;
} berth_series_loops_t;

BERTH_ISA_TABLE(berth_series_loops_t, berth_cpu_series_loops);

#endif  // BERTH_CPU_LOOPS_SERIES_H_
