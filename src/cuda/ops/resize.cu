// resize.cu - Kernels of resizing, of its gradients, of CropAndResize and
// ExtractImagePatches.
//
// A thread makes one element. Of gradients it looks at all outputs that may
// have taken from its pixel, in their order, so that nothing is added up by
// several threads.
#include "cuda/math/gpu.cuh"
#include "cuda/math/number.cuh"
#include "cuda/math/unit.cuh"
#include "cuda/ops/resize_params.h"

BERTH_GPU_FN int64_t bound(int64_t at, int64_t size) {
  return at < 0 ? 0 : at < size ? at : size - 1;
}

// The element with number |i| of an image of |size|.
typedef struct spot {
  int64_t batch, y, x, c;
} spot_t;

BERTH_GPU_FN spot_t spot_of(uint64_t i, const int64_t *size,
                            uint64_t channels) {
  spot_t spot;
  spot.c = (int64_t)(i % channels);
  i /= channels;
  spot.x = (int64_t)(i % (uint64_t)size[1]);
  i /= (uint64_t)size[1];
  spot.y = (int64_t)(i % (uint64_t)size[0]);
  spot.batch = (int64_t)(i / (uint64_t)size[0]);
  return spot;
}

BERTH_GPU_FN int64_t place_of(const int64_t *size, uint64_t channels,
                              int64_t batch, int64_t y, int64_t x, int64_t c) {
  return ((batch * size[0] + y) * size[1] + x) * (int64_t)channels + c;
}

// ---- Where an output is ----

typedef struct between {
  int64_t lower, upper;
  float share;
} between_t;

BERTH_GPU_FN between_t between_of(const berth_resize_params_t *p, int axis,
                                  int64_t i) {
  between_t place;
  float at = (float)i * p->scale[axis];
  if (p->has_centers) {
    at = ((float)i + 0.5f) * p->scale[axis];
    at = at - 0.5f;
  }
  const float below = __builtin_floorf(at);
  place.lower = bound((int64_t)below, p->in_size[axis]);
  place.upper = bound((int64_t)__builtin_ceilf(at), p->in_size[axis]);
  place.share = at - below;
  return place;
}

BERTH_GPU_FN float round_away(float x) {
  const float whole = __builtin_floorf(x);
  return x - whole >= 0.5f ? whole + 1 : whole;
}

BERTH_GPU_FN int64_t nearest_of(const berth_resize_params_t *p, int axis,
                                int64_t i) {
  const float at = p->has_centers ? ((float)i + 0.5f) * p->scale[axis]
                                  : (float)i * p->scale[axis];
  return bound(
      (int64_t)(p->aligns_corners ? round_away(at) : __builtin_floorf(at)),
      p->in_size[axis]);
}

// The outputs that may take from input |at|: a few more than do.
typedef struct range {
  int64_t begin, end;
} range_t;

BERTH_GPU_FN range_t takers_of(const berth_resize_params_t *p, int axis,
                               int64_t at) {
  range_t range;
  range.begin = 0;
  range.end = p->out_size[axis];
  if (p->scale[axis] <= 0) return range;
  if (at > 0) {
    const int64_t low =
        (int64_t)__builtin_floorf((float)(at - 2) / p->scale[axis]) - 2;
    range.begin = low > 0 ? low : 0;
  }
  if (at < p->in_size[axis] - 1) {
    const int64_t high =
        (int64_t)__builtin_ceilf((float)(at + 2) / p->scale[axis]) + 2;
    range.end = high < range.end ? high : range.end;
  }
  return range;
}

// ---- Resizing ----

#define DEFINE_RESIZE(type)                                                  \
  BERTH_KERNEL(berth_resize_bilinear_##type, berth_resize_params_t) {        \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    BERTH_EACH(i, p.count) {                                                 \
      const spot_t s = spot_of(i, p.out_size, p.channels);                   \
      const between_t y = between_of(&p, 0, s.y), x = between_of(&p, 1, s.x); \
      const int64_t low =                                                    \
          place_of(p.in_size, p.channels, s.batch, y.lower, 0, s.c);         \
      const int64_t high =                                                   \
          place_of(p.in_size, p.channels, s.batch, y.upper, 0, s.c);         \
      const int64_t left = x.lower * (int64_t)p.channels;                    \
      const int64_t right = x.upper * (int64_t)p.channels;                   \
      const float a = (float)berth_load_##type(in[low + left]);              \
      const float b = (float)berth_load_##type(in[low + right]);             \
      const float c = (float)berth_load_##type(in[high + left]);             \
      const float d = (float)berth_load_##type(in[high + right]);            \
      const float top = a + (b - a) * x.share;                               \
      const float bottom = c + (d - c) * x.share;                            \
      ((float *)p.out)[i] = top + (bottom - top) * y.share;                  \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_resize_nearest_##type, berth_resize_params_t) {         \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    BERTH_EACH(i, p.count) {                                                 \
      const spot_t s = spot_of(i, p.out_size, p.channels);                   \
      ((berth_stored_##type *)p.out)[i] =                                    \
          in[place_of(p.in_size, p.channels, s.batch,                        \
                      nearest_of(&p, 0, s.y), nearest_of(&p, 1, s.x), s.c)]; \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_resize_bilinear_grad_##type, berth_resize_params_t) {   \
    const float *in = (const float *)p.in;                                   \
    BERTH_EACH(i, p.count) {                                                 \
      const spot_t s = spot_of(i, p.in_size, p.channels);                    \
      const range_t down = takers_of(&p, 0, s.y), over =                     \
                                                      takers_of(&p, 1, s.x); \
      berth_working_##type sum = 0;                                          \
      for (int64_t y = down.begin; y < down.end; ++y) {                      \
        const between_t v = between_of(&p, 0, y);                            \
        if (v.lower != s.y && v.upper != s.y) continue;                      \
        for (int64_t x = over.begin; x < over.end; ++x) {                    \
          const between_t h = between_of(&p, 1, x);                          \
          if (h.lower != s.x && h.upper != s.x) continue;                    \
          const float g =                                                    \
              in[place_of(p.out_size, p.channels, s.batch, y, x, s.c)];      \
          BERTH_NO_UNROLL                                                    \
          for (int k = 0; k < 4; ++k) {                                      \
            if ((k < 2 ? v.lower : v.upper) != s.y) continue;                \
            if ((k % 2 == 0 ? h.lower : h.upper) != s.x) continue;           \
            const float high = k < 2 ? 1 - v.share : v.share;                \
            const float share = k % 2 == 0 ? 1 - h.share : h.share;          \
            sum += (berth_working_##type)(g * high * share);                 \
          }                                                                  \
        }                                                                    \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(sum);           \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_resize_nearest_grad_##type, berth_resize_params_t) {    \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    BERTH_EACH(i, p.count) {                                                 \
      const spot_t s = spot_of(i, p.in_size, p.channels);                    \
      const range_t down = takers_of(&p, 0, s.y), over =                     \
                                                      takers_of(&p, 1, s.x); \
      berth_working_##type sum = 0;                                          \
      for (int64_t y = down.begin; y < down.end; ++y) {                      \
        if (nearest_of(&p, 0, y) != s.y) continue;                           \
        for (int64_t x = over.begin; x < over.end; ++x) {                    \
          if (nearest_of(&p, 1, x) != s.x) continue;                         \
          const berth_working_##type g = berth_load_##type(                  \
              in[place_of(p.out_size, p.channels, s.batch, y, x, s.c)]);     \
          sum = berth_load_##type(berth_store_##type(sum + g));              \
        }                                                                    \
      }                                                                      \
      ((berth_stored_##type *)p.out)[i] = berth_store_##type(sum);           \
    }                                                                        \
  }
DEFINE_RESIZE(f16)
DEFINE_RESIZE(bf16)
DEFINE_RESIZE(f32)
DEFINE_RESIZE(f64)

// ---- Cropping ----

// Where pixel |i| of |count| is, from |low| to |high| of an image of |size|.
BERTH_GPU_FN float track_at(float low, float high, int64_t size, int64_t count,
                            int64_t i) {
  const float most = (float)(size - 1);
  if (count <= 1) return 0.5f * (low + high) * most;
  return low * most + (float)i * ((high - low) * most / (float)(count - 1));
}

// A box of an image that is not there sees nothing.
#define DEFINE_CROP(type)                                                    \
  BERTH_KERNEL(berth_crop_##type, berth_crop_params_t) {                     \
    const berth_stored_##type *image = (const berth_stored_##type *)p.image; \
    const int64_t size[2] = {p.height, p.width};                             \
    const int64_t in_size[2] = {p.in_height, p.in_width};                    \
    const uint64_t n = (uint64_t)p.channels;                                 \
    BERTH_EACH(i, p.count) {                                                 \
      const spot_t s = spot_of(i, size, n);                                  \
      const float *box = p.boxes + 4 * s.batch;                              \
      const int64_t from = p.index[s.batch];                                 \
      const float y = track_at(box[0], box[2], p.in_height, p.height, s.y);  \
      const float x = track_at(box[1], box[3], p.in_width, p.width, s.x);    \
      p.out[i] = p.outside;                                                  \
      if (from < 0 || from >= p.batch) continue;                             \
      if (!(y >= 0 && y <= (float)(p.in_height - 1))) continue;              \
      if (!(x >= 0 && x <= (float)(p.in_width - 1))) continue;               \
      if (p.is_nearest) {                                                    \
        p.out[i] = (float)berth_load_##type(                                 \
            image[place_of(in_size, n, from, (int64_t)round_away(y),         \
                           (int64_t)round_away(x), s.c)]);                   \
        continue;                                                            \
      }                                                                      \
      const int64_t y0 = (int64_t)y, x0 = (int64_t)x;                        \
      const int64_t y1 = bound((int64_t)__builtin_ceilf(y), p.in_height);    \
      const int64_t x1 = bound((int64_t)__builtin_ceilf(x), p.in_width);     \
      const float down = y - (float)y0, over = x - (float)x0;                \
      const float a = (float)berth_load_##type(                              \
          image[place_of(in_size, n, from, y0, x0, s.c)]);                   \
      const float b = (float)berth_load_##type(                              \
          image[place_of(in_size, n, from, y0, x1, s.c)]);                   \
      const float c = (float)berth_load_##type(                              \
          image[place_of(in_size, n, from, y1, x0, s.c)]);                   \
      const float d = (float)berth_load_##type(                              \
          image[place_of(in_size, n, from, y1, x1, s.c)]);                   \
      const float top = a + (b - a) * over, bottom = c + (d - c) * over;     \
      p.out[i] = top + (bottom - top) * down;                                \
    }                                                                        \
  }
DEFINE_CROP(f16)
DEFINE_CROP(f32)
DEFINE_CROP(f64)

// ---- Patches ----

#define DEFINE_PATCHES(size, ZERO)                                           \
  BERTH_KERNEL(berth_patches_##size, berth_patch_params_t) {                 \
    const berth_unit_##size *in = (const berth_unit_##size *)p.in;           \
    const uint64_t n = p.channels;                                           \
    BERTH_EACH(i, p.count) {                                                 \
      const uint64_t many = n * (uint64_t)(p.window[0] * p.window[1]);       \
      const spot_t s = spot_of(i, p.out_size, many);                         \
      const int64_t c = s.c % (int64_t)n, tap = s.c / (int64_t)n;            \
      const int64_t y = s.y * p.stride[0] - p.before[0] +                    \
                        tap / p.window[1] * p.dilation[0];                   \
      const int64_t x = s.x * p.stride[1] - p.before[1] +                    \
                        tap % p.window[1] * p.dilation[1];                   \
      const int is_inside = y >= 0 && y < p.in_size[0] && x >= 0 &&          \
                            x < p.in_size[1];                                \
      berth_unit_##size value = ZERO;                                        \
      if (is_inside) value = in[place_of(p.in_size, n, s.batch, y, x, c)];   \
      ((berth_unit_##size *)p.out)[i] = value;                               \
    }                                                                        \
  }
DEFINE_PATCHES(x1, 0)
DEFINE_PATCHES(x2, 0)
DEFINE_PATCHES(x4, 0)
DEFINE_PATCHES(x8, 0)
DEFINE_PATCHES(x16, {0})
