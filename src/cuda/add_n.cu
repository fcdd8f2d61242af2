// add_n.cu - Kernels that add up any number of arrays.
//
// From the first to the last, each sum rounded to the type, as TensorFlow does.
#include "cuda/add_n_params.h"
#include "cuda/elementwise.cuh"

#define PLUS(x, y) ((x) + (y))
#define PLUS_C64(x, y) berth_add_c64(x, y)
#define PLUS_C128(x, y) berth_add_c128(x, y)

#define ADD_N(type, pack, plus)                                               \
  BERTH_GPU_FN berth_stored_##type sum_##type(berth_stored_##type x,          \
                                              berth_stored_##type y) {        \
    return berth_store_##type(                                                \
        plus(berth_load_##type(x), berth_load_##type(y)));                    \
  }                                                                           \
  BERTH_KERNEL(berth_add_n_##type, berth_add_n_params_t) {                    \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                  \
    const uint64_t packs = p.granule >= (pack) ? p.count / (pack) : 0;        \
    BERTH_EACH(i, packs) {                                                    \
      berth_stored_##type sum[pack], x[pack];                                 \
      BERTH_READ_PACK(sum, (const berth_stored_##type *)p.in[0] + i * (pack), \
                      pack);                                                  \
      for (uint32_t n = 1; n < p.input_count; ++n) {                          \
        BERTH_READ_PACK(x, (const berth_stored_##type *)p.in[n] + i * (pack), \
                        pack);                                                \
        BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                  \
          sum[k] = sum_##type(sum[k], x[k]);                                  \
        }                                                                     \
      }                                                                       \
      BERTH_WRITE_PACK(out + i * (pack), sum, pack);                          \
    }                                                                         \
    BERTH_EACH(i, p.count - packs * (pack)) {                                 \
      const uint64_t at = i + packs * (pack);                                 \
      berth_stored_##type sum = ((const berth_stored_##type *)p.in[0])[at];   \
      for (uint32_t n = 1; n < p.input_count; ++n) {                          \
        sum = sum_##type(sum, ((const berth_stored_##type *)p.in[n])[at]);    \
      }                                                                       \
      out[at] = sum;                                                          \
    }                                                                         \
  }

ADD_N(f16, 8, PLUS)
ADD_N(bf16, 8, PLUS)
ADD_N(f32, 4, PLUS)
ADD_N(f64, 2, PLUS)
ADD_N(u32, 4, PLUS)
ADD_N(u64, 2, PLUS)
ADD_N(c64, 2, PLUS_C64)
ADD_N(c128, 1, PLUS_C128)
