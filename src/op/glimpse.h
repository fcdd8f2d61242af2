// glimpse.h - Parts of images that chance or a program chooses: windows of
// uneven sizes, boxes, glimpses.
//
// All fail with BERTH_INVALID_ARGUMENT, or the code that TensorFlow has, in its
// words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_GLIMPSE_H_
#define BERTH_OP_GLIMPSE_H_

#include "op/case.h"

// Pooling whose windows have one of two sizes, in an order that chance chooses.
typedef struct berth_fractional {
  berth_dtype_t dtype;
  bool is_max;
  bool overlaps;          // Windows share the row and column between them.
  bool is_even;           // The order is a random one, not an even one.
  bool is_fixed;          // It is the same in all runs.
  int64_t in[4], out[4];  // Batch, rows, columns, channels.
} berth_fractional_t;

// Checks FractionalMaxPool or FractionalAvgPool, sets its outputs and describes
// the work.
BERTH_NODISCARD berth_code_t berth_op_fractional(berth_case_t *op,
                                                 berth_fractional_t *out,
                                                 berth_error_t *err);

// The same for their gradients; the output of that of averages is left open
// until the shape, input 0, is there, and |out->in| not set.
BERTH_NODISCARD berth_code_t berth_op_fractional_grad(berth_case_t *op,
                                                      berth_fractional_t *out,
                                                      berth_error_t *err);

// A box of an image that covers enough of one that is given.
typedef struct berth_distort {
  float covered;  // At least so much of one, unless an input says it.
  float aspects[2], areas[2];
  int64_t attempts;
  bool takes_image;  // Where no box is given.
} berth_distort_t;

// Checks SampleDistortedBoundingBox and its kin, sets the outputs and describes
// the work.
BERTH_NODISCARD berth_code_t berth_op_distort(berth_case_t *op,
                                              berth_distort_t *out,
                                              berth_error_t *err);

// Windows around places of images, with noise where they leave them.
typedef enum berth_noise {
  BERTH_NOISE_UNIFORM,
  BERTH_NOISE_GAUSSIAN,
  BERTH_NOISE_ZERO,
} berth_noise_t;

typedef struct berth_glimpse {
  bool is_first;  // Of the first version.
  bool is_centered, is_normalized;
  berth_noise_t noise;
  int64_t in[4], rows, columns;
} berth_glimpse_t;

// Checks ExtractGlimpse or its second version, sets the output and describes the
// work.
BERTH_NODISCARD berth_code_t berth_op_glimpse(berth_case_t *op,
                                              berth_glimpse_t *out,
                                              berth_error_t *err);

#endif  // BERTH_OP_GLIMPSE_H_
