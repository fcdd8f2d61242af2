// eager.c - Calling one op at once.
//
// A call is a late step (exec/step.h). Its node lives in a graph of the
// context's own, where it is checked like any other; the step is kept by op,
// attributes, input types and device, so that the second call of a kind is a
// lookup and a run.
//
// Entries are found without a lock: a bucket is a list that only grows.
#include "berth/eager.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/parallel.h"
#include "exec/step.h"
#include "graph/builder.h"
#include "place/one.h"
#include "runtime/devices.h"
#include "runtime/process.h"
#include "state/container.h"

enum { BUCKETS = 512, MAX_INPUTS = 16, MAX_OUTPUTS = 16 };

// A kind of call that has been made before.
typedef struct entry entry_t;
struct entry {
  entry_t *next;
  uint64_t hash;
  const char *op;
  const char *device;  // As asked for, "" for none.
  int input_count;
  berth_dtype_t *types;
  const berth_attr_t *attrs;
  int attr_count;
  berth_step_t step;
  berth_resource_t *resource;  // Owned.
};

struct berth_context {
  berth_graph_t *graph;  // Of the nodes of entries.
  berth_device_set_t devices;
  berth_container_t *container;
  berth_config_t config;
  atomic_bool log;
  atomic_bool soft;
  berth_mutex_t lock;  // Guards the making of entries, and |arena|.
  berth_arena_t arena;
  _Atomic(entry_t *) buckets[BUCKETS];
};

// What a call asks for.
typedef struct request {
  const char *op;
  const char *device;
  const berth_attr_t *attrs;
  int attr_count;
  berth_tensor_t *const *inputs;
  int input_count;
} request_t;

// ---- Life ----

static berth_code_t context_init(berth_context_t *context,
                                 const berth_config_t *config,
                                 berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  context->config = *config;
  context->config.owned = NULL;
  atomic_store(&context->log, config->log_device_placement);
  atomic_store(&context->soft, config->allow_soft_placement);
  context->graph = berth_graph_create();
  if (context->graph == NULL) return berth_error_no_memory(err, "a context");
  BERTH_TRY(berth_device_set_init(&context->devices, config, err));
  return berth_container_create(&context->container, err);
}

berth_code_t berth_context_create(const berth_config_t *config,
                                  berth_context_t **out_context,
                                  berth_error_t *err) {
  berth_config_t defaults;
  berth_config_init(&defaults);
  defaults.allow_soft_placement = true;
  berth_context_t *context = berth_calloc(1, sizeof(*context));
  if (context == NULL) return berth_error_no_memory(err, "a context");
  berth_mutex_init(&context->lock);
  berth_code_t code =
      context_init(context, config != NULL ? config : &defaults, err);
  if (code == BERTH_OK) {
    *out_context = context;
  } else {
    berth_context_destroy(context);
  }
  return code;
}

void berth_context_destroy(berth_context_t *context) {
  if (context == NULL) return;
  for (int i = 0; i < BUCKETS; ++i) {
    for (entry_t *e = atomic_load(&context->buckets[i]); e != NULL;
         e = e->next) {
      berth_step_deinit(&e->step);
      berth_resource_release(e->resource);
      for (int a = 0; a < e->attr_count; ++a) {
        berth_attr_drop_tensors(&e->attrs[a].value);
      }
    }
  }
  berth_container_destroy(context->container);
  berth_device_set_deinit(&context->devices);
  berth_graph_release(context->graph);
  berth_arena_clear(&context->arena);
  berth_mutex_deinit(&context->lock);
  berth_free(context);
}

int berth_context_device_count(const berth_context_t *context) {
  return context->devices.count;
}

const char *berth_context_device_name(const berth_context_t *context,
                                      int index) {
  if (index < 0 || index >= context->devices.count) return NULL;
  return context->devices.exec[index].name;
}

void berth_context_set_log_placement(berth_context_t *context, bool log) {
  atomic_store(&context->log, log);
}

void berth_context_set_soft_placement(berth_context_t *context, bool soft) {
  atomic_store(&context->soft, soft);
}

// ---- Entries ----

// Attributes count by name and kind; their values are compared afterwards.
static uint64_t request_hash(const request_t *request) {
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

static bool entry_fits(const entry_t *entry, const request_t *request) {
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

static entry_t *entry_find(berth_context_t *context, uint64_t hash,
                           const request_t *request) {
  entry_t *entry = atomic_load_explicit(&context->buckets[hash % BUCKETS],
                                        memory_order_acquire);
  for (; entry != NULL; entry = entry->next) {
    if (entry->hash == hash && entry_fits(entry, request)) return entry;
  }
  return NULL;
}

// Says how many inputs each argument takes: one, but for the only argument of
// many, which takes the rest. With two such arguments the attributes must tell:
// |*out_counts| stays NULL.
static berth_code_t count_args(berth_context_t *context,
                               const request_t *request, int32_t **out_counts,
                               berth_error_t *err) {
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
                              const request_t *request, int32_t *out_node,
                              berth_error_t *err) {
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
  BERTH_TRY(berth_graph_unique_name(graph, request->op, true, &name, err));
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
static berth_code_t entry_copy_key(berth_context_t *context, entry_t *entry,
                                   const request_t *request,
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

// Chooses device and kernel for |entry|.
static berth_code_t entry_bind(berth_context_t *context, entry_t *entry,
                               int32_t node_id, berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(context->graph, node_id);
  int device = 0;
  BERTH_TRY(berth_place_one(context->graph, node, entry->device,
                            context->devices.place, context->devices.count,
                            atomic_load(&context->soft), &device, err));
  entry->step = (berth_step_t){.node = node,
                               .input_count = node->input_count,
                               .output_count = node->output_count,
                               .device = (int16_t)device,
                               .blocker = -1};
  berth_str_t why = {0};
  entry->step.kernel =
      berth_kernel_find(context->devices.exec[device].type, node, &why);
  berth_code_t code = BERTH_OK;
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
  return code;
}

static void log_first(const berth_context_t *context, const entry_t *entry);

// Makes the entry for |request|. The lock is held.
static berth_code_t entry_make(berth_context_t *context, uint64_t hash,
                               const request_t *request, entry_t **out_entry,
                               berth_error_t *err) {
  berth_arena_mark_t mark = berth_arena_mark(&context->arena);
  entry_t *entry = berth_arena_calloc(&context->arena, 1, sizeof(*entry));
  if (entry == NULL) return berth_error_no_memory(err, "an eager call");
  entry->hash = hash;
  int32_t node = -1;
  berth_code_t code = entry_copy_key(context, entry, request, err);
  if (code == BERTH_OK) code = node_make(context, request, &node, err);
  if (code == BERTH_OK) code = entry_bind(context, entry, node, err);
  if (code != BERTH_OK) {
    for (int i = 0; i < entry->attr_count; ++i) {
      berth_attr_drop_tensors(&entry->attrs[i].value);
    }
    berth_resource_release(entry->resource);
    berth_arena_rewind(&context->arena, mark);
    return code;
  }
  _Atomic(entry_t *) *bucket = &context->buckets[hash % BUCKETS];
  entry->next = atomic_load(bucket);
  atomic_store_explicit(bucket, entry, memory_order_release);
  *out_entry = entry;
  if (atomic_load(&context->log)) log_first(context, entry);
  return BERTH_OK;
}

static berth_code_t entry_get(berth_context_t *context,
                              const request_t *request, entry_t **out_entry,
                              berth_error_t *err) {
  uint64_t hash = request_hash(request);
  entry_t *entry = entry_find(context, hash, request);
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

// ---- The log ----

static berth_log_style_t style_of(const berth_context_t *context) {
  return context->config.log_style;
}

// TensorFlow shows the placement of the one-op function it wraps a call in when
// it first meets the signature.
static void log_first(const berth_context_t *context, const entry_t *entry) {
  if (style_of(context) != BERTH_STYLE_TF2) return;
  const berth_node_t *node = entry->step.node;
  const char *device = context->devices.exec[entry->step.device].name;
  berth_str_t line = {0};
  for (int side = 0; side < 2; ++side) {
    int args = side == 0 ? node->op->input_count : node->op->output_count;
    if (side == 1) {
      berth_str_printf(&line, "%s: (%s): %s\n", node->op->name, node->op->name,
                       device);
    }
    for (int arg = 0; arg < args; ++arg) {
      const berth_arg_schema_t *schema =
          side == 0 ? &node->op->inputs[arg] : &node->op->outputs[arg];
      int first = 0, count = 0;
      if (side == 0) {
        berth_node_input_range(node, arg, &first, &count);
      } else {
        berth_node_output_range(node, arg, &first, &count);
      }
      bool many = schema->number_attr >= 0 || schema->list_attr >= 0;
      for (int i = 0; i < count; ++i) {
        berth_str_puts(&line, schema->name);
        if (many) berth_str_printf(&line, "_%d", i);
        berth_str_printf(
            &line, side == 0 ? ": (_Arg): %s\n" : "_RetVal: (_Retval): %s\n",
            device);
      }
    }
  }
  berth_place_log_text(berth_str_get(&line));
  berth_str_clear(&line);
}

static void log_call(const berth_context_t *context, const entry_t *entry) {
  const char *device = context->devices.exec[entry->step.device].name;
  if (style_of(context) == BERTH_STYLE_TF2) {
    berth_log(BERTH_LOG_INFO, "execute.cc", 1775,
              "Executing op %s in device %s", entry->op, device);
  } else {
    printf("Executing op %s in device %s\n", entry->op, device);
  }
}

// ---- Calls ----

// A blocking op that the calling thread waits for.
typedef struct waiting {
  berth_completion_t completion;  // First.
  berth_mutex_t lock;
  berth_cond_t wake;
  bool is_done;
  berth_code_t code;
  char *text;
  berth_tensor_t **outputs;
  int output_count;
} waiting_t;

static void waiting_done(berth_completion_t *completion, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  waiting_t *w = (waiting_t *)completion;
  berth_mutex_lock(&w->lock);
  w->code = code;
  w->text = code != BERTH_OK && text != NULL ? berth_strdup(text) : NULL;
  for (int i = 0; code == BERTH_OK && i < w->output_count; ++i) {
    w->outputs[i] = outputs[i];
  }
  w->is_done = true;
  berth_cond_signal(&w->wake);
  berth_mutex_unlock(&w->lock);
}

// Waits, polling; a poll that says so cancels.
static berth_code_t waiting_finish(berth_context_t *context, waiting_t *w,
                                   berth_error_t *err) {
  bool told = false;
  berth_mutex_lock(&w->lock);
  while (!w->is_done) {
    berth_cond_wait_until(&w->wake, &w->lock, berth_now_ns() + 20000000);
    if (w->is_done || told || context->config.poll == NULL) continue;
    berth_mutex_unlock(&w->lock);
    told = context->config.poll(context->config.poll_arg) != 0;
    if (told && w->completion.cancel != NULL) {
      w->completion.cancel(&w->completion);
    }
    berth_mutex_lock(&w->lock);
  }
  berth_mutex_unlock(&w->lock);
  if (w->code == BERTH_OK) return BERTH_OK;
  return berth_error_set_text(err, w->code,
                              w->text != NULL ? w->text : "the op failed");
}

static berth_code_t call_blocking(berth_context_t *context, berth_step_t *step,
                                  berth_late_call_t *call, berth_error_t *err) {
  waiting_t w = {.outputs = call->outputs, .output_count = step->output_count};
  w.completion.done = waiting_done;
  berth_mutex_init(&w.lock);
  berth_cond_init(&w.wake);
  call->completion = &w.completion;
  berth_code_t code = berth_step_call(step, call, err);
  if (code == BERTH_PENDING) code = waiting_finish(context, &w, err);
  if (w.completion.cleanup != NULL) w.completion.cleanup(&w.completion);
  berth_free(w.text);
  berth_mutex_deinit(&w.lock);
  berth_cond_deinit(&w.wake);
  return code;
}

// Says where a kernel failed, as TensorFlow does.
static void blame(const berth_context_t *context, const entry_t *entry,
                  berth_error_t *err) {
  berth_error_prepend(err, "{{function_node __wrapped__%s_device_%s}} ",
                      entry->op,
                      context->devices.exec[entry->step.device].name);
}

static berth_code_t call_entry(berth_context_t *context, entry_t *entry,
                               const request_t *request,
                               berth_tensor_t **outputs, berth_error_t *err) {
  enum { ON_STACK = 16 };
  berth_kernel_input_t stack_inputs[ON_STACK];
  const void *stack_data[ON_STACK];
  berth_kernel_input_t *inputs = stack_inputs;
  const void **data = stack_data;
  size_t count = (size_t)request->input_count;
  void *heap = NULL;
  if (count > ON_STACK) {
    heap = berth_alloc(count * (sizeof(*inputs) + sizeof(*data)));
    if (heap == NULL) return berth_error_no_memory(err, "an eager call");
    inputs = heap;
    data = (const void **)(void *)(inputs + count);
  }
  for (size_t i = 0; i < count; ++i) {
    berth_tensor_t *tensor = request->inputs[i];
    data[i] = tensor->data;
    inputs[i] = (berth_kernel_input_t){
        tensor->dtype, tensor->rank, tensor->dims, tensor->count, tensor->data};
  }
  static const atomic_int never = 0;
  berth_late_call_t call = {
      .data = data,
      .inputs = inputs,
      .tensors = request->inputs,
      .outputs = outputs,
      .cancelled = &never,
      .container = context->container,
      .allocator = context->devices.exec[entry->step.device].allocator,
  };
  bool blocks = (entry->step.kernel->flags & BERTH_KERNEL_BLOCKS) != 0;
  berth_code_t code = blocks ? call_blocking(context, &entry->step, &call, err)
                             : berth_step_call(&entry->step, &call, err);
  berth_free(heap);
  if (BERTH_UNLIKELY(code != BERTH_OK)) blame(context, entry, err);
  return code;
}

static berth_code_t eager_call(berth_context_t *context,
                               const request_t *request,
                               berth_tensor_t **outputs, int *output_count,
                               berth_error_t *err) {
  for (int i = 0; i < request->input_count; ++i) {
    if (request->inputs[i] == NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d of %s is NULL", i, request->op);
    }
  }
  entry_t *entry = NULL;
  BERTH_TRY(entry_get(context, request, &entry, err));
  int count = entry->step.output_count;
  if (count > *output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s has %d outputs, but there is room for %d",
                           request->op, count, *output_count);
  }
  if (BERTH_UNLIKELY(atomic_load(&context->log))) log_call(context, entry);
  berth_parallel_scope_t scope = {.threads = context->config.intra_op_threads};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = call_entry(context, entry, request, outputs, err);
  berth_parallel_enter(before);
  if (code == BERTH_OK) *output_count = count;
  return code;
}

berth_code_t berth_eager_call(berth_context_t *context, const char *op,
                              const char *device, berth_tensor_t *const *inputs,
                              int input_count, berth_tensor_t **outputs,
                              int *output_count, berth_error_t *err) {
  request_t request = {.op = op,
                       .device = device != NULL ? device : "",
                       .inputs = inputs,
                       .input_count = input_count};
  return eager_call(context, &request, outputs, output_count, err);
}

berth_code_t berth_eager_call_op(berth_context_t *context, const berth_op_t *op,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int input_count,
                                 berth_tensor_t **outputs, int *output_count,
                                 berth_error_t *err) {
  berth_node_spec_t spec;
  BERTH_TRY(berth_op_describe(op, &spec, err));
  if (device == NULL) device = spec.device;
  request_t request = {.op = spec.op,
                       .device = device != NULL ? device : "",
                       .attrs = spec.attrs,
                       .attr_count = spec.attr_count,
                       .inputs = inputs,
                       .input_count = input_count};
  return eager_call(context, &request, outputs, output_count, err);
}
