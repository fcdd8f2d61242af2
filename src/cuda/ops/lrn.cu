// lrn.cu - Kernels of LRN and LRNGrad.
//
// A block takes rows, as many as a tile has room for, to shared memory: each
// element is read once, and each norm computed once. Between rows lie as many
// zeros as windows reach beyond them, so that all windows are alike. Where rows
// or windows are too long for that, everybody computes for himself.
#include "cuda/math/block.cuh"
#include "cuda/math/math.cuh"
#include "cuda/ops/norm_params.h"

// Returns where element |k| of a tile lies in it.
BERTH_GPU_FN uint32_t place_of(const berth_lrn_params_t *p, uint32_t k) {
  return k + ((uint32_t)BERTH_DIVIDE(k, p->rows) + 1) * (uint32_t)p->radius;
}

// Returns the sum of |x| and its neighbours; the usual windows are unrolled.
#define SUM_OF(R)                                                 \
  BERTH_UNROLL for (int32_t k = -(R); k <= (R); ++k) sum += x[k]; \
  return sum

BERTH_GPU_FN float sum_around(const float *x, uint64_t radius) {
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
  const int32_t r = (int32_t)radius;
  for (int32_t k = -r; k <= r; ++k) sum += x[k];
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

// Makes all of |tile| zeros.
BERTH_GPU_FN void clear(float *tile) {
  for (uint32_t k = berth_gpu_lane(); k < BERTH_LRN_TILE;
       k += berth_gpu_lanes()) {
    tile[k] = 0;
  }
}

// Runs the statement behind it for this thread's share of the elements of a
// tile: |k| is its number there, |i| among all, |at| where it lies.
#define TILE_EACH(k, i, at)                                                \
  for (uint32_t k = berth_gpu_lane(), i = first + k, at = place_of(&p, k); \
       k < p.of_tile && i < p.count;                                       \
       k += berth_gpu_lanes(), i = first + k, at = place_of(&p, k))

// The same for the first elements of this block's tiles.
#define TILES(first)                                             \
  for (uint32_t first = (uint32_t)berth_gpu_block() * p.of_tile; \
       first < p.count; first += (uint32_t)berth_gpu_blocks() * p.of_tile)

BERTH_KERNEL(berth_lrn_f32, berth_lrn_params_t) {
  BERTH_SHARED(float, squares, BERTH_LRN_TILE);
  clear(squares);
  TILES(first) {
    berth_block_sync();
    TILE_EACH(k, i, at) squares[at] = p.in[i] * p.in[i];
    berth_block_sync();
    TILE_EACH(k, i, at) {
      const float sum = sum_around(squares + at, p.radius);
      p.out[i] = p.in[i] * power(p.bias + p.alpha * sum, p.beta);
    }
  }
}

BERTH_KERNEL(berth_lrn_grad_f32, berth_lrn_params_t) {
  BERTH_SHARED(float, squares, BERTH_LRN_TILE);
  BERTH_SHARED(float, parts, BERTH_LRN_TILE);
  BERTH_SHARED(float, norms, BERTH_LRN_TILE);
  const float scale = -2.0f * p.alpha * p.beta;
  clear(squares);
  clear(parts);
  TILES(first) {
    berth_block_sync();
    TILE_EACH(k, i, at) squares[at] = p.in[i] * p.in[i];
    berth_block_sync();
    TILE_EACH(k, i, at) {
      const float norm = p.bias + p.alpha * sum_around(squares + at, p.radius);
      norms[k] = norm;
      parts[at] = p.grad[i] * p.made[i] / norm;
    }
    berth_block_sync();
    TILE_EACH(k, i, at) {
      p.out[i] = p.grad[i] * power(norms[k], p.beta) +
                 scale * p.in[i] * sum_around(parts + at, p.radius);
    }
  }
}

// ---- Long rows, wide windows, and very many elements ----

// The neighbours of an element in its row: so many before and behind it.
typedef struct window {
  int32_t before, behind;
} window_t;

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
