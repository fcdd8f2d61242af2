// conv_scatter.h - The gradient of an image, added up where windows were.
//
// As a product over what places of the image see (conv.h) the gradient has as
// many columns as the image has channels, which are three of a vector's sixteen
// where it is a picture; and where windows are large and few, as in a filter
// that is as large as the image, most of what a place sees lies outside. Here
// each place of the output is multiplied with the taps,
//
//                channels of the output           taps x channels of the image
//   places of dy [                    ]   by   [ w[tap 0]  w[tap 1]  ... ] turned
//
// a block of them at a time, and what comes of a place is added to the places of
// the image that it saw.
//
// Pieces are images, several where their outputs are small, or bands of rows of
// an image where there are few; a place of an image is added up in the same
// order in any case.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_CONV_SCATTER_H_
#define BERTH_CPU_OPS_CONV_SCATTER_H_

#include "kernel/kernel.h"
#include "op/conv.h"

// Returns how many times the work it would be to make the gradient as a product
// over what places of the image see; 0 where it is none that can be made so.
// Shapes alone decide.
double berth_conv_scatter_gain(const berth_conv_t *conv);

// Plans |conv|, which gains by it.
BERTH_NODISCARD berth_code_t berth_conv_scatter_plan(berth_prepare_t *prepare,
                                                     const berth_conv_t *conv,
                                                     berth_error_t *err);

#endif  // BERTH_CPU_OPS_CONV_SCATTER_H_
