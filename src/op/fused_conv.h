// fused_conv.h - Convolutions of images that are resized and mirrored at their
// edges first, as tools leave them in graphs: FusedPadConv2D,
// FusedResizeAndPadConv2D.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_FUSED_CONV_H_
#define BERTH_OP_FUSED_CONV_H_

#include "op/array.h"
#include "op/conv.h"
#include "op/resize.h"

typedef struct berth_fused_conv {
  bool resizes;
  berth_resize_t resize;
  // From the resized image, input 0 of 2, to the padded one; none where nothing
  // is added.
  berth_moves_t moves;
  berth_shape_t resized, padded;
  berth_conv_t conv;  // Of the padded image, input 0, and the filter, input 1.
} berth_fused_conv_t;

// Checks |op|, sets its output and describes the work in |*out_fused|, which
// must not be copied. Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_fused_conv(berth_case_t *op,
                                                 berth_fused_conv_t *out_fused,
                                                 berth_error_t *err);

#endif  // BERTH_OP_FUSED_CONV_H_
