// train_params.h - What kernels by which optimisers update variables are told.
#ifndef BERTH_CUDA_OPS_TRAIN_PARAMS_H_
#define BERTH_CUDA_OPS_TRAIN_PARAMS_H_

#include <stdint.h>

// Scalars are addresses on the card, too: what changes from run to run is read,
// so that a recording stays right.
typedef struct berth_train_params {
  const void *from[4];  // The variable and its slots as they are,
  void *to[4];          // and as they will be: perhaps the same places.
  const void *grad;
  const void *scalars[6];  // None is NULL.
  uint64_t count;          // Elements; of those by rows, elements of all rows.
  // Of those by rows:
  const void *indices;
  uint32_t is_wide;      // Indices are int64; otherwise int32.
  uint64_t row;          // Elements of a row,
  uint64_t rows;         // of which the variable has so many,
  uint64_t index_count;  // and the gradient so many.
  // The indices in order, and where each one was; NULL: they are looked for.
  const uint32_t *keys, *places;
} berth_train_params_t;

// Several updates by one function. Elements are done in pieces; a piece belongs
// to one update.
enum { BERTH_TRAIN_PIECE = 2048, BERTH_TRAIN_PARTS = 24 };

typedef struct berth_train_part {
  const void *from[4];
  void *to[4];
  const void *grad;
  const void *scalars[6];
  uint64_t count;
  uint64_t first;  // The number of its first piece.
} berth_train_part_t;

typedef struct berth_train_parts_params {
  uint64_t pieces;
  uint32_t part_count;
  berth_train_part_t parts[BERTH_TRAIN_PARTS];
} berth_train_parts_params_t;

#endif  // BERTH_CUDA_OPS_TRAIN_PARAMS_H_
