// check.c - The kernel CheckNumerics.
//
// Only the host can fail, so it waits for what the card finds, which comes in
// pinned memory.
#include "op/check.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/check_params.h"
#include "device/device.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  berth_check_t check;
} plan_t;

static berth_code_t run_check(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_allocator_t *pinned = call->stream->device->pinned;
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(pinned->alloc(pinned, 2 * sizeof(uint32_t), &buffer, call->err));
  uint32_t *found = buffer->data;
  found[0] = found[1] = 0;
  uint64_t count = (uint64_t)plan->check.count;
  berth_check_params_t params = {args[0], count, found};
  berth_code_t code =
      berth_cuda_launch(call, plan->kernel, count, &params, sizeof(params));
  if (code == BERTH_OK) code = berth_cuda_wait(call, buffer);
  if (code == BERTH_OK) {
    code = berth_check_tell(plan->check.message,
                            (found[0] != 0 ? BERTH_FOUND_INF : 0U) |
                                (found[1] != 0 ? BERTH_FOUND_NAN : 0U),
                            call->err);
  }
  berth_buffer_release(buffer);
  return code;
}

static berth_code_t prepare_check(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_check_t check;
  BERTH_TRY(berth_op_check_numerics(&prepare->op, &check, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->check = check;
  plan->kernel = berth_cuda_kernel_for("check", "berth_check", check.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_check;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_check_kernels[] = {
    {.op = "CheckNumerics",
     .types = {{"T", BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16)}},
     .prepare = prepare_check,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
