// scatter.cu - Kernels that move slices to or from places given as indices.
//
// A kernel cannot report a place that is outside; as in TensorFlow such a slice
// is zeros, or is not written.
#include "cuda/ops/scatter.cuh"

#include "cuda/math/unit.cuh"

enum { AHEAD = 4 };

#define DEFINE_MOVES(size)                                                   \
  BERTH_KERNEL(berth_gather_nd_##size, berth_scatter_params_t) {             \
    const berth_unit_##size *from = (const berth_unit_##size *)p.from;       \
    berth_unit_##size *to = (berth_unit_##size *)p.to;                       \
    const uint64_t threads = berth_gpu_threads(), all = p.count * p.slice;   \
    for (uint64_t first = berth_gpu_thread(); first < all;                   \
         first += AHEAD * threads) {                                         \
      berth_unit_##size units[AHEAD];                                        \
      BERTH_UNROLL for (uint64_t k = 0; k < AHEAD; ++k) {                    \
        const berth_unit_##size zero = {0};                                  \
        const uint64_t i = first + k * threads;                              \
        const uint64_t at = i < all ? berth_place_of(&p, i) : BERTH_OUTSIDE; \
        units[k] = at != BERTH_OUTSIDE ? from[at] : zero;                    \
      }                                                                      \
      BERTH_UNROLL for (uint64_t k = 0; k < AHEAD; ++k) {                    \
        if (first + k * threads < all) to[first + k * threads] = units[k];   \
      }                                                                      \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_scatter_##size, berth_scatter_params_t) {               \
    const berth_unit_##size *from = (const berth_unit_##size *)p.from;       \
    berth_unit_##size *to = (berth_unit_##size *)p.to;                       \
    BERTH_EACH(i, p.count *p.slice) {                                        \
      const uint64_t at = berth_place_of(&p, i);                             \
      if (at != BERTH_OUTSIDE) to[at] = from[p.is_one != 0 ? 0 : i];         \
    }                                                                        \
  }                                                                          \
                                                                             \
  /* The last of several slices for one place is what stays. */              \
  BERTH_KERNEL(berth_scatter_ordered_##size, berth_scatter_params_t) {       \
    const berth_unit_##size *from = (const berth_unit_##size *)p.from;       \
    berth_unit_##size *to = (berth_unit_##size *)p.to;                       \
    BERTH_EACH(column, p.slice) {                                            \
      for (uint64_t i = 0; i < p.count; ++i) {                               \
        const uint64_t place = berth_place(&p, i);                           \
        if (place == BERTH_OUTSIDE) continue;                                \
        to[place * p.slice + column] =                                       \
            from[p.is_one != 0 ? 0 : i * p.slice + column];                  \
      }                                                                      \
    }                                                                        \
  }

BERTH_EACH_UNIT(DEFINE_MOVES)
