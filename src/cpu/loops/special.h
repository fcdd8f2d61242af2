// special.h - Special functions of real numbers, in double.
//
// Ours where the C library has none. What TensorFlow answers outside of their
// domains, they answer too. Pure functions.
//
// Those that take long are functions of a block of numbers, whose parts
// (logarithms, powers, series) are loops over all of the block.
#ifndef BERTH_CPU_LOOPS_SPECIAL_H_
#define BERTH_CPU_LOOPS_SPECIAL_H_

#include <stdint.h>

#include "berth/types.h"

enum { BERTH_SPECIAL_BLOCK = 128 };  // Numbers of a block at most.

typedef struct berth_special_block {
  int count;         // Of numbers, at least 1.
  double precision;  // Of series, where they end.
  double in[3][BERTH_SPECIAL_BLOCK];
  double out[BERTH_SPECIAL_BLOCK];
} berth_special_block_t;

typedef void (*berth_special_fn)(berth_special_block_t *block);

// Brings the block's inputs |k| from elements of |dtype| from |first| on, each
// |step| after the one before; takes its results to elements from |first| on.
void berth_special_read(berth_special_block_t *block, int k,
                        berth_dtype_t dtype, const void *from, int64_t first,
                        int64_t step);
void berth_special_write(const berth_special_block_t *block,
                         berth_dtype_t dtype, void *to, int64_t first);

// Returns how many of |count| are a block.
static inline int berth_special_count(int64_t count) {
  return count < BERTH_SPECIAL_BLOCK ? (int)count : BERTH_SPECIAL_BLOCK;
}

// The logarithm of |Γ(x)|; for a single number, and for a block.
double berth_special_lgamma(double x);
void berth_special_lgammas(berth_special_block_t *block);
// Its derivative, and the derivative of order n of that.
void berth_special_digamma(berth_special_block_t *block);
// The same in float, whose rounding shows in TensorFlow's.
float berth_special_digamma_float(float x);
void berth_special_polygamma(berth_special_block_t *block);
// Incomplete gamma functions of a and x, lower and upper, of what is Γ(a).
void berth_special_igamma(berth_special_block_t *block);
void berth_special_igammac(berth_special_block_t *block);
// The derivative of the lower one by a, and of a sample of a gamma
// distribution by its alpha.
void berth_special_igamma_grad_a(berth_special_block_t *block);
void berth_special_gamma_grad(berth_special_block_t *block);
// The incomplete beta function of a, b and x, of what is B(a, b).
void berth_special_betainc(berth_special_block_t *block);
// The sum of (q + k)^-x, of x and q.
void berth_special_zeta(berth_special_block_t *block);
// Ei; the dilogarithm of 1 - x.
void berth_special_expint(berth_special_block_t *block);
void berth_special_spence(berth_special_block_t *block);

#endif  // BERTH_CPU_LOOPS_SPECIAL_H_
