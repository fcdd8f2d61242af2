// resize.h - Images of another size: resizing, cropping, patches.
//
// Images are [batch, height, width, channels]. All fail with
// BERTH_INVALID_ARGUMENT, or the code that TensorFlow has, in its words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_RESIZE_H_
#define BERTH_OP_RESIZE_H_

#include <math.h>

#include "op/window.h"

// Height or width. Of gradients |in| is the size of the image that was resized,
// |out| that of what is given.
typedef struct berth_resize_axis {
  int64_t in, out;
  float scale;  // How far apart in the input two outputs are.
} berth_resize_axis_t;

typedef struct berth_resize {
  berth_dtype_t dtype;  // Of the image.
  int64_t batch, channels;
  berth_resize_axis_t axes[2];  // Height, width.
  bool aligns_corners;
  bool has_centers;  // A pixel is where its centre is.
} berth_resize_t;

// Check |op|, set its output and describe the work in |*out_resize|.
//
// ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic, ResizeArea.
BERTH_NODISCARD berth_code_t berth_op_resize(berth_case_t *op,
                                             berth_resize_t *out_resize,
                                             berth_error_t *err);
// ResizeBilinearGrad, ResizeBicubicGrad: input 1 is the image.
BERTH_NODISCARD berth_code_t berth_op_resize_grad(berth_case_t *op,
                                                  berth_resize_t *out_resize,
                                                  berth_error_t *err);
// ResizeNearestNeighborGrad: input 1 is the size of the image.
BERTH_NODISCARD berth_code_t berth_op_resize_nearest_grad(
    berth_case_t *op, berth_resize_t *out_resize, berth_error_t *err);

// What ScaleAndTranslate and its gradient do. Scales and shifts are known when
// it runs; of a gradient the image is what is asked for.
typedef struct berth_scaling {
  berth_dtype_t dtype;  // Of the image.
  int64_t batch, channels;
  int64_t in[2], out[2];  // Height, width.
  enum {
    BERTH_SCALE_LANCZOS,
    BERTH_SCALE_GAUSSIAN,
    BERTH_SCALE_BOX,
    BERTH_SCALE_TRIANGLE,
    BERTH_SCALE_KEYS,
    BERTH_SCALE_MITCHELL,
  } filter;
  float radius;  // Of the filter.
  bool antialias, is_gradient;
} berth_scaling_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_scale(berth_case_t *op,
                                            berth_scaling_t *out_scaling,
                                            berth_error_t *err);

// What CropAndResize and its gradients do: |boxes| of images become crops of
// |height| by |width|. Which images they are of is for the kernel to see.
typedef struct berth_crop {
  berth_dtype_t dtype;  // Of images.
  int64_t batch, in_height, in_width, channels;
  int64_t boxes, height, width;
  bool is_nearest;
  float outside;  // What is seen there.
} berth_crop_t;

// Check |op|, set its output and describe the work in |*out_crop|.
BERTH_NODISCARD berth_code_t berth_op_crop_and_resize(berth_case_t *op,
                                                      berth_crop_t *out_crop,
                                                      berth_error_t *err);
// The same for the gradient of the image, whose size is input 3,
BERTH_NODISCARD berth_code_t berth_op_crop_grad_image(berth_case_t *op,
                                                      berth_crop_t *out_crop,
                                                      berth_error_t *err);
// and for that of the boxes.
BERTH_NODISCARD berth_code_t berth_op_crop_grad_boxes(berth_case_t *op,
                                                      berth_crop_t *out_crop,
                                                      berth_error_t *err);

// What ExtractImagePatches does: the channels of an output are those of all
// taps of its window, padding as zeros.
BERTH_NODISCARD berth_code_t berth_op_image_patches(berth_case_t *op,
                                                    berth_window_t *out_window,
                                                    berth_error_t *err);

// RandomCrop: checks |op| and sets its output.
BERTH_NODISCARD berth_code_t berth_op_random_crop(berth_case_t *op,
                                                  berth_error_t *err);

#endif  // BERTH_OP_RESIZE_H_
