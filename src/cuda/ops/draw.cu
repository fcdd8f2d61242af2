// draw.cu - Kernels of Multinomial: sums of what classes weigh, and draws.
//
// The words of the sequence are those that the host takes, one draw after the
// other, and so are the classes, but where a draw falls between two sums that
// differ in their last bits.
#include "cuda/math/block.cuh"
#include "cuda/math/math.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/draw_params.h"

enum { MAX_BLOCK = 1024 };

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
BERTH_BLOCK_REDUCE(largest, double, LARGER)

// A class that is not finite weighs nothing.
BERTH_GPU_FN int is_finite(double x) { return x - x == 0; }

// A block has a row, each thread a share of it: it adds that up, and then, when
// all have, what comes before.
#define DEFINE_SUMS(type)                                                 \
  BERTH_KERNEL(berth_draw_sums_##type, berth_draw_params_t) {             \
    BERTH_SHARED(double, totals, MAX_BLOCK);                              \
    const uint64_t lane = berth_gpu_lane(), lanes = berth_gpu_lanes();    \
    const uint64_t share = (p.classes + lanes - 1) / lanes;               \
    const uint64_t begin = lane * share;                                  \
    const uint64_t last = begin + share;                                  \
    const uint64_t end = last < p.classes ? last : p.classes;             \
    for (uint64_t row = berth_gpu_block(); row < p.rows;                  \
         row += berth_gpu_blocks()) {                                     \
      const berth_stored_##type *logits =                                 \
          (const berth_stored_##type *)p.logits + row * p.classes;        \
      double *sums = p.sums + row * p.classes;                            \
      double most = -BERTH_INF_F64, total = 0, before = 0;                \
      for (uint64_t i = lane; i < p.classes; i += lanes) {                \
        const double x = (double)berth_load_##type(logits[i]);            \
        if (is_finite(x)) most = LARGER(x, most);                         \
      }                                                                   \
      most = largest_block(most);                                         \
      for (uint64_t i = begin; i < end; ++i) {                            \
        const double x = (double)berth_load_##type(logits[i]);            \
        if (is_finite(x)) total += berth_exp_f64(x - most);               \
        sums[i] = total;                                                  \
      }                                                                   \
      totals[lane] = total;                                               \
      berth_block_sync();                                                 \
      for (uint64_t i = 0; i < lane; ++i) before += totals[i];            \
      for (uint64_t i = begin; i < end; ++i) sums[i] += before;           \
      /* Nobody may write the next totals before all have read these. */  \
      berth_block_sync();                                                 \
    }                                                                     \
  }
DEFINE_SUMS(f16)
DEFINE_SUMS(f32)
DEFINE_SUMS(f64)

// Returns the first class whose sum is above |wanted|.
BERTH_GPU_FN uint64_t find_class(const double *sums, uint64_t count,
                                 double wanted) {
  uint64_t low = 0, high = count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (wanted < sums[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Two words of the four that a step gives are a draw.
BERTH_KERNEL(berth_draw, berth_draw_params_t) {
  BERTH_EACH(i, p.rows *p.count) {
    const uint64_t row = berth_gpu_divide(i, p.count);
    const double *sums = p.sums + row * p.classes;
    const double total = p.classes > 0 ? sums[p.classes - 1] : 0.0;
    berth_philox_t philox = p.start;
    uint32_t words[4];
    berth_philox_skip(&philox, i / 2);
    berth_philox_next(&philox, words);
    const uint32_t *pair = words + i % 2 * 2;
    const double wanted = berth_philox_double(pair[0], pair[1]) * total;
    const uint64_t found = find_class(sums, p.classes, wanted);
    if (p.is_wide) {
      ((int64_t *)p.out)[i] = (int64_t)found;
    } else {
      ((int32_t *)p.out)[i] = (int32_t)found;
    }
  }
}
