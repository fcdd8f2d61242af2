// variable.c - Kernels on variables whose values live on a card.
//
// A value is a tensor in the card's memory. Reading and assigning hand tensors
// around and look at none, so there the CPU's kernels do it all. Updates are
// queued when their commit is done; whoever reads the variable afterwards
// queues its work behind that.
#include "state/variable.h"

#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "device/device.h"
#include "kernel/handle.h"
#include "op/types.h"
#include "state/commit.h"

// Fails unless |value| of the variable called |name| is on |device|. A name
// that is shared by nodes on several devices is one variable here.
static berth_code_t check_device(const berth_tensor_t *value, const char *name,
                                 const berth_device_t *device,
                                 berth_error_t *err) {
  if (value->device == device) return BERTH_OK;
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "The value of variable %s is on %s and cannot be used on %s: give "
      "variables on different devices different names",
      name,
      value->device != NULL ? berth_device_full_name(value->device)
                            : "the host",
      berth_device_full_name(device));
}

// ---- Reading ----

typedef struct read_plan {
  berth_run_fn run;
} read_plan_t;

static berth_code_t run_read(const void *plan, void *const *args,
                             berth_call_t *call) {
  const read_plan_t *with = plan;
  BERTH_TRY(with->run(NULL, args, call));
  const berth_handle_t *handle = args[0];
  const char *name = berth_variable_name((berth_variable_t *)handle->resource);
  berth_code_t code =
      check_device(call->outputs[0], name, call->stream->device, call->err);
  if (code != BERTH_OK) {
    berth_tensor_release(call->outputs[0]);
    call->outputs[0] = NULL;
  }
  return code;
}

static berth_code_t prepare_read(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_as_cpu(prepare, err));
  read_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->run = prepare->run;
  prepare->run = run_read;
  return BERTH_OK;
}

// ---- Adding and subtracting ----

typedef struct update_plan {
  bool is_ref;
  berth_dtype_t dtype;
  int kernel;
  int32_t rank;
  int64_t dims[];
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
  const update_plan_t *plan = with->plan;
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container,
                                      plan->is_ref, err);
  }
  BERTH_TRY(check_device(now, berth_variable_name(change->variable),
                         with->stream->device, err));
  return berth_variable_check_update(now, plan->dtype,
                                     (berth_dims_t){plan->rank, plan->dims},
                                     plan->is_ref, err);
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
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  berth_change_t *change = NULL;
  BERTH_TRY(berth_commit_add(call->commit, (berth_variable_t *)resource,
                             call->node, &change, call->err));
  change->check = check_update;
  change->apply = apply_update;
  change->allocator = call->allocator;
  *(update_arg_t *)(void *)change->arg =
      (update_arg_t){with, args[1], call->container, call->stream, call->node};
  if (with->is_ref) berth_handle_set(args[2], resource);
  return BERTH_OK;
}

static berth_code_t prepare_update(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_op_input_t *value = &prepare->op.inputs[1];
  size_t size = (size_t)value->rank * sizeof(int64_t);
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  update_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan) + size);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  bool subtracts = strncmp(prepare->op.node->op->name, "AssignSub", 9) == 0;
  plan->is_ref = prepare->op.output_count > 0;
  plan->dtype = value->dtype;
  plan->kernel = berth_binary_kernel(subtracts ? "sub" : "add", value->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->rank = value->rank;
  for (int32_t i = 0; i < value->rank; ++i) plan->dims[i] = value->dims[i];
  prepare->run = run_update;
  return BERTH_OK;
}

#define ASSIGN_TYPES (BERTH_TYPES_BASIC & ~BERTH_TYPE(INT32))
#define UPDATE_TYPES (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPE(INT32))
#define UPDATE(name, attr) \
  { .op = name, .types = {{attr, UPDATE_TYPES}}, .prepare = prepare_update }

const berth_kernel_t berth_cuda_variable_kernels[] = {
    {.op = "ReadVariableOp", .prepare = prepare_read},
    {.op = "Assign",
     .types = {{"T", ASSIGN_TYPES}},
     .prepare = berth_cuda_prepare_as_cpu},
    {.op = "AssignVariableOp",
     .types = {{"dtype", ASSIGN_TYPES | BERTH_TYPES_TINY}},
     .prepare = berth_cuda_prepare_as_cpu},
    UPDATE("AssignAdd", "T"),
    UPDATE("AssignSub", "T"),
    UPDATE("AssignAddVariableOp", "dtype"),
    UPDATE("AssignSubVariableOp", "dtype"),
    {.op = NULL},
};
