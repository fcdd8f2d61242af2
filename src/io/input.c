// input.c - The bytes of a file from front to back.
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"

enum { FIRST_BYTES = 1 << 16, PACKED_BYTES = 1 << 16 };

struct berth_input {
  char *path;
  int file;
  bool is_over;  // Nothing comes after |end|.
  // What has come and is not passed: from |begin| to |end| of |bytes|.
  char *bytes;
  size_t capacity, begin, end;
  uint64_t place;
  // Of a packed file.
  berth_packing_t packing;
  bool has_stream;  // |stream| is to be ended.
  bool is_whole;    // What was unpacked so far ends a stream.
  z_stream stream;
  unsigned char *packed;
};

berth_packing_t berth_packing_of(const char *name) {
  if (strcmp(name, "ZLIB") == 0) return BERTH_PACKING_ZLIB;
  if (strcmp(name, "GZIP") == 0) return BERTH_PACKING_GZIP;
  return BERTH_PACKING_NONE;
}

berth_code_t berth_input_error(berth_error_t *err, const char *path,
                               int number) {
  char text[128];
  berth_code_t code = BERTH_UNKNOWN;
  if (number == ENOENT) code = BERTH_NOT_FOUND;
  if (number == EACCES || number == EPERM) code = BERTH_PERMISSION_DENIED;
  if (number == EISDIR || number == ENOTDIR) code = BERTH_FAILED_PRECONDITION;
  if (number == ENOSPC || number == EMFILE || number == ENFILE ||
      number == ENOMEM) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  // The GNU variant returns the text and may leave |text| alone.
  return berth_error_set(err, code, "%s; %s", path,
                         strerror_r(number, text, sizeof(text)));
}

// ---- Opening ----

static berth_code_t open_packed(berth_input_t *input, berth_error_t *err) {
  // 15 is the largest window; 16 more asks for the frame of gzip.
  int window = input->packing == BERTH_PACKING_GZIP ? 15 + 16 : 15;
  input->packed = berth_alloc(PACKED_BYTES);
  if (input->packed == NULL || inflateInit2(&input->stream, window) != Z_OK) {
    return berth_error_no_memory(err, "a packed file");
  }
  input->has_stream = true;
  return BERTH_OK;
}

static berth_code_t open_file(berth_input_t *input, const char *path,
                              berth_error_t *err) {
  input->path = berth_strdup(path);
  if (input->path == NULL) return berth_error_no_memory(err, "a path");
  do {
    input->file = open(path, O_RDONLY | O_CLOEXEC);
  } while (input->file < 0 && errno == EINTR);
  if (input->file < 0) return berth_input_error(err, path, errno);
  if (input->packing == BERTH_PACKING_NONE) return BERTH_OK;
  return open_packed(input, err);
}

berth_code_t berth_input_open(const char *path, berth_packing_t packing,
                              berth_input_t **out_input, berth_error_t *err) {
  berth_input_t *input = berth_calloc(1, sizeof(*input));
  if (input == NULL) return berth_error_no_memory(err, "an open file");
  input->file = -1;
  input->packing = packing;
  berth_code_t code = open_file(input, path, err);
  if (code == BERTH_OK) {
    *out_input = input;
  } else {
    berth_input_close(input);
  }
  return code;
}

void berth_input_close(berth_input_t *input) {
  if (input == NULL) return;
  if (input->has_stream) (void)inflateEnd(&input->stream);
  if (input->file >= 0) (void)close(input->file);
  berth_free(input->packed);
  berth_free(input->bytes);
  berth_free(input->path);
  berth_free(input);
}

// ---- Filling ----

// Reads up to |size| bytes of the file; none at its end.
static berth_code_t read_some(berth_input_t *input, void *to, size_t size,
                              size_t *out_size, berth_error_t *err) {
  ssize_t got;
  do {
    got = read(input->file, to, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return berth_input_error(err, input->path, errno);
  *out_size = (size_t)got;
  return BERTH_OK;
}

// Unpacks some bytes to |to|; none at the end of the file, even one that is cut
// off: who looks for more says so.
static berth_code_t unpack_some(berth_input_t *input, void *to, size_t size,
                                size_t *out_size, berth_error_t *err) {
  z_stream *s = &input->stream;
  s->next_out = to;
  s->avail_out = (uInt)(size < INT_MAX ? size : INT_MAX);
  uInt room = s->avail_out;
  while (s->avail_out == room) {
    if (s->avail_in == 0) {
      size_t got = 0;
      BERTH_TRY(read_some(input, input->packed, PACKED_BYTES, &got, err));
      if (got == 0) break;
      s->next_in = input->packed;
      s->avail_in = (uInt)got;
    }
    // Files of gzip may follow each other in one.
    if (input->is_whole && inflateReset(s) != Z_OK) break;
    input->is_whole = false;
    int result = inflate(s, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      input->is_whole = true;
      if (input->packing == BERTH_PACKING_ZLIB) break;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return berth_error_set(err, BERTH_DATA_LOSS,
                             "inflate() failed with error %d: %s", result,
                             s->msg != NULL ? s->msg : "");
    }
  }
  *out_size = room - s->avail_out;
  return BERTH_OK;
}

// Makes room behind what has come.
static bool make_room(berth_input_t *input) {
  if (input->begin > 0) {
    memmove(input->bytes, input->bytes + input->begin,
            input->end - input->begin);
    input->end -= input->begin;
    input->begin = 0;
  }
  if (input->end < input->capacity) return true;
  size_t capacity = input->capacity > 0 ? 2 * input->capacity : FIRST_BYTES;
  char *bytes = berth_realloc(input->bytes, capacity, 1);
  if (bytes == NULL) return false;
  input->bytes = bytes;
  input->capacity = capacity;
  return true;
}

// Brings some more bytes, or finds the end.
static berth_code_t fill(berth_input_t *input, berth_error_t *err) {
  size_t got = 0;
  if (input->end == input->capacity && !make_room(input)) {
    return berth_error_no_memory(err, "what a file holds");
  }
  char *to = input->bytes + input->end;
  size_t room = input->capacity - input->end;
  if (input->packing == BERTH_PACKING_NONE) {
    BERTH_TRY(read_some(input, to, room, &got, err));
  } else {
    BERTH_TRY(unpack_some(input, to, room, &got, err));
  }
  input->end += got;
  input->is_over = got == 0;
  return BERTH_OK;
}

// ---- Looking and passing ----

berth_code_t berth_input_peek(berth_input_t *input, size_t size,
                              const char **out_bytes, size_t *out_size,
                              berth_error_t *err) {
  while (input->end - input->begin < size && !input->is_over) {
    BERTH_TRY(fill(input, err));
  }
  size_t has = input->end - input->begin;
  *out_bytes = input->bytes != NULL ? input->bytes + input->begin : "";
  *out_size = has < size ? has : size;
  return BERTH_OK;
}

void berth_input_pass(berth_input_t *input, size_t size) {
  input->begin += size;
  input->place += size;
  if (input->begin == input->end) input->begin = input->end = 0;
}

berth_code_t berth_input_skip(berth_input_t *input, uint64_t size,
                              uint64_t *out_size, berth_error_t *err) {
  uint64_t left = size;
  while (left > 0) {
    const char *bytes = NULL;
    size_t got = 0;
    size_t piece = left < FIRST_BYTES ? (size_t)left : FIRST_BYTES;
    BERTH_TRY(berth_input_peek(input, piece, &bytes, &got, err));
    if (got == 0) break;
    berth_input_pass(input, got);
    left -= got;
  }
  *out_size = size - left;
  return BERTH_OK;
}

berth_code_t berth_input_line(berth_input_t *input, const char **out_line,
                              size_t *out_size, berth_error_t *err) {
  size_t searched = 0;
  const char *end = NULL;
  *out_line = NULL;
  while (end == NULL) {
    size_t has = input->end - input->begin;
    if (has > searched) {
      end =
          memchr(input->bytes + input->begin + searched, '\n', has - searched);
    }
    searched = has;
    if (end != NULL || input->is_over) break;
    BERTH_TRY(fill(input, err));
  }
  const char *begin = input->bytes + input->begin;
  size_t size = end != NULL ? (size_t)(end - begin) : searched;
  if (end == NULL && size == 0) return BERTH_OK;
  berth_input_pass(input, size + (end != NULL));
  if (size > 0 && begin[size - 1] == '\r') --size;
  *out_line = begin;
  *out_size = size;
  return BERTH_OK;
}

uint64_t berth_input_place(const berth_input_t *input) { return input->place; }

bool berth_input_is_packed(const berth_input_t *input) {
  return input->packing != BERTH_PACKING_NONE;
}
