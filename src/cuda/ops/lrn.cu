// lrn.cu - Kernels of LRN and LRNGrad.
#include "cuda/math/gpu.cuh"
#include "cuda/math/math.cuh"
#include "cuda/ops/norm_params.h"

// Returns bias + alpha * the sum of squares around channel |c| of |row|.
BERTH_GPU_FN float norm_at(const berth_lrn_params_t *p, const float *row,
                           uint64_t c) {
  const uint64_t begin = c > p->radius ? c - p->radius : 0;
  const uint64_t last = c + p->radius + 1;
  const uint64_t end = last < p->channels ? last : p->channels;
  float sum = 0;
  for (uint64_t k = begin; k < end; ++k) sum += row[k] * row[k];
  return p->bias + p->alpha * sum;
}

// Returns x ^ -beta; the exponents in use are roots.
BERTH_GPU_FN float power(float x, float beta) {
  if (beta == 1.0f) return 1.0f / x;
  if (beta == 0.5f) return 1.0f / berth_sqrt_f32(x);
  if (beta == 0.75f) {
    const float root = berth_sqrt_f32(x);
    return 1.0f / (root * berth_sqrt_f32(root));
  }
  return berth_exp_f32(-beta * berth_log_f32(x));
}

BERTH_KERNEL(berth_lrn_f32, berth_lrn_params_t) {
  BERTH_EACH(i, p.count) {
    const uint64_t c = i % p.channels;
    p.out[i] = p.in[i] * power(norm_at(&p, p.in + i - c, c), p.beta);
  }
}

// What the gradient of an element has of a neighbour's: |p.ratios|.
BERTH_KERNEL(berth_lrn_ratios_f32, berth_lrn_params_t) {
  BERTH_EACH(i, p.count) {
    const uint64_t c = i % p.channels;
    p.ratios[i] = p.grad[i] * p.made[i] / norm_at(&p, p.in + i - c, c);
  }
}

BERTH_KERNEL(berth_lrn_grad_f32, berth_lrn_params_t) {
  const float scale = -2.0f * p.alpha * p.beta;
  BERTH_EACH(i, p.count) {
    const uint64_t c = i % p.channels, first = i - c;
    const uint64_t begin = c > p.radius ? c - p.radius : 0;
    const uint64_t last = c + p.radius + 1;
    const uint64_t end = last < p.channels ? last : p.channels;
    float sum = 0;
    for (uint64_t k = begin; k < end; ++k) sum += p.ratios[first + k];
    p.out[i] = p.grad[i] * power(norm_at(&p, p.in + first, c), p.beta) +
               scale * p.in[i] * sum;
  }
}
