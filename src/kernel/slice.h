// slice.h - How writing a slice of a variable becomes a commit, on every device.
//
// Threads: as commits.
#ifndef BERTH_KERNEL_SLICE_H_
#define BERTH_KERNEL_SLICE_H_

#include "kernel/kernel.h"
#include "op/array.h"
#include "state/commit.h"

// Variables of more dimensions are refused, as in TensorFlow.
enum { BERTH_SLICE_MAX_RANK = 8 };

// Writes |value| into |to|, which holds what the variable does, as |move| says;
// it has elements.
typedef berth_code_t (*berth_slice_write_fn)(const berth_move_spec_t *move,
                                             const void *value,
                                             berth_tensor_t *to,
                                             berth_call_t *call);

// Copies all of |from| to |to|.
typedef berth_code_t (*berth_slice_copy_fn)(const berth_tensor_t *from,
                                            berth_tensor_t *to,
                                            berth_call_t *call);

// What a backend does. Constant.
typedef struct berth_slice_backend {
  berth_slice_write_fn write;
  berth_slice_copy_fn copy;
} berth_slice_backend_t;

// Adds to the commit of |call| what |assign|, part of a plan, describes, and
// gives the reference on where it is one.
BERTH_NODISCARD berth_code_t berth_slice_run(
    const berth_slice_assign_t *assign, const berth_slice_backend_t *backend,
    void *const *args, berth_call_t *call);

#endif  // BERTH_KERNEL_SLICE_H_
