// file.h - Writing files: a GraphDef, RunMetadata, a report.
//
// Tensors have functions of their own: berth_tensor_save_npy() in tensor.h
// writes in the same way.
//
// Thread-safe.
#ifndef BERTH_FILE_H_
#define BERTH_FILE_H_

#include <stddef.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes |size| bytes at |bytes| the contents of the file at |path|.
//
// The file is written beside its place and then renamed: whoever reads it sees
// the old contents or the new ones, and after a failure the old ones stand. An
// old file's mode is kept, and its owner where that is allowed; a new file gets
// what the umask says. A link stays a link: what it leads to is written. Pipes,
// devices, terminals and /dev/stdout are written to as they are, and so is a
// plain file whose folder takes no new ones.
//
// Fails with BERTH_NOT_FOUND without its folder, BERTH_PERMISSION_DENIED,
// BERTH_RESOURCE_EXHAUSTED when the disk is full, BERTH_INVALID_ARGUMENT for
// what can be no file, and says what to do.
BERTH_API BERTH_NODISCARD berth_code_t berth_file_write(const char *path,
                                                        const void *bytes,
                                                        size_t size,
                                                        berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_FILE_H_
