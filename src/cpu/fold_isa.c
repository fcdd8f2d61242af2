// fold_isa.c - Reductions of the types that matter, for each instruction set.
#include <math.h>

#include "cpu/fold_template.h"
#include "cpu/simd.h"

FOLD(sum_f32, float, float, FOLD_SAME, FOLD_ADD, 0.0f)
FOLD(sum_f64, double, double, FOLD_SAME, FOLD_ADD, 0.0)
FOLD(sum_half, uint16_t, float, berth_half_to_float, FOLD_ADD, 0.0f)
FOLD(sum_bfloat16, uint16_t, float, berth_bfloat16_to_float, FOLD_ADD, 0.0f)
FOLD(sum_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(sum_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)

FOLD(prod_f32, float, float, FOLD_SAME, FOLD_TIMES, 1.0f)
FOLD(prod_f64, double, double, FOLD_SAME, FOLD_TIMES, 1.0)
FOLD(prod_half, uint16_t, float, berth_half_to_float, FOLD_TIMES, 1.0f)
FOLD(prod_bfloat16, uint16_t, float, berth_bfloat16_to_float, FOLD_TIMES, 1.0f)
FOLD(prod_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_TIMES, 1)
FOLD(prod_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_TIMES, 1)

FOLD(max_f32, float, float, FOLD_SAME, FOLD_LARGER_NAN, -INFINITY)
FOLD(max_f64, double, double, FOLD_SAME, FOLD_LARGER_NAN, -(double)INFINITY)
FOLD(max_half, uint16_t, float, berth_half_to_float, FOLD_LARGER_NAN, -INFINITY)
FOLD(max_bfloat16, uint16_t, float, berth_bfloat16_to_float, FOLD_LARGER_NAN,
     -INFINITY)
FOLD(max_i32, int32_t, int32_t, FOLD_SAME, FOLD_LARGER, INT32_MIN)
FOLD(max_i64, int64_t, int64_t, FOLD_SAME, FOLD_LARGER, INT64_MIN)

FOLD(min_f32, float, float, FOLD_SAME, FOLD_SMALLER_NAN, INFINITY)
FOLD(min_f64, double, double, FOLD_SAME, FOLD_SMALLER_NAN, (double)INFINITY)
FOLD(min_half, uint16_t, float, berth_half_to_float, FOLD_SMALLER_NAN, INFINITY)
FOLD(min_bfloat16, uint16_t, float, berth_bfloat16_to_float, FOLD_SMALLER_NAN,
     INFINITY)
FOLD(min_i32, int32_t, int32_t, FOLD_SAME, FOLD_SMALLER, INT32_MAX)
FOLD(min_i64, int64_t, int64_t, FOLD_SAME, FOLD_SMALLER, INT64_MAX)

const berth_folds_t BERTH_ISA(berth_cpu_folds) = {{
    [BERTH_FOLD_SUM] = {[BERTH_FOLD_F32] = FOLD_ENTRY(sum_f32),
                        [BERTH_FOLD_F64] = FOLD_ENTRY(sum_f64),
                        [BERTH_FOLD_HALF] = FOLD_ENTRY(sum_half),
                        [BERTH_FOLD_BFLOAT16] = FOLD_ENTRY(sum_bfloat16),
                        [BERTH_FOLD_U32] = FOLD_ENTRY(sum_u32),
                        [BERTH_FOLD_U64] = FOLD_ENTRY(sum_u64)},
    [BERTH_FOLD_PROD] = {[BERTH_FOLD_F32] = FOLD_ENTRY(prod_f32),
                         [BERTH_FOLD_F64] = FOLD_ENTRY(prod_f64),
                         [BERTH_FOLD_HALF] = FOLD_ENTRY(prod_half),
                         [BERTH_FOLD_BFLOAT16] = FOLD_ENTRY(prod_bfloat16),
                         [BERTH_FOLD_U32] = FOLD_ENTRY(prod_u32),
                         [BERTH_FOLD_U64] = FOLD_ENTRY(prod_u64)},
    [BERTH_FOLD_MAX] = {[BERTH_FOLD_F32] = FOLD_ENTRY(max_f32),
                        [BERTH_FOLD_F64] = FOLD_ENTRY(max_f64),
                        [BERTH_FOLD_HALF] = FOLD_ENTRY(max_half),
                        [BERTH_FOLD_BFLOAT16] = FOLD_ENTRY(max_bfloat16),
                        [BERTH_FOLD_I32] = FOLD_ENTRY(max_i32),
                        [BERTH_FOLD_I64] = FOLD_ENTRY(max_i64)},
    [BERTH_FOLD_MIN] = {[BERTH_FOLD_F32] = FOLD_ENTRY(min_f32),
                        [BERTH_FOLD_F64] = FOLD_ENTRY(min_f64),
                        [BERTH_FOLD_HALF] = FOLD_ENTRY(min_half),
                        [BERTH_FOLD_BFLOAT16] = FOLD_ENTRY(min_bfloat16),
                        [BERTH_FOLD_I32] = FOLD_ENTRY(min_i32),
                        [BERTH_FOLD_I64] = FOLD_ENTRY(min_i64)},
}};
