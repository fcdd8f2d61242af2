// reduce_squares.cu - Sums of squares; what chunks make is summed as it is.
#include "cuda/ops/reduce.cuh"

#define SQUARE(x) ((x) * (x))
#define GET_SQUARE(x, i) ((void)(i), SQUARE(x))
#define GET_SQUARE_F16(x, i) ((void)(i), SQUARE(berth_load_f16(x)))
#define GET_SQUARE_BF16(x, i) ((void)(i), SQUARE(berth_load_bf16(x)))

BERTH_REDUCTION_KERNEL(berth_squares_f32, float, float, GET_SQUARE, add_f32,
                       0.0f, store_f32)
BERTH_REDUCTION_KERNEL(berth_squares_f64, double, double, GET_SQUARE, add_f64,
                       0.0, store_f64)
BERTH_REDUCE_16(berth_squares_f16, GET_SQUARE_F16, add_f32, 0.0f)
BERTH_REDUCE_16(berth_squares_bf16, GET_SQUARE_BF16, add_f32, 0.0f)
