// eager_entry.c - Kinds of eager calls that have been made before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "exec/choose.h"
#include "graph/graph.h"
#include "kernel/bind.h"
#include "place/one.h"
#include "runtime/eager_internal.h"

// ---- Making ----

// Notes which memory |entry| wants its inputs in, and gives its outputs.
static berth_code_t entry_set_memory(berth_context_t *context,
                                     berth_eager_entry_t *entry,
                                     const berth_choice_t *choice,
                                     berth_error_t *err) {
  berth_step_t *step = &entry->step;
  const berth_graph_t *graph = context->scratch.graph;
  entry->shapes_only = choice->shapes_only;
  entry->is_constant = (step->node->op->traits & BERTH_OP_CONSTANT) != 0;
  if (step->on_host || step->kernel == NULL) return BERTH_OK;
  berth_hold_t hold = {.what = "an eager call", .name = entry->key.op};
  BERTH_TRY(berth_device_hold(entry->devices->exec[step->device].device, &hold,
                              berth_eager_look, context, err));
  berth_gate_leave(&hold);
  entry->host_inputs = berth_arena_calloc(
      &entry->arena, (size_t)step->input_count + 1, sizeof(bool));
  if (entry->host_inputs == NULL) return berth_error_no_memory(err, "a call");
  for (int i = 0; i < step->input_count; ++i) {
    entry->host_inputs[i] = berth_step_wants_on_host(step, choice, graph, i);
  }
  return BERTH_OK;
}

// Gets the resource that |entry| owns. It is found by the name of the node
// where the op gives it none, so nodes have names that differ while this goes
// on; nobody else is to find such a resource, and it goes with its last user.
static berth_code_t entry_bind_resource(berth_context_t *context,
                                        berth_eager_entry_t *entry,
                                        berth_node_t *node,
                                        berth_error_t *err) {
  char name[128];
  snprintf(name, sizeof(name), "%.90s_%llu", node->name,
           (unsigned long long)atomic_load(&context->made));
  const char *own = node->name;
  node->name = name;
  berth_code_t code =
      berth_bind(node, context->container, &entry->resource, err);
  node->name = own;
  if (code != BERTH_OK || entry->resource == NULL) return code;
  entry->step.resource = entry->resource;
  if (node->op->owns == BERTH_OWNS_FUNCTION) {
    atomic_store(&context->has_calls, true);
    return BERTH_OK;
  }
  berth_container_remove(context->container,
                         berth_node_attr_string(node, "container", ""),
                         (berth_resource_kind_t)entry->resource->kind, name);
  return BERTH_OK;
}

static bool has_resource_input(const berth_eager_request_t *request) {
  for (int i = 0; i < request->input_count; ++i) {
    if (request->inputs[i]->dtype == BERTH_RESOURCE) return true;
  }
  return false;
}

// Notes what |entry| has to do with resources, and with elements.
static void entry_set_state(berth_eager_entry_t *entry,
                            const berth_eager_request_t *request) {
  const berth_node_t *node = entry->step.node;
  bool takes = has_resource_input(request);
  entry->gives_handle = !takes && node->output_count > 0 &&
                        (node->output_types[0] == BERTH_RESOURCE ||
                         berth_dtype_is_ref(node->output_types[0]));
  entry->acts = takes && node->op->is_stateful &&
                (entry->step.traits & BERTH_OP_BLOCKS) == 0;
  entry->computes = (entry->step.traits & BERTH_OP_MOVES) == 0;
  entry->is_kept = !entry->gives_handle || entry->resource == NULL;  // I3
}

// Chooses device and kernel for |entry|.
static berth_code_t entry_bind(berth_context_t *context,
                               berth_eager_entry_t *entry, berth_node_t *node,
                               berth_error_t *err) {
  const berth_graph_t *graph = context->scratch.graph;
  int device = 0;
  BERTH_TRY(berth_place_one(graph, node, entry->key.device,
                            entry->devices->place, entry->devices->count,
                            atomic_load(&context->soft), &device, err));
  berth_str_t why = {0};
  berth_choice_t choice;
  berth_code_t code =
      berth_step_choose(graph, node, entry->devices->exec, device,
                        &entry->arena, &entry->step, &choice, &why, err);
  if (code == BERTH_OK) code = entry_set_memory(context, entry, &choice, err);
  if (code == BERTH_OK && entry->step.kernel == NULL) {
    code = berth_error_set(
        err, BERTH_UNIMPLEMENTED, "Berth has no kernel for %s on %s: %s",
        node->op->name, entry->devices->exec[device].name, berth_str_get(&why));
  }
  berth_str_clear(&why);
  if (code == BERTH_OK && node->op->owns != BERTH_OWNS_NOTHING) {
    code = entry_bind_resource(context, entry, node, err);
  }
  // Messages, as TensorFlow's, know an eager node by its op.
  node->name = node->op->name;
  return code;
}

static void entry_destroy(berth_eager_entry_t *entry) {
  berth_step_deinit(&entry->step);
  berth_resource_release(entry->resource);
  berth_eager_key_clear(&entry->key);
  if (entry->step.node != NULL) berth_eager_node_clear(entry->step.node);
  berth_arena_t arena = entry->arena;  // The entry lies in it.
  berth_arena_clear(&arena);
}

static berth_code_t entry_fill(berth_context_t *context,
                               berth_eager_entry_t *entry,
                               const berth_eager_request_t *request,
                               berth_error_t *err) {
  berth_node_t *node = NULL;
  BERTH_TRY(berth_eager_key_copy(request, &entry->arena, &entry->key, err));
  BERTH_TRY(berth_eager_node_make(&context->scratch, request, &entry->arena,
                                  &node, err));
  entry->step.node = node;  // To be cleared, whatever happens.
  BERTH_TRY(entry_bind(context, entry, node, err));
  entry_set_state(entry, request);
  return BERTH_OK;
}

// Makes the entry for |request|. The lock is held.
static berth_code_t entry_make(berth_context_t *context, uint64_t hash,
                               const berth_eager_request_t *request,
                               berth_eager_entry_t **out_entry,
                               berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_eager_entry_t *entry = berth_arena_calloc(&arena, 1, sizeof(*entry));
  if (entry == NULL) return berth_error_no_memory(err, "an eager call");
  entry->arena = arena;
  entry->hash = hash;
  entry->devices = berth_context_devices(context);
  uint64_t number = atomic_fetch_add(&context->made, 1);
  atomic_init(&entry->used, number);
  berth_code_t code = entry_fill(context, entry, request, err);
  if (code != BERTH_OK) {
    entry_destroy(entry);
    return code;
  }
  if (atomic_load(&context->log)) berth_eager_log_first(context, entry);
  *out_entry = entry;
  return BERTH_OK;
}

// ---- Forgetting ----

static _Atomic(berth_eager_entry_t *) *bucket_of(berth_context_t *context,
                                                 uint64_t hash) {
  return &context->buckets[hash % BERTH_EAGER_BUCKETS];
}

// Takes |entry| out of its bucket.
static void entry_retire(berth_context_t *context, berth_eager_entry_t *entry) {
  _Atomic(berth_eager_entry_t *) *link = bucket_of(context, entry->hash);
  while (atomic_load(link) != entry) link = &atomic_load(link)->next;
  atomic_store(link, atomic_load(&entry->next));
  berth_eager_use_retire(&entry->use);
  entry->next_retired = context->retired;
  context->retired = entry;
  atomic_fetch_sub(&context->count, 1);
}

// Returns a list of what was retired and is no longer in use.
static berth_eager_entry_t *take_unused(berth_context_t *context) {
  berth_eager_entry_t *unused = NULL;
  berth_eager_entry_t **link = &context->retired;
  while (*link != NULL) {
    berth_eager_entry_t *entry = *link;
    if (!berth_eager_use_is_over(&entry->use)) {
      link = &entry->next_retired;
      continue;
    }
    *link = entry->next_retired;
    entry->next_retired = unused;
    unused = entry;
  }
  return unused;
}

void berth_eager_entries_destroy(berth_eager_entry_t *list) {
  while (list != NULL) {
    berth_eager_entry_t *next = list->next_retired;
    entry_destroy(list);
    list = next;
  }
}

// An entry and when it was last used; that changes meanwhile.
typedef struct age {
  berth_eager_entry_t *entry;
  uint64_t used;
} age_t;

static int compare_ages(const void *a, const void *b) {
  uint64_t x = ((const age_t *)a)->used, y = ((const age_t *)b)->used;
  return x < y ? -1 : x > y;
}

// Stores the entries, the least recently used first; NULL when memory is short.
static age_t *list_ages(berth_context_t *context, int count) {
  age_t *ages = berth_alloc((size_t)count * sizeof(*ages));
  if (ages == NULL) return NULL;
  int n = 0;
  for (int i = 0; i < BERTH_EAGER_BUCKETS; ++i) {
    berth_eager_entry_t *entry = atomic_load(&context->buckets[i]);
    for (; entry != NULL; entry = atomic_load(&entry->next)) {
      ages[n++] = (age_t){entry, atomic_load(&entry->used)};
    }
  }
  qsort(ages, (size_t)n, sizeof(*ages), compare_ages);
  return ages;
}

berth_eager_entry_t *berth_eager_entries_trim(berth_context_t *context,
                                              int limit) {
  int count = atomic_load(&context->count);
  if (count > limit) {
    // Without memory for the list more are kept until the next time.
    age_t *ages = list_ages(context, count);
    for (int i = 0; ages != NULL && i < count - limit; ++i) {
      entry_retire(context, ages[i].entry);
    }
    berth_free(ages);
  }
  return context->retired != NULL ? take_unused(context) : NULL;
}

void berth_eager_entries_forget_calls(berth_context_t *context) {
  if (!atomic_load(&context->has_calls)) return;
  berth_mutex_lock(&context->lock);
  for (int i = 0; i < BERTH_EAGER_BUCKETS; ++i) {
    berth_eager_entry_t *entry = atomic_load(&context->buckets[i]);
    while (entry != NULL) {
      berth_eager_entry_t *next = atomic_load(&entry->next);
      bool calls = entry->step.node->op->owns == BERTH_OWNS_FUNCTION;
      if (calls) entry_retire(context, entry);
      entry = next;
    }
  }
  atomic_store(&context->has_calls, false);
  berth_eager_entry_t *unused =
      context->retired != NULL ? take_unused(context) : NULL;
  berth_mutex_unlock(&context->lock);
  berth_eager_entries_destroy(unused);
}

void berth_eager_entries_clear(berth_context_t *context) {
  for (int i = 0; i < BERTH_EAGER_BUCKETS; ++i) {
    berth_eager_entry_t *entry = atomic_load(&context->buckets[i]);
    while (entry != NULL) {
      berth_eager_entry_t *next = atomic_load(&entry->next);
      entry_destroy(entry);
      entry = next;
    }
  }
  berth_eager_entries_destroy(context->retired);
}

// ---- Finding ----

static berth_eager_entry_t *entry_find(berth_context_t *context, uint64_t hash,
                                       const berth_eager_request_t *request) {
  berth_eager_entry_t *entry = atomic_load(bucket_of(context, hash));
  for (; entry != NULL; entry = atomic_load(&entry->next)) {
    if (entry->hash == hash && berth_eager_key_fits(&entry->key, request)) {
      return entry;
    }
  }
  return NULL;
}

// Notes that |entry| was used just now. Most calls are of kinds that were used
// since the last new one, and write nothing.
static void entry_touch(const berth_context_t *context,
                        berth_eager_entry_t *entry) {
  uint64_t now = atomic_load_explicit(&context->made, memory_order_relaxed);
  if (atomic_load_explicit(&entry->used, memory_order_relaxed) != now) {
    atomic_store_explicit(&entry->used, now, memory_order_relaxed);
  }
}

// Links a new entry and returns what goes for it. Where there are too many, a
// quarter goes: looking for the least recently used takes a look at all.
static berth_eager_entry_t *entry_keep(berth_context_t *context,
                                       berth_eager_entry_t *entry) {
  int limit = atomic_load(&context->limit);
  if (limit == 0) entry->is_kept = false;
  if (!entry->is_kept) return NULL;
  bool is_full = atomic_load(&context->count) >= limit;
  berth_eager_entry_t *unused = berth_eager_entries_trim(
      context, is_full ? limit - 1 - limit / 4 : limit);
  _Atomic(berth_eager_entry_t *) *bucket = bucket_of(context, entry->hash);
  atomic_store(&entry->next, atomic_load(bucket));
  atomic_store(bucket, entry);
  atomic_fetch_add(&context->count, 1);
  return unused;
}

// Finds or makes the entry with the lock held.
static berth_code_t entry_get_slowly(berth_context_t *context, uint64_t hash,
                                     const berth_eager_request_t *request,
                                     berth_eager_pin_t *pin,
                                     berth_eager_entry_t **out_entry,
                                     berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_eager_entry_t *unused = NULL;
  berth_mutex_lock(&context->lock);
  berth_eager_entry_t *entry = entry_find(context, hash, request);
  if (entry == NULL) {
    code = entry_make(context, hash, request, &entry, err);
    if (code == BERTH_OK) unused = entry_keep(context, entry);
  }
  if (code == BERTH_OK) {
    if (entry->is_kept) berth_eager_pin_found(pin, &entry->use);
    *out_entry = entry;
  }
  berth_mutex_unlock(&context->lock);
  berth_eager_entries_destroy(unused);
  return code;
}

berth_code_t berth_eager_entry_get(berth_context_t *context,
                                   const berth_eager_request_t *request,
                                   berth_eager_pin_t *pin,
                                   berth_eager_entry_t **out_entry,
                                   berth_error_t *err) {
  uint64_t hash = berth_eager_request_hash(request);
  // Where a call for some device goes depends on soft placement as well.
  // Entries that differ in nothing else have different hashes.
  if (request->device[0] != '\0')
    hash = hash * 31 + atomic_load(&context->soft);
  berth_eager_pin_look(pin);
  berth_eager_entry_t *entry = entry_find(context, hash, request);
  if (BERTH_UNLIKELY(entry == NULL)) {
    berth_eager_pin_found(pin, NULL);
    return entry_get_slowly(context, hash, request, pin, out_entry, err);
  }
  berth_eager_pin_found(pin, &entry->use);
  entry_touch(context, entry);
  *out_entry = entry;
  return BERTH_OK;
}

void berth_eager_entry_put(berth_eager_pin_t *pin, berth_eager_entry_t *entry) {
  if (BERTH_LIKELY(entry->is_kept)) {
    berth_eager_pin_end(pin, &entry->use);
  } else {
    entry_destroy(entry);
  }
}
