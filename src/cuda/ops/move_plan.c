// move_plan.c - Choosing kernels for moves.
#include "cuda/code/launch.h"
#include "cuda/ops/move_plan_internal.h"

enum {
  MAX_UNIT = 16,
  WORD = 4,  // Of packed tiles.
  // Planes with fewer rows or columns leave most of a tile empty; their
  // neighbours are few enough to meet in the cache.
  SMALL_SIDE = 8,
  // Blocks of tiles that a multiprocessor holds at once.
  TILE_BLOCKS = 8,
};

// ---- Units ----

#define NAMES(what)                                         \
  {                                                         \
    "berth_move_" what "_x1", "berth_move_" what "_x2",     \
        "berth_move_" what "_x4", "berth_move_" what "_x8", \
        "berth_move_" what "_x16"                           \
  }
static const char *const kernel_names[][5] = {
    [BERTH_CUDA_NEST] = NAMES("nest"),
    [BERTH_CUDA_WIDE] = NAMES("wide"),
    [BERTH_CUDA_TILES] = NAMES("tiles"),
    [BERTH_CUDA_JOIN] = NAMES("join"),
    [BERTH_CUDA_CUT] = NAMES("cut"),
    [BERTH_CUDA_PACKED] = {"berth_move_packed_x1", "berth_move_packed_x2"},
    [BERTH_CUDA_SPLAT] = NAMES("splat"),
};

berth_code_t berth_cuda_move_set(berth_cuda_move_t *move, berth_arena_t *arena,
                                 berth_cuda_move_shape_t shape,
                                 const void *params, size_t size,
                                 berth_error_t *err) {
  int class = __builtin_ctzll((unsigned long long)move->unit);
  move->kernel = berth_cuda_kernel("move", kernel_names[shape][class]);
  move->params = berth_arena_memdup(arena, params, size);
  move->params_size = size;
  return move->kernel >= 0 && move->params != NULL
             ? BERTH_OK
             : berth_error_no_memory(err, "a plan");
}

berth_cuda_move_t *berth_cuda_move_add_plain(berth_cuda_move_t *move,
                                             berth_arena_t *arena) {
  berth_cuda_move_t *plain = berth_arena_calloc(arena, 1, sizeof(*plain));
  move->plain = plain;
  return plain;
}

int64_t berth_cuda_widest_unit(int64_t bits) {
  int64_t low = bits & -bits;
  return low == 0 || low > MAX_UNIT ? MAX_UNIT : low;
}

static int64_t part_unit(const berth_move_t *part) {
  int32_t last = part->level_count - 1;
  if (last < 0 || !berth_cuda_loop_is_block(&part->levels[last]))
    return part->size;
  int64_t bits = part->levels[last].count | part->from_offset | part->to_offset;
  for (int32_t i = 0; i < last; ++i) {
    bits |= part->levels[i].from_step | part->levels[i].to_step;
  }
  return berth_cuda_widest_unit(bits * part->size);
}

// ---- One move ----

// Its loops in units, the innermost first, none of them of one.
typedef struct nest {
  int64_t unit;
  int64_t from_offset, to_offset;
  int64_t count;
  int32_t levels;
  berth_move_level_t loops[BERTH_MOVE_WIDE_LEVELS];
} nest_t;

static void nest_init(nest_t *nest, const berth_move_t *part, int64_t unit) {
  int64_t ratio = unit / part->size;
  nest->unit = unit;
  nest->from_offset = part->from_offset / ratio;
  nest->to_offset = part->to_offset / ratio;
  nest->levels = 0;
  nest->count = 1;
  for (int32_t i = part->level_count - 1; i >= 0; --i) {
    berth_move_level_t loop = part->levels[i];
    if (i == part->level_count - 1 && berth_cuda_loop_is_block(&loop)) {
      loop.count /= ratio;
    } else {
      loop.from_step /= ratio;
      loop.to_step /= ratio;
    }
    if (loop.count > 1) nest->loops[nest->levels++] = loop;
    nest->count *= loop.count;
  }
}

static int64_t distance(int64_t step, int64_t count) {
  return (step < 0 ? -step : step) * (count - 1);
}

// True when 32 bits number its units and reach all places.
static bool nest_is_narrow(const nest_t *nest) {
  int64_t from = 0, to = 0;
  for (int32_t i = 0; i < nest->levels; ++i) {
    const berth_move_level_t *loop = &nest->loops[i];
    from += distance(loop->from_step, loop->count);
    to += distance(loop->to_step, loop->count);
  }
  int64_t limit = (int64_t)BERTH_DIVIDE_LIMIT;
  return nest->levels <= BERTH_MOVE_NEST_LEVELS && nest->count < limit &&
         from < limit && to < limit;
}

// Returns the loop that is contiguous in the source while the innermost is in
// the target, both long enough for tiles; 0: there is none.
static int32_t nest_find_across(const nest_t *nest) {
  const berth_move_level_t *inner = &nest->loops[0];
  if (inner->to_step != 1 || inner->from_step == 0 ||
      inner->count < SMALL_SIDE || nest->levels - 2 > BERTH_MOVE_TILE_LEVELS) {
    return 0;
  }
  for (int32_t i = 1; i < nest->levels; ++i) {
    const berth_move_level_t *loop = &nest->loops[i];
    if (loop->from_step == 1 && loop->count >= SMALL_SIDE) return i;
  }
  return 0;
}

// Returns how many units of a plane over the innermost loop and |across| make a
// word of four bytes, if all words of both sides are aligned then; else 1.
static int64_t nest_pack(const nest_t *nest, int32_t across) {
  int64_t pack = WORD / nest->unit;
  int64_t bits = nest->from_offset | nest->to_offset | nest->loops[0].count |
                 nest->loops[0].from_step | nest->loops[across].count |
                 nest->loops[across].to_step;
  for (int32_t i = 1; i < nest->levels; ++i) {
    if (i == across) continue;
    bits |= nest->loops[i].from_step | nest->loops[i].to_step;
  }
  return pack > 1 && (bits & (pack - 1)) == 0 ? pack : 1;
}

static berth_divider_t tiles_along(int64_t count, int64_t pack) {
  int64_t side = BERTH_MOVE_TILE * pack;
  return berth_divider((uint64_t)((count + side - 1) / side));
}

// Plans tiles over the innermost loop and |across|, of which there are few
// enough, in words of |pack| units.
static berth_code_t plan_tiles(berth_cuda_move_t *move, const nest_t *nest,
                               int32_t across, int64_t pack,
                               berth_prepare_t *prepare, berth_error_t *err) {
  const berth_move_level_t *inner = &nest->loops[0];
  const berth_move_level_t *rows = &nest->loops[across];
  berth_move_tiles_t tiles = {.rows = rows->count,
                              .cols = inner->count,
                              .from_step = inner->from_step,
                              .to_step = rows->to_step,
                              .tile_rows = tiles_along(rows->count, pack),
                              .tile_cols = tiles_along(inner->count, pack)};
  tiles.count = tiles.tile_rows.divisor * tiles.tile_cols.divisor;
  for (int32_t i = 1; i < nest->levels; ++i) {
    if (i == across) continue;
    const berth_move_level_t *loop = &nest->loops[i];
    tiles.loops[tiles.levels].count = berth_divider((uint64_t)loop->count);
    tiles.loops[tiles.levels].from_step = loop->from_step;
    tiles.loops[tiles.levels++].to_step = loop->to_step;
    tiles.count *= (uint32_t)loop->count;
  }
  int64_t most =
      (int64_t)TILE_BLOCKS * berth_cuda_multiprocessors(prepare->device);
  move->count = tiles.count;
  move->blocks = (int32_t)(move->count < most ? move->count : most);
  move->alignment = move->unit * pack;
  return berth_cuda_move_set(move, prepare->op.arena,
                             pack > 1 ? BERTH_CUDA_PACKED : BERTH_CUDA_TILES,
                             &tiles, sizeof(tiles), err);
}

// Returns how many of its units make one of MAX_UNIT bytes, if the innermost
// loop repeats one element and whole such units are written; else 1.
static int64_t nest_splat(const nest_t *nest) {
  const berth_move_level_t *inner = &nest->loops[0];
  int64_t ratio = MAX_UNIT / nest->unit;
  int64_t bits = inner->count | nest->to_offset;
  for (int32_t i = 1; i < nest->levels; ++i) bits |= nest->loops[i].to_step;
  bool fits =
      inner->from_step == 0 && inner->to_step == 1 && (bits & (ratio - 1)) == 0;
  return fits ? ratio : 1;
}

// Makes |ratio| units of the target one.
static void nest_widen_target(nest_t *nest, int64_t ratio) {
  nest->loops[0].count /= ratio;
  nest->count /= ratio;
  for (int32_t i = 1; i < nest->levels; ++i) nest->loops[i].to_step /= ratio;
}

static berth_code_t plan_narrow(berth_cuda_move_t *move, const nest_t *nest,
                                berth_cuda_move_shape_t shape,
                                berth_arena_t *arena, berth_error_t *err) {
  berth_move_nest_t params = {.count = (uint32_t)nest->count,
                              .levels = nest->levels};
  for (int32_t i = 0; i < nest->levels; ++i) {
    const berth_move_level_t *loop = &nest->loops[i];
    params.loops[i] =
        (berth_move_loop_t){berth_divider((uint64_t)loop->count),
                            (int32_t)loop->from_step, (int32_t)loop->to_step};
  }
  move->count = nest->count;
  return berth_cuda_move_set(move, arena, shape, &params, sizeof(params), err);
}

static berth_code_t plan_wide(berth_cuda_move_t *move, const nest_t *nest,
                              berth_arena_t *arena, berth_error_t *err) {
  berth_move_wide_t params = {.count = (uint64_t)nest->count,
                              .levels = nest->levels};
  for (int32_t i = 0; i < nest->levels; ++i) {
    const berth_move_level_t *loop = &nest->loops[i];
    params.loops[i] =
        (berth_move_wide_loop_t){loop->count, loop->from_step, loop->to_step};
  }
  move->count = nest->count;
  return berth_cuda_move_set(move, arena, BERTH_CUDA_WIDE, &params,
                             sizeof(params), err);
}

// Chooses the kernel for |nest|. Where |is_plain| addresses are aligned to its
// unit alone.
static berth_code_t plan_nest(berth_cuda_move_t *move, nest_t *nest,
                              bool is_plain, berth_prepare_t *prepare,
                              berth_error_t *err) {
  bool is_narrow = nest_is_narrow(nest);
  int32_t across = nest_find_across(nest);
  // Each side of a plane is one tile at least, of no fewer than SMALL_SIDE.
  if (across > 0 &&
      nest->count / SMALL_SIDE / SMALL_SIDE < (int64_t)BERTH_DIVIDE_LIMIT) {
    int64_t pack = is_plain ? 1 : nest_pack(nest, across);
    return plan_tiles(move, nest, across, pack, prepare, err);
  }
  int64_t splat = is_plain || !is_narrow ? 1 : nest_splat(nest);
  if (splat > 1) {
    nest_widen_target(nest, splat);
    move->alignment = MAX_UNIT;
    return plan_narrow(move, nest, BERTH_CUDA_SPLAT, prepare->op.arena, err);
  }
  if (is_narrow) {
    return plan_narrow(move, nest, BERTH_CUDA_NEST, prepare->op.arena, err);
  }
  return plan_wide(move, nest, prepare->op.arena, err);
}

// Plans |part|, which is not one block, in units of |unit| bytes.
static berth_code_t plan_units(berth_cuda_move_t *move,
                               const berth_move_t *part, int64_t unit,
                               bool is_plain, berth_prepare_t *prepare,
                               berth_error_t *err) {
  nest_t nest;
  nest_init(&nest, part, unit);
  *move = (berth_cuda_move_t){.kind = BERTH_CUDA_MOVE_LOOPS,
                              .unit = unit,
                              .alignment = unit,
                              .from_arg = part->from_arg,
                              .to_arg = part->to_arg,
                              .from_offset = part->from_offset * part->size,
                              .to_offset = part->to_offset * part->size};
  return plan_nest(move, &nest, is_plain, prepare, err);
}

static void plan_copy(berth_cuda_move_t *move, const berth_move_t *part) {
  int64_t count = part->level_count == 0 ? 1 : part->levels[0].count;
  *move = (berth_cuda_move_t){.kind = BERTH_CUDA_MOVE_COPY,
                              .unit = 1,
                              .alignment = 1,
                              .count = count * part->size,
                              .from_arg = part->from_arg,
                              .to_arg = part->to_arg,
                              .from_offset = part->from_offset * part->size,
                              .to_offset = part->to_offset * part->size};
}

static berth_code_t plan_part(berth_cuda_move_t *move, const berth_move_t *part,
                              berth_prepare_t *prepare, berth_error_t *err) {
  if (part->level_count == 0 ||
      (part->level_count == 1 && berth_cuda_loop_is_block(&part->levels[0]))) {
    plan_copy(move, part);
    return BERTH_OK;
  }
  BERTH_TRY(plan_units(move, part, part_unit(part), false, prepare, err));
  if (move->alignment == part->size) return BERTH_OK;
  berth_cuda_move_t *plain = berth_cuda_move_add_plain(move, prepare->op.arena);
  if (plain == NULL) return berth_error_no_memory(err, "a plan");
  return plan_units(plain, part, part->size, true, prepare, err);
}

// ---- All of them ----

berth_code_t berth_cuda_moves_plan(berth_prepare_t *prepare,
                                   const berth_moves_t *parts,
                                   berth_error_t *err) {
  size_t count = (size_t)parts->count;
  berth_cuda_moves_t *moves = berth_prepare_plan(
      prepare, sizeof(*moves) + count * sizeof(moves->items[0]));
  if (moves == NULL) return berth_error_no_memory(err, "a plan");
  bool are_joined = false;
  BERTH_TRY(
      berth_cuda_moves_join(prepare->op.arena, parts, moves, &are_joined, err));
  if (are_joined) return BERTH_OK;
  for (const berth_move_t *part = parts->first; part != NULL;
       part = part->next) {
    BERTH_TRY(plan_part(&moves->items[moves->count++], part, prepare, err));
  }
  return BERTH_OK;
}
