// pool.h - Pooling: the largest or the mean of every window over an image, and
// the gradients of that.
//
// All fail with BERTH_INVALID_ARGUMENT, or BERTH_UNIMPLEMENTED where TensorFlow
// does, in TensorFlow's words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_POOL_H_
#define BERTH_OP_POOL_H_

#include "op/window.h"

// What an op of the family does.
//
// A window over channels (MaxPool alone) is one over the last dimension of an
// image of one channel, with all that comes before it as the batch.
typedef struct berth_pooling {
  berth_dtype_t dtype;
  berth_window_t window;     // |in| is never smaller than what taps reach.
  berth_dtype_t index_type;  // Of MaxPoolWithArgmax and its gradient.
  bool counts_batch;         // Their indices go on from image to image.
  enum {
    BERTH_POOL_FIRST,      // Gradients go to the first of the largest;
    BERTH_POOL_EQUAL,      // to all elements that are what was found;
    BERTH_POOL_GRAD_GRAD,  // come from the first that is; 0 where none is.
  } joins;                 // Of gradients of the largest.
} berth_pooling_t;

// Fails as TensorFlow's kernels of the CPU do where channels come first: those
// of MaxPool3DGradGrad do not. For kernels that have no code for that; asked
// before the family.
BERTH_NODISCARD berth_code_t
berth_op_pool_needs_channels_last(const berth_case_t *op, berth_error_t *err);

// Check |op|, set its outputs and describe the work in |*out_pool|. An output
// without elements is no work.
//
// MaxPool, MaxPoolV2, MaxPool3D; AvgPool, AvgPool3D.
BERTH_NODISCARD berth_code_t berth_op_pool(berth_case_t *op,
                                           berth_pooling_t *out_pool,
                                           berth_error_t *err);
// MaxPoolWithArgmax: where in its image, or in the batch, the first of the
// largest is.
BERTH_NODISCARD berth_code_t berth_op_pool_argmax(berth_case_t *op,
                                                  berth_pooling_t *out_pool,
                                                  berth_error_t *err);
// MaxPoolGrad, MaxPoolGradV2, MaxPool3DGrad: inputs are the image, what was
// found, and gradients. MaxPoolGradGrad, MaxPoolGradGradV2, MaxPool3DGradGrad:
// the same with gradients of the image.
BERTH_NODISCARD berth_code_t berth_op_max_pool_grad(berth_case_t *op,
                                                    berth_pooling_t *out_pool,
                                                    berth_error_t *err);
// AvgPoolGrad, AvgPool3DGrad: inputs are the shape of the image, and gradients,
// which each element of a window gets an equal part of.
BERTH_NODISCARD berth_code_t berth_op_avg_pool_grad(berth_case_t *op,
                                                    berth_pooling_t *out_pool,
                                                    berth_error_t *err);
// MaxPoolGradWithArgmax: input 2 says where gradients go; and where those of
// MaxPoolGradGradWithArgmax, of the image, come from. Whether that is in
// the image is for the kernel to see.
BERTH_NODISCARD berth_code_t berth_op_max_pool_grad_argmax(
    berth_case_t *op, berth_pooling_t *out_pool, berth_error_t *err);

#endif  // BERTH_OP_POOL_H_
