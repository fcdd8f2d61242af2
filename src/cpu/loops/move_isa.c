// move_isa.c - Transposition of planes, for several instruction sets.
//
// A plane is cut into tiles that fit the registers. A tile has as many source
// rows as make one cache line of the target, so that the target is written by
// whole lines:
//
//   from   16 rows x 16 floats  ->  registers  ->  to   16 rows x 64 bytes
//
// Rows of a strip of columns are walked together: a strip is narrow enough for
// its target lines to stay in the second-level cache, and wide enough for the
// source to be read in runs of several lines.
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/move_loops.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { LINE = 64, STRIP = 512 };

// A plane on its way; steps in bytes.
typedef struct plane {
  const char *from;
  char *to;
  int64_t from_step, to_step;
  int64_t rows, cols;
} plane_t;

// Writes one line of the target.
static BERTH_INLINE void line_store(char *to, const char *line, bool streams) {
#if defined(__AVX512F__)
  __m512i all = _mm512_load_si512((const void *)line);
  if (streams) {
    _mm512_stream_si512((void *)to, all);
  } else {
    _mm512_storeu_si512((void *)to, all);
  }
#elif defined(__SSE2__)
  for (int i = 0; i < LINE; i += 16) {
    __m128i part = _mm_load_si128((const __m128i *)(const void *)(line + i));
    if (streams) {
      _mm_stream_si128((__m128i *)(void *)(to + i), part);
    } else {
      _mm_storeu_si128((__m128i *)(void *)(to + i), part);
    }
  }
#else
  (void)streams;
  memcpy(to, line, LINE);
#endif
}

// ---- Tiles: LINE / size rows by |n| columns ----

#if defined(__AVX512F__)
// Interleaves the 128-bit quarters of four registers.
static BERTH_INLINE void quarters(__m512i v[16], int a, int b, int c, int d) {
  __m512i low0 = _mm512_shuffle_i32x4(v[a], v[b], 0x88);
  __m512i low1 = _mm512_shuffle_i32x4(v[c], v[d], 0x88);
  __m512i high0 = _mm512_shuffle_i32x4(v[a], v[b], 0xdd);
  __m512i high1 = _mm512_shuffle_i32x4(v[c], v[d], 0xdd);
  v[a] = _mm512_shuffle_i32x4(low0, low1, 0x88);
  v[b] = _mm512_shuffle_i32x4(high0, high1, 0x88);
  v[c] = _mm512_shuffle_i32x4(low0, low1, 0xdd);
  v[d] = _mm512_shuffle_i32x4(high0, high1, 0xdd);
}

static BERTH_INLINE void row_store(char *to, __m512i row, bool streams) {
  if (streams) {
    _mm512_stream_si512((void *)to, row);
  } else {
    _mm512_storeu_si512((void *)to, row);
  }
}

static BERTH_INLINE void tile_4(const plane_t *plane, const char *from,
                                char *to, bool streams) {
  __m512i v[16], w[16];
  for (int i = 0; i < 16; ++i) {
    v[i] = _mm512_loadu_si512((const void *)(from + i * plane->from_step));
  }
  for (int i = 0; i < 16; i += 2) {
    w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
    v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
    v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
    v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
  }
  for (int i = 0; i < 4; ++i) quarters(v, i, i + 4, i + 8, i + 12);
  for (int i = 0; i < 16; ++i)
    row_store(to + i * plane->to_step, v[i], streams);
}

static BERTH_INLINE void tile_8(const plane_t *plane, const char *from,
                                char *to, bool streams) {
  __m512i v[16], w[8];
  for (int i = 0; i < 8; ++i) {
    w[i] = _mm512_loadu_si512((const void *)(from + i * plane->from_step));
  }
  for (int i = 0; i < 8; i += 2) {
    v[i] = _mm512_unpacklo_epi64(w[i], w[i + 1]);
    v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 1]);
  }
  quarters(v, 0, 2, 4, 6);
  quarters(v, 1, 3, 5, 7);
  for (int i = 0; i < 8; ++i) row_store(to + i * plane->to_step, v[i], streams);
}
enum { COLS_4 = 16, COLS_8 = 8 };
#else
// Transposes through a small buffer, LINE / size rows by as many columns, which
// compilers turn into what the instruction set has.
#define DEFINE_TILE(size, type, n)                                             \
  enum { COLS_##size = n };                                                    \
  static BERTH_INLINE void tile_##size(const plane_t *plane, const char *from, \
                                       char *to, bool streams) {               \
    _Alignas(LINE) type lines[n][LINE / size];                                 \
    for (int r = 0; r < LINE / size; ++r) {                                    \
      type row[n];                                                             \
      memcpy(row, from + r * plane->from_step, sizeof(row));                   \
      for (int c = 0; c < n; ++c) lines[c][r] = row[c];                        \
    }                                                                          \
    for (int c = 0; c < n; ++c) {                                              \
      line_store(to + c * plane->to_step, (const char *)lines[c], streams);    \
    }                                                                          \
  }
DEFINE_TILE(4, uint32_t, 8)
DEFINE_TILE(8, uint64_t, 8)
#endif

typedef struct bytes16 {
  uint64_t low, high;
} bytes16_t;

#if defined(__SSE2__)
// Transposes 16 x 16 bytes: four rounds of interleaving rows i and i + 8.
static BERTH_INLINE void block_1(const char *from, int64_t from_step,
                                 uint8_t *to, int64_t to_step) {
  __m128i v[16], w[16];
  for (int i = 0; i < 16; ++i) {
    v[i] =
        _mm_loadu_si128((const __m128i *)(const void *)(from + i * from_step));
  }
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      w[2 * i] = _mm_unpacklo_epi8(v[i], v[i + 8]);
      w[2 * i + 1] = _mm_unpackhi_epi8(v[i], v[i + 8]);
    }
    memcpy(v, w, sizeof(v));
  }
  for (int i = 0; i < 16; ++i) {
    _mm_store_si128((__m128i *)(void *)(to + i * to_step), v[i]);
  }
}

// Transposes 8 x 8 elements of two bytes: three rounds.
static BERTH_INLINE void block_2(const char *from, int64_t from_step,
                                 uint8_t *to, int64_t to_step) {
  __m128i v[8], w[8];
  for (int i = 0; i < 8; ++i) {
    v[i] =
        _mm_loadu_si128((const __m128i *)(const void *)(from + i * from_step));
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      w[2 * i] = _mm_unpacklo_epi16(v[i], v[i + 4]);
      w[2 * i + 1] = _mm_unpackhi_epi16(v[i], v[i + 4]);
    }
    memcpy(v, w, sizeof(v));
  }
  for (int i = 0; i < 8; ++i) {
    _mm_store_si128((__m128i *)(void *)(to + i * to_step), v[i]);
  }
}

// Several blocks make a tile of whole lines.
#define DEFINE_BLOCK_TILE(size, n)                                             \
  enum { COLS_##size = n };                                                    \
  static BERTH_INLINE void tile_##size(const plane_t *plane, const char *from, \
                                       char *to, bool streams) {               \
    _Alignas(LINE) uint8_t lines[n][LINE];                                     \
    for (int r = 0; r < LINE / size; r += n) {                                 \
      block_##size(from + r * plane->from_step, plane->from_step,              \
                   &lines[0][r * size], LINE);                                 \
    }                                                                          \
    for (int c = 0; c < n; ++c) {                                              \
      line_store(to + c * plane->to_step, (const char *)lines[c], streams);    \
    }                                                                          \
  }
DEFINE_BLOCK_TILE(1, 16)
DEFINE_BLOCK_TILE(2, 8)
#else
DEFINE_TILE(1, uint8_t, 16)
DEFINE_TILE(2, uint16_t, 8)
#endif

enum { COLS_16 = 4 };
static BERTH_INLINE void tile_16(const plane_t *plane, const char *from,
                                 char *to, bool streams) {
  _Alignas(LINE) bytes16_t lines[4][4];
  // A line that was just stored by parts is waited for when it is read.
  for (int i = 0; !streams && i < 16; ++i) {
    bytes16_t element;
    memcpy(&element, from + i / 4 * plane->from_step + i % 4 * 16, 16);
    memcpy(to + i % 4 * plane->to_step + i / 4 * 16, &element, 16);
  }
  if (!streams) return;
  for (int r = 0; r < 4; ++r) {
    bytes16_t row[4];
    memcpy(row, from + r * plane->from_step, sizeof(row));
    for (int c = 0; c < 4; ++c) lines[c][r] = row[c];
  }
  for (int c = 0; c < 4; ++c) {
    line_store(to + c * plane->to_step, (const char *)lines[c], streams);
  }
}

// ---- Planes ----

// True when lines of the target begin at multiples of LINE.
static bool can_stream(const plane_t *plane) {
  return (uintptr_t)plane->to % LINE == 0 && plane->to_step % LINE == 0;
}

// Transposes 4 x 4 elements of four bytes, for planes with few rows or columns.
static BERTH_INLINE void block_4(const char *from, int64_t from_step, char *to,
                                 int64_t to_step) {
#if defined(__SSE2__)
  __m128i v[4], w[4];
  for (int i = 0; i < 4; ++i) {
    v[i] =
        _mm_loadu_si128((const __m128i *)(const void *)(from + i * from_step));
  }
  for (int i = 0; i < 2; ++i) {
    w[2 * i] = _mm_unpacklo_epi32(v[i], v[i + 2]);
    w[2 * i + 1] = _mm_unpackhi_epi32(v[i], v[i + 2]);
  }
  for (int i = 0; i < 2; ++i) {
    v[2 * i] = _mm_unpacklo_epi32(w[i], w[i + 2]);
    v[2 * i + 1] = _mm_unpackhi_epi32(w[i], w[i + 2]);
  }
  for (int i = 0; i < 4; ++i) {
    _mm_storeu_si128((__m128i *)(void *)(to + i * to_step), v[i]);
  }
#else
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      memcpy(to + c * to_step + 4 * r, from + r * from_step + 4 * c, 4);
    }
  }
#endif
}

// Does what it can of an edge by blocks, and says where the rest begins: the
// rows behind, and the columns behind of those before.
static void edge_blocks(const plane_t *plane, int size, int64_t row,
                        int64_t col, int64_t *row_end, int64_t *col_end) {
  if (size != 4) {
    *row_end = row;
    return;
  }
  *row_end = row + (*row_end - row) / 4 * 4;
  *col_end = col + (*col_end - col) / 4 * 4;
  for (int64_t r = row; r < *row_end; r += 4) {
    const char *from = plane->from + r * plane->from_step;
    for (int64_t c = col; c < *col_end; c += 4) {
      block_4(from + c * 4, plane->from_step,
              plane->to + c * plane->to_step + r * 4, plane->to_step);
    }
  }
}

// For each size: the edges of a plane, a strip of it, and the whole.
#define DEFINE_PLANE(size, type)                                               \
  static void rest_##size(const plane_t *plane, int64_t row, int64_t row_end,  \
                          int64_t col, int64_t col_end) {                      \
    for (int64_t c = col; c < col_end; ++c) {                                  \
      char *to = plane->to + c * plane->to_step;                               \
      for (int64_t r = row; r < row_end; ++r) {                                \
        memcpy(to + r * size, plane->from + r * plane->from_step + c * size,   \
               sizeof(type));                                                  \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  static void edge_##size(const plane_t *plane, int64_t row, int64_t row_end,  \
                          int64_t col, int64_t col_end) {                      \
    int64_t below = row_end, behind = col_end;                                 \
    edge_blocks(plane, size, row, col, &below, &behind);                       \
    rest_##size(plane, row, below, behind, col_end);                           \
    rest_##size(plane, below, row_end, col, col_end);                          \
  }                                                                            \
  static void strip_##size(const plane_t *plane, int64_t col, int64_t cols,    \
                           bool streams) {                                     \
    int64_t row = 0, whole = col + cols / COLS_##size * COLS_##size;           \
    for (; row + LINE / size <= plane->rows; row += LINE / size) {             \
      const char *from = plane->from + row * plane->from_step;                 \
      char *to = plane->to + row * size;                                       \
      for (int64_t c = col; c < whole; c += COLS_##size) {                     \
        tile_##size(plane, from + c * size, to + c * plane->to_step, streams); \
      }                                                                        \
    }                                                                          \
    edge_##size(plane, 0, row, whole, col + cols);                             \
    edge_##size(plane, row, plane->rows, col, col + cols);                     \
  }                                                                            \
  static void transpose_##size(const char *from, int64_t from_step, char *to,  \
                               int64_t to_step, int64_t rows, int64_t cols,    \
                               bool streams) {                                 \
    plane_t plane = {from, to, from_step, to_step, rows, cols};                \
    bool past = streams && can_stream(&plane);                                 \
    for (int64_t col = 0; col < cols; col += STRIP / size) {                   \
      int64_t left = cols - col;                                               \
      int64_t width = left < STRIP / size ? left : STRIP / size;               \
      strip_##size(&plane, col, width, past);                                  \
    }                                                                          \
    fence(past);                                                               \
  }

// Makes streamed lines visible to other threads.
static void fence(bool streams) {
#if defined(__SSE2__)
  if (streams) _mm_sfence();
#else
  (void)streams;
#endif
}

DEFINE_PLANE(1, uint8_t)
DEFINE_PLANE(2, uint16_t)
DEFINE_PLANE(4, uint32_t)
DEFINE_PLANE(8, uint64_t)
DEFINE_PLANE(16, bytes16_t)

const berth_move_loops_t BERTH_ISA(berth_cpu_move_loops) = {
    {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16}};
