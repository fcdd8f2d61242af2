// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Most of them run nothing: output 0 is input 0 (op/alias.h).
#include "op/alias.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/kernels.h"
#include "tensor/compact.h"

// Defines prepare_<name>(), which has no work.
#define ALIAS(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return berth_op_##name(&prepare->op, err);                 \
  }

ALIAS(identity)
ALIAS(reshape)
ALIAS(expand_dims)
ALIAS(squeeze)
ALIAS(ensure_shape)

static berth_code_t prepare_guarantee(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  if (prepare->op.inputs[0].dtype == BERTH_RESOURCE) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input tensor cannot be a resource variable handle.");
  }
  return berth_op_identity(&prepare->op, err);
}

// What is watched goes to no place here: urls are for debuggers.
static bool select_watch(const berth_node_t *node, berth_str_t *why) {
  const berth_attr_value_t *urls = berth_node_attr(node, "debug_urls");
  if (urls == NULL || urls->count == 0) return true;
  if (why != NULL) berth_str_puts(why, "Berth has it without debug_urls");
  return false;
}

static bool is_number(const char *text) {
  char *end = NULL;
  (void)strtol(text, &end, 10);
  return end != text && *end == 0;
}

// A tensor's name is a node's, with the number of the output or without.
static berth_code_t prepare_watch(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_node_t *node = prepare->op.node;
  const char *name = berth_node_attr_string(node, "tensor_name", "");
  const char *slot = strchr(name, ':');
  if (name[0] == 0 || (slot != NULL && strchr(slot + 1, ':') != NULL)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Failed to parse tensor name: \"%s\"", name);
  }
  if (slot != NULL && !is_number(slot + 1)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid string value for output_slot: \"%s\"",
                           slot + 1);
  }
  return berth_op_identity(&prepare->op, err);
}

static berth_code_t run_identity_n(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  for (int i = 0; i < call->node->output_count; ++i) {
    call->outputs[i] = berth_tensor_retain(call->inputs[i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_identity_n(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  prepare->run = run_identity_n;
  return berth_op_identity_n(&prepare->op, err);
}

static berth_code_t prepare_no_op(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  prepare->run = berth_run_nothing;
  return BERTH_OK;
}

// ---- Constants and placeholders ----

static berth_code_t run_const(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_tensor_t *value = *(const berth_tensor_t *const *)plan;
  int64_t there = berth_tensor_distinct(value);
  if (!berth_elements_copy(value->dtype, args[0], berth_tensor_elements(value),
                           there) ||
      (there < value->count &&
       !berth_elements_repeat(value->dtype, args[0], there, value->count))) {
    return berth_error_no_memory(call->err, "a constant");
  }
  return BERTH_OK;
}

static berth_code_t prepare_const(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_tensor_t *value = NULL;
  BERTH_TRY(berth_op_const(&prepare->op, &value, err));
  const berth_tensor_t **plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = value;
  prepare->run = run_const;
  prepare->work = (int64_t)value->size / 8;
  return BERTH_OK;
}

static berth_code_t run_placeholder(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan;
  (void)args;
  return berth_placeholder_fail(call->node, call->err);
}

static berth_code_t prepare_placeholder(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  prepare->run = run_placeholder;
  return berth_op_placeholder(&prepare->op, err);
}

// ---- Bitcast ----

static berth_code_t run_bitcast(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const size_t *size = plan;
  if (args[0] != args[1]) memcpy(args[1], args[0], *size);
  return BERTH_OK;
}

static berth_code_t prepare_bitcast(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_bitcast(&prepare->op, err));
  *size = (size_t)input->count * berth_dtype_size(input->dtype);
  prepare->run = *size > 0 ? run_bitcast : berth_run_nothing;
  prepare->work = (int64_t)*size / 8;
  return BERTH_OK;
}

#define IDENTITY(name) \
  { .op = name, .prepare = prepare_identity }

const berth_kernel_t berth_cpu_alias_kernels[] = {
    IDENTITY("Identity"),
    IDENTITY("StopGradient"),
    IDENTITY("_EagerConst"),
    IDENTITY("PreventGradient"),
    IDENTITY("Copy"),
    IDENTITY("CopyHost"),
    IDENTITY("DebugGradientIdentity"),
    IDENTITY("Snapshot"),
    {.op = "DebugIdentity", .prepare = prepare_watch, .select = select_watch},
    {.op = "DebugIdentityV2",
     .prepare = prepare_identity,
     .select = select_watch},
    {.op = "DebugIdentityV3", .prepare = prepare_watch, .select = select_watch},
    IDENTITY("PlaceholderWithDefault"),
    {.op = "GuaranteeConst", .prepare = prepare_guarantee},
    {.op = "IdentityN",
     .prepare = prepare_identity_n,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "NoOp", .prepare = prepare_no_op},
    {.op = "Const", .prepare = prepare_const},
    {.op = "Placeholder", .prepare = prepare_placeholder},
    {.op = "PlaceholderV2", .prepare = prepare_placeholder},
    {.op = "Reshape",
     .types = {{"Tshape", BERTH_TYPES_INDEX}},
     .prepare = prepare_reshape},
    {.op = "ExpandDims",
     .types = {{"Tdim", BERTH_TYPES_INDEX}},
     .prepare = prepare_expand_dims},
    {.op = "Squeeze", .prepare = prepare_squeeze},
    {.op = "EnsureShape", .prepare = prepare_ensure_shape},
    {.op = "Bitcast", .prepare = prepare_bitcast},
    {.op = NULL},
};
