// reduce_sum.cu - Sums, and means.
#include "cuda/ops/reduce.cuh"

BERTH_REDUCE(berth_sum_f32, f32, float, add_f32, 0.0f)
BERTH_REDUCE(berth_sum_f64, f64, double, add_f64, 0.0)
BERTH_REDUCE_16(berth_sum_f16, GET_F16, add_f32, 0.0f)
BERTH_REDUCE_16(berth_sum_bf16, GET_BF16, add_f32, 0.0f)
// Sums of signed integers are those of unsigned ones.
BERTH_REDUCE(berth_sum_i64, u64, uint64_t, add_u64, 0)
