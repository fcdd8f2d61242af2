// linear.h - Ops of linear algebra on square matrices.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_LINEAR_H_
#define BERTH_OP_LINEAR_H_

#include "op/broadcast.h"
#include "op/case.h"

// |batch| matrices of |n| by |n|, and where there are two inputs right sides of
// |n| by |columns|. Of BandedTriangularSolve there are |bands| rows of a matrix.
typedef struct berth_linear {
  int64_t batch, n, columns, bands;
  bool is_triangle;
  bool broadcasts;              // The batches of both inputs differ.
  berth_broadcast_t broadcast;  // How, then.
} berth_linear_t;

// Checks |op|: MatrixInverse, MatrixSolve, MatrixTriangularSolve,
// BandedTriangularSolve, Cholesky, Lu or a determinant; sets its outputs and describes the work.
BERTH_NODISCARD berth_code_t berth_op_linear(berth_case_t *op,
                                             berth_linear_t *out_linear,
                                             berth_error_t *err);

// Stores which matrix and which right side number |i| of the batch is.
static inline void berth_linear_places(const berth_linear_t *linear, int64_t i,
                                       int64_t places[2]) {
  places[0] = places[1] = i;
  if (!linear->broadcasts) return;
  places[0] = places[1] = 0;
  for (int32_t k = 0; k < linear->broadcast.level_count; ++k) {
    const berth_level_t *level = &linear->broadcast.levels[k];
    places[0] += i % level->count * level->steps[0];
    places[1] += i % level->count * level->steps[1];
    i /= level->count;
  }
}

#endif  // BERTH_OP_LINEAR_H_
