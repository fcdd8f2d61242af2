// png_pixels.c - Samples of a PNG become pixels.
//
// Colours are made of a palette, and a transparent colour becomes alpha; then
// colours become gray, 16 bits become 8, gray becomes colours, alpha is added or
// dropped, and 8 bits become 16, in this order, which is libpng's.
#include <string.h>

#include "io/image/png_internal.h"

// A pixel on its way, with samples of 8 bits or of 16.
typedef struct pixel {
  int c[3];
  int alpha;
} pixel_t;

int berth_png_samples(const png_t *png) {
  static const int8_t samples[] = {1, 0, 3, 1, 2, 0, 4};
  return samples[png->kind];
}

static int read_sample(const png_t *png, const uint8_t *row, int64_t index) {
  int depth = png->depth;
  if (depth == 16) return row[2 * index] << 8 | row[2 * index + 1];
  if (depth == 8) return row[index];
  int64_t bit = index * depth;
  return row[bit / 8] >> (8 - depth - bit % 8) & ((1 << depth) - 1);
}

static int whole(const png_t *png) { return png->depth == 16 ? 65535 : 255; }

// Returns the alpha of a colour that may be the transparent one.
static int key_alpha(const png_t *png, const int *samples, int count) {
  if (png->key_size == 0) return (1 << png->depth) - 1;
  int mask = (1 << png->depth) - 1;
  for (int i = 0; i < count; ++i) {
    if (samples[i] != (png->key[i] & mask)) return whole(png);
  }
  return 0;
}

static void read_palette(const png_t *png, int index, pixel_t *out) {
  for (int i = 0; i < 3; ++i) out->c[i] = png->palette[index][i];
  // Without transparency alpha is as large as an index may be.
  out->alpha = png->key_size == 0      ? (1 << png->depth) - 1
               : index < png->key_size ? png->alphas[index]
                                       : 255;
}

static void read_pixel(const png_t *png, const uint8_t *row, int64_t x,
                       pixel_t *out) {
  int count = berth_png_samples(png), in[4] = {0};
  for (int i = 0; i < count; ++i) in[i] = read_sample(png, row, x * count + i);
  if (png->kind == PNG_PALETTE) {
    read_palette(png, in[0], out);
    return;
  }
  int colors = (png->kind & PNG_COLOR) != 0 ? 3 : 1;
  out->alpha = count > colors ? in[colors] : key_alpha(png, in, colors);
  // Few bits of gray are spread over 8.
  int factor = png->depth < 8 ? 255 / ((1 << png->depth) - 1) : 1;
  for (int i = 0; i < 3; ++i) out->c[i] = in[colors == 3 ? i : 0] * factor;
}

// Weighs colours as television does.
static void to_gray(const png_t *png, pixel_t *pixel) {
  int *c = pixel->c;
  int64_t half = png->depth == 16 || png->to_light != NULL ? 1 << 14 : 0;
  if (png->depth != 16 && c[0] == c[1] && c[0] == c[2]) return;
  for (int i = 0; i < 3 && png->to_light != NULL; ++i) {
    c[i] = png->to_light[c[i]];
  }
  int gray = (int)(((int64_t)9797 * c[0] + (int64_t)19234 * c[1] +
                    (int64_t)3737 * c[2] + half) >>
                   15);
  if (png->from_light != NULL) gray = png->from_light[gray];
  c[0] = c[1] = c[2] = gray;
}

static void put_sample(const png_t *png, uint8_t *out, int index, int value) {
  if (png->bits == 8) {
    out[index] = (uint8_t)(png->depth == 16 ? value >> 8 : value);
    return;
  }
  uint16_t wide = (uint16_t)(png->depth == 16 ? value : value * 257);
  memcpy(out + 2 * index, &wide, sizeof(wide));
}

// True when pixels are wanted as they are in the file.
static bool is_copied(const png_t *png) {
  return png->depth == 8 && png->bits == 8 && png->kind != PNG_PALETTE &&
         berth_png_samples(png) == png->channels;
}

void berth_png_convert(const png_t *png, const uint8_t *row, int64_t count,
                       uint8_t *out, int64_t step) {
  if (is_copied(png) && step == png->channels) {
    memcpy(out, row, (size_t)(count * step));
    return;
  }
  bool wants_gray = png->channels < 3;
  bool has_color = (png->kind & PNG_COLOR) != 0;
  int colors = wants_gray ? 1 : 3;
  for (int64_t x = 0; x < count; ++x, out += step) {
    pixel_t pixel;
    read_pixel(png, row, x, &pixel);
    if (wants_gray && has_color) to_gray(png, &pixel);
    for (int i = 0; i < colors; ++i) put_sample(png, out, i, pixel.c[i]);
    if (png->channels > colors) put_sample(png, out, colors, pixel.alpha);
  }
}
