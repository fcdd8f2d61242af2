// unary_complex.cu - Kernels of ops with one input: complex numbers.
#include "cuda/math/complex.cuh"
#include "cuda/ops/elementwise.cuh"

// 1 / x; of something infinite it is 0.
#define RECIPROCAL(type, inf)                                                \
  BERTH_GPU_FN berth_stored_##type inverse_##type(berth_stored_##type x) {   \
    const berth_stored_##type one = berth_make_##type(1, 0);                 \
    const int is_infinite =                                                  \
        x.re == inf || x.re == -inf || x.im == inf || x.im == -inf;          \
    return is_infinite ? berth_make_##type(0, 0) : berth_div_##type(one, x); \
  }

RECIPROCAL(c64, BERTH_INF_F32)
RECIPROCAL(c128, BERTH_INF_F64)

#define COMPLEX(type, pack)                                     \
  BERTH_UNARY(neg, type, pack, berth_make_##type(-x.re, -x.im)) \
  BERTH_UNARY(reciprocal, type, pack, inverse_##type(x))        \
  BERTH_UNARY_LONG(sign, type, berth_sign_##type(x))            \
  BERTH_UNARY_LONG(exp, type, berth_exp_##type(x))              \
  BERTH_UNARY_LONG(sin, type, berth_sin_##type(x))              \
  BERTH_UNARY_LONG(cos, type, berth_cos_##type(x))              \
  BERTH_UNARY_LONG(tan, type, berth_tan_##type(x))

COMPLEX(c64, 2)
COMPLEX(c128, 1)
