// unary_curve_f64.cu - Kernels of functions of one input: double.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_LONG(exp, f64, berth_exp_f64(x))
BERTH_UNARY_LONG(expm1, f64, berth_expm1_f64(x))
BERTH_UNARY_LONG(log, f64, berth_log_f64(x))
BERTH_UNARY_LONG(log1p, f64, berth_log1p_f64(x))
BERTH_UNARY_LONG(sigmoid, f64, berth_sigmoid_f64(x))
BERTH_UNARY_LONG(tanh, f64, berth_tanh_f64(x))
BERTH_UNARY_LONG(sin, f64, berth_sin_f64(x))
BERTH_UNARY_LONG(cos, f64, berth_cos_f64(x))
BERTH_UNARY_LONG(tan, f64, berth_tan_f64(x))
BERTH_UNARY_LONG(erf, f64, berth_erf_f64(x))
BERTH_UNARY_LONG(erfc, f64, berth_erfc_f64(x))
BERTH_UNARY_LONG(elu, f64, x < 0 ? berth_expm1_f64(x) : x)
BERTH_UNARY_LONG(selu, f64,
                 x < 0 ? BERTH_SELU_SCALE_ALPHA * berth_expm1_f64(x)
                       : BERTH_SELU_SCALE * x)
BERTH_UNARY_LONG(softplus, f64, BERTH_SOFTPLUS(f64, x, 34.0))
BERTH_UNARY_LONG(softsign, f64, x / (1 + berth_abs_f64(x)))
