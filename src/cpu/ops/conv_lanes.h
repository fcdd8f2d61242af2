// conv_lanes.h - Convolutions whose channels are in small groups.
//
// As products (conv.h) each group would be a matrix of few columns. Here what
// places see is brought into lanes (cpu/loops/lanes.h), as many channels of the
// goal at a time as a vector has:
//
//   1. the filter is brought into the same form
//   2. a band of an image is, with zeros around it
//   3. rows of places are summed over taps; the gradient of the filter is summed
//      over places
//
// Types of 16 bits are computed as float and rounded once. Pieces depend on
// shapes alone.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_CONV_LANES_H_
#define BERTH_CPU_OPS_CONV_LANES_H_

#include "kernel/kernel.h"
#include "op/conv.h"

// True for convolutions that are better done so. Shapes alone decide.
bool berth_conv_lanes_fits(const berth_conv_t *conv);

// Plans |conv|, which fits.
BERTH_NODISCARD berth_code_t berth_conv_lanes_plan(berth_prepare_t *prepare,
                                                   const berth_conv_t *conv,
                                                   berth_error_t *err);

#endif  // BERTH_CPU_OPS_CONV_LANES_H_
