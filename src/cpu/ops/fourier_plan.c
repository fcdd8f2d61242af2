// fourier_plan.c - What is computed once for Fourier transforms of a length.
#include "cpu/ops/fourier_plan.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum {
  ALIGNED = 64,
  // Up to so many numbers a row is short: lanes are rows.
  SHORT = 128,
  // So many rows are short for longer, and convolutions among them.
  SHORT_MANY = 512,
};

// ---- Tables ----

static void *table_make(const berth_fourier_maker_t *maker, int64_t numbers) {
  size_t size = (size_t)numbers * (maker->is_wide ? 16 : 8);
  char *block = berth_arena_alloc(maker->arena, size + ALIGNED);
  if (block == NULL) return NULL;
  return block + (-(uintptr_t)block & (uintptr_t)(ALIGNED - 1));
}

// Stores one part of a number.
static void part_set(const berth_fourier_maker_t *maker, void *table,
                     int64_t at, double x) {
  if (maker->is_wide) {
    ((double *)table)[at] = x;
  } else {
    ((float *)table)[at] = (float)x;
  }
}

// Stores cosine and sine of -2 pi k / n. The angle is brought below an eighth
// of a circle first, where both are exact.
static void turn_of(int64_t k, int64_t n, double out[2]) {
  int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n;
  bool is_late = 2 * rest > n;
  double angle = M_PI_2 * (double)(is_late ? n - rest : rest) / (double)n;
  double c = is_late ? sin(angle) : cos(angle);
  double s = is_late ? cos(angle) : sin(angle);
  double turned[4][2] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};
  memcpy(out, turned[quarter & 3], sizeof(turned[0]));
}

static void turn_set(const berth_fourier_maker_t *maker, void *table,
                     int64_t at, int64_t k, int64_t n) {
  double turn[2];
  turn_of(k % n, n, turn);
  part_set(maker, table, 2 * at, turn[0]);
  part_set(maker, table, 2 * at + 1, turn[1]);
}

const void *berth_fourier_plan_turns(const berth_fourier_maker_t *maker,
                                     int64_t n, int64_t count) {
  void *turns = table_make(maker, count);
  for (int64_t k = 0; turns != NULL && k < count; ++k) {
    turn_set(maker, turns, k, k, n);
  }
  return turns;
}

// ---- Factors ----

// Returns the factor to take from |n| next: one with code of its own, or its
// least prime factor.
static int32_t next_factor(int64_t n) {
  static const int32_t factors[] = {8, 4, 2, 3, 5};
  // Two fours are better than an eight and a two.
  if (n % 16 == 0 && n % 32 != 0) return 4;
  for (int i = 0; i < BERTH_COUNT_OF(factors); ++i) {
    if (n % factors[i] == 0) return factors[i];
  }
  for (int32_t p = 7; p <= BERTH_SPECTRUM_PRIME; p += 2) {
    if (n % p == 0) return p;
  }
  return 0;
}

static bool is_smooth(int64_t n) {
  while (n > 1) {
    int32_t factor = next_factor(n);
    if (factor == 0) return false;
    n /= factor;
  }
  return true;
}

// Returns the length of a convolution for |n| numbers.
static int64_t convolution_of(int64_t n) {
  static const int64_t odd[] = {1, 3, 5, 9, 15};
  int64_t best = INT64_MAX;
  for (int i = 0; i < BERTH_COUNT_OF(odd); ++i) {
    int64_t size = 16 * odd[i];
    while (size < 2 * n - 1) size *= 2;
    if (size < best) best = size;
  }
  return best;
}

// Makes the tables of factor |i|, with |m| for what is left.
static bool factor_make(const berth_fourier_maker_t *maker, int32_t i,
                        int64_t m, berth_spectrum_lanes_t *lanes) {
  int64_t r = lanes->radix[i];
  void *turns = table_make(maker, m * (r - 1));
  if (turns == NULL) return false;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t j = 1; j < r; ++j) {
      turn_set(maker, turns, p * (r - 1) + j - 1, j * p, m * r);
    }
  }
  lanes->turns[i] = turns;
  if (r <= 5 || r == 8) return true;
  lanes->roots[i] = berth_fourier_plan_turns(maker, r, r);
  return lanes->roots[i] != NULL;
}

static bool factors_make(const berth_fourier_maker_t *maker,
                         berth_spectrum_lanes_t *lanes) {
  for (int64_t left = lanes->length; left > 1;) {
    int32_t i = lanes->count++;
    lanes->radix[i] = next_factor(left);
    left /= lanes->radix[i];
    if (!factor_make(maker, i, left, lanes)) return false;
  }
  return true;
}

// ---- Convolutions ----

// e^(-pi i k k / n), |n| of them.
static void *chirp_make(const berth_fourier_maker_t *maker, int64_t n) {
  void *chirp = table_make(maker, n);
  for (int64_t k = 0, square = 0; chirp != NULL && k < n; ++k) {
    turn_set(maker, chirp, k, square, 2 * n);
    square = (square + 2 * k + 1) % (2 * n);
  }
  return chirp;
}

// What is convolved with, |length| numbers, transformed by |row| and divided.
static void *kernel_make(const berth_fourier_maker_t *maker, int64_t n,
                         const berth_spectrum_row_t *row) {
  int64_t length = row->n;
  size_t size = maker->is_wide ? 16 : 8;
  size_t room =
      (size_t)berth_spectrum_space(row, maker->loops->lanes) * size / 2;
  void *kernel = table_make(maker, length);
  char *work = berth_alloc((size_t)length * size + room + 2 * ALIGNED);
  if (kernel != NULL && work != NULL) {
    char *from = work + (-(uintptr_t)work & (uintptr_t)(ALIGNED - 1));
    char *space =
        from + ((size_t)length * size + ALIGNED - 1) / ALIGNED * ALIGNED;
    memset(from, 0, (size_t)length * size);
    for (int64_t k = 0, square = 0; k < n; ++k) {
      double turn[2];
      turn_of(square, 2 * n, turn);
      for (int64_t at = k;; at = length - k) {
        part_set(maker, from, 2 * at, turn[0]);
        part_set(maker, from, 2 * at + 1, -turn[1]);
        if (at != k || k == 0) break;
      }
      square = (square + 2 * k + 1) % (2 * n);
    }
    berth_spectrum_move_t move = {
        .from = from, .to = kernel, .count = 1, .scale = 1 / (double)length};
    maker->loops->rows(row, &move, space);
  }
  berth_free(work);
  return work != NULL ? kernel : NULL;
}

// ---- Plans ----

bool berth_fourier_plan_lanes(const berth_fourier_maker_t *maker, int64_t n,
                              berth_spectrum_lanes_t *out_lanes) {
  memset(out_lanes, 0, sizeof(*out_lanes));
  bool has_factors = is_smooth(n);
  berth_spectrum_lanes_t *lanes = out_lanes;
  lanes->n = n;
  lanes->length = has_factors ? n : convolution_of(n);
  if (!factors_make(maker, lanes)) return false;
  if (has_factors) return true;
  berth_spectrum_row_t row;
  if (!berth_fourier_plan_row(maker, lanes->length, 1, &row)) return false;
  lanes->chirp = chirp_make(maker, n);
  lanes->kernel = kernel_make(maker, n, &row);
  return lanes->chirp != NULL && lanes->kernel != NULL;
}

// Returns the factor of |n| nearest to its root, one of whole groups of lanes
// if there is one not much smaller; 1: there is none.
static int64_t side_of(int64_t n, int64_t lanes) {
  int64_t best = 1, whole = 1;
  for (int64_t side = 2; side * side <= n; ++side) {
    if (n % side != 0) continue;
    best = side;
    if (side % lanes == 0) whole = side;
  }
  return 2 * whole > best ? whole : best;
}

// Makes |row| the product of two lengths.
static bool sides_make(const berth_fourier_maker_t *maker, int64_t side,
                       berth_spectrum_row_t *row) {
  int64_t n = row->n, other = n / side, lanes = maker->loops->lanes;
  int64_t groups = (other + lanes - 1) / lanes;
  void *turns = table_make(maker, groups * lanes * side);
  if (turns == NULL || !berth_fourier_plan_lanes(maker, side, &row->first) ||
      !berth_fourier_plan_lanes(maker, other, &row->second)) {
    return false;
  }
  for (int64_t j = 0; j < groups * lanes; ++j) {
    for (int64_t i = 0; i < side; ++i) {
      double turn[2];
      turn_of(j < other ? i * j % n : 0, n, turn);
      int64_t at = (j / lanes * side + i) * 2 * lanes + j % lanes;
      part_set(maker, turns, at, turn[0]);
      part_set(maker, turns, at + lanes, turn[1]);
    }
  }
  row->turns = turns;
  return true;
}

// Makes |row| a convolution.
static bool inner_make(const berth_fourier_maker_t *maker,
                       berth_spectrum_row_t *row) {
  berth_spectrum_row_t *inner = berth_arena_alloc(maker->arena, sizeof(*inner));
  if (inner == NULL) return false;
  memset(inner, 0, sizeof(*inner));
  inner->n = convolution_of(row->n);
  if (!sides_make(maker, side_of(inner->n, maker->loops->lanes), inner)) {
    return false;
  }
  row->inner = inner;
  row->chirp = chirp_make(maker, row->n);
  row->kernel = kernel_make(maker, row->n, inner);
  return row->chirp != NULL && row->kernel != NULL;
}

bool berth_fourier_plan_row(const berth_fourier_maker_t *maker, int64_t n,
                            int64_t count, berth_spectrum_row_t *out_row) {
  int64_t lanes = maker->loops->lanes;
  memset(out_row, 0, sizeof(*out_row));
  out_row->n = n;
  bool is_many = 2 * count > lanes;
  bool has_factors = is_smooth(n);
  int64_t side = has_factors ? side_of(n, lanes) : 1;
  if (has_factors && 4 * side >= lanes && n > (is_many ? SHORT_MANY : SHORT)) {
    return sides_make(maker, side, out_row);
  }
  if (!has_factors && (!is_many || n > SHORT_MANY)) {
    return inner_make(maker, out_row);
  }
  return berth_fourier_plan_lanes(maker, n, &out_row->first);
}
