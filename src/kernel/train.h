// train.h - How an update by an optimiser becomes a commit, on every device.
//
// The variable and its slots are a group of changes (state/commit.h). All are
// checked, and each finds its place; the change of the last one applies all of
// them, by what its backend says.
//
// Threads: as commits.
#ifndef BERTH_KERNEL_TRAIN_H_
#define BERTH_KERNEL_TRAIN_H_

#include "kernel/kernel.h"
#include "op/train.h"
#include "state/commit.h"

typedef struct berth_train_arg berth_train_arg_t;

// What a backend does for an update. Constant.
typedef struct berth_train_backend {
  // Optional. Checks what only a look at the elements tells, for a variable
  // that holds |now|.
  berth_code_t (*check)(const berth_train_arg_t *with,
                        const berth_tensor_t *now, berth_error_t *err);
  // Updates all variables: from[i] becomes to[i], which may be the same.
  berth_code_t (*apply)(const berth_train_arg_t *with,
                        const berth_tensor_t *const *from,
                        berth_tensor_t *const *to, berth_error_t *err);
} berth_train_backend_t;

// What a change of an update keeps.
struct berth_train_arg {
  const berth_train_backend_t *backend;
  const berth_train_t *train;  // In the plan; the backend knows what is behind.
  berth_stream_t *stream;      // NULL: the host's.
  const void *grad;
  const void *indices;
  const void *scalars[BERTH_TRAIN_SCALARS];
};

// Adds the update that |train|, part of a plan, describes to the commit of
// |call|, and gives the reference on where it is one.
BERTH_NODISCARD berth_code_t berth_train_run(
    const berth_train_t *train, const berth_train_backend_t *backend,
    void *const *args, berth_call_t *call);

#endif  // BERTH_KERNEL_TRAIN_H_
