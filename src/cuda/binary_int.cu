// binary_int.cu - Kernels of ops with two inputs: integers and bool.
//
// Sums and products wrap. A card cannot raise an error, so that what is one on
// the host has a result here, the one of TensorFlow's compiled kernels: x / 0
// has all bits set (-1), x mod 0 is x, and a negative power is 0 but for bases
// of 1 and -1. Dividing the smallest number by -1 wraps.
//
// Of int32 there is only the sum, for BiasAdd: TensorFlow computes with int32
// on the host.
#include "cuda/binary.cuh"

#define WRAPPING(type, pack)                                     \
  BERTH_BINARY(add, type, type, pack, (uint64_t)x + (uint64_t)y) \
  BERTH_BINARY(sub, type, type, pack, (uint64_t)x - (uint64_t)y) \
  BERTH_BINARY(mul, type, type, pack, (uint64_t)x *(uint64_t)y)  \
  BERTH_BINARY(max, type, type, pack, x > y ? x : y)             \
  BERTH_BINARY(min, type, type, pack, x < y ? x : y)             \
  BERTH_BINARY_COMPARE(type, pack)

// |wide_t| is what small integers are divided as.
#define UNSIGNED(type, pack, wide_t)                             \
  WRAPPING(type, pack)                                           \
  BERTH_BINARY_LONG(trunc_div, type,                             \
                    y == 0 ? ~(wide_t)0 : (wide_t)x / (wide_t)y) \
  BERTH_BINARY_LONG(floor_mod, type, y == 0 ? x : (wide_t)x % (wide_t)y)

#define SIGNED(type, pack, wide_t)                                            \
  WRAPPING(type, pack)                                                        \
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
  BERTH_BINARY_LONG(pow, type, power((int64_t)x, (int64_t)y))

BERTH_GPU_FN int64_t power(int64_t x, int64_t y) {
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

SIGNED(i8, 16, int32_t)
SIGNED(i16, 8, int32_t)
SIGNED(i64, 2, int64_t)
UNSIGNED(u8, 16, uint32_t)
UNSIGNED(u16, 8, uint32_t)
UNSIGNED(u32, 4, uint32_t)
UNSIGNED(u64, 2, uint64_t)

BERTH_BINARY(squared_difference, i64, i64, 2,
             ((uint64_t)x - (uint64_t)y) * ((uint64_t)x - (uint64_t)y))
BERTH_BINARY(add, i32, i32, 4, (uint32_t)x + (uint32_t)y)

BERTH_BINARY(equal, b8, b8, 16, x == y)
BERTH_BINARY(not_equal, b8, b8, 16, x != y)
BERTH_BINARY(and, b8, b8, 16, x &y)
BERTH_BINARY(or, b8, b8, 16, x | y)
