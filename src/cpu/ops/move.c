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
  LONGEST_BLOCK = 64,
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
  const berth_stream_fn stream = berth_cpu_stream();
  for (int64_t i = 0; i < inner.count; ++i) {
    stream(to, from, (size_t)move->unit);
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

static bool row_objects(const berth_cpu_move_t *move, const char *from,
                        char *to) {
  const berth_cpu_move_level_t inner = move->inner;
  int64_t count = move->unit / (int64_t)berth_dtype_size(move->dtype);
  if (inner.from_step == move->unit && inner.to_step == move->unit) {
    return berth_elements_copy(move->dtype, to, from, count * inner.count);
  }
  for (int64_t i = 0; i < inner.count; ++i) {
    if (!berth_elements_copy(move->dtype, to, from, count)) return false;
    from += inner.from_step;
    to += inner.to_step;
  }
  return true;
}

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

void berth_move_choose_row(berth_cpu_move_t *move) {
  const berth_row_loops_t *loops = BERTH_ISA_PICK(berth_cpu_row_loops);
  int size = berth_move_size_class(move->unit);
  if (!berth_dtype_is_plain(move->dtype)) {
    move->row = row_objects;
  } else if (size >= 0) {
    move->run = loops->elements[size];
  } else if (move->unit <= LONGEST_BLOCK) {
    int half = 0;
    while (move->unit > 4 << half) ++half;
    move->run = loops->blocks[half];
  } else {
    move->row = move->streams ? row_stream : row_block;
  }
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

// Returns how many rows follow each other at even steps from |cursor| on, its
// own included: those that are left of the last level.
static int64_t cursor_run(const cursor_t *cursor,
                          const berth_cpu_move_t *move) {
  int32_t last = move->level_count - 1;
  return last < 0 ? 1 : move->levels[last].count - cursor->index[last];
}

// Goes on by |count| rows, at most as many as cursor_run() says.
static void cursor_next(cursor_t *cursor, const berth_cpu_move_t *move,
                        int64_t count) {
  for (int32_t i = move->level_count - 1; i >= 0; --i, count = 1) {
    const berth_cpu_move_level_t *level = &move->levels[i];
    cursor->from += count * level->from_step;
    cursor->to += count * level->to_step;
    cursor->index[i] += count;
    if (cursor->index[i] < level->count) return;
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
  berth_cpu_move_level_t inner = move->inner, once = {1, 0, 0};
  inner.count = BERTH_STREAM_PIECE / move->unit;
  move->run(from, pattern, move->unit, inner, once);
  int64_t left = move->inner.count * move->unit;
  const berth_stream_fn stream = berth_cpu_stream();
  for (; left > 0; left -= BERTH_STREAM_PIECE, to += BERTH_STREAM_PIECE) {
    stream(to, pattern,
           (size_t)(left < BERTH_STREAM_PIECE ? left : BERTH_STREAM_PIECE));
  }
}

// Copies |count| rows from |cursor| on, which follow each other at even steps.
static bool rows_copy(const berth_cpu_move_t *move, const cursor_t *cursor,
                      int64_t count) {
  int32_t last = move->level_count - 1;
  berth_cpu_move_level_t level =
      last >= 0 ? move->levels[last] : (berth_cpu_move_level_t){1, 0, 0};
  level.count = count;
  bool fills = streams_fills(move);
  if (!fills && move->run != NULL) {
    move->run(cursor->from, cursor->to, move->unit, move->inner, level);
    return true;
  }
  const char *from = cursor->from;
  char *to = cursor->to;
  for (int64_t i = 0; i < count; ++i) {
    if (fills) {
      stream_fill(move, from, to);
    } else if (!move->row(move, from, to)) {
      return false;
    }
    from += level.from_step;
    to += level.to_step;
  }
  return true;
}

static bool walk_rows(const walk_t *walk, int64_t begin, int64_t end) {
  const berth_cpu_move_t *move = walk->move;
  cursor_t cursor;
  cursor_seek(&cursor, move, walk->from, walk->to, begin);
  for (int64_t row = begin; row < end;) {
    int64_t count = cursor_run(&cursor, move);
    if (count > end - row) count = end - row;
    if (!rows_copy(move, &cursor, count)) return false;
    cursor_next(&cursor, move, count);
    row += count;
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
    if (last == strips) cursor_next(&cursor, move, 1);
  }
}

// A part of the only row.
static void inner_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  berth_cpu_move_t part = *walk->move;
  part.inner.count = end - begin;
  cursor_t cursor = {.from = walk->from + begin * part.inner.from_step,
                     .to = walk->to + begin * part.inner.to_step};
  (void)rows_copy(&part, &cursor, 1);
  if (part.streams) berth_cpu_stream_end();
}

static void bytes_piece(void *arg, int64_t begin, int64_t end) {
  const walk_t *walk = arg;
  size_t size = (size_t)(end - begin);
  if (walk->move->streams) {
    berth_cpu_stream()(walk->to + begin, walk->from + begin, size);
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
