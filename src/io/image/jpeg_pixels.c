// jpeg_pixels.c - Samples become pixels: interpolation and colours.
//
// Row by row of the output: each component's row is brought to the full width,
// then colours are converted. The edges of a window count as the edges of the
// image, from the unit on in which it begins; so libjpeg-turbo has it.
#include <string.h>

#include "base/alloc.h"
#include "io/image/jpeg_internal.h"

// How a component is brought to the size of the output.
typedef struct grow {
  const uint8_t *samples;  // From the first column that is used.
  int64_t stride, width, height;
  int64_t across, down;  // How many times wider and taller it gets.
  bool is_smooth;
} grow_t;

// The columns of the output that are made, and how.
typedef struct frame {
  const jpeg_t *j;
  int64_t begin, width;
  int parts;  // Components that are used.
  grow_t grow[JPEG_PARTS];
  uint8_t *rows[JPEG_PARTS];
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

static void smooth_across(const grow_t *g, const uint8_t *in, uint8_t *out) {
  int64_t last = g->width - 1;
  for (int64_t x = 0; x <= last; ++x) {
    int here = in[x] * 3;
    out[2 * x] = (uint8_t)(x == 0 ? in[x] : (here + in[x - 1] + 1) >> 2);
    out[2 * x + 1] = (uint8_t)(x == last ? in[x] : (here + in[x + 1] + 2) >> 2);
  }
}

static void smooth_down(const grow_t *g, const uint8_t *in, const uint8_t *near,
                        int bias, uint8_t *out) {
  for (int64_t x = 0; x < g->width; ++x) {
    out[x] = (uint8_t)((in[x] * 3 + near[x] + bias) >> 2);
  }
}

static void smooth_both(const grow_t *g, const uint8_t *in, const uint8_t *near,
                        uint8_t *out) {
  int64_t last = g->width - 1;
  int here = in[0] * 3 + near[0], before = here;
  for (int64_t x = 0; x <= last; ++x) {
    int next = x == last ? here : in[x + 1] * 3 + near[x + 1];
    out[2 * x] = (uint8_t)((here * 3 + before + 8) >> 4);
    out[2 * x + 1] = (uint8_t)((here * 3 + next + 7) >> 4);
    before = here;
    here = next;
  }
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
  bool has_light = f->parts == 3 && has_luminance(f->j);
  for (int64_t x = from; x < from + count; ++x, out += 3) {
    if (has_light) {
      to_rgb(f->rows[0][x], f->rows[1][x], f->rows[2][x], out);
    } else if (f->parts == 4) {
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
  uint8_t *rows = berth_alloc(size * (size_t)f.parts);
  if (rows == NULL) return berth_error_no_memory(err, "an image");
  int64_t top = is_cropped ? window[0] : 0;
  int64_t count = is_cropped ? window[2] : j->out_height;
  int64_t width = is_cropped ? window[3] : j->out_width;
  int64_t from = is_cropped ? window[1] - f.begin : 0;
  for (int i = 0; i < f.parts; ++i) f.rows[i] = rows + (size_t)i * size;
  for (int64_t y = 0; y < count; ++y) {
    for (int i = 0; i < f.parts; ++i) {
      grow_row(&f.grow[i], top + y, f.rows[i], f.width);
    }
    convert_row(&f, from, width, channels, out + y * width * channels);
  }
  berth_free(rows);
  return BERTH_OK;
}
