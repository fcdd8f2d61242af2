// eager_entry.c - Kinds of eager calls that have been made before.
#include "base/hash.h"
#include "device/device.h"
#include "graph/builder.h"
#include "kernel/choice.h"
#include "place/one.h"
#include "runtime/eager_internal.h"

// Attributes count by name and kind; their values are compared afterwards.
static uint64_t request_hash(const berth_eager_request_t *request) {
  uint64_t hash = berth_hash(request->op, strlen(request->op), 0);
  for (int i = 0; i < request->input_count; ++i) {
    hash = hash * 31 + (uint64_t)request->inputs[i]->dtype;
  }
  if (request->device[0] != '\0') {
    hash = berth_hash(request->device, strlen(request->device), hash);
  }
  for (int i = 0; i < request->attr_count; ++i) {
    const berth_attr_t *attr = &request->attrs[i];
    hash = berth_hash(attr->name, strlen(attr->name), hash);
    if (attr->value.kind == BERTH_ATTR_INT) {
      hash = hash * 31 + (uint64_t)attr->value.i;
    }
  }
  return hash;
}

static bool entry_fits(const berth_eager_entry_t *entry,
                       const berth_eager_request_t *request) {
  if (entry->input_count != request->input_count ||
      entry->attr_count != request->attr_count ||
      strcmp(entry->op, request->op) != 0 ||
      strcmp(entry->device, request->device) != 0) {
    return false;
  }
  for (int i = 0; i < entry->input_count; ++i) {
    if (entry->types[i] != request->inputs[i]->dtype) return false;
  }
  for (int i = 0; i < entry->attr_count; ++i) {
    if (strcmp(entry->attrs[i].name, request->attrs[i].name) != 0 ||
        !berth_attr_equal(&entry->attrs[i].value, &request->attrs[i].value)) {
      return false;
    }
  }
  return true;
}

static berth_eager_entry_t *entry_find(berth_context_t *context, uint64_t hash,
                                       const berth_eager_request_t *request) {
  berth_eager_entry_t *entry = atomic_load_explicit(
      &context->buckets[hash % BERTH_EAGER_BUCKETS], memory_order_acquire);
  for (; entry != NULL; entry = entry->next) {
    if (entry->hash == hash && entry_fits(entry, request)) return entry;
  }
  return NULL;
}

// Says how many inputs each argument takes: one, but for the only argument of
// many, which takes the rest. With two such arguments the attributes must tell:
// |*out_counts| stays NULL.
static berth_code_t count_args(berth_context_t *context,
                               const berth_eager_request_t *request,
                               int32_t **out_counts, berth_error_t *err) {
  const berth_op_schema_t *schema = berth_schema_find(request->op);
  if (schema == NULL) return BERTH_OK;  // berth_graph_add() says so.
  int32_t *counts = berth_arena_calloc(
      &context->arena, (size_t)schema->input_count + 1, sizeof(*counts));
  if (counts == NULL) return berth_error_no_memory(err, "an eager call");
  int many = -1;
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    counts[i] = 1;
    if (arg->number_attr < 0 && arg->list_attr < 0) continue;
    if (many >= 0) return BERTH_OK;
    many = i;
  }
  if (many >= 0) counts[many] = request->input_count - schema->input_count + 1;
  if (many < 0 || counts[many] < 0) return BERTH_OK;
  *out_counts = counts;
  return BERTH_OK;
}

// Adds the node to the context's graph, over placeholders of the input types.
static berth_code_t node_make(berth_context_t *context,
                              const berth_eager_request_t *request,
                              int32_t *out_node, berth_error_t *err) {
  berth_graph_t *graph = context->graph;
  berth_out_t *inputs = berth_arena_calloc(
      &context->arena, (size_t)request->input_count + 1, sizeof(*inputs));
  if (inputs == NULL) return berth_error_no_memory(err, "an eager call");
  for (int i = 0; i < request->input_count; ++i) {
    berth_op_t *op = berth_op_begin(graph, "Placeholder", "input");
    berth_op_attr_type(op, "dtype", request->inputs[i]->dtype);
    BERTH_TRY(berth_op_try_finish(op, &inputs[i].node, err));
  }
  char *name = NULL;
  // Ops of the runtime's own begin with an underscore; names of nodes must not.
  const char *base = request->op + strspn(request->op, "_");
  BERTH_TRY(berth_graph_unique_name(graph, base, true, &name, err));
  berth_node_spec_t spec = {.op = request->op,
                            .name = name,
                            .device = "",
                            .inputs = inputs,
                            .input_count = request->input_count,
                            .attrs = request->attrs,
                            .attr_count = request->attr_count};
  int32_t *counts = NULL;
  berth_code_t code = count_args(context, request, &counts, err);
  spec.arg_counts = counts;
  berth_graph_lock(graph);
  if (code == BERTH_OK) code = berth_graph_add(graph, &spec, out_node, err);
  berth_graph_unlock(graph);
  berth_text_free(name);
  return code;
}

// Copies what identifies the call.
static berth_code_t entry_copy_key(berth_context_t *context,
                                   berth_eager_entry_t *entry,
                                   const berth_eager_request_t *request,
                                   berth_error_t *err) {
  berth_arena_t *arena = &context->arena;
  size_t count = (size_t)request->input_count;
  berth_attr_t *attrs = berth_arena_calloc(
      arena, (size_t)request->attr_count + 1, sizeof(*attrs));
  entry->op = berth_arena_strndup(arena, request->op, strlen(request->op));
  entry->device =
      berth_arena_strndup(arena, request->device, strlen(request->device));
  entry->types = berth_arena_calloc(arena, count + 1, sizeof(*entry->types));
  if (attrs == NULL || entry->op == NULL || entry->device == NULL ||
      entry->types == NULL) {
    return berth_error_no_memory(err, "an eager call");
  }
  for (size_t i = 0; i < count; ++i) {
    entry->types[i] = request->inputs[i]->dtype;
  }
  entry->input_count = request->input_count;
  entry->attrs = attrs;
  for (int i = 0; i < request->attr_count; ++i) {
    attrs[i].name = berth_arena_strndup(arena, request->attrs[i].name,
                                        strlen(request->attrs[i].name));
    if (attrs[i].name == NULL) return berth_error_no_memory(err, "a call");
    BERTH_TRY(
        berth_attr_copy(&request->attrs[i].value, arena, &attrs[i].value, err));
    ++entry->attr_count;
  }
  return BERTH_OK;
}

// Notes which memory |entry| wants its inputs in, and gives its outputs.
static berth_code_t entry_set_memory(berth_context_t *context,
                                     berth_eager_entry_t *entry,
                                     const berth_choice_t *choice,
                                     berth_error_t *err) {
  berth_step_t *step = &entry->step;
  entry->shapes_only = choice->shapes_only;
  entry->is_constant = strcmp(step->node->op->name, "Const") == 0;
  if (step->on_host || step->kernel == NULL) return BERTH_OK;
  berth_hold_t hold = {.what = "an eager call", .name = entry->op};
  BERTH_TRY(berth_device_hold(context->devices.exec[step->device].device, &hold,
                              berth_eager_look, context, err));
  berth_gate_leave(&hold);
  entry->host_inputs = berth_arena_calloc(
      &context->arena, (size_t)step->input_count + 1, sizeof(bool));
  if (entry->host_inputs == NULL) return berth_error_no_memory(err, "a call");
  for (int i = 0; i < step->input_count; ++i) {
    entry->host_inputs[i] =
        berth_choice_input_on_host(choice, context->graph, step->node, i) ||
        berth_kernel_reads_value(step->kernel, i, step->input_count);
  }
  for (int i = 0; i < step->output_count && i < 32; ++i) {
    if (berth_choice_output_on_host(choice, step->node, i)) {
      step->host_outputs |= UINT32_C(1) << i;
    }
  }
  return BERTH_OK;
}

// Chooses device and kernel for |entry|.
static berth_code_t entry_bind(berth_context_t *context,
                               berth_eager_entry_t *entry, int32_t node_id,
                               berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(context->graph, node_id);
  int device = 0;
  BERTH_TRY(berth_place_one(context->graph, node, entry->device,
                            context->devices.place, context->devices.count,
                            atomic_load(&context->soft), &device, err));
  berth_str_t why = {0};
  berth_choice_t choice = berth_kernel_choose(
      context->devices.exec[device].type, context->graph, node, &why);
  entry->step = (berth_step_t){.node = node,
                               .kernel = choice.kernel,
                               .input_count = node->input_count,
                               .output_count = node->output_count,
                               .device = (int16_t)device,
                               .blocker = -1,
                               .on_host = choice.on_host};
  berth_code_t code = entry_set_memory(context, entry, &choice, err);
  if (entry->step.kernel == NULL) {
    code = berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth has no kernel for %s on %s: %s",
                           node->op->name, context->devices.exec[device].name,
                           berth_str_get(&why));
  }
  berth_str_clear(&why);
  if (code == BERTH_OK && entry->step.kernel->bind != NULL) {
    code = entry->step.kernel->bind(node, context->container, &entry->resource,
                                    err);
    entry->step.resource = entry->resource;
  }
  // Unique names keep resources apart; messages, as TensorFlow's, know an eager
  // node by its op.
  ((berth_node_t *)(uintptr_t)node)->name = node->op->name;
  return code;
}

void berth_eager_entry_deinit(berth_eager_entry_t *entry) {
  berth_step_deinit(&entry->step);
  berth_resource_release(entry->resource);
  for (int i = 0; i < entry->attr_count; ++i) {
    berth_attr_drop_tensors(&entry->attrs[i].value);
  }
}

// Makes the entry for |request|. The lock is held.
static berth_code_t entry_make(berth_context_t *context, uint64_t hash,
                               const berth_eager_request_t *request,
                               berth_eager_entry_t **out_entry,
                               berth_error_t *err) {
  berth_arena_mark_t mark = berth_arena_mark(&context->arena);
  berth_eager_entry_t *entry =
      berth_arena_calloc(&context->arena, 1, sizeof(*entry));
  if (entry == NULL) return berth_error_no_memory(err, "an eager call");
  entry->hash = hash;
  int32_t node = -1;
  berth_code_t code = entry_copy_key(context, entry, request, err);
  if (code == BERTH_OK) code = node_make(context, request, &node, err);
  if (code == BERTH_OK) code = entry_bind(context, entry, node, err);
  if (code != BERTH_OK) {
    berth_eager_entry_deinit(entry);
    berth_arena_rewind(&context->arena, mark);
    return code;
  }
  _Atomic(berth_eager_entry_t *) *bucket =
      &context->buckets[hash % BERTH_EAGER_BUCKETS];
  entry->next = atomic_load(bucket);
  atomic_store_explicit(bucket, entry, memory_order_release);
  *out_entry = entry;
  if (atomic_load(&context->log)) berth_eager_log_first(context, entry);
  return BERTH_OK;
}

berth_code_t berth_eager_entry_get(berth_context_t *context,
                                   const berth_eager_request_t *request,
                                   berth_eager_entry_t **out_entry,
                                   berth_error_t *err) {
  uint64_t hash = request_hash(request);
  // Where a call for some device goes depends on soft placement as well.
  // Entries that differ in nothing else have different hashes.
  if (request->device[0] != '\0')
    hash = hash * 31 + atomic_load(&context->soft);
  berth_eager_entry_t *entry = entry_find(context, hash, request);
  berth_code_t code = BERTH_OK;
  if (BERTH_UNLIKELY(entry == NULL)) {
    berth_mutex_lock(&context->lock);
    entry = entry_find(context, hash, request);
    if (entry == NULL) {
      code = entry_make(context, hash, request, &entry, err);
    }
    berth_mutex_unlock(&context->lock);
  }
  if (code == BERTH_OK) *out_entry = entry;
  return code;
}
