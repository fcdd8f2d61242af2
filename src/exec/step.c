// step.c - One node with its kernel, and the plans it has been prepared for.
//
// Late plans are kept in a list that only grows: entries never change once they
// are linked, so that lookups need no lock. A step whose shapes keep changing
// stops caching after MAX_PLANS entries and is prepared in memory of the call.
#include "exec/step.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fork.h"
#include "device/device.h"
#include "memory/label.h"
#include "state/commit.h"

enum { MAX_PLANS = 16, MAX_STACK_ARGS = 32, MAX_STACK_SCRATCH = 2048 };

// Bytes of a text that names no more callers: calls may be thousands deep.
enum { MOST_BLAME = 8192 };

// A plan and the inputs it is for.
typedef struct plan_entry plan_entry_t;
struct plan_entry {
  plan_entry_t *next;
  berth_prepared_t prepared;
  berth_case_input_t *inputs;  // |value| holds a copy for value inputs.
};

struct berth_plan_cache {
  berth_mutex_t lock;  // Guards |arena| and |count|, and adding to |first|.
  berth_arena_t arena;
  _Atomic(plan_entry_t *) first;
  int count;
};

// Guards the making of caches; taken once per step.
static berth_mutex_t cache_lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(cache_lock, BERTH_FORK_LEAF)

bool berth_step_is_pure(const berth_step_t *step) {
  return !step->node->op->is_stateful &&
         (step->traits & (BERTH_OP_IMPURE | BERTH_OP_BLOCKS)) == 0 &&
         step->node->op->owns == BERTH_OWNS_NOTHING;
}

void berth_step_blame(const berth_step_t *step, berth_error_t *err) {
  if (err == NULL) return;
  const char *name = berth_step_name(step), *text = berth_error_message(err);
  bool named = strstr(text, "{{node ") != NULL;
  if (named && strlen(text) > MOST_BLAME) return;
  berth_error_append(err, named ? "\n\t [[%s]]" : "\n\t [[{{node %s}}]]", name);
}

// Copies the shapes of the outputs from |shapes| into |arena|.
static berth_output_shape_t *keep_shapes(const berth_shape_t *shapes, int count,
                                         berth_arena_t *arena) {
  berth_output_shape_t *kept =
      berth_arena_calloc(arena, (size_t)count, sizeof(*kept));
  for (int i = 0; kept != NULL && i < count; ++i) {
    kept[i].count = berth_dims_count(berth_shape_dims(&shapes[i]));
    kept[i].dims.rank = shapes[i].rank;
    if (shapes[i].rank <= 0) continue;
    kept[i].dims.dims = berth_arena_memdup(
        arena, shapes[i].dims, (size_t)shapes[i].rank * sizeof(int64_t));
    if (kept[i].dims.dims == NULL) return NULL;
  }
  return kept;
}

// Runs the kernel's prepare with |shapes| as room for the output shapes.
static berth_code_t prepare_into(const berth_step_t *step,
                                 const berth_case_input_t *inputs,
                                 berth_device_t *device, berth_arena_t *arena,
                                 berth_shape_t *shapes, berth_prepared_t *out,
                                 berth_error_t *err) {
  berth_prepare_t prepare = {
      .op = {.node = step->node,
             .input_count = step->input_count,
             .output_count = step->output_count,
             .inputs = inputs,
             .arena = arena,
             .outputs = shapes,
             .alias = -1},
      .device = device,
  };
  for (int i = 0; i < step->output_count; ++i) shapes[i].rank = -1;
  BERTH_TRY(step->kernel->prepare(&prepare, err));
  BERTH_ASSERT(berth_prepare_check(&prepare, step->traits) == NULL);
  berth_output_shape_t *outputs =
      keep_shapes(shapes, step->output_count, arena);
  if (outputs == NULL) return berth_error_no_memory(err, "shapes");
  *out = (berth_prepared_t){.run = prepare.run,
                            .plan = prepare.plan,
                            .scratch_size = prepare.scratch_size,
                            .work = prepare.work,
                            .may_overwrite = prepare.op.may_overwrite,
                            .alias = prepare.op.alias,
                            .is_part = prepare.op.is_part,
                            .part_of = prepare.op.part_of,
                            .part_at = prepare.op.part_at,
                            .term = prepare.term,
                            .outputs = outputs};
  return BERTH_OK;
}

berth_code_t berth_step_prepare(const berth_step_t *step,
                                const berth_case_input_t *inputs,
                                berth_device_t *device, berth_arena_t *arena,
                                berth_prepared_t *out_prepared,
                                berth_error_t *err) {
  enum { ON_STACK = 2 };
  berth_shape_t local[ON_STACK];
  if (step->output_count <= ON_STACK) {
    return prepare_into(step, inputs, device, arena, local, out_prepared, err);
  }
  berth_shape_t *shapes =
      berth_alloc((size_t)step->output_count * sizeof(*shapes));
  if (shapes == NULL) return berth_error_no_memory(err, "shapes");
  berth_code_t code =
      prepare_into(step, inputs, device, arena, shapes, out_prepared, err);
  berth_free(shapes);
  return code;
}

// ---- The cache ----

static bool shape_fits(const berth_case_input_t *kept,
                       const berth_case_input_t *input) {
  if (kept->rank != input->rank) return false;
  for (int32_t d = 0; d < kept->rank; ++d) {
    if (kept->dims[d] != input->dims[d]) return false;
  }
  return true;
}

static bool values_fit(const plan_entry_t *entry, const berth_step_t *step,
                       const berth_case_input_t *inputs) {
  for (int i = 0; i < step->input_count; ++i) {
    if (!berth_op_reads_value(step->node->op, i, step->input_count)) continue;
    size_t size = (size_t)inputs[i].count * berth_dtype_size(inputs[i].dtype);
    if (size > 0 && memcmp(entry->inputs[i].value, inputs[i].value, size) != 0)
      return false;
  }
  return true;
}

static bool entry_fits(const plan_entry_t *entry, const berth_step_t *step,
                       const berth_case_input_t *inputs) {
  for (int i = 0; i < step->input_count; ++i) {
    if (!shape_fits(&entry->inputs[i], &inputs[i])) return false;
  }
  return step->node->op->value_inputs == 0 || values_fit(entry, step, inputs);
}

// Copies the inputs that |entry| is for.
static bool entry_keep_inputs(plan_entry_t *entry, const berth_step_t *step,
                              const berth_case_input_t *inputs,
                              berth_arena_t *arena) {
  size_t count = (size_t)step->input_count;
  entry->inputs = berth_arena_memdup(arena, inputs, count * sizeof(*inputs));
  if (entry->inputs == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    berth_case_input_t *kept = &entry->inputs[i];
    kept->dims = berth_arena_memdup(arena, kept->dims,
                                    (size_t)kept->rank * sizeof(int64_t));
    bool by_value =
        berth_op_reads_value(step->node->op, (int)i, step->input_count);
    size_t size = (size_t)kept->count * berth_dtype_size(kept->dtype);
    kept->value =
        by_value ? berth_arena_memdup(arena, kept->value, size) : NULL;
    if (kept->dims == NULL || (by_value && kept->value == NULL)) return false;
  }
  return true;
}

static berth_plan_cache_t *cache_get(berth_step_t *step) {
  berth_plan_cache_t *cache = __atomic_load_n(&step->cache, __ATOMIC_ACQUIRE);
  if (cache != NULL) return cache;
  berth_mutex_lock(&cache_lock);
  if (step->cache == NULL) {
    cache = berth_calloc(1, sizeof(*cache));
    if (cache != NULL) berth_mutex_init(&cache->lock);
    __atomic_store_n(&step->cache, cache, __ATOMIC_RELEASE);
  }
  cache = step->cache;
  berth_mutex_unlock(&cache_lock);
  return cache;
}

// Values of strings and handles cannot be compared byte by byte.
static bool is_cacheable(const berth_step_t *step,
                         const berth_case_input_t *inputs) {
  if (BERTH_LIKELY(step->node->op->value_inputs == 0)) return true;
  for (int i = 0; i < step->input_count; ++i) {
    if (berth_op_reads_value(step->node->op, i, step->input_count) &&
        !berth_dtype_is_plain(inputs[i].dtype)) {
      return false;
    }
  }
  return true;
}

// Prepares into the cache, under its lock, and links the entry.
static berth_code_t cache_add(berth_plan_cache_t *cache,
                              const berth_step_t *step,
                              const berth_late_call_t *call,
                              const berth_prepared_t **out_prepared,
                              berth_error_t *err) {
  const berth_case_input_t *inputs = call->inputs;
  berth_arena_mark_t mark = berth_arena_mark(&cache->arena);
  plan_entry_t *entry = berth_arena_calloc(&cache->arena, 1, sizeof(*entry));
  berth_code_t code = BERTH_OK;
  if (entry == NULL || !entry_keep_inputs(entry, step, inputs, &cache->arena)) {
    code = berth_error_no_memory(err, "a plan");
  } else {
    code = berth_step_prepare(step, inputs, call->device, &cache->arena,
                              &entry->prepared, err);
  }
  if (code != BERTH_OK) {
    berth_arena_rewind(&cache->arena, mark);
    return code;
  }
  entry->next = atomic_load_explicit(&cache->first, memory_order_relaxed);
  atomic_store_explicit(&cache->first, entry, memory_order_release);
  ++cache->count;
  *out_prepared = &entry->prepared;
  return BERTH_OK;
}

static const berth_prepared_t *cache_find(berth_plan_cache_t *cache,
                                          const berth_step_t *step,
                                          const berth_case_input_t *inputs) {
  plan_entry_t *entry =
      atomic_load_explicit(&cache->first, memory_order_acquire);
  while (entry != NULL && !entry_fits(entry, step, inputs)) entry = entry->next;
  return entry != NULL ? &entry->prepared : NULL;
}

// Makes the plan for |call| in the cache, unless another thread just has, and
// stores how that went; false when there is no room.
static bool cache_get_or_add(berth_plan_cache_t *cache,
                             const berth_step_t *step,
                             const berth_late_call_t *call,
                             const berth_prepared_t **out_prepared,
                             berth_code_t *out_code, berth_error_t *err) {
  berth_mutex_lock(&cache->lock);
  *out_prepared = cache_find(cache, step, call->inputs);
  bool has_room = *out_prepared != NULL || cache->count < MAX_PLANS;
  if (*out_prepared == NULL && has_room) {
    *out_code = cache_add(cache, step, call, out_prepared, err);
  }
  berth_mutex_unlock(&cache->lock);
  return has_room;
}

// Returns the plan for |call| that is kept, or NULL.
static const berth_prepared_t *plan_find(const berth_step_t *step,
                                         const berth_late_call_t *call) {
  berth_plan_cache_t *cache = __atomic_load_n(&step->cache, __ATOMIC_ACQUIRE);
  if (cache == NULL || !is_cacheable(step, call->inputs)) return NULL;
  return cache_find(cache, step, call->inputs);
}

// Makes the plan for |call|: in the cache, or for this call alone in |arena|
// through |storage|.
static berth_code_t plan_make(berth_step_t *step, const berth_late_call_t *call,
                              berth_arena_t *arena, berth_prepared_t *storage,
                              const berth_prepared_t **out_prepared,
                              berth_error_t *err) {
  berth_plan_cache_t *cache = cache_get(step);
  if (cache == NULL) return berth_error_no_memory(err, "plans");
  if (is_cacheable(step, call->inputs)) {
    berth_code_t code = BERTH_OK;
    bool is_kept =
        cache_get_or_add(cache, step, call, out_prepared, &code, err);
    if (is_kept) return code;
  }
  BERTH_TRY(berth_step_prepare(step, call->inputs, call->device, arena, storage,
                               err));
  *out_prepared = storage;
  return BERTH_OK;
}

// ---- Calling ----

static void release_outputs(berth_tensor_t **outputs, int count) {
  for (int i = 0; i < count; ++i) {
    berth_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
}

// Where the work of |call| is queued; NULL on the host.
static berth_stream_t *stream_of(const berth_late_call_t *call) {
  return call->device != NULL ? berth_device_compute(call->device) : NULL;
}

// Where output |index| lives.
static berth_allocator_t *output_allocator(const berth_step_t *step,
                                           const berth_late_call_t *call,
                                           int index) {
  bool on_host = step->host_outputs != NULL && step->host_outputs[index];
  return on_host ? NULL : call->allocator;
}

// The type of output |index| as a value: a reference is a handle.
static berth_dtype_t output_dtype(const berth_step_t *step, int index) {
  berth_dtype_t dtype = step->node->output_types[index];
  return berth_dtype_is_ref(dtype) ? BERTH_RESOURCE : dtype;
}

// Makes output 0 of a step that only renames its input.
static berth_code_t alias_output(const berth_step_t *step,
                                 const berth_late_call_t *call,
                                 const berth_prepared_t *prepared,
                                 berth_error_t *err) {
  const berth_case_input_t *input = &call->inputs[prepared->alias];
  berth_tensor_t *tensor = call->tensors[prepared->alias];
  const berth_dims_t dims = prepared->outputs[0].dims;
  if (tensor != NULL) {
    return berth_tensor_view(tensor->buffer, tensor->data, tensor->dtype,
                             dims.rank, dims.dims, tensor->count,
                             tensor->device, &call->outputs[0], err);
  }
  BERTH_TRY(berth_tensor_make(call->allocator, output_dtype(step, 0), dims.rank,
                              dims.dims, input->count, &call->outputs[0], err));
  berth_code_t code = BERTH_OK;
  if (call->device != NULL) {
    berth_stream_t *stream = stream_of(call);
    code = call->device->backend->streams->copy(
        stream, call->device, call->outputs[0]->data, call->device,
        call->data[prepared->alias], call->outputs[0]->size, err);
  } else if (!berth_elements_copy(input->dtype, call->outputs[0]->data,
                                  call->data[prepared->alias], input->count)) {
    code = berth_error_no_memory(err, "a copy");
  }
  if (code != BERTH_OK) release_outputs(call->outputs, 1);
  return code;
}

// A part keeps the whole alive. It may where the whole is small, or not much
// larger than all parts. Kernels on a card are slower with what is not aligned
// to the 16 bytes that they read at once, which counts where there is much.
enum {
  SMALL_WHOLE = 1 << 20,
  LEAST_SHARE = 64,
  SMALL_PART = 4096,
  PART_ALIGNMENT = 16,
};

// True when the outputs of |step| can be parts of |whole|.
static bool parts_fit(const berth_step_t *step, const berth_late_call_t *call,
                      const berth_prepared_t *prepared,
                      const berth_tensor_t *whole) {
  if (whole == NULL || whole->data == NULL || whole->device != call->device ||
      step->host_outputs != NULL) {
    return false;
  }
  uintptr_t at = (uintptr_t)whole->data + (uintptr_t)prepared->part_at;
  uintptr_t begin = at;
  for (int i = 0; i < step->output_count; ++i) {
    berth_dtype_t dtype = output_dtype(step, i);
    size_t item = berth_dtype_size(dtype);
    // What was bytes may begin anywhere.
    if (dtype != whole->dtype && at % item != 0) return false;
    size_t size = (size_t)prepared->outputs[i].count * item;
    bool is_aligned = size <= SMALL_PART || at % PART_ALIGNMENT == 0;
    if (call->device != NULL && !is_aligned) return false;
    at += size;
  }
  return whole->size <= SMALL_WHOLE || at - begin >= whole->size / LEAST_SHARE;
}

// Makes the outputs of a step that gives parts of its input, if they can be
// such: false when they are to be copied.
static bool part_outputs(const berth_step_t *step,
                         const berth_late_call_t *call,
                         const berth_prepared_t *prepared) {
  const berth_tensor_t *whole = call->tensors[prepared->part_of];
  if (!parts_fit(step, call, prepared, whole)) return false;
  char *at = (char *)whole->data + prepared->part_at;
  for (int i = 0; i < step->output_count; ++i) {
    const berth_output_shape_t *shape = &prepared->outputs[i];
    if (berth_tensor_view(whole->buffer, at, output_dtype(step, i),
                          shape->dims.rank, shape->dims.dims, shape->count,
                          whole->device, &call->outputs[i], NULL) != BERTH_OK) {
      release_outputs(call->outputs, i);
      return false;
    }
    at += call->outputs[i]->size;
  }
  return true;
}

// Makes tensors for the outputs from |first| on.
static berth_code_t make_outputs(const berth_step_t *step,
                                 const berth_late_call_t *call,
                                 const berth_prepared_t *prepared, int first,
                                 berth_error_t *err) {
  for (int i = first; i < step->output_count; ++i) {
    const berth_output_shape_t *shape = &prepared->outputs[i];
    berth_code_t code = berth_tensor_make(output_allocator(step, call, i),
                                          output_dtype(step, i),
                                          shape->dims.rank, shape->dims.dims,
                                          shape->count, &call->outputs[i], err);
    if (code != BERTH_OK) {
      release_outputs(call->outputs, i);
      return code;
    }
  }
  return BERTH_OK;
}

// Runs a kernel that only says what it changes, and changes it.
static BERTH_NOINLINE berth_code_t run_update(const berth_prepared_t *prepared,
                                              void *const *args,
                                              berth_call_t *call) {
  berth_commit_t own;
  berth_commit_init(&own);
  call->commit = &own;
  berth_code_t code = prepared->run(prepared->plan, args, call);
  if (code == BERTH_OK) code = berth_commit_do(&own, call->err);
  berth_commit_deinit(&own);
  return code;
}

// Lays out the addresses and runs the kernel. |scratch| may be NULL.
static berth_code_t run_with_args(const berth_step_t *step,
                                  const berth_late_call_t *late,
                                  const berth_prepared_t *prepared,
                                  void *scratch, void **args,
                                  berth_error_t *err) {
  int count = 0;
  for (int i = 0; i < step->input_count; ++i) {
    args[count++] = (void *)(uintptr_t)late->data[i];
  }
  for (int i = 0; i < step->output_count; ++i) {
    args[count++] = late->outputs[i] != NULL ? late->outputs[i]->data : NULL;
  }
  args[count] = scratch;
  berth_call_t call = {.err = err,
                       .node = step->node,
                       .container = late->container,
                       .resource = step->resource,
                       .completion = late->completion,
                       .cancelled = late->cancelled,
                       .control = late->control,
                       .of_run = late->of_run,
                       .place = step->device,
                       .allocator = late->allocator,
                       .stream = stream_of(late),
                       .inputs = late->tensors,
                       .outputs = late->outputs,
                       .commit = late->commit};
  if (BERTH_UNLIKELY(berth_step_updates(step))) {
    BERTH_ASSERT(prepared->scratch_size == 0);
    if (late->commit == NULL) return run_update(prepared, args, &call);
  }
  return prepared->run(prepared->plan, args, &call);
}

// Runs with scratch space, or more arguments than the stack has room for.
static BERTH_NOINLINE berth_code_t run_with_room(
    const berth_step_t *step, const berth_late_call_t *late,
    const berth_prepared_t *prepared, void **args, berth_error_t *err) {
  _Alignas(64) unsigned char stack_scratch[MAX_STACK_SCRATCH];
  int count = step->input_count + step->output_count + 1;
  void **heap_args = NULL;
  bool on_stack =
      late->device == NULL && prepared->scratch_size <= MAX_STACK_SCRATCH;
  void *scratch = on_stack && prepared->scratch_size > 0 ? stack_scratch : NULL;
  berth_buffer_t *heap_scratch = NULL;
  berth_code_t code = BERTH_OK;
  if (count > MAX_STACK_ARGS) {
    args = heap_args = berth_alloc((size_t)count * sizeof(*args));
    if (args == NULL) return berth_error_no_memory(err, "arguments");
  }
  if (!on_stack && prepared->scratch_size > 0) {
    code = late->allocator->alloc(late->allocator, prepared->scratch_size,
                                  &heap_scratch, err);
    if (code != BERTH_OK) goto done;
    scratch = heap_scratch->data;
  }
  code = run_with_args(step, late, prepared, scratch, args, err);
done:
  berth_buffer_release(heap_scratch);
  berth_free(heap_args);
  return code;
}

// Runs with arguments on the stack where they are few.
static berth_code_t run_prepared(const berth_step_t *step,
                                 const berth_late_call_t *late,
                                 const berth_prepared_t *prepared,
                                 berth_error_t *err) {
  void *args[MAX_STACK_ARGS];
  int count = step->input_count + step->output_count + 1;
  if (BERTH_UNLIKELY(prepared->scratch_size > 0 || count > MAX_STACK_ARGS)) {
    return run_with_room(step, late, prepared, args, err);
  }
  return run_with_args(step, late, prepared, NULL, args, err);
}

// Checks that a kernel that makes its outputs has made all: attributes may
// promise more of them than there is to say.
static berth_code_t check_made(const berth_step_t *step,
                               const berth_late_call_t *call,
                               berth_error_t *err) {
  for (int i = 0; i < step->output_count; ++i) {
    if (BERTH_LIKELY(call->outputs[i] != NULL)) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s has %d outputs, but its attributes and inputs "
                           "do not say what output %d is",
                           berth_step_name(step), (int)step->output_count, i);
  }
  return BERTH_OK;
}

static BERTH_INLINE berth_code_t call_prepared(const berth_step_t *step,
                                               const berth_late_call_t *call,
                                               const berth_prepared_t *prepared,
                                               berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  for (int i = 0; i < step->output_count; ++i) call->outputs[i] = NULL;
  if (prepared->is_part && call->may_share &&
      part_outputs(step, call, prepared)) {
    return BERTH_OK;
  }
  if ((step->traits & BERTH_OP_MAKES) == 0) {
    bool is_alias = prepared->alias >= 0;
    if (is_alias) BERTH_TRY(alias_output(step, call, prepared, err));
    BERTH_TRY(make_outputs(step, call, prepared, is_alias, err));
  }
  if (prepared->run != NULL) code = run_prepared(step, call, prepared, err);
  if (code == BERTH_OK && (step->traits & BERTH_OP_MAKES) != 0) {
    code = check_made(step, call, err);
  }
  if (BERTH_UNLIKELY(code != BERTH_OK && code != BERTH_PENDING)) {
    release_outputs(call->outputs, step->output_count);
  }
  return code;
}

static BERTH_NOINLINE berth_code_t call_unplanned(berth_step_t *step,
                                                  const berth_late_call_t *call,
                                                  berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_arena_t *plans = call->commit != NULL ? call->plans : &arena;
  berth_prepared_t storage;
  const berth_prepared_t *prepared = NULL;
  berth_code_t code = plan_make(step, call, plans, &storage, &prepared, err);
  if (code == BERTH_OK) code = call_prepared(step, call, prepared, err);
  berth_arena_clear(&arena);
  return code;
}

BERTH_UNGUARDED
berth_code_t berth_step_call(berth_step_t *step, const berth_late_call_t *call,
                             berth_error_t *err) {
  const char *before = berth_label_enter(berth_step_name(step));
  const berth_prepared_t *prepared = plan_find(step, call);
  berth_code_t code = BERTH_LIKELY(prepared != NULL)
                          ? call_prepared(step, call, prepared, err)
                          : call_unplanned(step, call, err);
  berth_label_enter(before);
  return code;
}

void berth_step_deinit(berth_step_t *step) {
  if (step->cache == NULL) return;
  berth_arena_clear(&step->cache->arena);
  berth_mutex_deinit(&step->cache->lock);
  berth_free(step->cache);
  step->cache = NULL;
}
