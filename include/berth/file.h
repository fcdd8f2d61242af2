// file.h - Writing files: a GraphDef, RunMetadata, a report.
//
// Tensors have functions of their own: berth_tensor_save_npy() in tensor.h
// writes in the same way.
//
//   code = berth_graph_export(graph, &bytes, &size, &err);
//   if (code == BERTH_OK) {
//     code = berth_file_write("graph.pb", bytes, size, &err);
//     berth_text_free(bytes);
//   }
//
// Threads: thread-safe. Of two that write one file at once, one wins as a
// whole.
#ifndef BERTH_FILE_H_
#define BERTH_FILE_H_

#include <stddef.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes |size| bytes at |bytes| the contents of the file at |path|. Both must
// be given, |bytes| only when |size| is not 0. Returns when a plain file is on
// the disk.
//
// The file is written beside its place and then renamed: whoever reads it sees
// the old contents or the new ones, and after a failure the old ones stand. An
// old file's mode is kept, and its owner where that is allowed; a new file gets
// what the umask says. A link stays a link: what it leads to is written. Pipes,
// devices, terminals and /dev/stdout are written to as they are, and so is a
// plain file whose folder takes no new ones.
//
// Fails with BERTH_NOT_FOUND without its folder, BERTH_PERMISSION_DENIED where
// the system forbids it, BERTH_RESOURCE_EXHAUSTED when the disk is full or
// files may not be that large, BERTH_INVALID_ARGUMENT for what can be no file
// (a folder, a name that is too long) and BERTH_UNKNOWN for what else the
// system says. The text says what to do. What is written to as it is may then
// have got a part of the bytes. A signal that ends the process does so when the
// file beside is gone.
BERTH_API BERTH_NODISCARD berth_code_t berth_file_write(const char *path,
                                                        const void *bytes,
                                                        size_t size,
                                                        berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_FILE_H_
