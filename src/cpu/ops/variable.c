// variable.c - Kernels on variables, those of references and of resources.
//
// A reference (TensorFlow 1) and a handle to a resource are the same thing
// here: a handle that holds a variable. They differ in their error texts, and
// in that updates through a reference give it on.
//
// A value is a tensor in the memory of the variable's device. Reading and
// assigning hand tensors around and look at none, so these kernels serve every
// device; updates are each backend's own.
#include "state/variable.h"
#include "cpu/kernels.h"
#include "cpu/loops/update.h"
#include "cpu/ops/move.h"
#include "kernel/bind.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/commit.h"

// ---- Variables themselves ----

// Puts a variable that only its handle knows into |to|.
static berth_code_t make_anonymous(void *to, berth_call_t *call) {
  static atomic_ullong made = 0;
  char key[64];
  snprintf(key, sizeof(key), BERTH_ANONYMOUS "_%llu",
           atomic_fetch_add(&made, 1));
  berth_variable_t *variable = NULL;
  BERTH_TRY(berth_bind_variable(call->node, call->container, key, &variable,
                                call->err));
  berth_container_remove(call->container,
                         berth_node_attr_string(call->node, "container", ""),
                         BERTH_RESOURCE_VARIABLE, key);
  berth_handle_set(to, (berth_resource_t *)variable);
  berth_resource_release((berth_resource_t *)variable);
  return BERTH_OK;
}

// Makes the variable of one run, which goes with the last reference to it.
static berth_code_t run_temporary(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  BERTH_TRY(make_anonymous(args[0], call));
  const berth_attr_value_t *shape = berth_node_attr(call->node, "shape");
  berth_handle_t *handle = args[0];
  return berth_variable_declare((berth_variable_t *)handle->resource,
                                shape->shape, call->err);
}

static berth_code_t prepare_temporary(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_temporary;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t run_handle(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  if (call->resource == NULL) return make_anonymous(args[0], call);
  berth_handle_set(args[0], call->resource);
  return BERTH_OK;
}

// The output is one handle, whatever shape the variable has.
static berth_code_t prepare_handle(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  prepare->run = run_handle;
  return berth_op_handle(&prepare->op, err);
}

// ---- Errors ----

static berth_code_t get_variable(const void *handle,
                                 berth_variable_t **out_variable,
                                 berth_error_t *err) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(handle, BERTH_RESOURCE_VARIABLE, &resource, err));
  *out_variable = (berth_variable_t *)resource;
  return BERTH_OK;
}

static berth_code_t fail_unread(const berth_variable_t *variable,
                                const berth_call_t *call) {
  char text[BERTH_LOOKUP_TEXT];
  return berth_error_set(
      call->err, BERTH_FAILED_PRECONDITION,
      "Could not find variable %s. This could mean that the variable has been "
      "deleted. In TF1, it can also mean the variable is uninitialized. Debug "
      "info: container=localhost, status error message=%s",
      berth_variable_name(variable),
      berth_variable_lookup_text(variable, call->container, text));
}

// ---- Reading ----

static berth_code_t run_read(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_variable_t *variable = NULL;
  BERTH_TRY(get_variable(args[0], &variable, call->err));
  berth_dtype_t dtype = call->node->output_types[0];
  berth_tensor_t *value = berth_variable_read(variable);
  if (value == NULL) {
    BERTH_TRY(berth_variable_fail_away(variable, call->err));
    return fail_unread(variable, call);
  }
  berth_code_t code = BERTH_OK;
  if (value->dtype != dtype) {
    code = berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Trying to read variable with wrong dtype. Expected %s got %s",
        berth_dtype_name(dtype), berth_dtype_name(value->dtype));
  } else if (call->stream != NULL) {
    code = berth_variable_check_device(variable, value, call->stream->device,
                                       call->err);
  }
  if (code == BERTH_OK) {
    call->outputs[0] = value;
  } else {
    berth_tensor_release(value);
  }
  return code;
}

// Expects the shape that the variable has now, where the handle is known.
static berth_code_t prepare_read(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_read_variable(&prepare->op, err));
  prepare->run = run_read;
  const berth_handle_t *handle = prepare->op.inputs[0].value;
  if (handle == NULL || handle->resource == NULL ||
      handle->resource->kind != BERTH_RESOURCE_VARIABLE) {
    return BERTH_OK;
  }
  berth_shape_t shape;
  if (berth_variable_get_shape((berth_variable_t *)handle->resource, &shape)) {
    berth_case_output(&prepare->op, 0, berth_shape_dims(&shape));
  }
  return BERTH_OK;
}

static berth_code_t run_shape(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_variable_t *variable = NULL;
  BERTH_TRY(get_variable(args[0], &variable, call->err));
  berth_shape_t of;
  if (!berth_variable_get_shape(variable, &of)) {
    return berth_variable_fail_update(variable, call->container, false,
                                      call->err);
  }
  berth_tensor_t *shape = NULL;
  berth_dtype_t dtype = call->node->output_types[0];
  berth_code_t code =
      berth_tensor_create(dtype, BERTH_SHAPE(of.rank), &shape, call->err);
  for (int32_t i = 0; code == BERTH_OK && i < of.rank; ++i) {
    if (dtype == BERTH_INT64) {
      ((int64_t *)shape->data)[i] = of.dims[i];
    } else {
      ((int32_t *)shape->data)[i] = (int32_t)of.dims[i];
    }
  }
  call->outputs[0] = shape;
  return code;
}

static berth_code_t prepare_variable_shape(berth_prepare_t *prepare,
                                           berth_error_t *err) {
  prepare->run = run_shape;
  return berth_op_read_variable(&prepare->op, err);
}

static berth_code_t run_is_initialized(const void *plan, void *const *args,
                                       berth_call_t *call) {
  (void)plan;
  (void)call;
  berth_variable_t *variable = NULL;
  bool is = get_variable(args[0], &variable, NULL) == BERTH_OK &&
            berth_variable_is_initialized(variable);
  *(bool *)args[1] = is;
  return BERTH_OK;
}

static berth_code_t prepare_is_initialized(berth_prepare_t *prepare,
                                           berth_error_t *err) {
  prepare->run = run_is_initialized;
  return berth_op_handle(&prepare->op, err);
}

// ---- Assigning ----

// What an Assign checks: a shape that a variable must have already.
typedef struct assign_arg {
  bool validates;
  bool is_ref;
  berth_dims_t declared;  // Of a reference: counts before there is a value.
} assign_arg_t;

static berth_code_t check_assign(const berth_change_t *change,
                                 const berth_tensor_t *now,
                                 berth_error_t *err) {
  const assign_arg_t *with = (const assign_arg_t *)(const void *)change->arg;
  berth_dims_t given = berth_tensor_dims(change->value);
  berth_dims_t has = now != NULL ? berth_tensor_dims(now) : with->declared;
  char text[BERTH_DIMS_TEXT], text_given[BERTH_DIMS_TEXT];
  if (!with->validates || berth_dims_equal(has, given)) return BERTH_OK;
  if (with->is_ref) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Assign requires shapes of both tensors to match. "
                           "lhs shape= %s rhs shape= %s",
                           berth_dims_text(has, text),
                           berth_dims_text(given, text_given));
  }
  if (now == NULL) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Trying to assign to variable with tensor with wrong shape. Expected %s "
      "got %s",
      berth_dims_text(has, text), berth_dims_text(given, text_given));
}

// Adds to the commit that |variable| becomes input 1, and lends what is checked
// to be filled in.
static berth_code_t assign_add(berth_variable_t *variable, berth_call_t *call,
                               assign_arg_t **out_arg) {
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_commit_add(call->commit, variable, call->node, &change, call->err));
  change->check = check_assign;
  change->value = berth_tensor_retain(call->inputs[1]);
  *out_arg = (assign_arg_t *)(void *)change->arg;
  return BERTH_OK;
}

static berth_code_t run_assign_ref(const void *plan, void *const *args,
                                   berth_call_t *call) {
  berth_variable_t *variable = NULL;
  assign_arg_t *arg = NULL;
  BERTH_TRY(get_variable(args[0], &variable, call->err));
  berth_dims_t declared = berth_variable_declared(variable);
  BERTH_TRY(assign_add(variable, call, &arg));
  arg->validates = *(const bool *)plan;
  arg->is_ref = true;
  arg->declared = declared;
  berth_handle_set(args[2], (berth_resource_t *)variable);
  return BERTH_OK;
}

static berth_code_t run_assign_resource(const void *plan, void *const *args,
                                        berth_call_t *call) {
  const berth_tensor_t *value = call->inputs[1];
  berth_variable_t *variable = NULL;
  assign_arg_t *arg = NULL;
  BERTH_TRY(get_variable(args[0], &variable, call->err));
  if (berth_variable_dtype(variable) != value->dtype) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to assign variable with wrong dtype. "
                           "Expected %s got %s",
                           berth_dtype_name(berth_variable_dtype(variable)),
                           berth_dtype_name(value->dtype));
  }
  berth_container_mark(call->container);
  BERTH_TRY(assign_add(variable, call, &arg));
  arg->validates = *(const bool *)plan;
  arg->is_ref = false;
  arg->declared = BERTH_SCALAR;
  return BERTH_OK;
}

// The plan is whether shapes are validated.
static berth_code_t prepare_assign(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  bool *validates = berth_prepare_plan(prepare, sizeof(*validates));
  if (validates == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_assign(&prepare->op, validates, err));
  bool is_ref = prepare->op.output_count > 0;
  prepare->run = is_ref ? run_assign_ref : run_assign_resource;
  return BERTH_OK;
}

// ---- Updating ----

typedef struct update_plan {
  berth_variable_change_t change;
  berth_update_t update;
} update_plan_t;

typedef struct update_arg {
  const update_plan_t *plan;
  const void *value;
  berth_container_t *container;
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
  return berth_variable_check_update(now, wanted->dtype, wanted->dims,
                                     wanted->is_ref, err);
}

static berth_code_t apply_update(const berth_change_t *change,
                                 const berth_tensor_t *from, berth_tensor_t *to,
                                 berth_error_t *err) {
  (void)err;
  const update_arg_t *with = update_arg(change);
  berth_update_do(&with->plan->update, from->data, with->value, to->data,
                  to->count);
  return BERTH_OK;
}

static berth_code_t run_update(const void *plan, void *const *args,
                               berth_call_t *call) {
  const update_plan_t *with = plan;
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_handle_change(args[0], check_update, apply_update, call, &change));
  *(update_arg_t *)(void *)change->arg =
      (update_arg_t){with, args[1], call->container};
  if (with->change.is_ref) berth_handle_give(args[2], change);
  return BERTH_OK;
}

static berth_code_t prepare_update(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  update_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_update(&prepare->op, &plan->change, err));
  plan->update = berth_update_of(plan->change.dtype, plan->change.subtracts);
  prepare->run = run_update;
  prepare->work = prepare->op.inputs[1].count;
  return BERTH_OK;
}

// ---- Destroying ----

static berth_code_t run_destroy(const void *plan, void *const *args,
                                berth_call_t *call) {
  const bool *ignores = plan;
  const berth_handle_t *handle = args[0];
  berth_variable_t *variable = NULL;
  if (handle->resource == NULL) return BERTH_OK;
  // Other resources end with their last user.
  if (handle->resource->kind != BERTH_RESOURCE_VARIABLE) return BERTH_OK;
  BERTH_TRY(get_variable(handle, &variable, call->err));
  // One that only its handles know ends with the last of them.
  if (strncmp(berth_variable_name(variable), BERTH_ANONYMOUS "_",
              strlen(BERTH_ANONYMOUS "_")) == 0) {
    return BERTH_OK;
  }
  if (!*ignores && !berth_variable_is_initialized(variable)) {
    return berth_error_set(call->err, BERTH_NOT_FOUND,
                           "Resource localhost/%s/<unknown> does not exist.",
                           berth_variable_name(variable));
  }
  berth_variable_reset(variable);
  return BERTH_OK;
}

static berth_code_t prepare_destroy(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  bool *ignores = berth_prepare_plan(prepare, sizeof(*ignores));
  if (ignores == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_destroy;
  return berth_op_destroy(&prepare->op, ignores, err);
}

// Gives the last value of a variable of this run.
static berth_code_t run_destroy_temporary(const void *plan, void *const *args,
                                          berth_call_t *call) {
  (void)plan;
  berth_variable_t *variable = NULL;
  BERTH_TRY(get_variable(args[0], &variable, call->err));
  berth_tensor_t *value = berth_variable_read(variable);
  if (value == NULL) {
    BERTH_TRY(berth_variable_fail_away(variable, call->err));
    return berth_variable_fail_update(variable, call->container, true,
                                      call->err);
  }
  call->outputs[0] = value;
  return BERTH_OK;
}

static berth_code_t prepare_destroy_temporary(berth_prepare_t *prepare,
                                              berth_error_t *err) {
  prepare->run = run_destroy_temporary;
  return berth_op_read_variable(&prepare->op, err);
}

#define ASSIGN_TYPES                                            \
  (BERTH_TYPES_BASIC | BERTH_TYPE(QINT32) | BERTH_TYPE(QINT8) | \
   BERTH_TYPE(QUINT8) | BERTH_TYPES_OBJECT)
#define REF_TYPES (ASSIGN_TYPES | BERTH_TYPE(QUINT16))
// What devices with memory of their own keep there: int32 is the host's.
#define DEVICE_TYPES (BERTH_TYPES_BASIC & ~BERTH_TYPE(INT32))
#define UPDATE(name, attr)                                 \
  {                                                        \
    .op = name, .types = {{attr, BERTH_TYPES_ARITHMETIC}}, \
    .prepare = prepare_update                              \
  }

const berth_kernel_t berth_cpu_variable_kernels[] = {
    {.op = "VariableV2", .prepare = prepare_handle},
    {.op = "Variable", .prepare = prepare_handle},
    {.op = "TemporaryVariable", .prepare = prepare_temporary},
    {.op = "DestroyTemporaryVariable",
     .prepare = prepare_destroy_temporary,
     .anywhere = DEVICE_TYPES},
    {.op = "VarHandleOp", .prepare = prepare_handle},
    {.op = "ReadVariableOp",
     .prepare = prepare_read,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "VariableShape",
     .types = {{"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_variable_shape},
    {.op = "IsVariableInitialized", .prepare = prepare_is_initialized},
    {.op = "VarIsInitializedOp", .prepare = prepare_is_initialized},
    {.op = "Assign",
     .types = {{"T", REF_TYPES}},
     .prepare = prepare_assign,
     .anywhere = DEVICE_TYPES},
    {.op = "AssignVariableOp",
     .types = {{"dtype", ASSIGN_TYPES | BERTH_TYPES_TINY}},
     .prepare = prepare_assign,
     .anywhere = DEVICE_TYPES | BERTH_TYPES_TINY},
    UPDATE("AssignAdd", "T"),
    UPDATE("AssignSub", "T"),
    UPDATE("AssignAddVariableOp", "dtype"),
    UPDATE("AssignSubVariableOp", "dtype"),
    {.op = "DestroyResourceOp", .prepare = prepare_destroy},
    {.op = NULL},
};
