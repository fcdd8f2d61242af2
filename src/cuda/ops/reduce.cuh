// reduce.cuh - What the kernels of the reductions have in common.
//
// Each operation is a module of its own, reduce_<op>.cu: a card compiles a
// module whole when it first needs a kernel of it, and reductions are long.
//
// A mean is a sum with a divisor. Complex numbers are summed as pairs of their
// parts, by the kernels of real numbers. 16-bit numbers are folded as floats;
// what chunks of them make are floats too, so the last launch is that of float
// and rounds.
#ifndef BERTH_CUDA_OPS_REDUCE_CUH_
#define BERTH_CUDA_OPS_REDUCE_CUH_

#include "cuda/math/number.cuh"
#include "cuda/ops/reduction.cuh"

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

// The kernel |kernel| of a type that is its own accumulator, and of one of 16
// bits, loaded by |GET|.
#define BERTH_REDUCE(kernel, type, T, OP, IDENTITY) \
  BERTH_REDUCTION_KERNEL(kernel, T, T, GET_PLAIN, OP, IDENTITY, store_##type)
#define BERTH_REDUCE_16(kernel, GET, OP, IDENTITY) \
  BERTH_REDUCTION_KERNEL(kernel, uint16_t, float, GET, OP, IDENTITY, store_f32)

#endif  // BERTH_CUDA_OPS_REDUCE_CUH_
