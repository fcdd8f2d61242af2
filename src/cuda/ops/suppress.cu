// suppress.cu - Kernels of NonMaxSuppression.
//
// Boxes are put in order by their scores; one block goes through them. Each that
// it takes is compared with all behind it at once, and the first that is left is
// taken next.
#include "cuda/math/block.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/suppress_params.h"

// Scores as numbers in falling order; what is not above the least comes last.
BERTH_KERNEL(berth_suppress_keys, berth_suppress_params_t) {
  BERTH_EACH(i, p.count) {
    // Zeros of both signs are equal.
    const uint32_t bits = berth_bits_f32(p.scores[i] + 0.0f);
    const uint32_t rising = bits ^ (bits >> 31 != 0 ? ~0U : 1U << 31);
    p.keys[i] = p.scores[i] > p.score ? ~rising : ~0U;
  }
}

// Boxes in order, the lesser corner first.
BERTH_KERNEL(berth_suppress_corners, berth_suppress_params_t) {
  BERTH_EACH(i, p.count) {
    const float *box = p.boxes + 4 * (uint64_t)p.places[i];
    for (uint32_t k = 0; k < 2; ++k) {
      p.corners[4 * i + k] = __builtin_fminf(box[k], box[k + 2]);
      p.corners[4 * i + k + 2] = __builtin_fmaxf(box[k], box[k + 2]);
    }
    p.is_out[i] = 0;
  }
}

// What they share, as a part of what both cover.
BERTH_GPU_FN float overlap(const float *a, const float *b) {
  const float area_a = (a[2] - a[0]) * (a[3] - a[1]);
  const float area_b = (b[2] - b[0]) * (b[3] - b[1]);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height =
      __builtin_fminf(a[2], b[2]) - __builtin_fmaxf(a[0], b[0]);
  const float width = __builtin_fminf(a[3], b[3]) - __builtin_fmaxf(a[1], b[1]);
  const float both =
      __builtin_fmaxf(height, 0.0f) * __builtin_fmaxf(width, 0.0f);
  return both / (area_a + area_b - both);
}

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
BERTH_BLOCK_REDUCE(least, uint32_t, LEAST)

// How many are above the least score: those in front.
BERTH_GPU_FN uint32_t candidates(const berth_suppress_params_t *p) {
  uint32_t low = 0, high = (uint32_t)p->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (p->scores[p->places[middle]] > p->score) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A thread has every so manieth box and tells nobody which of them are out.
BERTH_KERNEL(berth_suppress_take, berth_suppress_params_t) {
  const uint32_t lane = berth_gpu_lane(), lanes = berth_gpu_lanes();
  const uint32_t count = candidates(&p);
  uint32_t at = 0, total = 0;
  if (berth_gpu_block() != 0) return;
  while (at < count && total < p.most) {
    if (lane == 0) p.taken[total] = (int32_t)p.places[at];
    ++total;
    uint32_t next = count;
    uint32_t i = at / lanes * lanes + lane;
    if (i <= at) i += lanes;
    for (; i < count; i += lanes) {
      if (p.is_out[i]) continue;
      if (overlap(p.corners + 4 * (uint64_t)at, p.corners + 4 * (uint64_t)i) >
          p.overlap) {
        p.is_out[i] = 1;
      } else {
        next = LEAST(i, next);
      }
    }
    at = least_block(next);
  }
  if (lane == 0) *p.total = total;
}
