// slice_assign.cu - Kernels that write slices of variables, by the size of an
// element.
#include "cuda/math/number.cuh"
#include "cuda/ops/slice_assign_params.h"

#define WRITE(size, element_t)                                     \
  BERTH_KERNEL(berth_slice_write_##size, berth_slice_params_t) {   \
    BERTH_EACH(i, p.count) {                                       \
      uint64_t rest = i;                                           \
      int64_t from = 0, to = 0;                                    \
      for (int d = BERTH_SLICE_DIMS - 1; d >= 0; --d) {            \
        const int64_t at = (int64_t)(rest % p.dims[d]);            \
        rest /= p.dims[d];                                         \
        from += at * p.from_steps[d];                              \
        to += at * p.to_steps[d];                                  \
      }                                                            \
      ((element_t *)p.to)[to] = ((const element_t *)p.from)[from]; \
    }                                                              \
  }

WRITE(1, uint8_t)
WRITE(2, uint16_t)
WRITE(4, uint32_t)
WRITE(8, uint64_t)
WRITE(16, berth_stored_c128)
