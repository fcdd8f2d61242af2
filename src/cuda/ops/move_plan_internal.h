// move_plan_internal.h - What planning single moves and joined ones share.
#ifndef BERTH_CUDA_OPS_MOVE_PLAN_INTERNAL_H_
#define BERTH_CUDA_OPS_MOVE_PLAN_INTERNAL_H_

#include "cuda/ops/move_plan.h"

// The kernels of move.cu, by unit; of packed ones those below a word, of splat
// ones those below 16 bytes.
typedef enum berth_cuda_move_shape {
  BERTH_CUDA_NEST = 0,
  BERTH_CUDA_WIDE,
  BERTH_CUDA_TILES,
  BERTH_CUDA_JOIN,
  BERTH_CUDA_CUT,
  BERTH_CUDA_PACKED,
  BERTH_CUDA_SPLAT,
} berth_cuda_move_shape_t;

// Sets the kernel of |move|, whose unit is set, and keeps a copy of the |size|
// bytes of |params|.
BERTH_NODISCARD berth_code_t berth_cuda_move_set(berth_cuda_move_t *move,
                                                 berth_arena_t *arena,
                                                 berth_cuda_move_shape_t shape,
                                                 const void *params,
                                                 size_t size,
                                                 berth_error_t *err);

// Gives |move| a second plan, for units of one element, and returns it; NULL
// when memory is short.
berth_cuda_move_t *berth_cuda_move_add_plain(berth_cuda_move_t *move,
                                             berth_arena_t *arena);

// Returns the widest unit that divides every size whose bits are in |bits|.
int64_t berth_cuda_widest_unit(int64_t bits);

// True when the elements of |loop| lie one behind the other on both sides.
static inline bool berth_cuda_loop_is_block(const berth_move_level_t *loop) {
  return loop->from_step == 1 && loop->to_step == 1;
}

// Plans |parts| as few launches into |moves|, if they lie side by side in one
// tensor and are not too large; says so in |*out_are_joined|.
BERTH_NODISCARD berth_code_t berth_cuda_moves_join(berth_arena_t *arena,
                                                   const berth_moves_t *parts,
                                                   berth_cuda_moves_t *moves,
                                                   bool *out_are_joined,
                                                   berth_error_t *err);

#endif  // BERTH_CUDA_OPS_MOVE_PLAN_INTERNAL_H_
