// resize_place.h - Where in the input an output of a resized image is.
//
// Pure functions.
#ifndef BERTH_CPU_OPS_RESIZE_PLACE_H_
#define BERTH_CPU_OPS_RESIZE_PLACE_H_

#include "cpu/loops/resize.h"
#include "op/resize.h"

// Returns where between two inputs output |i| of |axis| is.
berth_between_t berth_resize_between(const berth_resize_t *resize, int axis,
                                     int64_t i);

// Returns where among four inputs it is, and how much of each it is, by a
// cubic curve.
berth_among_t berth_resize_among(const berth_resize_t *resize, int axis,
                                 int64_t i);

// Returns the nearest input.
int64_t berth_resize_nearest(const berth_resize_t *resize, int axis, int64_t i);

#endif  // BERTH_CPU_OPS_RESIZE_PLACE_H_
