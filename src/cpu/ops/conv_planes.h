// conv_planes.h - Convolutions of images whose channels come first.
//
// Images are brought into the order with channels last, in the scratch space,
// worked on so, and what comes out is brought back:
//
//   [batch, channels, places]  ->  [batch, places, channels]  ->  ...
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_CONV_PLANES_H_
#define BERTH_CPU_OPS_CONV_PLANES_H_

#include "kernel/kernel.h"
#include "op/conv.h"

// Plans a convolution with channels last.
typedef berth_code_t (*berth_conv_plan_fn)(berth_prepare_t *prepare,
                                           const berth_conv_t *conv,
                                           berth_error_t *err);

// Plans |conv|, whose channels come first, by |plan|.
BERTH_NODISCARD berth_code_t berth_conv_planes_plan(berth_prepare_t *prepare,
                                                    const berth_conv_t *conv,
                                                    berth_conv_plan_fn plan,
                                                    berth_error_t *err);

#endif  // BERTH_CPU_OPS_CONV_PLANES_H_
