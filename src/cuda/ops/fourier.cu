// fourier.cu - What a library leaves undone of a transform back: the division.
#include "cuda/math/gpu.cuh"
#include "cuda/ops/fourier_params.h"

#define DEFINE_SCALE(type, real_t)                                   \
  BERTH_KERNEL(berth_fourier_scale_##type, berth_fourier_params_t) { \
    real_t *data = (real_t *)p.data;                                 \
    BERTH_EACH(i, p.count) data[i] *= (real_t)p.factor;              \
  }
DEFINE_SCALE(f32, float)
DEFINE_SCALE(f64, double)
