// image.h - Images in files: PNG, JPEG, GIF, BMP.
//
// A reader is given the bytes of a file and a sink. It looks at the header, asks
// the sink for room for the pixels, and fills it. Pixels lie frame by frame,
// row by row, channels last.
//
// What is read gives the very bytes that TensorFlow gives; where libraries
// behind it round in a way of their own, so do these. Bytes are untrusted:
// nothing is asked for that the header does not justify, and nothing is read
// past the end.
//
// Readers fail with BERTH_INVALID_ARGUMENT, and then leave the words to their
// caller, who has TensorFlow's; with BERTH_UNIMPLEMENTED or
// BERTH_RESOURCE_EXHAUSTED and a text; and with whatever the sink fails.
//
// No state: thread-safe.
#ifndef BERTH_IO_IMAGE_IMAGE_H_
#define BERTH_IO_IMAGE_IMAGE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

// The size of an image.
typedef struct berth_image_size {
  int64_t frames;  // 1 where a file has no more.
  int64_t height;
  int64_t width;
  int64_t channels;
} berth_image_size_t;

// Where pixels go.
typedef struct berth_image_sink berth_image_sink_t;
struct berth_image_sink {
  // Stores where pixels of |size| are written; asked once.
  berth_code_t (*room)(berth_image_sink_t *sink, const berth_image_size_t *size,
                       void **out_room, berth_error_t *err);
};

// The bytes of a file. Borrowed.
typedef struct berth_image_bytes {
  const uint8_t *data;
  size_t size;
} berth_image_bytes_t;

// ---- PNG ----

// How a PNG is read.
typedef struct berth_png_options {
  int channels;   // 1 to 4; 0: as many as the file has.
  int bits;       // Of a channel: 8, or 16 in the host's order.
  bool *is_open;  // Set when the header was found to be right.
} berth_png_options_t;

// Reads a PNG.
BERTH_NODISCARD berth_code_t berth_png_read(berth_image_bytes_t file,
                                            const berth_png_options_t *options,
                                            berth_image_sink_t *sink,
                                            berth_error_t *err);

// Appends |pixels| as a PNG, with 1 to 4 channels of 8 or 16 bits, packed at
// |level| of zlib (-1: its own choice). Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_png_write(const void *pixels,
                                             const berth_image_size_t *size,
                                             int bits, int level,
                                             berth_str_t *out,
                                             berth_error_t *err);

// ---- GIF ----

// Reads the frames of a GIF, each as it is shown; the first alone unless
// |is_animated|. Appends what is wrong with a file to |why|.
BERTH_NODISCARD berth_code_t berth_gif_read(berth_image_bytes_t file,
                                            bool is_animated,
                                            berth_image_sink_t *sink,
                                            berth_str_t *why,
                                            berth_error_t *err);

// ---- JPEG ----

// How a JPEG is read.
typedef struct berth_jpeg_options {
  int channels;       // 1 or 3; 0: as many as the file has, at most 3.
  int ratio;          // 1, 2, 4 or 8: how much smaller it comes out.
  bool is_exact;      // The slower of the two transforms.
  bool is_smooth;     // Colours of fewer samples are interpolated.
  bool is_patient;    // A file that ends too early is filled up.
  bool is_cropped;    // Only a window of it is wanted:
  int32_t window[4];  // y, x, height, width.
} berth_jpeg_options_t;

// Reads a JPEG.
BERTH_NODISCARD berth_code_t
berth_jpeg_read(berth_image_bytes_t file, const berth_jpeg_options_t *options,
                berth_image_sink_t *sink, berth_error_t *err);

// Stores the height, width and number of channels that the header says.
BERTH_NODISCARD berth_code_t berth_jpeg_size(berth_image_bytes_t file,
                                             berth_image_size_t *out_size);

// How a JPEG is written.
typedef struct berth_jpeg_style {
  int quality;       // 0 to 100.
  bool is_sparing;   // Colours have a quarter of the samples.
  int density_unit;  // As the header has it.
  int density[2];
  const char *note;  // XMP metadata, and its size; 0: none.
  size_t note_size;
} berth_jpeg_style_t;

// Appends |pixels|, of 1 or 3 channels, as a JPEG. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_jpeg_write(const uint8_t *pixels,
                                              const berth_image_size_t *size,
                                              const berth_jpeg_style_t *style,
                                              berth_str_t *out,
                                              berth_error_t *err);

#endif  // BERTH_IO_IMAGE_IMAGE_H_
