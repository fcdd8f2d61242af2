// move_join.c - Moves that lie side by side in one tensor, as one launch.
//
//   whole   [ a a a b b c c c c ]      parts  a, b, c
//           [ a a a b b c c c c ]      a window: the columns of one part
#include "cuda/ops/move_plan_internal.h"

// A move as rows of a larger tensor: |rows| times |own| elements, |step| apart
// in the whole and one behind the other in the part.
typedef struct window {
  int64_t rows, own;
  int64_t step;  // 0: there is one row.
  int64_t offset;
  int32_t whole_arg, part_arg;
} window_t;

// Several of them, which follow each other in each row of the whole.
typedef struct windows {
  bool is_cut;  // The whole is the source.
  int64_t size;
  int32_t count;
  window_t *items;
} windows_t;

// Sees |part| as a window; false when it is none.
static bool window_init(window_t *window, const berth_move_t *part,
                        bool is_cut) {
  int32_t levels = part->level_count;
  if (levels > 2 || (is_cut ? part->to_offset : part->from_offset) != 0) {
    return false;
  }
  *window = (window_t){.rows = 1,
                       .own = 1,
                       .offset = is_cut ? part->from_offset : part->to_offset,
                       .whole_arg = is_cut ? part->from_arg : part->to_arg,
                       .part_arg = is_cut ? part->to_arg : part->from_arg};
  if (levels > 0 && berth_cuda_loop_is_block(&part->levels[levels - 1])) {
    window->own = part->levels[--levels].count;
  }
  if (levels == 0) return true;
  const berth_move_level_t *outer = &part->levels[0];
  window->rows = outer->count;
  window->step = is_cut ? outer->from_step : outer->to_step;
  return levels == 1 &&
         (is_cut ? outer->to_step : outer->from_step) == window->own;
}

// Sees all parts as windows that follow each other; false when they are not, or
// too large.
static bool windows_init(windows_t *windows, const berth_moves_t *parts) {
  const berth_move_t *part = parts->first;
  windows->is_cut = part->to_arg != part->next->to_arg;
  windows->size = part->size;
  windows->count = parts->count;
  int64_t all = 0;
  for (int32_t i = 0; i < parts->count; ++i, part = part->next) {
    window_t *window = &windows->items[i], *first = &windows->items[0];
    if (!window_init(window, part, windows->is_cut)) return false;
    bool follows = window->offset == first->offset + all &&
                   window->rows == first->rows && window->step == first->step &&
                   window->whole_arg == first->whole_arg;
    if (!follows) return false;
    all += window->own;
  }
  return all * windows->items[0].rows < (int64_t)BERTH_DIVIDE_LIMIT;
}

// Returns the widest unit for the windows [begin, end).
static int64_t windows_unit(const windows_t *windows, int32_t begin,
                            int32_t end) {
  int64_t bits = windows->items[begin].step;
  for (int32_t i = begin; i < end; ++i) {
    bits |= windows->items[i].own | windows->items[i].offset;
  }
  return berth_cuda_widest_unit(bits * windows->size);
}

// Plans the windows [begin, end) in units of |unit| bytes.
static berth_code_t plan_join(berth_cuda_move_t *move, const windows_t *windows,
                              int32_t begin, int32_t end, int64_t unit,
                              berth_arena_t *arena, berth_error_t *err) {
  const window_t *first = &windows->items[begin];
  int32_t count = end - begin;
  int32_t *args = berth_arena_calloc(arena, (size_t)count, sizeof(*args));
  if (args == NULL) return berth_error_no_memory(err, "a plan");
  int64_t ratio = unit / windows->size, row = 0;
  berth_move_join_t join = {.step = first->step / ratio, .part_count = count};
  for (int32_t i = 0; i < count; ++i) {
    args[i] = first[i].part_arg;
    row += first[i].own / ratio;
    join.begins[i + 1] = (uint32_t)row;
  }
  join.row = berth_divider((uint64_t)row);
  join.count = (uint32_t)(row * first->rows);
  *move = (berth_cuda_move_t){.kind = BERTH_CUDA_MOVE_JOIN,
                              .unit = unit,
                              .alignment = unit,
                              .count = row * first->rows,
                              .whole_arg = first->whole_arg,
                              .whole_offset = first->offset * windows->size,
                              .part_count = count,
                              .part_args = args};
  return berth_cuda_move_set(move, arena,
                             windows->is_cut ? BERTH_CUDA_CUT : BERTH_CUDA_JOIN,
                             &join, sizeof(join), err);
}

// Plans the windows [begin, end), and once more in units of one element.
static berth_code_t plan_both(berth_cuda_move_t *move, const windows_t *windows,
                              int32_t begin, int32_t end, berth_arena_t *arena,
                              berth_error_t *err) {
  int64_t unit = windows_unit(windows, begin, end);
  BERTH_TRY(plan_join(move, windows, begin, end, unit, arena, err));
  if (unit == windows->size) return BERTH_OK;
  berth_cuda_move_t *plain = berth_cuda_move_add_plain(move, arena);
  if (plain == NULL) return berth_error_no_memory(err, "a plan");
  return plan_join(plain, windows, begin, end, windows->size, arena, err);
}

berth_code_t berth_cuda_moves_join(berth_arena_t *arena,
                                   const berth_moves_t *parts,
                                   berth_cuda_moves_t *moves,
                                   bool *out_are_joined, berth_error_t *err) {
  *out_are_joined = false;
  if (parts->count < 2) return BERTH_OK;
  windows_t windows = {.items = berth_arena_calloc(arena, (size_t)parts->count,
                                                   sizeof(window_t))};
  if (windows.items == NULL) return berth_error_no_memory(err, "a plan");
  if (!windows_init(&windows, parts)) return BERTH_OK;
  for (int32_t begin = 0; begin < windows.count; begin += BERTH_MOVE_JOINED) {
    int32_t end = begin + BERTH_MOVE_JOINED;
    if (end > windows.count) end = windows.count;
    BERTH_TRY(plan_both(&moves->items[moves->count++], &windows, begin, end,
                        arena, err));
  }
  *out_are_joined = true;
  return BERTH_OK;
}
