// npy.c - Reading .npy files.
//
// 1. The prelude says how long the header is, the header what the data are.
// 2. What they need is compared with the size of the file.
// 3. Elements are read where they belong: numbers into the tensor itself, in
//    one piece when their order is the tensor's; strings one by one.
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/file_error.h"
#include "io/npy_header.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

// Where bytes come from: memory or a file.
typedef struct reader {
  const uint8_t *bytes;  // NULL: |fd|.
  int fd;
  uint64_t left;
} reader_t;

// Reads exactly |size| bytes. BERTH_DATA_LOSS when there are fewer.
static berth_code_t reader_get(reader_t *reader, void *to, uint64_t size,
                               berth_error_t *err) {
  if (size > reader->left) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "the file is cut off: %llu more bytes were expected "
                           "and %llu are there",
                           (unsigned long long)size,
                           (unsigned long long)reader->left);
  }
  reader->left -= size;
  if (reader->bytes != NULL) {
    if (size > 0) memcpy(to, reader->bytes, (size_t)size);
    reader->bytes += size;
    return BERTH_OK;
  }
  for (uint64_t done = 0; done < size;) {
    ssize_t got = read(reader->fd, (char *)to + done, (size_t)(size - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return berth_file_error(err, errno, "reading failed");
    if (got == 0) {
      return berth_error_set(err, BERTH_DATA_LOSS,
                             "the file became shorter while it was read");
    }
    done += (uint64_t)got;
  }
  return BERTH_OK;
}

static berth_code_t read_header(reader_t *reader, berth_npy_header_t *header,
                                berth_error_t *err) {
  uint8_t prelude[BERTH_NPY_PRELUDE] = {0}, length[4] = {0};
  int length_bytes = 0;
  char *text = NULL;
  if (reader->left < sizeof(prelude)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "not a .npy file: it has only %llu bytes",
                           (unsigned long long)reader->left);
  }
  BERTH_TRY(reader_get(reader, prelude, sizeof(prelude), err));
  BERTH_TRY(berth_npy_prelude(prelude, &length_bytes, err));
  BERTH_TRY(reader_get(reader, length, (uint64_t)length_bytes, err));
  size_t size = (size_t)length[0] | (size_t)length[1] << 8 |
                (size_t)length[2] << 16 | (size_t)length[3] << 24;
  if (size > BERTH_NPY_HEADER_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a header of %zu bytes; at most %d are read", size,
                           BERTH_NPY_HEADER_MAX);
  }
  text = berth_alloc(size + 1);
  if (text == NULL) return berth_error_no_memory(err, "a header");
  berth_code_t code = reader_get(reader, text, size, err);
  if (code == BERTH_OK) code = berth_npy_header_parse(text, size, header, err);
  berth_free(text);
  return code;
}

// Compares what the header claims with what is there.
static berth_code_t check_size(const reader_t *reader,
                               const berth_npy_header_t *header,
                               int64_t *out_count, berth_error_t *err) {
  int64_t count = 0;
  uint64_t needed = 0;
  berth_dims_t dims = berth_shape_dims(&header->shape);
  BERTH_TRY(berth_dims_check(dims, &count, err));
  bool is_absurd =
      __builtin_mul_overflow((uint64_t)count, header->item_bytes, &needed);
  if (is_absurd || needed > reader->left) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "the file is cut off: shape %s needs %lld elements "
                           "of %llu bytes and %llu bytes are there",
                           berth_dims_text(dims, text), (long long)count,
                           (unsigned long long)header->item_bytes,
                           (unsigned long long)reader->left);
  }
  // Empty texts take no bytes in the file but some in the tensor.
  if (header->item_bytes == 0 && count > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "malformed header: %lld elements of no bytes",
                           (long long)count);
  }
  *out_count = count;
  return BERTH_OK;
}

// ---- Order of elements ----

// Where the next element of the file goes: its row-by-row index.
typedef struct order {
  const berth_npy_header_t *header;
  int64_t offset;
  int64_t index[BERTH_MAX_RANK];
  int64_t stride[BERTH_MAX_RANK];
} order_t;

static void order_begin(order_t *order, const berth_npy_header_t *header) {
  order->header = header;
  order->offset = 0;
  int64_t stride = 1;
  for (int32_t i = header->shape.rank - 1; i >= 0; --i) {
    order->index[i] = 0;
    order->stride[i] = stride;
    stride *= header->shape.dims[i];
  }
}

static void order_next(order_t *order) {
  if (!order->header->is_fortran) {
    ++order->offset;
    return;
  }
  const berth_shape_t *shape = &order->header->shape;
  for (int32_t i = 0; i < shape->rank; ++i) {
    order->offset += order->stride[i];
    if (++order->index[i] < shape->dims[i]) return;
    order->offset -= order->index[i] * order->stride[i];
    order->index[i] = 0;
  }
}

// ---- Numbers ----

static void swap_bytes(uint8_t *data, size_t size, size_t word) {
  for (size_t i = 0; i < size; i += word) {
    for (size_t j = 0; j < word / 2; ++j) {
      uint8_t byte = data[i + j];
      data[i + j] = data[i + word - 1 - j];
      data[i + word - 1 - j] = byte;
    }
  }
}

// Puts the numbers of |file|, first index fastest, into |tensor|.
static void scatter(berth_tensor_t *tensor, const berth_npy_header_t *header,
                    const uint8_t *file) {
  size_t word = berth_dtype_size(tensor->dtype);
  uint8_t *data = tensor->data;
  order_t order;
  order_begin(&order, header);
  for (int64_t i = 0; i < tensor->count; ++i) {
    memcpy(data + (size_t)order.offset * word, file + (size_t)i * word, word);
    order_next(&order);
  }
}

static berth_code_t read_numbers(reader_t *reader,
                                 const berth_npy_header_t *header,
                                 berth_tensor_t *tensor, berth_error_t *err) {
  uint8_t *file = tensor->data;
  bool is_moved = header->is_fortran && header->shape.rank > 1;
  if (is_moved) {
    file = berth_alloc(tensor->size);
    if (file == NULL) return berth_error_no_memory(err, "a column-major array");
  }
  berth_code_t code = reader_get(reader, file, tensor->size, err);
  if (code != BERTH_OK) goto done;
  bool is_complex =
      tensor->dtype == BERTH_COMPLEX64 || tensor->dtype == BERTH_COMPLEX128;
  size_t word = berth_dtype_size(tensor->dtype) / (is_complex ? 2 : 1);
  if (header->is_big_endian) swap_bytes(file, tensor->size, word);
  if (tensor->dtype == BERTH_BOOL) {
    for (size_t i = 0; i < tensor->size; ++i) file[i] = file[i] != 0;
  }
  if (is_moved) scatter(tensor, header, file);
done:
  if (is_moved) berth_free(file);
  return code;
}

// ---- Strings ----

// Appends |c| as UTF-8; false when it is no character.
static bool put_utf8(berth_str_t *str, uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
  if (c < 0x80) {
    berth_str_putc(str, (char)c);
    return true;
  }
  // The first byte says how many follow, each with six bits.
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint32_t leads[] = {0, 0xc0, 0xe0, 0xf0};
  berth_str_putc(str, (char)(leads[more] | c >> (6 * more)));
  while (more-- > 0) {
    berth_str_putc(str, (char)(0x80 | ((c >> (6 * more)) & 0x3f)));
  }
  return true;
}

static uint32_t read_word(const uint8_t *bytes, bool is_big_endian) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= (uint32_t)bytes[i] << 8 * (is_big_endian ? 3 - i : i);
  }
  return word;
}

// Turns an element of four-byte characters into UTF-8.
static berth_code_t decode_unicode(const berth_npy_header_t *header,
                                   const uint8_t *item, size_t size,
                                   berth_str_t *str, berth_error_t *err) {
  str->size = 0;
  for (size_t i = 0; i < size; i += 4) {
    uint32_t c = read_word(item + i, header->is_big_endian);
    if (!put_utf8(str, c)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "U+%04X is not a character", (unsigned)c);
    }
  }
  if (!berth_str_ok(str)) return berth_error_no_memory(err, "a string");
  return BERTH_OK;
}

// Stores one element of the file; zeros at its end are padding.
static berth_code_t put_string(const berth_npy_header_t *header,
                               const uint8_t *item, berth_str_t *utf8,
                               berth_tensor_t *tensor, int64_t index,
                               berth_error_t *err) {
  size_t size = (size_t)header->item_bytes;
  while (size > 0 && item[size - 1] == 0) --size;
  if (!header->is_unicode) {
    return berth_tensor_set_string(tensor, index, (const char *)item, size,
                                   err);
  }
  size = (size + 3) / 4 * 4;
  BERTH_TRY(decode_unicode(header, item, size, utf8, err));
  return berth_tensor_set_string(tensor, index, berth_str_get(utf8), utf8->size,
                                 err);
}

static berth_code_t read_strings(reader_t *reader,
                                 const berth_npy_header_t *header,
                                 berth_tensor_t *tensor, berth_error_t *err) {
  if (tensor->count == 0) return BERTH_OK;
  uint8_t *item = berth_alloc((size_t)header->item_bytes);
  if (item == NULL) return berth_error_no_memory(err, "a string");
  berth_str_t utf8 = {0};
  berth_code_t code = BERTH_OK;
  order_t order;
  order_begin(&order, header);
  for (int64_t i = 0; i < tensor->count && code == BERTH_OK; ++i) {
    code = reader_get(reader, item, header->item_bytes, err);
    if (code != BERTH_OK) break;
    code = put_string(header, item, &utf8, tensor, order.offset, err);
    order_next(&order);
  }
  berth_str_clear(&utf8);
  berth_free(item);
  return code;
}

// ---- Files ----

static berth_code_t read_tensor(reader_t *reader, berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  berth_npy_header_t header;
  int64_t count = 0;
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(read_header(reader, &header, err));
  BERTH_TRY(check_size(reader, &header, &count, err));
  BERTH_TRY(berth_tensor_create(header.dtype, berth_shape_dims(&header.shape),
                                &tensor, err));
  berth_code_t code = header.dtype == BERTH_STRING
                          ? read_strings(reader, &header, tensor, err)
                          : read_numbers(reader, &header, tensor, err);
  if (code != BERTH_OK) {
    berth_tensor_release(tensor);
    return code;
  }
  *out_tensor = tensor;
  return BERTH_OK;
}

berth_code_t berth_npy_decode(const void *bytes, size_t size,
                              berth_tensor_t **out_tensor, berth_error_t *err) {
  static const uint8_t nothing[1] = {0};
  reader_t reader = {bytes != NULL ? bytes : nothing, -1, size};
  return read_tensor(&reader, out_tensor, err);
}

static berth_code_t load(const char *path, berth_tensor_t **out_tensor,
                         berth_error_t *err) {
  // A pipe must not block here: it is refused below.
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return berth_file_error(err, errno, "it cannot be opened");
  struct stat info;
  berth_code_t code = BERTH_OK;
  if (fstat(fd, &info) != 0) {
    code = berth_file_error(err, errno, "its size is unknown");
  } else if (!S_ISREG(info.st_mode)) {
    code = berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        S_ISDIR(info.st_mode) ? "it is a directory" : "it is not a plain file");
  } else {
    reader_t reader = {NULL, fd, (uint64_t)info.st_size};
    code = read_tensor(&reader, out_tensor, err);
  }
  close(fd);
  return code;
}

berth_code_t berth_tensor_load_npy(const char *path,
                                   berth_tensor_t **out_tensor,
                                   berth_error_t *err) {
  BERTH_GIVEN(path, err);
  BERTH_GIVEN(out_tensor, err);
  berth_code_t code = load(path, out_tensor, err);
  if (code == BERTH_OK) return code;
  berth_error_prepend(err, "Cannot read '%s': ", path);
  return code;
}
