// binary_int.cuh - Kernels of ops with two inputs: integers.
//
// Sums and products wrap. A card cannot raise an error, so that what is one on
// the host has a result here, the one of TensorFlow's compiled kernels: x / 0
// has all bits set (-1), x mod 0 is x, and a negative power is 0 but for bases
// of 1 and -1. Dividing the smallest number by -1 wraps.
#ifndef BERTH_CUDA_OPS_BINARY_INT_CUH_
#define BERTH_CUDA_OPS_BINARY_INT_CUH_

#include "cuda/ops/binary.cuh"

BERTH_GPU_FN int64_t berth_power_i64(int64_t x, int64_t y) {
  if (y < 0) {
    if (x == -1) return (y & 1) != 0 ? -1 : 1;
    return x == 1 ? 1 : 0;
  }
  uint64_t base = (uint64_t)x, result = 1;
  for (; y > 0; y >>= 1) {
    if ((y & 1) != 0) result *= base;
    base *= base;
  }
  return (int64_t)result;
}

#define BERTH_BINARY_WRAPPING(type, pack)                        \
  BERTH_BINARY(add, type, type, pack, (uint64_t)x + (uint64_t)y) \
  BERTH_BINARY(sub, type, type, pack, (uint64_t)x - (uint64_t)y) \
  BERTH_BINARY(mul, type, type, pack, (uint64_t)x *(uint64_t)y)  \
  BERTH_BINARY(max, type, type, pack, x > y ? x : y)             \
  BERTH_BINARY(min, type, type, pack, x < y ? x : y)             \
  BERTH_BINARY_COMPARE(type, pack)

// |wide_t| is what small integers are divided as.
#define BERTH_BINARY_UNSIGNED(type, pack, wide_t)                \
  BERTH_BINARY_WRAPPING(type, pack)                              \
  BERTH_BINARY_LONG(trunc_div, type,                             \
                    y == 0 ? ~(wide_t)0 : (wide_t)x / (wide_t)y) \
  BERTH_BINARY_LONG(floor_mod, type, y == 0 ? x : (wide_t)x % (wide_t)y)

#define BERTH_BINARY_SIGNED(type, pack, wide_t)                               \
  BERTH_BINARY_WRAPPING(type, pack)                                           \
  BERTH_GPU_FN wide_t quotient_##type(wide_t x, wide_t y) {                   \
    if (y == 0) return -1;                                                    \
    return y == -1 ? (wide_t)(0 - (uint64_t)x) : x / y;                       \
  }                                                                           \
  BERTH_GPU_FN wide_t remainder_##type(wide_t x, wide_t y) {                  \
    if (y == 0) return x;                                                     \
    return y == -1 ? 0 : x % y;                                               \
  }                                                                           \
  /* True when the quotient was rounded up. */                                \
  BERTH_GPU_FN int is_above_##type(wide_t x, wide_t y) {                      \
    const wide_t r = remainder_##type(x, y);                                  \
    return y != 0 && r != 0 && (r ^ y) < 0;                                   \
  }                                                                           \
  BERTH_BINARY_LONG(trunc_div, type, quotient_##type(x, y))                   \
  BERTH_BINARY_LONG(floor_div, type,                                          \
                    quotient_##type(x, y) - is_above_##type(x, y))            \
  BERTH_BINARY_LONG(floor_mod, type,                                          \
                    remainder_##type(x, y) + (is_above_##type(x, y) ? y : 0)) \
  BERTH_BINARY_LONG(pow, type, berth_power_i64((int64_t)x, (int64_t)y))

#endif  // BERTH_CUDA_OPS_BINARY_INT_CUH_
