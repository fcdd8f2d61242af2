// reduce_max.cu - The largest of values; of truth values, whether any is true.
#include "cuda/ops/reduce.cuh"

BERTH_REDUCE(berth_max_f32, f32, float, max_f32, -INFINITE_F32)
BERTH_REDUCE(berth_max_f64, f64, double, max_f64, -INFINITE_F64)
BERTH_REDUCE_16(berth_max_f16, GET_F16, max_f32, -INFINITE_F32)
BERTH_REDUCE_16(berth_max_bf16, GET_BF16, max_f32, -INFINITE_F32)
BERTH_REDUCE(berth_max_i64, i64, int64_t, max_i64, INT64_MIN)
BERTH_REDUCTION_KERNEL(berth_max_b8, uint8_t, uint32_t, GET_B8, max_u32, 0,
                       store_b8)
