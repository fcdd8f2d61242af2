// norm.h - Normalisation of images: by batch, and by neighbouring channels.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_NORM_H_
#define BERTH_OP_NORM_H_

#include "op/case.h"

// What FusedBatchNorm, its versions and their gradients do.
//
//   y = (x - mean) / sqrt(variance + epsilon) * scale + offset
//
// for each channel: of [outer, channels, inner] elements. Where |is_training|
// mean and variance are those of the batch, else inputs.
typedef struct berth_batch_norm {
  berth_dtype_t dtype;  // Of images; the rest is float.
  int64_t outer, channels, inner;
  float epsilon;
  // How much of the running mean and variance a batch replaces; training.
  float factor;
  bool is_training;
  bool channels_first;  // |outer| is the batch alone.
} berth_batch_norm_t;

// Check |op|, set its outputs and describe the work in |*out_norm|.
//
// Outputs 1 and 2 are the running mean and variance, 3 and 4 the mean and
// variance of the batch, as the gradient wants them; where it is not trained
// all are the inputs. Those of no elements are NaN. Output 5 is 0.
BERTH_NODISCARD berth_code_t berth_op_batch_norm(berth_case_t *op,
                                                 berth_batch_norm_t *out_norm,
                                                 berth_error_t *err);
// Inputs are gradients, images, scale, mean, variance; outputs gradients of the
// image, of scale and offset, and two of no elements.
BERTH_NODISCARD berth_code_t berth_op_batch_norm_grad(
    berth_case_t *op, berth_batch_norm_t *out_norm, berth_error_t *err);

// What LRN and LRNGrad do: each of |rows| of |channels| is divided by
//
//   (bias + alpha * the sum of the squares of those |radius| around it) ^ beta
typedef struct berth_lrn {
  berth_dtype_t dtype;
  int64_t rows, channels, radius;
  float bias, alpha, beta;
} berth_lrn_t;

// Check |op|, set its output and describe the work in |*out_lrn|. Inputs of the
// gradient are gradients, images, and what LRN made of those.
BERTH_NODISCARD berth_code_t berth_op_lrn(berth_case_t *op,
                                          berth_lrn_t *out_lrn,
                                          berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_lrn_grad(berth_case_t *op,
                                               berth_lrn_t *out_lrn,
                                               berth_error_t *err);

// What BatchNormWithGlobalNormalization does: |count| numbers, the last
// dimension of which is |channels|, each with a mean, a variance, a beta and a
// gamma of its own.
typedef struct berth_global_norm {
  berth_dtype_t dtype;
  int64_t count, channels;
  float epsilon;
  bool has_scale;  // Gamma counts.
} berth_global_norm_t;

// Checks |op|, that or its gradient, sets its outputs and describes the work.
BERTH_NODISCARD berth_code_t berth_op_global_norm(berth_case_t *op,
                                                  berth_global_norm_t *out,
                                                  berth_error_t *err);

#endif  // BERTH_OP_NORM_H_
