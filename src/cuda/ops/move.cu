// move.cu - Kernels that move elements from one layout to another.
//
// move_params.h says what each of them does. Threads that are neighbours write
// neighbouring units wherever the layouts allow it; a thread takes several
// units at a time and loads all of them before it stores the first, because
// what is under way at once is what hides the time that memory takes.
#include "cuda/math/block.cuh"
#include "cuda/math/unit.cuh"
#include "cuda/ops/move_params.h"

enum { AHEAD = 4, TILE = BERTH_MOVE_TILE };

// ---- Nests of loops ----

// Where a unit comes from and goes to.
typedef struct place {
  int64_t from, to;
} place_t;

BERTH_GPU_FN place_t nest_place(const berth_move_nest_t *p, uint64_t i) {
  uint32_t rest = (uint32_t)i;
  int32_t from = 0, to = 0, level = 0;
  place_t place;
  for (; level < p->levels - 1; ++level) {
    const berth_move_loop_t *loop = &p->loops[level];
    uint32_t quotient = BERTH_DIVIDE(rest, loop->count);
    int32_t index = (int32_t)(rest - quotient * loop->count.divisor);
    from += index * loop->from_step;
    to += index * loop->to_step;
    rest = quotient;
  }
  place.from = from + (int32_t)rest * p->loops[level].from_step;
  place.to = to + (int32_t)rest * p->loops[level].to_step;
  return place;
}

BERTH_GPU_FN place_t wide_place(const berth_move_wide_t *p, uint64_t i) {
  int64_t rest = (int64_t)i;
  place_t place = {0, 0};
  for (int64_t level = 0; level < p->levels; ++level) {
    const berth_move_wide_loop_t *loop = &p->loops[level];
    int64_t index = rest % loop->count;
    place.from += index * loop->from_step;
    place.to += index * loop->to_step;
    rest /= loop->count;
  }
  return place;
}

#define DEFINE_LOOPS(kernel, params_t, unit_t, find_place)           \
  BERTH_KERNEL(kernel, params_t) {                                   \
    unit_t *to = (unit_t *)p.ends.to;                                \
    const unit_t *from = (const unit_t *)p.ends.from;                \
    uint64_t threads = berth_gpu_threads();                          \
    for (uint64_t first = berth_gpu_thread(); first < p.count;       \
         first += AHEAD * threads) {                                 \
      unit_t units[AHEAD];                                           \
      int64_t places[AHEAD];                                         \
      for (uint64_t k = 0; k < AHEAD; ++k) {                         \
        uint64_t i = first + k * threads;                            \
        if (i < p.count) {                                           \
          place_t place = find_place(&p, i);                         \
          units[k] = from[place.from];                               \
          places[k] = place.to;                                      \
        }                                                            \
      }                                                              \
      for (uint64_t k = 0; k < AHEAD; ++k) {                         \
        if (first + k * threads < p.count) to[places[k]] = units[k]; \
      }                                                              \
    }                                                                \
  }

#define DEFINE_NEST(size)                                                    \
  DEFINE_LOOPS(berth_move_nest_##size, berth_move_nest_t, berth_unit_##size, \
               nest_place)                                                   \
  DEFINE_LOOPS(berth_move_wide_##size, berth_move_wide_t, berth_unit_##size, \
               wide_place)
BERTH_EACH_UNIT(DEFINE_NEST)

// ---- One element again and again ----

// Sixteen bytes of one element.
#define DEFINE_SPLAT(size)                                                  \
  BERTH_GPU_FN berth_unit_x16 splat_##size(berth_unit_##size element) {     \
    const uint64_t ones = ~UINT64_C(0) / (berth_unit_##size) - 1;           \
    berth_unit_x16 unit = {element * ones, element * ones};                 \
    return unit;                                                            \
  }                                                                         \
  BERTH_KERNEL(berth_move_splat_##size, berth_move_nest_t) {                \
    berth_unit_x16 *to = (berth_unit_x16 *)p.ends.to;                       \
    const berth_unit_##size *from = (const berth_unit_##size *)p.ends.from; \
    BERTH_EACH(i, p.count) {                                                \
      place_t place = nest_place(&p, i);                                    \
      to[place.to] = splat_##size(from[place.from]);                        \
    }                                                                       \
  }
DEFINE_SPLAT(x1)
DEFINE_SPLAT(x2)
DEFINE_SPLAT(x4)
DEFINE_SPLAT(x8)

// ---- Planes ----

// A tile: where it begins on both sides, and how much of it there is.
typedef struct tile {
  int64_t from, to;
  uint32_t rows, cols;
} tile_t;

BERTH_GPU_FN uint32_t at_most(int64_t left, uint32_t side) {
  return left < (int64_t)side ? (uint32_t)left : side;
}

// Finds tile |i| of those that are |side| units wide and high.
BERTH_GPU_FN tile_t find_tile(const berth_move_tiles_t *p, uint64_t i,
                              uint32_t side) {
  tile_t tile;
  uint32_t rest = (uint32_t)i;
  uint32_t quotient = BERTH_DIVIDE(rest, p->tile_cols);
  int64_t col = (int64_t)(rest - quotient * p->tile_cols.divisor) * side;
  rest = quotient;
  quotient = BERTH_DIVIDE(rest, p->tile_rows);
  int64_t row = (int64_t)(rest - quotient * p->tile_rows.divisor) * side;
  rest = quotient;
  tile.from = col * p->from_step + row;
  tile.to = row * p->to_step + col;
  tile.rows = at_most(p->rows - row, side);
  tile.cols = at_most(p->cols - col, side);
  for (int32_t level = 0; level < p->levels; ++level) {
    quotient = BERTH_DIVIDE(rest, p->loops[level].count);
    int64_t index = rest - quotient * p->loops[level].count.divisor;
    tile.from += index * p->loops[level].from_step;
    tile.to += index * p->loops[level].to_step;
    rest = quotient;
  }
  return tile;
}

// A block takes a tile through shared memory, so that neighbouring threads read
// neighbours and write neighbours. Threads read and write words of |pack| units
// each, TILE of them in a row of the tile; rows are one unit longer than that,
// which puts the units of a column on different banks.
//
// Threads are numbered (x, y): on a card x is the word in a row and a block has
// |lines| rows; on the host one thread does all of them.
#define DEFINE_TILES(kernel, unit_t, word_t, pack)                          \
  BERTH_KERNEL(kernel, berth_move_tiles_t) {                                \
    enum { SIDE = TILE * (pack), PITCH = SIDE + 1 };                        \
    BERTH_SHARED(unit_t, units, SIDE *PITCH);                               \
    const uint32_t lanes = berth_gpu_lanes();                               \
    const uint32_t across = lanes < TILE ? lanes : TILE;                    \
    const uint32_t lines = lanes / across;                                  \
    const uint32_t first_x = berth_gpu_lane() % across;                     \
    const uint32_t first_y = berth_gpu_lane() / across;                     \
    for (uint64_t i = berth_gpu_block(); i < p.count;                       \
         i += berth_gpu_blocks()) {                                         \
      tile_t tile = find_tile(&p, i, SIDE);                                 \
      const unit_t *from = (const unit_t *)p.ends.from + tile.from;         \
      unit_t *to = (unit_t *)p.ends.to + tile.to;                           \
      for (uint32_t x = first_x; x * (pack) < tile.rows; x += across) {     \
        for (uint32_t y = first_y; y < tile.cols; y += AHEAD * lines) {     \
          word_t words[AHEAD];                                              \
          for (uint32_t k = 0; k < AHEAD; ++k) {                            \
            uint32_t line = y + k * lines;                                  \
            if (line < tile.cols) {                                         \
              words[k] = ((const word_t *)(from + line * p.from_step))[x];  \
            }                                                               \
          }                                                                 \
          for (uint32_t k = 0; k < AHEAD; ++k) {                            \
            uint32_t line = y + k * lines;                                  \
            if (line < tile.cols) {                                         \
              unpack_##kernel(&units[line * PITCH + x * (pack)], words[k]); \
            }                                                               \
          }                                                                 \
        }                                                                   \
      }                                                                     \
      berth_block_sync();                                                   \
      for (uint32_t x = first_x; x * (pack) < tile.cols; x += across) {     \
        for (uint32_t y = first_y; y < tile.rows; y += lines) {             \
          ((word_t *)(to + y * p.to_step))[x] =                             \
              pack_##kernel(&units[x * (pack)*PITCH + y], PITCH);           \
        }                                                                   \
      }                                                                     \
      berth_block_sync();                                                   \
    }                                                                       \
  }

// Words that are one unit.
#define DEFINE_PLAIN_TILES(size)                                             \
  BERTH_GPU_FN void unpack_berth_move_tiles_##size(berth_unit_##size *units, \
                                                   berth_unit_##size word) { \
    *units = word;                                                           \
  }                                                                          \
  BERTH_GPU_FN berth_unit_##size pack_berth_move_tiles_##size(               \
      const berth_unit_##size *units, uint32_t pitch) {                      \
    (void)pitch;                                                             \
    return *units;                                                           \
  }                                                                          \
  DEFINE_TILES(berth_move_tiles_##size, berth_unit_##size, berth_unit_##size, 1)
BERTH_EACH_UNIT(DEFINE_PLAIN_TILES)

// Words of four bytes, for units of one or two.
#define DEFINE_PACKED_TILES(size, bits)                                       \
  BERTH_GPU_FN void unpack_berth_move_packed_##size(berth_unit_##size *units, \
                                                    uint32_t word) {          \
    for (uint32_t k = 0; k < 32 / (bits); ++k) {                              \
      units[k] = (berth_unit_##size)(word >> (k * (bits)));                   \
    }                                                                         \
  }                                                                           \
  BERTH_GPU_FN uint32_t pack_berth_move_packed_##size(                        \
      const berth_unit_##size *units, uint32_t pitch) {                       \
    uint32_t word = 0;                                                        \
    for (uint32_t k = 0; k < 32 / (bits); ++k) {                              \
      word |= (uint32_t)units[k * pitch] << (k * (bits));                     \
    }                                                                         \
    return word;                                                              \
  }                                                                           \
  DEFINE_TILES(berth_move_packed_##size, berth_unit_##size, uint32_t,         \
               32 / (bits))
DEFINE_PACKED_TILES(x1, 8)
DEFINE_PACKED_TILES(x2, 16)

// ---- Parts side by side ----

// Where a unit lies: in the whole, and in which part.
typedef struct seat {
  int64_t whole;
  int32_t part;
  uint32_t at;
} seat_t;

BERTH_GPU_FN seat_t join_seat(const berth_move_join_t *p, uint64_t i) {
  seat_t seat;
  uint32_t row = BERTH_DIVIDE(i, p->row);
  uint32_t col = (uint32_t)i - row * p->row.divisor;
  int32_t low = 0, high = p->part_count;
  // The part begins at |low| or later, and before |high|.
  while (high - low > 1) {
    int32_t middle = (low + high) / 2;
    if (col < p->begins[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  seat.part = low;
  seat.at = row * (p->begins[low + 1] - p->begins[low]) + col - p->begins[low];
  seat.whole = (int64_t)row * p->step + col;
  return seat;
}

#define DEFINE_JOIN(size)                                                      \
  BERTH_KERNEL(berth_move_join_##size, berth_move_join_t) {                    \
    berth_unit_##size *whole = (berth_unit_##size *)p.whole;                   \
    uint64_t threads = berth_gpu_threads();                                    \
    for (uint64_t first = berth_gpu_thread(); first < p.count;                 \
         first += AHEAD * threads) {                                           \
      berth_unit_##size units[AHEAD];                                          \
      int64_t places[AHEAD];                                                   \
      for (uint64_t k = 0; k < AHEAD; ++k) {                                   \
        uint64_t i = first + k * threads;                                      \
        if (i < p.count) {                                                     \
          seat_t seat = join_seat(&p, i);                                      \
          units[k] = ((const berth_unit_##size *)p.parts[seat.part])[seat.at]; \
          places[k] = seat.whole;                                              \
        }                                                                      \
      }                                                                        \
      for (uint64_t k = 0; k < AHEAD; ++k) {                                   \
        if (first + k * threads < p.count) whole[places[k]] = units[k];        \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  BERTH_KERNEL(berth_move_cut_##size, berth_move_join_t) {                     \
    const berth_unit_##size *whole = (const berth_unit_##size *)p.whole;       \
    uint64_t threads = berth_gpu_threads();                                    \
    for (uint64_t first = berth_gpu_thread(); first < p.count;                 \
         first += AHEAD * threads) {                                           \
      berth_unit_##size units[AHEAD];                                          \
      berth_unit_##size *places[AHEAD];                                        \
      for (uint64_t k = 0; k < AHEAD; ++k) {                                   \
        uint64_t i = first + k * threads;                                      \
        if (i < p.count) {                                                     \
          seat_t seat = join_seat(&p, i);                                      \
          units[k] = whole[seat.whole];                                        \
          places[k] = (berth_unit_##size *)p.parts[seat.part] + seat.at;       \
        }                                                                      \
      }                                                                        \
      for (uint64_t k = 0; k < AHEAD; ++k) {                                   \
        if (first + k * threads < p.count) *places[k] = units[k];              \
      }                                                                        \
    }                                                                          \
  }
BERTH_EACH_UNIT(DEFINE_JOIN)
