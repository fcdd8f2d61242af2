// conv.cu - Kernels of convolutions: a thread sums up one result.
//
// Right for every window, layout and number of groups, and no match for a
// library's: nothing is kept in shared memory. Threads beside each other have
// channels beside each other, so that they read side by side.
#include "cuda/ops/conv_params.h"

#include "cuda/math/number.cuh"

// An element of an image.
typedef struct spot {
  int64_t n, z, y, x, channel;
} spot_t;

// Takes |index| of an image with |channels| channels apart.
BERTH_GPU_FN spot_t spot_of(const berth_conv_params_t *p, uint64_t index,
                            int64_t channels, int64_t high, int64_t wide,
                            int64_t deep) {
  spot_t s;
  int64_t i = (int64_t)index;
  if (!p->channels_first) {
    s.channel = i % channels;
    i /= channels;
  }
  s.x = i % wide;
  i /= wide;
  s.y = i % high;
  i /= high;
  s.z = i % deep;
  i /= deep;
  if (p->channels_first) {
    s.channel = i % channels;
    i /= channels;
  }
  s.n = i;
  return s;
}

// Returns which output place i of the image meets through tap |t|, or -1.
BERTH_GPU_FN int64_t output_at(const berth_conv_axis_t *axis, int64_t i,
                               int64_t t) {
  const int64_t from = i + axis->before - t * axis->dilation;
  if (from < 0 || from % axis->stride != 0) return -1;
  const int64_t o = from / axis->stride;
  return o < axis->out ? o : -1;
}

// Returns which place of the image output |o| reads through tap |t|, or -1.
BERTH_GPU_FN int64_t image_at(const berth_conv_axis_t *axis, int64_t o,
                              int64_t t) {
  const int64_t i = o * axis->stride - axis->before + t * axis->dilation;
  return i >= 0 && i < axis->in ? i : -1;
}

// The kernels of one type. Sums of one tap, or one row, are added to the whole
// ones, which loses less than adding all in a row.
#define DEFINE_CONV(type)                                                      \
  BERTH_KERNEL(berth_conv_output_##type, berth_conv_params_t) {                \
    const berth_conv_axis_t *a = p.axes;                                       \
    const berth_stored_##type *image = (const berth_stored_##type *)p.image;   \
    const berth_stored_##type *filter = (const berth_stored_##type *)p.filter; \
    BERTH_EACH(i, p.count) {                                                   \
      const spot_t s =                                                         \
          spot_of(&p, i, p.out_channels, a[1].out, a[2].out, a[0].out);        \
      const int64_t group = s.channel / p.out_depth;                           \
      berth_working_##type sum = 0;                                            \
      for (int64_t d = 0; d < a[0].window; ++d) {                              \
        const int64_t z = image_at(&a[0], s.z, d);                             \
        for (int64_t h = 0; z >= 0 && h < a[1].window; ++h) {                  \
          const int64_t y = image_at(&a[1], s.y, h);                           \
          for (int64_t w = 0; y >= 0 && w < a[2].window; ++w) {                \
            const int64_t x = image_at(&a[2], s.x, w);                         \
            if (x < 0) continue;                                               \
            const berth_stored_##type *from =                                  \
                image + s.n * p.x.batch +                                      \
                ((z * a[1].in + y) * a[2].in + x) * p.x.place +                \
                group * p.depth * p.x.channel;                                 \
            const berth_stored_##type *by =                                    \
                filter +                                                       \
                ((d * a[1].window + h) * a[2].window + w) * p.depth *          \
                    p.out_channels +                                           \
                s.channel;                                                     \
            berth_working_##type part = 0;                                     \
            for (int64_t c = 0; c < p.depth; ++c) {                            \
              part += berth_load_##type(from[c * p.x.channel]) *               \
                      berth_load_##type(by[c * p.out_channels]);               \
            }                                                                  \
            sum += part;                                                       \
          }                                                                    \
        }                                                                      \
      }                                                                        \
      ((berth_stored_##type *)p.goal)[i] = berth_store_##type(sum);            \
    }                                                                          \
  }                                                                            \
  BERTH_KERNEL(berth_conv_image_##type, berth_conv_params_t) {                 \
    const berth_conv_axis_t *a = p.axes;                                       \
    const berth_stored_##type *output = (const berth_stored_##type *)p.output; \
    const berth_stored_##type *filter = (const berth_stored_##type *)p.filter; \
    BERTH_EACH(i, p.count) {                                                   \
      const spot_t s = spot_of(&p, i, p.channels, a[1].in, a[2].in, a[0].in);  \
      const int64_t group = s.channel / p.depth;                               \
      berth_working_##type sum = 0;                                            \
      for (int64_t d = 0; d < a[0].window; ++d) {                              \
        const int64_t z = output_at(&a[0], s.z, d);                            \
        for (int64_t h = 0; z >= 0 && h < a[1].window; ++h) {                  \
          const int64_t y = output_at(&a[1], s.y, h);                          \
          for (int64_t w = 0; y >= 0 && w < a[2].window; ++w) {                \
            const int64_t x = output_at(&a[2], s.x, w);                        \
            if (x < 0) continue;                                               \
            const berth_stored_##type *from =                                  \
                output + s.n * p.y.batch +                                     \
                ((z * a[1].out + y) * a[2].out + x) * p.y.place +              \
                group * p.out_depth * p.y.channel;                             \
            const int64_t tap = (d * a[1].window + h) * a[2].window + w;       \
            const berth_stored_##type *by =                                    \
                filter +                                                       \
                (tap * p.depth + s.channel % p.depth) * p.out_channels +       \
                group * p.out_depth;                                           \
            berth_working_##type part = 0;                                     \
            for (int64_t c = 0; c < p.out_depth; ++c) {                        \
              part += berth_load_##type(from[c * p.y.channel]) *               \
                      berth_load_##type(by[c]);                                \
            }                                                                  \
            sum += part;                                                       \
          }                                                                    \
        }                                                                      \
      }                                                                        \
      ((berth_stored_##type *)p.goal)[i] = berth_store_##type(sum);            \
    }                                                                          \
  }                                                                            \
  BERTH_KERNEL(berth_conv_filter_##type, berth_conv_params_t) {                \
    const berth_conv_axis_t *a = p.axes;                                       \
    const berth_stored_##type *image = (const berth_stored_##type *)p.image;   \
    const berth_stored_##type *output = (const berth_stored_##type *)p.output; \
    BERTH_EACH(i, p.count) {                                                   \
      int64_t rest = (int64_t)i;                                               \
      const int64_t to = rest % p.out_channels;                                \
      rest /= p.out_channels;                                                  \
      const int64_t channel = to / p.out_depth * p.depth + rest % p.depth;     \
      rest /= p.depth;                                                         \
      const int64_t w = rest % a[2].window;                                    \
      rest /= a[2].window;                                                     \
      const int64_t h = rest % a[1].window, d = rest / a[1].window;            \
      berth_working_##type sum = 0;                                            \
      for (int64_t n = 0; n < p.batch; ++n) {                                  \
        const berth_stored_##type *from =                                      \
            image + n * p.x.batch + channel * p.x.channel;                     \
        const berth_stored_##type *by =                                        \
            output + n * p.y.batch + to * p.y.channel;                         \
        for (int64_t oz = 0; oz < a[0].out; ++oz) {                            \
          const int64_t z = image_at(&a[0], oz, d);                            \
          for (int64_t oy = 0; z >= 0 && oy < a[1].out; ++oy) {                \
            const int64_t y = image_at(&a[1], oy, h);                          \
            berth_working_##type part = 0;                                     \
            for (int64_t ox = 0; y >= 0 && ox < a[2].out; ++ox) {              \
              const int64_t x = image_at(&a[2], ox, w);                        \
              if (x < 0) continue;                                             \
              part +=                                                          \
                  berth_load_##type(                                           \
                      from[((z * a[1].in + y) * a[2].in + x) * p.x.place]) *   \
                  berth_load_##type(                                           \
                      by[((oz * a[1].out + oy) * a[2].out + ox) * p.y.place]); \
            }                                                                  \
            sum += part;                                                       \
          }                                                                    \
        }                                                                      \
      }                                                                        \
      ((berth_stored_##type *)p.goal)[i] = berth_store_##type(sum);            \
    }                                                                          \
  }
DEFINE_CONV(f16)
DEFINE_CONV(bf16)
DEFINE_CONV(f32)
DEFINE_CONV(f64)
DEFINE_CONV(i32)
