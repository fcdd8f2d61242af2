// move.c - Kernels that only move elements: slices, joins, cuts, repetitions.
//
// What is moved is said by op/array.h; move_plan.c chooses what to launch.
#include "base/assert.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/elementwise_params.h"
#include "cuda/ops/move_plan.h"
#include "op/array.h"
#include "op/types.h"

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

berth_code_t berth_cuda_moves_run(const berth_cuda_moves_t *moves,
                                  void *const *args, berth_call_t *call) {
  static berth_code_t (*const run[])(const berth_cuda_move_t *, void *const *,
                                     berth_call_t *) = {
      [BERTH_CUDA_MOVE_COPY] = run_copy,
      [BERTH_CUDA_MOVE_LOOPS] = run_loops,
      [BERTH_CUDA_MOVE_JOIN] = run_join,
  };
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_cuda_move_t *move = &moves->items[i];
    if (move->plain != NULL && !args_are_aligned(move, args)) {
      move = move->plain;
    }
    BERTH_TRY(run[move->kind](move, args, call));
  }
  return BERTH_OK;
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  return berth_cuda_moves_run(plan, args, call);
}

// ---- Preparing ----

berth_code_t berth_cuda_moves_prepare(berth_prepare_t *prepare,
                                      const berth_moves_t *moves,
                                      berth_error_t *err) {
  BERTH_ASSERT(berth_moves_check(&prepare->op, moves) == NULL);
  prepare->run = berth_run_nothing;
  if (prepare->op.alias >= 0 || moves->count == 0) return BERTH_OK;
  prepare->run = run_moves;
  berth_chain_term_views(prepare, moves);
  return berth_cuda_moves_plan(prepare, moves, err);
}

// Defines prepare_<name>(), which plans the moves of berth_op_<name>().
#define MOVES(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    berth_moves_t moves;                                       \
    BERTH_TRY(berth_op_##name(&prepare->op, &moves, err));     \
    return berth_cuda_moves_prepare(prepare, &moves, err);     \
  }

MOVES(broadcast_to)
MOVES(concat)
MOVES(concat_v2)
MOVES(depth_to_space)
MOVES(diag_part)
MOVES(mirror_pad)
MOVES(pack)
MOVES(reverse)
MOVES(reverse_sequence)
MOVES(roll)
MOVES(slice)
MOVES(space_to_depth)
MOVES(split)
MOVES(split_v)
MOVES(strided_slice)
MOVES(strided_slice_update)
MOVES(tile)
MOVES(transpose)
MOVES(unpack)

// ---- ConjugateTranspose: a transpose, then conjugated where it lies ----

typedef struct conjugate_plan {
  berth_run_fn run;  // Of the transpose; NULL: elements stay in their order.
  const void *plan;
  int kernel;
  uint64_t count;
} conjugate_plan_t;

static berth_code_t run_conjugate(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const conjugate_plan_t *plan = arg;
  if (plan->run != NULL) BERTH_TRY(plan->run(plan->plan, args, call));
  berth_unary_params_t params = {.out = args[2],
                                 .in = args[plan->run != NULL ? 2 : 0],
                                 .count = plan->count,
                                 .granule = 1};
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_conjugate(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(prepare_transpose(prepare, err));
  bool is_alias = prepare->op.alias >= 0;
  conjugate_plan_t made = {.run = is_alias ? NULL : prepare->run,
                           .plan = prepare->plan,
                           .kernel = berth_cuda_kernel_of(
                               "special", "berth_unary_conj", input->dtype),
                           .count = (uint64_t)input->count};
  conjugate_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL || made.kernel < 0) {
    return berth_error_no_memory(err, "a plan");
  }
  *plan = made;
  prepare->op.alias = -1;
  prepare->run = input->count > 0 ? run_conjugate : berth_run_nothing;
  return BERTH_OK;
}

// Every type with elements that are bytes; TensorFlow registers fewer.
#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8)
#define KERNEL(name, function) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_move_kernels[] = {
    KERNEL("BroadcastTo", broadcast_to),
    KERNEL("Concat", concat),
    KERNEL("ConcatV2", concat_v2),
    {.op = "ConjugateTranspose",
     .types = {{"T", BERTH_TYPES_COMPLEX}},
     .prepare = prepare_conjugate},
    KERNEL("ConjugateTranspose", transpose),
    KERNEL("DepthToSpace", depth_to_space),
    KERNEL("DiagPart", diag_part),
    KERNEL("MirrorPad", mirror_pad),
    KERNEL("Pack", pack),
    KERNEL("Reverse", reverse),
    KERNEL("ReverseSequence", reverse_sequence),
    KERNEL("ReverseV2", reverse),
    KERNEL("Roll", roll),
    KERNEL("Slice", slice),
    {.op = "SpaceToDepth",
     .types = {{"T", TYPES | BERTH_TYPE(QINT8)}},
     .prepare = prepare_space_to_depth},
    KERNEL("Split", split),
    KERNEL("SplitV", split_v),
    KERNEL("StridedSlice", strided_slice),
    KERNEL("TensorStridedSliceUpdate", strided_slice_update),
    KERNEL("Tile", tile),
    KERNEL("Transpose", transpose),
    KERNEL("Unpack", unpack),
    {.op = NULL},
};
