// image_internal.h - The table of compiled kernels that the build makes.
//
// tools/imagegen writes it; image.c reads it. Constant.
#ifndef BERTH_CUDA_CODE_IMAGE_INTERNAL_H_
#define BERTH_CUDA_CODE_IMAGE_INTERNAL_H_

#include <stddef.h>

typedef struct berth_cuda_packed {
  const char *module;  // NULL ends the table.
  int chip;            // 90: machine code for sm_90; 0: PTX.
  size_t size;         // Unpacked.
  size_t packed_size;
  const unsigned char *bytes;  // As zlib compresses.
} berth_cuda_packed_t;

// Every image of the build.
extern const berth_cuda_packed_t berth_cuda_packed[];

// Says what the build left out, and why; "" when nothing.
extern const char berth_cuda_left_out[];

#endif  // BERTH_CUDA_CODE_IMAGE_INTERNAL_H_
