// factor_rows.h - What decompositions do to rows of doubles most of the time.
//
// Complex numbers are pairs: a product with one is two with its parts, of which
// the second goes to an array whose parts have changed places.
//
// Pure functions on the caller's memory.
#ifndef BERTH_CPU_LOOPS_FACTOR_ROWS_H_
#define BERTH_CPU_LOOPS_FACTOR_ROWS_H_

#include <stdint.h>

#include "cpu/isa.h"

// |rows| rows of |columns| doubles, |step| apart.
typedef struct berth_factor_block {
  double *at;
  int64_t rows, columns, step;
} berth_factor_block_t;

// What is done to each row, in this order:
//   row -= the sum over |terms| of factors[t][i * factor_step] * arrays[t]
//   sums[d][i * sum_step] = the product of the row and others[d], for |dots|
//   adds[d] += shares[d][i * factor_step] * row, for |dots| of a lower half
// Of a lower half row i has as many numbers as come before its diagonal, and
// that one, which is not added.
typedef struct berth_factor_work {
  int terms, dots;
  const double *shares[2];
  double *adds[2];
  const double *arrays[4], *factors[4];
  int64_t factor_step;
  const double *others[2];
  double *sums[2];
  int64_t sum_step;
} berth_factor_work_t;

// Turns rows |a| and |b|: a c + b s, and b c - a s.
typedef struct berth_factor_turn {
  int32_t a, b;
  double c, s;
} berth_factor_turn_t;

enum { BERTH_FACTOR_STRIPE = 32 };

typedef struct berth_factor_rows {
  // Stores in |out| the sum of the rows, each times factors[i * factor_step].
  void (*sum)(const berth_factor_block_t *block, const double *factors,
              int64_t factor_step, double *out);
  // Terms and dots are 1 and 0, 2 and 0, 0 and 1, or 0 and 2.
  void (*work)(const berth_factor_block_t *block,
               const berth_factor_work_t *work);
  // The same for the lower half of a square, of numbers of |parts| doubles: 2
  // terms and 1 dot for each of them.
  void (*lower)(const berth_factor_block_t *block,
                const berth_factor_work_t *work, int parts);
  // Turns rows by |count| turns, one after the other. |stripe| has room for
  // BERTH_FACTOR_STRIPE doubles of each row.
  void (*turn)(const berth_factor_block_t *block,
               const berth_factor_turn_t *turns, int64_t count, double *stripe);
  // Takes tau v (v^T A) from three rows A of |count|; v[0] is 1.
  void (*fold)(double *const rows[3], int64_t count, const double v[3],
               double tau);
  // Turns |count| doubles of two rows of complex numbers: of four of them in
  // |f|, a becomes f[0] a + f[1] b, and b becomes f[2] b + f[3] a.
  void (*pairs)(double *a, double *b, int64_t count, const double *f);
} berth_factor_rows_t;

BERTH_ISA_TABLE(berth_factor_rows_t, berth_cpu_factor_rows);

#endif  // BERTH_CPU_LOOPS_FACTOR_ROWS_H_
