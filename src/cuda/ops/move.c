// move.c - Kernels that only move elements: slices, joins, cuts, repetitions.
//
// Checks, shapes and the moves themselves come from the CPU kernel of the same
// op (kernel/move.h); move_plan.c chooses what to launch for them.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/move_plan.h"
#include "kernel/types.h"

// ---- Running ----

static bool is_aligned(const void *address, int64_t alignment) {
  return ((uintptr_t)address & (uintptr_t)(alignment - 1)) == 0;
}

// True when all addresses of |move| are aligned. Offsets are.
static bool args_are_aligned(const berth_cuda_move_t *move, void *const *args) {
  if (move->kind != BERTH_CUDA_MOVE_JOIN) {
    return is_aligned(args[move->from_arg], move->alignment) &&
           is_aligned(args[move->to_arg], move->alignment);
  }
  for (int32_t i = 0; i < move->part_count; ++i) {
    if (!is_aligned(args[move->part_args[i]], move->alignment)) return false;
  }
  return is_aligned(args[move->whole_arg], move->alignment);
}

static berth_code_t run_copy(const berth_cuda_move_t *move, void *const *args,
                             berth_call_t *call) {
  return berth_cuda_copy(call, (char *)args[move->to_arg] + move->to_offset,
                         (const char *)args[move->from_arg] + move->from_offset,
                         (size_t)move->count);
}

static berth_code_t run_loops(const berth_cuda_move_t *move, void *const *args,
                              berth_call_t *call) {
  union {
    berth_move_ends_t ends;  // What all of them begin with.
    berth_move_nest_t nest;
    berth_move_wide_t wide;
    berth_move_tiles_t tiles;
  } params;
  memcpy(&params, move->params, move->params_size);
  params.ends.to = (char *)args[move->to_arg] + move->to_offset;
  params.ends.from = (const char *)args[move->from_arg] + move->from_offset;
  if (move->blocks > 0) {
    return berth_cuda_launch_blocks(call, move->kernel, (unsigned)move->blocks,
                                    BERTH_CUDA_BLOCK, &params,
                                    move->params_size);
  }
  return berth_cuda_launch(call, move->kernel, (uint64_t)move->count, &params,
                           move->params_size);
}

static berth_code_t run_join(const berth_cuda_move_t *move, void *const *args,
                             berth_call_t *call) {
  berth_move_join_t params;
  memcpy(&params, move->params, sizeof(params));
  params.whole = (char *)args[move->whole_arg] + move->whole_offset;
  for (int32_t i = 0; i < move->part_count; ++i) {
    params.parts[i] = args[move->part_args[i]];
  }
  return berth_cuda_launch(call, move->kernel, (uint64_t)move->count, &params,
                           sizeof(params));
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  static berth_code_t (*const run[])(const berth_cuda_move_t *, void *const *,
                                     berth_call_t *) = {
      [BERTH_CUDA_MOVE_COPY] = run_copy,
      [BERTH_CUDA_MOVE_LOOPS] = run_loops,
      [BERTH_CUDA_MOVE_JOIN] = run_join,
  };
  const berth_cuda_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_cuda_move_t *move = &moves->items[i];
    if (move->plain != NULL && !args_are_aligned(move, args)) {
      move = move->plain;
    }
    BERTH_TRY(run[move->kind](move, args, call));
  }
  return BERTH_OK;
}

// ---- Preparing ----

berth_code_t berth_cuda_prepare_moves(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_cuda_parts_t parts;
  berth_cuda_parts_init(&parts, prepare->arena);
  prepare->moves = &parts.sink;
  berth_code_t code = berth_cuda_prepare_shapes(prepare, err);
  prepare->moves = NULL;
  if (code != BERTH_OK || prepare->alias >= 0) return code;
  prepare->run = parts.count > 0 ? run_moves : berth_cuda_run_nothing;
  if (parts.count == 0) return BERTH_OK;
  return berth_cuda_moves_plan(prepare, &parts, err);
}

// Every type with elements that are bytes; TensorFlow registers fewer.
#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8)

#define MOVES(name, values)                                                   \
  {                                                                           \
    .op = name, .types = {{"T", TYPES}}, .prepare = berth_cuda_prepare_moves, \
    .value_inputs = values                                                    \
  }

const berth_kernel_t berth_cuda_move_kernels[] = {
    MOVES("BroadcastTo", 2),
    MOVES("Concat", 1),
    MOVES("ConcatV2", BERTH_KERNEL_LAST_INPUT),
    MOVES("MirrorPad", 2),
    MOVES("Pack", 0),
    MOVES("ReverseV2", 2),
    MOVES("Slice", 2 | 4),
    MOVES("Split", 1),
    MOVES("SplitV", 2 | 4),
    MOVES("StridedSlice", 2 | 4 | 8),
    MOVES("Tile", 2),
    MOVES("Transpose", 2),
    MOVES("Unpack", 0),
};
const int berth_cuda_move_kernel_count =
    BERTH_COUNT_OF(berth_cuda_move_kernels);
