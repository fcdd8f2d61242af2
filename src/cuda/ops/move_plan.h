// move_plan.h - Plans of kernels that move elements.
//
// Each move of an op (op/move.h) becomes a copy or the launch of one kernel of
// move.cu; moves that lie side by side in one tensor, as those of a
// concatenation or a split, become one launch together.
//
// A launch moves the widest units that the layout allows, up to 16 bytes. That
// needs addresses aligned to them, which all but views into tensors have; for
// those a second launch, in units of one element, is kept beside the first.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CUDA_OPS_MOVE_PLAN_H_
#define BERTH_CUDA_OPS_MOVE_PLAN_H_

#include "cuda/ops/move_params.h"
#include "kernel/kernel.h"
#include "op/move.h"

typedef enum berth_cuda_move_kind {
  BERTH_CUDA_MOVE_COPY = 0,  // One block of bytes.
  BERTH_CUDA_MOVE_LOOPS,     // nest, wide, splat, tiles or packed.
  BERTH_CUDA_MOVE_JOIN,      // join or cut.
} berth_cuda_move_kind_t;

// What is queued for one move, or for several that are joined.
typedef struct berth_cuda_move berth_cuda_move_t;
struct berth_cuda_move {
  berth_cuda_move_kind_t kind;
  int kernel;
  int64_t unit;                    // What is moved at once, in bytes.
  int64_t alignment;               // Of addresses, in bytes.
  const berth_cuda_move_t *plain;  // For those less aligned; NULL: none are.
  int64_t count;                   // Units; of a copy, bytes.
  int32_t blocks;                  // Of a launch; 0: as |count| says.

  // Copies and loops: arguments, and bytes from their beginning.
  int32_t from_arg, to_arg;
  int64_t from_offset, to_offset;
  // Joins: the argument that holds all, bytes from its beginning, the others.
  int32_t whole_arg, part_count;
  int64_t whole_offset;
  const int32_t *part_args;

  const void *params;  // Of the kernel, without addresses.
  size_t params_size;
};

typedef struct berth_cuda_moves {
  int32_t count;
  berth_cuda_move_t items[];
} berth_cuda_moves_t;

// Makes the plan of |moves| and sets |prepare->run|; nothing is done where
// there are none, or the output is an input. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_cuda_moves_prepare(
    berth_prepare_t *prepare, const berth_moves_t *moves, berth_error_t *err);

// Makes the plan of |moves|, of which there is at least one, and sets
// |prepare->plan|.
BERTH_NODISCARD berth_code_t berth_cuda_moves_plan(berth_prepare_t *prepare,
                                                   const berth_moves_t *moves,
                                                   berth_error_t *err);

// Queues |moves|; |args| are what their moves refer to.
BERTH_NODISCARD berth_code_t berth_cuda_moves_run(
    const berth_cuda_moves_t *moves, void *const *args, berth_call_t *call);

#endif  // BERTH_CUDA_OPS_MOVE_PLAN_H_
