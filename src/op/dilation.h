// dilation.h - Dilations of images: the largest sum of a window and a filter.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_DILATION_H_
#define BERTH_OP_DILATION_H_

#include "op/window.h"

typedef struct berth_dilation {
  int64_t batch, depth;
  berth_window_axis_t axes[2];  // Rows, columns.
} berth_dilation_t;

// Checks |op|: Dilation2D or one of its gradients; sets its output and describes
// the work.
BERTH_NODISCARD berth_code_t berth_op_dilation(berth_case_t *op,
                                               berth_dilation_t *out_dilation,
                                               berth_error_t *err);

#endif  // BERTH_OP_DILATION_H_
