// move.cu - Kernels that move elements from one layout to another.
//
// move_params.h says what each of them does. Threads that are neighbours write
// neighbouring units wherever the layouts allow it; a thread takes several
// units at a time and loads all of them before it stores the first, because
// what is under way at once is what hides the time that memory takes.
#include "cuda/block.cuh"
#include "cuda/move_params.h"
#include "cuda/unit.cuh"

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

// ---- Planes ----

// A tile: its first row and column, and where its plane begins.
typedef struct corner {
  int64_t row, col;
  place_t plane;
} corner_t;

BERTH_GPU_FN corner_t tile_corner(const berth_move_tiles_t *p, uint64_t i) {
  corner_t corner;
  uint32_t rest = (uint32_t)i;
  uint32_t quotient = BERTH_DIVIDE(rest, p->tile_cols);
  corner.col = (int64_t)(rest - quotient * p->tile_cols.divisor) * TILE;
  rest = quotient;
  quotient = BERTH_DIVIDE(rest, p->tile_rows);
  corner.row = (int64_t)(rest - quotient * p->tile_rows.divisor) * TILE;
  rest = quotient;
  corner.plane.from = corner.plane.to = 0;
  for (int32_t level = 0; level < p->levels; ++level) {
    quotient = BERTH_DIVIDE(rest, p->loops[level].count);
    int64_t index = rest - quotient * p->loops[level].count.divisor;
    corner.plane.from += index * p->loops[level].from_step;
    corner.plane.to += index * p->loops[level].to_step;
    rest = quotient;
  }
  return corner;
}

// A block takes a tile through shared memory, so that neighbouring threads read
// neighbours and write neighbours. The rows of the tile are one unit longer
// than it, which puts its columns on different banks.
#define DEFINE_TILES(size)                                                    \
  BERTH_KERNEL(berth_move_tiles_##size, berth_move_tiles_t) {                 \
    BERTH_SHARED(berth_unit_##size, tile, TILE *(TILE + 1));                  \
    for (uint64_t i = berth_gpu_block(); i < p.count;                         \
         i += berth_gpu_blocks()) {                                           \
      corner_t at = tile_corner(&p, i);                                       \
      berth_unit_##size *to = (berth_unit_##size *)p.ends.to + at.plane.to;   \
      const berth_unit_##size *from =                                         \
          (const berth_unit_##size *)p.ends.from + at.plane.from;             \
      for (uint32_t k = berth_gpu_lane(); k < TILE * TILE;                    \
           k += berth_gpu_lanes()) {                                          \
        int64_t row = at.row + k % TILE, col = at.col + k / TILE;             \
        if (row < p.rows && col < p.cols) {                                   \
          tile[k / TILE * (TILE + 1) + k % TILE] =                            \
              from[col * p.from_step + row];                                  \
        }                                                                     \
      }                                                                       \
      berth_block_sync();                                                     \
      for (uint32_t k = berth_gpu_lane(); k < TILE * TILE;                    \
           k += berth_gpu_lanes()) {                                          \
        int64_t row = at.row + k / TILE, col = at.col + k % TILE;             \
        if (row < p.rows && col < p.cols) {                                   \
          to[row * p.to_step + col] = tile[k % TILE * (TILE + 1) + k / TILE]; \
        }                                                                     \
      }                                                                       \
      berth_block_sync();                                                     \
    }                                                                         \
  }
BERTH_EACH_UNIT(DEFINE_TILES)

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

#define DEFINE_JOIN(size)                                                     \
  BERTH_KERNEL(berth_move_join_##size, berth_move_join_t) {                   \
    berth_unit_##size *whole = (berth_unit_##size *)p.whole;                  \
    BERTH_EACH(i, p.count) {                                                  \
      seat_t seat = join_seat(&p, i);                                         \
      whole[seat.whole] =                                                     \
          ((const berth_unit_##size *)p.parts[seat.part])[seat.at];           \
    }                                                                         \
  }                                                                           \
  BERTH_KERNEL(berth_move_cut_##size, berth_move_join_t) {                    \
    const berth_unit_##size *whole = (const berth_unit_##size *)p.whole;      \
    BERTH_EACH(i, p.count) {                                                  \
      seat_t seat = join_seat(&p, i);                                         \
      ((berth_unit_##size *)p.parts[seat.part])[seat.at] = whole[seat.whole]; \
    }                                                                         \
  }
BERTH_EACH_UNIT(DEFINE_JOIN)
