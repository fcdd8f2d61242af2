// png_write.c - Writes PNG files.
//
// Each row gets the filter that makes its bytes smallest in sum.
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "io/image/image.h"

typedef struct writer {
  berth_str_t *out;
  z_stream stream;
  uint8_t *rows[4];  // The row, the one above, the best try, another try.
  int64_t size;      // Bytes of a row.
  int step;          // Bytes of a pixel.
} writer_t;

static void put_long(berth_str_t *out, uint32_t value) {
  for (int i = 24; i >= 0; i -= 8) berth_str_putc(out, (char)(value >> i));
}

static void put_chunk(berth_str_t *out, const char *name, const uint8_t *data,
                      size_t size) {
  uLong crc = crc32(0, (const Bytef *)name, 4);
  if (size > 0) crc = crc32(crc, data, (uInt)size);
  put_long(out, (uint32_t)size);
  berth_str_put(out, name, 4);
  if (size > 0) berth_str_put(out, (const char *)data, size);
  put_long(out, (uint32_t)crc);
}

static void put_header(berth_str_t *out, const berth_image_size_t *size,
                       int bits) {
  static const uint8_t kinds[] = {0, 0, 4, 2, 6};
  uint8_t header[13] = {0};
  for (int i = 0; i < 4; ++i) {
    header[i] = (uint8_t)(size->width >> (24 - 8 * i));
    header[4 + i] = (uint8_t)(size->height >> (24 - 8 * i));
  }
  header[8] = (uint8_t)bits;
  header[9] = kinds[size->channels];
  berth_str_put(out, "\x89PNG\r\n\x1a\n", 8);
  put_chunk(out, "IHDR", header, sizeof(header));
}

// Packs |size| bytes into chunks; all of them when |flush| says so.
static bool pack(writer_t *w, const uint8_t *bytes, int64_t size, int flush) {
  uint8_t room[8192];
  z_stream *s = &w->stream;
  s->next_in = (Bytef *)(uintptr_t)bytes;
  s->avail_in = (uInt)size;
  for (;;) {
    s->next_out = room;
    s->avail_out = sizeof(room);
    int result = deflate(s, flush);
    size_t made = sizeof(room) - s->avail_out;
    if (result == Z_STREAM_ERROR) return false;
    if (made > 0) put_chunk(w->out, "IDAT", room, made);
    if (result == Z_STREAM_END || (s->avail_out > 0 && flush == Z_NO_FLUSH)) {
      return true;
    }
  }
}

static int guess(int kind, const uint8_t *row, const uint8_t *above, int64_t i,
                 int step) {
  int left = i < step ? 0 : row[i - step];
  int corner = i < step ? 0 : above[i - step];
  int base = left + above[i] - corner;
  switch (kind) {
    case 1:
      return left;
    case 2:
      return above[i];
    case 3:
      return (left + above[i]) / 2;
    default:
      break;
  }
  int a = base > left ? base - left : left - base;
  int b = base > above[i] ? base - above[i] : above[i] - base;
  int c = base > corner ? base - corner : corner - base;
  return a <= b && a <= c ? left : b <= c ? above[i] : corner;
}

// Filters the row into |out|; returns how large its bytes are in sum.
static int64_t filter(const writer_t *w, int kind, uint8_t *out) {
  const uint8_t *row = w->rows[0], *above = w->rows[1];
  int64_t total = 0;
  out[0] = (uint8_t)kind;
  for (int64_t i = 0; i < w->size; ++i) {
    int value = kind == 0 ? 0 : guess(kind, row, above, i, w->step);
    uint8_t byte = (uint8_t)(row[i] - value);
    out[i + 1] = byte;
    total += byte < 128 ? byte : 256 - byte;
  }
  return total;
}

static bool put_row(writer_t *w) {
  int64_t least = INT64_MAX;
  for (int kind = 0; kind < 5; ++kind) {
    int64_t total = filter(w, kind, w->rows[3]);
    if (total >= least) continue;
    least = total;
    uint8_t *best = w->rows[3];
    w->rows[3] = w->rows[2];
    w->rows[2] = best;
  }
  return pack(w, w->rows[2], w->size + 1, Z_NO_FLUSH);
}

static void copy_row(const writer_t *w, const uint8_t *pixels, int bits) {
  if (bits == 8) {
    memcpy(w->rows[0], pixels, (size_t)w->size);
    return;
  }
  for (int64_t i = 0; i < w->size; i += 2) {
    uint16_t value;
    memcpy(&value, pixels + i, sizeof(value));
    w->rows[0][i] = (uint8_t)(value >> 8);
    w->rows[0][i + 1] = (uint8_t)value;
  }
}

static bool put_rows(writer_t *w, const uint8_t *pixels, int64_t height,
                     int bits) {
  for (int64_t y = 0; y < height; ++y) {
    copy_row(w, pixels + y * w->size, bits);
    if (!put_row(w)) return false;
    uint8_t *row = w->rows[0];
    w->rows[0] = w->rows[1];
    w->rows[1] = row;
  }
  return pack(w, NULL, 0, Z_FINISH);
}

berth_code_t berth_png_write(const void *pixels, const berth_image_size_t *size,
                             int bits, int level, berth_str_t *out,
                             berth_error_t *err) {
  writer_t w = {.out = out, .step = (int)size->channels * bits / 8};
  w.size = size->width * w.step;
  uint8_t *room = berth_calloc(4, (size_t)w.size + 1);
  bool is_right =
      room != NULL && deflateInit2(&w.stream, level < 0 ? -1 : level,
                                   Z_DEFLATED, 15, 9, Z_FILTERED) == Z_OK;
  if (!is_right) {
    berth_free(room);
    return berth_error_no_memory(err, "an image");
  }
  for (int i = 0; i < 4; ++i)
    w.rows[i] = room + (size_t)i * (size_t)(w.size + 1);
  put_header(out, size, bits);
  is_right = put_rows(&w, pixels, size->height, bits);
  put_chunk(out, "IEND", NULL, 0);
  (void)deflateEnd(&w.stream);
  berth_free(room);
  return is_right && berth_str_ok(out) ? BERTH_OK
                                       : berth_error_no_memory(err, "an image");
}
