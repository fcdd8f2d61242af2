// resize_isa.c - The loops of resizing, for each instruction set.
#include "cpu/loops/resize.h"

#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/vexp.h"

// Four numbers: a pixel of three channels, and the first of the next.
typedef float four_t __attribute__((vector_size(16)));

static BERTH_INLINE four_t load_four(const float *from) {
  four_t v;
  memcpy(&v, from, sizeof(v));
  return v;
}

static BERTH_INLINE void store_four(float *to, four_t v) {
  memcpy(to, &v, sizeof(v));
}

// |channels| is a constant where this is used: loops over few are unrolled.
static BERTH_INLINE void across_some(const float *in, float *out,
                                     const berth_between_t *places, int64_t n,
                                     int64_t channels) {
  for (int64_t x = 0; x < n; ++x, out += channels) {
    const float *left = in + places[x].lower * channels;
    const float *right = in + places[x].upper * channels;
    float share = places[x].share;
    for (int64_t c = 0; c < channels; ++c) {
      out[c] = left[c] + (right[c] - left[c]) * share;
    }
  }
}

// Pixels of three channels are read and written with a number too many, but for
// the last: what is written too much the next pixel overwrites.
static void across_three(const float *in, float *out,
                         const berth_between_t *places, int64_t n,
                         int64_t in_size) {
  int64_t x = 0;
  for (; x < n - 1 && places[x].upper < in_size - 1; ++x) {
    four_t left = load_four(in + places[x].lower * 3);
    four_t right = load_four(in + places[x].upper * 3);
    float share = places[x].share;
    store_four(out + 3 * x,
               left + (right - left) * (four_t){share, share, share, share});
  }
  across_some(in, out + 3 * x, places + x, n - x, 3);
}

static void across(const float *in, float *out, const berth_between_t *places,
                   int64_t n, int64_t channels, int64_t in_size) {
  switch (channels) {
    case 1:
      across_some(in, out, places, n, 1);
      return;
    case 3:
      across_three(in, out, places, n, in_size);
      return;
    case 4:
      across_some(in, out, places, n, 4);
      return;
    default:
      across_some(in, out, places, n, channels);
  }
}

static void between(const float *top, const float *bottom, float share,
                    float *out, int64_t n) {
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) {
    out[i] = top[i] + (bottom[i] - top[i]) * share;
  }
}

static void among(const float *const rows[4], const float weights[4],
                  float *out, int64_t n) {
  const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  float p = weights[0], q = weights[1], r = weights[2], s = weights[3];
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) {
    out[i] = a[i] * p + b[i] * q + c[i] * r + d[i] * s;
  }
}

static BERTH_INLINE void across_four_some(const float *in, float *out,
                                          const berth_among_t *places,
                                          int64_t n, int64_t channels) {
  for (int64_t x = 0; x < n; ++x, out += channels) {
    const berth_among_t *place = &places[x];
    const float *a = in + place->at[0] * channels;
    const float *b = in + place->at[1] * channels;
    const float *c = in + place->at[2] * channels;
    const float *d = in + place->at[3] * channels;
    const float *w = place->weights;
    for (int64_t i = 0; i < channels; ++i) {
      out[i] = a[i] * w[0] + b[i] * w[1] + c[i] * w[2] + d[i] * w[3];
    }
  }
}

static BERTH_INLINE four_t weigh(const float *in, const berth_among_t *place,
                                 int k) {
  float w = place->weights[k];
  return load_four(in + place->at[k] * 3) * (four_t){w, w, w, w};
}

static void across_four_three(const float *in, float *out,
                              const berth_among_t *places, int64_t n,
                              int64_t in_size) {
  int64_t x = 0;
  for (; x < n - 1 && places[x].at[3] < in_size - 1; ++x) {
    const berth_among_t *place = &places[x];
    store_four(out + 3 * x, weigh(in, place, 0) + weigh(in, place, 1) +
                                weigh(in, place, 2) + weigh(in, place, 3));
  }
  across_four_some(in, out + 3 * x, places + x, n - x, 3);
}

static void across_four(const float *in, float *out,
                        const berth_among_t *places, int64_t n,
                        int64_t channels, int64_t in_size) {
  switch (channels) {
    case 1:
      across_four_some(in, out, places, n, 1);
      return;
    case 3:
      across_four_three(in, out, places, n, in_size);
      return;
    case 4:
      across_four_some(in, out, places, n, 4);
      return;
    default:
      across_four_some(in, out, places, n, channels);
  }
}

static BERTH_INLINE void cover_some(const float *in, float *out,
                                    const berth_cover_t *covers, int64_t n,
                                    int64_t channels, float share) {
  for (int64_t x = 0; x < n; ++x, out += channels) {
    const berth_cover_t *cover = &covers[x];
    const float *first = in + cover->begin * channels;
    const float *last = in + cover->last * channels;
    for (int64_t c = 0; c < channels; ++c) {
      float sum = first[c] * cover->first_part;
      for (const float *p = first + channels; p < last; p += channels) {
        sum += p[c];
      }
      if (cover->last > cover->begin) sum += last[c] * cover->last_part;
      out[c] += sum * share;
    }
  }
}

// As above, with a number too many that is read and not written.
static void cover_three(const float *in, float *out,
                        const berth_cover_t *covers, int64_t n, float share,
                        int64_t in_size) {
  int64_t x = 0;
  for (; x < n && covers[x].last < in_size - 1; ++x, out += 3) {
    const berth_cover_t *over = &covers[x];
    float part = over->first_part, rest = over->last_part;
    four_t sum =
        load_four(in + over->begin * 3) * (four_t){part, part, part, part};
    for (int64_t at = over->begin + 1; at < over->last; ++at) {
      sum += load_four(in + at * 3);
    }
    if (over->last > over->begin) {
      sum += load_four(in + over->last * 3) * (four_t){rest, rest, rest, rest};
    }
    out[0] += sum[0] * share;
    out[1] += sum[1] * share;
    out[2] += sum[2] * share;
  }
  cover_some(in, out, covers + x, n - x, 3, share);
}

static void cover(const float *in, float *out, const berth_cover_t *covers,
                  int64_t n, int64_t channels, float share, int64_t in_size) {
  switch (channels) {
    case 1:
      cover_some(in, out, covers, n, 1, share);
      return;
    case 3:
      cover_three(in, out, covers, n, share, in_size);
      return;
    case 4:
      cover_some(in, out, covers, n, 4, share);
      return;
    default:
      cover_some(in, out, covers, n, channels, share);
  }
}

const berth_resize_loops_t BERTH_ISA(berth_cpu_resize_loops) = {
    .across = across,
    .between = between,
    .among = among,
    .across_four = across_four,
    .cover = cover,
};
