// record.h - Files of records, TFRecord: each with its length, and checksums of
// both.
//
//   code = berth_record_writer_open("a.tfrecord", NULL, &writer, &err);
//   if (code == BERTH_OK) code = berth_record_write(writer, bytes, size, &err);
//   if (code == BERTH_OK) code = berth_record_writer_close(writer, &err);
//
// Errors have TensorFlow's texts. Threads: caller serialises.
#ifndef BERTH_RECORD_H_
#define BERTH_RECORD_H_

#include <stddef.h>
#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_record_reader berth_record_reader_t;
typedef struct berth_record_writer berth_record_writer_t;

// How a file is written. Numbers are those of zlib; 0 is zlib's own choice for
// all but |level|, of which that is none.
typedef struct berth_record_options {
  size_t struct_size;   // sizeof(berth_record_options_t).
  const char *packing;  // "", "ZLIB" or "GZIP".
  int level;            // -1: zlib's own.
  int window_bits;      // 0: 15, and 16 more for GZIP.
  int mem_level;        // 0: 9.
  int strategy;
  int flush;  // How 256 KiB at a time are handed to zlib.
} berth_record_options_t;

#define BERTH_RECORD_OPTIONS_INIT \
  { sizeof(berth_record_options_t), "", -1, 0, 0, 0, 0 }

// Opens a file of records. |packing| is "", "ZLIB" or "GZIP"; NULL: "". Fails
// with BERTH_NOT_FOUND and what else the system says.
BERTH_API BERTH_NODISCARD berth_code_t berth_record_reader_open(
    const char *path, const char *packing, berth_record_reader_t **out_reader,
    berth_error_t *err);

// Stores the next record, borrowed until the next call; NULL at the end of the
// file. Fails with BERTH_DATA_LOSS for a record that is cut off or changed, and
// for what does not unpack.
BERTH_API BERTH_NODISCARD berth_code_t
berth_record_read(berth_record_reader_t *reader, const void **out_record,
                  size_t *out_size, berth_error_t *err);

// Closes a file. NULL is fine.
BERTH_API void berth_record_reader_close(berth_record_reader_t *reader);

// Begins a file, replacing one that is there. |options| NULL: plain. Fails with
// BERTH_INVALID_ARGUMENT for what zlib refuses, and what the system says.
BERTH_API BERTH_NODISCARD berth_code_t berth_record_writer_open(
    const char *path, const berth_record_options_t *options,
    berth_record_writer_t **out_writer, berth_error_t *err);

// Appends a record; |bytes| may be NULL when |size| is 0. Fails with what the
// system says.
BERTH_API BERTH_NODISCARD berth_code_t
berth_record_write(berth_record_writer_t *writer, const void *bytes,
                   size_t size, berth_error_t *err);

// Hands to the system what was written. Fails as berth_record_write() does.
BERTH_API BERTH_NODISCARD berth_code_t
berth_record_writer_flush(berth_record_writer_t *writer, berth_error_t *err);

// Ends the file, and frees |writer| also on failure. NULL is fine.
BERTH_API BERTH_NODISCARD berth_code_t
berth_record_writer_close(berth_record_writer_t *writer, berth_error_t *err);

// Returns the checksum CRC-32C of bytes that follow others whose checksum is
// |before|; 0 at the beginning.
BERTH_API uint32_t berth_crc32c(uint32_t before, const void *bytes,
                                size_t size);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_RECORD_H_
