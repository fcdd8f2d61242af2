// npy.h - .npy files in memory.
//
// The public half, files on disk, is in berth/tensor.h.
#ifndef BERTH_IO_NPY_H_
#define BERTH_IO_NPY_H_

#include "base/error.h"
#include "berth/tensor.h"

// Reads a tensor from the |size| bytes of a .npy file. What the header claims
// is compared with |size| before anything is allocated. BERTH_INVALID_ARGUMENT
// for what is no .npy file, BERTH_UNIMPLEMENTED for types that no tensor has,
// BERTH_DATA_LOSS for a file that ends too early.
BERTH_NODISCARD berth_code_t berth_npy_decode(const void *bytes, size_t size,
                                              berth_tensor_t **out_tensor,
                                              berth_error_t *err);

#endif  // BERTH_IO_NPY_H_
