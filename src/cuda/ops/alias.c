// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Nothing runs on the card: output 0 is input 0 (op/alias.h). A Bitcast takes
// the place of its input, or copies it.
#include "op/alias.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"

// Defines prepare_<name>(), which has no work.
#define ALIAS(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return berth_op_##name(&prepare->op, err);                 \
  }

ALIAS(ensure_shape)
ALIAS(identity)
ALIAS(reshape)
ALIAS(expand_dims)
ALIAS(squeeze)

// The same bytes under another type.
static berth_code_t run_bitcast(const void *plan, void *const *args,
                                berth_call_t *call) {
  if (args[0] == args[1]) return BERTH_OK;
  return berth_cuda_copy(call, args[1], args[0], *(const size_t *)plan);
}

static berth_code_t prepare_bitcast(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_bitcast(&prepare->op, err));
  *size = (size_t)input->count * berth_dtype_size(input->dtype);
  prepare->run = *size > 0 ? run_bitcast : berth_run_nothing;
  return BERTH_OK;
}

#define KERNEL(name, function) \
  { .op = name, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_alias_kernels[] = {
    KERNEL("Bitcast", bitcast),
    KERNEL("Copy", identity),
    KERNEL("DebugGradientIdentity", identity),
    KERNEL("EnsureShape", ensure_shape),
    KERNEL("ExpandDims", expand_dims),
    KERNEL("Identity", identity),
    KERNEL("NcclBroadcast", identity),
    KERNEL("PlaceholderWithDefault", identity),
    KERNEL("PreventGradient", identity),
    KERNEL("Reshape", reshape),
    KERNEL("Snapshot", identity),
    KERNEL("Squeeze", squeeze),
    KERNEL("StopGradient", identity),
    KERNEL("_EagerConst", identity),
    {.op = NULL},
};
