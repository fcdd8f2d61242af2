// gemm_isa.c - Products of matrices, for each instruction set.
//
// Types of 16 bits are computed as float: they are widened while they are
// packed, and rounded once, when the tile is done.
#include <stdbool.h>

#include "cpu/loops/gemm.h"
#include "cpu/loops/simd.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum {
  SMALL_NARROW = 3072,  // Numbers of 16 bits that are widened on the stack,
  PIECE = 512,          // and those of a row.
};

// 24 accumulators of 32 registers; 12 of 16; 8 of 16. BERTH_GEMM_ROWS is a
// multiple of each.
#if defined(__AVX512F__)
#define ROWS 12
#elif defined(__AVX2__)
#define ROWS 6
#else
#define ROWS 4
#endif

// Returns the first |count| floats at |from|, or a vector of them.
static BERTH_INLINE berth_f32v_t f32_load_some(const float *from,
                                               int64_t count) {
  return count < BERTH_F32_LANES ? berth_f32v_load_part(from, count, 0)
                                 : berth_f32v_load(from);
}

// Has |end| done to |rows| rows of |wide| vectors (constants), |last| columns of
// the last one.
static BERTH_INLINE void f32_end(const int rows, const int wide,
                                 const int64_t last, berth_f32v_t acc[][2],
                                 const berth_ending_t *end, int64_t row) {
  const int64_t first = wide > 1 ? BERTH_F32_LANES : last;
#define EACH   \
  BERTH_UNROLL \
  for (int i = 0; i < rows; ++i) BERTH_UNROLL for (int j = 0; j < wide; ++j)
  if (end->row != NULL) {
    berth_f32v_t left = f32_load_some(end->row, first);
    berth_f32v_t right =
        wide > 1 ? f32_load_some(end->row + BERTH_F32_LANES, last) : left;
    EACH acc[i][j] += j == 0 ? left : right;
  }
  const float *other = end->other;
  if (other != NULL) {
    BERTH_UNROLL
    for (int i = 0; i < rows; ++i, other += row) {
      acc[i][0] += f32_load_some(other, first);
      if (wide > 1) acc[i][1] += f32_load_some(other + BERTH_F32_LANES, last);
    }
  }
  if (end->clamp == BERTH_CLAMP_RELU6) {
    EACH acc[i][j] = berth_f32v_six(acc[i][j]);
  }
  if (end->clamp != BERTH_CLAMP_NONE) {
    EACH acc[i][j] = berth_f32v_relu(acc[i][j]);
  }
#undef EACH
}

// The same for a panel that lies in |edge|, of |cols| columns.
static BERTH_NOINLINE void f32_end_edge(int64_t rows, int64_t cols, float *edge,
                                        const berth_ending_t *end,
                                        int64_t row) {
  for (int64_t i = 0; i < rows; ++i) {
    float *line = edge + i * 2 * BERTH_F32_LANES;
    for (int64_t j = 0; j < cols; j += BERTH_F32_LANES) {
      berth_f32v_t x = berth_f32v_load(line + j);
      if (end->row != NULL) x += f32_load_some(end->row + j, cols - j);
      if (end->other != NULL) {
        x += f32_load_some(end->other + i * row + j, cols - j);
      }
      if (end->clamp == BERTH_CLAMP_RELU6) x = berth_f32v_six(x);
      if (end->clamp != BERTH_CLAMP_NONE) x = berth_f32v_relu(x);
      berth_f32v_store(line + j, x);
    }
  }
}

#define T float
#define V berth_f32v_t
#define V_(x) berth_f32v_##x
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define END f32_end
#define END_EDGE f32_end_edge
#if defined(__AVX512F__)
#define HAS_PARTS 1
#else
#define HAS_PARTS 0
#endif
#include "cpu/loops/gemm_micro.h"
#undef T
#undef V
#undef V_
#undef LANES
#undef NAME
#undef END
#undef END_EDGE
#undef HAS_PARTS

// Only floats have endings.
#define T double
#define V berth_f64v_t
#define V_(x) berth_f64v_##x
#define LANES BERTH_F64_LANES
#define NAME(x) f64_##x
#define END(rows, wide, last, acc, end, row) (void)(end)
#define END_EDGE(rows, cols, edge, end, row) (void)(end)
#define HAS_PARTS 0
#include "cpu/loops/gemm_micro.h"
#undef T
#undef V
#undef V_
#undef LANES
#undef NAME
#undef END
#undef END_EDGE
#undef HAS_PARTS

// Puts element p of line i at out[p * stride + i].
static void f32_weave(const float *const line[4], int64_t k, float *out,
                      int64_t stride) {
  int64_t p = 0;
#if defined(__SSE2__)
  for (; p + 4 <= k; p += 4) {
    __m128 r0 = _mm_loadu_ps(line[0] + p), r1 = _mm_loadu_ps(line[1] + p);
    __m128 r2 = _mm_loadu_ps(line[2] + p), r3 = _mm_loadu_ps(line[3] + p);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    _mm_storeu_ps(out + p * stride, r0);
    _mm_storeu_ps(out + (p + 1) * stride, r1);
    _mm_storeu_ps(out + (p + 2) * stride, r2);
    _mm_storeu_ps(out + (p + 3) * stride, r3);
  }
#endif
  for (; p < k; ++p) {
    for (int i = 0; i < 4; ++i) out[p * stride + i] = line[i][p];
  }
}

#if defined(__AVX512F__)
// Puts element p of line i, of sixteen |step| apart, at out[p * stride + i].
static void f32_weave_all(const float *from, int64_t step, int64_t k,
                          float *out, int64_t stride) {
  int64_t p = 0;
  for (; p + 16 <= k; p += 16) {
    __m512 r[16], t[16];
    BERTH_UNROLL
    for (int i = 0; i < 16; ++i) r[i] = berth_f32v_load(from + i * step + p);
    // Pairs of lines, then pairs of pairs, within each quarter of a vector.
    BERTH_UNROLL
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    BERTH_UNROLL
    for (int i = 0; i < 16; ++i) {
      __m512d a = _mm512_castps_pd(t[(i & ~3) + (i >> 1 & 1)]);
      __m512d b = _mm512_castps_pd(t[(i & ~3) + (i >> 1 & 1) + 2]);
      r[i] = _mm512_castpd_ps((i & 1) != 0 ? _mm512_unpackhi_pd(a, b)
                                           : _mm512_unpacklo_pd(a, b));
    }
    // Quarter q of r[4 * i + c] is column 4 * q + c of lines 4 * i and on.
    float *to = out + p * stride;
    BERTH_UNROLL
    for (int c = 0; c < 4; ++c) {
      __m512 a = _mm512_shuffle_f32x4(r[c], r[4 + c], 0x88);
      __m512 b = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0x88);
      __m512 d = _mm512_shuffle_f32x4(r[c], r[4 + c], 0xdd);
      __m512 e = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0xdd);
      berth_f32v_store(to + c * stride, _mm512_shuffle_f32x4(a, b, 0x88));
      berth_f32v_store(to + (4 + c) * stride, _mm512_shuffle_f32x4(d, e, 0x88));
      berth_f32v_store(to + (8 + c) * stride, _mm512_shuffle_f32x4(a, b, 0xdd));
      berth_f32v_store(to + (12 + c) * stride,
                       _mm512_shuffle_f32x4(d, e, 0xdd));
    }
  }
  for (; p < k; ++p) {
    for (int i = 0; i < 16; ++i) out[p * stride + i] = from[i * step + p];
  }
}
#endif

static void f64_weave(const double *const line[4], int64_t k, double *out,
                      int64_t stride) {
  for (int64_t p = 0; p < k; ++p) {
    for (int i = 0; i < 4; ++i) out[p * stride + i] = line[i][p];
  }
}

static const float *half_line(const uint16_t *from, int64_t k, float *line) {
  int64_t p = 0;
  for (; p + BERTH_F32_LANES <= k; p += BERTH_F32_LANES) {
    berth_f32v_store(line + p, berth_f32v_load_half(from + p));
  }
  for (; p < k; ++p) line[p] = berth_half_to_float(from[p]);
  return line;
}

static const float *bfloat16_line(const uint16_t *from, int64_t k,
                                  float *line) {
  for (int64_t p = 0; p < k; ++p) line[p] = berth_bfloat16_to_float(from[p]);
  return line;
}

// Numbers that are computed with as they are.
#define GET(x) (x)
#define LINE(from, k, buffer) ((void)(buffer), (from))
#define SPARE_LINE 0

#define S float
#define T float
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define PACK(x) f32_##x
#define COPY(to, from) berth_f32v_store((to), berth_f32v_load(from))
#if defined(__AVX512F__)
#define WEAVE_ALL f32_weave_all
#define COPY_PART(to, from, count) \
  berth_f32v_store_part((to), berth_f32v_load_part((from), (count), 0), (count))
#endif
#include "cpu/loops/gemm_tile.h"
#undef S
#undef T
#undef LANES
#undef NAME
#undef PACK
#undef COPY
#undef WEAVE_ALL
#undef COPY_PART

#define S double
#define T double
#define LANES BERTH_F64_LANES
#define NAME(x) f64_##x
#define PACK(x) f64_##x
#define COPY(to, from) berth_f64v_store((to), berth_f64v_load(from))
#include "cpu/loops/gemm_tile.h"
#undef S
#undef T
#undef LANES
#undef NAME
#undef PACK
#undef COPY

// Numbers that are widened.
#undef GET
#undef LINE
#undef SPARE_LINE
#define S uint16_t
#define T float
#define LANES BERTH_F32_LANES
#define NAME(x) f32_##x
#define SPARE_LINE BERTH_GEMM_DEPTH

#define PACK(x) half_##x
#define GET(x) berth_half_to_float(x)
#define LINE(from, k, buffer) half_line(from, k, buffer)
#define COPY(to, from) berth_f32v_store((to), berth_f32v_load_half(from))
#include "cpu/loops/gemm_tile.h"
#undef PACK
#undef GET
#undef LINE
#undef COPY

#define PACK(x) bfloat16_##x
#define GET(x) berth_bfloat16_to_float(x)
#define LINE(from, k, buffer) bfloat16_line(from, k, buffer)
#define COPY(to, from) berth_f32v_store((to), berth_f32v_load_bfloat16(from))
#include "cpu/loops/gemm_tile.h"

#if defined(__AVX512F__)
#include "cpu/loops/gemm_pairs.inc"
#endif

static void f32_product(const berth_gemm_t *gemm, const void *a, const void *b,
                        void *c, void *space) {
  f32_tile(gemm, a, b, c, space);
}

static void f64_product(const berth_gemm_t *gemm, const void *a, const void *b,
                        void *c, void *space) {
  f64_tile(gemm, a, b, c, space);
}

// ---- Types of 16 bits ----

// One of them: how it is widened, rounded and multiplied.
typedef struct narrow {
  const float *(*line)(const uint16_t *from, int64_t k, float *line);
  void (*round)(const float *from, int64_t n, uint16_t *to);
  void (*tile)(const berth_gemm_t *gemm, const uint16_t *a, const uint16_t *b,
               float *c, float *space);
} narrow_t;

static void half_round(const float *from, int64_t n, uint16_t *to) {
  int64_t j = 0;
#if defined(__AVX512F__)
  for (; j + 16 <= n; j += 16) {
    _mm256_storeu_si256((void *)(to + j),
                        _mm512_cvtps_ph(_mm512_loadu_ps(from + j), 0));
  }
#elif defined(__AVX2__)
  for (; j + 8 <= n; j += 8) {
    _mm_storeu_si128((void *)(to + j),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + j), 0));
  }
#endif
  for (; j < n; ++j) to[j] = berth_float_to_half(from[j]);
}

static void bfloat16_round(const float *from, int64_t n, uint16_t *to) {
  for (int64_t j = 0; j < n; ++j) to[j] = berth_float_to_bfloat16(from[j]);
}

static const narrow_t half = {half_line, half_round, half_tile};
// Multiplies pairs where the CPU does.
static void bfloat16_any_tile(const berth_gemm_t *gemm, const uint16_t *a,
                              const uint16_t *b, float *c, float *space) {
#if defined(__AVX512F__)
  if (has_pairs()) {
    pairs_tile(gemm, a, b, c, space);
    return;
  }
#endif
  bfloat16_tile(gemm, a, b, c, space);
}

static void bfloat16_any_pack(const berth_gemm_t *gemm, const void *b,
                              int64_t p, void *out) {
#if defined(__AVX512F__)
  if (has_pairs()) {
    pairs_pack_slice(gemm, b, p, out);
    return;
  }
#endif
  bfloat16_pack_slice(gemm, b, p, out);
}

static const narrow_t bfloat16 = {bfloat16_line, bfloat16_round,
                                  bfloat16_any_tile};

// True for small matrices that lie in one piece, in rows or in columns.
static bool is_small(const berth_gemm_t *gemm) {
  int64_t m = gemm->m, n = gemm->n, k = gemm->k;
  bool has_a = gemm->a_col == 1 ? gemm->a_row == k : gemm->a_col == m;
  bool has_b = gemm->b_col == 1 ? gemm->b_row == n : gemm->b_col == k;
  return has_a && has_b && m * k + k * n + m * n <= SMALL_NARROW;
}

// Widens both matrices as they lie, and multiplies floats.
static void narrow_small(const narrow_t *type, const berth_gemm_t *gemm,
                         const uint16_t *a, const uint16_t *b, uint16_t *c) {
  float numbers[SMALL_NARROW];
  float *wide_b = numbers + gemm->m * gemm->k;
  float *wide_c = wide_b + gemm->k * gemm->n;
  type->line(a, gemm->m * gemm->k, numbers);
  type->line(b, gemm->k * gemm->n, wide_b);
  berth_gemm_t wide = *gemm;
  wide.c_row = gemm->n;
  BERTH_ISA(berth_cpu_gemm_plain).f32(&wide, numbers, wide_b, wide_c, NULL);
  // Rows that lie in one piece are rounded as one.
  bool is_whole = gemm->c_row == gemm->n;
  int64_t rows = is_whole ? 1 : gemm->m,
          n = is_whole ? gemm->m * gemm->n : gemm->n;
  for (int64_t i = 0; i < rows; ++i) {
    type->round(wide_c + i * n, n, c + i * gemm->c_row);
  }
}

// One row of A and rows of B: pieces of those are widened as they are met.
static void narrow_row(const narrow_t *type, const berth_gemm_t *gemm,
                       const uint16_t *a, const uint16_t *b, uint16_t *c) {
  float sums[PIECE], row[PIECE], factor;
  for (int64_t j = 0; j < gemm->n; j += PIECE) {
    int64_t n = gemm->n - j < PIECE ? gemm->n - j : PIECE;
    memset(sums, 0, sizeof(sums));
    for (int64_t p = 0; p < gemm->k; ++p) {
      type->line(a + p * gemm->a_col, 1, &factor);
      type->line(b + p * gemm->b_row + j, n, row);
      for (int64_t i = 0; i < n; ++i) sums[i] += factor * row[i];
    }
    type->round(sums, n, c + j);
  }
}

// One row of A and columns of B, both in one piece.
static void narrow_dots(const narrow_t *type, const berth_gemm_t *gemm,
                        const uint16_t *a, const uint16_t *b, uint16_t *c) {
  float left[PIECE], right[PIECE];
  for (int64_t j = 0; j < gemm->n; ++j) {
    const uint16_t *column = b + j * gemm->b_col;
    float sum = 0;
    for (int64_t p = 0; p < gemm->k; p += PIECE) {
      int64_t k = gemm->k - p < PIECE ? gemm->k - p : PIECE;
      type->line(a + p, k, left);
      type->line(column + p, k, right);
      sum += f32_dot(k, left, right);
    }
    type->round(&sum, 1, c + j);
  }
}

// Makes the tile in |space| as float, then rounds it into place.
static void narrow_product(const narrow_t *type, const berth_gemm_t *gemm,
                           const void *a, const void *b, void *c, void *space) {
  bool is_plain = !gemm->is_packed;
  if (is_plain && is_small(gemm)) {
    narrow_small(type, gemm, a, b, c);
    return;
  }
  if (is_plain && gemm->m == 1 && gemm->b_row == 1 && gemm->a_col == 1) {
    narrow_dots(type, gemm, a, b, c);
    return;
  }
  if (is_plain && gemm->m == 1 && gemm->b_col == 1) {
    narrow_row(type, gemm, a, b, c);
    return;
  }
  berth_gemm_t wide = *gemm;
  wide.c_row = gemm->n;
  float *tile = space;
  type->tile(&wide, a, b, tile, tile + gemm->m * gemm->n);
  for (int64_t i = 0; i < gemm->m; ++i) {
    type->round(tile + i * gemm->n, gemm->n, (uint16_t *)c + i * gemm->c_row);
  }
}

static void half_product(const berth_gemm_t *gemm, const void *a, const void *b,
                         void *c, void *space) {
  narrow_product(&half, gemm, a, b, c, space);
}

static void bfloat16_product(const berth_gemm_t *gemm, const void *a,
                             const void *b, void *c, void *space) {
  narrow_product(&bfloat16, gemm, a, b, c, space);
}

_Static_assert((int)f32_COLS <= (int)BERTH_GEMM_COLS,
               "the space for B holds its last panel");
_Static_assert(BERTH_GEMM_ROWS % ROWS == 0, "tiles end where panels end");

const berth_gemm_loops_t BERTH_ISA(berth_cpu_gemm_loops) = {
    .f32 = f32_product,
    .f64 = f64_product,
    .half = half_product,
    .bfloat16 = bfloat16_product,
    .pack_f32 = f32_pack_slice,
    .f32_cols = f32_COLS,
    .pack_f64 = f64_pack_slice,
    .pack_half = half_pack_slice,
    .pack_bfloat16 = bfloat16_any_pack,
    .f32_rows = f32_rows,
    .f64_rows = f64_rows,
};
