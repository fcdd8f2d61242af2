// matmul_tiled.cuh - The kernel of matmul.cu for one type of numbers.
//
// Included by matmul_types.cuh, which says what the macros are; matmul.cu
// explains the rest.

// Rows and columns of a part: as many sums as fit into registers.
#define EACH (sizeof(WORKING) > 4 ? 4U : 8U)

// Copies a slab of |rows| by |depth| numbers, at most TILE by DEPTH, to |tile|
// and puts zeros behind them. Neighbouring threads read neighbouring numbers.
BERTH_GPU_FN void NAME(fill)(WORKING *tile, const STORED *from, uint64_t rows,
                             uint64_t depth, int64_t row_step,
                             int64_t depth_step, uint32_t conj) {
  int is_along_depth = depth_step == 1;
  for (uint32_t i = berth_gpu_lane(); i < TILE * DEPTH;
       i += berth_gpu_lanes()) {
    uint32_t row = is_along_depth ? i / DEPTH : i % TILE;
    uint32_t at = is_along_depth ? i % DEPTH : i / TILE;
    WORKING x = NAME(zero)();
    if (row < rows && at < depth) {
      x = NAME(load)(from[(int64_t)row * row_step + (int64_t)at * depth_step],
                     conj);
    }
    tile[at * PITCH + row] = x;
  }
}

// Adds the products of one slab: rows |row|, |row| + SIDE, ... of A and columns
// |col|, |col| + SIDE, ... of B.
BERTH_GPU_FN void NAME(add_slab)(WORKING sums[EACH][EACH], const WORKING *a,
                                 const WORKING *b, uint32_t row, uint32_t col) {
  for (uint32_t d = 0; d < DEPTH; ++d) {
    WORKING x[EACH], y[EACH];
    BERTH_UNROLL for (uint32_t i = 0; i < EACH; ++i) {
      x[i] = a[d * PITCH + row + i * SIDE];
      y[i] = b[d * PITCH + col + i * SIDE];
    }
    BERTH_UNROLL for (uint32_t i = 0; i < EACH; ++i) {
      BERTH_UNROLL for (uint32_t j = 0; j < EACH; ++j) {
        sums[i][j] = NAME(add_product)(sums[i][j], x[i], y[j]);
      }
    }
  }
}

// Computes the part |part| of the tile whose first row and column are |top| and
// |left|. Called by all threads of a block at once, each with a part of its
// own; parts from SIDE * SIDE on only help to copy.
BERTH_GPU_FN void NAME(add_part)(const berth_matmul_params_t *p,
                                 const STORED *a, const STORED *b, STORED *c,
                                 WORKING *a_tile, WORKING *b_tile, uint64_t top,
                                 uint64_t left, uint32_t part) {
  uint32_t row = part % (SIDE * SIDE) / SIDE, col = part % SIDE;
  WORKING sums[EACH][EACH];
  BERTH_UNROLL for (uint32_t i = 0; i < EACH; ++i) {
    BERTH_UNROLL for (uint32_t j = 0; j < EACH; ++j) sums[i][j] = NAME(zero)();
  }
  a += (int64_t)top * p->a_row;
  b += (int64_t)left * p->b_col;
  for (uint64_t d = 0; d < p->k; d += DEPTH) {
    NAME(fill)
    (a_tile, a + (int64_t)d * p->a_col, p->m - top, p->k - d, p->a_row,
     p->a_col, p->conj_a);
    NAME(fill)
    (b_tile, b + (int64_t)d * p->b_row, p->n - left, p->k - d, p->b_col,
     p->b_row, p->conj_b);
    berth_block_sync();
    NAME(add_slab)(sums, a_tile, b_tile, row, col);
    berth_block_sync();
  }
  if (part >= SIDE * SIDE) return;
  BERTH_UNROLL for (uint32_t i = 0; i < EACH; ++i) {
    BERTH_UNROLL for (uint32_t j = 0; j < EACH; ++j) {
      uint64_t y = top + row + i * SIDE, x = left + col + j * SIDE;
      if (y < p->m && x < p->n) c[y * p->n + x] = NAME(berth_store)(sums[i][j]);
    }
  }
}

KERNEL(NAME(berth_matmul)) {
  BERTH_SHARED(WORKING, a_tile, DEPTH * PITCH);
  BERTH_SHARED(WORKING, b_tile, DEPTH * PITCH);
  uint64_t across = (p.n + TILE - 1) / TILE, down = (p.m + TILE - 1) / TILE;
  uint64_t tiles = across * down * p.batch;
  for (uint64_t tile = berth_gpu_block(); tile < tiles;
       tile += berth_gpu_blocks()) {
    uint64_t batch = tile / across / down;
    const STORED *a = (const STORED *)p.a + (int64_t)batch * p.a_batch;
    const STORED *b = (const STORED *)p.b + (int64_t)batch * p.b_batch;
    STORED *c = (STORED *)p.c + batch * p.m * p.n;
    for (uint32_t first = 0; first < SIDE * SIDE; first += berth_gpu_lanes()) {
      NAME(add_part)
      (&p, a, b, c, a_tile, b_tile, tile / across % down * TILE,
       tile % across * TILE, first + berth_gpu_lane());
    }
  }
}

#undef EACH
