// winograd.h - Convolutions by tiles, where they take fewer multiplications.
//
// Windows of 3 x 3 and 5 x 5 that move by one place: see cpu/loops/winograd.h. Where
// their taps are apart, places that are as far apart are images of their own.
// Blocks of tiles are worked on one after the other, each in its 36 points:
//
//   tiles x channels (of the image, in a point)  by  the filter in that point
//
// Results differ from those of sums over taps in last bits, by about as much as
// other orders of summing do.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_WINOGRAD_H_
#define BERTH_CPU_OPS_WINOGRAD_H_

#include "kernel/kernel.h"
#include "op/conv.h"

// True for convolutions that are better done by tiles. Shapes decide, and whether
// the filter is a constant, which is brought into form once.
bool berth_winograd_fits(const berth_conv_t *conv, bool is_fixed);

// Plans |conv|, which fits.
BERTH_NODISCARD berth_code_t berth_winograd_plan(berth_prepare_t *prepare,
                                                 const berth_conv_t *conv,
                                                 berth_error_t *err);

#endif  // BERTH_CPU_OPS_WINOGRAD_H_
