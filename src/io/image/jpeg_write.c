// jpeg_write.c - Writes JPEG files: one scan, with the standard's own codes.
//
// Colours become luminance and two differences, of which one of four samples is
// kept where that is asked for; blocks are transformed exactly, and rounded as
// the quality says. The bytes are those of libjpeg-turbo without options.
//
// Loops over rows of samples and over columns of a block are what compilers make
// vectors of.
#include <endian.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/compiler.h"
#include "io/image/jpeg_internal.h"

// Quantisation at quality 50, in the order of the file: luminance, colours.
static const uint8_t tables[2][JPEG_BLOCK] = {
    {
        16,  11, 12, 14,  12,  10,  16,  14,  13, 14,  18,  17,  16,
        19,  24, 40, 26,  24,  22,  22,  24,  49, 35,  37,  29,  40,
        58,  51, 61, 60,  57,  51,  56,  55,  64, 72,  92,  78,  64,
        68,  87, 69, 55,  56,  80,  109, 81,  87, 95,  98,  103, 104,
        103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
    },
    {
        17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    }};

// Codes as a file has them: how many of each length, then symbols. Levels and
// the rest, of luminance and of colours.
static const uint8_t codes_of_levels[2][16 + 12] = {
    {
        0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0,  0,
        0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    },
    {
        0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0,  0,
        0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    }};
static const uint8_t codes_of_rest[2][16 + 162] = {
    {
        0,   2,   1,   3,   3,   2,   4,   3,   5,   5,   4,   4,   0,   0,
        1,   125, 1,   2,   3,   0,   4,   17,  5,   18,  33,  49,  65,  6,
        19,  81,  97,  7,   34,  113, 20,  50,  129, 145, 161, 8,   35,  66,
        177, 193, 21,  82,  209, 240, 36,  51,  98,  114, 130, 9,   10,  22,
        23,  24,  25,  26,  37,  38,  39,  40,  41,  42,  52,  53,  54,  55,
        56,  57,  58,  67,  68,  69,  70,  71,  72,  73,  74,  83,  84,  85,
        86,  87,  88,  89,  90,  99,  100, 101, 102, 103, 104, 105, 106, 115,
        116, 117, 118, 119, 120, 121, 122, 131, 132, 133, 134, 135, 136, 137,
        138, 146, 147, 148, 149, 150, 151, 152, 153, 154, 162, 163, 164, 165,
        166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186,
        194, 195, 196, 197, 198, 199, 200, 201, 202, 210, 211, 212, 213, 214,
        215, 216, 217, 218, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234,
        241, 242, 243, 244, 245, 246, 247, 248, 249, 250,
    },
    {
        0,   2,   1,   2,   4,   4,   3,   4,   7,   5,   4,   4,   0,   1,
        2,   119, 0,   1,   2,   3,   17,  4,   5,   33,  49,  6,   18,  65,
        81,  7,   97,  113, 19,  34,  50,  129, 8,   20,  66,  145, 161, 177,
        193, 9,   35,  51,  82,  240, 21,  98,  114, 209, 10,  22,  36,  52,
        225, 37,  241, 23,  24,  25,  26,  38,  39,  40,  41,  42,  53,  54,
        55,  56,  57,  58,  67,  68,  69,  70,  71,  72,  73,  74,  83,  84,
        85,  86,  87,  88,  89,  90,  99,  100, 101, 102, 103, 104, 105, 106,
        115, 116, 117, 118, 119, 120, 121, 122, 130, 131, 132, 133, 134, 135,
        136, 137, 138, 146, 147, 148, 149, 150, 151, 152, 153, 154, 162, 163,
        164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184,
        185, 186, 194, 195, 196, 197, 198, 199, 200, 201, 202, 210, 211, 212,
        213, 214, 215, 216, 217, 218, 226, 227, 228, 229, 230, 231, 232, 233,
        234, 242, 243, 244, 245, 246, 247, 248, 249, 250,
    }};

// The code of each symbol.
typedef struct codes {
  uint16_t code[256];
  uint8_t size[256];
} codes_t;

// One component while it is written.
typedef struct plane {
  uint8_t *samples;
  int64_t width, height;         // Of samples that there are.
  int64_t stride, across, down;  // Of whole units, in samples; in blocks.
  int h, v, kind;
  int level;  // Of the last block.
} plane_t;

// Bytes that are kept before they are appended, and those of a block at most.
enum { KEPT_BYTES = 4096, BLOCK_BYTES = 640 };

// Bits that are not bytes yet, and where those go.
typedef struct bits {
  uint64_t held;
  int count;  // At most 31 between calls.
  uint8_t *at;
} bits_t;

typedef struct writer {
  berth_str_t *out;
  const berth_jpeg_style_t *style;
  berth_image_size_t size;
  int count;  // Of components.
  int64_t units_across, units_down;
  plane_t planes[3];
  // What rounds and divides coefficients, in natural order.
  uint16_t halves[2][JPEG_BLOCK];
  uint16_t factors[2][JPEG_BLOCK], shifts[2][JPEG_BLOCK];
  codes_t levels[2], rest[2];
  uint8_t places[JPEG_BLOCK];  // In the file, of numbers in natural order.
  uint8_t *colors;      // What |rows| lie in.
  uint8_t *rows[2][2];  // Of the two colours: two rows that become one.
  bits_t bits;
  uint8_t kept[KEPT_BYTES];
} writer_t;

// ---- Header ----

static void put_short(berth_str_t *out, int value) {
  berth_str_putc(out, (char)(value >> 8));
  berth_str_putc(out, (char)value);
}

static void put_marker(berth_str_t *out, int marker, size_t size) {
  put_short(out, 0xff00 | marker);
  put_short(out, (int)size + 2);
}

static void put_begin(writer_t *w) {
  static const char name[] = "http://ns.adobe.com/xap/1.0/";
  const berth_jpeg_style_t *style = w->style;
  put_short(w->out, 0xffd8);
  put_marker(w->out, 0xe0, 14);
  berth_str_put(w->out, "JFIF\0\1\1", 7);
  berth_str_putc(w->out, (char)style->density_unit);
  put_short(w->out, style->density[0]);
  put_short(w->out, style->density[1]);
  put_short(w->out, 0);
  if (style->note_size == 0) return;
  put_marker(w->out, 0xe1, sizeof(name) + style->note_size);
  berth_str_put(w->out, name, sizeof(name));
  berth_str_put(w->out, style->note, style->note_size);
}

// Has coefficients at |at| divided by |value|, and by eight, which the transform
// leaves in them: by two factors whose products' upper halves are taken. For
// numbers below 2 to the power of 14 that is exact: what the first is too large
// by makes a difference of less than a divisor's part.
static void set_divisor(writer_t *w, int kind, int at, int value) {
  uint32_t by = (uint32_t)value * 8;
  int shift = 31 - __builtin_clz(by - 1);
  w->halves[kind][at] = (uint16_t)(by / 2);
  w->factors[kind][at] = (uint16_t)(((1u << (16 + shift)) + by - 1) / by);
  w->shifts[kind][at] = (uint16_t)(1u << (16 - shift));
}

// Scales the tables to the quality, and writes them.
static void put_tables(writer_t *w) {
  int quality = w->style->quality < 1 ? 1 : w->style->quality;
  int percent = quality < 50 ? 5000 / quality : 200 - quality * 2;
  for (int kind = 0; kind < (w->count == 1 ? 1 : 2); ++kind) {
    put_marker(w->out, 0xdb, JPEG_BLOCK + 1);
    berth_str_putc(w->out, (char)kind);
    for (int i = 0; i < JPEG_BLOCK; ++i) {
      int value = (tables[kind][i] * percent + 50) / 100;
      value = value < 1 ? 1 : value > 255 ? 255 : value;
      berth_str_putc(w->out, (char)value);
      set_divisor(w, kind, berth_jpeg_order[i], value);
    }
  }
}

static void put_frame(writer_t *w) {
  put_marker(w->out, 0xc0, (size_t)(6 + 3 * w->count));
  berth_str_putc(w->out, 8);
  put_short(w->out, (int)w->size.height);
  put_short(w->out, (int)w->size.width);
  berth_str_putc(w->out, (char)w->count);
  for (int i = 0; i < w->count; ++i) {
    const plane_t *plane = &w->planes[i];
    berth_str_putc(w->out, (char)(i + 1));
    berth_str_putc(w->out, (char)(plane->h << 4 | plane->v));
    berth_str_putc(w->out, (char)plane->kind);
  }
}

// Writes a table of codes and makes ready to use it.
static void put_codes(writer_t *w, int id, const uint8_t *table, size_t size,
                      codes_t *codes) {
  const uint8_t *symbol = table + 16;
  unsigned code = 0;
  put_marker(w->out, 0xc4, size + 1);
  berth_str_putc(w->out, (char)id);
  berth_str_put(w->out, (const char *)table, size);
  for (int length = 1; length <= 16; ++length, code <<= 1) {
    for (int i = 0; i < table[length - 1]; ++i, ++code, ++symbol) {
      codes->code[*symbol] = (uint16_t)code;
      codes->size[*symbol] = (uint8_t)length;
    }
  }
}

static void put_scan(writer_t *w) {
  for (int i = 0; i < JPEG_BLOCK; ++i) {
    w->places[berth_jpeg_order[i]] = (uint8_t)i;
  }
  for (int kind = 0; kind < (w->count == 1 ? 1 : 2); ++kind) {
    put_codes(w, kind, codes_of_levels[kind], sizeof(codes_of_levels[kind]),
              &w->levels[kind]);
    put_codes(w, kind | 16, codes_of_rest[kind], sizeof(codes_of_rest[kind]),
              &w->rest[kind]);
  }
  put_marker(w->out, 0xda, (size_t)(4 + 2 * w->count));
  berth_str_putc(w->out, (char)w->count);
  for (int i = 0; i < w->count; ++i) {
    berth_str_putc(w->out, (char)(i + 1));
    berth_str_putc(w->out, (char)(w->planes[i].kind * 17));
  }
  berth_str_put(w->out, "\0\x3f\0", 3);
}

// ---- Samples ----

#if defined(__SSE2__)
// Returns four pixels, the first bytes of which are at |in|, one in each lane.
// Reads 16 bytes.
static BERTH_INLINE __m128i four_pixels(const uint8_t *in) {
  __m128i all = _mm_loadu_si128((const void *)in);
  __m128i low = _mm_unpacklo_epi32(all, _mm_srli_si128(all, 3));
  __m128i high =
      _mm_unpacklo_epi32(_mm_srli_si128(all, 6), _mm_srli_si128(all, 9));
  return _mm_unpacklo_epi64(low, high);
}

// A factor for each half of a lane.
static BERTH_INLINE __m128i factors_of(int low, int high) {
  return _mm_set1_epi32((int)((uint32_t)high << 16 | (uint16_t)low));
}

// Converts four pixels, as convert_row() does one; numbers of 16 bits are signed,
// so what green counts for luminance is in both products.
static BERTH_INLINE void convert_four(__m128i pixels, __m128i out[3]) {
  const __m128i first = _mm_set1_epi32(0xff);
  __m128i green = _mm_slli_epi32(
      _mm_and_si128(pixels, _mm_set1_epi32(0xff00)), 8);
  __m128i r = _mm_and_si128(pixels, first);
  __m128i b = _mm_and_si128(_mm_srli_epi32(pixels, 16), first);
  __m128i rg = _mm_or_si128(r, green), bg = _mm_or_si128(b, green);
  const __m128i middle = _mm_set1_epi32((128 << 16) + 32767);
  __m128i y = _mm_add_epi32(_mm_madd_epi16(rg, factors_of(19595, 22086)),
                            _mm_madd_epi16(bg, factors_of(7471, 16384)));
  __m128i cb = _mm_add_epi32(_mm_madd_epi16(rg, factors_of(-11059, -21709)),
                             _mm_slli_epi32(b, 15));
  __m128i cr = _mm_add_epi32(_mm_madd_epi16(bg, factors_of(-5329, -27439)),
                             _mm_slli_epi32(r, 15));
  out[0] = _mm_srai_epi32(_mm_add_epi32(y, _mm_set1_epi32(32768)), 16);
  out[1] = _mm_srai_epi32(_mm_add_epi32(cb, middle), 16);
  out[2] = _mm_srai_epi32(_mm_add_epi32(cr, middle), 16);
}

// Converts pixels eight at a time; returns how many.
static int64_t convert_eights(const uint8_t *in, int64_t count,
                              uint8_t *out[3]) {
  enum { READ = 10 };  // Pixels that are read of, at most.
  int64_t x = 0;
  for (; x + READ <= count; x += 8) {
    __m128i low[3], high[3];
    convert_four(four_pixels(in + 3 * x), low);
    convert_four(four_pixels(in + 3 * x + 12), high);
    for (int i = 0; i < 3; ++i) {
      __m128i eight = _mm_packs_epi32(low[i], high[i]);
      _mm_storel_epi64((void *)(out[i] + x), _mm_packus_epi16(eight, eight));
    }
  }
  return x;
}
#else
static int64_t convert_eights(const uint8_t *in, int64_t count,
                              uint8_t *out[3]) {
  (void)in;
  (void)count;
  (void)out;
  return 0;
}
#endif

// Converts |count| pixels to luminance and two colours.
static void convert_row(const uint8_t *in, int64_t count, uint8_t *out[3]) {
  for (int64_t x = convert_eights(in, count, out); x < count; ++x) {
    uint32_t r = in[3 * x], g = in[3 * x + 1], b = in[3 * x + 2];
    uint32_t y = r * 19595u + g * 38470u + b * 7471u;
    uint32_t cb = b * 32768u - r * 11059u - g * 21709u;
    uint32_t cr = r * 32768u - g * 27439u - b * 5329u;
    out[0][x] = (uint8_t)((y + 32768) >> 16);
    out[1][x] = (uint8_t)((cb + (128 << 16) + 32767) >> 16);
    out[2][x] = (uint8_t)((cr + (128 << 16) + 32767) >> 16);
  }
}

// Makes one of two rows and of two columns; rounded up and down in turns.
static void join_rows(const uint8_t *a, const uint8_t *b, int64_t count,
                      uint8_t *restrict out) {
  for (int64_t x = 0; x < count; ++x) {
    int total = a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1];
    out[x] = (uint8_t)((total + 1 + (int)(x & 1)) >> 2);
  }
}

static uint8_t *row_of(const plane_t *plane, int64_t y) {
  return plane->samples + y * plane->stride;
}

// Past the last column a row repeats it.
static void extend_row(const writer_t *w, uint8_t *row) {
  int64_t width = w->size.width, stride = w->planes[0].stride;
  memset(row + width, row[width - 1], (size_t)(stride - width));
}

// Fills row |y| of the planes, colours of two rows with the second.
static void fill_row(const writer_t *w, const uint8_t *pixels, int64_t y) {
  const plane_t *planes = w->planes;
  bool is_half = w->count == 3 && planes[0].h == 2;
  const uint8_t *in = pixels + y * w->size.width * w->count;
  uint8_t *rows[3] = {row_of(&planes[0], y)};
  for (int i = 1; i < w->count; ++i) {
    rows[i] = is_half ? w->rows[i - 1][y & 1] : row_of(&planes[i], y);
  }
  if (w->count == 1) {
    memcpy(rows[0], in, (size_t)w->size.width);
  } else {
    convert_row(in, w->size.width, rows);
  }
  for (int i = 0; i < w->count; ++i) extend_row(w, rows[i]);
  if (!is_half || (y % 2 == 0 && y + 1 < w->size.height)) return;
  for (int i = 1; i < w->count; ++i) {
    join_rows(w->rows[i - 1][0], w->rows[i - 1][y & 1], planes[i].stride,
              row_of(&planes[i], y / 2));
  }
}

// Rows that have no pixel repeat the last one that has.
static void fill_planes(const writer_t *w, const uint8_t *pixels) {
  for (int64_t y = 0; y < w->size.height; ++y) fill_row(w, pixels, y);
  for (int i = 0; i < w->count; ++i) {
    const plane_t *plane = &w->planes[i];
    for (int64_t y = plane->height; y < w->units_down * plane->v * 8; ++y) {
      memcpy(row_of(plane, y), row_of(plane, y - 1), (size_t)plane->stride);
    }
  }
}

// ---- Blocks ----

// Columns are transformed so: each number is a sum of products of sums of two of
// them, all of which have 16 bits. The even ones need no factor: they are shifted
// left, or back by as much in the second pass.
#if defined(__SSE2__)
// Two rows whose numbers take turns.
typedef struct pairs {
  __m128i low, high;
} pairs_t;

static BERTH_INLINE pairs_t pairs_of(__m128i a, __m128i b) {
  return (pairs_t){_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)};
}

// Returns the sums of pairs, each number times its factor.
static BERTH_INLINE pairs_t sums_of(pairs_t pairs, int p, int q) {
  __m128i by = factors_of(p, q);
  return (pairs_t){_mm_madd_epi16(pairs.low, by),
                   _mm_madd_epi16(pairs.high, by)};
}

// Returns a row of sums, rounded.
static BERTH_INLINE __m128i rounded(pairs_t sums, int shift) {
  __m128i half = _mm_set1_epi32(1 << (shift - 1));
  return _mm_packs_epi32(
      _mm_srai_epi32(_mm_add_epi32(sums.low, half), shift),
      _mm_srai_epi32(_mm_add_epi32(sums.high, half), shift));
}

// The same of the sum of two.
static BERTH_INLINE __m128i rounded_sum(pairs_t a, pairs_t b, int shift) {
  return rounded((pairs_t){_mm_add_epi32(a.low, b.low),
                           _mm_add_epi32(a.high, b.high)},
                 shift);
}

static BERTH_INLINE __m128i shifted(__m128i row, bool is_first) {
  return is_first
             ? _mm_slli_epi16(row, 2)
             : _mm_srai_epi16(_mm_add_epi16(row, _mm_set1_epi16(2)), 2);
}

static BERTH_INLINE void turn_columns(int16_t *block, bool is_first) {
#define ROW(i) ((__m128i *)(void *)block)[i]
#define SUM(i, k) _mm_add_epi16(ROW(i), ROW(k))
#define STEP(i, k) _mm_sub_epi16(ROW(i), ROW(k))
  int shift = is_first ? 11 : 15;
  __m128i t0 = SUM(0, 7), t1 = SUM(1, 6), t2 = SUM(2, 5), t3 = SUM(3, 4);
  pairs_t t45 = pairs_of(STEP(3, 4), STEP(2, 5));
  pairs_t t67 = pairs_of(STEP(1, 6), STEP(0, 7));
  __m128i a = _mm_add_epi16(t0, t3), b = _mm_add_epi16(t1, t2);
  pairs_t cd = pairs_of(_mm_sub_epi16(t1, t2), _mm_sub_epi16(t0, t3));
  ROW(0) = shifted(_mm_add_epi16(a, b), is_first);
  ROW(4) = shifted(_mm_sub_epi16(a, b), is_first);
  ROW(2) = rounded(sums_of(cd, 4433, 10703), shift);
  ROW(6) = rounded(sums_of(cd, -10704, 4433), shift);
  ROW(1) = rounded_sum(sums_of(t45, 2260, 6437), sums_of(t67, 9633, 11363),
                       shift);
  ROW(3) = rounded_sum(sums_of(t45, -6436, -11362),
                       sums_of(t67, -2259, 9633), shift);
  ROW(5) = rounded_sum(sums_of(t45, 9633, 2261), sums_of(t67, -11362, 6437),
                       shift);
  ROW(7) = rounded_sum(sums_of(t45, -11363, 9633),
                       sums_of(t67, -6436, 2260), shift);
#undef STEP
#undef SUM
#undef ROW
}

// Divides the numbers of a block as the quality says.
static BERTH_INLINE void divide_block(const writer_t *w, int kind,
                                      int16_t *block) {
  const __m128i *halves = (const void *)w->halves[kind];
  const __m128i *factors = (const void *)w->factors[kind];
  const __m128i *shifts = (const void *)w->shifts[kind];
  __m128i *rows = (void *)block;
  for (int i = 0; i < 8; ++i) {
    __m128i sign = _mm_srai_epi16(rows[i], 15);
    __m128i size = _mm_sub_epi16(_mm_xor_si128(rows[i], sign), sign);
    size = _mm_add_epi16(size, _mm_loadu_si128(&halves[i]));
    size = _mm_mulhi_epu16(size, _mm_loadu_si128(&factors[i]));
    size = _mm_mulhi_epu16(size, _mm_loadu_si128(&shifts[i]));
    rows[i] = _mm_sub_epi16(_mm_xor_si128(size, sign), sign);
  }
}

// Returns which of the numbers of |block| are not 0.
static BERTH_INLINE uint64_t numbers_in(const int16_t *block) {
  const __m128i *rows = (const void *)block, zero = _mm_setzero_si128();
  uint64_t zeros = 0;
  for (int i = 0; i < 8; i += 2) {
    __m128i both = _mm_packs_epi16(rows[i], rows[i + 1]);
    int found = _mm_movemask_epi8(_mm_cmpeq_epi8(both, zero));
    zeros |= (uint64_t)(unsigned)found << (8 * i);
  }
  return ~zeros;
}
#else
static BERTH_INLINE int16_t rounded(int32_t value, int shift) {
  return (int16_t)((value + (1 << (shift - 1))) >> shift);
}

static BERTH_INLINE void turn_line(int16_t *at, bool is_first) {
#define IN(i) at[(i)*8]
#define SUM(i, k) (int16_t)(IN(i) + IN(k))
#define STEP(i, k) (int16_t)(IN(i) - IN(k))
  int shift = is_first ? 11 : 15;
  int16_t t0 = SUM(0, 7), t1 = SUM(1, 6), t2 = SUM(2, 5), t3 = SUM(3, 4);
  int16_t t7 = STEP(0, 7), t6 = STEP(1, 6), t5 = STEP(2, 5), t4 = STEP(3, 4);
  int16_t a = (int16_t)(t0 + t3), d = (int16_t)(t0 - t3);
  int16_t b = (int16_t)(t1 + t2), c = (int16_t)(t1 - t2);
  IN(0) = is_first ? (int16_t)((a + b) * 4) : rounded(a + b, 2);
  IN(4) = is_first ? (int16_t)((a - b) * 4) : rounded(a - b, 2);
  IN(2) = rounded(c * 4433 + d * 10703, shift);
  IN(6) = rounded(d * 4433 + c * -10704, shift);
  IN(1) = rounded(t4 * 2260 + t5 * 6437 + t6 * 9633 + t7 * 11363, shift);
  IN(3) = rounded(t4 * -6436 + t5 * -11362 + t6 * -2259 + t7 * 9633, shift);
  IN(5) = rounded(t4 * 9633 + t5 * 2261 + t6 * -11362 + t7 * 6437, shift);
  IN(7) = rounded(t4 * -11363 + t5 * 9633 + t6 * -6436 + t7 * 2260, shift);
#undef STEP
#undef SUM
#undef IN
}

static BERTH_INLINE void turn_columns(int16_t *block, bool is_first) {
  for (int i = 0; i < 8; ++i) turn_line(block + i, is_first);
}

// Returns the upper half of a product.
static BERTH_INLINE uint16_t high_of(uint16_t a, uint16_t b) {
  return (uint16_t)((uint32_t)a * b >> 16);
}

static BERTH_INLINE void divide_block(const writer_t *w, int kind,
                                      int16_t *block) {
  const uint16_t *halves = w->halves[kind], *factors = w->factors[kind];
  const uint16_t *shifts = w->shifts[kind];
  for (int i = 0; i < JPEG_BLOCK; ++i) {
    int16_t value = block[i], sign = (int16_t)(value >> 15);
    uint16_t size = (uint16_t)((uint16_t)((value ^ sign) - sign) + halves[i]);
    size = high_of(high_of(size, factors[i]), shifts[i]);
    block[i] = (int16_t)((size ^ sign) - sign);
  }
}

static BERTH_INLINE uint64_t numbers_in(const int16_t *block) {
  uint64_t found = 0;
  for (int i = 0; i < JPEG_BLOCK; ++i) found |= (uint64_t)(block[i] != 0) << i;
  return found;
}
#endif

// Makes the coefficients of the block at (x, y), counted in blocks, in natural
// order.
static void make_block(const writer_t *w, const plane_t *plane, int64_t x,
                       int64_t y, int16_t *restrict block) {
  const uint8_t *from = row_of(plane, y * 8) + x * 8;
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 8; ++k) {
      block[i * 8 + k] = (int16_t)(from[i * plane->stride + k] - 128);
    }
  }
  berth_jpeg_flip(block);
  turn_columns(block, true);
  berth_jpeg_flip(block);
  turn_columns(block, false);
  divide_block(w, plane->kind, block);
}

// Appends what is kept.
static void put_kept(writer_t *w) {
  berth_str_put(w->out, (const char *)w->kept, (size_t)(w->bits.at - w->kept));
  w->bits.at = w->kept;
}

// Keeps |count| bits as bytes.
static bits_t keep_bytes(bits_t b, int count) {
  for (; count >= 8; count -= 8) {
    b.count -= 8;
    uint8_t byte = (uint8_t)(b.held >> b.count);
    *b.at++ = byte;
    if (byte == 0xff) *b.at++ = 0;
  }
  return b;
}

// Appends |count| bits, 32 at most.
static BERTH_INLINE bits_t put_bits(bits_t b, unsigned value, int count) {
  b.held = b.held << count | value;
  b.count += count;
  if (b.count < 32) return b;
  uint32_t whole = (uint32_t)(b.held >> (b.count - 32)), other = ~whole;
  if (BERTH_UNLIKELY(((other - 0x01010101u) & whole & 0x80808080u) != 0)) {
    return keep_bytes(b, 32);
  }
  whole = htobe32(whole);
  memcpy(b.at, &whole, sizeof(whole));
  b.at += sizeof(whole);
  b.count -= 32;
  return b;
}

// Writes a number behind the symbol that has its size and |zeros|.
static BERTH_INLINE bits_t put_number(bits_t b, const codes_t *codes, int zeros,
                                      int value) {
  int sign = value >> 31;
  unsigned magnitude = (unsigned)((value ^ sign) - sign);
  int size = magnitude == 0 ? 0 : 32 - __builtin_clz(magnitude);
  int symbol = zeros << 4 | size;
  unsigned number = (unsigned)(value + sign) & ((1u << size) - 1);
  return put_bits(b, (unsigned)codes->code[symbol] << size | number,
                  codes->size[symbol] + size);
}

// Returns which of the numbers of |block|, in the order of the file, are not 0.
static BERTH_INLINE uint64_t find_numbers(const writer_t *w,
                                          const int16_t *block) {
  uint64_t found = 0, left = numbers_in(block);
  for (; left != 0; left &= left - 1) {
    found |= UINT64_C(1) << w->places[__builtin_ctzll(left)];
  }
  return found;
}

static void put_block(writer_t *w, plane_t *plane, const int16_t *block) {
  const codes_t *rest = &w->rest[plane->kind];
  int last = 0;
  if (w->bits.at - w->kept > KEPT_BYTES - BLOCK_BYTES) put_kept(w);
  int level = block[0] - plane->level;
  // One by one, as they were stored: a copy as a whole would wait for them.
  bits_t b = {.held = w->bits.held, .count = w->bits.count, .at = w->bits.at};
  b = put_number(b, &w->levels[plane->kind], 0, level);
  plane->level = block[0];
  uint64_t found = find_numbers(w, block) & ~(uint64_t)1;
  for (; found != 0; found &= found - 1) {
    int i = __builtin_ctzll(found), zeros = i - last - 1;
    last = i;
    for (; zeros > 15; zeros -= 16) {
      b = put_bits(b, rest->code[0xf0], rest->size[0xf0]);
    }
    b = put_number(b, rest, zeros, block[berth_jpeg_order[i]]);
  }
  if (last < JPEG_BLOCK - 1) b = put_bits(b, rest->code[0], rest->size[0]);
  w->bits.held = b.held;
  w->bits.count = b.count;
  w->bits.at = b.at;
}

// Blocks outside of the image repeat the level of the one before.
static void put_unit(writer_t *w, plane_t *plane, int64_t x, int64_t y) {
  for (int64_t row = y * plane->v; row < (y + 1) * plane->v; ++row) {
    for (int64_t column = x * plane->h; column < (x + 1) * plane->h; ++column) {
      BERTH_ALIGNED(16) int16_t block[JPEG_BLOCK];
      if (column < plane->across && row < plane->down) {
        make_block(w, plane, column, row, block);
      } else {
        memset(block, 0, sizeof(block));
        block[0] = (int16_t)plane->level;
      }
      put_block(w, plane, block);
    }
  }
}

// ---- The whole ----

static int64_t divide_up(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

// Makes room for four rows of colours.
static bool make_rows(writer_t *w) {
  size_t stride = (size_t)w->planes[0].stride;
  w->colors = berth_calloc(stride, 4);
  if (w->colors == NULL) return false;
  for (size_t i = 0; i < 4; ++i) {
    w->rows[i / 2][i % 2] = w->colors + i * stride;
  }
  return true;
}

static bool make_planes(writer_t *w) {
  int factor = w->count == 3 && w->style->is_sparing ? 2 : 1;
  w->units_across = divide_up(w->size.width, 8 * factor);
  w->units_down = divide_up(w->size.height, 8 * factor);
  for (int i = 0; i < w->count; ++i) {
    plane_t *plane = &w->planes[i];
    int by = i > 0 ? factor : 1;
    plane->h = plane->v = i > 0 ? 1 : factor;
    plane->kind = i > 0;
    plane->width = divide_up(w->size.width, by);
    plane->height = divide_up(w->size.height, by);
    plane->across = divide_up(plane->width, 8);
    plane->down = divide_up(plane->height, 8);
    plane->stride = w->units_across * plane->h * 8;
    plane->samples =
        berth_alloc((size_t)(plane->stride * w->units_down * plane->v * 8));
    if (plane->samples == NULL) return false;
  }
  return w->count == 1 || make_rows(w);
}

static void put_image(writer_t *w, const uint8_t *pixels) {
  w->bits.at = w->kept;
  fill_planes(w, pixels);
  put_begin(w);
  put_tables(w);
  put_frame(w);
  put_scan(w);
  for (int64_t y = 0; y < w->units_down; ++y) {
    for (int64_t x = 0; x < w->units_across; ++x) {
      for (int i = 0; i < w->count; ++i) put_unit(w, &w->planes[i], x, y);
    }
  }
  w->bits = put_bits(w->bits, 0x7f, 7);
  w->bits = keep_bytes(w->bits, w->bits.count);
  put_kept(w);
  put_short(w->out, 0xffd9);
}

berth_code_t berth_jpeg_write(const uint8_t *pixels,
                              const berth_image_size_t *size,
                              const berth_jpeg_style_t *style, berth_str_t *out,
                              berth_error_t *err) {
  writer_t *w = berth_calloc(1, sizeof(*w));
  if (w == NULL) return berth_error_no_memory(err, "an image");
  w->out = out;
  w->style = style;
  w->size = *size;
  w->count = (int)size->channels;
  bool is_right = make_planes(w);
  if (is_right) put_image(w, pixels);
  for (int i = 0; i < 3; ++i) berth_free(w->planes[i].samples);
  berth_free(w->colors);
  berth_free(w);
  return is_right && berth_str_ok(out) ? BERTH_OK
                                       : berth_error_no_memory(err, "an image");
}
