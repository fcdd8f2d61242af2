// color.h - Colours of images: contrast, hue, saturation, HSV.
//
// All fail with BERTH_INVALID_ARGUMENT, or the code that TensorFlow has, in its
// words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_COLOR_H_
#define BERTH_OP_COLOR_H_

#include "op/case.h"

// What AdjustHue, AdjustSaturation, RGBToHSV and HSVToRGB do: |pixels| of three
// numbers, each by itself. AdjustContrastv2: |images| of |pixels| each, of
// |channels|, by the mean of each channel.
typedef struct berth_color {
  berth_dtype_t dtype;
  int64_t images, pixels, channels;
} berth_color_t;

// Check |op|, set its output and describe the work in |*out_color|. AdjustHue,
// AdjustSaturation and AdjustContrastv2, whose input 1 says how much;
BERTH_NODISCARD berth_code_t berth_op_adjust(berth_case_t *op,
                                             berth_color_t *out_color,
                                             berth_error_t *err);
// RGBToHSV and HSVToRGB. Pixels may be overwritten.
BERTH_NODISCARD berth_code_t berth_op_hsv(berth_case_t *op,
                                          berth_color_t *out_color,
                                          berth_error_t *err);

#endif  // BERTH_OP_COLOR_H_
