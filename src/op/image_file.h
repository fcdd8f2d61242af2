// image_file.h - Ops that read and write images as the bytes of files.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_IMAGE_FILE_H_
#define BERTH_OP_IMAGE_FILE_H_

#include "op/case.h"

// What one of the ops that read images does. All but DecodeBmp read any file of
// the other kinds; they differ in the shape of what comes out.
typedef struct berth_image_decode {
  bool is_jpeg, is_crop, is_png, is_gif, is_bmp;  // Which op it is;
  bool is_animated;                               // all frames are read.
  bool is_flat;  // DecodeImage without animations: no dimension of frames.
  berth_dtype_t dtype;
  int channels;  // 0: as the file has them.
  int ratio;
  bool is_smooth, is_patient, is_exact;
  int64_t window_rank, window_size;  // Of the input that says what to crop.
} berth_image_decode_t;

// Checks |op|, leaves its output open and describes the work.
BERTH_NODISCARD berth_code_t berth_op_decode_image(
    berth_case_t *op, berth_image_decode_t *out_decode, berth_error_t *err);

// What an op that writes images does.
typedef struct berth_image_encode {
  int64_t count, height, width, channels;  // Images, and the size of each.
  int bits;                                // Of a channel.
  int level;                               // Of a PNG's packing.
  int quality;                             // Of a JPEG; -1: an input says it.
  bool is_sparing;
  int density_unit, density[2];
  const char *note;  // The node's; |note_size| bytes.
  size_t note_size;
} berth_image_encode_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_encode_png(
    berth_case_t *op, berth_image_encode_t *out_encode, berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_encode_jpeg(
    berth_case_t *op, berth_image_encode_t *out_encode, berth_error_t *err);

// Checks ExtractJpegShape and sets its output.
BERTH_NODISCARD berth_code_t berth_op_jpeg_shape(berth_case_t *op,
                                                 berth_error_t *err);

#endif  // BERTH_OP_IMAGE_FILE_H_
