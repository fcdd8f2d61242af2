// png_read.c - Reads PNG files: chunks, filters, interlacing.
//
// zlib unpacks. Checksums of chunks that matter must be right; others are left
// out where they are wrong, as libpng does.
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "io/image/png_internal.h"

enum { LIMIT = 1000000 };  // Of a side: libpng's.

// One chunk.
typedef struct chunk {
  const uint8_t *data;
  uint32_t size;
  char name[5];
  bool is_whole;  // Its checksum is right.
} chunk_t;

// The file while it is read.
typedef struct reader {
  png_t png;
  const uint8_t *at, *end;
  chunk_t chunk;  // The one at hand.
  bool has_palette, has_data;
  z_stream stream;
} reader_t;

// ---- Chunks ----

static uint32_t read_long(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
         at[3];
}

static bool is_chunk(const reader_t *r, const char *name) {
  return strcmp(r->chunk.name, name) == 0;
}

static bool is_critical(const chunk_t *chunk) {
  return chunk->name[0] >= 'A' && chunk->name[0] <= 'Z';
}

// Reads the next chunk. False for the end, for a name that is none and for a
// wrong checksum of what matters.
static bool next_chunk(reader_t *r) {
  chunk_t *c = &r->chunk;
  if (r->end - r->at < 12) return false;
  c->size = read_long(r->at);
  if (c->size > INT32_MAX || c->size > (uint64_t)(r->end - r->at) - 12) {
    return false;
  }
  memcpy(c->name, r->at + 4, 4);
  for (int i = 0; i < 4; ++i) {
    char low = (char)(c->name[i] | 32);
    if (low < 'a' || low > 'z') return false;
  }
  c->data = r->at + 8;
  c->is_whole = (uint32_t)crc32(0, r->at + 4, c->size + 4) ==
                read_long(c->data + c->size);
  r->at += c->size + 12;
  return c->is_whole || !is_critical(c);
}

static bool read_header(reader_t *r) {
  const uint8_t *data = r->chunk.data;
  png_t *png = &r->png;
  if (!is_chunk(r, "IHDR") || r->chunk.size != 13) return false;
  png->width = read_long(data);
  png->height = read_long(data + 4);
  png->depth = data[8];
  png->kind = data[9];
  png->is_interlaced = data[12] == 1;
  if (png->width == 0 || png->height == 0 || png->width > LIMIT ||
      png->height > LIMIT || data[10] != 0 || data[11] != 0 || data[12] > 1 ||
      png->kind > 6 || berth_png_samples(png) == 0) {
    return false;
  }
  bool is_small = png->depth == 1 || png->depth == 2 || png->depth == 4;
  if (png->depth == 8) return true;
  if (is_small) return png->kind == PNG_GRAY || png->kind == PNG_PALETTE;
  return png->depth == 16 && png->kind != PNG_PALETTE;
}

static bool read_palette(reader_t *r) {
  png_t *png = &r->png;
  uint32_t size = r->chunk.size, most = 256;
  if (r->has_palette) return false;
  if ((png->kind & PNG_COLOR) == 0) return true;
  r->has_palette = true;
  if (size > 3 * 256 || size % 3 != 0) return png->kind != PNG_PALETTE;
  if (png->kind == PNG_PALETTE) most = 1u << png->depth;
  png->palette_size = (int)(size / 3 < most ? size / 3 : most);
  memcpy(png->palette, r->chunk.data, (size_t)png->palette_size * 3);
  return png->palette_size > 0 || png->kind != PNG_PALETTE;
}

// What is not as it should be is left out.
static void read_transparency(reader_t *r) {
  png_t *png = &r->png;
  const chunk_t *c = &r->chunk;
  if (png->kind == PNG_PALETTE) {
    if (!r->has_palette || c->size == 0 ||
        c->size > (uint32_t)png->palette_size) {
      return;
    }
    memcpy(png->alphas, c->data, c->size);
    png->key_size = (int)c->size;
    return;
  }
  int count = png->kind == PNG_GRAY ? 1 : png->kind == PNG_RGB ? 3 : 0;
  if (count == 0 || c->size != (uint32_t)count * 2) return;
  for (int i = 0; i < count; ++i) {
    png->key[i] = c->data[2 * i] << 8 | c->data[2 * i + 1];
  }
  png->key_size = count;
}

static void read_gamma(reader_t *r) {
  png_t *png = &r->png;
  if (is_chunk(r, "sRGB") && r->chunk.size == 1) {
    png->gamma = 45455;
    png->has_gamma_of_srgb = true;
  }
  if (is_chunk(r, "gAMA") && r->chunk.size == 4 && !png->has_gamma_of_srgb) {
    png->gamma = read_long(r->chunk.data);
  }
  if (is_chunk(r, "iCCP")) png->has_profile = true;
}

static bool read_ancillary(reader_t *r) {
  if (is_critical(&r->chunk)) return false;
  if (!r->chunk.is_whole) return true;
  if (is_chunk(r, "tRNS")) read_transparency(r);
  read_gamma(r);
  return true;
}

// Reads up to the first chunk of pixels.
static bool read_front(reader_t *r) {
  if (r->end - r->at < 8) return false;
  r->at += 8;
  if (!next_chunk(r) || !read_header(r)) return false;
  for (;;) {
    const uint8_t *before = r->at;
    bool is_right = next_chunk(r);
    if (r->end - before >= 8 && memcmp(before + 4, "IDAT", 4) == 0) {
      r->at = before;
      return r->png.kind != PNG_PALETTE || r->has_palette;
    }
    if (!is_right || is_chunk(r, "IHDR") || is_chunk(r, "IEND")) return false;
    if (is_chunk(r, "PLTE") ? !read_palette(r) : !read_ancillary(r)) {
      return false;
    }
  }
}

// ---- Pixels ----

static int64_t row_size(const png_t *png, int64_t width) {
  return (width * berth_png_samples(png) * png->depth + 7) / 8;
}

// Unpacks |size| bytes. False where there are fewer.
static bool unpack(reader_t *r, uint8_t *out, int64_t size) {
  z_stream *s = &r->stream;
  s->next_out = out;
  s->avail_out = (uInt)size;
  while (s->avail_out > 0) {
    while (s->avail_in == 0) {
      if (!next_chunk(r) || !is_chunk(r, "IDAT")) return false;
      s->next_in = (Bytef *)(uintptr_t)r->chunk.data;
      s->avail_in = r->chunk.size;
    }
    int result = inflate(s, Z_SYNC_FLUSH);
    bool is_end = result == Z_STREAM_END && s->avail_out == 0;
    if (result != Z_OK && !is_end) return false;
  }
  return true;
}

static uint8_t nearest(int left, int above, int corner) {
  int base = left + above - corner;
  int a = base > left ? base - left : left - base;
  int b = base > above ? base - above : above - base;
  int c = base > corner ? base - corner : corner - base;
  if (a <= b && a <= c) return (uint8_t)left;
  return (uint8_t)(b <= c ? above : corner);
}

// Takes the filter of a row back. False for one that is not known.
static bool unfilter(int kind, uint8_t *row, const uint8_t *above, int64_t size,
                     int64_t step) {
  int64_t first = size < step ? size : step, i = 0;
  if (kind > 4) return false;
  // The first pixel has none to its left.
  for (; i < first; ++i) {
    int guess = kind == 3 ? above[i] / 2 : above[i];
    if (kind >= 2) row[i] = (uint8_t)(row[i] + guess);
  }
#define EACH(guess) \
  for (; i < size; ++i) row[i] = (uint8_t)(row[i] + (guess))
  if (kind == 1) EACH(row[i - step]);
  if (kind == 2) EACH(above[i]);
  if (kind == 3) EACH((row[i - step] + above[i]) / 2);
  if (kind == 4) EACH(nearest(row[i - step], above[i], above[i - step]));
#undef EACH
  return true;
}

// One pass over an image: the pixels from (x, y) on, so many apart.
typedef struct pass {
  int64_t x, y, across, down;
} pass_t;

static bool read_pass(reader_t *r, const pass_t *pass, uint8_t *rows[2],
                      uint8_t *out) {
  const png_t *png = &r->png;
  int64_t width = (png->width - pass->x + pass->across - 1) / pass->across;
  int64_t pixel = (int64_t)png->channels * png->bits / 8;
  int64_t size = row_size(png, width);
  int64_t step = row_size(png, 1);
  if (width <= 0) return true;
  memset(rows[0], 0, (size_t)size + 1);
  for (int64_t y = pass->y; y < png->height; y += pass->down) {
    uint8_t *row = rows[1];
    if (!unpack(r, row, size + 1)) return false;
    if (!unfilter(row[0], row + 1, rows[0] + 1, size, step)) return false;
    berth_png_convert(png, row + 1, width,
                      out + (y * png->width + pass->x) * pixel,
                      pass->across * pixel);
    rows[1] = rows[0];
    rows[0] = row;
  }
  return true;
}

static bool read_passes(reader_t *r, uint8_t *rows[2], uint8_t *out) {
  static const pass_t one = {0, 0, 1, 1};
  static const pass_t seven[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                                 {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                 {0, 1, 1, 2}};
  if (!r->png.is_interlaced) return read_pass(r, &one, rows, out);
  for (int i = 0; i < 7; ++i) {
    if (!read_pass(r, &seven[i], rows, out)) return false;
  }
  return true;
}

static berth_code_t read_pixels(reader_t *r, uint8_t *out, berth_error_t *err) {
  size_t size = (size_t)row_size(&r->png, r->png.width) + 1;
  uint8_t *room = berth_alloc(2 * size);
  if (room == NULL) return berth_error_no_memory(err, "an image");
  uint8_t *rows[2] = {room, room + size};
  berth_code_t code = BERTH_INVALID_ARGUMENT;
  if (inflateInit(&r->stream) != Z_OK) {
    code = berth_error_no_memory(err, "an image");
  } else {
    if (read_passes(r, rows, out)) code = BERTH_OK;
    (void)inflateEnd(&r->stream);
  }
  berth_free(room);
  while (code == BERTH_OK && !is_chunk(r, "IEND")) {
    if (!next_chunk(r)) code = BERTH_INVALID_ARGUMENT;
  }
  return code;
}

// ---- The whole ----

// True where so many bytes as pixels need may come out of the file.
static bool is_plausible(const reader_t *r) {
  int64_t bytes = row_size(&r->png, r->png.width) * r->png.height;
  return bytes / 1100 <= r->end - r->at;
}

static int auto_channels(const png_t *png) {
  if (png->kind == PNG_PALETTE) return png->key_size > 0 ? 4 : 3;
  return berth_png_samples(png);
}

static uint8_t curve(int value, int64_t gamma) {
  double part = pow(value / 255.0, (double)gamma * 1e-5);
  return (uint8_t)floor(255 * part + 0.5);
}

static bool matters(int64_t gamma) { return gamma < 95000 || gamma > 105000; }

// Fills the tables that mix colours of a file with a gamma.
static berth_code_t make_tables(png_t *png, uint8_t tables[2][256],
                                berth_error_t *err) {
  bool mixes = png->channels < 3 && (png->kind & PNG_COLOR) != 0;
  if (!mixes || (png->gamma == 0 && !png->has_profile)) return BERTH_OK;
  if (png->has_profile || (png->depth == 16 && matters(png->gamma))) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Berth does not make gray of a PNG with %s; ask for "
        "3 channels and use tf.image.rgb_to_grayscale",
        png->has_profile ? "a profile of colours" : "16 bits and a gamma");
  }
  if (!matters(png->gamma)) return BERTH_OK;
  int64_t inverse = (int64_t)floor(1e10 / (double)png->gamma + 0.5);
  int64_t back = (int64_t)floor(1e10 / (double)inverse + 0.5);
  for (int i = 0; i < 256; ++i) {
    tables[0][i] = matters(inverse) ? curve(i, inverse) : (uint8_t)i;
    tables[1][i] = matters(back) ? curve(i, back) : (uint8_t)i;
  }
  png->to_light = tables[0];
  png->from_light = tables[1];
  return BERTH_OK;
}

berth_code_t berth_png_read(berth_image_bytes_t file,
                            const berth_png_options_t *options,
                            berth_image_sink_t *sink, berth_error_t *err) {
  reader_t r = {.at = file.data, .end = file.data + file.size};
  uint8_t tables[2][256];
  void *room = NULL;
  *options->is_open = read_front(&r);
  if (!*options->is_open) return BERTH_INVALID_ARGUMENT;
  r.png.bits = options->bits;
  r.png.channels =
      options->channels != 0 ? options->channels : auto_channels(&r.png);
  if (!is_plausible(&r)) return BERTH_INVALID_ARGUMENT;
  BERTH_TRY(make_tables(&r.png, tables, err));
  berth_image_size_t size = {1, r.png.height, r.png.width, r.png.channels};
  BERTH_TRY(sink->room(sink, &size, &room, err));
  return read_pixels(&r, room, err);
}
