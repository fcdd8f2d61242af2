// draw.h - Boxes drawn on images, and images seen through a projection.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_DRAW_H_
#define BERTH_OP_DRAW_H_

#include "op/case.h"

// What DrawBoundingBoxes and its second version do: edges of |boxes| of each
// image, in colours in turn; those of input 2, or ten that are known.
typedef struct berth_draw {
  berth_dtype_t dtype;
  int64_t batch, height, width, channels;
  int64_t boxes;
  int64_t colors, color_channels;  // Of input 2; none: the ten.
} berth_draw_t;

// Checks |op|, sets its output and describes the work in |*out_draw|.
BERTH_NODISCARD berth_code_t berth_op_draw(berth_case_t *op,
                                           berth_draw_t *out_draw,
                                           berth_error_t *err);

// What lies outside an image.
typedef enum berth_outside {
  BERTH_OUTSIDE_FILL,     // One value.
  BERTH_OUTSIDE_REFLECT,  // The image, turned around at its edge.
  BERTH_OUTSIDE_WRAP,     // The image again.
  BERTH_OUTSIDE_NEAREST,  // Its edge.
} berth_outside_t;

// What ImageProjectiveTransformV2 and V3 do: output (x, y) is what the image has
// at a place that eight numbers say, those of all images or of each.
typedef struct berth_project {
  berth_dtype_t dtype;
  int64_t batch, in_height, in_width, channels;
  int64_t height, width;
  bool has_many;     // Eight numbers for each image.
  bool is_bilinear;  // Else the nearest pixel is taken.
  berth_outside_t outside;
} berth_project_t;

// Checks |op|, sets its output and describes the work in |*out_project|.
BERTH_NODISCARD berth_code_t berth_op_project(berth_case_t *op,
                                              berth_project_t *out_project,
                                              berth_error_t *err);

#endif  // BERTH_OP_DRAW_H_
