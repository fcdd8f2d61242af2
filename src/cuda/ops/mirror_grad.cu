// mirror_grad.cu - The kernels of MirrorPadGrad.
//
// TensorFlow folds one dimension after the other, each sum rounded to the type:
// so an element is a sum over the last dimension of sums over those before it.
#include "cuda/math/number.cuh"
#include "cuda/ops/mirror_grad_params.h"

// Stores where in the input of dimension |d| the elements lie that index |at|
// of the output was copied to, and returns how many they are.
BERTH_GPU_FN int find_sources(const berth_mirror_params_t *p, int d, int64_t at,
                              int64_t *sources) {
  const int64_t before = p->before[d], size = p->sizes[d];
  const int64_t left = at - p->edge, right = size - 1 - p->edge - at;
  int count = 0;
  sources[count++] = (before + at) * p->steps[d];
  if (left >= 0 && left < before) {
    sources[count++] = (before - 1 - left) * p->steps[d];
  }
  if (right >= 0 && right < p->after[d]) {
    sources[count++] = (before + size + right) * p->steps[d];
  }
  return count;
}

#define ROUND(type, x) berth_load_##type(berth_store_##type(x))

// Defines sum_<d>_<type>(): over dimension |d| of sums over those before.
#define SUM(type, d, inner)                                        \
  BERTH_GPU_FN berth_working_##type sum_##d##_##type(              \
      const berth_stored_##type *in, const int *counts,            \
      const int64_t(*sources)[3], int64_t at) {                    \
    berth_working_##type sum =                                     \
        inner##_##type(in, counts, sources, at + sources[d][0]);   \
    for (int i = 1; i < counts[d]; ++i) {                          \
      sum = ROUND(type, sum + inner##_##type(in, counts, sources,  \
                                             at + sources[d][i])); \
    }                                                              \
    return sum;                                                    \
  }

#define MIRROR(type)                                                         \
  BERTH_GPU_FN berth_working_##type element_##type(                          \
      const berth_stored_##type *in, const int *counts,                      \
      const int64_t(*sources)[3], int64_t at) {                              \
    (void)counts;                                                            \
    (void)sources;                                                           \
    return berth_load_##type(in[at]);                                        \
  }                                                                          \
  SUM(type, 0, element)                                                      \
  SUM(type, 1, sum_0)                                                        \
  SUM(type, 2, sum_1)                                                        \
  SUM(type, 3, sum_2)                                                        \
  SUM(type, 4, sum_3)                                                        \
  BERTH_KERNEL(berth_mirror_grad_##type, berth_mirror_params_t) {            \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in;       \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                 \
    BERTH_EACH(i, p.count) {                                                 \
      int counts[BERTH_MIRROR_DIMS];                                         \
      int64_t sources[BERTH_MIRROR_DIMS][3];                                 \
      uint64_t rest = i;                                                     \
      for (int d = BERTH_MIRROR_DIMS - 1; d >= 0; --d) {                     \
        const uint64_t size = (uint64_t)p.sizes[d];                          \
        counts[d] = find_sources(&p, d, (int64_t)(rest % size), sources[d]); \
        rest /= size;                                                        \
      }                                                                      \
      out[i] = berth_store_##type(                                           \
          sum_4_##type(in, counts, (const int64_t(*)[3])sources, 0));        \
    }                                                                        \
  }

MIRROR(f32)
MIRROR(f64)
MIRROR(f16)
MIRROR(bf16)
