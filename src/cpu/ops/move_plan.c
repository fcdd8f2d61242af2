// move_plan.c - Turning a description of a move into a plan.
#include "base/assert.h"
#include "cpu/isa.h"
#include "cpu/loops/move_loops.h"
#include "cpu/loops/stream.h"
#include "cpu/ops/move_internal.h"

// Planes of fewer elements are not worth a tiled kernel.
enum { SMALL_PLANE = 64 };

// Takes level |i| out of |move|'s.
static berth_cpu_move_level_t take_level(berth_cpu_move_t *move,
                                         berth_cpu_move_level_t *levels,
                                         int32_t i) {
  berth_cpu_move_level_t level = levels[i];
  --move->level_count;
  for (; i < move->level_count; ++i) levels[i] = levels[i + 1];
  return level;
}

// Chooses the tiled kernel when the innermost level is contiguous in the target
// and another one in the source.
static void choose_tiles(berth_cpu_move_t *move,
                         berth_cpu_move_level_t *levels) {
  int class = berth_move_size_class(move->unit);
  if (class < 0 || move->inner.to_step != move->unit ||
      move->inner.from_step == 0 || !berth_dtype_is_plain(move->dtype)) {
    return;
  }
  for (int32_t i = 0; i < move->level_count; ++i) {
    if (levels[i].from_step != move->unit ||
        levels[i].count * move->inner.count < SMALL_PLANE) {
      continue;
    }
    move->across = take_level(move, levels, i);
    move->tiles = BERTH_ISA_PICK(berth_cpu_move_loops)->transpose[class];
    return;
  }
}

// Turns |from| into |move|: unit, innermost level, outer levels.
static berth_code_t move_init(berth_cpu_move_t *move, const berth_move_t *from,
                              berth_dtype_t dtype, berth_arena_t *arena,
                              bool is_large, berth_error_t *err) {
  int64_t size = (int64_t)berth_dtype_size(dtype);
  *move = (berth_cpu_move_t){.from_arg = from->from_arg,
                             .to_arg = from->to_arg,
                             .from_offset = from->from_offset * size,
                             .to_offset = from->to_offset * size,
                             .unit = size,
                             .rows = 1,
                             .dtype = dtype,
                             .level_count = from->level_count,
                             .inner = {1, 0, 0}};
  berth_cpu_move_level_t *levels =
      berth_arena_calloc(arena, (size_t)from->level_count + 1, sizeof(*levels));
  if (levels == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < from->level_count; ++i) {
    const berth_move_level_t *level = &from->levels[i];
    levels[i] = (berth_cpu_move_level_t){level->count, level->from_step * size,
                                         level->to_step * size};
  }
  int32_t last = from->level_count - 1;
  if (last >= 0 && levels[last].from_step == size &&
      levels[last].to_step == size) {
    move->unit = take_level(move, levels, last--).count * size;
  }
  if (last >= 0) {
    move->inner = take_level(move, levels, last);
    choose_tiles(move, levels);
  }
  for (int32_t i = 0; i < move->level_count; ++i) {
    move->rows *= levels[i].count;
  }
  move->levels = levels;
  bool can_stream = move->tiles != NULL ||
                    move->unit >= BERTH_MOVE_STREAM_UNIT ||
                    (berth_move_repeats(move) &&
                     (move->level_count == 0 ||
                      move->inner.count * move->unit >= BERTH_STREAM_PIECE));
  move->streams = is_large && can_stream && berth_dtype_is_plain(dtype);
  berth_move_choose_row(move);
  berth_move_choose_piece(move);
  return BERTH_OK;
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_cpu_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_cpu_move_t *move = &moves->parts[i];
    // The last part may have been cut short.
    if (call->cancelled != NULL && atomic_load(call->cancelled) != 0) break;
    if (!berth_move_run(move, args[move->from_arg], args[move->to_arg])) {
      return berth_error_no_memory(call->err, "the elements of a tensor");
    }
  }
  return BERTH_OK;
}

// Parts that are one short block each, as most of those in a small graph.
static berth_code_t run_blocks(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const berth_cpu_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_cpu_move_t *move = &moves->parts[i];
    memcpy((char *)args[move->to_arg] + move->to_offset,
           (const char *)args[move->from_arg] + move->from_offset,
           (size_t)move->unit);
  }
  return BERTH_OK;
}

// Chooses the fastest function for |moves|, and says how long it will take.
static void choose_run(berth_prepare_t *prepare,
                       const berth_cpu_moves_t *moves) {
  bool are_blocks = true;
  int64_t bytes = 0;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_cpu_move_t *move = &moves->parts[i];
    int64_t across = move->tiles != NULL ? move->across.count : 1;
    int64_t units = move->rows * move->inner.count * across;
    bytes += units * move->unit;
    are_blocks = are_blocks && units == 1 && move->unit <= 4096 &&
                 berth_dtype_is_plain(move->dtype);
  }
  prepare->work = bytes / BERTH_MOVE_BYTES_PER_NS;
  prepare->run = are_blocks ? run_blocks : run_moves;
}

// Returns how many bytes all outputs have.
static int64_t output_bytes(const berth_case_t *op, berth_dtype_t dtype) {
  int64_t count = 0;
  for (int i = 0; i < op->output_count; ++i) {
    count += berth_dims_count(berth_case_output_dims(op, i));
  }
  return count * (int64_t)berth_dtype_size(dtype);
}

berth_code_t berth_cpu_moves_plan(berth_prepare_t *prepare,
                                  const berth_moves_t *moves,
                                  berth_error_t *err) {
  BERTH_ASSERT(berth_moves_check(&prepare->op, moves) == NULL);
  prepare->run = berth_run_nothing;
  if (prepare->op.alias >= 0 || moves->count == 0) return BERTH_OK;
  berth_cpu_moves_t *plan = berth_prepare_plan(
      prepare, sizeof(*plan) + (size_t)moves->count * sizeof(plan->parts[0]));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  // Large outputs are written past the caches.
  bool is_large =
      output_bytes(&prepare->op, moves->dtype) > berth_cpu_cache_size() / 2;
  for (const berth_move_t *move = moves->first; move != NULL;
       move = move->next) {
    BERTH_TRY(move_init(&plan->parts[plan->count++], move, moves->dtype,
                        prepare->op.arena, is_large, err));
  }
  choose_run(prepare, plan);
  return BERTH_OK;
}
