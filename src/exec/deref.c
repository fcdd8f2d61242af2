// deref.c - Reading the value behind a reference, and giving it another shape.
#include "exec/deref.h"

#include <string.h>

#include "base/alloc.h"
#include "exec/pseudo.h"
#include "kernel/handle.h"
#include "state/rows.h"
#include "state/variable.h"

static const berth_op_schema_t deref_schema = {
    .name = "_Deref",
    .is_stateful = true,
    .traits = BERTH_OP_MAKES | BERTH_OP_IMPURE};

berth_variable_t *berth_deref_variable(const void *handle) {
  berth_resource_t *resource = ((const berth_handle_t *)handle)->resource;
  bool is_variable = resource->kind == BERTH_RESOURCE_VARIABLE;
  return is_variable ? (berth_variable_t *)resource : NULL;
}

static berth_code_t hand_out(berth_variable_t *variable, berth_tensor_t *value,
                             berth_call_t *call) {
  if (value == NULL) {
    BERTH_TRY(berth_variable_fail_away(variable, call->err));
    return berth_error_set(call->err, BERTH_FAILED_PRECONDITION,
                           "Attempting to use uninitialized value %s",
                           berth_variable_name(variable));
  }
  call->outputs[0] = value;
  return BERTH_OK;
}

static berth_code_t deref_run(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_variable_t *variable = berth_deref_variable(args[0]);
  if (variable == NULL) {
    return berth_handle_texts(((const berth_handle_t *)args[0])->resource,
                              &call->outputs[0], call->err);
  }
  return hand_out(variable, berth_variable_read(variable), call);
}

static berth_code_t deref_rows_run(const void *plan, void *const *args,
                                   berth_call_t *call) {
  berth_variable_t *variable = berth_deref_variable(args[0]);
  if (variable == NULL) return deref_run(plan, args, call);
  return hand_out(variable, berth_variable_read_rows(variable), call);
}

// Expects the shape that the variable has now; the run checks it.
static void expect_shape(berth_prepare_t *prepare) {
  const void *handle = prepare->op.inputs[0].value;
  berth_variable_t *variable =
      handle != NULL ? berth_deref_variable(handle) : NULL;
  berth_shape_t shape;
  if (variable != NULL && berth_variable_get_shape(variable, &shape)) {
    berth_case_output(&prepare->op, 0, berth_shape_dims(&shape));
  }
}

static berth_code_t deref_prepare(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  prepare->run = deref_run;
  expect_shape(prepare);
  return BERTH_OK;
}

static berth_code_t deref_rows_prepare(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  (void)err;
  prepare->run = deref_rows_run;
  expect_shape(prepare);
  return BERTH_OK;
}

const berth_kernel_t berth_deref_kernel = {
    .op = "_Deref",
    .prepare = deref_prepare,
};

static const berth_kernel_t deref_rows_kernel = {
    .op = "_Deref",
    .prepare = deref_rows_prepare,
};

berth_node_t *berth_deref_node(berth_arena_t *arena, const char *name,
                               berth_dtype_t dtype) {
  return berth_pseudo_node(arena, sizeof(berth_node_t), &deref_schema, name,
                           dtype);
}

// ---- Rows ----

// True when |step| does no more with its input |index| than to take rows.
static bool takes_rows(const berth_step_t *step, int index) {
  static const char *const takers[] = {"Gather", "GatherV2", "GatherNd"};
  if ((step->traits & BERTH_OP_SHAPES) != 0) return true;
  if (index > 0 || !step->on_host) return false;
  for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); ++i) {
    if (strcmp(step->node->op->name, takers[i]) == 0) return true;
  }
  return false;
}

// Notes in |is_whole|, by slot, whose values are used otherwise than by rows,
// as far as |step| knows: it uses them, or hands them on to who does.
static void step_note(const berth_program_t *p, const berth_step_t *step,
                      bool *is_whole) {
  const int32_t *slots = p->args + step->first_arg;
  for (int i = 0; i < step->input_count; ++i) {
    bool passes = (step->traits & BERTH_OP_PASSES) != 0 &&
                  i < step->output_count && step->on_host;
    bool is_fine =
        passes ? !is_whole[slots[step->input_count + i]] : takes_rows(step, i);
    if (!is_fine) is_whole[slots[i]] = true;
  }
}

berth_code_t berth_derefs_finish(berth_program_t *p, berth_error_t *err) {
  if (p->flow != NULL) return BERTH_OK;
  bool *is_whole = berth_calloc((size_t)p->slot_count + 1, 1);
  if (is_whole == NULL) return berth_error_no_memory(err, "a program");
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    if (p->fetch_slots[i] >= 0) is_whole[p->fetch_slots[i]] = true;
  }
  for (int s = p->step_count - 1; s >= 0; --s) {
    berth_step_t *step = &p->steps[s];
    step_note(p, step, is_whole);
    int32_t output = p->args[step->first_arg + step->input_count];
    if (step->kernel == &berth_deref_kernel && !is_whole[output]) {
      berth_step_set_kernel(step, &deref_rows_kernel);
    }
  }
  berth_free(is_whole);
  return BERTH_OK;
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
