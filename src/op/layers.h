// layers.h - Ops that put elements into a tensor that has something else
// everywhere else: diagonals, bands, blocks.
//
// The work is two layers of moves (op/move.h), the second over the first: zeros,
// or what |under| says, and then |over|, which may write the same places.
//
//   MatrixSetDiag    under: the input       over: the diagonals
//   MatrixBandPart   zeros                  over: a part of each row
//
// Each function checks its op, sets the output and describes the work in
// |*out_layers|, which must not be copied. All fail with BERTH_INVALID_ARGUMENT
// in TensorFlow's words, and with BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_LAYERS_H_
#define BERTH_OP_LAYERS_H_

#include "op/move.h"

typedef struct berth_layers {
  bool zeros;  // The output is zero at first; |under| has no moves then.
  berth_moves_t under;
  berth_moves_t over;
} berth_layers_t;

typedef berth_code_t (*berth_layers_fn)(berth_case_t *op,
                                        berth_layers_t *out_layers,
                                        berth_error_t *err);

// Declares berth_op_<name>(), a berth_layers_fn.
#define BERTH_OP_LAYERS(name)                   \
  BERTH_NODISCARD berth_code_t berth_op_##name( \
      berth_case_t *op, berth_layers_t *out_layers, berth_error_t *err)

// diagonals.c: Diag; MatrixDiag, MatrixDiagPart, MatrixSetDiag and their later
// versions, which know several diagonals; MatrixBandPart.
BERTH_OP_LAYERS(diag);
BERTH_OP_LAYERS(matrix_diag);
BERTH_OP_LAYERS(matrix_diag_part);
BERTH_OP_LAYERS(matrix_set_diag);
BERTH_OP_LAYERS(band_part);

// MatrixBandPart, for whoever does it element by element: how many diagonals
// stay below and above the main one.
BERTH_NODISCARD berth_code_t berth_op_band(berth_case_t *op, int64_t *out_lower,
                                           int64_t *out_upper,
                                           berth_error_t *err);

// blocks.c: SpaceToBatch, BatchToSpace, and those with several blocks.
BERTH_OP_LAYERS(space_to_batch);
BERTH_OP_LAYERS(batch_to_space);

#endif  // BERTH_OP_LAYERS_H_
