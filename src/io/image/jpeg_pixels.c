// jpeg_pixels.c - Samples become pixels: interpolation and colours.
//
// Row by row of the output: each component's row is brought to the full width,
// then colours are converted. The edges of a window count as the edges of the
// image, from the unit on in which it begins; so libjpeg-turbo has it.
#include <endian.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/compiler.h"
#include "io/image/jpeg_internal.h"

// How a component is brought to the size of the output.
typedef struct grow {
  const uint8_t *samples;  // From the first column that is used.
  int64_t stride, width, height;
  int64_t across, down;  // How many times wider and taller it gets.
  bool is_smooth;
  uint16_t *sums;  // Room for a row.
} grow_t;

// The columns of the output that are made, and how.
typedef struct frame {
  const jpeg_t *j;
  int64_t begin, width;
  int parts;  // Components that are used.
  grow_t grow[JPEG_PARTS];
  uint8_t *rows[JPEG_PARTS];
  uint16_t *pixels;  // A row of them, two numbers each.
} frame_t;

static int64_t divide_up(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

// ---- Growing ----

static void copy_times(const grow_t *g, const uint8_t *in, uint8_t *out,
                       int64_t width) {
  if (g->across == 1) {
    memcpy(out, in, (size_t)width);
    return;
  }
  for (int64_t x = 0; x < width; ++x) out[x] = in[x / g->across];
}

// Between two samples lie two, at a quarter and at three quarters.
static void smooth_across(const grow_t *g, const uint8_t *in,
                          uint8_t *restrict out) {
  int64_t last = g->width - 1;
  out[0] = in[0];
  for (int64_t x = 0; x < last; ++x) {
    out[2 * x + 1] = (uint8_t)((in[x] * 3 + in[x + 1] + 2) >> 2);
    out[2 * x + 2] = (uint8_t)((in[x + 1] * 3 + in[x] + 1) >> 2);
  }
  out[2 * last + 1] = in[last];
}

static void smooth_down(const grow_t *g, const uint8_t *in, const uint8_t *near,
                        int bias, uint8_t *restrict out) {
  for (int64_t x = 0; x < g->width; ++x) {
    out[x] = (uint8_t)((in[x] * 3 + near[x] + bias) >> 2);
  }
}

static void smooth_both(const grow_t *g, const uint8_t *in, const uint8_t *near,
                        uint8_t *restrict out) {
  int64_t last = g->width - 1;
  uint16_t *sums = g->sums;
  for (int64_t x = 0; x <= last; ++x) {
    sums[x] = (uint16_t)(in[x] * 3 + near[x]);
  }
  out[0] = (uint8_t)((sums[0] * 4 + 8) >> 4);
  for (int64_t x = 0; x < last; ++x) {
    uint16_t a = sums[x], b = sums[x + 1];
    out[2 * x + 1] = (uint8_t)((uint16_t)(a * 3 + b + 7) >> 4);
    out[2 * x + 2] = (uint8_t)((uint16_t)(b * 3 + a + 8) >> 4);
  }
  out[2 * last + 1] = (uint8_t)((sums[last] * 4 + 7) >> 4);
}

// Makes row |y| of the output of one component.
static void grow_row(const grow_t *g, int64_t y, uint8_t *out, int64_t width) {
  int64_t row = y / g->down, other = y % g->down == 0 ? row - 1 : row + 1;
  const uint8_t *in = g->samples + row * g->stride;
  if (!g->is_smooth) {
    copy_times(g, in, out, width);
    return;
  }
  if (g->down == 1) {
    smooth_across(g, in, out);
    return;
  }
  if (other < 0) other = 0;
  if (other >= g->height) other = g->height - 1;
  const uint8_t *near = g->samples + other * g->stride;
  if (g->across == 1) {
    smooth_down(g, in, near, y % 2 == 0 ? 1 : 2, out);
  } else {
    smooth_both(g, in, near, out);
  }
}

// ---- Colours ----

static uint8_t limit(int value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// Converts luminance and two colours to red, green and blue.
static void to_rgb(int y, int cb, int cr, uint8_t *out) {
  cb -= 128;
  cr -= 128;
  out[0] = limit(y + ((91881 * cr + 32768) >> 16));
  out[1] = limit(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
  out[2] = limit(y + ((116130 * cb + 32768) >> 16));
}

// Returns a * b / 65536, rounded down.
static BERTH_INLINE int16_t high_of(int16_t a, int16_t b) {
  return (int16_t)(a * b >> 16);
}

static BERTH_INLINE int16_t limit_short(int16_t value) {
  int16_t some = value < 0 ? 0 : value;
  return some > 255 ? 255 : some;
}

#if defined(__SSE2__)
// Returns eight samples as numbers of 16 bits.
static BERTH_INLINE __m128i eight_of(const uint8_t *from) {
  return _mm_unpacklo_epi8(_mm_loadl_epi64((const void *)from),
                           _mm_setzero_si128());
}

// Returns a color times what is left of its factor, rounded.
static BERTH_INLINE __m128i rest_of(__m128i color, short factor) {
  __m128i high = _mm_mulhi_epi16(_mm_add_epi16(color, color),
                                 _mm_set1_epi16(factor));
  return _mm_srai_epi16(_mm_add_epi16(high, _mm_set1_epi16(1)), 1);
}

// Returns what green has of pairs of colors.
static BERTH_INLINE __m128i green_of(__m128i pairs) {
  const __m128i by = _mm_set1_epi32((int)(18734u << 16 | (uint16_t)-22554));
  __m128i sums = _mm_add_epi32(_mm_madd_epi16(pairs, by),
                               _mm_set1_epi32(32768));
  return _mm_srai_epi32(sums, 16);
}

// Writes four pixels, each in four bytes, as three bytes each, and two more.
static BERTH_INLINE void put_four(__m128i pixels, uint8_t *out) {
  const __m128i first = _mm_set1_epi64x(0xffffff);
  __m128i other = _mm_slli_epi64(_mm_srli_epi64(pixels, 32), 24);
  __m128i both = _mm_or_si128(_mm_and_si128(pixels, first), other);
  _mm_storel_epi64((void *)out, both);
  _mm_storel_epi64((void *)(out + 6), _mm_srli_si128(both, 8));
}

// As row_to_rgb(), eight pixels at a time; returns how many.
static int64_t eights_to_rgb(const frame_t *f, int64_t from, int64_t count,
                             uint8_t *out) {
  enum { WRITTEN = 9 };  // Pixels that are written to, at most.
  const __m128i middle = _mm_set1_epi16(128);
  int64_t x = 0;
  for (; x + WRITTEN <= count; x += 8, out += 24) {
    __m128i y = eight_of(f->rows[0] + from + x);
    __m128i cb = _mm_sub_epi16(eight_of(f->rows[1] + from + x), middle);
    __m128i cr = _mm_sub_epi16(eight_of(f->rows[2] + from + x), middle);
    __m128i g = _mm_packs_epi32(green_of(_mm_unpacklo_epi16(cb, cr)),
                                green_of(_mm_unpackhi_epi16(cb, cr)));
    __m128i r = _mm_add_epi16(_mm_add_epi16(y, cr), rest_of(cr, 26345));
    __m128i b = _mm_add_epi16(_mm_add_epi16(y, _mm_add_epi16(cb, cb)),
                              rest_of(cb, -14942));
    g = _mm_add_epi16(_mm_sub_epi16(y, cr), g);
    __m128i rg = _mm_unpacklo_epi8(_mm_packus_epi16(r, r),
                                   _mm_packus_epi16(g, g));
    __m128i b0 = _mm_unpacklo_epi8(_mm_packus_epi16(b, b), _mm_setzero_si128());
    put_four(_mm_unpacklo_epi16(rg, b0), out);
    put_four(_mm_unpackhi_epi16(rg, b0), out + 12);
  }
  return x;
}
#else
static int64_t eights_to_rgb(const frame_t *f, int64_t from, int64_t count,
                             uint8_t *out) {
  (void)f;
  (void)from;
  (void)count;
  (void)out;
  return 0;
}
#endif

// The same for a row, in numbers of 16 bits: factors are what is left of 1.402,
// 1.772 and 0.714 when whole numbers and a sign are taken away.
static void row_to_rgb(const frame_t *f, int64_t from, int64_t count,
                       uint8_t *out) {
  const uint8_t *ys = f->rows[0] + from;
  const uint8_t *cbs = f->rows[1] + from, *crs = f->rows[2] + from;
  uint16_t *restrict pixels = f->pixels;
  const int64_t done = eights_to_rgb(f, from, count, out);
  for (int64_t x = done; x < count; ++x) {
    int16_t y = ys[x];
    int16_t cb = (int16_t)(cbs[x] - 128), cr = (int16_t)(crs[x] - 128);
    int16_t r = (int16_t)((high_of((int16_t)(cr * 2), 26345) + 1) >> 1);
    int16_t g = (int16_t)((cb * -22554 + cr * 18734 + 32768) >> 16);
    int16_t b = (int16_t)((high_of((int16_t)(cb * 2), -14942) + 1) >> 1);
    int16_t red = limit_short((int16_t)(y + cr + r));
    int16_t green = limit_short((int16_t)(y - cr + g));
    pixels[2 * x] = htole16((uint16_t)(red | green << 8));
    int16_t blue = limit_short((int16_t)(y + 2 * cb + b));
    pixels[2 * x + 1] = htole16((uint16_t)blue);
  }
  // Each writes a byte of the next.
  for (int64_t x = done; x + 1 < count; ++x) {
    memcpy(out + 3 * x, pixels + 2 * x, 2 * sizeof(*pixels));
  }
  memcpy(out + 3 * (count - 1), pixels + 2 * (count - 1), 3);
}

// Mixes four inks, or the inverse of them, which Adobe's programs store.
static void mix(const uint8_t *inks, bool is_inverse, uint8_t *out) {
  int k = is_inverse ? inks[3] : 255 - inks[3];
  for (int i = 0; i < 3; ++i) {
    int ink = is_inverse ? inks[i] : 255 - inks[i];
    out[i] = (uint8_t)(k * ink / 255);
  }
}

// True where components are luminance and two colours.
static bool has_luminance(const jpeg_t *j) {
  const jpeg_part_t *parts = j->parts;
  if (j->count == 4) return j->has_adobe && j->adobe != 0;
  if (j->has_jfif) return true;
  if (j->has_adobe) return j->adobe != 0;
  return !(parts[0].id == 'R' && parts[1].id == 'G' && parts[2].id == 'B');
}

static void convert_inks(const frame_t *f, int64_t x, uint8_t *out) {
  uint8_t inks[4];
  for (int i = 0; i < 4; ++i) inks[i] = f->rows[i][x];
  if (has_luminance(f->j)) {
    to_rgb(f->rows[0][x], f->rows[1][x], f->rows[2][x], inks);
    for (int i = 0; i < 3; ++i) inks[i] = (uint8_t)(255 - inks[i]);
  }
  mix(inks, f->j->has_adobe, out);
}

static void convert_gray(const frame_t *f, int64_t from, int64_t count,
                         uint8_t *out) {
  if (f->parts == 1) {
    memcpy(out, f->rows[0] + from, (size_t)count);
    return;
  }
  for (int64_t x = 0; x < count; ++x) {
    out[x] =
        (uint8_t)((19595 * f->rows[0][from + x] + 38470 * f->rows[1][from + x] +
                   7471 * f->rows[2][from + x] + 32768) >>
                  16);
  }
}

static void convert_row(const frame_t *f, int64_t from, int64_t count,
                        int channels, uint8_t *out) {
  if (channels == 1) {
    convert_gray(f, from, count, out);
    return;
  }
  if (f->parts == 3 && has_luminance(f->j)) {
    row_to_rgb(f, from, count, out);
    return;
  }
  for (int64_t x = from; x < from + count; ++x, out += 3) {
    if (f->parts == 4) {
      convert_inks(f, x, out);
    } else {
      for (int i = 0; i < 3; ++i) out[i] = f->rows[f->parts == 1 ? 0 : i][x];
    }
  }
}

// ---- The whole ----

// Finds the columns that are made: a window begins with a whole unit.
static void choose_columns(frame_t *f) {
  const jpeg_t *j = f->j;
  const int32_t *window = j->options->window;
  int64_t unit = j->count == 1 ? j->side : j->side * j->max_h;
  f->width = j->out_width;
  if (!j->options->is_cropped || window[3] == j->out_width) return;
  f->begin = window[1] / unit * unit;
  f->width = window[1] + window[3] - f->begin;
}

static bool is_smooth(const jpeg_t *j, const grow_t *g, int64_t width) {
  if (!j->options->is_smooth || j->side == 1) return false;
  if (g->across == 1) return g->down == 2;
  return g->across == 2 && g->down <= 2 && width > 2;
}

// False for sizes that do not divide each other.
static bool plan_part(frame_t *f, int index, int64_t *out_whole) {
  const jpeg_t *j = f->j;
  const jpeg_part_t *part = &j->parts[index];
  grow_t *g = &f->grow[index];
  int64_t across = (int64_t)j->max_h * j->side, h = part->h * part->side;
  int64_t down = (int64_t)j->max_v * j->side, v = part->v * part->side;
  if (across % h != 0 || down % v != 0) return false;
  g->across = across / h;
  g->down = down / v;
  g->stride = part->wide * part->side;
  g->height = divide_up(j->height * v, (int64_t)j->max_v * 8);
  *out_whole = divide_up(j->width * h, (int64_t)j->max_h * 8);
  g->width =
      f->width == j->out_width ? *out_whole : divide_up(f->width, g->across);
  g->samples = part->samples + f->begin / g->across;
  return true;
}

static bool plan(frame_t *f, int channels) {
  const jpeg_t *j = f->j;
  int64_t whole[JPEG_PARTS] = {0};
  bool is_new = false;
  choose_columns(f);
  f->parts = j->count;
  if (channels == 1 && j->count == 3 && has_luminance(j)) f->parts = 1;
  for (int i = 0; i < f->parts; ++i) {
    if (!plan_part(f, i, &whole[i])) return false;
    is_new |= f->grow[i].width < 2 && whole[i] >= 2;
  }
  for (int i = 0; i < f->parts; ++i) {
    grow_t *g = &f->grow[i];
    g->is_smooth = is_smooth(j, g, is_new ? g->width : whole[i]);
  }
  return true;
}

berth_code_t berth_jpeg_pixels(const jpeg_t *j, int channels, uint8_t *out,
                               berth_error_t *err) {
  frame_t f = {.j = j};
  const int32_t *window = j->options->window;
  bool is_cropped = j->options->is_cropped;
  if (!plan(&f, channels)) return BERTH_INVALID_ARGUMENT;
  // Twice as wide as a component may be one more than the image.
  size_t size = (size_t)f.width + 8;
  size_t each = 3 * sizeof(uint16_t) + (size_t)f.parts;
  char *room = berth_alloc(size * each);
  if (room == NULL) return berth_error_no_memory(err, "an image");
  f.pixels = (uint16_t *)room;
  uint16_t *sums = f.pixels + 2 * size;
  uint8_t *rows = (uint8_t *)(sums + size);
  int64_t top = is_cropped ? window[0] : 0;
  int64_t count = is_cropped ? window[2] : j->out_height;
  int64_t width = is_cropped ? window[3] : j->out_width;
  int64_t from = is_cropped ? window[1] - f.begin : 0;
  for (int i = 0; i < f.parts; ++i) {
    f.rows[i] = rows + (size_t)i * size;
    f.grow[i].sums = sums;
  }
  for (int64_t y = 0; y < count; ++y) {
    for (int i = 0; i < f.parts; ++i) {
      grow_row(&f.grow[i], top + y, f.rows[i], f.width);
    }
    convert_row(&f, from, width, channels, out + y * width * channels);
  }
  berth_free(room);
  return BERTH_OK;
}
