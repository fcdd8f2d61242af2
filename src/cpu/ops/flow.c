// flow.c - Conditionals and loops, as far as they are kernels.
//
// A kernel only says that Berth has the op (op/flow.h); the walk of a program
// (exec/flow_run.c) hands tensors on wherever they are.
#include "op/flow.h"
#include "cpu/kernels.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/variable.h"

static berth_code_t prepare_flow(berth_prepare_t *prepare, berth_error_t *err) {
  return berth_op_flow(&prepare->op, err);
}

static berth_code_t prepare_trigger(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  (void)err;
  prepare->run = berth_run_nothing;
  return BERTH_OK;
}

static berth_code_t run_ref_identity(const void *plan, void *const *args,
                                     berth_call_t *call) {
  (void)plan;
  (void)call;
  berth_handle_set(args[1], ((const berth_handle_t *)args[0])->resource);
  return BERTH_OK;
}

// The variable that is handed on has no shape of its own.
static berth_code_t prepare_ref_identity(berth_prepare_t *prepare,
                                         berth_error_t *err) {
  prepare->run = run_ref_identity;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t run_ref_select(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  int32_t index = *(const int32_t *)args[0], count = call->node->input_count;
  if (index < 0 || index >= count - 1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Index must be in the range [0, %d) but got %d",
                           count - 1, index);
  }
  // All must have a value, chosen or not.
  for (int32_t i = 1; i < count; ++i) {
    berth_resource_t *resource = NULL;
    BERTH_TRY(berth_handle_get(args[i], BERTH_RESOURCE_VARIABLE, &resource,
                               call->err));
    berth_variable_t *variable = (berth_variable_t *)resource;
    if (berth_variable_is_initialized(variable)) continue;
    return berth_variable_fail_update(variable, call->container, true,
                                      call->err);
  }
  const berth_handle_t *chosen = args[1 + index];
  berth_handle_set(args[count], chosen->resource);
  return BERTH_OK;
}

static berth_code_t prepare_ref_select(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  prepare->run = run_ref_select;
  return berth_op_ref_select(&prepare->op, err);
}

#define FLOW(name) \
  { .op = name, .prepare = prepare_flow, .anywhere = BERTH_TYPES_ALL }
// References, and conditions of loops, are the host's.
#define HOST_FLOW(name) \
  { .op = name, .prepare = prepare_flow }

const berth_kernel_t berth_cpu_flow_kernels[] = {
    FLOW("Switch"),
    HOST_FLOW("RefSwitch"),
    FLOW("Merge"),
    HOST_FLOW("RefMerge"),
    FLOW("Enter"),
    HOST_FLOW("RefEnter"),
    FLOW("Exit"),
    HOST_FLOW("RefExit"),
    FLOW("NextIteration"),
    HOST_FLOW("RefNextIteration"),
    HOST_FLOW("LoopCond"),
    {.op = "ControlTrigger", .prepare = prepare_trigger},
    {.op = "RefIdentity", .prepare = prepare_ref_identity},
    {.op = "RefSelect", .prepare = prepare_ref_select},
    {.op = NULL},
};
