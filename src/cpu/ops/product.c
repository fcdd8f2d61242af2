// product.c - Products of many matrices at once.
#include "cpu/ops/product.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "cpu/onednn.h"
#include "cpu/ops/chain.h"
#include "op/value.h"

enum {
  // Up to so many multiplications a product is made by plain loops, and up to
  // so many without packing; few rows by loops over rows.
  TINY = 64,
  SMALL = 8192,
  FEW_ROWS = 3,
  // From so many on a library is worth opening: a millisecond.
  HEAVY = 1 << 26,
};

// In picoseconds. A tile takes at most twenty-five milliseconds, so that a run
// can be interrupted. There are two tiles if each takes a fifth of a
// millisecond, eight if each takes one millisecond: more tiles mean more
// packing. A piece takes at least twenty microseconds.
#define TILE_COST 2.5e10
#define PAIR_COST 2e8
#define SHARE_COST 2e9
#define PIECE_COST 2e7

// One run.
typedef struct product_run {
  const berth_cpu_product_t *product;
  const char *a, *b;
  char *c, *scratch;
  atomic_bool has_no_memory;
  const berth_chain_t *chain;    // Finishes tiles of whole rows; or NULL.
  const berth_ending_t *ending;  // What tiles end with; or NULL.
} product_run_t;

// Returns which matrix of an input belongs to product |index| of the batch.
static int64_t batch_matrix(const berth_cpu_product_t *product,
                            const int64_t *steps, int64_t index) {
  int64_t matrix = 0;
  for (int32_t d = product->batch_rank - 1; d >= 0 && index > 0; --d) {
    matrix += index % product->batch_dims[d] * steps[d];
    index /= product->batch_dims[d];
  }
  return matrix;
}

// Computes |gemm| by oneDNN, or by the own loops where it refuses; false when
// memory is short.
static bool onednn_run(const berth_cpu_product_t *product,
                       const berth_gemm_t *gemm, const char *a, const char *b,
                       char *c) {
  berth_onednn_result_t result =
      berth_onednn_sgemm(gemm, (const float *)(const void *)a,
                         (const float *)(const void *)b, (float *)(void *)c);
  if (result != BERTH_ONEDNN_REFUSED) return result == BERTH_ONEDNN_DONE;
  enum { ALIGNED = 64 };
  char *space = berth_alloc((size_t)berth_gemm_space(gemm->m, gemm->n, gemm->k,
                                                     product->element_size) +
                            ALIGNED);
  if (space == NULL) return false;
  product->tile(gemm, a, b, c,
                space + (-(uintptr_t)space & (uintptr_t)(ALIGNED - 1)));
  berth_free(space);
  return true;
}

static bool has_steps(const berth_cpu_product_t *product,
                      const int64_t *steps) {
  for (int32_t d = 0; d < product->batch_rank; ++d) {
    if (product->batch_dims[d] > 1 && steps[d] != 0) return true;
  }
  return false;
}

// Returns how far matrices of an input are apart that follow each other in the
// batch; -1: unevenly.
static int64_t even_step(const berth_cpu_product_t *product,
                         const int64_t *steps) {
  int64_t next = 0;
  for (int32_t d = product->batch_rank - 1; d >= 0; --d) {
    if (product->batch_dims[d] == 1) continue;
    if (next != 0 && steps[d] != next) return -1;
    if (next == 0 && steps[d] != 0 && steps[d] != 1) return -1;
    if (next == 0 && steps[d] == 0) return has_steps(product, steps) ? -1 : 0;
    next = steps[d] * product->batch_dims[d];
  }
  return next > 0;
}

// Computes one item in |space|; false when memory is short.
static bool item_run(const product_run_t *run, int64_t item, void *space) {
  const berth_cpu_product_t *product = run->product;
  int64_t tiles = product->tiles_m * product->tiles_n;
  int64_t index = item / tiles;
  int64_t i = item % tiles / product->tiles_n * product->tile_m;
  int64_t j = item % tiles % product->tiles_n * product->tile_n;
  berth_gemm_t gemm = product->gemm;
  int64_t a = batch_matrix(product, product->a_steps, index) * product->a_size +
              i * gemm.a_row;
  int64_t b = batch_matrix(product, product->b_steps, index) * product->b_size +
              j * gemm.b_col;
  int64_t c = index * gemm.m * gemm.n + i * gemm.c_row + j;
  gemm.m = gemm.m - i < product->tile_m ? gemm.m - i : product->tile_m;
  gemm.n = gemm.n - j < product->tile_n ? gemm.n - j : product->tile_n;
  const char *from_a = run->a + a * product->element_size;
  const char *from_b = run->b + b * product->element_size;
  char *to = run->c + c * product->element_size;
  if (product->is_onednn) {
    if (!onednn_run(product, &gemm, from_a, from_b, to)) return false;
  } else if (product->rows != NULL) {
    product->rows(&gemm, from_a, from_b, to);
  } else {
    berth_ending_t ending;
    if (run->ending != NULL) {
      ending = berth_ending_at(run->ending, c, j);
      gemm.ending = &ending;
    }
    product->tile(&gemm, from_a, from_b, to, space);
  }
  if (run->chain != NULL) berth_chain_finish(run->chain, c, gemm.m * gemm.n);
  return true;
}

// Computes products of small matrices that lie evenly apart: little but calls.
static void matrices_run(void *arg, int64_t begin, int64_t end) {
  const product_run_t *run = arg;
  const berth_cpu_product_t *product = run->product;
  int64_t size = product->element_size;
  int64_t a_step = product->a_even * product->a_size * size;
  int64_t b_step = product->b_even * product->b_size * size;
  int64_t c_step = product->gemm.m * product->gemm.n * size;
  const char *a = run->a + begin * a_step, *b = run->b + begin * b_step;
  char *c = run->c + begin * c_step;
  for (int64_t i = begin; i < end; ++i) {
    if (product->rows != NULL) {
      product->rows(&product->gemm, a, b, c);
    } else {
      product->tile(&product->gemm, a, b, c, NULL);
    }
    a += a_step;
    b += b_step;
    c += c_step;
  }
}

static void items_run(void *arg, int64_t begin, int64_t end) {
  product_run_t *run = arg;
  if (atomic_load_explicit(&run->has_no_memory, memory_order_relaxed)) return;
  char *space = NULL;
  const berth_slots_t *slots = &run->product->slots;
  atomic_flag *slot =
      slots->count > 0 ? berth_slots_take(slots, run->scratch, &space) : NULL;
  for (int64_t item = begin; item < end; ++item) {
    if (!item_run(run, item, space)) {
      atomic_store(&run->has_no_memory, true);
      break;
    }
  }
  if (slot != NULL) berth_slots_give(slot);
}

// As the head of |chain|, which may be NULL.
static berth_code_t run_tiles(const void *plan, void *const *args,
                              const berth_chain_t *chain, berth_call_t *call) {
  const berth_cpu_product_t *product = plan;
  bool has_rows = product->tiles_n == 1;
  berth_ending_t ending;
  product_run_t run = {.product = product,
                       .a = (const char *)args[product->is_turned] +
                            product->a_first * product->element_size,
                       .b = (const char *)args[!product->is_turned] +
                            product->b_first * product->element_size,
                       .c = args[2],
                       .scratch = product->slots.count > 0 ? args[3] : NULL,
                       .chain = has_rows ? chain : NULL,
                       .ending = berth_chain_ending(chain, &ending)};
  if (run.ending != NULL) run.chain = chain = NULL;
  berth_slots_clear(&product->slots, run.scratch);
  int64_t items = product->batch * product->tiles_m * product->tiles_n;
  bool is_even = product->is_even && chain == NULL && run.ending == NULL;
  if (!berth_parallel_for(items, product->grain,
                          is_even ? matrices_run : items_run, &run)) {
    return BERTH_OK;  // It was ended.
  }
  if (!atomic_load(&run.has_no_memory)) {
    if (chain != NULL && !has_rows) berth_chain_finish_all(chain);
    return BERTH_OK;
  }
  return berth_error_set(call->err, BERTH_RESOURCE_EXHAUSTED,
                         "oneDNN had no memory for the product of %lld x %lld "
                         "and %lld x %lld floats; the host is short of it",
                         (long long)product->gemm.m, (long long)product->gemm.k,
                         (long long)product->gemm.k,
                         (long long)product->gemm.n);
}

static berth_code_t run_wide(const void *plan, void *const *args,
                             berth_call_t *call) {
  return run_tiles(plan, args, NULL, call);
}

// One small product of floats: a call and little more.
static berth_code_t run_tiny(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_gemm_t *gemm = &((const berth_cpu_product_t *)plan)->gemm;
  const float *a = args[0], *b = args[1];
  float *c = args[2];
  int64_t m = gemm->m, n = gemm->n, k = gemm->k;
  for (int64_t i = 0; i < m; ++i, a += gemm->a_row) {
    for (int64_t j = 0; j < n; ++j) {
      const float *x = a, *y = b + j * gemm->b_col;
      float sum = 0;
      for (int64_t p = 0; p < k; ++p, x += gemm->a_col, y += gemm->b_row) {
        sum += *x * *y;
      }
      *c++ = sum;
    }
  }
  return BERTH_OK;
}

// One product that the loops over rows do alone.
static berth_code_t run_rows(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_cpu_product_t *product = plan;
  product->rows(&product->gemm, args[product->is_turned],
                args[!product->is_turned], args[2]);
  return BERTH_OK;
}

// Other products as heads of |chain|.
static berth_code_t run_then_finish(const void *plan, void *const *args,
                                    const berth_chain_t *chain,
                                    berth_call_t *call) {
  const berth_cpu_product_t *product = plan;
  BERTH_TRY(product->run(plan, args, call));
  berth_chain_finish_all(chain);
  return BERTH_OK;
}

// Makes one product of a batch whose matrices A, which lie one behind the other,
// all meet the same B.
static void fold(berth_cpu_product_t *product) {
  berth_gemm_t *gemm = &product->gemm;
  int64_t step = 1;
  if (product->batch == 1 || gemm->a_col != 1 || gemm->a_row != gemm->k) return;
  for (int32_t d = product->batch_rank - 1; d >= 0; --d) {
    if (product->batch_dims[d] == 1) continue;
    if (product->a_steps[d] != step || product->b_steps[d] != 0) return;
    step *= product->batch_dims[d];
  }
  gemm->m *= product->batch;
  product->batch = 1;
}

// Makes a product with one column the product of one row, the other way round.
static void turn(berth_cpu_product_t *product) {
  berth_gemm_t *gemm = &product->gemm;
  berth_gemm_t turned = {.m = 1,
                         .n = gemm->m,
                         .k = gemm->k,
                         .a_row = 0,
                         .a_col = gemm->b_row,
                         .b_row = gemm->a_col,
                         .b_col = gemm->a_row,
                         .c_row = gemm->m,
                         .conj_a = gemm->conj_b,
                         .conj_b = gemm->conj_a};
  *gemm = turned;
  const int64_t *steps = product->a_steps;
  product->a_steps = product->b_steps;
  product->b_steps = steps;
  int64_t size = product->a_size;
  product->a_size = product->b_size;
  product->b_size = size;
  product->is_turned = true;
}

// Multiplications of one product; as a double it does not overflow.
static double product_work(const berth_cpu_product_t *product) {
  const berth_gemm_t *gemm = &product->gemm;
  return (double)gemm->m * (double)gemm->n * (double)gemm->k;
}

// Cuts |count| rows or columns into equal tiles of about |most|, each a
// multiple of |step|.
static void cut(int64_t count, int64_t most, int64_t step, int64_t *out_size,
                int64_t *out_tiles) {
  int64_t tiles = count > most ? (count + most - 1) / most : 1;
  int64_t size = (count + tiles - 1) / tiles;
  size = (size + step - 1) / step * step;
  *out_size = size;
  *out_tiles = count > 0 ? (count + size - 1) / size : 1;
}

// True when the loops over rows can do it, and do it best.
static bool suits_rows(const berth_gemm_t *gemm, double work) {
  enum { LONG = 256 };
  bool fits = gemm->b_col == 1 || (gemm->b_row == 1 && gemm->a_col == 1);
  // Lines of A are longer than what is made of them.
  if (gemm->n > 1 && gemm->n <= BERTH_GEMM_NARROW && gemm->a_col == 1 &&
      gemm->k >= LONG) {
    return fits;
  }
  return fits && gemm->m <= FEW_ROWS && (gemm->m == 1 || work > SMALL);
}

// True when B is not worth packing: it is small, or fits where it is copied to.
static bool suits_plain(const berth_gemm_t *gemm, double work) {
  enum { NARROW = 16, SHALLOW = 128 };
  return work <= SMALL || (gemm->n <= NARROW && gemm->k <= SHALLOW);
}

// True when oneDNN is worth it: not for A and B both transposed, where own
// loops are faster.
static bool suits_onednn(const berth_gemm_t *gemm, double work) {
  return work >= HEAVY && gemm->m > FEW_ROWS && gemm->n > FEW_ROWS &&
         (gemm->a_col == 1 || gemm->b_col == 1) && berth_onednn_ready();
}

berth_gemm_fn berth_cpu_product_tile(berth_dtype_t dtype) {
  const berth_gemm_loops_t *loops = BERTH_ISA_PICK(berth_cpu_gemm_loops);
  const berth_gemm_plain_t *plain = BERTH_ISA_PICK(berth_cpu_gemm_plain);
  switch (dtype) {
    case BERTH_FLOAT:
      return loops->f32;
    case BERTH_DOUBLE:
      return loops->f64;
    case BERTH_HALF:
      return loops->half;
    case BERTH_BFLOAT16:
      return loops->bfloat16;
    case BERTH_INT16:
      return plain->int16;
    case BERTH_INT32:
      return plain->int32;
    case BERTH_INT64:
      return plain->int64;
    case BERTH_COMPLEX64:
      return plain->complex64;
    default:
      return plain->complex128;
  }
}

berth_gemm_pack_fn berth_cpu_product_pack(berth_dtype_t dtype) {
  const berth_gemm_loops_t *loops = BERTH_ISA_PICK(berth_cpu_gemm_loops);
  switch (dtype) {
    case BERTH_FLOAT:
      return loops->pack_f32;
    case BERTH_DOUBLE:
      return loops->pack_f64;
    case BERTH_HALF:
      return loops->pack_half;
    case BERTH_BFLOAT16:
      return loops->pack_bfloat16;
    default:
      return NULL;
  }
}

static void choose_loops(berth_cpu_product_t *product, double work) {
  const berth_gemm_loops_t *loops = BERTH_ISA_PICK(berth_cpu_gemm_loops);
  const berth_gemm_plain_t *plain = BERTH_ISA_PICK(berth_cpu_gemm_plain);
  bool is_float = product->dtype == BERTH_FLOAT || product->half != NULL;
  product->tile = berth_cpu_product_tile(product->dtype);
  if (!is_float && product->dtype != BERTH_DOUBLE) return;
  product->is_onednn =
      product->dtype == BERTH_FLOAT && suits_onednn(&product->gemm, work);
  if (suits_rows(&product->gemm, work)) {
    product->rows = is_float ? loops->f32_rows : loops->f64_rows;
  } else if (suits_plain(&product->gemm, work)) {
    product->is_plain = true;
    product->tile = is_float ? plain->f32 : plain->f64;
  }
}

// Returns picoseconds for one multiplication, about.
static double unit_cost(const berth_cpu_product_t *product) {
  switch (product->dtype) {
    case BERTH_FLOAT:
      return product->rows != NULL ? 60 : 20;
    case BERTH_DOUBLE:
      return product->rows != NULL ? 120 : 40;
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return 25;
    case BERTH_INT16:
    case BERTH_INT32:
      return 40;
    default:
      return 120;
  }
}

static void cut_all(berth_cpu_product_t *product, int64_t rows, int64_t cols) {
  cut(product->gemm.m, rows, product->is_onednn ? 16 : BERTH_GEMM_ROWS,
      &product->tile_m, &product->tiles_m);
  cut(product->gemm.n, cols, BERTH_GEMM_COLS, &product->tile_n,
      &product->tiles_n);
}

// Picoseconds for one tile.
static double tile_cost(const berth_cpu_product_t *product, double cost) {
  return (double)product->tile_m * (double)product->tile_n *
         (double)product->gemm.k * cost;
}

// True when |product| would gain from smaller tiles.
static bool wants_more_tiles(const berth_cpu_product_t *product, double cost) {
  int64_t items = product->batch * product->tiles_m * product->tiles_n;
  double item = tile_cost(product, cost);
  return item > TILE_COST || (items < 2 && item > PAIR_COST) ||
         (items < 4 && item > SHARE_COST);
}

static void choose_tiles(berth_cpu_product_t *product, double cost) {
  int64_t rows = BERTH_GEMM_TILE, cols = BERTH_GEMM_TILE;
  // oneDNN likes larger tiles, where there are enough of them.
  if (product->is_onednn && product->gemm.m >= 4 * rows &&
      product->gemm.n >= 4 * cols) {
    rows *= 2;
  }
  cut_all(product, rows, cols);
  while (rows + cols > 128 && wants_more_tiles(product, cost)) {
    int64_t tile_m = product->tile_m, tile_n = product->tile_n;
    // The longer side is halved: square tiles pack least.
    if (product->tile_m >= product->tile_n) {
      rows = product->tile_m / 2;
    } else {
      cols = product->tile_n / 2;
    }
    cut_all(product, rows, cols);
    // No tile is smaller than the loops' own: a few long rows stay few tiles.
    if (product->tile_m == tile_m && product->tile_n == tile_n) break;
  }
  double item = tile_cost(product, cost);
  product->grain =
      item >= PIECE_COST ? 1 : (int64_t)(PIECE_COST / (item + 1)) + 1;
}

static bool needs_space(const berth_cpu_product_t *product) {
  return product->rows == NULL && !product->is_onednn && !product->is_plain &&
         (product->dtype == BERTH_FLOAT || product->dtype == BERTH_DOUBLE ||
          product->dtype == BERTH_HALF || product->dtype == BERTH_BFLOAT16);
}

static void choose_space(berth_cpu_product_t *product,
                         berth_prepare_t *prepare) {
  if (!needs_space(product)) return;
  int64_t items = product->batch * product->tiles_m * product->tiles_n;
  int64_t pieces = (items + product->grain - 1) / product->grain;
  int64_t m =
      product->gemm.m < product->tile_m ? product->gemm.m : product->tile_m;
  product->slots = berth_slots_for(
      pieces, berth_gemm_space(m, product->tile_n, product->gemm.k,
                               product->element_size));
  prepare->scratch_size = (size_t)berth_slots_bytes(&product->slots);
}

// Says |product| in strides. It has elements.
static void describe(const berth_product_t *product, berth_cpu_product_t *to) {
  int64_t a_cols = berth_product_a_cols(product);
  int64_t b_cols = berth_product_b_cols(product);
  bool turn_a = product->transpose_a, turn_b = product->transpose_b;
  to->gemm = (berth_gemm_t){.m = product->m,
                            .n = product->n,
                            .k = product->k,
                            .a_row = turn_a ? 1 : a_cols,
                            .a_col = turn_a ? a_cols : 1,
                            .b_row = turn_b ? 1 : b_cols,
                            .b_col = turn_b ? b_cols : 1,
                            .c_row = product->n,
                            .conj_a = product->conj_a,
                            .conj_b = product->conj_b};
  to->dtype = product->dtype;
  to->row = product->n;
  to->batch = product->batch;
  to->batch_rank = product->batch_rank;
  to->batch_dims = product->batch_dims;
  to->a_steps = product->a_steps;
  to->b_steps = product->b_steps;
  to->a_size = product->m * product->k;
  to->b_size = product->k * product->n;
  to->element_size = (int64_t)berth_dtype_size(product->dtype);
}

// Chooses the loops, the tiles and the space of |product|, which is described.
static void arrange(berth_cpu_product_t *product, berth_prepare_t *prepare) {
  double work = product_work(product);
  product->a_even = even_step(product, product->a_steps);
  product->b_even = even_step(product, product->b_steps);
  if (suits_rows(&product->gemm, work) || suits_plain(&product->gemm, work)) {
    product->half = berth_cpu_product_half(product);
  }
  choose_loops(product, work);
  double cost = unit_cost(product);
  choose_tiles(product, cost);
  double total = work * (double)product->batch * cost / 1000;
  prepare->work = total < 1e18 ? (int64_t)total : INT64_MAX / 2;
  if (product->half != NULL) {
    prepare->run = product->half;
  } else if (product->batch == 1 && work <= TINY &&
             product->dtype == BERTH_FLOAT && !product->is_turned) {
    prepare->run = run_tiny;
  } else if (product->batch == 1 && product->rows != NULL &&
             total < 2 * PIECE_COST / 1000) {
    prepare->run = run_rows;
  } else {
    choose_space(product, prepare);
    product->is_even = product->tiles_m * product->tiles_n == 1 &&
                       product->slots.count == 0 && !product->is_onednn &&
                       product->a_even >= 0 && product->b_even >= 0;
    prepare->run = run_wide;
  }
  product->run = prepare->run;
}

// True when elements are sums in the one order that tiles have.
static bool has_tiles(const berth_cpu_product_t *product) {
  return product->run == run_wide && product->rows == NULL &&
         !product->is_onednn && !product->is_plain && !product->is_turned &&
         product->batch == 1;
}

// Describes the product of some rows of A and some columns of B. As term.cut.
static berth_code_t cut_out(const void *plan, berth_prepare_t *prepare,
                            const berth_cutout_t *window,
                            berth_fused_t *out_step, berth_error_t *err) {
  const berth_cpu_product_t *whole = plan;
  if (!has_tiles(whole) || window->rows < 1 || window->cols < 1) {
    return BERTH_UNIMPLEMENTED;
  }
  berth_cpu_product_t *part =
      berth_arena_memdup(prepare->op.arena, whole, sizeof(*part));
  berth_cpu_term_t *head =
      berth_arena_memdup(prepare->op.arena, out_step->term, sizeof(*head));
  if (part == NULL || head == NULL) return berth_error_no_memory(err, "a plan");
  part->gemm.m = window->rows;
  part->gemm.n = part->gemm.c_row = part->row = window->cols;
  part->a_first = window->row * whole->gemm.a_row;
  part->b_first = window->col * whole->gemm.b_col;
  part->slots = (berth_slots_t){0};
  berth_prepare_t made = {.op = prepare->op, .device = prepare->device};
  arrange(part, &made);
  if (!has_tiles(part)) return BERTH_UNIMPLEMENTED;
  head->term.count = window->rows * window->cols;
  head->term.row = window->cols;
  out_step->term = &head->term;
  out_step->run = made.run;
  out_step->plan = part;
  out_step->scratch_size = made.scratch_size;
  out_step->work = made.work;
  return BERTH_OK;
}

// Chooses how |product|, which is described, is computed.
static berth_code_t choose(berth_cpu_product_t *product,
                           berth_prepare_t *prepare, berth_error_t *err) {
  fold(product);
  if (product->gemm.n == 1 && product->gemm.m > 1) turn(product);
  arrange(product, prepare);
  berth_cpu_term_t *head = NULL;
  BERTH_TRY(berth_cpu_head(prepare, product->row, (size_t)product->element_size,
                           &head, err));
  head->run = prepare->run == run_wide ? run_tiles : run_then_finish;
  // Tiles that add nothing up end with zeros.
  head->ends = prepare->run == run_wide && product->dtype == BERTH_FLOAT &&
               product->rows == NULL && !product->is_onednn &&
               !product->is_plain && !product->is_turned && product->gemm.k > 0;
  // One slice alone: sums are stored when they are whole.
  head->ends_in_place = head->ends && product->gemm.k <= BERTH_GEMM_DEPTH;
  head->cut = cut_out;
  return BERTH_OK;
}

berth_code_t berth_cpu_product_plan(berth_prepare_t *prepare,
                                    const berth_product_t *product,
                                    berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (product->batch <= 0 || product->m == 0 || product->n == 0) {
    return BERTH_OK;
  }
  berth_cpu_product_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "the plan of a product");
  describe(product, plan);
  return choose(plan, prepare, err);
}
