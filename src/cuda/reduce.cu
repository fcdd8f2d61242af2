// reduce.cu - Sum, Mean, Prod, Max, Min, All and Any.
//
// A mean is a sum with a divisor. Complex numbers are summed as pairs of their
// parts, by the kernels of real numbers. 16-bit numbers are folded as floats;
// what chunks of them make are floats too, so the last launch is that of float
// and rounds.
#include "cuda/number.cuh"
#include "cuda/reduction.cuh"

#define INFINITE_F32 (__builtin_inff())
#define INFINITE_F64 (__builtin_inf())

// From a value, wherever it is, to an accumulator.
#define GET_PLAIN(x, i) ((void)(i), (x))
#define GET_F16(x, i) ((void)(i), berth_load_f16(x))
#define GET_BF16(x, i) ((void)(i), berth_load_bf16(x))
#define GET_B8(x, i) ((void)(i), (uint32_t)(x))

// NaN wins over everything.
#define FOLDS(type, T)                                             \
  BERTH_GPU_FN T add_##type(T a, T b) { return a + b; }            \
  BERTH_GPU_FN T mul_##type(T a, T b) { return a * b; }            \
  BERTH_GPU_FN T max_##type(T a, T b) {                            \
    return a != a ? a : (a > b ? a : b); /* |b| when it is NaN. */ \
  }                                                                \
  BERTH_GPU_FN T min_##type(T a, T b) { return a != a ? a : (a < b ? a : b); }

FOLDS(f32, float)
FOLDS(f64, double)
FOLDS(i64, int64_t)
FOLDS(u64, uint64_t)
FOLDS(u32, uint32_t)

BERTH_GPU_FN void store_f32(const berth_reduction_params_t *p, uint64_t i,
                            float acc) {
  acc /= (float)p->divisor;
  if (p->store == BERTH_REDUCTION_F16) {
    ((uint16_t *)p->out)[i] = berth_store_f16(acc);
  } else if (p->store == BERTH_REDUCTION_BF16) {
    ((uint16_t *)p->out)[i] = berth_store_bf16(acc);
  } else {
    ((float *)p->out)[i] = acc;
  }
}

BERTH_GPU_FN void store_f64(const berth_reduction_params_t *p, uint64_t i,
                            double acc) {
  ((double *)p->out)[i] = acc / p->divisor;
}

BERTH_GPU_FN void store_b8(const berth_reduction_params_t *p, uint64_t i,
                           uint32_t acc) {
  ((uint8_t *)p->out)[i] = (uint8_t)acc;
}

#define STORE_PLAIN(type, T)                                        \
  BERTH_GPU_FN void store_##type(const berth_reduction_params_t *p, \
                                 uint64_t i, T acc) {               \
    ((T *)p->out)[i] = acc;                                         \
  }
STORE_PLAIN(i64, int64_t)
STORE_PLAIN(u64, uint64_t)
STORE_PLAIN(u32, uint32_t)
STORE_PLAIN(c64, berth_stored_c64)
STORE_PLAIN(c128, berth_stored_c128)

#define REDUCE_16(type, GET)                                               \
  BERTH_REDUCTION_KERNEL(berth_sum_##type, uint16_t, float, GET, add_f32,  \
                         0.0f, store_f32)                                  \
  BERTH_REDUCTION_KERNEL(berth_prod_##type, uint16_t, float, GET, mul_f32, \
                         1.0f, store_f32)                                  \
  BERTH_REDUCTION_KERNEL(berth_max_##type, uint16_t, float, GET, max_f32,  \
                         -INFINITE_F32, store_f32)                         \
  BERTH_REDUCTION_KERNEL(berth_min_##type, uint16_t, float, GET, min_f32,  \
                         INFINITE_F32, store_f32)
REDUCE_16(f16, GET_F16)
REDUCE_16(bf16, GET_BF16)

#define REDUCE(kernel, type, T, OP, IDENTITY) \
  BERTH_REDUCTION_KERNEL(kernel, T, T, GET_PLAIN, OP, IDENTITY, store_##type)

REDUCE(berth_sum_f32, f32, float, add_f32, 0.0f)
REDUCE(berth_prod_f32, f32, float, mul_f32, 1.0f)
REDUCE(berth_max_f32, f32, float, max_f32, -INFINITE_F32)
REDUCE(berth_min_f32, f32, float, min_f32, INFINITE_F32)

REDUCE(berth_sum_f64, f64, double, add_f64, 0.0)
REDUCE(berth_prod_f64, f64, double, mul_f64, 1.0)
REDUCE(berth_max_f64, f64, double, max_f64, -INFINITE_F64)
REDUCE(berth_min_f64, f64, double, min_f64, INFINITE_F64)

// Sums and products of signed integers are those of unsigned ones.
REDUCE(berth_sum_i64, u64, uint64_t, add_u64, 0)
REDUCE(berth_prod_i64, u64, uint64_t, mul_u64, 1)
REDUCE(berth_prod_i32, u32, uint32_t, mul_u32, 1)
REDUCE(berth_max_i64, i64, int64_t, max_i64, INT64_MIN)

REDUCE(berth_prod_c64, c64, berth_stored_c64, berth_mul_c64,
       berth_make_c64(1, 0))
REDUCE(berth_prod_c128, c128, berth_stored_c128, berth_mul_c128,
       berth_make_c128(1, 0))

// Any is the largest truth value, All the smallest; the smallest of none is
// true.
BERTH_REDUCTION_KERNEL(berth_max_b8, uint8_t, uint32_t, GET_B8, max_u32, 0,
                       store_b8)
BERTH_REDUCTION_KERNEL(berth_min_b8, uint8_t, uint32_t, GET_B8, min_u32, 1,
                       store_b8)
