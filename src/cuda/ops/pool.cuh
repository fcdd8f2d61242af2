// pool.cuh - Kernels of pooling for one type: POOL_KERNELS(type).
//
// A thread makes one element: of the output, or, of gradients, of the image,
// for which it looks at all windows that the element is in. So nothing is added
// up by several threads, and sums are in the order of outputs. Where the largest
// of a window is, MaxPoolGrad finds out first, for all outputs.
#ifndef BERTH_CUDA_OPS_POOL_CUH_
#define BERTH_CUDA_OPS_POOL_CUH_

#include "cuda/math/gpu.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/elementwise.cuh"
#include "cuda/ops/pool_params.h"

// An element of an image: its batch, channel and place along three axes.
typedef struct berth_pooling_spot {
  int64_t batch, channel;
  int64_t at[3];
} berth_pooling_spot_t;

// Takes the number of an element of the input or the output apart.
BERTH_GPU_FN berth_pooling_spot_t
berth_pooling_spot(const berth_pooling_params_t *p, uint64_t i, int is_in) {
  berth_pooling_spot_t spot;
  const uint64_t channels = (uint64_t)p->channels;
  uint64_t rest = i;
  if (!p->channels_first) {
    const uint64_t next = berth_gpu_divide(rest, channels);
    spot.channel = (int64_t)(rest - next * channels);
    rest = next;
  }
  BERTH_UNROLL
  for (int a = 2; a >= 0; --a) {
    const uint64_t size = (uint64_t)(is_in ? p->axes[a].in : p->axes[a].out);
    const uint64_t next = berth_gpu_divide(rest, size);
    spot.at[a] = (int64_t)(rest - next * size);
    rest = next;
  }
  if (p->channels_first) {
    const uint64_t next = berth_gpu_divide(rest, channels);
    spot.channel = (int64_t)(rest - next * channels);
    rest = next;
  }
  spot.batch = (int64_t)rest;
  return spot;
}

// The inputs that one output sees.
typedef struct berth_pooling_reach {
  int64_t begin[3], end[3];
} berth_pooling_reach_t;

BERTH_GPU_FN berth_pooling_reach_t berth_pooling_reach(
    const berth_pooling_params_t *p, const berth_pooling_spot_t *spot) {
  berth_pooling_reach_t reach;
  BERTH_UNROLL
  for (int a = 0; a < 3; ++a) {
    const berth_pooling_axis_t *axis = &p->axes[a];
    const int64_t first = spot->at[a] * axis->stride - axis->before;
    const int64_t last = first + axis->window;
    reach.begin[a] = first > 0 ? first : 0;
    reach.end[a] = last < axis->in ? last : axis->in;
  }
  return reach;
}

// The outputs that see one input.
BERTH_GPU_FN berth_pooling_reach_t berth_pooling_seen(
    const berth_pooling_params_t *p, const berth_pooling_spot_t *spot) {
  berth_pooling_reach_t reach;
  BERTH_UNROLL
  for (int a = 0; a < 3; ++a) {
    const berth_pooling_axis_t *axis = &p->axes[a];
    const int64_t at = spot->at[a] + axis->before;
    const int64_t last =
        (int64_t)berth_gpu_divide((uint64_t)at, (uint64_t)axis->stride) + 1;
    const int64_t over = at - axis->window;
    reach.begin[a] = over < 0 ? 0
                              : (int64_t)berth_gpu_divide(
                                    (uint64_t)over, (uint64_t)axis->stride) +
                                    1;
    reach.end[a] = last < axis->out ? last : axis->out;
  }
  return reach;
}

#define POOL_FOR(reach, d, h, w)                                \
  for (int64_t d = (reach).begin[0]; d < (reach).end[0]; ++d)   \
    for (int64_t h = (reach).begin[1]; h < (reach).end[1]; ++h) \
      for (int64_t w = (reach).begin[2]; w < (reach).end[2]; ++w)

// Places in the input and in the output.
BERTH_GPU_FN int64_t berth_pooling_in(const berth_pooling_params_t *p,
                                      const berth_pooling_spot_t *spot,
                                      int64_t d, int64_t h, int64_t w) {
  return spot->batch * p->in_batch_step + spot->channel * p->in_channel_step +
         d * p->axes[0].in_step + h * p->axes[1].in_step +
         w * p->axes[2].in_step;
}
BERTH_GPU_FN int64_t berth_pooling_out(const berth_pooling_params_t *p,
                                       const berth_pooling_spot_t *spot,
                                       int64_t d, int64_t h, int64_t w) {
  return spot->batch * p->out_batch_step + spot->channel * p->out_channel_step +
         d * p->axes[0].out_step + h * p->axes[1].out_step +
         w * p->axes[2].out_step;
}

// How many inputs the output at |d|, |h|, |w| sees.
BERTH_GPU_FN int64_t berth_pooling_size(const berth_pooling_params_t *p,
                                        int64_t d, int64_t h, int64_t w) {
  berth_pooling_spot_t spot;
  spot.batch = spot.channel = 0;
  spot.at[0] = d;
  spot.at[1] = h;
  spot.at[2] = w;
  const berth_pooling_reach_t reach = berth_pooling_reach(p, &spot);
  return (reach.end[0] - reach.begin[0]) * (reach.end[1] - reach.begin[1]) *
         (reach.end[2] - reach.begin[2]);
}

// A sum as an element holds it.
#define POOL_ROUND(type, x) berth_load_##type(berth_store_##type(x))

#define POOL_MAX(type, LOWEST)                                            \
  BERTH_KERNEL(berth_pooling_max_##type, berth_pooling_params_t) {        \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;    \
    BERTH_EACH(i, p.count) {                                              \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 0);     \
      const berth_pooling_reach_t reach = berth_pooling_reach(&p, &spot); \
      berth_working_##type best = LOWEST;                                 \
      POOL_FOR(reach, d, h, w) {                                          \
        const berth_working_##type x =                                    \
            berth_load_##type(in[berth_pooling_in(&p, &spot, d, h, w)]);  \
        best = x > best ? x : best;                                       \
      }                                                                   \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(best);       \
    }                                                                     \
  }

#define POOL_MEAN(type)                                                        \
  BERTH_KERNEL(berth_pooling_mean_##type, berth_pooling_params_t) {            \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;         \
    BERTH_EACH(i, p.count) {                                                   \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 0);          \
      const berth_pooling_reach_t reach = berth_pooling_reach(&p, &spot);      \
      berth_working_##type sum = 0;                                            \
      POOL_FOR(reach, d, h, w) {                                               \
        sum += berth_load_##type(in[berth_pooling_in(&p, &spot, d, h, w)]);    \
      }                                                                        \
      const berth_working_##type size =                                        \
          (berth_working_##type)berth_pooling_size(&p, spot.at[0], spot.at[1], \
                                                   spot.at[2]);                \
      ((berth_stored_##type *)p.out)[i] =                                      \
          berth_store_##type(sum / size);                                      \
    }                                                                          \
  }

// Looks for the first of the largest of the window at |spot|: |*out_best| is
// its value. Returns its place in the input; |*out_tap| is its number in the
// window, padding counted.
#define POOL_SEARCH(type)                                                \
  BERTH_GPU_FN int64_t berth_pooling_search_##type(                      \
      const berth_pooling_params_t *p, const berth_pooling_spot_t *spot, \
      berth_working_##type *out_best, int32_t *out_tap) {                \
    const berth_stored_##type *in = (const berth_stored_##type *)p->in;  \
    const berth_pooling_reach_t reach = berth_pooling_reach(p, spot);    \
    int64_t found = -1;                                                  \
    POOL_FOR(reach, d, h, w) {                                           \
      const int64_t at = berth_pooling_in(p, spot, d, h, w);             \
      const berth_working_##type x = berth_load_##type(in[at]);          \
      if (found >= 0 && !(*out_best < x)) continue;                      \
      found = at;                                                        \
      *out_best = x;                                                     \
      *out_tap = berth_pooling_tap(p, spot, d, h, w);                    \
    }                                                                    \
    return found;                                                        \
  }

// Returns the number of the input at |d|, |h|, |w| in the window at |spot|.
BERTH_GPU_FN int32_t berth_pooling_tap(const berth_pooling_params_t *p,
                                       const berth_pooling_spot_t *spot,
                                       int64_t d, int64_t h, int64_t w) {
  const berth_pooling_axis_t *axes = p->axes;
  const int64_t td = d + axes[0].before - spot->at[0] * axes[0].stride;
  const int64_t th = h + axes[1].before - spot->at[1] * axes[1].stride;
  const int64_t tw = w + axes[2].before - spot->at[2] * axes[2].stride;
  return (int32_t)((td * axes[1].window + th) * axes[2].window + tw);
}

#define POOL_ARGMAX(type)                                                     \
  BERTH_KERNEL(berth_pooling_argmax_##type, berth_pooling_params_t) {         \
    BERTH_EACH(i, p.count) {                                                  \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 0);         \
      berth_working_##type best = 0;                                          \
      int32_t tap = 0;                                                        \
      const int64_t at = berth_pooling_search_##type(&p, &spot, &best, &tap); \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(best);           \
      ((int64_t *)p.places)[i] =                                              \
          p.counts_batch ? at : at - spot.batch * p.in_batch_step;            \
    }                                                                         \
  }                                                                           \
                                                                              \
  BERTH_KERNEL(berth_pooling_taps_##type, berth_pooling_params_t) {           \
    BERTH_EACH(i, p.count) {                                                  \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 0);         \
      berth_working_##type best = 0;                                          \
      int32_t tap = -1;                                                       \
      (void)berth_pooling_search_##type(&p, &spot, &best, &tap);              \
      p.taps[i] = tap;                                                        \
    }                                                                         \
  }

#define POOL_GRADS(type)                                                     \
  BERTH_KERNEL(berth_pooling_max_grad_##type, berth_pooling_params_t) {      \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;   \
    BERTH_EACH(i, p.count) {                                                 \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 1);        \
      const berth_pooling_reach_t seen = berth_pooling_seen(&p, &spot);      \
      berth_working_##type sum = 0;                                          \
      POOL_FOR(seen, d, h, w) {                                              \
        const int64_t o = berth_pooling_out(&p, &spot, d, h, w);             \
        berth_pooling_spot_t window = spot;                                  \
        window.at[0] = d;                                                    \
        window.at[1] = h;                                                    \
        window.at[2] = w;                                                    \
        if (p.taps[o] != berth_pooling_tap(&p, &window, spot.at[0],          \
                                           spot.at[1], spot.at[2])) {        \
          continue;                                                          \
        }                                                                    \
        sum = POOL_ROUND(type, sum + berth_load_##type(grad[o]));            \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(sum);           \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_pooling_equal_grad_##type, berth_pooling_params_t) {    \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;   \
    const berth_stored_##type *found = (const berth_stored_##type *)p.found; \
    BERTH_EACH(i, p.count) {                                                 \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 1);        \
      const berth_pooling_reach_t seen = berth_pooling_seen(&p, &spot);      \
      const berth_working_##type x =                                         \
          berth_load_##type(((const berth_stored_##type *)p.in)[i]);         \
      berth_working_##type sum = 0;                                          \
      POOL_FOR(seen, d, h, w) {                                              \
        const int64_t o = berth_pooling_out(&p, &spot, d, h, w);             \
        if (x != berth_load_##type(found[o])) continue;                      \
        sum = POOL_ROUND(type, sum + berth_load_##type(grad[o]));            \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(sum);           \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_pooling_grad_grad_##type, berth_pooling_params_t) {     \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;   \
    const berth_stored_##type *found = (const berth_stored_##type *)p.found; \
    BERTH_EACH(i, p.count) {                                                 \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 0);        \
      const berth_pooling_reach_t reach = berth_pooling_reach(&p, &spot);    \
      const berth_working_##type best = berth_load_##type(found[i]);         \
      int64_t from = -1;                                                     \
      POOL_FOR(reach, d, h, w) {                                             \
        const int64_t at = berth_pooling_in(&p, &spot, d, h, w);             \
        if (from < 0 && berth_load_##type(in[at]) == best) from = at;        \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] =                                    \
          from >= 0 ? grad[from] : berth_store_##type(0);                    \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_pooling_mean_grad_##type, berth_pooling_params_t) {     \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;   \
    BERTH_EACH(i, p.count) {                                                 \
      const berth_pooling_spot_t spot = berth_pooling_spot(&p, i, 1);        \
      const berth_pooling_reach_t seen = berth_pooling_seen(&p, &spot);      \
      berth_working_##type sum = 0;                                          \
      POOL_FOR(seen, d, h, w) {                                              \
        const berth_working_##type factor = POOL_ROUND(                      \
            type, (berth_working_##type)(                                    \
                      1.0 / (double)berth_pooling_size(&p, d, h, w)));       \
        const berth_working_##type g =                                       \
            berth_load_##type(grad[berth_pooling_out(&p, &spot, d, h, w)]);  \
        sum = POOL_ROUND(type, sum + POOL_ROUND(type, g * factor));          \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(sum);           \
    }                                                                        \
  }

// ---- Several channels at a time ----

// Sixteen bytes of channels, which are last: where the first of them is, in the
// input or the output, and where it lies along three axes.
typedef struct berth_pooling_pack {
  uint32_t batch, channel;
  int32_t at[3];
} berth_pooling_pack_t;

BERTH_GPU_FN berth_pooling_pack_t berth_pooling_pack(
    const berth_pooling_short_t *p, uint32_t i, uint32_t pack, int is_in) {
  berth_pooling_pack_t spot;
  uint32_t rest = BERTH_DIVIDE(i, p->packs);
  spot.channel = (i - rest * p->packs.divisor) * pack;
  BERTH_UNROLL
  for (int a = 2; a >= 0; --a) {
    const berth_divider_t by = is_in ? p->axes[a].in : p->axes[a].out;
    const uint32_t next = BERTH_DIVIDE(rest, by);
    spot.at[a] = (int32_t)(rest - next * by.divisor);
    rest = next;
  }
  spot.batch = rest;
  return spot;
}

// The inputs that an output sees, or the outputs that see an input.
typedef struct berth_pooling_span {
  int32_t first[3], begin[3], end[3];
} berth_pooling_span_t;

BERTH_GPU_FN berth_pooling_span_t berth_pooling_inputs(
    const berth_pooling_short_t *p, const berth_pooling_pack_t *spot) {
  berth_pooling_span_t span;
  BERTH_UNROLL
  for (int a = 0; a < 3; ++a) {
    const berth_pooling_short_axis_t *axis = &p->axes[a];
    const int32_t first =
        spot->at[a] * (int32_t)axis->stride.divisor - axis->before;
    const int32_t last = first + axis->window, in = (int32_t)axis->in.divisor;
    span.first[a] = first;
    span.begin[a] = first > 0 ? first : 0;
    span.end[a] = last < in ? last : in;
  }
  return span;
}

BERTH_GPU_FN berth_pooling_span_t berth_pooling_outputs(
    const berth_pooling_short_t *p, const berth_pooling_pack_t *spot) {
  berth_pooling_span_t span;
  BERTH_UNROLL
  for (int a = 0; a < 3; ++a) {
    const berth_pooling_short_axis_t *axis = &p->axes[a];
    const int32_t at = spot->at[a] + axis->before, over = at - axis->window;
    const int32_t last = (int32_t)BERTH_DIVIDE((uint32_t)at, axis->stride) + 1;
    const int32_t out = (int32_t)axis->out.divisor;
    span.first[a] = at;
    span.begin[a] =
        over < 0 ? 0 : (int32_t)BERTH_DIVIDE((uint32_t)over, axis->stride) + 1;
    span.end[a] = last < out ? last : out;
  }
  return span;
}

// Calls LOOK(d, h, w, is_there) for all of a span. Where the last two axes have
// some, and no more than |bound| each, that is straight code, in which all reads
// are under way at once: places beyond the span are its last ones again.
#define POOL_SPAN(span, bound, LOOK)                                        \
  if (p.most <= (bound) && (span).begin[1] < (span).end[1] &&               \
      (span).begin[2] < (span).end[2]) {                                    \
    const int32_t last_h_ = (span).end[1] - 1, last_w_ = (span).end[2] - 1; \
    for (int32_t d = (span).begin[0]; d < (span).end[0]; ++d) {             \
      BERTH_UNROLL for (int32_t h_ = 0; h_ < (bound); ++h_) {               \
        BERTH_UNROLL for (int32_t w_ = 0; w_ < (bound); ++w_) {             \
          const int32_t h = (span).begin[1] + h_, w = (span).begin[2] + w_; \
          LOOK(d, h < last_h_ ? h : last_h_, w < last_w_ ? w : last_w_,     \
               h <= last_h_ && w <= last_w_);                               \
        }                                                                   \
      }                                                                     \
    }                                                                       \
  } else {                                                                  \
    for (int32_t d = (span).begin[0]; d < (span).end[0]; ++d)               \
      for (int32_t h = (span).begin[1]; h < (span).end[1]; ++h)             \
        for (int32_t w = (span).begin[2]; w < (span).end[2]; ++w)           \
          LOOK(d, h, w, 1);                                                 \
  }

BERTH_GPU_FN uint32_t berth_pooling_pack_in(const berth_pooling_short_t *p,
                                            const berth_pooling_pack_t *spot,
                                            int32_t d, int32_t h, int32_t w) {
  return spot->batch * p->in_batch_step + spot->channel +
         (uint32_t)d * p->axes[0].in_step + (uint32_t)h * p->axes[1].in_step +
         (uint32_t)w * p->axes[2].in_step;
}
BERTH_GPU_FN uint32_t berth_pooling_pack_out(const berth_pooling_short_t *p,
                                             const berth_pooling_pack_t *spot,
                                             int32_t d, int32_t h, int32_t w) {
  return spot->batch * p->out_batch_step + spot->channel +
         (uint32_t)d * p->axes[0].out_step + (uint32_t)h * p->axes[1].out_step +
         (uint32_t)w * p->axes[2].out_step;
}

// Returns the number of a tap in a window, by its place along each axis.
BERTH_GPU_FN uint32_t berth_pooling_pack_tap(const berth_pooling_short_t *p,
                                             int32_t d, int32_t h, int32_t w) {
  return (uint32_t)((d * p->axes[1].window + h) * p->axes[2].window + w);
}

#define POOL_NO_TAP 0xffffffffU

// What an output has to do with one input of its window, and an input with one
// window that it is in. The same input twice does not matter: only larger ones
// count.
#define POOL_LOOKS(type, pack)                                                 \
  BERTH_GPU_FN void berth_pooling_more_##type(const berth_pooling_short_t *p,  \
                                              uint32_t at,                     \
                                              berth_working_##type *best) {    \
    berth_stored_##type x[pack];                                               \
    BERTH_READ_PACK(x, (const berth_stored_##type *)p->in + at, pack);         \
    BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                       \
      const berth_working_##type y = berth_load_##type(x[k]);                  \
      best[k] = y > best[k] ? y : best[k];                                     \
    }                                                                          \
  }                                                                            \
                                                                               \
  BERTH_GPU_FN void berth_pooling_first_##type(                                \
      const berth_pooling_short_t *p, uint32_t at, uint32_t tap,               \
      berth_working_##type *best, uint32_t *taps) {                            \
    berth_stored_##type x[pack];                                               \
    BERTH_READ_PACK(x, (const berth_stored_##type *)p->in + at, pack);         \
    BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                       \
      const berth_working_##type y = berth_load_##type(x[k]);                  \
      const int is_more = taps[k] == POOL_NO_TAP || best[k] < y;               \
      best[k] = is_more ? y : best[k];                                         \
      taps[k] = is_more ? tap : taps[k];                                       \
    }                                                                          \
  }                                                                            \
                                                                               \
  BERTH_GPU_FN void berth_pooling_back_##type(                                 \
      const berth_pooling_short_t *p, uint32_t at, uint32_t tap, int is_there, \
      berth_working_##type *sum) {                                             \
    berth_stored_##type g[pack];                                               \
    uint32_t taps[pack];                                                       \
    BERTH_UNROLL for (uint32_t k = 0; k < (pack); k += 4) {                    \
      berth_read_words(taps + k, p->taps + at + k, 16);                        \
    }                                                                          \
    BERTH_READ_PACK(g, (const berth_stored_##type *)p->grad + at, pack);       \
    BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                       \
      const berth_working_##type more =                                        \
          POOL_ROUND(type, sum[k] + berth_load_##type(g[k]));                  \
      sum[k] = is_there && taps[k] == tap ? more : sum[k];                     \
    }                                                                          \
  }

// MaxPool, and MaxPoolGrad in two steps: which tap of each window is the
// largest, and what those send back to each input.
#define POOL_WIDE(type, pack, LOWEST)                                       \
  POOL_LOOKS(type, pack)                                                    \
                                                                            \
  BERTH_KERNEL(berth_pooling_max_wide_##type, berth_pooling_short_t) {      \
    BERTH_EACH(i, p.count) {                                                \
      const berth_pooling_pack_t spot =                                     \
          berth_pooling_pack(&p, (uint32_t)i, pack, 0);                     \
      const berth_pooling_span_t span = berth_pooling_inputs(&p, &spot);    \
      berth_working_##type best[pack];                                      \
      berth_stored_##type x[pack];                                          \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) best[k] = LOWEST;  \
      POOL_SPAN(span, 3, POOL_LOOK_MORE_##type)                             \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                  \
        x[k] = berth_store_##type(best[k]);                                 \
      }                                                                     \
      BERTH_WRITE_PACK((berth_stored_##type *)p.out + i * (pack), x, pack); \
    }                                                                       \
  }                                                                         \
                                                                            \
  BERTH_KERNEL(berth_pooling_taps_wide_##type, berth_pooling_short_t) {     \
    BERTH_EACH(i, p.count) {                                                \
      const berth_pooling_pack_t spot =                                     \
          berth_pooling_pack(&p, (uint32_t)i, pack, 0);                     \
      const berth_pooling_span_t span = berth_pooling_inputs(&p, &spot);    \
      berth_working_##type best[pack];                                      \
      uint32_t taps[pack];                                                  \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                  \
        taps[k] = POOL_NO_TAP;                                              \
        best[k] = 0;                                                        \
      }                                                                     \
      POOL_SPAN(span, 3, POOL_LOOK_FIRST_##type)                            \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); k += 4) {               \
        berth_write_words(p.taps + i * (pack) + k, taps + k, 16);           \
      }                                                                     \
    }                                                                       \
  }                                                                         \
                                                                            \
  BERTH_KERNEL(berth_pooling_max_grad_wide_##type, berth_pooling_short_t) { \
    BERTH_EACH(i, p.count) {                                                \
      const berth_pooling_pack_t spot =                                     \
          berth_pooling_pack(&p, (uint32_t)i, pack, 1);                     \
      const berth_pooling_span_t span = berth_pooling_outputs(&p, &spot);   \
      berth_working_##type sum[pack];                                       \
      berth_stored_##type g[pack];                                          \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) sum[k] = 0;        \
      POOL_SPAN(span, 2, POOL_LOOK_BACK_##type)                             \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                  \
        g[k] = berth_store_##type(sum[k]);                                  \
      }                                                                     \
      BERTH_WRITE_PACK((berth_stored_##type *)p.out + i * (pack), g, pack); \
    }                                                                       \
  }

// LOOK of POOL_SPAN for each kernel; what they name is the kernel's.
#define POOL_LOOK_MORE(type, d, h, w) \
  berth_pooling_more_##type(&p, berth_pooling_pack_in(&p, &spot, d, h, w), best)
#define POOL_LOOK_FIRST(type, d, h, w)                                 \
  berth_pooling_first_##type(                                          \
      &p, berth_pooling_pack_in(&p, &spot, d, h, w),                   \
      berth_pooling_pack_tap(&p, (d)-span.first[0], (h)-span.first[1], \
                             (w)-span.first[2]),                       \
      best, taps)
#define POOL_LOOK_BACK(type, d, h, w, is_there)                        \
  berth_pooling_back_##type(                                           \
      &p, berth_pooling_pack_out(&p, &spot, d, h, w),                  \
      berth_pooling_pack_tap(                                          \
          &p, span.first[0] - (d) * (int32_t)p.axes[0].stride.divisor, \
          span.first[1] - (h) * (int32_t)p.axes[1].stride.divisor,     \
          span.first[2] - (w) * (int32_t)p.axes[2].stride.divisor),    \
      is_there, sum)

#define POOL_LOOK_MORE_f32(d, h, w, is_there) POOL_LOOK_MORE(f32, d, h, w)
#define POOL_LOOK_MORE_f16(d, h, w, is_there) POOL_LOOK_MORE(f16, d, h, w)
#define POOL_LOOK_MORE_bf16(d, h, w, is_there) POOL_LOOK_MORE(bf16, d, h, w)
#define POOL_LOOK_FIRST_f32(d, h, w, is_there) POOL_LOOK_FIRST(f32, d, h, w)
#define POOL_LOOK_FIRST_f16(d, h, w, is_there) POOL_LOOK_FIRST(f16, d, h, w)
#define POOL_LOOK_FIRST_bf16(d, h, w, is_there) POOL_LOOK_FIRST(bf16, d, h, w)
#define POOL_LOOK_BACK_f32(d, h, w, there) POOL_LOOK_BACK(f32, d, h, w, there)
#define POOL_LOOK_BACK_f16(d, h, w, there) POOL_LOOK_BACK(f16, d, h, w, there)
#define POOL_LOOK_BACK_bf16(d, h, w, there) POOL_LOOK_BACK(bf16, d, h, w, there)

#define POOL_KERNELS(type, LOWEST) \
  POOL_MAX(type, LOWEST)           \
  POOL_MEAN(type)                  \
  POOL_SEARCH(type)                \
  POOL_ARGMAX(type)                \
  POOL_GRADS(type)

#endif  // BERTH_CUDA_OPS_POOL_CUH_
