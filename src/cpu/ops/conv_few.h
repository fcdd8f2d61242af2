// conv_few.h - The gradient of an image of few channels.
//
// As a product over what places of the image see (conv.h) it would have as many
// columns as the image has channels: three, of vectors of sixteen. Here each
// place of the output is multiplied with all taps at once,
//
//                channels of the output           taps x channels of the image
//   places of dy [                    ]   by   [ w[tap 0]  w[tap 1]  ... ] turned
//
// and what comes of a place is added to the places of the image that it saw.
//
// Pieces are images, or bands of rows of them where these are few; a place of an
// image is added up in the same order in any case.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_CONV_FEW_H_
#define BERTH_CPU_OPS_CONV_FEW_H_

#include "kernel/kernel.h"
#include "op/conv.h"

// True for gradients of images that are better made so. Shapes alone decide.
bool berth_conv_few_fits(const berth_conv_t *conv);

// Plans |conv|, which fits.
BERTH_NODISCARD berth_code_t berth_conv_few_plan(berth_prepare_t *prepare,
                                                 const berth_conv_t *conv,
                                                 berth_error_t *err);

#endif  // BERTH_CPU_OPS_CONV_FEW_H_
