// input.h - The bytes of a file from front to back, as they are or unpacked.
//
//   file -> [packed bytes -> inflate] -> [ seen | next bytes ...     ]
//                                               ^ place
//
// What is next is looked at where it lies, and then passed: a record is copied
// once, by who keeps it. The buffer grows only as far as bytes have come, so a
// file that claims a long record costs no more than it holds.
//
// Errors have TensorFlow's texts. Threads: caller serialises.
#ifndef BERTH_IO_INPUT_H_
#define BERTH_IO_INPUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct berth_input berth_input_t;

// How the bytes of a file are packed.
typedef enum berth_packing {
  BERTH_PACKING_NONE = 0,
  BERTH_PACKING_ZLIB,
  BERTH_PACKING_GZIP,
} berth_packing_t;

// Returns the packing that TensorFlow calls |name|: "ZLIB", "GZIP"; none for
// every other.
berth_packing_t berth_packing_of(const char *name);

// Describes the failure |number| (an errno) of |path|, in TensorFlow's words.
berth_code_t berth_input_error(berth_error_t *err, const char *path,
                               int number);

// Opens the file at |path|. Fails with BERTH_NOT_FOUND and what else the system
// says.
BERTH_NODISCARD berth_code_t berth_input_open(const char *path,
                                              berth_packing_t packing,
                                              berth_input_t **out_input,
                                              berth_error_t *err);
// Closes it. NULL is fine.
void berth_input_close(berth_input_t *input);

// Stores where the next bytes lie and how many of |size| there are: fewer at the
// end of the file. Borrowed until the next call. Fails with what the system
// says, and BERTH_DATA_LOSS for what does not unpack.
BERTH_NODISCARD berth_code_t berth_input_peek(berth_input_t *input, size_t size,
                                              const char **out_bytes,
                                              size_t *out_size,
                                              berth_error_t *err);

// Passes |size| bytes, which peek has shown.
void berth_input_pass(berth_input_t *input, size_t size);

// Passes up to |size| bytes and stores how many there were. Fails as peek does.
BERTH_NODISCARD berth_code_t berth_input_skip(berth_input_t *input,
                                              uint64_t size, uint64_t *out_size,
                                              berth_error_t *err);

// Stores the next line, without its end (\n; a \r before it counts as part of
// the end), and passes it; NULL at the end of the file. Borrowed until the next
// call. Fails as peek does.
BERTH_NODISCARD berth_code_t berth_input_line(berth_input_t *input,
                                              const char **out_line,
                                              size_t *out_size,
                                              berth_error_t *err);

// Returns how many bytes have been passed.
uint64_t berth_input_place(const berth_input_t *input);

// True when the file is packed.
bool berth_input_is_packed(const berth_input_t *input);

#endif  // BERTH_IO_INPUT_H_
