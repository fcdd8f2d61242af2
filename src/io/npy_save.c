// npy_save.c - Writing .npy files.
//
// The file is written under another name beside its place and renamed when it
// is whole, so that nobody ever sees half of one and an old file stands until
// then. What is no plain file (a pipe, /dev/stdout) is written to directly.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/file_error.h"
#include "io/npy.h"
#include "io/npy_header.h"
#include "tensor/tensor.h"

// Returns the bytes that each string takes in the file: as many as the longest
// has. Fails for strings that end in a NUL, which reading would take off.
static berth_code_t string_bytes(const berth_tensor_t *tensor,
                                 size_t *out_bytes, berth_error_t *err) {
  size_t longest = 1;
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(tensor, i, &size);
    if (size > 0 && text[size - 1] == '\0') {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "string %lld ends in a zero byte, which .npy "
                             "files cannot hold",
                             (long long)i);
    }
    if (size > longest) longest = size;
  }
  *out_bytes = longest;
  return BERTH_OK;
}

static bool write_strings(FILE *file, const berth_tensor_t *tensor,
                          size_t item_bytes) {
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(tensor, i, &size);
    if (fwrite(text, 1, size, file) != size) return false;
    for (; size < item_bytes; ++size) {
      if (putc('\0', file) == EOF) return false;
    }
  }
  return true;
}

// Writes header and data and closes |fd| in any case.
static berth_code_t write_all(int fd, const berth_tensor_t *tensor,
                              const berth_str_t *header, size_t item_bytes,
                              berth_error_t *err) {
  FILE *file = fdopen(fd, "wb");
  if (file == NULL) {
    int number = errno;
    close(fd);
    return berth_file_error(err, number, "it cannot be written");
  }
  bool is_written = fwrite(header->text, 1, header->size, file) == header->size;
  if (is_written && tensor->dtype == BERTH_STRING) {
    is_written = write_strings(file, tensor, item_bytes);
  } else if (is_written) {
    is_written = fwrite(tensor->data, 1, tensor->size, file) == tensor->size;
  }
  is_written = is_written && fflush(file) == 0;
  int number = errno;
  // Closing may be the first to hear of a full disk.
  if (fclose(file) != 0 && is_written) {
    number = errno;
    is_written = false;
  }
  if (is_written) return BERTH_OK;
  return berth_file_error(err, number, "writing failed");
}

// Opens a new file beside |path| and stores its name in |name|. -1 and errno
// when that fails.
static int open_beside(const char *path, char *name, size_t room) {
  for (int attempt = 0;; ++attempt) {
    int size = snprintf(name, room, "%s.%d-%llx.tmp", path, (int)getpid(),
                        (unsigned long long)berth_now_ns());
    if (size < 0 || (size_t)size >= room) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || attempt == 100) return fd;
  }
}

static berth_code_t write_beside(const char *path, const berth_tensor_t *tensor,
                                 const berth_str_t *header, size_t item_bytes,
                                 berth_error_t *err) {
  char name[PATH_MAX + 64];
  int fd = open_beside(path, name, sizeof(name));
  if (fd < 0) return berth_file_error(err, errno, "it cannot be created");
  berth_code_t code = write_all(fd, tensor, header, item_bytes, err);
  if (code == BERTH_OK && rename(name, path) != 0) {
    code = berth_file_error(err, errno, "it cannot be put in place");
  }
  if (code != BERTH_OK) unlink(name);
  return code;
}

// Writes to |path|, through links to what they point at.
static berth_code_t write_file(const char *path, const berth_tensor_t *tensor,
                               const berth_str_t *header, size_t item_bytes,
                               berth_error_t *err) {
  struct stat info;
  char target[PATH_MAX];
  if (stat(path, &info) != 0 || realpath(path, target) == NULL) {
    return write_beside(path, tensor, header, item_bytes, err);
  }
  if (S_ISREG(info.st_mode)) {
    return write_beside(target, tensor, header, item_bytes, err);
  }
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return berth_file_error(err, errno, "it cannot be opened");
  return write_all(fd, tensor, header, item_bytes, err);
}

static berth_code_t save(const berth_tensor_t *tensor, const char *path,
                         berth_error_t *err) {
  if (tensor->device != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the tensor is in the memory of %s; copy it to the "
                           "host first",
                           berth_tensor_device(tensor));
  }
  size_t item_bytes = 0;
  if (tensor->dtype == BERTH_STRING) {
    BERTH_TRY(string_bytes(tensor, &item_bytes, err));
  }
  berth_str_t header = {0};
  berth_code_t code = berth_npy_header_print(
      tensor->dtype, berth_tensor_dims(tensor), item_bytes, &header, err);
  if (code == BERTH_OK) {
    code = write_file(path, tensor, &header, item_bytes, err);
  }
  berth_str_clear(&header);
  return code;
}

berth_code_t berth_tensor_save_npy(const berth_tensor_t *tensor,
                                   const char *path, berth_error_t *err) {
  berth_tensor_t *host = NULL;
  berth_code_t code = berth_tensor_to_host(tensor, &host, err);
  if (code == BERTH_OK) code = save(host, path, err);
  berth_tensor_release(host);
  if (code == BERTH_OK) return code;
  berth_error_prepend(err, "Cannot write '%s': ", path);
  return code;
}
