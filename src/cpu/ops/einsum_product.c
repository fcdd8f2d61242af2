// einsum_product.c - An Einsum as products of matrices.
#include "cpu/ops/einsum_product.h"

#include "base/parallel.h"
#include "cpu/ops/product.h"

typedef berth_einsum_loop_t loop_t;

enum { A, B, OUT };

// ---- Loops ----

// True when |inner| goes on where |outer| makes its next step, in all operands.
static bool joins(const loop_t *outer, const loop_t *inner) {
  if (outer->is_summed != inner->is_summed) return false;
  for (int i = 0; i < 3; ++i) {
    if (outer->steps[i] != inner->steps[i] * inner->dim) return false;
  }
  return true;
}

static void loop_drop(loop_t *loops, int32_t *count, int32_t at) {
  --*count;
  for (int32_t i = at; i < *count; ++i) loops[i] = loops[i + 1];
}

// Makes one loop of the first two that are one; false: there are none.
static bool join_two(loop_t *loops, int32_t *count) {
  for (int32_t i = 0; i < *count; ++i) {
    for (int32_t k = 0; k < *count; ++k) {
      if (i == k || !joins(&loops[i], &loops[k])) continue;
      loops[k].dim *= loops[i].dim;
      loop_drop(loops, count, i);
      return true;
    }
  }
  return false;
}

// Stores the loops of |einsum| that are not over one index alone, joined;
// returns how many.
static int32_t read_loops(const berth_einsum_t *einsum, loop_t *loops) {
  int32_t count = 0;
  for (int32_t l = 0; l < einsum->count; ++l) {
    if (einsum->dims[l] == 1) continue;
    loop_t *loop = &loops[count++];
    loop->dim = einsum->dims[l];
    loop->is_summed = l >= einsum->kept;
    for (int i = 0; i < 3; ++i) loop->steps[i] = einsum->steps[i][l];
    if (loop->is_summed) loop->steps[OUT] = 0;
  }
  while (join_two(loops, &count)) {
  }
  return count;
}

// Takes the longest loop that A has or has not, B has or has not, and is summed
// over or not; of the output with a step of one, if |is_along|.
static bool loop_take(loop_t *loops, int32_t *count, const loop_t *like,
                      bool is_along, loop_t *out) {
  int32_t best = -1;
  for (int32_t i = 0; i < *count; ++i) {
    const loop_t *loop = &loops[i];
    bool fits = loop->is_summed == like->is_summed &&
                (loop->steps[A] != 0) == (like->steps[A] != 0) &&
                (loop->steps[B] != 0) == (like->steps[B] != 0) &&
                (!is_along || loop->steps[OUT] == 1);
    if (fits && (best < 0 || loop->dim > loops[best].dim)) best = i;
  }
  if (best < 0) return false;
  *out = loops[best];
  loop_drop(loops, count, best);
  return true;
}

static void turn(loop_t *loops, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    int64_t step = loops[i].steps[A];
    loops[i].steps[A] = loops[i].steps[B];
    loops[i].steps[B] = step;
  }
}

// ---- Plans ----

// Puts what is kept in front.
static void order(berth_einsum_product_t *product) {
  loop_t summed[BERTH_EINSUM_LOOPS];
  int32_t count = 0;
  for (int32_t i = 0; i < product->count; ++i) {
    loop_t loop = product->loops[i];
    if (loop.is_summed) {
      summed[count++] = loop;
    } else {
      product->loops[product->kept++] = loop;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    product->loops[product->kept + i] = summed[i];
  }
}

static void choose_tiles(berth_einsum_product_t *product, berth_dtype_t dtype) {
  enum { SMALL = 8192, PIECE = 1 << 19, TILE_M = 252, TILE_N = 512 };
  const berth_gemm_t *gemm = &product->gemm;
  const berth_gemm_plain_t *plain = BERTH_ISA_PICK(berth_cpu_gemm_plain);
  bool is_float = dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE;
  bool is_small = gemm->m * gemm->n * gemm->k <= SMALL;
  product->tile = berth_cpu_product_tile(dtype);
  if (is_small && is_float) {
    product->tile = dtype == BERTH_FLOAT ? plain->f32 : plain->f64;
  }
  product->tile_m = gemm->m < TILE_M ? gemm->m : TILE_M;
  product->tile_n = gemm->n < TILE_N ? gemm->n : TILE_N;
  product->tiles_m = (gemm->m + product->tile_m - 1) / product->tile_m;
  product->tiles_n = (gemm->n + product->tile_n - 1) / product->tile_n;
  product->items = product->tiles_m * product->tiles_n;
  int64_t work = product->tile_m * product->tile_n * gemm->k;
  for (int32_t i = 0; i < product->count; ++i) {
    int64_t *to = i < product->kept ? &product->items : &work;
    *to *= product->loops[i].dim;
  }
  product->grain = PIECE / (work + 1) + 1;
  product->slots =
      berth_slots_for((product->items + product->grain - 1) / product->grain,
                      berth_gemm_space(product->tile_m, product->tile_n,
                                       gemm->k, product->size));
}

bool berth_einsum_product_plan(const berth_einsum_t *einsum, int64_t size,
                               berth_einsum_product_t *out_product) {
  *out_product = (berth_einsum_product_t){.size = size};
  berth_einsum_product_t *product = out_product;
  if (einsum->inputs != 2 || einsum->has_diagonal) return false;
  for (int32_t l = 0; l < einsum->count; ++l) {
    if (einsum->dims[l] == 0) return false;
  }
  product->count = read_loops(einsum, product->loops);
  const loop_t column = {.steps = {0, 1, 1}}, row = {.steps = {1, 0, 1}};
  const loop_t sum = {.steps = {1, 1, 0}, .is_summed = true};
  loop_t m, n, k;
  loop_t *loops = product->loops;
  if (!loop_take(loops, &product->count, &column, true, &n)) {
    turn(loops, product->count);
    product->is_turned = true;
    if (!loop_take(loops, &product->count, &column, true, &n)) return false;
  }
  if (!loop_take(loops, &product->count, &row, false, &m)) return false;
  // What is not summed over is one product.
  if (!loop_take(loops, &product->count, &sum, false, &k)) {
    k = (loop_t){.dim = 1};
  }
  order(product);
  // Halves are rounded after each product.
  if (size == 2 && product->count > product->kept) return false;
  product->gemm = (berth_gemm_t){.m = m.dim,
                                 .n = n.dim,
                                 .k = k.dim,
                                 .a_row = m.steps[A],
                                 .a_col = k.steps[A],
                                 .b_row = k.steps[B],
                                 .b_col = n.steps[B],
                                 .c_row = m.steps[OUT]};
  choose_tiles(product, einsum->dtype);
  return true;
}

// ---- Running ----

typedef struct product_run {
  const berth_einsum_product_t *product;
  const char *a, *b;
  char *out, *scratch;
} product_run_t;

// Adds to |at| where index |index| of the loops [first, last) leads.
static void offsets_add(const loop_t *loops, int32_t first, int32_t last,
                        int64_t index, int64_t at[3]) {
  for (int32_t l = last; l-- > first;) {
    int64_t i = index % loops[l].dim;
    index /= loops[l].dim;
    for (int k = 0; k < 3; ++k) at[k] += i * loops[l].steps[k];
  }
}

// Computes one tile of one product: all of its sums.
static void item_run(const product_run_t *run, int64_t item, void *space) {
  const berth_einsum_product_t *product = run->product;
  berth_gemm_t gemm = product->gemm;
  int64_t tiles = product->tiles_m * product->tiles_n, at[3] = {0, 0, 0};
  offsets_add(product->loops, 0, product->kept, item / tiles, at);
  int64_t i = item % tiles / product->tiles_n * product->tile_m;
  int64_t j = item % product->tiles_n * product->tile_n;
  at[A] += i * gemm.a_row;
  at[B] += j * gemm.b_col;
  at[OUT] += i * gemm.c_row + j;
  gemm.m = gemm.m - i < product->tile_m ? gemm.m - i : product->tile_m;
  gemm.n = gemm.n - j < product->tile_n ? gemm.n - j : product->tile_n;
  int64_t sums = 1;
  for (int32_t l = product->kept; l < product->count; ++l) {
    sums *= product->loops[l].dim;
  }
  for (int64_t t = 0; t < sums; ++t) {
    int64_t from[3] = {at[A], at[B], 0};
    offsets_add(product->loops, product->kept, product->count, t, from);
    gemm.adds = t > 0;
    product->tile(&gemm, run->a + from[A] * product->size,
                  run->b + from[B] * product->size,
                  run->out + at[OUT] * product->size, space);
  }
}

static void items_run(void *arg, int64_t begin, int64_t end) {
  const product_run_t *run = arg;
  char *space;
  atomic_flag *slot =
      berth_slots_take(&run->product->slots, run->scratch, &space);
  for (int64_t item = begin; item < end; ++item) item_run(run, item, space);
  berth_slots_give(slot);
}

void berth_einsum_product_run(const berth_einsum_product_t *product,
                              void *const *inputs, void *out, void *scratch) {
  product_run_t run = {product, inputs[product->is_turned],
                       inputs[!product->is_turned], out, scratch};
  berth_slots_clear(&product->slots, scratch);
  (void)berth_parallel_for(product->items, product->grain, items_run, &run);
}
