// conv_finish.cu - Kernels for what is done to the output of a convolution.
#include "cuda/ops/conv_finish_params.h"

#include "cuda/math/gpu.cuh"

BERTH_GPU_FN float factor_of(const berth_conv_finish_params_t *p, uint32_t c) {
  return 1.0f / __builtin_sqrtf(p->variance[c] + p->epsilon) * p->scale[c];
}

// Makes it part of the filter, and one bias.
BERTH_KERNEL(berth_conv_fold_f32, berth_conv_finish_params_t) {
  BERTH_EACH(i, p.filter_count + p.channels) {
    if (i < p.filter_count) {
      p.filter[i] *= factor_of(&p, (uint32_t)i / (uint32_t)p.per);
      continue;
    }
    const uint32_t c = (uint32_t)(i - p.filter_count);
    float value = p.bias ? p.bias[c] : 0;
    if (p.scale) {
      value = (value - p.mean[c]) * factor_of(&p, c) + p.offset[c];
    }
    p.made_bias[c] = value;
  }
}

// Whether a library keeps NaNs where it cuts off below zero: it is given a bias
// of nothing else, and then all of its output must be NaN.
BERTH_KERNEL(berth_conv_nan_f32, berth_conv_finish_params_t) {
  BERTH_EACH(c, p.channels) p.made_bias[c] = __builtin_nanf("");
}

BERTH_KERNEL(berth_conv_all_nan_f32, berth_conv_finish_params_t) {
  BERTH_EACH(i, p.count) {
    if (p.y[i] == p.y[i]) p.made_bias[0] = 0;
  }
}

// Does it to the output, in the order of single steps.
BERTH_KERNEL(berth_conv_finish_f32, berth_conv_finish_params_t) {
  BERTH_EACH(i, p.count) {
    const uint32_t c = (uint32_t)i % (uint32_t)p.channels;
    float value = p.y[i];
    if (p.bias) value += p.bias[c];
    if (p.scale) value = (value - p.mean[c]) * factor_of(&p, c) + p.offset[c];
    if (p.added) value += p.added[i];
    if (p.is_relu) value = value <= 0 ? 0 : value;
    p.y[i] = value;
  }
}
