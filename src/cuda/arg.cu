// arg.cu - ArgMax and ArgMin: where the extreme value is.
//
// The first of equals is found. The search begins with the smallest finite
// number at index 0 (the largest, for ArgMin), and only a greater one replaces
// it: NaN is never found, and neither are infinities of the wrong sign, as on
// the CPU.
#include "cuda/number.cuh"
#include "cuda/reduction.cuh"

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

// |type| holds the values, |found| says which struct does.
#define ARG(type, S, found, GET, LOWEST, HIGHEST)                             \
  BERTH_REDUCTION_KERNEL(berth_argmax_##type, S, found_##found, GET,          \
                         max_##found, make_##found(LOWEST, 0), store_##found) \
  BERTH_REDUCTION_KERNEL(berth_argmin_##type, S, found_##found, GET,          \
                         min_##found, make_##found(HIGHEST, 0), store_##found)

ARG(f32, float, f32, GET_F32, -HIGHEST_F32, HIGHEST_F32)
ARG(f64, double, f64, GET_F64, -HIGHEST_F64, HIGHEST_F64)
ARG(f16, uint16_t, f32, GET_F16, -HIGHEST_F16, HIGHEST_F16)
ARG(bf16, uint16_t, f32, GET_BF16, -HIGHEST_BF16, HIGHEST_BF16)
ARG(b8, uint8_t, f32, GET_B8, 0.0f, 255.0f)

// What chunks have found.
ARG(found_f32, found_f32, f32, GET_FOUND, -HIGHEST_F32, HIGHEST_F32)
ARG(found_f64, found_f64, f64, GET_FOUND, -HIGHEST_F64, HIGHEST_F64)
