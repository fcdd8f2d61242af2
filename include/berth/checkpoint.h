// checkpoint.h - Checkpoints: named tensors in files.
//
//   berth_checkpoint_t *checkpoint = NULL;
//   code = berth_checkpoint_open("model.ckpt-1000", &checkpoint, &err);
//   if (code == BERTH_OK) {
//     int64_t index = berth_checkpoint_find(checkpoint, "weights");
//     code = berth_checkpoint_read(checkpoint, index, &tensor, &err);
//     berth_checkpoint_close(checkpoint);
//   }
//
// Both formats of TensorFlow's are read; the newer one is written.
//
// Threads: thread-safe, but for closing.
#ifndef BERTH_CHECKPOINT_H_
#define BERTH_CHECKPOINT_H_

#include "berth/error.h"
#include "berth/tensor.h"
#include "berth/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tensors of a checkpoint. Immutable once open.
typedef struct berth_checkpoint berth_checkpoint_t;

// Opens the checkpoint |prefix|: PREFIX.index and its data files, or else files
// of the old format that match |prefix| as a pattern. The caller closes it.
//
// Fails with BERTH_NOT_FOUND when there is no such file, BERTH_DATA_LOSS and
// BERTH_OUT_OF_RANGE for files that are damaged or cut off, and as
// berth_file_write() for what the system says.
BERTH_API BERTH_NODISCARD berth_code_t
berth_checkpoint_open(const char *prefix, berth_checkpoint_t **out_checkpoint,
                      berth_error_t *err);

// Frees it. NULL is fine.
BERTH_API void berth_checkpoint_close(berth_checkpoint_t *checkpoint);

// Returns how many tensors there are. They are in the order of their names.
BERTH_API int64_t berth_checkpoint_count(const berth_checkpoint_t *checkpoint);

// Returns the index of the tensor called |name|, or -1.
BERTH_API int64_t berth_checkpoint_find(const berth_checkpoint_t *checkpoint,
                                        const char *name);

// Return what tensor |index| is: its name (NUL-terminated), type and shape.
// Borrowed; live as long as the checkpoint. NULL, BERTH_INVALID and an unknown
// shape for an index that nothing has.
BERTH_API const char *berth_checkpoint_name(
    const berth_checkpoint_t *checkpoint, int64_t index);
BERTH_API berth_dtype_t
berth_checkpoint_dtype(const berth_checkpoint_t *checkpoint, int64_t index);
BERTH_API berth_dims_t
berth_checkpoint_shape(const berth_checkpoint_t *checkpoint, int64_t index);

// Reads tensor |index| into host memory; slices that were saved apart are
// joined. The caller releases it. Fails with BERTH_INVALID_ARGUMENT for an
// index that nothing has and where slices are missing, with BERTH_DATA_LOSS and
// BERTH_OUT_OF_RANGE for damaged files and BERTH_RESOURCE_EXHAUSTED.
BERTH_API BERTH_NODISCARD berth_code_t
berth_checkpoint_read(berth_checkpoint_t *checkpoint, int64_t index,
                      berth_tensor_t **out_tensor, berth_error_t *err);

// Writes |count| tensors as the checkpoint |prefix|. When it fails, or the
// process ends meanwhile, the checkpoint that was there before is whole, or the
// new one is. Returns when the system has the files, not when they are on the
// disk. Fails with BERTH_INVALID_ARGUMENT for names that are there twice,
// with BERTH_UNIMPLEMENTED for resources and variants, and as
// berth_file_write(); the text names the file.
BERTH_API BERTH_NODISCARD berth_code_t berth_checkpoint_write(
    const char *prefix, const char *const *names,
    const berth_tensor_t *const *tensors, int count, berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_CHECKPOINT_H_
