// gemm.h - Products of matrices: C = A B.
//
// Matrices are given by address and strides, so that a transposed one is one
// with its strides exchanged: element (i, p) of A is a[i * a_row + p * a_col].
// C is stored by rows.
//
// A product is cut into tiles by its shape alone, never by the number of
// threads, and a tile is computed by one thread: the same inputs give the same
// bits on any number of threads.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_GEMM_H_
#define BERTH_CPU_LOOPS_GEMM_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa.h"
#include "cpu/loops/ending.h"

typedef struct berth_gemm {
  int64_t m, n, k;
  int64_t a_row, a_col;
  int64_t b_row, b_col;
  int64_t c_row;
  bool conj_a, conj_b;  // Of complex numbers.
  // B is packed already, by a berth_gemm_pack_fn: |b_row| is the width it was
  // packed with, |b_col| the first column that counts, a multiple of
  // BERTH_GEMM_COLS.
  bool is_packed;
  bool adds;                     // To what is in C; not of types of 16 bits.
  const berth_ending_t *ending;  // Of floats; NULL: none.
} berth_gemm_t;

enum {
  // Tiles have about this many rows and columns, and the rows are a multiple of
  // BERTH_GEMM_ROWS but for the last tile.
  BERTH_GEMM_TILE = 512,
  BERTH_GEMM_ROWS = 12,
  // So many rows of B are packed at a time, in panels of at most COLS columns.
  BERTH_GEMM_DEPTH = 256,
  BERTH_GEMM_COLS = 32,
  // Columns of C that are fewer than any vector has.
  BERTH_GEMM_NARROW = 4,
};

// Computes one tile. |k| may be anything; 0 makes zeros. |space| is aligned to
// 64 and has berth_gemm_space() bytes.
typedef void (*berth_gemm_fn)(const berth_gemm_t *gemm, const void *a,
                              const void *b, void *c, void *space);

// Returns the bytes that a tile of |m| by |n| works in; |size| is that of an
// element. Types of 16 bits are computed as float, the tile included.
static inline int64_t berth_gemm_space(int64_t m, int64_t n, int64_t k,
                                       int64_t size) {
  int64_t wide = size < 4 ? 4 : size;
  int64_t depth = k < BERTH_GEMM_DEPTH ? k : BERTH_GEMM_DEPTH;
  int64_t packed = depth * m + 16 + depth * (n + BERTH_GEMM_COLS);
  return (packed + (size < 4 ? m * n : 0)) * wide / 64 * 64 + 64;
}

// Packs rows [p, p + BERTH_GEMM_DEPTH) of B, as far as there are so many, where
// tiles read them: |out| has berth_gemm_packed() bytes for all of B. Types of 16
// bits become floats.
typedef void (*berth_gemm_pack_fn)(const berth_gemm_t *gemm, const void *b,
                                   int64_t p, void *out);

// Returns the width of |n| columns that are packed.
static inline int64_t berth_gemm_width(int64_t n) {
  return (n + BERTH_GEMM_COLS - 1) / BERTH_GEMM_COLS * BERTH_GEMM_COLS;
}

// Returns the bytes of |k| rows of |n| elements of |size| bytes, packed.
static inline int64_t berth_gemm_packed(int64_t k, int64_t n, int64_t size) {
  return k * berth_gemm_width(n) * (size < 4 ? 4 : size);
}

// Products of any size that need no space: of few rows, or small.
typedef void (*berth_gemm_rows_fn)(const berth_gemm_t *gemm, const void *a,
                                   const void *b, void *c);

typedef struct berth_gemm_loops {
  berth_gemm_fn f32, f64, half, bfloat16;
  berth_gemm_pack_fn pack_f32, pack_f64, pack_half, pack_bfloat16;
  int32_t f32_cols;  // Of a packed panel of floats.
  // For b_col == 1 or b_row == 1 with a_col == 1; |k| is at least 64 where there
  // are many rows of at most BERTH_GEMM_NARROW columns.
  berth_gemm_rows_fn f32_rows, f64_rows;
} berth_gemm_loops_t;

BERTH_ISA_TABLE(berth_gemm_loops_t, berth_cpu_gemm_loops);

// Products of the other types, integers (which wrap) and complex numbers, and
// small ones of floats; they leave |space| alone.
typedef struct berth_gemm_plain {
  berth_gemm_fn f32, f64;
  berth_gemm_fn int16, int32, int64, complex64, complex128;
} berth_gemm_plain_t;

BERTH_ISA_TABLE(berth_gemm_plain_t, berth_cpu_gemm_plain);

#endif  // BERTH_CPU_LOOPS_GEMM_H_
