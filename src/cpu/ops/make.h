// make.h - Outputs that a kernel makes itself.
#ifndef BERTH_CPU_OPS_MAKE_H_
#define BERTH_CPU_OPS_MAKE_H_

#include "kernel/kernel.h"

// Makes output |index| of |call|, of the node's type, and stores where its
// elements go; those of strings are empty, others not initialised. Fails with
// BERTH_RESOURCE_EXHAUSTED, and with BERTH_INVALID_ARGUMENT for dimensions that
// no tensor has; BERTH_CPU_MAKES() then drops what was made before.
BERTH_NODISCARD static inline berth_code_t berth_cpu_make(berth_call_t *call,
                                                          int index,
                                                          int32_t rank,
                                                          const int64_t *dims,
                                                          void **out_data) {
  berth_dtype_t dtype = call->node->output_types[index];
  int64_t count = 0;
  BERTH_TRY(
      berth_tensor_check(dtype, (berth_dims_t){rank, dims}, &count, call->err));
  BERTH_TRY(berth_tensor_make(call->allocator, dtype, rank, dims, count,
                              &call->outputs[index], call->err));
  *out_data = call->outputs[index]->data;
  return BERTH_OK;
}

// Hands |code| on; for a failure, the outputs that were made are dropped.
static inline berth_code_t berth_cpu_made(berth_call_t *call,
                                          berth_code_t code) {
  for (int i = 0; code != BERTH_OK && i < call->node->output_count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  return code;
}

// Defines run_<name>(), which does make_<name>() and leaves no outputs behind
// when that fails.
#define BERTH_CPU_MAKES(name)                                         \
  static berth_code_t run_##name(const void *plan, void *const *args, \
                                 berth_call_t *call) {                \
    for (int i = 0; i < call->node->output_count; ++i) {              \
      call->outputs[i] = NULL;                                        \
    }                                                                 \
    return berth_cpu_made(call, make_##name(plan, args, call));       \
  }

// The same, and prepare_<name>() for an op that makes all of its outputs and is
// checked when it runs.
#define BERTH_CPU_LATE(name)                                   \
  BERTH_CPU_MAKES(name)                                        \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    (void)err;                                                 \
    for (int i = 0; i < prepare->op.output_count; ++i) {       \
      prepare->op.outputs[i].rank = -1;                        \
    }                                                          \
    prepare->run = run_##name;                                 \
    prepare->work = 100;                                       \
    for (int i = 0; i < prepare->op.input_count; ++i) {        \
      prepare->work += prepare->op.inputs[i].count * 10;       \
    }                                                          \
    return BERTH_OK;                                           \
  }

#endif  // BERTH_CPU_OPS_MAKE_H_
