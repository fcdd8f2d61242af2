// add_n.cu - Kernels that add up any number of arrays.
//
// In TensorFlow's order, which shows in how half precision rounds: groups of
// eight, each added up by itself, after a first one. Each sum is rounded to the
// type.
#include "cuda/ops/add_n_params.h"
#include "cuda/ops/elementwise.cuh"

#define PLUS(x, y) ((x) + (y))
#define PLUS_C64(x, y) berth_add_c64(x, y)
#define PLUS_C128(x, y) berth_add_c128(x, y)

// Adds inputs [from, to) to |sum|, an array of |pack|; |at| is where.
#define ADD_RANGE(type, sum, from, to, at, pack)                             \
  for (uint32_t n_ = (from); n_ < (to); ++n_) {                              \
    berth_stored_##type x_[pack];                                            \
    BERTH_READ_PACK(x_, (const berth_stored_##type *)p.in[n_] + (at), pack); \
    BERTH_UNROLL for (uint32_t j_ = 0; j_ < (pack); ++j_) {                  \
      (sum)[j_] = sum_##type((sum)[j_], x_[j_]);                             \
    }                                                                        \
  }

// Stores the sum of |pack| elements from |at| on.
#define ADD_ALL(type, at, pack)                                              \
  do {                                                                       \
    berth_stored_##type sum[pack], group[pack];                              \
    BERTH_READ_PACK(sum, (const berth_stored_##type *)p.in[0] + (at), pack); \
    ADD_RANGE(type, sum, 1, p.first, at, pack)                               \
    for (uint32_t k = p.first; k < p.input_count; k += BERTH_ADD_N_GROUP) {  \
      BERTH_READ_PACK(group, (const berth_stored_##type *)p.in[k] + (at),    \
                      pack);                                                 \
      ADD_RANGE(type, group, k + 1, k + BERTH_ADD_N_GROUP, at, pack)         \
      BERTH_UNROLL for (uint32_t j = 0; j < (pack); ++j) {                   \
        sum[j] = sum_##type(sum[j], group[j]);                               \
      }                                                                      \
    }                                                                        \
    BERTH_WRITE_PACK((berth_stored_##type *)p.out + (at), sum, pack);        \
  } while (0)

#define ADD_N(type, pack, plus)                                        \
  BERTH_GPU_FN berth_stored_##type sum_##type(berth_stored_##type x,   \
                                              berth_stored_##type y) { \
    return berth_store_##type(                                         \
        plus(berth_load_##type(x), berth_load_##type(y)));             \
  }                                                                    \
  BERTH_KERNEL(berth_add_n_##type, berth_add_n_params_t) {             \
    const uint64_t packs = p.granule >= (pack) ? p.count / (pack) : 0; \
    BERTH_EACH(i, packs) {                                             \
      const uint64_t first = i * (pack);                               \
      ADD_ALL(type, first, pack);                                      \
    }                                                                  \
    BERTH_EACH(i, p.count - packs * (pack)) {                          \
      ADD_ALL(type, i + packs * (pack), 1);                            \
    }                                                                  \
  }

ADD_N(f16, 8, PLUS)
ADD_N(bf16, 8, PLUS)
ADD_N(f32, 4, PLUS)
ADD_N(f64, 2, PLUS)
ADD_N(u32, 4, PLUS)
ADD_N(u64, 2, PLUS)
ADD_N(c64, 2, PLUS_C64)
ADD_N(c128, 1, PLUS_C128)
