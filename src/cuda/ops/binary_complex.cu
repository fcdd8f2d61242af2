// binary_complex.cu - Kernels of ops with two inputs: complex numbers.
#include "cuda/math/complex.cuh"
#include "cuda/ops/elementwise.cuh"

#define ZERO(type) berth_make_##type(0, 0)

#define COMPLEX(type, pack)                                                   \
  BERTH_BINARY(add, type, type, pack, berth_add_##type(x, y))                 \
  BERTH_BINARY(sub, type, type, pack, berth_sub_##type(x, y))                 \
  BERTH_BINARY(mul, type, type, pack, berth_mul_##type(x, y))                 \
  BERTH_BINARY_LONG(div, type, berth_div_##type(x, y))                        \
  BERTH_BINARY_LONG(                                                          \
      div_no_nan, type,                                                       \
      berth_is_zero_##type(y) ? ZERO(type) : berth_div_##type(x, y))          \
  BERTH_BINARY_LONG(                                                          \
      mul_no_nan, type,                                                       \
      berth_is_zero_##type(y) ? ZERO(type) : berth_mul_##type(x, y))          \
  BERTH_BINARY_LONG(xdivy, type,                                              \
                    berth_is_zero_##type(x) ? x : berth_div_##type(x, y))     \
  BERTH_BINARY_LONG(                                                          \
      xlogy, type,                                                            \
      berth_is_zero_##type(x) ? x : berth_mul_##type(x, berth_log_##type(y))) \
  BERTH_BINARY(equal, type, b8, pack, berth_equal_##type(x, y))               \
  BERTH_BINARY(not_equal, type, b8, pack, !berth_equal_##type(x, y))

COMPLEX(c64, 2)
COMPLEX(c128, 1)
