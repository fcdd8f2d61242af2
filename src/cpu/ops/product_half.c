// product_half.c - Products of half that take less time than packing them does:
// pieces are made floats, which plain loops multiply.
//
//   many    small matrices of a batch, some at a time
//   long    a few lines that meet a few columns, a slice of both at a time
//
// Sums are floats and rounded once, as those of tiles are.
#include "base/parallel.h"
#include "cpu/loops/convert.h"
#include "cpu/ops/product.h"

enum {
  PIECE = 4096,   // Floats of each matrix, or of each few of them.
  LONG = 256,     // Numbers of a line from which it is cut.
  SHORTEST = 64,  // Of a slice: see berth_gemm_loops_t.
};

typedef struct product_run {
  const berth_cpu_product_t *product;
  const uint16_t *a, *b;
  uint16_t *c;
} product_run_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void multiply(const berth_cpu_product_t *product,
                     const berth_gemm_t *gemm, const float *a, const float *b,
                     float *c) {
  if (product->rows != NULL) {
    product->rows(gemm, a, b, c);
  } else {
    product->tile(gemm, a, b, c, NULL);
  }
}

// ---- Many ----

static int64_t largest_size(const berth_cpu_product_t *product) {
  int64_t size = product->gemm.m * product->gemm.n;
  if (product->a_size > size) size = product->a_size;
  return product->b_size > size ? product->b_size : size;
}

static void run_matrices(void *arg, int64_t begin, int64_t end) {
  const product_run_t *run = arg;
  const berth_cpu_product_t *product = run->product;
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  const int64_t a_step = product->a_even * product->a_size;
  const int64_t b_step = product->b_even * product->b_size;
  const int64_t size = product->gemm.m * product->gemm.n;
  const int64_t many = PIECE / largest_size(product);
  float a[PIECE], b[PIECE], c[PIECE];
  for (int64_t i = begin; i < end; i += many) {
    const int64_t n = least(end - i, many);
    loops->half_to_float(run->a + i * a_step, a,
                         a_step > 0 ? n * a_step : product->a_size);
    loops->half_to_float(run->b + i * b_step, b,
                         b_step > 0 ? n * b_step : product->b_size);
    for (int64_t k = 0; k < n; ++k) {
      multiply(product, &product->gemm, a + k * a_step, b + k * b_step,
               c + k * size);
    }
    loops->float_to_half(c, run->c + i * size, n * size);
  }
}

static product_run_t run_of(const berth_cpu_product_t *product,
                            void *const *args) {
  return (product_run_t){product, args[product->is_turned],
                         args[!product->is_turned], args[2]};
}

static berth_code_t run_many(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_cpu_product_t *product = plan;
  product_run_t run = run_of(product, args);
  (void)berth_parallel_for(product->batch, product->grain, run_matrices, &run);
  return BERTH_OK;
}

// ---- Long ----

static berth_code_t run_long(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_cpu_product_t *product = plan;
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  const product_run_t run = run_of(product, args);
  const int64_t m = product->gemm.m, n = product->gemm.n;
  const int64_t most = PIECE / (m > n ? m : n);
  float a[PIECE], b[PIECE], part[PIECE], sum[PIECE] = {0};
  berth_gemm_t gemm = product->gemm;
  for (int64_t p = 0, left = gemm.k; left > 0; p += gemm.k, left -= gemm.k) {
    gemm.k = least(left, most);
    if (left > most && left - most < SHORTEST) gemm.k = most - SHORTEST;
    gemm.a_row = gemm.k;
    for (int64_t i = 0; i < m; ++i) {
      loops->half_to_float(run.a + i * product->gemm.a_row + p, a + i * gemm.k,
                           gemm.k);
    }
    loops->half_to_float(run.b + p * n, b, gemm.k * n);
    multiply(product, &gemm, a, b, part);
    for (int64_t i = 0; i < m * n; ++i) sum[i] += part[i];
  }
  loops->float_to_half(sum, run.c, m * n);
  return BERTH_OK;
}

berth_run_fn berth_cpu_product_half(const berth_cpu_product_t *product) {
  const berth_gemm_t *gemm = &product->gemm;
  if (product->dtype != BERTH_HALF || gemm->k == 0 || product->is_turned) {
    return NULL;
  }
  if (product->batch > 1) {
    const bool is_even = product->a_even >= 0 && product->b_even >= 0;
    return is_even && largest_size(product) <= PIECE ? run_many : NULL;
  }
  const bool is_long = gemm->k >= LONG && gemm->n <= BERTH_GEMM_NARROW &&
                       gemm->m <= BERTH_GEMM_ROWS;
  const bool is_flat = gemm->a_col == 1 && gemm->b_col == 1 &&
                       gemm->b_row == gemm->n && gemm->n > 1;
  return is_long && is_flat ? run_long : NULL;
}
