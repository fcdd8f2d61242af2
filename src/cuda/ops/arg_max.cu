// arg_max.cu - Where the largest value is.
#include "cuda/ops/arg.cuh"

BERTH_ARG(berth_argmax_f32, float, f32, GET_F32, max, -HIGHEST_F32)
BERTH_ARG(berth_argmax_f64, double, f64, GET_F64, max, -HIGHEST_F64)
BERTH_ARG(berth_argmax_f16, uint16_t, f32, GET_F16, max, -HIGHEST_F16)
BERTH_ARG(berth_argmax_bf16, uint16_t, f32, GET_BF16, max, -HIGHEST_BF16)
BERTH_ARG(berth_argmax_b8, uint8_t, f32, GET_B8, max, 0.0f)

// What chunks have found.
BERTH_ARG(berth_argmax_found_f32, found_f32, f32, GET_FOUND, max, -HIGHEST_F32)
BERTH_ARG(berth_argmax_found_f64, found_f64, f64, GET_FOUND, max, -HIGHEST_F64)
