// train.h - How an update by an optimiser becomes a commit, on every device.
//
// The variable and its slots are a group of changes (state/commit.h). All are
// checked, and each finds its place; the change of the last one applies all of
// them, by what its backend says. Updates that follow each other in a commit
// may be applied as one.
//
// Threads: as commits.
#ifndef BERTH_KERNEL_TRAIN_H_
#define BERTH_KERNEL_TRAIN_H_

#include "kernel/kernel.h"
#include "op/train.h"
#include "state/commit.h"

typedef struct berth_train_arg berth_train_arg_t;

// An update that is applied: from[i] becomes to[i], which may be the same, for
// each variable.
typedef struct berth_train_update {
  const berth_train_arg_t *with;
  const berth_tensor_t *from[BERTH_TRAIN_VARIABLES];
  berth_tensor_t *to[BERTH_TRAIN_VARIABLES];
} berth_train_update_t;

// How many are applied as one, at most.
enum { BERTH_TRAIN_JOINED = 24 };

// What a backend does for an update. Constant.
typedef struct berth_train_backend {
  // Optional. Checks what only a look at the elements tells, for a variable
  // that holds |now|.
  berth_code_t (*check)(const berth_train_arg_t *with,
                        const berth_tensor_t *now, berth_error_t *err);
  berth_code_t (*apply)(const berth_train_update_t *update, berth_error_t *err);
  // Optional: whether |next|, of the same backend, can be applied together with
  // |with|; and applying |count| that can.
  bool (*joins)(const berth_train_arg_t *with, const berth_train_arg_t *next);
  berth_code_t (*apply_joined)(const berth_train_update_t *updates, int count,
                               berth_error_t *err);
} berth_train_backend_t;

// What a change of an update keeps.
struct berth_train_arg {
  const berth_train_backend_t *backend;
  const berth_train_t *train;  // In the plan; the backend knows what is behind.
  berth_stream_t *stream;      // NULL: the host's.
  const void *grad;
  const void *indices;
  const void *scalars[BERTH_TRAIN_SCALARS];
  int32_t joined;  // How many before it wait to be applied with it.
};

// Adds the update that |train|, part of a plan, describes to the commit of
// |call|, and gives the reference on where it is one.
BERTH_NODISCARD berth_code_t berth_train_run(
    const berth_train_t *train, const berth_train_backend_t *backend,
    void *const *args, berth_call_t *call);

#endif  // BERTH_KERNEL_TRAIN_H_
