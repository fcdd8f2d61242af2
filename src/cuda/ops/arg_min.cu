// arg_min.cu - Where the smallest value is.
#include "cuda/ops/arg.cuh"

BERTH_ARG(berth_argmin_f32, float, f32, GET_F32, min, HIGHEST_F32)
BERTH_ARG(berth_argmin_f64, double, f64, GET_F64, min, HIGHEST_F64)
BERTH_ARG(berth_argmin_f16, uint16_t, f32, GET_F16, min, HIGHEST_F16)
BERTH_ARG(berth_argmin_bf16, uint16_t, f32, GET_BF16, min, HIGHEST_BF16)
BERTH_ARG(berth_argmin_b8, uint8_t, f32, GET_B8, min, 255.0f)

// What chunks have found.
BERTH_ARG(berth_argmin_found_f32, found_f32, f32, GET_FOUND, min, HIGHEST_F32)
BERTH_ARG(berth_argmin_found_f64, found_f64, f64, GET_FOUND, min, HIGHEST_F64)
