// arg.cuh - What the kernels of ArgMax and ArgMin have in common: where the
// extreme value is.
//
// The first of equals is found. The search begins with the smallest finite
// number at index 0 (the largest, for ArgMin), and only a greater one replaces
// it: NaN is never found, and neither are infinities of the wrong sign, as on
// the CPU.
#ifndef BERTH_CUDA_OPS_ARG_CUH_
#define BERTH_CUDA_OPS_ARG_CUH_

#include "cuda/math/number.cuh"
#include "cuda/ops/reduction.cuh"

// A value and its place; what a thread, a block or a chunk has found.
typedef struct found_f32 {
  float value;
  uint64_t at;
} found_f32;
typedef struct found_f64 {
  double value;
  uint64_t at;
} found_f64;

#define HIGHEST_F16 65504.0f
#define HIGHEST_BF16 3.38953138925153547590e38f
#define HIGHEST_F32 3.40282346638528859812e38f
#define HIGHEST_F64 1.79769313486231570815e308

#define FOUND(type, T)                                                         \
  BERTH_GPU_FN found_##type make_##type(T value, uint64_t at) {                \
    found_##type found;                                                        \
    found.value = value;                                                       \
    found.at = at;                                                             \
    return found;                                                              \
  }                                                                            \
  BERTH_GPU_FN found_##type max_##type(found_##type a, found_##type b) {       \
    const int is_b = b.value > a.value || (b.value == a.value && b.at < a.at); \
    return is_b ? b : a;                                                       \
  }                                                                            \
  BERTH_GPU_FN found_##type min_##type(found_##type a, found_##type b) {       \
    const int is_b = b.value < a.value || (b.value == a.value && b.at < a.at); \
    return is_b ? b : a;                                                       \
  }                                                                            \
  BERTH_GPU_FN void store_##type(const berth_reduction_params_t *p,            \
                                 uint64_t i, found_##type found) {             \
    if (p->store == BERTH_REDUCTION_I32) {                                     \
      ((int32_t *)p->out)[i] = (int32_t)found.at;                              \
    } else if (p->store == BERTH_REDUCTION_I64) {                              \
      ((int64_t *)p->out)[i] = (int64_t)found.at;                              \
    } else {                                                                   \
      ((found_##type *)p->out)[i] = found;                                     \
    }                                                                          \
  }
FOUND(f32, float)
FOUND(f64, double)

// Comparing with NaN says no, so what has been found so far stays.
#define GET_F32(x, i) make_f32((x), (i))
#define GET_F64(x, i) make_f64((x), (i))
#define GET_F16(x, i) make_f32(berth_load_f16(x), (i))
#define GET_BF16(x, i) make_f32(berth_load_bf16(x), (i))
#define GET_B8(x, i) make_f32((float)(x), (i))
#define GET_FOUND(x, i) ((void)(i), (x))

// The kernel |kernel| of values |S|, which the struct of |found| holds; |OP| is
// max or min.
#define BERTH_ARG(kernel, S, found, GET, OP, WORST)                   \
  BERTH_REDUCTION_KERNEL(kernel, S, found_##found, GET, OP##_##found, \
                         make_##found(WORST, 0), store_##found)

#endif  // BERTH_CUDA_OPS_ARG_CUH_
