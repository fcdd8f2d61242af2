// reduce_prod.cu - Products.
#include "cuda/ops/reduce.cuh"

BERTH_REDUCE(berth_prod_f32, f32, float, mul_f32, 1.0f)
BERTH_REDUCE(berth_prod_f64, f64, double, mul_f64, 1.0)
BERTH_REDUCE_16(berth_prod_f16, GET_F16, mul_f32, 1.0f)
BERTH_REDUCE_16(berth_prod_bf16, GET_BF16, mul_f32, 1.0f)
// Products of signed integers are those of unsigned ones.
BERTH_REDUCE(berth_prod_i32, u32, uint32_t, mul_u32, 1)
BERTH_REDUCE(berth_prod_i64, u64, uint64_t, mul_u64, 1)
BERTH_REDUCE(berth_prod_c64, c64, berth_stored_c64, berth_mul_c64,
             berth_make_c64(1, 0))
BERTH_REDUCE(berth_prod_c128, c128, berth_stored_c128, berth_mul_c128,
             berth_make_c128(1, 0))
