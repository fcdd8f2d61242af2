// summary.h - Ops that describe values for TensorBoard: messages of numbers.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_SUMMARY_H_
#define BERTH_OP_SUMMARY_H_

#include "op/case.h"

// Images of a summary.
typedef struct berth_image_summary {
  int64_t count, height, width, channels;  // Of those that are kept.
  bool is_single;                          // Its tag has no number.
  unsigned char bad_color[4];              // Of pixels that are no numbers.
} berth_image_summary_t;

// Sound of a summary.
typedef struct berth_audio_summary {
  int64_t count, frames, channels;  // Of those that are kept.
  bool is_single;                   // Its tag has no number.
} berth_audio_summary_t;

// Check an op and set its output.
BERTH_NODISCARD berth_code_t berth_op_scalar_summary(berth_case_t *op,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_histogram_summary(berth_case_t *op,
                                                        berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_merge_summary(berth_case_t *op,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_image_summary(
    berth_case_t *op, berth_image_summary_t *out_images, berth_error_t *err);

// Check one of sound, or of a tensor, and set its output.
BERTH_NODISCARD berth_code_t berth_op_audio_summary(
    berth_case_t *op, berth_audio_summary_t *out_audio, berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_tensor_summary(berth_case_t *op,
                                                     berth_error_t *err);

// Describe images and sound of a shape, at most |most| of them. Fail as the ops
// do; the color of bad pixels is red.
BERTH_NODISCARD berth_code_t
berth_summary_images(berth_dims_t dims, int64_t most,
                     berth_image_summary_t *out_images, berth_error_t *err);
BERTH_NODISCARD berth_code_t
berth_summary_audio(berth_dims_t dims, int64_t most,
                    berth_audio_summary_t *out_audio, berth_error_t *err);

#endif  // BERTH_OP_SUMMARY_H_
