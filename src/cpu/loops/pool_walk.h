// pool_walk.h - How the loops of pooling go through windows.
//
// For the sources that make these loops alone.
#ifndef BERTH_CPU_LOOPS_POOL_WALK_H_
#define BERTH_CPU_LOOPS_POOL_WALK_H_

#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/pool.h"

enum { BLOCK = BERTH_POOL_BLOCK };

// Outputs of one batch, depth and height, and the taps above and below.
typedef struct berth_pooling_row {
  int64_t batch;
  int64_t depth_begin, depth_end, depth_first;  // Taps, and where tap 0 is.
  int64_t height_begin, height_end, height_first;
} berth_pooling_row_t;

static BERTH_INLINE int64_t berth_pooling_first(const berth_window_axis_t *axis,
                                                int64_t o) {
  return o * axis->stride - axis->before;
}

static BERTH_INLINE berth_pooling_row_t
berth_pooling_row(const berth_window_t *window, int64_t row) {
  const berth_window_axis_t *depth = &window->axes[0];
  const berth_window_axis_t *height = &window->axes[1];
  int64_t h = row % height->out, d = row / height->out % depth->out;
  berth_pooling_row_t at = {.batch = row / height->out / depth->out};
  at.depth_first = berth_pooling_first(depth, d);
  at.height_first = berth_pooling_first(height, h);
  berth_window_taps(depth, d, &at.depth_begin, &at.depth_end);
  berth_window_taps(height, h, &at.height_begin, &at.height_end);
  return at;
}

// The taps of one output that lie in the image: how many along each axis, the
// place of the first, in elements, and how far apart they are. Those of the
// outputs behind it, |windows| in all, may be as many, |apart| elements further.
typedef struct berth_pooling_taps {
  int64_t depths, heights, widths;
  int64_t first;
  int64_t depth_step, height_step, width_step;
  int64_t windows, apart;
} berth_pooling_taps_t;

static BERTH_INLINE berth_pooling_taps_t berth_pooling_taps(
    const berth_window_t *window, const berth_pooling_row_t *row, int64_t o) {
  const berth_window_axis_t *axes = window->axes;
  int64_t begin = 0, end = 0, first = berth_pooling_first(&axes[2], o);
  berth_window_taps(&axes[2], o, &begin, &end);
  int64_t d = row->depth_first + row->depth_begin * axes[0].dilation;
  int64_t h = row->height_first + row->height_begin * axes[1].dilation;
  int64_t w = first + begin * axes[2].dilation;
  int64_t line = axes[2].in * window->channels, plane = axes[1].in * line;
  return (berth_pooling_taps_t){
      .depths = row->depth_end - row->depth_begin,
      .heights = row->height_end - row->height_begin,
      .widths = end - begin,
      .first = (row->batch * axes[0].in + d) * plane + h * line +
               w * window->channels,
      .depth_step = axes[0].dilation * plane,
      .height_step = axes[1].dilation * line,
      .width_step = axes[2].dilation * window->channels};
}

// Stores the outputs [*out_begin, *out_end) of |axis| all of whose taps lie in
// the image.
static BERTH_INLINE void berth_pooling_inside(const berth_window_axis_t *axis,
                                              int64_t *out_begin,
                                              int64_t *out_end) {
  int64_t begin = (axis->before + axis->stride - 1) / axis->stride;
  int64_t room = axis->in + axis->before - berth_window_extent(axis);
  int64_t end = room < 0 ? 0 : room / axis->stride + 1;
  *out_end = end < axis->out ? end : axis->out;
  *out_begin = begin < *out_end ? begin : *out_end;
}

static BERTH_INLINE int64_t
berth_pooling_tap_count(const berth_pooling_taps_t *taps) {
  return taps->depths * taps->heights * taps->widths;
}

// Runs the statement behind it for every tap of |taps|; |offset| is its place.
#define FOR_TAPS(taps, offset)                                        \
  for (int64_t depth_ = 0; depth_ < (taps).depths; ++depth_)          \
    for (int64_t height_ = 0; height_ < (taps).heights; ++height_)    \
      for (int64_t width_ = 0, offset = (taps).first +                \
                                        depth_ * (taps).depth_step +  \
                                        height_ * (taps).height_step; \
           width_ < (taps).widths; ++width_, offset += (taps).width_step)

// Writes |channels| channels of what it makes of the taps of each window.
typedef void (*berth_pooling_join_fn)(const void *in,
                                      const berth_pooling_taps_t *taps,
                                      void *to, int64_t channels);

// Fills rows [begin, end) of |out|, elements of |size| bytes, by |join|; which
// takes several windows at a time if it |takes_many|.
//
// Where no tap is missing along a row, windows differ in their place alone, and
// those one step apart are as one window of many channels.
static BERTH_INLINE void berth_pooling_rows(const berth_window_t *window,
                                            const void *in, void *out,
                                            int64_t begin, int64_t end,
                                            size_t size, bool takes_many,
                                            berth_pooling_join_fn join) {
  const berth_window_axis_t *axis = &window->axes[2];
  int64_t channels = window->channels, first = 0, last = 0;
  char *to = (char *)out + (size_t)(begin * axis->out * channels) * size;
  berth_pooling_inside(axis, &first, &last);
  for (int64_t row = begin; row < end; ++row) {
    berth_pooling_row_t at = berth_pooling_row(window, row);
    berth_pooling_taps_t taps = {0};
    for (int64_t o = 0, joined; o < axis->out; o += joined) {
      if (o > first && o < last) {
        taps.first += axis->stride * channels;
      } else {
        taps = berth_pooling_taps(window, &at, o);
      }
      bool are_one = axis->stride == 1;
      joined = o == first && o < last && (are_one || takes_many) ? last - o : 1;
      taps.windows = are_one ? 1 : joined;
      taps.apart = axis->stride * channels;
      join(in, &taps, to, are_one ? joined * channels : channels);
      to += (size_t)(joined * channels) * size;
    }
  }
}

// Returns the place of tap |number|, as FOR_TAPS() counts them.
static BERTH_INLINE int64_t
berth_pooling_tap_place(const berth_pooling_taps_t *taps, int64_t number) {
  int64_t width = number % taps->widths, rest = number / taps->widths;
  return taps->first + width * taps->width_step +
         rest % taps->heights * taps->height_step +
         rest / taps->heights * taps->depth_step;
}

static BERTH_INLINE void berth_pooling_set_place(
    const berth_pooling_places_t *places, int64_t i, int64_t place) {
  if (places->is_wide) {
    ((int64_t *)places->at)[i] = place;
  } else {
    ((int32_t *)places->at)[i] = (int32_t)place;
  }
}

// Elements of one image.
static BERTH_INLINE int64_t
berth_pooling_image_size(const berth_window_t *window) {
  return window->axes[0].in * window->axes[1].in * window->axes[2].in *
         window->channels;
}

// Some channels of one batch: the rows of its outputs, the first channel and
// how many there are.
typedef struct berth_pooling_piece {
  int64_t batch, begin, end;
  int64_t channel, count;
} berth_pooling_piece_t;

static BERTH_INLINE berth_pooling_piece_t
berth_pooling_piece(const berth_window_t *window, int64_t piece) {
  int64_t blocks = (window->channels + BLOCK - 1) / BLOCK;
  int64_t rows = window->axes[0].out * window->axes[1].out;
  berth_pooling_piece_t part = {.batch = piece / blocks,
                                .channel = piece % blocks * BLOCK};
  int64_t rest = window->channels - part.channel;
  part.count = rest < BLOCK ? rest : BLOCK;
  part.begin = part.batch * rows;
  part.end = part.begin + rows;
  return part;
}

// Sets the channels of |part| to zero in |out|, elements of |type|.
#define CLEAR_PIECE(type, window, out, part)                    \
  do {                                                          \
    int64_t size_ = berth_pooling_image_size(window),           \
            step_ = (window)->channels;                         \
    type *to_ = (out) + (part).batch * size_;                   \
    for (int64_t i_ = 0; i_ < size_; i_ += step_) {             \
      memset(to_ + i_, 0, (size_t)(part).count * sizeof(type)); \
    }                                                           \
  } while (0)

#endif  // BERTH_CPU_LOOPS_POOL_WALK_H_
