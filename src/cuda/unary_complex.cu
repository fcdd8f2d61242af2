// unary_complex.cu - Kernels of ops with one input: complex numbers.
#include "cuda/complex.cuh"
#include "cuda/elementwise.cuh"

#define COMPLEX(type, pack)                                     \
  BERTH_UNARY(neg, type, pack, berth_make_##type(-x.re, -x.im)) \
  BERTH_UNARY(reciprocal, type, pack,                           \
              berth_div_##type(berth_make_##type(1, 0), x))     \
  BERTH_UNARY_LONG(sign, type, berth_sign_##type(x))            \
  BERTH_UNARY_LONG(exp, type, berth_exp_##type(x))              \
  BERTH_UNARY_LONG(sin, type, berth_sin_##type(x))              \
  BERTH_UNARY_LONG(cos, type, berth_cos_##type(x))              \
  BERTH_UNARY_LONG(tan, type, berth_tan_##type(x))

COMPLEX(c64, 2)
COMPLEX(c128, 1)
