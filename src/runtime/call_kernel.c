// call_kernel.c - Ops that call a function.
#include "runtime/call_kernel.h"

#include "state/routine.h"
#include "tensor/dtype.h"

// Checks that |routine| takes and gives as many values as |node| does.
static berth_code_t counts_check(const berth_routine_t *routine,
                                 const berth_node_t *node, berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(node, "f");
  const char *name = value != NULL && value->kind == BERTH_ATTR_FUNC
                         ? value->func->name
                         : node->name;
  bool is_input = routine->input_count != node->input_count;
  if (!is_input && routine->output_count == node->output_count) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Function %s has %d %s, and its call %s has %d", name,
      is_input ? routine->input_count : routine->output_count,
      is_input ? "arguments" : "results", node->name,
      is_input ? node->input_count : node->output_count);
}

// Checks what a call has given.
static berth_code_t types_check(const berth_node_t *node,
                                berth_tensor_t *const *outputs,
                                berth_error_t *err) {
  for (int i = 0; i < node->output_count; ++i) {
    if (outputs[i]->dtype == node->output_types[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expects ret[%d] to be %s but %s is provided", i,
                           berth_dtype_name(node->output_types[i]),
                           berth_dtype_name(outputs[i]->dtype));
  }
  return BERTH_OK;
}

static berth_code_t call_run(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_routine_t *routine = (berth_routine_t *)call->resource;
  const berth_node_t *node = call->node;
  BERTH_TRY(counts_check(routine, node, call->err));
  BERTH_TRY(routine->call(routine, call->inputs, call->outputs, call->control,
                          call->err));
  // What was given is the run's, whatever it is.
  return types_check(node, call->outputs, call->err);
}

static berth_code_t call_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  (void)err;
  prepare->run = call_run;
  return BERTH_OK;
}

// Says no to a call whose function could not be made out.
static bool call_select(const berth_node_t *node, berth_str_t *why) {
  const char *reason = berth_node_attr_string(node, BERTH_WHY_NOT, NULL);
  if (reason != NULL && why != NULL) berth_str_printf(why, "%s", reason);
  return reason == NULL;
}

#define CALL(name) \
  { .op = name, .prepare = call_prepare, .select = call_select }

const berth_kernel_t berth_call_kernels[] = {
    CALL("PartitionedCall"), CALL("StatefulPartitionedCall"), {.op = NULL}};
