// record_file.c - Files of records, read and written.
#include "berth/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/crc.h"
#include "io/record.h"

uint32_t berth_crc32c(uint32_t before, const void *bytes, size_t size) {
  return berth_crc(before, bytes, size);
}

// ---- Reading ----

struct berth_record_reader {
  berth_input_t *input;  // Owned.
};

berth_code_t berth_record_reader_open(const char *path, const char *packing,
                                      berth_record_reader_t **out_reader,
                                      berth_error_t *err) {
  BERTH_GIVEN(path, err);
  BERTH_GIVEN(out_reader, err);
  berth_record_reader_t *reader = berth_calloc(1, sizeof(*reader));
  if (reader == NULL) return berth_error_no_memory(err, "a reader of records");
  berth_code_t code =
      berth_input_open(path, berth_packing_of(packing != NULL ? packing : ""),
                       &reader->input, err);
  if (code != BERTH_OK) {
    berth_free(reader);
    return code;
  }
  *out_reader = reader;
  return BERTH_OK;
}

berth_code_t berth_record_read(berth_record_reader_t *reader,
                               const void **out_record, size_t *out_size,
                               berth_error_t *err) {
  BERTH_GIVEN(reader, err);
  BERTH_GIVEN(out_record, err);
  BERTH_GIVEN(out_size, err);
  const char *record = NULL;
  BERTH_TRY(berth_record_next(reader->input, &record, out_size, err));
  *out_record = record;
  return BERTH_OK;
}

void berth_record_reader_close(berth_record_reader_t *reader) {
  if (reader == NULL) return;
  berth_input_close(reader->input);
  berth_free(reader);
}

// ---- Writing ----

enum { BUFFER_BYTES = 1 << 18 };

struct berth_record_writer {
  FILE *file;
  char *path;
  char *buffer;  // Of |file|.
  // Of a packed file.
  berth_packing_t packing;
  int flush;
  bool has_stream;  // |stream| is to be ended.
  z_stream stream;
  unsigned char *packed;
  unsigned char *gathered;  // Bytes that are packed together.
  size_t gathered_count;
};

static berth_code_t put(berth_record_writer_t *writer, const void *bytes,
                        size_t size, berth_error_t *err) {
  if (size == 0 || fwrite(bytes, 1, size, writer->file) == size) {
    return BERTH_OK;
  }
  return berth_input_error(err, writer->path, errno);
}

// Packs |size| bytes, as far as |flush| asks for.
static berth_code_t pack(berth_record_writer_t *writer, const void *bytes,
                         size_t size, int flush, berth_error_t *err) {
  z_stream *s = &writer->stream;
  const unsigned char *at = bytes;
  do {
    size_t piece = size < INT_MAX ? size : INT_MAX;
    int how = piece < size ? Z_NO_FLUSH : flush;
    s->next_in = (unsigned char *)(uintptr_t)at;
    s->avail_in = (uInt)piece;
    do {
      s->next_out = writer->packed;
      s->avail_out = BUFFER_BYTES;
      int result = deflate(s, how);
      if (result == Z_STREAM_ERROR) {
        return berth_error_set(err, BERTH_DATA_LOSS,
                               "deflate() failed with error %d", result);
      }
      BERTH_TRY(put(writer, writer->packed, BUFFER_BYTES - s->avail_out, err));
    } while (s->avail_out == 0);
    at += piece;
    size -= piece;
  } while (size > 0);
  return BERTH_OK;
}

static berth_code_t pack_gathered(berth_record_writer_t *writer, int flush,
                                  berth_error_t *err) {
  size_t size = writer->gathered_count;
  writer->gathered_count = 0;
  return pack(writer, writer->gathered, size, flush, err);
}

static berth_code_t append(berth_record_writer_t *writer, const void *bytes,
                           size_t size, berth_error_t *err) {
  if (writer->packing == BERTH_PACKING_NONE) {
    return put(writer, bytes, size, err);
  }
  if (writer->gathered_count + size > BUFFER_BYTES) {
    BERTH_TRY(pack_gathered(writer, writer->flush, err));
  }
  if (size > BUFFER_BYTES) {
    return pack(writer, bytes, size, writer->flush, err);
  }
  if (size > 0) memcpy(writer->gathered + writer->gathered_count, bytes, size);
  writer->gathered_count += size;
  return BERTH_OK;
}

static berth_code_t open_packer(berth_record_writer_t *writer,
                                const berth_record_options_t *options,
                                berth_error_t *err) {
  int window = options->window_bits;
  if (window == 0) window = writer->packing == BERTH_PACKING_GZIP ? 31 : 15;
  writer->packed = berth_alloc(BUFFER_BYTES);
  writer->gathered = berth_alloc(BUFFER_BYTES);
  if (writer->packed == NULL || writer->gathered == NULL) {
    return berth_error_no_memory(err, "a file");
  }
  int result = deflateInit2(&writer->stream, options->level, Z_DEFLATED, window,
                            options->mem_level != 0 ? options->mem_level : 9,
                            options->strategy);
  if (result != Z_OK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "deflateInit failed with status %d", result);
  }
  writer->has_stream = true;
  writer->flush = options->flush;
  return BERTH_OK;
}

static berth_code_t open_writer(berth_record_writer_t *writer, const char *path,
                                const berth_record_options_t *options,
                                berth_error_t *err) {
  writer->path = berth_strdup(path);
  writer->buffer = berth_alloc(BUFFER_BYTES);
  if (writer->path == NULL || writer->buffer == NULL) {
    return berth_error_no_memory(err, "a writer of records");
  }
  if (options != NULL) writer->packing = berth_packing_of(options->packing);
  if (writer->packing != BERTH_PACKING_NONE) {
    BERTH_TRY(open_packer(writer, options, err));
  }
  writer->file = fopen(path, "wbe");
  if (writer->file == NULL) return berth_input_error(err, path, errno);
  (void)setvbuf(writer->file, writer->buffer, _IOFBF, BUFFER_BYTES);
  return BERTH_OK;
}

// Closes the file as it is and frees |writer|; returns an errno.
static int drop(berth_record_writer_t *writer) {
  int number = 0;
  if (writer->has_stream) (void)deflateEnd(&writer->stream);
  if (writer->file != NULL && fclose(writer->file) != 0) number = errno;
  berth_free(writer->gathered);
  berth_free(writer->packed);
  berth_free(writer->buffer);
  berth_free(writer->path);
  berth_free(writer);
  return number;
}

berth_code_t berth_record_writer_open(const char *path,
                                      const berth_record_options_t *options,
                                      berth_record_writer_t **out_writer,
                                      berth_error_t *err) {
  BERTH_GIVEN(path, err);
  BERTH_GIVEN(out_writer, err);
  if (options != NULL) BERTH_GIVEN(options->packing, err);
  berth_record_writer_t *writer = berth_calloc(1, sizeof(*writer));
  if (writer == NULL) return berth_error_no_memory(err, "a writer of records");
  berth_code_t code = open_writer(writer, path, options, err);
  if (code != BERTH_OK) {
    (void)drop(writer);
    return code;
  }
  *out_writer = writer;
  return BERTH_OK;
}

berth_code_t berth_record_write(berth_record_writer_t *writer,
                                const void *bytes, size_t size,
                                berth_error_t *err) {
  BERTH_GIVEN(writer, err);
  BERTH_GIVEN_LIST(bytes, size, err);
  unsigned char head[BERTH_RECORD_HEAD], tail[BERTH_RECORD_TAIL];
  berth_record_frame(bytes, size, head, tail);
  BERTH_TRY(append(writer, head, sizeof(head), err));
  BERTH_TRY(append(writer, bytes, size, err));
  return append(writer, tail, sizeof(tail), err);
}

berth_code_t berth_record_writer_flush(berth_record_writer_t *writer,
                                       berth_error_t *err) {
  BERTH_GIVEN(writer, err);
  if (writer->packing != BERTH_PACKING_NONE) {
    BERTH_TRY(pack_gathered(writer, Z_PARTIAL_FLUSH, err));
  }
  if (fflush(writer->file) == 0) return BERTH_OK;
  return berth_input_error(err, writer->path, errno);
}

berth_code_t berth_record_writer_close(berth_record_writer_t *writer,
                                       berth_error_t *err) {
  if (writer == NULL) return BERTH_OK;
  berth_code_t code = BERTH_OK;
  if (writer->packing != BERTH_PACKING_NONE) {
    code = pack_gathered(writer, Z_FINISH, err);
  }
  char path[256];
  (void)snprintf(path, sizeof(path), "%s", writer->path);
  int number = drop(writer);
  if (code != BERTH_OK || number == 0) return code;
  return berth_input_error(err, path, number);
}
