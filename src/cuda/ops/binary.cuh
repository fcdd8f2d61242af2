// binary.cuh - Kernels of ops with two inputs, by groups of types.
//
// As unary.cuh. A "greater" is a "less" with its inputs swapped. The kernels in
// most use are a module of their own, because a card compiles all of a module
// when it first needs one of it.
#ifndef BERTH_CUDA_OPS_BINARY_CUH_
#define BERTH_CUDA_OPS_BINARY_CUH_

#include "cuda/math/math.cuh"
#include "cuda/ops/elementwise.cuh"

// Both give NaN for a NaN on either side, and of equal numbers the right one.
#define BERTH_MAX(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define BERTH_MIN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

#define BERTH_BINARY_COMPARE(type, pack)          \
  BERTH_BINARY(equal, type, b8, pack, x == y)     \
  BERTH_BINARY(not_equal, type, b8, pack, x != y) \
  BERTH_BINARY(less, type, b8, pack, x < y)       \
  BERTH_BINARY(less_equal, type, b8, pack, x <= y)

// Real numbers: what is used most.
#define BERTH_BINARY_REAL(type, pack)                  \
  BERTH_BINARY(add, type, type, pack, x + y)           \
  BERTH_BINARY(sub, type, type, pack, x - y)           \
  BERTH_BINARY(mul, type, type, pack, x *y)            \
  BERTH_BINARY(div, type, type, pack, x / y)           \
  BERTH_BINARY(max, type, type, pack, BERTH_MAX(x, y)) \
  BERTH_BINARY(min, type, type, pack, BERTH_MIN(x, y))

// The rest. |round| rounds what is between two steps to the type.
#define BERTH_BINARY_REST(type, fn, pack, round)                            \
  BERTH_BINARY(floor_div, type, type, pack, berth_floor_##fn(round(x / y))) \
  BERTH_BINARY(squared_difference, type, type, pack,                        \
               round(x - y) * round(x - y))                                 \
  BERTH_BINARY(div_no_nan, type, type, pack, y == 0 ? 0 : x / y)            \
  BERTH_BINARY(xdivy, type, type, pack, x == 0 ? x : x / y)                 \
  BERTH_BINARY_LONG(xlogy, type, x == 0 ? x : x * berth_log_##fn(y))        \
  BERTH_BINARY_LONG(pow, type, berth_pow_##fn(x, y))                        \
  BERTH_BINARY_LONG(atan2, type, berth_atan2_##fn(x, y))                    \
  BERTH_BINARY_COMPARE(type, pack)

// What is not there for bfloat16.
#define BERTH_BINARY_REST_MORE(type, fn, pack, round)                       \
  BERTH_GPU_FN berth_working_##type floored_mod_##type(                     \
      berth_working_##type x, berth_working_##type y) {                     \
    const berth_working_##type r = berth_fmod_##fn(x, y);                   \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;                        \
  }                                                                         \
  BERTH_BINARY_LONG(floor_mod, type, floored_mod_##type(x, y))              \
  BERTH_BINARY(trunc_div, type, type, pack, berth_trunc_##fn(round(x / y))) \
  BERTH_BINARY(mul_no_nan, type, type, pack, y == 0 ? 0 : x * y)

#endif  // BERTH_CUDA_OPS_BINARY_CUH_
