// jpeg_write.c - Writes JPEG files: one scan, with the standard's own codes.
//
// Colours become luminance and two differences, of which one of four samples is
// kept where that is asked for; blocks are transformed exactly, and rounded as
// the quality says. The bytes are those of libjpeg-turbo without options.
#include <string.h>

#include "base/alloc.h"
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

typedef struct writer {
  berth_str_t *out;
  const berth_jpeg_style_t *style;
  berth_image_size_t size;
  int count;  // Of components.
  int64_t units_across, units_down;
  plane_t planes[3];
  uint8_t scale[2][JPEG_BLOCK];  // Natural order.
  codes_t levels[2], rest[2];
  uint32_t bits;
  int bit_count;
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
      w->scale[kind][berth_jpeg_order[i]] = (uint8_t)value;
      berth_str_putc(w->out, (char)value);
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

// Returns component |part| of a pixel.
static int component(const uint8_t *p, int part) {
  int r = p[0], g = p[1], b = p[2];
  switch (part) {
    case 0:
      return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
    case 1:
      return (-11059 * r - 21709 * g + 32768 * b + (128 << 16) + 32767) >> 16;
    default:
      return (32768 * r - 27439 * g - 5329 * b + (128 << 16) + 32767) >> 16;
  }
}

// Returns component |part| at (x, y); past an edge, that of the edge.
static int sample_at(const writer_t *w, const uint8_t *pixels, int part,
                     int64_t x, int64_t y) {
  if (x >= w->size.width) x = w->size.width - 1;
  if (y >= w->size.height) y = w->size.height - 1;
  const uint8_t *p = pixels + (y * w->size.width + x) * w->count;
  return w->count == 1 ? p[0] : component(p, part);
}

static void fill_row(const writer_t *w, const uint8_t *pixels, int part,
                     int64_t y) {
  const plane_t *plane = &w->planes[part];
  uint8_t *out = plane->samples + y * plane->stride;
  bool is_half = w->count == 3 && w->planes[0].h == 2 && part > 0;
  for (int64_t x = 0; x < plane->stride; ++x) {
    if (!is_half) {
      out[x] = (uint8_t)sample_at(w, pixels, part, x, y);
      continue;
    }
    int total = 1 + (x & 1);  // Rounded up and down in turns.
    for (int i = 0; i < 4; ++i) {
      total += sample_at(w, pixels, part, 2 * x + (i & 1), 2 * y + (i >> 1));
    }
    out[x] = (uint8_t)(total >> 2);
  }
}

// Rows that have no pixel repeat the last one that has.
static void fill_plane(const writer_t *w, const uint8_t *pixels, int part) {
  const plane_t *plane = &w->planes[part];
  int64_t rows = w->units_down * plane->v * 8;
  size_t size = (size_t)plane->stride;
  for (int64_t y = 0; y < rows; ++y) {
    if (y < plane->height) {
      fill_row(w, pixels, part, y);
    } else {
      uint8_t *out = plane->samples + y * plane->stride;
      memcpy(out, out - plane->stride, size);
    }
  }
}

// ---- Blocks ----

static int32_t rounded(int32_t value, int shift) {
  return (value + (1 << (shift - 1))) >> shift;
}

// Transforms eight numbers, |step| apart. The even ones need no factor: they
// are shifted |left|, or back by as much in the second pass.
static void turn_line(int32_t *at, int step, bool is_first) {
#define IN(i) at[(i)*step]
  int shift = is_first ? 11 : 15;
  int32_t t0 = IN(0) + IN(7), t7 = IN(0) - IN(7), t1 = IN(1) + IN(6),
          t6 = IN(1) - IN(6), t2 = IN(2) + IN(5), t5 = IN(2) - IN(5),
          t3 = IN(3) + IN(4), t4 = IN(3) - IN(4);
  int32_t a = t0 + t3, d = t0 - t3, b = t1 + t2, c = t1 - t2;
  int32_t z1 = (c + d) * 4433;
  IN(0) = is_first ? (a + b) * 4 : rounded(a + b, 2);
  IN(4) = is_first ? (a - b) * 4 : rounded(a - b, 2);
  IN(2) = rounded(z1 + d * 6270, shift);
  IN(6) = rounded(z1 - c * 15137, shift);
  int32_t z5 = (t4 + t6 + t5 + t7) * 9633;
  int32_t z2 = (t5 + t6) * -20995, z3 = (t4 + t6) * -16069 + z5;
  int32_t z4 = (t5 + t7) * -3196 + z5;
  z1 = (t4 + t7) * -7373;
  IN(7) = rounded(t4 * 2446 + z1 + z3, shift);
  IN(5) = rounded(t5 * 16819 + z2 + z4, shift);
  IN(3) = rounded(t6 * 25172 + z2 + z3, shift);
  IN(1) = rounded(t7 * 12299 + z1 + z4, shift);
#undef IN
}

// Makes the coefficients of the block at (x, y), counted in blocks.
static void make_block(const writer_t *w, const plane_t *plane, int64_t x,
                       int64_t y, int32_t *block) {
  const uint8_t *from = plane->samples + y * 8 * plane->stride + x * 8;
  for (int i = 0; i < JPEG_BLOCK; ++i) {
    block[i] = from[i / 8 * plane->stride + i % 8] - 128;
  }
  for (int i = 0; i < 8; ++i) turn_line(block + 8 * i, 1, true);
  for (int i = 0; i < 8; ++i) turn_line(block + i, 8, false);
  for (int i = 0; i < JPEG_BLOCK; ++i) {
    int32_t by = w->scale[plane->kind][i] * 8, value = block[i];
    int32_t size = ((value < 0 ? -value : value) + by / 2) / by;
    block[i] = value < 0 ? -size : size;
  }
}

static void put_bits(writer_t *w, unsigned value, int count) {
  w->bits = w->bits << count | (value & ((1u << count) - 1));
  w->bit_count += count;
  while (w->bit_count >= 8) {
    w->bit_count -= 8;
    unsigned byte = w->bits >> w->bit_count & 0xff;
    berth_str_putc(w->out, (char)byte);
    if (byte == 0xff) berth_str_putc(w->out, 0);
  }
}

// Writes a number behind the symbol that has its size and |zeros|.
static void put_number(writer_t *w, const codes_t *codes, int zeros,
                       int value) {
  int size = 0;
  for (int left = value < 0 ? -value : value; left > 0; left >>= 1) ++size;
  int symbol = zeros << 4 | size;
  put_bits(w, codes->code[symbol], codes->size[symbol]);
  if (size > 0) put_bits(w, (unsigned)(value < 0 ? value - 1 : value), size);
}

static void put_block(writer_t *w, plane_t *plane, const int32_t *block) {
  const codes_t *rest = &w->rest[plane->kind];
  int zeros = 0;
  put_number(w, &w->levels[plane->kind], 0, block[0] - plane->level);
  plane->level = block[0];
  for (int i = 1; i < JPEG_BLOCK; ++i) {
    int value = block[berth_jpeg_order[i]];
    if (value == 0) {
      ++zeros;
      continue;
    }
    for (; zeros > 15; zeros -= 16)
      put_bits(w, rest->code[0xf0], rest->size[0xf0]);
    put_number(w, rest, zeros, value);
    zeros = 0;
  }
  if (zeros > 0) put_bits(w, rest->code[0], rest->size[0]);
}

// Blocks outside of the image repeat the level of the one before.
static void put_unit(writer_t *w, plane_t *plane, int64_t x, int64_t y) {
  for (int k = 0; k < plane->h * plane->v; ++k) {
    int64_t column = x * plane->h + k % plane->h;
    int64_t row = y * plane->v + k / plane->h;
    int32_t block[JPEG_BLOCK] = {plane->level};
    if (column < plane->across && row < plane->down) {
      make_block(w, plane, column, row, block);
    }
    put_block(w, plane, block);
  }
}

// ---- The whole ----

static int64_t divide_up(int64_t value, int64_t by) {
  return (value + by - 1) / by;
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
  return true;
}

static void put_image(writer_t *w, const uint8_t *pixels) {
  for (int i = 0; i < w->count; ++i) fill_plane(w, pixels, i);
  put_begin(w);
  put_tables(w);
  put_frame(w);
  put_scan(w);
  for (int64_t y = 0; y < w->units_down; ++y) {
    for (int64_t x = 0; x < w->units_across; ++x) {
      for (int i = 0; i < w->count; ++i) put_unit(w, &w->planes[i], x, y);
    }
  }
  put_bits(w, 0x7f, 7);
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
  berth_free(w);
  return is_right && berth_str_ok(out) ? BERTH_OK
                                       : berth_error_no_memory(err, "an image");
}
