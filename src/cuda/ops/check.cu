// check.cu - Kernels of CheckNumerics: looks for infinities and NaNs.
//
// All bits of their exponents are set; the fraction tells them apart. Threads
// that find the same write the same, so that it does not matter who is last.
#include "cuda/math/gpu.cuh"
#include "cuda/ops/check_params.h"

#define DEFINE_CHECK(type, bits_t, exponent, fraction)     \
  BERTH_KERNEL(berth_check_##type, berth_check_params_t) { \
    const bits_t *in = (const bits_t *)p.in;               \
    BERTH_EACH(i, p.count) {                               \
      const bits_t bits = in[i];                           \
      if ((bits & (exponent)) != (exponent)) continue;     \
      p.found[(bits & (fraction)) != 0] = 1;               \
    }                                                      \
  }
DEFINE_CHECK(f16, uint16_t, 0x7c00U, 0x03ffU)
DEFINE_CHECK(f32, uint32_t, 0x7f800000U, 0x007fffffU)
DEFINE_CHECK(f64, uint64_t, 0x7ff0000000000000U, 0x000fffffffffffffU)
