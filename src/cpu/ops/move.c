// move.c - Copies between two layouts of the same elements.
//
// The outer levels are walked as one range of rows, so that a piece of a
// parallel loop is any interval of it; a row is the innermost level, or a strip
// of a plane when the move transposes.
#include "cpu/ops/move.h"

#include "cpu/loops/stream.h"
#include "cpu/ops/move_internal.h"

enum {
  PIECE_NS = 20000,   // What a piece of a parallel loop should take.
  STRIP_BYTES = 512,  // Width of a strip of a transposed plane.
};

// ---- Rows ----

static bool row_block(const berth_cpu_move_t *move, const char *from,
                      char *to) {
  const berth_cpu_move_level_t inner = move->inner;
  size_t unit = (size_t)move->unit;
  for (int64_t i = 0; i < inner.count; ++i) {
    memcpy(to, from, unit);
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

static bool row_stream(const berth_cpu_move_t *move, const char *from,
                       char *to) {
  const berth_cpu_move_level_t inner = move->inner;
  for (int64_t i = 0; i < inner.count; ++i) {
    berth_cpu_stream(to, from, (size_t)move->unit);
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

static bool row_objects(const berth_cpu_move_t *move, const char *from,
                        char *to) {
  const berth_cpu_move_level_t inner = move->inner;
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
#define DEFINE_ROWS(name, type)                                           \
  static bool row_##name(const berth_cpu_move_t *move, const char *from,  \
                         char *to) {                                      \
    const berth_cpu_move_level_t inner = move->inner;                     \
    for (int64_t i = 0; i < inner.count; ++i) {                           \
      memcpy(to, from, sizeof(type));                                     \
      from += inner.from_step;                                            \
      to += inner.to_step;                                                \
    }                                                                     \
    return true;                                                          \
  }                                                                       \
  static bool fill_##name(const berth_cpu_move_t *move, const char *from, \
                          char *to) {                                     \
    type value;                                                           \
    memcpy(&value, from, sizeof(value));                                  \
    type *out = (type *)(void *)to;                                       \
    for (int64_t i = 0; i < move->inner.count; ++i) out[i] = value;       \
    return true;                                                          \
  }
DEFINE_ROWS(1, uint8_t)
DEFINE_ROWS(2, uint16_t)
DEFINE_ROWS(4, uint32_t)
DEFINE_ROWS(8, uint64_t)
DEFINE_ROWS(16, bytes16_t)
#undef DEFINE_ROWS

int berth_move_size_class(int64_t unit) {
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

bool berth_move_repeats(const berth_cpu_move_t *move) {
  return move->inner.from_step == 0 && move->inner.to_step == move->unit &&
         berth_move_size_class(move->unit) >= 0;
}

berth_move_row_fn berth_move_choose_row(const berth_cpu_move_t *move) {
  static const berth_move_row_fn rows[] = {row_1, row_2, row_4, row_8, row_16};
  static const berth_move_row_fn fills[] = {fill_1, fill_2, fill_4, fill_8,
                                            fill_16};
  if (!berth_dtype_is_plain(move->dtype)) return row_objects;
  int size = berth_move_size_class(move->unit);
  if (size < 0) return move->streams ? row_stream : row_block;
  return berth_move_repeats(move) ? fills[size] : rows[size];
}

// ---- Walking ----

// A position in the outer levels.
typedef struct cursor {
  const char *from;
  char *to;
  int64_t index[BERTH_MOVE_MAX_RANK];
} cursor_t;

static void cursor_seek(cursor_t *cursor, const berth_cpu_move_t *move,
                        const char *from, char *to, int64_t row) {
  for (int32_t i = move->level_count - 1; i >= 0; --i) {
    const berth_cpu_move_level_t *level = &move->levels[i];
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

static void cursor_next(cursor_t *cursor, const berth_cpu_move_t *move) {
  for (int32_t i = move->level_count - 1; i >= 0; --i) {
    const berth_cpu_move_level_t *level = &move->levels[i];
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
  const berth_cpu_move_t *move;
  const char *from;
  char *to;
} walk_t;

// True when rows repeat an element, and go past the caches.
static bool streams_fills(const berth_cpu_move_t *move) {
  return move->streams && move->tiles == NULL &&
         move->unit < BERTH_MOVE_STREAM_UNIT;
}

// Sends copies of one element past the caches.
static void stream_fill(const berth_cpu_move_t *move, const char *from,
                        char *to) {
  _Alignas(64) char pattern[BERTH_STREAM_PIECE];
  berth_cpu_move_t part = *move;
  part.inner.count = BERTH_STREAM_PIECE / move->unit;
  move->row(&part, from, pattern);
  int64_t left = move->inner.count * move->unit;
  for (; left > 0; left -= BERTH_STREAM_PIECE, to += BERTH_STREAM_PIECE) {
    berth_cpu_stream(
        to, pattern,
        (size_t)(left < BERTH_STREAM_PIECE ? left : BERTH_STREAM_PIECE));
  }
}

static bool walk_rows(const walk_t *walk, int64_t begin, int64_t end) {
  const berth_cpu_move_t *move = walk->move;
  cursor_t cursor;
  cursor_seek(&cursor, move, walk->from, walk->to, begin);
  bool fills = streams_fills(move);
  for (int64_t row = begin; row < end; ++row) {
    if (fills) {
      stream_fill(move, cursor.from, cursor.to);
    } else if (!move->row(move, cursor.from, cursor.to)) {
      return false;
    }
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
static int64_t strip_cols(const berth_cpu_move_t *move) {
  return STRIP_BYTES / move->unit;
}

static int64_t strip_count(const berth_cpu_move_t *move) {
  return (move->across.count + strip_cols(move) - 1) / strip_cols(move);
}

static void tiles_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  const berth_cpu_move_t *move = walk->move;
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

// A part of the only row.
static void inner_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  berth_cpu_move_t part = *walk->move;
  part.inner.count = end - begin;
  const char *from = walk->from + begin * part.inner.from_step;
  char *to = walk->to + begin * part.inner.to_step;
  if (streams_fills(&part)) {
    stream_fill(&part, from, to);
  } else {
    part.row(&part, from, to);
  }
  if (part.streams) berth_cpu_stream_end();
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

bool berth_move_run(const berth_cpu_move_t *move, const char *from, char *to) {
  walk_t walk = {move, from + move->from_offset, to + move->to_offset};
  if (move->piece == NULL) return walk_rows(&walk, 0, move->rows);
  if (move->count <= move->grain) {
    move->piece(&walk, 0, move->count);
  } else {
    berth_parallel_for(move->count, move->grain, move->piece, &walk);
  }
  return true;
}

void berth_move_choose_piece(berth_cpu_move_t *move) {
  int64_t unit_ns = 1 + move->unit / BERTH_MOVE_BYTES_PER_NS;
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
    move->grain = (int64_t)PIECE_NS * BERTH_MOVE_BYTES_PER_NS;
    return;
  }
  move->grain = 1 + PIECE_NS / (ns > 0 ? ns : 1);
}
