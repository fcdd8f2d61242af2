// deref.c - Reading the value behind a reference, and giving it another shape.
#include "exec/deref.h"

#include "exec/pseudo.h"
#include "state/variable.h"

static const berth_op_schema_t deref_schema = {
    .name = "_Deref",
    .is_stateful = true,
    .traits = BERTH_OP_MAKES | BERTH_OP_IMPURE};

berth_variable_t *berth_deref_variable(const void *handle) {
  return (berth_variable_t *)((const berth_handle_t *)handle)->resource;
}

static berth_code_t deref_run(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_variable_t *variable = berth_deref_variable(args[0]);
  berth_tensor_t *value = berth_variable_read(variable);
  if (value == NULL) {
    BERTH_TRY(berth_variable_fail_away(variable, call->err));
    return berth_error_set(call->err, BERTH_FAILED_PRECONDITION,
                           "Attempting to use uninitialized value %s",
                           berth_variable_name(variable));
  }
  call->outputs[0] = value;
  return BERTH_OK;
}

// Expects the shape that the variable has now; the run checks it.
static berth_code_t deref_prepare(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  prepare->run = deref_run;
  const void *handle = prepare->op.inputs[0].value;
  if (handle == NULL) return BERTH_OK;
  berth_tensor_t *value = berth_variable_read(berth_deref_variable(handle));
  if (value != NULL) {
    berth_case_output(&prepare->op, 0, berth_tensor_dims(value));
    berth_tensor_release(value);
  }
  return BERTH_OK;
}

const berth_kernel_t berth_deref_kernel = {
    .op = "_Deref",
    .prepare = deref_prepare,
};

berth_node_t *berth_deref_node(berth_arena_t *arena, const char *name,
                               berth_dtype_t dtype) {
  return berth_pseudo_node(arena, sizeof(berth_node_t), &deref_schema, name,
                           dtype);
}

// ---- Views ----

static const berth_op_schema_t view_schema = {.name = "_View",
                                              .traits = BERTH_OP_MOVES};

static berth_code_t view_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  (void)err;
  const berth_case_input_t *held = &prepare->op.inputs[0];
  const berth_case_input_t *seen = &prepare->op.inputs[1];
  prepare->op.alias = held->count == seen->count ? 0 : 1;
  berth_case_output(&prepare->op, 0, (berth_dims_t){seen->rank, seen->dims});
  return BERTH_OK;
}

static const berth_kernel_t view_kernel = {.op = "_View",
                                           .prepare = view_prepare};

bool berth_view_step(const char *label, berth_dtype_t dtype,
                     berth_arena_t *arena, berth_step_t *step) {
  berth_node_t *node =
      berth_pseudo_node(arena, sizeof(*node), &view_schema, label, dtype);
  if (node == NULL) return false;
  node->input_count = 2;
  step->node = node;
  step->input_count = 2;
  step->output_count = 1;
  berth_step_set_kernel(step, &view_kernel);
  return true;
}
