// conv_walk.c - Which places a convolution reads: gathering and spreading.
#include <string.h>

#include "base/compiler.h"
#include "cpu/ops/conv.h"

enum { LAST_AXIS = BERTH_WINDOW_AXES - 1 };

// ---- Phases ----

// The taps of an axis that places of one phase see: those whose distance from
// the window's begin is |residue| modulo the stride.
typedef struct phase {
  int64_t first, count, apart;  // Taps; from one to the next.
  int64_t before;               // Taps of smaller residues.
} phase_t;

static phase_t phase_of(const berth_window_axis_t *axis, int64_t residue) {
  phase_t phase = {.apart = 1};
  for (int64_t t = 0; t < axis->window; ++t) {
    int64_t rest = t * axis->dilation % axis->stride;
    if (rest < residue) ++phase.before;
    if (rest != residue) continue;
    if (phase.count == 0) phase.first = t;
    if (phase.count == 1) phase.apart = t - phase.first;
    ++phase.count;
  }
  return phase;
}

static int64_t phases_of(const berth_window_axis_t *axis) {
  return axis->stride < axis->in ? axis->stride : axis->in;
}

int64_t berth_conv_passes(const berth_conv_t *conv) {
  if (conv->goal != BERTH_CONV_IMAGE) return 1;
  const berth_window_axis_t *axes = conv->window.axes;
  return phases_of(&axes[0]) * phases_of(&axes[1]) * phases_of(&axes[2]);
}

// Places i of the image that are |at| modulo the stride. Output o and tap t
// meet there when i = o * stride - before + t * dilation.
static phase_t walk_back(const berth_window_axis_t *axis, int64_t at,
                         berth_conv_walk_t *out) {
  int64_t from = at + axis->before;
  phase_t phase = phase_of(axis, from % axis->stride);
  *out = (berth_conv_walk_t){
      .count = (axis->in - at + axis->stride - 1) / axis->stride,
      .taps = phase.count,
      // Whole numbers, both: residues are the same.
      .first = (from - phase.first * axis->dilation) / axis->stride,
      .step = 1,
      .tap = -(phase.apart * axis->dilation / axis->stride),
      .size = axis->out};
  return phase;
}

static void pass_back(const berth_conv_t *conv, int64_t index,
                      berth_conv_pass_t *out) {
  const berth_window_axis_t *axes = conv->window.axes;
  int64_t rest = index;
  for (int i = BERTH_WINDOW_AXES - 1; i >= 0; --i) {
    out->to[i] = rest % phases_of(&axes[i]);
    out->apart[i] = axes[i].stride;
    rest /= phases_of(&axes[i]);
  }
  // Sorted by phases: all taps of the first, of the second, and so on.
  int64_t inner = berth_conv_taps(conv), taps = 1, filter = 0;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    phase_t phase = walk_back(&axes[i], out->to[i], &out->walks[i]);
    inner /= axes[i].window;
    filter += taps * phase.before * inner;
    taps *= phase.count;
    out->tap[i] = phase.first;
    out->taps_apart[i] = phase.apart;
  }
  out->filter = filter;
  out->taps = taps;
}

static void pass_forth(const berth_conv_t *conv, berth_conv_pass_t *out) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &conv->window.axes[i];
    out->walks[i] = (berth_conv_walk_t){.count = axis->out,
                                        .taps = axis->window,
                                        .first = -axis->before,
                                        .step = axis->stride,
                                        .tap = axis->dilation,
                                        .size = axis->in};
    out->to[i] = out->tap[i] = 0;
    out->apart[i] = out->taps_apart[i] = 1;
  }
  out->filter = 0;
  out->taps = berth_conv_taps(conv);
}

void berth_conv_pass(const berth_conv_t *conv, int64_t index,
                     berth_conv_pass_t *out) {
  if (conv->goal == BERTH_CONV_IMAGE) {
    pass_back(conv, index, out);
  } else {
    pass_forth(conv, out);
  }
  out->places = 1;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    out->places *= out->walks[i].count;
  }
}

int64_t berth_conv_turned(const berth_conv_t *conv, int64_t tap) {
  const berth_window_axis_t *axes = conv->window.axes;
  int64_t taps[BERTH_WINDOW_AXES], rest = tap;
  for (int i = BERTH_WINDOW_AXES - 1; i >= 0; --i) {
    taps[i] = rest % axes[i].window;
    rest /= axes[i].window;
  }
  int64_t inner = berth_conv_taps(conv), outer = 1, at = 0;
  int64_t within = 0;  // Among the taps of its phase.
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    phase_t phase =
        phase_of(&axes[i], taps[i] * axes[i].dilation % axes[i].stride);
    inner /= axes[i].window;
    at += outer * phase.before * inner;
    outer *= phase.count;
    int64_t nth = (taps[i] - phase.first) / phase.apart;
    if (i == LAST_AXIS) nth = phase.count - 1 - nth;
    within = within * phase.count + nth;
  }
  return at + within;
}

void berth_conv_face(berth_conv_pass_t *pass) {
  berth_conv_walk_t *walk = &pass->walks[LAST_AXIS];
  walk->first += (walk->taps - 1) * walk->tap;
  walk->tap = -walk->tap;
}

bool berth_conv_pad(berth_conv_t *conv, const int64_t *pads) {
  berth_image_layout_t layout = conv->window.layout;
  int channels = berth_image_channel(layout);
  if (layout.axes != 2 || layout.channels_first || pads[0] != 0 ||
      pads[1] != 0 || pads[2 * channels] != 0 || pads[2 * channels + 1] != 0) {
    return false;
  }
  for (int i = 0; i < layout.axes; ++i) {
    const int64_t *edges = pads + 2 * berth_image_space(layout, i);
    berth_window_axis_t *axis =
        &conv->window.axes[berth_window_axis_at(layout, i)];
    axis->before += edges[0];
    axis->after += edges[1];
    axis->in -= edges[0] + edges[1];
    if (axis->in < 1) return false;
  }
  return true;
}

// ---- Gathering ----

// Copies |word| to twice as many bytes.
static BERTH_INLINE void copy_twice(char *to, const char *from, int64_t size,
                                    int64_t word) {
  memcpy(to, from, (size_t)word);
  memcpy(to + size - word, from + size - word, (size_t)word);
}

// Copies |size| bytes. Lines of few channels are short: a call would take longer
// than the copy.
static inline void copy_bytes(char *to, const char *from, int64_t size) {
  enum { SHORT = 128, WORD = 16 };
  if (size > SHORT || size < 4) {
    memcpy(to, from, (size_t)size);
  } else if (size < 8) {
    copy_twice(to, from, size, 4);
  } else if (size < WORD) {
    copy_twice(to, from, size, 8);
  } else {
    for (int64_t i = WORD; i < size; i += WORD) {
      memcpy(to + i - WORD, from + i - WORD, WORD);
    }
    memcpy(to + size - WORD, from + size - WORD, WORD);
  }
}

static inline void clear_bytes(char *to, int64_t size) {
  static const char zeros[64];
  if (size <= 0) return;
  if (size <= (int64_t)sizeof(zeros)) {
    copy_bytes(to, zeros, size);
  } else {
    memset(to, 0, (size_t)size);
  }
}

// Lines that are copied: how many, of how many bytes, and how far apart they are
// where they come from and where they go.
typedef struct copies {
  int64_t count, bytes, from_step, to_step;
} copies_t;

// Copies lines of |word| to twice as many bytes.
static BERTH_INLINE void copy_words(const copies_t *lines, const char *from,
                                    char *to, int64_t word) {
  for (int64_t i = 0; i < lines->count; ++i) {
    copy_twice(to, from, lines->bytes, word);
    from += lines->from_step;
    to += lines->to_step;
  }
}

// Copies lines; what is chosen by their length is chosen once.
static void copy_lines(const copies_t *lines, const char *from, char *to) {
  int64_t bytes = lines->bytes;
  if (bytes >= 4 && bytes <= 96) {
    if (bytes <= 8) {
      copy_words(lines, from, to, 4);
    } else if (bytes <= 16) {
      copy_words(lines, from, to, 8);
    } else if (bytes <= 32) {
      copy_words(lines, from, to, 16);
    } else if (bytes <= 64) {
      copy_words(lines, from, to, 32);
    } else {
      copy_words(lines, from, to, 48);  // Windows of seven of three channels.
    }
    return;
  }
  for (int64_t i = 0; i < lines->count; ++i) {
    copy_bytes(to, from, bytes);
    from += lines->from_step;
    to += lines->to_step;
  }
}

// Returns how many of [0, count) are such that first + i * step < |end|.
static int64_t count_below(int64_t first, int64_t step, int64_t count,
                           int64_t end) {
  if (first >= end) return 0;
  int64_t below = end - first;
  if (step != 1) below = (below + step - 1) / step;  // Divisions are slow.
  return below < count ? below : count;
}

// Gathers the taps along the last axis, the first of which reads place |first|
// of the line at |from|.
static void gather_line(const berth_conv_gather_t *g, const char *from,
                        int64_t first, char *to) {
  const berth_conv_walk_t *walk = &g->walks[BERTH_WINDOW_AXES - 1];
  int64_t bytes = g->channels * g->size;
  int64_t place = g->side->place * g->size;
  if (walk->tap == 1 && place == bytes) {
    // They lie side by side.
    int64_t begin = first < 0 ? -first : 0;
    begin = begin < walk->taps ? begin : walk->taps;
    int64_t end = count_below(first, 1, walk->taps, walk->size);
    end = end > begin ? end : begin;
    clear_bytes(to, begin * bytes);
    if (end > begin) {
      copy_bytes(to + begin * bytes, from + (first + begin) * place,
                 (end - begin) * bytes);
    }
    clear_bytes(to + end * bytes, (walk->taps - end) * bytes);
    return;
  }
  for (int64_t t = 0; t < walk->taps; ++t, to += bytes) {
    int64_t at = first + t * walk->tap;
    if (at < 0 || at >= walk->size) {
      clear_bytes(to, bytes);
    } else {
      copy_bytes(to, from + at * place, bytes);
    }
  }
}

// Gathers what |count| places of one row see along one line of taps: the first
// of them reads from place |first| of the line at |row| on, or nothing where
// that is NULL. Lines of places are |apart| bytes apart.
static void gather_taps(const berth_conv_gather_t *g, const char *row,
                        int64_t first, int64_t count, int64_t apart, char *to) {
  const berth_conv_walk_t *walk = &g->walks[BERTH_WINDOW_AXES - 1];
  int64_t bytes = walk->taps * g->channels * g->size;
  int64_t place = g->side->place * g->size;
  int64_t begin = 0, end = 0;  // Places all of whose taps lie side by side.
  if (row != NULL && walk->tap == 1 && place == g->channels * g->size) {
    begin = count_below(first, walk->step, count, 0);
    end = count_below(first, walk->step, count, walk->size - walk->taps + 1);
    end = end > begin ? end : begin;
  }
  for (int64_t p = 0; p < count; ++p) {
    if (p == begin && p < end) {
      copies_t lines = {end - begin, bytes, walk->step * place, apart};
      copy_lines(&lines, row + (first + p * walk->step) * place,
                 to + p * apart);
      p = end - 1;
    } else if (row == NULL) {
      clear_bytes(to + p * apart, bytes);
    } else {
      gather_line(g, row, first + p * walk->step, to + p * apart);
    }
  }
}

// Gathers all that |count| places of one row see, from place |at| on.
static void gather_row(const berth_conv_gather_t *g, const char *from,
                       const int64_t *at, int64_t count, char *to) {
  const berth_conv_walk_t *w = g->walks;
  int64_t taps = w[2].taps * g->channels * g->size;
  int64_t apart = w[0].taps * w[1].taps * taps;
  int64_t line = w[2].size * g->side->place * g->size;
  int64_t first = w[2].first + at[2] * w[2].step;
  for (int64_t d = 0; d < w[0].taps; ++d) {
    int64_t z = w[0].first + at[0] * w[0].step + d * w[0].tap;
    for (int64_t h = 0; h < w[1].taps; ++h, to += taps) {
      int64_t y = w[1].first + at[1] * w[1].step + h * w[1].tap;
      bool is_outside = z < 0 || z >= w[0].size || y < 0 || y >= w[1].size;
      const char *row = is_outside ? NULL : from + (z * w[1].size + y) * line;
      gather_taps(g, row, first, count, apart, to);
    }
  }
}

// Splits |place| into one number for each axis.
static void place_split(const berth_conv_walk_t *walks, int64_t place,
                        int64_t *out) {
  out[2] = place % walks[2].count;
  place /= walks[2].count;
  out[1] = place % walks[1].count;
  out[0] = place / walks[1].count;
}

// Goes to the next place.
static void place_next(const berth_conv_walk_t *walks, int64_t *at) {
  if (++at[2] < walks[2].count) return;
  at[2] = 0;
  if (++at[1] < walks[1].count) return;
  at[1] = 0;
  ++at[0];
}

void berth_conv_gather(const berth_conv_gather_t *gather, const char *from,
                       int64_t begin, int64_t end, char *to) {
  const berth_conv_walk_t *w = gather->walks;
  int64_t line =
      w[0].taps * w[1].taps * w[2].taps * gather->channels * gather->size;
  int64_t at[BERTH_WINDOW_AXES];
  place_split(w, begin, at);
  while (begin < end) {
    int64_t count = w[2].count - at[2];
    count = count < end - begin ? count : end - begin;
    gather_row(gather, from, at, count, to);
    to += count * line;
    begin += count;
    at[2] += count - 1;
    place_next(w, at);
  }
}

void berth_conv_spread(const berth_conv_pass_t *pass, const int64_t *sizes,
                       const berth_conv_side_t *side, int64_t size,
                       const char *from, int64_t begin, int64_t end, char *to) {
  int64_t at[BERTH_WINDOW_AXES];
  place_split(pass->walks, begin, at);
  for (int64_t p = begin; p < end; ++p, from += side->depth * size) {
    int64_t place = 0;
    for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
      place = place * sizes[i] + pass->to[i] + at[i] * pass->apart[i];
    }
    memcpy(to + place * side->place * size, from, (size_t)(side->depth * size));
    place_next(pass->walks, at);
  }
}
