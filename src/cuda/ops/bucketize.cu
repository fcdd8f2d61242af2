// bucketize.cu - Kernels of Bucketize. Integers are compared as floats.
#include "cuda/math/gpu.cuh"
#include "cuda/ops/bucketize_params.h"

// What is no number is above all limits.
#define DEFINE_BUCKETS(type, element_t, compared_t)                \
  BERTH_KERNEL(berth_bucketize_##type, berth_bucketize_params_t) { \
    BERTH_EACH(i, p.count) {                                       \
      const compared_t x = (compared_t)((const element_t *)p.in)[i]; \
      uint32_t low = 0, high = p.limit_count;                      \
      while (low < high) {                                         \
        const uint32_t middle = (low + high) / 2;                  \
        if (x < (compared_t)p.limits[middle]) {                    \
          high = middle;                                           \
        } else {                                                   \
          low = middle + 1;                                        \
        }                                                          \
      }                                                            \
      p.out[i] = (int32_t)low + (p.adds ? p.out[i] : 0);           \
    }                                                              \
  }
DEFINE_BUCKETS(f32, float, float)
DEFINE_BUCKETS(f64, double, double)
DEFINE_BUCKETS(i32, int32_t, float)
DEFINE_BUCKETS(i64, int64_t, float)
