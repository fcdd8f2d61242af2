// move.c - Copies between two layouts of the same elements.
//
// The outer levels are walked as one range of rows, so that a piece of a
// parallel loop is any interval of it; a row is the innermost level, or a strip
// of a plane when the move transposes.
#include "cpu/move.h"

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/move_loops.h"
#include "cpu/stream.h"

enum {
  PIECE_NS = 20000,   // What a piece of a parallel loop should take.
  BYTES_PER_NS = 8,   // Of a copy; a rough figure.
  STREAM_UNIT = 256,  // Shorter units are not worth streaming.
  STRIP_BYTES = 512,  // Width of a strip of a transposed plane.
  SMALL_PLANE = 64,   // Fewer elements are not worth a tiled kernel.
};

// ---- Rows ----

static bool row_block(const berth_move_t *move, const char *from, char *to) {
  const berth_move_level_t inner = move->inner;
  size_t unit = (size_t)move->unit;
  for (int64_t i = 0; i < inner.count; ++i) {
    memcpy(to, from, unit);
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

static bool row_stream(const berth_move_t *move, const char *from, char *to) {
  const berth_move_level_t inner = move->inner;
  for (int64_t i = 0; i < inner.count; ++i) {
    berth_cpu_stream(to, from, (size_t)move->unit);
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

static bool row_objects(const berth_move_t *move, const char *from, char *to) {
  const berth_move_level_t inner = move->inner;
  int64_t count = move->unit / (int64_t)berth_dtype_size(move->dtype);
  for (int64_t i = 0; i < inner.count; ++i) {
    if (!berth_elements_copy(move->dtype, to, from, count)) return false;
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

typedef struct bytes16 {
  uint64_t low, high;
} bytes16_t;

// A row of single elements with steps, and one that repeats an element.
#define DEFINE_ROWS(name, type)                                       \
  static bool row_##name(const berth_move_t *move, const char *from,  \
                         char *to) {                                  \
    const berth_move_level_t inner = move->inner;                     \
    for (int64_t i = 0; i < inner.count; ++i) {                       \
      memcpy(to, from, sizeof(type));                                 \
      from += inner.from_step;                                        \
      to += inner.to_step;                                            \
    }                                                                 \
    return true;                                                      \
  }                                                                   \
  static bool fill_##name(const berth_move_t *move, const char *from, \
                          char *to) {                                 \
    type value;                                                       \
    memcpy(&value, from, sizeof(value));                              \
    type *out = (type *)(void *)to;                                   \
    for (int64_t i = 0; i < move->inner.count; ++i) out[i] = value;   \
    return true;                                                      \
  }
DEFINE_ROWS(1, uint8_t)
DEFINE_ROWS(2, uint16_t)
DEFINE_ROWS(4, uint32_t)
DEFINE_ROWS(8, uint64_t)
DEFINE_ROWS(16, bytes16_t)
#undef DEFINE_ROWS

// Returns the index of an element size that has loops of its own, or -1.
static int size_class(int64_t unit) {
  switch (unit) {
    case 1:
      return 0;
    case 2:
      return 1;
    case 4:
      return 2;
    case 8:
      return 3;
    case 16:
      return 4;
    default:
      return -1;
  }
}

// True when a row is one element again and again.
static bool repeats(const berth_move_t *move) {
  return move->inner.from_step == 0 && move->inner.to_step == move->unit &&
         size_class(move->unit) >= 0;
}

static berth_move_row_fn choose_row(const berth_move_t *move) {
  static const berth_move_row_fn rows[] = {row_1, row_2, row_4, row_8, row_16};
  static const berth_move_row_fn fills[] = {fill_1, fill_2, fill_4, fill_8,
                                            fill_16};
  if (!berth_dtype_is_plain(move->dtype)) return row_objects;
  int size = size_class(move->unit);
  if (size < 0) return move->streams ? row_stream : row_block;
  return repeats(move) ? fills[size] : rows[size];
}

// ---- Walking ----

// A position in the outer levels.
typedef struct cursor {
  const char *from;
  char *to;
  int64_t index[BERTH_MOVE_MAX_RANK];
} cursor_t;

static void cursor_seek(cursor_t *cursor, const berth_move_t *move,
                        const char *from, char *to, int64_t row) {
  for (int32_t i = move->level_count - 1; i >= 0; --i) {
    const berth_move_level_t *level = &move->levels[i];
    cursor->index[i] = 0;
    if (row == 0) continue;  // Most often; divisions take longer than rows.
    cursor->index[i] = row % level->count;
    row /= level->count;
    from += cursor->index[i] * level->from_step;
    to += cursor->index[i] * level->to_step;
  }
  cursor->from = from;
  cursor->to = to;
}

static void cursor_next(cursor_t *cursor, const berth_move_t *move) {
  for (int32_t i = move->level_count - 1; i >= 0; --i) {
    const berth_move_level_t *level = &move->levels[i];
    cursor->from += level->from_step;
    cursor->to += level->to_step;
    if (++cursor->index[i] < level->count) return;
    cursor->index[i] = 0;
    cursor->from -= level->count * level->from_step;
    cursor->to -= level->count * level->to_step;
  }
}

// What the pieces of one parallel loop share.
typedef struct walk {
  const berth_move_t *move;
  const char *from;
  char *to;
} walk_t;

static bool walk_rows(const walk_t *walk, int64_t begin, int64_t end) {
  const berth_move_t *move = walk->move;
  cursor_t cursor;
  cursor_seek(&cursor, move, walk->from, walk->to, begin);
  for (int64_t row = begin; row < end; ++row) {
    if (!move->row(move, cursor.from, cursor.to)) return false;
    cursor_next(&cursor, move);
  }
  return true;
}

static void rows_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  // Only rows of objects can fail, and those are never split.
  (void)walk_rows(walk, begin, end);
  if (walk->move->streams) berth_cpu_stream_end();
}

// Columns of a strip of a transposed plane.
static int64_t strip_cols(const berth_move_t *move) {
  return STRIP_BYTES / move->unit;
}

static int64_t strip_count(const berth_move_t *move) {
  return (move->across.count + strip_cols(move) - 1) / strip_cols(move);
}

static void tiles_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  const berth_move_t *move = walk->move;
  int64_t strips = strip_count(move);
  cursor_t cursor;
  cursor_seek(&cursor, move, walk->from, walk->to, begin / strips);
  for (int64_t i = begin; i < end;) {
    // As many strips of one plane as this piece has.
    int64_t first = i % strips;
    int64_t last = first + (end - i) < strips ? first + (end - i) : strips;
    int64_t col = first * strip_cols(move);
    int64_t col_end = last * strip_cols(move);
    if (col_end > move->across.count) col_end = move->across.count;
    move->tiles(cursor.from + col * move->unit, move->inner.from_step,
                cursor.to + col * move->across.to_step, move->across.to_step,
                move->inner.count, col_end - col, move->streams);
    i += last - first;
    if (last == strips) cursor_next(&cursor, move);
  }
}

// Sends copies of one element past the caches.
static void stream_fill(const berth_move_t *move, const char *from, char *to) {
  _Alignas(64) char pattern[BERTH_STREAM_PIECE];
  berth_move_t part = *move;
  part.inner.count = BERTH_STREAM_PIECE / move->unit;
  move->row(&part, from, pattern);
  int64_t left = move->inner.count * move->unit;
  for (; left > 0; left -= BERTH_STREAM_PIECE, to += BERTH_STREAM_PIECE) {
    berth_cpu_stream(
        to, pattern,
        (size_t)(left < BERTH_STREAM_PIECE ? left : BERTH_STREAM_PIECE));
  }
  berth_cpu_stream_end();
}

// A part of the only row.
static void inner_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  berth_move_t part = *walk->move;
  part.inner.count = end - begin;
  const char *from = walk->from + begin * part.inner.from_step;
  char *to = walk->to + begin * part.inner.to_step;
  if (part.streams && part.unit < STREAM_UNIT) {
    stream_fill(&part, from, to);
  } else {
    part.row(&part, from, to);
    if (part.streams) berth_cpu_stream_end();
  }
}

static void bytes_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  size_t size = (size_t)(end - begin);
  if (walk->move->streams) {
    berth_cpu_stream(walk->to + begin, walk->from + begin, size);
    berth_cpu_stream_end();
  } else {
    memcpy(walk->to + begin, walk->from + begin, size);
  }
}

bool berth_move_run(const berth_move_t *move, const char *from, char *to) {
  walk_t walk = {move, from + move->from_offset, to + move->to_offset};
  if (move->piece == NULL) return walk_rows(&walk, 0, move->rows);
  if (move->count <= move->grain) {
    move->piece(&walk, 0, move->count);
  } else {
    berth_parallel_for(move->count, move->grain, move->piece, &walk);
  }
  return true;
}

// ---- Preparing ----

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
  int class = size_class(move->unit);
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

// Says what is shared out among threads: strips, bytes, parts of the only row,
// or rows; how many there are, and how many make a piece worth the trouble.
static void choose_piece(berth_move_t *move) {
  int64_t unit_ns = 1 + move->unit / BYTES_PER_NS;
  int64_t ns = move->inner.count * unit_ns;
  if (!berth_dtype_is_plain(move->dtype)) return;
  if (move->tiles != NULL) {
    move->piece = tiles_piece;
    move->count = move->rows * strip_count(move);
    ns *= strip_cols(move);
  } else if (move->level_count > 0) {
    move->piece = rows_piece;
    move->count = move->rows;
  } else if (move->inner.count > 1) {
    move->piece = inner_piece;
    move->count = move->inner.count;
    ns = unit_ns;
  } else {
    move->piece = bytes_piece;
    move->count = move->unit;
    move->grain = (int64_t)PIECE_NS * BYTES_PER_NS;
    return;
  }
  move->grain = 1 + PIECE_NS / (ns > 0 ? ns : 1);
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
  bool can_stream = move->tiles != NULL || move->unit >= STREAM_UNIT ||
                    (spec->rank == 0 && repeats(move));
  move->streams = is_large && can_stream && berth_dtype_is_plain(move->dtype);
  move->row = choose_row(move);
  choose_piece(move);
  return BERTH_OK;
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_moves_t *moves = plan;
  for (int32_t i = 0; i < moves->count; ++i) {
    const berth_move_t *move = &moves->parts[i];
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
  prepare->work = bytes / BYTES_PER_NS;
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
