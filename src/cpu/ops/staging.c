// staging.c - Kernels of staging areas whose tuples are found by keys.
//
// What cannot be done at once is parked in the area (state/staging_map.h), as
// operations on queues are. Each device has areas of its own.
#include "state/staging_map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "cpu/ops/list.h"
#include "kernel/handle.h"

// Finds the area of |call|, or makes it as its node says. The caller owns one
// reference.
static berth_code_t get_map(const berth_call_t *call,
                            berth_staging_map_t **out_map) {
  const berth_node_t *node = call->node;
  const berth_attr_value_t *types = berth_node_attr(node, "dtypes");
  berth_staging_options_t options = {
      .width = types != NULL ? types->count : 0,
      .capacity = berth_node_attr_int(node, "capacity", 0),
      .memory_limit = (uint64_t)berth_node_attr_int(node, "memory_limit", 0),
      .is_ordered = strncmp(node->op->name, "Ordered", 7) == 0};
  berth_str_t key = {0};
  berth_str_printf(&key, "%d/%s", call->place, berth_handle_key(node));
  berth_code_t code =
      berth_str_ok(&key)
          ? berth_staging_map_get(
                call->container, berth_node_attr_string(node, "container", ""),
                berth_str_get(&key), &options, out_map, call->err)
          : berth_error_no_memory(call->err, "a text");
  berth_str_clear(&key);
  return code;
}

// ---- Operations ----

// One on its way. The end of a parked one may be told while the run gives it up,
// so that it stays until the completion does.
typedef struct pending {
  berth_staging_op_t op;
  berth_completion_t *completion;
  const berth_node_t *node;
  int32_t indices[];
} pending_t;

static void pending_destroy(pending_t *pending) {
  for (int32_t i = 0; i < pending->op.count; ++i) {
    berth_tensor_release(pending->op.tensors[i]);
  }
  berth_resource_release((berth_resource_t *)pending->op.map);
  berth_error_clear(&pending->op.error);
  berth_free(pending->op.tensors);
  berth_free(pending);
}

static pending_t **pending_of(berth_completion_t *completion) {
  return (pending_t **)(void *)completion->storage;
}

// Makes an operation with the numbers that |indices| has.
static berth_code_t pending_create(const berth_call_t *call,
                                   berth_staging_kind_t kind,
                                   const berth_tensor_t *indices,
                                   pending_t **out_pending) {
  size_t count = (size_t)indices->count;
  pending_t *pending =
      berth_calloc(1, sizeof(*pending) + count * sizeof(int32_t));
  berth_tensor_t **tensors = berth_calloc(count + 1, sizeof(*tensors));
  if (pending == NULL || tensors == NULL) {
    berth_free(pending);
    berth_free(tensors);
    return berth_error_no_memory(call->err, "a tuple");
  }
  if (count > 0) {
    memcpy(pending->indices, indices->data, count * sizeof(int32_t));
  }
  pending->node = call->node;
  pending->op = (berth_staging_op_t){.kind = kind,
                                     .count = (int32_t)count,
                                     .indices = pending->indices,
                                     .tensors = tensors};
  *out_pending = pending;
  return BERTH_OK;
}

// ---- Results ----

// Checks what was taken against outputs from |first| on.
static berth_code_t check_taken(const pending_t *pending, int first,
                                berth_error_t *err) {
  const berth_node_t *node = pending->node;
  int count = node->output_count - first;
  for (int32_t i = 0; i < pending->op.count && i < count; ++i) {
    berth_dtype_t is = pending->op.tensors[i]->dtype;
    berth_dtype_t wanted = node->output_types[first + i];
    if (is == wanted) continue;
    return berth_error_set(err, BERTH_INTERNAL,
                           "Output %d of type %s does not match declared "
                           "output type %s for node {{node %s}}",
                           first + (int)i, berth_dtype_name(is),
                           berth_dtype_name(wanted), node->name);
  }
  if (pending->op.count < count) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "Missing %d-th output from {{node %s}}",
                           first + (int)pending->op.count, node->name);
  }
  if (pending->op.count == count) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%d indices for %d outputs of {{node %s}}",
                         (int)pending->op.count, count, node->name);
}

// Moves what was taken to |outputs|, behind the key if that is asked for.
static berth_code_t give(pending_t *pending, berth_tensor_t **outputs,
                         berth_error_t *err) {
  int first = pending->op.kind == BERTH_STAGING_TAKE_ANY ? 1 : 0;
  if (pending->op.kind == BERTH_STAGING_PUT) return BERTH_OK;
  BERTH_TRY(check_taken(pending, first, err));
  if (first > 0) {
    BERTH_TRY(
        berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &outputs[0], err));
    *(int64_t *)outputs[0]->data = pending->op.key;
  }
  for (int32_t i = 0; i < pending->op.count; ++i) {
    outputs[first + i] = pending->op.tensors[i];
    pending->op.tensors[i] = NULL;
  }
  return BERTH_OK;
}

static void pending_done(berth_staging_op_t *op, berth_code_t code) {
  pending_t *pending = (pending_t *)op;
  size_t count = (size_t)pending->node->output_count + 1;
  berth_tensor_t **outputs = berth_calloc(count, sizeof(*outputs));
  if (outputs == NULL) {
    code = berth_error_no_memory(&op->error, "a tuple");
  } else if (code == BERTH_OK) {
    code = give(pending, outputs, &op->error);
  }
  pending->completion->done(pending->completion, code,
                            berth_error_message(&op->error), outputs);
  berth_free(outputs);
}

static void pending_cancel(berth_completion_t *completion) {
  berth_staging_cancel(&(*pending_of(completion))->op);
}

static void pending_cleanup(berth_completion_t *completion) {
  pending_destroy(*pending_of(completion));
}

// Does |pending|, which is taken over, or parks it.
static berth_code_t pending_run(berth_call_t *call, pending_t *pending) {
  berth_completion_t *completion = call->completion;
  berth_staging_map_t *map = NULL;
  bool is_parked = false;
  berth_code_t code = get_map(call, &map);
  if (code == BERTH_OK && completion == NULL) {
    code = berth_error_set(call->err, BERTH_INTERNAL,
                           "%s was run without a completion", call->node->name);
  }
  pending->op.map = map;
  if (code != BERTH_OK) {
    pending_destroy(pending);
    return code;
  }
  pending->completion = completion;
  pending->op.done = pending_done;
  *pending_of(completion) = pending;
  completion->cancel = pending_cancel;
  completion->cleanup = pending_cleanup;
  code = berth_staging_run(map, &pending->op, &is_parked);
  if (is_parked) return BERTH_PENDING;
  completion->cleanup = NULL;
  if (code == BERTH_OK) {
    code = give(pending, call->outputs, call->err);
  } else {
    (void)berth_error_set_text(call->err, code,
                               berth_error_message(&pending->op.error));
  }
  pending_destroy(pending);
  return code;
}

// ---- Kernels ----

static berth_code_t run_put(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan, (void)args;
  const berth_tensor_t *key = call->inputs[0], *indices = call->inputs[1];
  int64_t count = indices->count;
  if (key->count == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "key must not be empty");
  }
  if (key->count > 1) {
    return berth_list_fail_shape(
        call, "key must be an int64 scalar, got tensor with shape: ", key);
  }
  if (count > call->node->input_count - 2) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "%d values for %lld indices",
                           call->node->input_count - 2, (long long)count);
  }
  pending_t *pending = NULL;
  BERTH_TRY(pending_create(call, BERTH_STAGING_PUT, indices, &pending));
  pending->op.key = *(const int64_t *)key->data;
  for (int64_t i = 0; i < count; ++i) {
    pending->op.tensors[i] = berth_tensor_retain(call->inputs[2 + i]);
  }
  return pending_run(call, pending);
}

static berth_code_t run_keyed(berth_call_t *call, berth_staging_kind_t kind) {
  const berth_tensor_t *key = call->inputs[0];
  pending_t *pending = NULL;
  if (key->rank != 0) {
    return berth_list_fail_shape(call, "key must be an int64 scalar: ", key);
  }
  BERTH_TRY(pending_create(call, kind, call->inputs[1], &pending));
  pending->op.key = *(const int64_t *)key->data;
  return pending_run(call, pending);
}

static berth_code_t run_peek(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  return run_keyed(call, BERTH_STAGING_PEEK);
}

static berth_code_t run_take(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  return run_keyed(call, BERTH_STAGING_TAKE);
}

static berth_code_t run_take_any(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan, (void)args;
  pending_t *pending = NULL;
  BERTH_TRY(
      pending_create(call, BERTH_STAGING_TAKE_ANY, call->inputs[0], &pending));
  return pending_run(call, pending);
}

// Gives how many tuples are whole, or are not.
static berth_code_t give_size(berth_call_t *call, bool is_whole) {
  berth_staging_map_t *map = NULL;
  int32_t whole = 0, parts = 0;
  BERTH_TRY(get_map(call, &map));
  berth_staging_map_query(map, &whole, &parts);
  berth_resource_release((berth_resource_t *)map);
  BERTH_TRY(berth_element_scalar(call, BERTH_INT32, &call->outputs[0]));
  *(int32_t *)call->outputs[0]->data = is_whole ? whole : parts;
  return BERTH_OK;
}

static berth_code_t run_size(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  return give_size(call, true);
}

static berth_code_t run_parts(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan, (void)args;
  return give_size(call, false);
}

static berth_code_t run_clear(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan, (void)args;
  berth_staging_map_t *map = NULL;
  BERTH_TRY(get_map(call, &map));
  berth_staging_map_clear(map);
  berth_resource_release((berth_resource_t *)map);
  return BERTH_OK;
}

BERTH_LIST_PREPARE(put)
BERTH_LIST_PREPARE(peek)
BERTH_LIST_PREPARE(take)
BERTH_LIST_PREPARE(take_any)
BERTH_LIST_PREPARE(size)
BERTH_LIST_PREPARE(parts)
BERTH_LIST_PREPARE(clear)

// Also of areas in order (op/name.h).
#define STAGING(name, what) \
  { .op = "Map" name, .prepare = prepare_##what, .anywhere = BERTH_TYPES_ALL }

const berth_kernel_t berth_cpu_staging_kernels[] = {
    STAGING("Stage", put),    STAGING("Peek", peek),
    STAGING("Unstage", take), STAGING("UnstageNoKey", take_any),
    STAGING("Size", size),    STAGING("IncompleteSize", parts),
    STAGING("Clear", clear),  {.op = NULL},
};
