// factor_rows_isa.c - What decompositions do to rows of doubles most of the
// time.
#include <stdbool.h>

#include "cpu/loops/factor_rows.h"
#include "cpu/loops/simd.h"

typedef berth_f64v_t vector_t;

enum { LANES = BERTH_F64_LANES };

// ---- Sums ----

// Adds |rows| rows (a constant), or stores them.
static BERTH_INLINE void sum_rows(const int rows, const double *row,
                                  int64_t step, int64_t columns,
                                  const double *factors, int64_t factor_step,
                                  bool adds, double *out) {
  double factor[4];
  BERTH_UNROLL
  for (int i = 0; i < rows; ++i) factor[i] = factors[i * factor_step];
  int64_t j = 0;
  for (; j + LANES <= columns; j += LANES) {
    vector_t sum = adds ? berth_f64v_load(out + j) : berth_f64v_splat(0);
    BERTH_UNROLL
    for (int i = 0; i < rows; ++i) {
      sum = berth_f64v_fma(berth_f64v_load(row + i * step + j),
                           berth_f64v_splat(factor[i]), sum);
    }
    berth_f64v_store(out + j, sum);
  }
  for (; j < columns; ++j) {
    double sum = adds ? out[j] : 0;
    for (int i = 0; i < rows; ++i) sum += row[i * step + j] * factor[i];
    out[j] = sum;
  }
}

static void sum(const berth_factor_block_t *block, const double *factors,
                int64_t factor_step, double *out) {
  int64_t i = 0;
  for (; i + 4 <= block->rows; i += 4) {
    sum_rows(4, block->at + i * block->step, block->step, block->columns,
             factors + i * factor_step, factor_step, i > 0, out);
  }
  for (; i < block->rows; ++i) {
    sum_rows(1, block->at + i * block->step, block->step, block->columns,
             factors + i * factor_step, factor_step, i > 0, out);
  }
  if (block->rows == 0) {
    memset(out, 0, (size_t)block->columns * sizeof(*out));
  }
}

// ---- Work ----

// |terms|, |dots| and |adds| are constants. Returns the sums of dots in |out|.
static BERTH_INLINE void work_row(const int terms, const int dots,
                                  const bool adds,
                                  const berth_factor_work_t *work, int64_t i,
                                  double *row, int64_t columns, double out[2]) {
  double factor[4], share[2];
  vector_t sums[2] = {berth_f64v_splat(0), berth_f64v_splat(0)};
  double rest[2] = {0, 0};
  BERTH_UNROLL
  for (int t = 0; t < terms; ++t) {
    factor[t] = -work->factors[t][i * work->factor_step];
  }
  BERTH_UNROLL
  for (int d = 0; d < dots; ++d) {
    share[d] = adds ? work->shares[d][i * work->factor_step] : 0;
  }
  int64_t j = 0;
  for (; j + LANES <= columns; j += LANES) {
    vector_t x = berth_f64v_load(row + j);
    BERTH_UNROLL
    for (int t = 0; t < terms; ++t) {
      x = berth_f64v_fma(berth_f64v_load(work->arrays[t] + j),
                         berth_f64v_splat(factor[t]), x);
    }
    if (terms > 0) berth_f64v_store(row + j, x);
    BERTH_UNROLL
    for (int d = 0; d < dots; ++d) {
      sums[d] =
          berth_f64v_fma(x, berth_f64v_load(work->others[d] + j), sums[d]);
      if (!adds) continue;
      double *to = work->adds[d] + j;
      berth_f64v_store(to, berth_f64v_fma(x, berth_f64v_splat(share[d]),
                                          berth_f64v_load(to)));
    }
  }
  for (; j < columns; ++j) {
    for (int t = 0; t < terms; ++t) row[j] += work->arrays[t][j] * factor[t];
    for (int d = 0; d < dots; ++d) {
      rest[d] += row[j] * work->others[d][j];
      if (adds) work->adds[d][j] += row[j] * share[d];
    }
  }
  BERTH_UNROLL
  for (int d = 0; d < dots; ++d) out[d] = berth_f64v_sum(sums[d]) + rest[d];
}

#define WORK(terms, dots)                                                   \
  static BERTH_NOINLINE void work_##terms##_##dots(                         \
      const berth_factor_block_t *block, const berth_factor_work_t *work) { \
    for (int64_t i = 0; i < block->rows; ++i) {                             \
      double out[2];                                                        \
      work_row(terms, dots, false, work, i, block->at + i * block->step,    \
               block->columns, out);                                        \
      for (int d = 0; d < (dots); ++d) {                                    \
        work->sums[d][i * work->sum_step] = out[d];                         \
      }                                                                     \
    }                                                                       \
  }
WORK(1, 0)
WORK(2, 0)
WORK(0, 1)
WORK(0, 2)

static void work(const berth_factor_block_t *block,
                 const berth_factor_work_t *what) {
  switch (what->terms * 4 + what->dots) {
    case 4:
      work_1_0(block, what);
      break;
    case 8:
      work_2_0(block, what);
      break;
    case 1:
      work_0_1(block, what);
      break;
    default:
      work_0_2(block, what);
      break;
  }
}

// |parts| is a constant.
static BERTH_INLINE void lower_rows(const int parts,
                                    const berth_factor_block_t *block,
                                    const berth_factor_work_t *work) {
  for (int64_t i = 0; i < block->rows; ++i) {
    double *row = block->at + i * block->step, out[2];
    work_row(2 * parts, parts, true, work, i, row, i * parts, out);
    for (int64_t j = i * parts; j < (i + 1) * parts; ++j) {
      for (int t = 0; t < 2 * parts; ++t) {
        row[j] -= work->arrays[t][j] * work->factors[t][i * parts];
      }
      for (int d = 0; d < parts; ++d) out[d] += row[j] * work->others[d][j];
    }
    for (int d = 0; d < parts; ++d) work->sums[d][i * parts] = out[d];
  }
}

static BERTH_NOINLINE void lower_1(const berth_factor_block_t *block,
                                   const berth_factor_work_t *work) {
  lower_rows(1, block, work);
}

static BERTH_NOINLINE void lower_2(const berth_factor_block_t *block,
                                   const berth_factor_work_t *work) {
  lower_rows(2, block, work);
}

static void lower(const berth_factor_block_t *block,
                  const berth_factor_work_t *what, int parts) {
  (parts == 1 ? lower_1 : lower_2)(block, what);
}

// ---- Turns ----

enum { WIDE = 4 };  // Vectors of a stripe.
_Static_assert((int)WIDE *(int)LANES <= (int)BERTH_FACTOR_STRIPE,
               "a stripe fits");

// Turns a stripe of |wide| vectors (a constant). Row b of a turn is row a of
// the next one, as a rule, and stays in registers.
static BERTH_INLINE void turn_stripe(const int wide, double *at, int64_t step,
                                     const berth_factor_turn_t *turns,
                                     int64_t count) {
  vector_t held[WIDE];
  double *place = at + turns[0].a * step;
  BERTH_UNROLL
  for (int j = 0; j < wide; ++j) held[j] = berth_f64v_load(place + j * LANES);
  for (int64_t k = 0; k < count; ++k) {
    const berth_factor_turn_t *turn = &turns[k];
    double *a = at + turn->a * step, *b = at + turn->b * step;
    if (a != place) {
      BERTH_UNROLL
      for (int j = 0; j < wide; ++j) {
        berth_f64v_store(place + j * LANES, held[j]);
        held[j] = berth_f64v_load(a + j * LANES);
      }
    }
    vector_t c = berth_f64v_splat(turn->c), s = berth_f64v_splat(turn->s);
    BERTH_UNROLL
    for (int j = 0; j < wide; ++j) {
      vector_t x = held[j], y = berth_f64v_load(b + j * LANES);
      berth_f64v_store(a + j * LANES, berth_f64v_fma(x, c, y * s));
      held[j] = y * c - x * s;
    }
    place = b;
  }
  BERTH_UNROLL
  for (int j = 0; j < wide; ++j) berth_f64v_store(place + j * LANES, held[j]);
}

// Copies a stripe of all rows: rows that lie far apart share few places of a
// cache.
static void copy_stripe(const double *from, int64_t from_step, int64_t rows,
                        double *to, int64_t to_step) {
  for (int64_t i = 0; i < rows; ++i, from += from_step, to += to_step) {
    memcpy(to, from, WIDE * LANES * sizeof(double));
  }
}

static void turn(const berth_factor_block_t *block,
                 const berth_factor_turn_t *turns, int64_t count,
                 double *stripe) {
  enum { SIZE = WIDE * LANES };
  int64_t j = 0, rows = block->rows;
  if (count == 0) return;
  for (; j + SIZE <= block->columns; j += SIZE) {
    if (count < rows) {
      turn_stripe(WIDE, block->at + j, block->step, turns, count);
      continue;
    }
    copy_stripe(block->at + j, block->step, rows, stripe, SIZE);
    turn_stripe(WIDE, stripe, SIZE, turns, count);
    copy_stripe(stripe, SIZE, rows, block->at + j, block->step);
  }
  for (; j + LANES <= block->columns; j += LANES) {
    turn_stripe(1, block->at + j, block->step, turns, count);
  }
  for (int64_t k = 0; j < block->columns && k < count; ++k) {
    double *a = block->at + turns[k].a * block->step;
    double *b = block->at + turns[k].b * block->step;
    for (int64_t i = j; i < block->columns; ++i) {
      double x = a[i], y = b[i];
      a[i] = x * turns[k].c + y * turns[k].s;
      b[i] = y * turns[k].c - x * turns[k].s;
    }
  }
}

// ---- Folds ----

static void fold(double *const rows[3], int64_t count, const double v[3],
                 double tau) {
  double *a = rows[0], *b = rows[1], *c = rows[2];
  double second = v[1] * tau, third = v[2] * tau;
  int64_t j = 0;
  for (; j + LANES <= count; j += LANES) {
    vector_t x = berth_f64v_load(a + j), y = berth_f64v_load(b + j);
    vector_t z = berth_f64v_load(c + j);
    vector_t sum = y * v[1] + z * v[2] + x;
    berth_f64v_store(a + j, x - sum * tau);
    berth_f64v_store(b + j, y - sum * second);
    berth_f64v_store(c + j, z - sum * third);
  }
  for (; j < count; ++j) {
    double sum = b[j] * v[1] + c[j] * v[2] + a[j];
    a[j] -= sum * tau;
    b[j] -= sum * second;
    c[j] -= sum * third;
  }
}

// ---- Pairs ----

// Returns |x| with the parts of its numbers exchanged.
static BERTH_INLINE vector_t exchanged(vector_t x) {
#if BERTH_VECTOR_BYTES == 64
  return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
#elif BERTH_VECTOR_BYTES == 32
  return __builtin_shufflevector(x, x, 1, 0, 3, 2);
#else
  return __builtin_shufflevector(x, x, 1, 0);
#endif
}

static BERTH_INLINE void pairs_store(double *to, double re, double im) {
  to[0] = re;
  to[1] = im;
}

static void pairs(double *a, double *b, int64_t count, const double *f) {
  static const double signs[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
  vector_t re[4], im[4];
  int64_t j = 0;
  BERTH_UNROLL
  for (int i = 0; i < 4; ++i) {
    re[i] = berth_f64v_splat(f[2 * i]);
    im[i] = berth_f64v_load(signs) * f[2 * i + 1];
  }
  for (; j + LANES <= count; j += LANES) {
    vector_t x = berth_f64v_load(a + j), y = berth_f64v_load(b + j);
    vector_t u = exchanged(x), v = exchanged(y);
    vector_t p = berth_f64v_fma(u, im[0], x * re[0]);
    vector_t q = berth_f64v_fma(u, im[3], x * re[3]);
    p = berth_f64v_fma(v, im[1], berth_f64v_fma(y, re[1], p));
    q = berth_f64v_fma(v, im[2], berth_f64v_fma(y, re[2], q));
    berth_f64v_store(a + j, p);
    berth_f64v_store(b + j, q);
  }
  for (; j < count; j += 2) {
    double x = a[j], u = a[j + 1], y = b[j], v = b[j + 1];
    pairs_store(a + j, x * f[0] - u * f[1] + y * f[2] - v * f[3],
                u * f[0] + x * f[1] + v * f[2] + y * f[3]);
    pairs_store(b + j, x * f[6] - u * f[7] + y * f[4] - v * f[5],
                u * f[6] + x * f[7] + v * f[4] + y * f[5]);
  }
}

const berth_factor_rows_t BERTH_ISA(berth_cpu_factor_rows) = {
    sum, work, lower, turn, fold, pairs};
