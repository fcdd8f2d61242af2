// image_internal.h - The table of compiled kernels that the build makes.
//
// tools/imagegen writes it, as libberth-cuda.so; image.c reads it. Constant.
#ifndef BERTH_CUDA_CODE_IMAGE_INTERNAL_H_
#define BERTH_CUDA_CODE_IMAGE_INTERNAL_H_

#include <stddef.h>

#include "base/error.h"

typedef struct berth_cuda_packed {
  const char *module;  // NULL ends the table.
  int chip;            // 90: machine code for sm_90; 0: PTX.
  size_t size;         // Unpacked.
  size_t packed_size;
  const unsigned char *bytes;  // As zlib compresses.
} berth_cuda_packed_t;

// What the file exports.
#define BERTH_CUDA_IMAGES __attribute__((visibility("default")))
// Every image of the build.
extern BERTH_CUDA_IMAGES const berth_cuda_packed_t berth_cuda_packed[];
// Says what the build left out, and why; "" when nothing.
extern BERTH_CUDA_IMAGES const char berth_cuda_left_out[];

// Opens the file, if it is not open yet, and stores where these are. Fails with
// BERTH_UNAVAILABLE. Thread-safe.
BERTH_NODISCARD berth_code_t
berth_cuda_images_open(const berth_cuda_packed_t **out_packed,
                       const char **out_left_out, berth_error_t *err);

#endif  // BERTH_CUDA_CODE_IMAGE_INTERNAL_H_
