// file.c - Files that are written whole or not at all.
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "berth/file.h"
#include "io/file_error.h"
#include "io/hold.h"
#include "io/target.h"

enum {
  GATHER = 16 << 10,  // Smaller pieces are written together.
  PIECE = 1 << 20,    // Between two of these a signal is heard.
};

struct berth_file {
  int fd;
  berth_file_hold_t hold;
  bool is_touched;  // Some of it was written.
  size_t gathered;
  char gather[GATHER];
};

// What is to be written.
typedef struct contents {
  uint64_t size;
  berth_file_fill_fn fill;
  const void *data;
  bool waits;  // Until a plain file is on the disk.
} contents_t;

// Describes the failure |number|, with what to do about it.
static berth_code_t fail(berth_error_t *err, int number, const char *what) {
  berth_code_t code = berth_file_error(err, number, what);
  const char *advice = berth_file_advice(number);
  if (advice != NULL && err != NULL) berth_error_append(err, "; %s", advice);
  return code;
}

// ---- Writing ----

// Writes up to |size| bytes and returns how many; -1 and errno for none.
static ssize_t write_some(int fd, const void *bytes, size_t size) {
  if (berth_fault("file")) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t written = write(fd, bytes, size < PIECE ? size : PIECE);
  if (written >= 0) return written;
  if (errno == EAGAIN) {  // Whoever shares the descriptor made it so.
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    (void)poll(&ready, 1, -1);
  }
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static berth_code_t write_all(berth_file_t *file, const char *bytes,
                              size_t size, berth_error_t *err) {
  while (size > 0) {
    int number = berth_file_hold_signal(&file->hold);
    if (number != 0) {
      return berth_error_set(err, BERTH_CANCELLED, "signal %d came", number);
    }
    ssize_t written = write_some(file->fd, bytes, size);
    if (written < 0) return fail(err, errno, "writing failed");
    file->is_touched = file->is_touched || written > 0;
    bytes += written;
    size -= (size_t)written;
  }
  return BERTH_OK;
}

static berth_code_t write_gathered(berth_file_t *file, berth_error_t *err) {
  size_t size = file->gathered;
  file->gathered = 0;
  return write_all(file, file->gather, size, err);
}

berth_code_t berth_file_put(berth_file_t *file, const void *bytes, size_t size,
                            berth_error_t *err) {
  if (size > GATHER - file->gathered) BERTH_TRY(write_gathered(file, err));
  if (size > GATHER) return write_all(file, bytes, size, err);
  if (size > 0) memcpy(file->gather + file->gathered, bytes, size);
  file->gathered += size;
  return BERTH_OK;
}

static berth_code_t write_contents(berth_file_t *file,
                                   const contents_t *contents,
                                   berth_error_t *err) {
  BERTH_TRY(contents->fill(file, contents->data, err));
  return write_gathered(file, err);
}

// Waits until a plain file is on the disk.
static berth_code_t sync_file(const berth_file_t *file, berth_error_t *err) {
  bool is_faulty = berth_fault("file");
  if (!is_faulty && (fsync(file->fd) == 0 || errno == EINVAL)) return BERTH_OK;
  return fail(err, is_faulty ? EIO : errno, "it does not reach the disk");
}

// Closes |file|, after |code|: closing may be the first to hear of a full disk.
static berth_code_t close_file(berth_file_t *file, berth_code_t code,
                               berth_error_t *err) {
  if (close(file->fd) == 0 || code != BERTH_OK || errno == EINTR) return code;
  return fail(err, errno, "writing failed");
}

// ---- Beside its place ----

// Gives a new file the mode of the |old| one, and its owner and group where
// that is allowed. A group that cannot be kept is treated as all others.
static void keep_access(int fd, const struct stat *old) {
  struct stat now;
  mode_t mode = old->st_mode & 07777;
  if (fstat(fd, &now) != 0) return;
  if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
      fchown(fd, old->st_uid, old->st_gid) != 0) {
    bool has_group =
        now.st_gid == old->st_gid || fchown(fd, (uid_t)-1, old->st_gid) == 0;
    // Bits that lend the owner's rights would lend another's.
    mode = has_group ? mode & 0777 : (mode & 0707) | ((mode & 07) << 3);
  }
  // A file system without modes refuses, and has nothing to keep.
  (void)fchmod(fd, mode);
}

// Opens a new file in the folder of |target| and writes its name to |name|.
// Returns 0 or an errno.
static int open_beside(berth_file_t *file, const berth_target_t *target,
                       char *name, size_t room) {
  const char *slash = strrchr(target->path, '/');
  int folder = slash != NULL ? (int)(slash + 1 - target->path) : 0;
  for (int attempt = 0;; ++attempt) {
    int size =
        snprintf(name, room, "%.*s.berth-%d-%llx.tmp", folder, target->path,
                 (int)getpid(), (unsigned long long)berth_now_ns());
    if (size < 0 || (size_t)size >= room) return ENAMETOOLONG;
    if (berth_fault("file")) return EMFILE;
    file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    target->exists ? 0600 : 0666);
    if (file->fd >= 0) return 0;
    if (errno != EEXIST || attempt == 100) return errno;
  }
}

// Writes the file called |name| and gives it the name of |target|. Returns in
// |*out_number| why the latter is not possible, otherwise 0.
static berth_code_t write_and_rename(berth_file_t *file, const char *name,
                                     const berth_target_t *target,
                                     const contents_t *contents,
                                     int *out_number, berth_error_t *err) {
  berth_code_t code = write_contents(file, contents, err);
  if (code == BERTH_OK && target->exists) keep_access(file->fd, &target->info);
  if (code == BERTH_OK && contents->waits) code = sync_file(file, err);
  code = close_file(file, code, err);
  if (code == BERTH_OK) {
    bool is_faulty = berth_fault("file");
    if (!is_faulty && rename(name, target->path) == 0) return BERTH_OK;
    *out_number = is_faulty ? EIO : errno;
    code = fail(err, *out_number, "it cannot be put in place");
  }
  unlink(name);
  return code;
}

// Writes |contents| beside |target| and renames them. |*out_is_refused| says
// whether it was the folder that did not take them, or the rename: the target
// itself may still be written.
static berth_code_t write_beside(const berth_target_t *target,
                                 const contents_t *contents,
                                 bool *out_is_refused, berth_error_t *err) {
  berth_file_t file = {.gathered = 0};
  char name[PATH_MAX + 64];
  berth_file_hold_begin(&file.hold, true);
  berth_code_t code = BERTH_OK;
  int number = open_beside(&file, target, name, sizeof(name));
  if (number != 0) {
    code = fail(err, number, "it cannot be created");
  } else {
    code = write_and_rename(&file, name, target, contents, &number, err);
  }
  berth_file_hold_end(&file.hold);
  // A folder of others, or one where only owners rename; a file that is mounted
  // by itself.
  *out_is_refused = number == EACCES || number == EPERM || number == EBUSY;
  return code;
}

// ---- In place ----

static int open_in_place(const berth_target_t *target) {
  if (target->descriptor >= 0) {
    return fcntl(target->descriptor, F_DUPFD_CLOEXEC, 0);
  }
  return open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

// Makes sure that there is room before the old contents are touched.
static berth_code_t reserve(const berth_file_t *file, uint64_t size,
                            const struct stat *old, berth_error_t *err) {
  if (size <= (uint64_t)old->st_size ||
      fallocate(file->fd, 0, 0, (off_t)size) == 0) {
    return BERTH_OK;
  }
  int number = errno;
  if (number != ENOSPC && number != EDQUOT && number != EFBIG) return BERTH_OK;
  (void)!ftruncate(file->fd, old->st_size);
  return fail(err, number, "there is no room for it");
}

// Writes over a plain file, and cuts off what it had beyond that.
static berth_code_t write_over(berth_file_t *file, const contents_t *contents,
                               const struct stat *old, berth_error_t *err) {
  BERTH_TRY(reserve(file, contents->size, old, err));
  berth_code_t code = write_contents(file, contents, err);
  if (code == BERTH_OK && ftruncate(file->fd, (off_t)contents->size) != 0) {
    code = fail(err, errno, "writing failed");
  }
  if (code == BERTH_OK && contents->waits) code = sync_file(file, err);
  if (code != BERTH_OK && file->is_touched && err != NULL) {
    berth_error_append(err,
                       "; its folder takes no new file, so it was written in "
                       "place, and its old contents are lost");
  }
  return code;
}

static berth_code_t write_in_place(const berth_target_t *target,
                                   const contents_t *contents,
                                   berth_error_t *err) {
  berth_file_t file = {.gathered = 0};
  file.fd = open_in_place(target);
  if (file.fd < 0) return fail(err, errno, "it cannot be opened");
  berth_file_hold_begin(&file.hold, false);
  bool is_plain = target->descriptor < 0 && S_ISREG(target->info.st_mode);
  berth_code_t code = is_plain ? write_over(&file, contents, &target->info, err)
                               : write_contents(&file, contents, err);
  code = close_file(&file, code, err);
  berth_file_hold_end(&file.hold);
  return code;
}

// ---- Choosing ----

static berth_code_t save(const berth_target_t *target,
                         const contents_t *contents, berth_error_t *err) {
  bool is_plain = !target->exists || S_ISREG(target->info.st_mode);
  if (target->descriptor >= 0 || !is_plain) {
    return write_in_place(target, contents, err);
  }
  // A folder would let a file be replaced that was made read-only.
  if (target->exists &&
      faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) != 0) {
    return fail(err, errno, "it cannot be opened");
  }
  bool is_refused = false;
  berth_code_t code = write_beside(target, contents, &is_refused, err);
  if (!is_refused || !target->exists) return code;
  berth_error_clear(err);
  return write_in_place(target, contents, err);
}

berth_code_t berth_file_save(const char *path, uint64_t size,
                             berth_file_fill_fn fill, const void *contents,
                             bool waits, berth_error_t *err) {
  berth_target_t target;
  int number = berth_target_find(path, &target);
  if (number != 0) return fail(err, number, "it cannot be found");
  return save(&target, &(contents_t){size, fill, contents, waits}, err);
}

// ---- Bytes ----

typedef struct span_of_bytes {
  const void *bytes;
  size_t size;
} span_of_bytes_t;

static berth_code_t fill_bytes(berth_file_t *file, const void *contents,
                               berth_error_t *err) {
  const span_of_bytes_t *span = contents;
  return berth_file_put(file, span->bytes, span->size, err);
}

static berth_code_t write_bytes(const char *path, const span_of_bytes_t *span,
                                bool waits, berth_error_t *err) {
  berth_code_t code =
      berth_file_save(path, span->size, fill_bytes, span, waits, err);
  if (code == BERTH_OK) return code;
  berth_error_prepend(err, "Cannot write '%s': ", path);
  return code;
}

berth_code_t berth_file_write(const char *path, const void *bytes, size_t size,
                              berth_error_t *err) {
  return write_bytes(path, &(span_of_bytes_t){bytes, size}, true, err);
}

berth_code_t berth_file_hand_over(const char *path, const void *bytes,
                                  size_t size, berth_error_t *err) {
  return write_bytes(path, &(span_of_bytes_t){bytes, size}, false, err);
}
