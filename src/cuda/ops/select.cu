// select.cu - Kernels that take each element from one of two inputs, by size.
//
// The inputs are the condition, a bool, and the two; all broadcast.
#include "cuda/ops/elementwise.cuh"

typedef struct __attribute__((aligned(16))) two_words {
  uint64_t at[2];
} two_words_t;

#define SELECT(size, element_t, pack)                                        \
  BERTH_KERNEL(berth_select_##size, berth_walk_params_t) {                   \
    const uint8_t *condition = (const uint8_t *)p.in[0];                     \
    const element_t *then = (const element_t *)p.in[1];                      \
    const element_t *other = (const element_t *)p.in[2];                     \
    element_t *out = (element_t *)p.out;                                     \
    const uint64_t packs =                                                   \
        p.walk.granule >= (pack) ? p.walk.count / (pack) : 0;                \
    int64_t at[3];                                                           \
    BERTH_EACH(i, packs) {                                                   \
      uint8_t c[pack];                                                       \
      element_t x[pack], y[pack], z[pack];                                   \
      const uint64_t first = i * (pack);                                     \
      berth_walk_at(&p.walk, first, 3, at);                                  \
      BERTH_READ_SIDE(c, condition + at[0], p.walk.levels[0].steps[0], pack) \
      BERTH_READ_SIDE(x, then + at[1], p.walk.levels[0].steps[1], pack)      \
      BERTH_READ_SIDE(y, other + at[2], p.walk.levels[0].steps[2], pack)     \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                   \
        z[k] = c[k] != 0 ? x[k] : y[k];                                      \
      }                                                                      \
      BERTH_WRITE_PACK(out + i * (pack), z, pack);                           \
    }                                                                        \
    BERTH_EACH(i, p.walk.count - packs * (pack)) {                           \
      const uint64_t n = i + packs * (pack);                                 \
      berth_walk_at(&p.walk, n, 3, at);                                      \
      out[n] = condition[at[0]] != 0 ? then[at[1]] : other[at[2]];           \
    }                                                                        \
  }

SELECT(1, uint8_t, 16)
SELECT(2, uint16_t, 8)
SELECT(4, uint32_t, 4)
SELECT(8, uint64_t, 2)
SELECT(16, two_words_t, 1)
