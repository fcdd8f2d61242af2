// move_plan.c - Turning a description of a move into a plan.
#include "cpu/isa.h"
#include "cpu/loops/move_loops.h"
#include "cpu/ops/move_internal.h"

// Planes of fewer elements are not worth a tiled kernel.
enum { SMALL_PLANE = 64 };

void berth_move_steps(berth_dims_t dims, int64_t *steps) {
  int64_t step = 1;
  for (int32_t i = dims.rank - 1; i >= 0; --i) {
    steps[i] = step;
    step *= dims.dims[i];
  }
}

// Drops levels of one and joins levels that are contiguous in both layouts.
// False when there is nothing to move.
static bool spec_collapse(berth_move_spec_t *spec) {
  int32_t kept = 0;
  for (int32_t i = 0; i < spec->rank; ++i) {
    int64_t count = spec->dims[i];
    if (count == 0) return false;
    if (count == 1) continue;
    int64_t from_step = spec->from_steps[i], to_step = spec->to_steps[i];
    bool joins = kept > 0 && spec->from_steps[kept - 1] == from_step * count &&
                 spec->to_steps[kept - 1] == to_step * count;
    if (joins) {
      --kept;
      count *= spec->dims[kept];
    }
    spec->dims[kept] = count;
    spec->from_steps[kept] = from_step;
    spec->to_steps[kept] = to_step;
    ++kept;
  }
  spec->rank = kept;
  return true;
}

static berth_move_level_t spec_level(const berth_move_spec_t *spec, int32_t i,
                                     int64_t size) {
  return (berth_move_level_t){spec->dims[i], spec->from_steps[i] * size,
                              spec->to_steps[i] * size};
}

// Takes level |i| out of |spec|.
static berth_move_level_t spec_take(berth_move_spec_t *spec, int32_t i,
                                    int64_t size) {
  berth_move_level_t level = spec_level(spec, i, size);
  --spec->rank;
  for (; i < spec->rank; ++i) {
    spec->dims[i] = spec->dims[i + 1];
    spec->from_steps[i] = spec->from_steps[i + 1];
    spec->to_steps[i] = spec->to_steps[i + 1];
  }
  return level;
}

// Chooses the tiled kernel when the innermost level is contiguous in the target
// and another one in the source.
static void choose_tiles(berth_move_t *move, berth_move_spec_t *spec,
                         int64_t size) {
  int class = berth_move_size_class(move->unit);
  if (class < 0 || move->inner.to_step != move->unit ||
      move->inner.from_step == 0 || !berth_dtype_is_plain(move->dtype)) {
    return;
  }
  for (int32_t i = 0; i < spec->rank; ++i) {
    if (spec->from_steps[i] * size != move->unit ||
        spec->dims[i] * move->inner.count < SMALL_PLANE) {
      continue;
    }
    move->across = spec_take(spec, i, size);
    move->tiles = BERTH_ISA_PICK(berth_cpu_move_loops)->transpose[class];
    return;
  }
}

// Turns the collapsed |spec| into |move|: unit, innermost level, outer levels.
static berth_code_t move_init(berth_move_t *move, berth_move_spec_t *spec,
                              berth_arena_t *arena, bool is_large,
                              berth_error_t *err) {
  int64_t size = (int64_t)berth_dtype_size(move->dtype);
  move->unit = size;
  move->inner = (berth_move_level_t){1, 0, 0};
  int32_t last = spec->rank - 1;
  if (last >= 0 && spec->from_steps[last] == 1 && spec->to_steps[last] == 1) {
    move->unit = spec_take(spec, last--, size).count * size;
  }
  if (last >= 0) {
    move->inner = spec_take(spec, last, size);
    choose_tiles(move, spec, size);
  }
  berth_move_level_t *levels = berth_arena_calloc(arena, (size_t)spec->rank + 1,
                                                  sizeof(berth_move_level_t));
  if (levels == NULL) return berth_error_no_memory(err, "a plan");
  move->rows = 1;
  for (int32_t i = 0; i < spec->rank; ++i) {
    levels[i] = spec_level(spec, i, size);
    move->rows *= levels[i].count;
  }
  move->levels = levels;
  move->level_count = spec->rank;
  bool can_stream = move->tiles != NULL ||
                    move->unit >= BERTH_MOVE_STREAM_UNIT ||
                    (spec->rank == 0 && berth_move_repeats(move));
  move->streams = is_large && can_stream && berth_dtype_is_plain(move->dtype);
  move->row = berth_move_choose_row(move);
  berth_move_choose_piece(move);
  return BERTH_OK;
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_move_t *move = &moves->parts[i];
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
  const berth_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_move_t *move = &moves->parts[i];
    memcpy((char *)args[move->to_arg] + move->to_offset,
           (const char *)args[move->from_arg] + move->from_offset,
           (size_t)move->unit);
  }
  return BERTH_OK;
}

berth_moves_t *berth_moves_begin(berth_prepare_t *prepare, int count) {
  prepare->run = run_moves;
  return berth_prepare_plan(
      prepare, sizeof(berth_moves_t) + (size_t)count * sizeof(berth_move_t));
}

berth_code_t berth_moves_add(berth_prepare_t *prepare, berth_moves_t *moves,
                             berth_move_spec_t *spec, berth_dtype_t dtype,
                             int from_arg, int to_arg, int64_t total_bytes,
                             berth_error_t *err) {
  // A part without elements needs no place in the plan: its arguments may be
  // NULL.
  if (!spec_collapse(spec)) return BERTH_OK;
  if (prepare->moves != NULL) {
    return prepare->moves->add(prepare->moves, spec, dtype, from_arg, to_arg,
                               err);
  }
  int64_t size = (int64_t)berth_dtype_size(dtype);
  berth_move_t *move = &moves->parts[moves->count++];
  *move = (berth_move_t){.from_arg = from_arg,
                         .to_arg = to_arg,
                         .from_offset = spec->from_offset * size,
                         .to_offset = spec->to_offset * size,
                         .dtype = dtype};
  return move_init(move, spec, prepare->arena,
                   total_bytes > berth_cpu_cache_size() / 2, err);
}

void berth_moves_end(berth_prepare_t *prepare, berth_moves_t *moves) {
  bool are_blocks = true;
  int64_t bytes = 0;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_move_t *move = &moves->parts[i];
    int64_t across = move->tiles != NULL ? move->across.count : 1;
    int64_t units = move->rows * move->inner.count * across;
    bytes += units * move->unit;
    are_blocks = are_blocks && units == 1 && move->unit <= 4096 &&
                 berth_dtype_is_plain(move->dtype);
  }
  prepare->work = bytes / BERTH_MOVE_BYTES_PER_NS;
  if (are_blocks) prepare->run = run_blocks;
}

berth_code_t berth_moves_single(berth_prepare_t *prepare,
                                berth_move_spec_t *spec, int from,
                                berth_error_t *err) {
  berth_moves_t *moves = berth_moves_begin(prepare, 1);
  if (moves == NULL) return berth_error_no_memory(err, "a plan");
  berth_dtype_t dtype = prepare->inputs[from].dtype;
  int64_t count = berth_dims_count(berth_shape_dims(&prepare->outputs[0]));
  BERTH_TRY(berth_moves_add(prepare, moves, spec, dtype, from,
                            prepare->input_count,
                            count * (int64_t)berth_dtype_size(dtype), err));
  berth_moves_end(prepare, moves);
  return BERTH_OK;
}

berth_code_t berth_moves_none(berth_prepare_t *prepare, berth_error_t *err) {
  berth_moves_t *moves = berth_moves_begin(prepare, 0);
  return moves != NULL ? BERTH_OK : berth_error_no_memory(err, "a plan");
}
