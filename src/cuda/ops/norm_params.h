// norm_params.h - What the kernels of normalisation are told.
#ifndef BERTH_CUDA_OPS_NORM_PARAMS_H_
#define BERTH_CUDA_OPS_NORM_PARAMS_H_

#include <stdint.h>

#include "cuda/math/divide.h"

// FusedBatchNorm and its gradient. Elements lie as [outer, channels, inner].
// Each channel is cut into |slices|, whose sums are two numbers each: of a
// batch the sums of (x - pivot) and its square, the pivot being the channel's
// first element; of gradients those of g and g * (x - mean).
typedef struct berth_batch_norm_params {
  const void *x;
  const void *grad;  // Of gradients; else NULL.
  void *y;
  const float *scale, *offset, *mean, *variance;
  float *out_mean, *out_variance;      // Or gradients of scale and offset.
  float *batch_mean, *batch_variance;  // Of batches.
  double *sums;                        // [slices, 2, channels]
  float *values;                       // [4, channels]
  uint64_t outer, channels, inner, slices;
  float epsilon, factor;
  uint32_t is_training;
} berth_batch_norm_params_t;

// LRN and LRNGrad. The elements of a tile, and the zeros before, between and
// behind its rows.
#define BERTH_LRN_TILE 1536

typedef struct berth_lrn_params {
  const float *in;    // Images; of the gradient too.
  const float *grad;  // Of the gradient alone, with what LRN made.
  const float *made;
  float *out;
  uint64_t count, channels, radius;
  // Where tiles are used: division by channels, and elements of whole rows.
  berth_divider_t rows;
  uint32_t of_tile;
  float bias, alpha, beta;
} berth_lrn_params_t;

#endif  // BERTH_CUDA_OPS_NORM_PARAMS_H_
