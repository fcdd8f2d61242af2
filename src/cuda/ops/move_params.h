// move_params.h - What the kernels that move elements are told.
//
// All of them move units of 1, 2, 4, 8 or 16 bytes; counts, steps and places
// are in units. The shapes of work (move.cu):
//
//   nest     any nest of loops that 32 bits can number
//   wide     any nest of loops at all
//   splat    a nest whose innermost loop repeats one element; the target is in
//            units of 16 bytes
//   tiles    planes that change rows for columns
//   packed   the same for units below four bytes, which all lie in words
//   join     rows of one tensor that others lie in side by side
//   cut      the other direction
#ifndef BERTH_CUDA_OPS_MOVE_PARAMS_H_
#define BERTH_CUDA_OPS_MOVE_PARAMS_H_

#include "cuda/math/divide.h"

enum {
  BERTH_MOVE_NEST_LEVELS = 8,
  // Each level has at least two indices and the product fits 63 bits.
  BERTH_MOVE_WIDE_LEVELS = 64,
  BERTH_MOVE_TILE_LEVELS = 6,
  // Tensors joined by one launch; parameters may take 4 KB.
  BERTH_MOVE_JOINED = 128,
  // Rows and columns of a tile, in words of packed ones.
  BERTH_MOVE_TILE = 32,
};

// Where a move begins; the first member of what its kernels are told.
typedef struct berth_move_ends {
  void *to;
  const void *from;
} berth_move_ends_t;

// A level of loops.
typedef struct berth_move_loop {
  berth_divider_t count;
  int32_t from_step, to_step;
} berth_move_loop_t;

typedef struct berth_move_nest {
  berth_move_ends_t ends;
  uint32_t count;  // Product of the loops'.
  int32_t levels;
  berth_move_loop_t loops[BERTH_MOVE_NEST_LEVELS];  // The innermost first.
} berth_move_nest_t;

typedef struct berth_move_wide_loop {
  int64_t count, from_step, to_step;
} berth_move_wide_loop_t;

typedef struct berth_move_wide {
  berth_move_ends_t ends;
  uint64_t count;
  int64_t levels;
  berth_move_wide_loop_t loops[BERTH_MOVE_WIDE_LEVELS];
} berth_move_wide_t;

// to[row * to_step + col] = from[col * from_step + row], for planes that loops
// around them choose.
typedef struct berth_move_tiles {
  berth_move_ends_t ends;
  int64_t rows, cols;
  int64_t from_step, to_step;
  uint32_t count;  // Tiles of all planes.
  int32_t levels;
  berth_divider_t tile_rows, tile_cols;  // Tiles of a plane.
  struct {
    berth_divider_t count;
    int64_t from_step, to_step;
  } loops[BERTH_MOVE_TILE_LEVELS];  // The innermost first.
} berth_move_tiles_t;

// A row of |whole| holds one row of each part: columns begins[i] to begins[i +
// 1] are those of parts[i], whose rows lie one behind the other.
typedef struct berth_move_join {
  void *whole;
  int64_t step;    // From row to row of |whole|.
  uint32_t count;  // Units of all rows.
  int32_t part_count;
  berth_divider_t row;  // Units of a row.
  uint32_t begins[BERTH_MOVE_JOINED + 1];
  void *parts[BERTH_MOVE_JOINED];
} berth_move_join_t;

#endif  // BERTH_CUDA_OPS_MOVE_PARAMS_H_
