// variable.c - Kernels on variables whose values live on a card.
//
// A value is a tensor in the card's memory. Reading and assigning hand tensors
// around and look at none, so there the CPU's kernels do it all. Updates are
// queued: in place when the variable holds the only reference, and otherwise
// into a new tensor that is swapped in at once. Whoever reads the variable
// afterwards queues its work behind the update.
#include "state/variable.h"

#include <string.h>

#include "cuda/elementwise.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "device/device.h"
#include "kernel/handle.h"
#include "kernel/types.h"

// Fails unless |value| of |variable| is in the memory that |call| works on. A
// name that is shared by nodes on several devices is one variable here.
static berth_code_t check_device(const berth_tensor_t *value, const char *name,
                                 const berth_call_t *call) {
  const berth_device_t *device = call->stream->device;
  if (value->device == device) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_FAILED_PRECONDITION,
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
  berth_code_t code = check_device(call->outputs[0], name, call);
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
  const char *name;  // Of the variable.
  const void *value;
  berth_call_t *call;
} update_arg_t;

// Queues |to| = |from| plus or minus the value; |to| may be |from|.
static berth_code_t queue_update(const update_arg_t *with,
                                 const berth_tensor_t *from,
                                 berth_tensor_t *to) {
  uint64_t count = (uint64_t)to->count;
  berth_walk_params_t params = {
      .out = to->data,
      .in = {from->data, with->value},
      .walk = {.count = count, .level_count = 1, .granule = 1}};
  uintptr_t all =
      (uintptr_t)to->data | (uintptr_t)from->data | (uintptr_t)with->value;
  if (all % 16 == 0) params.walk.granule = 16;
  params.walk.levels[0] = (berth_walk_level_t){.count = count, .steps = {1, 1}};
  return berth_cuda_launch(with->call, with->plan->kernel, count, &params,
                           sizeof(params));
}

static berth_code_t renew(void *arg, berth_tensor_t *value, bool is_exclusive,
                          berth_tensor_t **out_value, berth_error_t *err) {
  const update_arg_t *with = arg;
  const update_plan_t *plan = with->plan;
  berth_dims_t dims = {plan->rank, plan->dims};
  berth_tensor_t *to = value;
  BERTH_TRY(check_device(value, with->name, with->call));
  BERTH_TRY(
      berth_variable_check_update(value, plan->dtype, dims, plan->is_ref, err));
  if (!is_exclusive) {
    BERTH_TRY(berth_tensor_make(with->call->allocator, value->dtype,
                                value->rank, value->dims, value->count, &to,
                                err));
  }
  berth_code_t code = queue_update(with, value, to);
  if (code == BERTH_OK) {
    *out_value = to;
  } else if (to != value) {
    berth_tensor_release(to);
  }
  return code;
}

static berth_code_t run_update(const void *plan, void *const *args,
                               berth_call_t *call) {
  const update_plan_t *with = plan;
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  berth_variable_t *variable = (berth_variable_t *)resource;
  update_arg_t arg = {with, berth_variable_name(variable), args[1], call};
  berth_code_t code = berth_variable_renew(variable, renew, &arg, call->err);
  if (code == BERTH_FAILED_PRECONDITION && !with->is_ref &&
      !berth_variable_is_initialized(variable)) {
    char text[BERTH_LOOKUP_TEXT];
    return berth_error_set(
        call->err, BERTH_NOT_FOUND, "%s",
        berth_variable_lookup_text(variable, call->container, text));
  }
  if (code == BERTH_OK && with->is_ref) berth_handle_set(args[2], resource);
  return code;
}

static berth_code_t prepare_update(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_kernel_input_t *value = &prepare->inputs[1];
  size_t size = (size_t)value->rank * sizeof(int64_t);
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  update_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan) + size);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  bool subtracts = strncmp(prepare->node->op->name, "AssignSub", 9) == 0;
  plan->is_ref = prepare->output_count > 0;
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
#define UPDATE(name, attr)                                                  \
  {                                                                         \
    .op = name, .types = {{attr, UPDATE_TYPES}}, .prepare = prepare_update, \
    .flags = BERTH_KERNEL_IMPURE                                            \
  }

const berth_kernel_t berth_cuda_variable_kernels[] = {
    {.op = "ReadVariableOp",
     .prepare = prepare_read,
     .flags = BERTH_KERNEL_MAKES_TENSORS | BERTH_KERNEL_IMPURE},
    {.op = "Assign",
     .types = {{"T", ASSIGN_TYPES}},
     .prepare = berth_cuda_prepare_as_cpu,
     .keep_inputs = 2,
     .flags = BERTH_KERNEL_IMPURE},
    {.op = "AssignVariableOp",
     .types = {{"dtype", ASSIGN_TYPES | BERTH_TYPES_TINY}},
     .prepare = berth_cuda_prepare_as_cpu,
     .keep_inputs = 2,
     .flags = BERTH_KERNEL_IMPURE},
    UPDATE("AssignAdd", "T"),
    UPDATE("AssignSub", "T"),
    UPDATE("AssignAddVariableOp", "dtype"),
    UPDATE("AssignSubVariableOp", "dtype"),
};
const int berth_cuda_variable_kernel_count =
    BERTH_COUNT_OF(berth_cuda_variable_kernels);
