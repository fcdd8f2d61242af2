// linear_params.h - What the kernels of linear algebra are told.
#ifndef BERTH_CUDA_OPS_LINEAR_PARAMS_H_
#define BERTH_CUDA_OPS_LINEAR_PARAMS_H_

#include <stdint.h>

// Levels of two batches that are broadcast to one; more are for the host.
enum { BERTH_LINEAR_LEVELS = 6 };

// Pairs of columns that one block turns at once: matrices of twice as many.
enum { BERTH_LINEAR_PAIRS = 64 };

// Of |batch| matrices of |n| by |n|, in rows, one behind the other; what a
// kernel does not look at is not set.
typedef struct berth_linear_params {
  void *out;
  const void *a;    // What is given: the matrix,
  const void *b;    // right sides of |columns|; NULL: ones on the diagonal.
  void *work;       // A matrix, or two, for each of the batch.
  int32_t *rows;    // Row i of what is decomposed was row |rows|[i].
  uint32_t *turns;  // How many rows were exchanged, of each matrix.
  const int64_t *swaps;  // Row i and row |swaps|[i] - 1, in this order.
  const int32_t *info;   // Not 0: the matrix has no factor. NULL: all have.
  uint32_t *found;       // Becomes 1 where a matrix is singular.
  void *values;          // A second output.
  uint64_t batch, n, columns;
  uint32_t is_adjoint;  // Of what is given.
  uint32_t is_lower, has_ones;
  uint32_t is_wide;      // Numbers of rows have 64 bits.
  uint32_t is_log;       // The sign and the logarithm are two outputs.
  uint32_t level_count;  // 0: matrix i and right side i belong together.
  uint64_t counts[BERTH_LINEAR_LEVELS];
  uint64_t a_steps[BERTH_LINEAR_LEVELS], b_steps[BERTH_LINEAR_LEVELS];
} berth_linear_params_t;

// How |batch| matrices of |rows| by |columns| are moved.
typedef struct berth_linear_move_params {
  void *out;
  const void *in;
  const int32_t *info;            // As above.
  uint64_t batch, rows, columns;  // Of |out|.
  uint32_t turns, is_conj;        // |in| is the transpose; is conjugated.
  uint32_t is_lower;              // Zeros are stored above the diagonal.
  uint32_t is_real;               // |in| has real numbers.
} berth_linear_move_params_t;

#endif  // BERTH_CUDA_OPS_LINEAR_PARAMS_H_
