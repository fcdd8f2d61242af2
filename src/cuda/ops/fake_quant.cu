// fake_quant.cu - Kernels that round numbers as if they were quantised.
#include "cuda/ops/fake_quant_params.h"

#include "cuda/math/atomic.cuh"
#include "cuda/math/block.cuh"

BERTH_KERNEL(berth_fake_quant, berth_fake_quant_params_t) {
  BERTH_EACH(i, p.count) {
    float x = p.in[i];
    x = x > p.max ? p.max : x;
    x = x < p.min ? p.min : x;
    const float step = berth_floor_f32((x - p.min) * p.inverse - p.zero + 0.5f);
    p.out[i] = p.is_none != 0 ? 0 : step * p.scale;
  }
}

#define ADD(x, y) ((x) + (y))
BERTH_BLOCK_REDUCE(sum, float, ADD)

// A block adds up what its threads cut off, and then to what others have.
BERTH_KERNEL(berth_fake_quant_grad, berth_fake_quant_params_t) {
  float below = 0, above = 0;
  BERTH_EACH(i, p.count) {
    const float x = p.in[i], g = p.grad[i];
    const int is_inside = x >= p.min && x <= p.max;
    if (p.is_none == 0 && x < p.min) below += g;
    if (p.is_none == 0 && x > p.max) above += g;
    p.out[i] = p.is_none != 0 ? g : g * (is_inside ? 1.0f : 0.0f);
  }
  if (p.below == 0) return;
  below = sum_block(below);
  above = sum_block(above);
  if (berth_gpu_lane() != 0) return;
  berth_join_f32(p.below, below, BERTH_JOIN_ADD);
  berth_join_f32(p.above, above, BERTH_JOIN_ADD);
}
