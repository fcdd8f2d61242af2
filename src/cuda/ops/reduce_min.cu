// reduce_min.cu - The smallest of values; of truth values, whether all are
// true.
#include "cuda/ops/reduce.cuh"

BERTH_REDUCE(berth_min_f32, f32, float, min_f32, INFINITE_F32)
BERTH_REDUCE(berth_min_f64, f64, double, min_f64, INFINITE_F64)
BERTH_REDUCE_16(berth_min_f16, GET_F16, min_f32, INFINITE_F32)
BERTH_REDUCE_16(berth_min_bf16, GET_BF16, min_f32, INFINITE_F32)
// The smallest of no truth values is true.
BERTH_REDUCTION_KERNEL(berth_min_b8, uint8_t, uint32_t, GET_B8, min_u32, 1,
                       store_b8)
