// variable.c - Kernels that add to variables whose values live on a card.
//
// Reading and assigning hand tensors around and look at none: the CPU's kernels
// do that. Updates are queued when their commit is done; whoever reads the
// variable afterwards queues its work behind that.
#include "state/variable.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/commit.h"

typedef struct update_plan {
  berth_variable_change_t change;
  int kernel;
} update_plan_t;

typedef struct update_arg {
  const update_plan_t *plan;
  const void *value;
  berth_container_t *container;
  berth_stream_t *stream;
  const berth_node_t *node;
} update_arg_t;

static const update_arg_t *update_arg(const berth_change_t *change) {
  return (const update_arg_t *)(const void *)change->arg;
}

static berth_code_t check_update(const berth_change_t *change,
                                 const berth_tensor_t *now,
                                 berth_error_t *err) {
  const update_arg_t *with = update_arg(change);
  const berth_variable_change_t *wanted = &with->plan->change;
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container,
                                      wanted->is_ref, err);
  }
  BERTH_TRY(berth_variable_check_device(change->variable, now,
                                        with->stream->device, err));
  return berth_variable_check_update(now, wanted->dtype, wanted->dims,
                                     wanted->is_ref, err);
}

// Queues |to| = |from| plus or minus the value.
static berth_code_t apply_update(const berth_change_t *change,
                                 const berth_tensor_t *from, berth_tensor_t *to,
                                 berth_error_t *err) {
  const update_arg_t *with = update_arg(change);
  uint64_t count = (uint64_t)to->count;
  berth_walk_params_t params = {
      .out = to->data,
      .in = {from->data, with->value},
      .walk = {.count = count, .level_count = 1, .granule = 1}};
  uintptr_t all =
      (uintptr_t)to->data | (uintptr_t)from->data | (uintptr_t)with->value;
  if (all % 16 == 0) params.walk.granule = 16;
  params.walk.levels[0] = (berth_walk_level_t){.count = count, .steps = {1, 1}};
  berth_call_t call = {.err = err, .node = with->node, .stream = with->stream};
  return berth_cuda_launch(&call, with->plan->kernel, count, &params,
                           sizeof(params));
}

static berth_code_t run_update(const void *plan, void *const *args,
                               berth_call_t *call) {
  const update_plan_t *with = plan;
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_handle_change(args[0], check_update, apply_update, call, &change));
  *(update_arg_t *)(void *)change->arg =
      (update_arg_t){with, args[1], call->container, call->stream, call->node};
  if (with->change.is_ref) berth_handle_give(args[2], change);
  return BERTH_OK;
}

static berth_code_t prepare_update(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  update_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_update(&prepare->op, &plan->change, err));
  plan->kernel = berth_binary_kernel(
      plan->change.subtracts ? BERTH_BINARY_SUB : BERTH_BINARY_ADD,
      plan->change.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_update;
  return BERTH_OK;
}

#define UPDATE_TYPES (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPE(INT32))
#define UPDATE(name, attr) \
  { .op = name, .types = {{attr, UPDATE_TYPES}}, .prepare = prepare_update }

const berth_kernel_t berth_cuda_variable_kernels[] = {
    UPDATE("AssignAdd", "T"),
    UPDATE("AssignSub", "T"),
    UPDATE("AssignAddVariableOp", "dtype"),
    UPDATE("AssignSubVariableOp", "dtype"),
    {.op = NULL},
};
