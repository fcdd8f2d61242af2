// npy_header.h - The header of a .npy file.
//
//   \x93NUMPY major minor size {'descr': '<f4', 'fortran_order': False, ...}\n
//
// The dictionary is Python source; it is read by a small parser for exactly
// the three keys it must have, in any order, and nothing is ever evaluated.
//
// Pure functions on caller storage.
#ifndef BERTH_IO_NPY_HEADER_H_
#define BERTH_IO_NPY_HEADER_H_

#include "base/error.h"
#include "base/str.h"
#include "berth/types.h"

// The magic text and the version; the size follows, of 2 or 4 bytes.
#define BERTH_NPY_PRELUDE 8

// Longest header that is read. numpy itself stops at 10,000 bytes.
#define BERTH_NPY_HEADER_MAX 65535

typedef struct berth_npy_header {
  berth_dtype_t dtype;  // BERTH_STRING for both kinds of text.
  bool is_big_endian;
  bool is_unicode;      // Text of four bytes a character.
  bool is_fortran;      // The first index moves fastest.
  uint64_t item_bytes;  // Of one element in the file.
  berth_shape_t shape;
} berth_npy_header_t;

// Reads the first BERTH_NPY_PRELUDE bytes and stores how many bytes the size of
// the header takes. BERTH_INVALID_ARGUMENT when this is no .npy file,
// BERTH_UNIMPLEMENTED for an unknown version.
BERTH_NODISCARD berth_code_t berth_npy_prelude(const uint8_t *bytes,
                                               int *out_size_bytes,
                                               berth_error_t *err);

// Reads the dictionary. BERTH_INVALID_ARGUMENT when it is malformed,
// BERTH_UNIMPLEMENTED for types that no tensor has.
BERTH_NODISCARD berth_code_t berth_npy_header_parse(const char *text,
                                                    size_t size,
                                                    berth_npy_header_t *header,
                                                    berth_error_t *err);

// Appends everything that comes before the data, byte by byte as numpy does.
// |item_bytes| counts for strings only. BERTH_UNIMPLEMENTED for types that
// numpy does not have.
BERTH_NODISCARD berth_code_t berth_npy_header_print(berth_dtype_t dtype,
                                                    berth_dims_t shape,
                                                    size_t item_bytes,
                                                    berth_str_t *str,
                                                    berth_error_t *err);

#endif  // BERTH_IO_NPY_HEADER_H_
