// batch_norm.cu - Kernels of FusedBatchNorm and of its gradient.
//
// A thread sums a slice of one channel: neighbours take neighbouring elements.
// One thread for each channel joins the slices, in double and in their order;
// then each thread makes elements.
#include "cuda/math/gpu.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/norm_params.h"

// Takes the number of a thread apart: which channel, which slice. Whatever lies
// side by side in memory is done by threads side by side.
BERTH_GPU_FN uint64_t channel_of(const berth_batch_norm_params_t *p,
                                 uint64_t i) {
  return p->inner == 1 ? i % p->channels : i / p->slices;
}
BERTH_GPU_FN uint64_t slice_of(const berth_batch_norm_params_t *p, uint64_t i) {
  return p->inner == 1 ? i / p->channels : i % p->slices;
}

// Returns the place of element |e| of channel |c|.
BERTH_GPU_FN uint64_t place_of(const berth_batch_norm_params_t *p, uint64_t c,
                               uint64_t e) {
  if (p->inner == 1) return e * p->channels + c;
  return (e / p->inner * p->channels + c) * p->inner + e % p->inner;
}

#define DEFINE_SUMS(type)                                                   \
  BERTH_KERNEL(berth_batch_norm_sums_##type, berth_batch_norm_params_t) {   \
    const berth_stored_##type *x = (const berth_stored_##type *)p.x;        \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;  \
    const uint64_t count = p.outer * p.inner;                               \
    BERTH_EACH(i, p.slices *p.channels) {                                   \
      const uint64_t c = channel_of(&p, i), s = slice_of(&p, i);            \
      const float pivot =                                                   \
          grad ? p.mean[c] : berth_load_##type(x[place_of(&p, c, 0)]);      \
      double first = 0, second = 0;                                         \
      for (uint64_t e = s; e < count; e += p.slices) {                      \
        const uint64_t at = place_of(&p, c, e);                             \
        const float apart = berth_load_##type(x[at]) - pivot;               \
        const float g = grad ? berth_load_##type(grad[at]) : apart;         \
        first += (double)g;                                                 \
        second += (double)(g * apart);                                      \
      }                                                                     \
      p.sums[2 * s * p.channels + c] = first;                               \
      p.sums[(2 * s + 1) * p.channels + c] = second;                        \
    }                                                                       \
  }                                                                         \
                                                                            \
  BERTH_KERNEL(berth_batch_norm_join_##type, berth_batch_norm_params_t) {   \
    const berth_stored_##type *x = (const berth_stored_##type *)p.x;        \
    BERTH_EACH(c, p.channels) {                                             \
      double first = 0, second = 0;                                         \
      for (uint64_t s = 0; s < p.slices; ++s) {                             \
        first += p.sums[2 * s * p.channels + c];                            \
        second += p.sums[(2 * s + 1) * p.channels + c];                     \
      }                                                                     \
      if (p.grad) {                                                         \
        finish_grad(&p, c, first, second);                                  \
      } else {                                                              \
        const float pivot =                                                 \
            p.is_training ? berth_load_##type(x[place_of(&p, c, 0)]) : 0;   \
        finish(&p, c, pivot, first, second);                                \
      }                                                                     \
    }                                                                       \
  }                                                                         \
                                                                            \
  BERTH_KERNEL(berth_batch_norm_apply_##type, berth_batch_norm_params_t) {  \
    const berth_stored_##type *x = (const berth_stored_##type *)p.x;        \
    const berth_stored_##type *grad = (const berth_stored_##type *)p.grad;  \
    berth_stored_##type *y = (berth_stored_##type *)p.y;                    \
    const uint64_t n = p.channels;                                          \
    BERTH_EACH(i, p.outer *n *p.inner) {                                    \
      const uint64_t c = p.inner == 1 ? i % n : i / p.inner % n;            \
      const float *v = p.values + c;                                        \
      const float apart = berth_load_##type(x[i]) - v[0];                   \
      const float value =                                                   \
          grad ? v[n] * (berth_load_##type(grad[i]) - v[2 * n] -            \
                         apart * v[3 * n])                                  \
               : apart * v[n] + v[2 * n];                                   \
      y[i] = berth_store_##type(value);                                     \
    }                                                                       \
  }

// Makes the statistics of channel |c|, and what its elements are made with.
BERTH_GPU_FN void finish(const berth_batch_norm_params_t *p, uint64_t c,
                         float pivot, double sum, double squares) {
  const double count = (double)(p->outer * p->inner);
  float mean, variance;
  if (p->is_training) {
    const double apart = sum / count, spread = squares / count - apart * apart;
    const float unbiased = (float)(count / (count > 1 ? count - 1 : 1));
    mean = (float)((double)pivot + apart);
    variance = spread > 0 ? (float)spread : 0;
    p->out_mean[c] = mean;
    p->out_variance[c] = variance * unbiased;
    if (p->factor != 1.0f) {
      const float keep = 1.0f - p->factor;
      p->out_mean[c] = keep * p->mean[c] + p->factor * mean;
      p->out_variance[c] =
          keep * p->variance[c] + p->factor * variance * unbiased;
    }
  } else {
    mean = p->out_mean[c] = p->mean[c];
    variance = p->out_variance[c] = p->variance[c];
  }
  p->batch_mean[c] = mean;
  p->batch_variance[c] = variance;
  p->values[c] = mean;
  p->values[p->channels + c] =
      1.0f / __builtin_sqrtf(variance + p->epsilon) * p->scale[c];
  p->values[2 * p->channels + c] = p->offset[c];
}

BERTH_GPU_FN void finish_grad(const berth_batch_norm_params_t *p, uint64_t c,
                              double sum, double product) {
  const double count = (double)(p->outer * p->inner);
  const float spread = p->variance[c] + p->epsilon;
  const float inverse = 1.0f / __builtin_sqrtf(spread);
  const uint64_t n = p->channels;
  p->out_mean[c] = (float)product * inverse;
  p->out_variance[c] = (float)sum;
  p->values[c] = p->mean[c];
  p->values[n + c] = p->scale[c] * inverse;
  p->values[2 * n + c] = p->is_training ? (float)(sum / count) : 0;
  p->values[3 * n + c] =
      p->is_training ? (float)(product / count / (double)spread) : 0;
}

DEFINE_SUMS(f32)
DEFINE_SUMS(f16)
DEFINE_SUMS(bf16)

// The statistics of no elements.
BERTH_KERNEL(berth_batch_norm_nothing, berth_batch_norm_params_t) {
  BERTH_EACH(c, p.channels) {
    const float nothing = p.grad ? 0 : berth_from_bits_f32(0x7fc00000U);
    p.out_mean[c] = p.out_variance[c] = nothing;
    if (p.batch_mean) p.batch_mean[c] = p.batch_variance[c] = 0;
  }
}
