// lrn.cu - Kernels of LRN and LRNGrad.
//
// A block takes a tile of elements, with those around it that windows reach
// into, to shared memory: each is read once, and each norm computed once. Rows
// do not matter for that; windows end with them. Where a window is larger than
// the room around a tile, everybody computes for himself.
#include "cuda/math/block.cuh"
#include "cuda/math/math.cuh"
#include "cuda/ops/norm_params.h"

enum {
  TILE = 1024,
  HALO = BERTH_LRN_RADIUS,
};

// The neighbours of an element in its row: so many before and behind it.
typedef struct window {
  int32_t before, behind;
} window_t;

// The neighbours of element |i| of all, which are few enough.
BERTH_GPU_FN window_t window_at(const berth_lrn_params_t *p, uint32_t i) {
  const int32_t r = (int32_t)p->radius;
  const int32_t before =
      (int32_t)(i - BERTH_DIVIDE(i, p->rows) * p->rows.divisor);
  const int32_t behind = (int32_t)p->rows.divisor - 1 - before;
  window_t window;
  window.before = before < r ? before : r;
  window.behind = behind < r ? behind : r;
  return window;
}

// Returns the sum of |x| and its neighbours. Windows of the usual sizes are
// looked at as a whole, nothing being added for who is not there: no thread
// waits for others, whose windows are longer.
#define SUM_OF(R)                                                   \
  BERTH_UNROLL for (int32_t k = -(R); k <= (R); ++k) {              \
    sum += -k <= window.before && k <= window.behind ? x[k] : 0.0f; \
  }                                                                 \
  return sum

BERTH_GPU_FN float sum_around(const float *x, window_t window,
                              uint64_t radius) {
  float sum = 0;
  if (radius == 2) {
    SUM_OF(2);
  }
  if (radius == 4) {
    SUM_OF(4);
  }
  if (radius == 5) {
    SUM_OF(5);
  }
  for (int32_t k = -window.before; k <= window.behind; ++k) sum += x[k];
  return sum;
}

// Returns x ^ -beta.
BERTH_GPU_FN float power(float x, float beta) {
  if (beta == 1.0f) return 1.0f / x;
  if (beta == 0.5f) return 1.0f / berth_sqrt_f32(x);
  if (beta == 0.75f) {
    const float root = 1.0f / berth_sqrt_f32(x);
    return root * berth_sqrt_f32(root);
  }
  return berth_exp_f32(-beta * berth_log_f32(x));
}

// Copies |count| elements of |from|, which has |size|, beginning at |first|, to
// |to|, those that there are, and their squares to |squares|.
BERTH_GPU_FN void take(float *to, float *squares, const float *from,
                       uint64_t size, int64_t first, uint32_t count) {
  for (uint32_t k = berth_gpu_lane(); k < count; k += berth_gpu_lanes()) {
    const int64_t i = first + (int64_t)k;
    const float x = i >= 0 && i < (int64_t)size ? from[i] : 0.0f;
    to[k] = x;
    squares[k] = x * x;
  }
}

BERTH_KERNEL(berth_lrn_f32, berth_lrn_params_t) {
  BERTH_SHARED(float, x, TILE + 2 * HALO);
  BERTH_SHARED(float, squares, TILE + 2 * HALO);
  const uint32_t r = (uint32_t)p.radius;
  for (uint64_t first = berth_gpu_block() * TILE; first < p.count;
       first += berth_gpu_blocks() * TILE) {
    take(x, squares, p.in, p.count, (int64_t)first - r, TILE + 2 * r);
    berth_block_sync();
    for (uint32_t k = berth_gpu_lane(); k < TILE; k += berth_gpu_lanes()) {
      const uint32_t i = (uint32_t)first + k;
      if (i >= p.count) continue;
      const float sum = sum_around(squares + k + r, window_at(&p, i), p.radius);
      p.out[i] = x[k + r] * power(p.bias + p.alpha * sum, p.beta);
    }
    berth_block_sync();
  }
}

BERTH_KERNEL(berth_lrn_grad_f32, berth_lrn_params_t) {
  BERTH_SHARED(float, x, TILE + 4 * HALO);
  BERTH_SHARED(float, squares, TILE + 4 * HALO);
  BERTH_SHARED(float, norms, TILE + 2 * HALO);
  BERTH_SHARED(float, parts, TILE + 2 * HALO);
  const float scale = -2.0f * p.alpha * p.beta;
  const uint32_t r = (uint32_t)p.radius;
  for (uint64_t first = berth_gpu_block() * TILE; first < p.count;
       first += berth_gpu_blocks() * TILE) {
    take(x, squares, p.in, p.count, (int64_t)first - 2 * (int64_t)r,
         TILE + 4 * r);
    berth_block_sync();
    for (uint32_t k = berth_gpu_lane(); k < TILE + 2 * r;
         k += berth_gpu_lanes()) {
      const uint32_t i = (uint32_t)first + k - r;  // Below 0 it is very large.
      if (i >= p.count) continue;
      const float sum = sum_around(squares + k + r, window_at(&p, i), p.radius);
      norms[k] = p.bias + p.alpha * sum;
      parts[k] = p.grad[i] * p.made[i] / norms[k];
    }
    berth_block_sync();
    for (uint32_t k = berth_gpu_lane(); k < TILE; k += berth_gpu_lanes()) {
      const uint32_t i = (uint32_t)first + k;
      if (i >= p.count) continue;
      const float sum = sum_around(parts + k + r, window_at(&p, i), p.radius);
      p.out[i] =
          p.grad[i] * power(norms[k + r], p.beta) + scale * x[k + 2 * r] * sum;
    }
    berth_block_sync();
  }
}

// ---- Wide windows, and very many elements ----

BERTH_GPU_FN window_t window_far(const berth_lrn_params_t *p, uint64_t i) {
  const uint64_t before = i % p->channels;
  const uint64_t behind = p->channels - 1 - before;
  window_t window;
  window.before = (int32_t)(before < p->radius ? before : p->radius);
  window.behind = (int32_t)(behind < p->radius ? behind : p->radius);
  return window;
}

BERTH_GPU_FN float norm_far(const berth_lrn_params_t *p, uint64_t i) {
  const window_t window = window_far(p, i);
  const float *x = p->in + i;
  float sum = 0;
  for (int32_t k = -window.before; k <= window.behind; ++k) sum += x[k] * x[k];
  return p->bias + p->alpha * sum;
}

BERTH_KERNEL(berth_lrn_far_f32, berth_lrn_params_t) {
  BERTH_EACH(i, p.count) p.out[i] = p.in[i] * power(norm_far(&p, i), p.beta);
}

BERTH_KERNEL(berth_lrn_grad_far_f32, berth_lrn_params_t) {
  const float scale = -2.0f * p.alpha * p.beta;
  BERTH_EACH(i, p.count) {
    const window_t window = window_far(&p, i);
    float sum = 0;
    for (uint64_t j = i - (uint64_t)window.before;
         j <= i + (uint64_t)window.behind; ++j) {
      sum += p.grad[j] * p.made[j] / norm_far(&p, j);
    }
    p.out[i] =
        p.grad[i] * power(norm_far(&p, i), p.beta) + scale * p.in[i] * sum;
  }
}
