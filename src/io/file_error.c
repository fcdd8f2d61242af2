// file_error.c - What the operating system says about files.
#include "io/file_error.h"

#include <errno.h>
#include <string.h>

static berth_code_t code_of(int number) {
  switch (number) {
    case ENOENT:
      return BERTH_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return BERTH_PERMISSION_DENIED;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return BERTH_RESOURCE_EXHAUSTED;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return BERTH_INVALID_ARGUMENT;
    default:
      return BERTH_UNKNOWN;
  }
}

berth_code_t berth_file_error(berth_error_t *err, int number,
                              const char *what) {
  char text[128];
  // The GNU variant returns the text and may leave |text| alone.
  const char *reason = strerror_r(number, text, sizeof(text));
  return berth_error_set(err, code_of(number), "%s: %s", what, reason);
}

const char *berth_file_advice(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return "make its folder first";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a file that you may write, or change its permissions";
    case ENOSPC:
    case EDQUOT:
      return "make room on that disk, or name a file on another";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f)";
    case EISDIR:
      return "name a file in it";
    case EMFILE:
    case ENFILE:
      return "close some files, or raise their limit (ulimit -n)";
    default:
      return NULL;
  }
}
