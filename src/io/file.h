// file.h - Files that are written whole or not at all.
//
// Where a path leads decides how it is written (target.h):
//
//   nothing yet, a plain file   to another name beside it, then renamed
//   a link                      as what it leads to; the link stays
//   pipe, device, terminal,     in place, as it is
//   descriptor of this process
//   a plain file whose folder   in place, once there is known to be room
//   takes no other name
//
// 1. Under its final name a file is whole: the old one or the new one. In place
//    that cannot be promised, and a failure says so.
// 2. A failure leaves no other name behind. Neither does a signal that ends the
//    process, as far as it can be made to wait (hold.h).
// 3. What is replaced keeps its mode, and its owner where that is allowed;
//    until then the new file is its writer's alone.
// 4. A file is on the disk before it gets its name, where its writer waits for
//    that. Checkpoints and caches do not, as with TensorFlow: only a machine
//    that stops may lose them, and their checksums tell.
//
// The public half is berth/file.h. Threads: no state; thread-safe.
#ifndef BERTH_IO_FILE_H_
#define BERTH_IO_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct berth_file berth_file_t;

// Puts |contents| into |file| by berth_file_put(); called a second time when a
// file has to be written in place after all.
typedef berth_code_t (*berth_file_fill_fn)(berth_file_t *file,
                                           const void *contents,
                                           berth_error_t *err);

// Appends |size| bytes. Small pieces are gathered. Fails as berth_file_save().
BERTH_NODISCARD berth_code_t berth_file_put(berth_file_t *file,
                                            const void *bytes, size_t size,
                                            berth_error_t *err);

// Makes what |fill| puts, |size| bytes in all, the contents of the file at
// |path|; |waits| until a plain file is on the disk. Fails with what
// berth_file_error() gives, without naming the file; BERTH_CANCELLED when a
// signal that ends the process came meanwhile, which the caller does not live
// to see.
BERTH_NODISCARD berth_code_t berth_file_save(const char *path, uint64_t size,
                                             berth_file_fill_fn fill,
                                             const void *contents, bool waits,
                                             berth_error_t *err);

// berth_file_write() that returns when the system has the bytes, wherever they
// are.
BERTH_NODISCARD berth_code_t berth_file_hand_over(const char *path,
                                                  const void *bytes,
                                                  size_t size,
                                                  berth_error_t *err);

#endif  // BERTH_IO_FILE_H_
