// product.c - Products of matrices of floats, by the loops of the CPU's kernels.
#include "softgpu/product.h"

#include <string.h>

#include "base/alloc.h"
#include "cpu/loops/gemm.h"
#include "softgpu/context.h"

enum {
  TILE_ROWS = 24 * BERTH_GEMM_ROWS,
  TILE_COLS = BERTH_GEMM_TILE,
  ALIGNMENT = 64,
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void clear(const berth_soft_product_t *p) {
  for (int64_t i = 0; i < p->m && !p->adds; ++i) {
    memset(p->c + i * p->c_row, 0, (size_t)p->n * sizeof(*p->c));
  }
}

static void run_tile(const berth_soft_product_t *p, int64_t i, int64_t j,
                     void *space) {
  berth_gemm_t tile = {
      .m = least(p->m - i, TILE_ROWS),
      .n = least(p->n - j, TILE_COLS),
      .k = p->k,
      .a_row = p->a_row,
      .a_col = p->a_col,
      .b_row = p->b_row,
      .b_col = p->b_col,
      .c_row = p->c_row,
      .adds = p->adds,
  };
  BERTH_ISA_PICK(berth_cpu_gemm_loops)
      ->f32(&tile, p->a + i * p->a_row, p->b + j * p->b_col,
            p->c + i * p->c_row + j, space);
}

bool berth_soft_product_run(const berth_soft_product_t *p) {
  if (p->m == 0 || p->n == 0 || p->k == 0) {
    clear(p);
    return true;
  }
  int64_t rows = least(p->m, TILE_ROWS), cols = least(p->n, TILE_COLS);
  int64_t bytes = berth_gemm_space(rows, cols, p->k, sizeof(float));
  char *memory = berth_alloc((size_t)bytes + ALIGNMENT);
  if (memory == NULL) return false;
  char *space = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT);
  for (int64_t i = 0; i < p->m; i += TILE_ROWS) {
    for (int64_t j = 0; j < p->n && !berth_soft_has_ended(); j += TILE_COLS) {
      run_tile(p, i, j, space);
    }
  }
  berth_free(memory);
  return true;
}
