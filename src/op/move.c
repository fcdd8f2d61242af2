// move.c - Descriptions of moves.
#include "op/move.h"

void berth_move_steps(berth_dims_t dims, int64_t *steps) {
  int64_t step = 1;
  for (int32_t i = dims.rank - 1; i >= 0; --i) {
    steps[i] = step;
    step *= dims.dims[i];
  }
}

void berth_moves_init(berth_moves_t *moves, berth_dtype_t dtype) {
  *moves = (berth_moves_t){.dtype = dtype, .end = &moves->first};
}

// Drops levels of one index and joins those that are contiguous on both sides.
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

berth_code_t berth_moves_add(berth_case_t *op, berth_moves_t *moves,
                             berth_move_spec_t *spec, int from_arg, int to_arg,
                             berth_error_t *err) {
  if (!spec_collapse(spec)) return BERTH_OK;
  berth_move_t *move = berth_arena_alloc(
      op->arena, sizeof(*move) + (size_t)spec->rank * sizeof(move->levels[0]));
  if (move == NULL) return berth_error_no_memory(err, "a plan");
  *move = (berth_move_t){.from_arg = from_arg,
                         .to_arg = to_arg,
                         .size = (int64_t)berth_dtype_size(moves->dtype),
                         .from_offset = spec->from_offset,
                         .to_offset = spec->to_offset,
                         .level_count = spec->rank};
  for (int32_t i = 0; i < spec->rank; ++i) {
    move->levels[i] = (berth_move_level_t){spec->dims[i], spec->from_steps[i],
                                           spec->to_steps[i]};
  }
  *moves->end = move;
  moves->end = &move->next;
  ++moves->count;
  return BERTH_OK;
}

void berth_moves_join(berth_moves_t *moves, berth_moves_t *rest) {
  if (rest->count == 0) return;
  *moves->end = rest->first;
  moves->end = rest->end;
  moves->count += rest->count;
  *rest = (berth_moves_t){.dtype = rest->dtype};
}

// True when the places that |move| goes to, from |offset| on in steps of one of
// its sides, lie in a tensor of |count| elements.
static bool stays_inside(const berth_move_t *move, bool is_source,
                         int64_t count) {
  int64_t least = is_source ? move->from_offset : move->to_offset;
  int64_t most = least;
  for (int32_t i = 0; i < move->level_count; ++i) {
    const berth_move_level_t *level = &move->levels[i];
    int64_t step = is_source ? level->from_step : level->to_step;
    int64_t way = step * (level->count - 1);
    if (way < 0) least += way;
    if (way > 0) most += way;
  }
  return least >= 0 && most < count;
}

static const char *move_check(const berth_case_t *op,
                              const berth_move_t *move) {
  int output = move->to_arg - op->input_count;
  if (move->from_arg < 0 || move->from_arg >= op->input_count || output < 0 ||
      output >= op->output_count) {
    return "a move is not from an input to an output";
  }
  for (int32_t i = 0; i < move->level_count; ++i) {
    if (move->levels[i].count < 2) return "a level has one index";
  }
  if (!stays_inside(move, true, op->inputs[move->from_arg].count)) {
    return "a move reads outside of its input";
  }
  int64_t count = berth_dims_count(berth_case_output_dims(op, output));
  return stays_inside(move, false, count)
             ? NULL
             : "a move writes outside of its output";
}

const char *berth_moves_check(const berth_case_t *op,
                              const berth_moves_t *moves) {
  int32_t count = 0;
  const char *wrong = NULL;
  for (const berth_move_t *move = moves->first; move != NULL && wrong == NULL;
       move = move->next) {
    wrong = move_check(op, move);
    ++count;
  }
  if (wrong != NULL) return wrong;
  return count == moves->count ? NULL : "moves are miscounted";
}
