// image.h - Berth's compiled kernels, which are in a file of their own.
//
// libberth-cuda.so holds nothing but them. It lies beside libberth and is
// opened when a card is first used, so that programs without one do not carry
// it.
#ifndef BERTH_CUDA_CODE_IMAGE_H_
#define BERTH_CUDA_CODE_IMAGE_H_

#include "base/error.h"

// Stores code of |module| (the stem of a .cu file) for a card of that compute
// capability: machine code where the build has it, else PTX text that the
// driver compiles; the text, whatever else there is, for 0.0. The caller frees it with berth_free(). BERTH_UNAVAILABLE
// where the file cannot be opened, BERTH_NOT_FOUND for a module that it lacks,
// saying what the build left out; the software GPU has its own kernels and gets
// by without, but not where text is asked for. Unpacks it anew each time: keep what the driver makes of it.
// Thread-safe.
BERTH_NODISCARD berth_code_t berth_cuda_image(const char *module, int cc_major,
                                              int cc_minor, void **out_image,
                                              berth_error_t *err);

#endif  // BERTH_CUDA_CODE_IMAGE_H_
