// fill.cu - Kernels that store one element many times, by its size.
#include "cuda/ops/elementwise.cuh"
#include "cuda/ops/fill_params.h"

typedef struct __attribute__((aligned(16))) two_words {
  uint64_t at[2];
} two_words_t;

#define FILL(size, element_t, pack)                                          \
  BERTH_KERNEL(berth_fill_##size, berth_fill_params_t) {                     \
    element_t *out = (element_t *)p.out;                                     \
    element_t z[pack];                                                       \
    element_t x;                                                             \
    __builtin_memcpy(&x, p.value, size);                                     \
    if (p.from != 0) x = *(const element_t *)p.from;                         \
    BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) z[k] = x;             \
    const uint64_t packs = p.granule >= (pack) ? p.count / (pack) : 0;       \
    BERTH_EACH(i, packs) { BERTH_WRITE_PACK(out + i * (pack), z, pack); }    \
    BERTH_EACH(i, p.count - packs * (pack)) { out[packs * (pack) + i] = x; } \
  }

FILL(1, uint8_t, 16)
FILL(2, uint16_t, 8)
FILL(4, uint32_t, 4)
FILL(8, uint64_t, 2)
FILL(16, two_words_t, 1)
