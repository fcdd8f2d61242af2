// eager_internal.h - Eager contexts from the inside.
//
//   eager_context.c  life and settings of a context
//   eager_key.c      what makes two calls the same kind
//   eager_node.c     the node of a kind of call
//   eager_entry.c    kinds of calls that have been made before
//   eager_pin.c      which of them are in use
//   eager_log.c      what calls say about where they run
//   eager.c          calls
//
// A call is a late step (exec/step.h). Its node is checked like any other, in a
// graph that serves for that alone, and then copied into the entry; the entry
// is kept by op, attributes, input types and device, so that the second call of
// a kind is a lookup and a run.
//
//   context ─┬─ buckets ──> entry ──> entry     each with an arena of its own:
//            ├─ retired ──> entry               key, node, step, plans
//            └─ scratch: the graph that nodes are checked in
//
//   I1  Entries are found without a lock. They are linked and unlinked under
//       |lock|.
//   I2  The most that are kept is |limit|: the least recently used go. One that
//       is in use is retired and freed later (eager_pin.c).
//   I3  An op that gives a handle to a resource of its own name is not kept:
//       the resource lives as long as somebody else wants it to.
#ifndef BERTH_RUNTIME_EAGER_INTERNAL_H_
#define BERTH_RUNTIME_EAGER_INTERNAL_H_

#include <stdatomic.h>

#include "base/arena.h"
#include "base/thread.h"
#include "berth/eager.h"
#include "exec/step.h"
#include "exec/watch.h"
#include "runtime/devices.h"
#include "runtime/eager_pin.h"
#include "state/container.h"

// What a call asks for.
typedef struct berth_eager_request {
  const char *op;
  const char *device;  // "" for none.
  const berth_attr_t *attrs;
  int attr_count;
  berth_tensor_t *const *inputs;
  int input_count;
  uint64_t types_hash;  // Of the inputs' types.
} berth_eager_request_t;

// What makes two calls the same kind. The strings and arrays are an entry's.
typedef struct berth_eager_key {
  const char *op;
  const char *device;  // As asked for, "" for none.
  int input_count;
  berth_dtype_t *types;
  const berth_attr_t *attrs;
  int attr_count;
} berth_eager_key_t;

// A kind of call that has been made before.
typedef struct berth_eager_entry berth_eager_entry_t;
struct berth_eager_entry {
  _Atomic(berth_eager_entry_t *) next;  // In its bucket.
  uint64_t hash;
  atomic_uint_least64_t used;  // How many had been made when it was last found.
  berth_eager_use_t use;       // Calls that use it.
  berth_eager_entry_t *next_retired;
  berth_arena_t arena;  // Of everything here, the entry itself included.
  berth_eager_key_t key;
  berth_step_t step;
  bool *host_inputs;  // By input: it is in host memory. NULL: all are.
  bool shapes_only;   // Inputs may be in any memory.
  bool is_constant;
  bool is_kept;       // It is in a bucket, or was.
  bool gives_handle;  // Its output stands for a resource it makes.
  bool acts;          // It changes a resource.
  bool computes;      // With elements: how, matters.
  const berth_device_set_t *devices;  // Those it was made for. Borrowed.
  berth_resource_t *resource;         // Owned.
};

enum { BERTH_EAGER_BUCKETS = 2048 };

// Where nodes are checked. One placeholder for each type stands for inputs.
typedef struct berth_eager_scratch {
  berth_graph_t *graph;  // Owned; NULL: none yet.
  int32_t inputs[BERTH_DTYPE_COUNT];
} berth_eager_scratch_t;

// A function that kernels may ask a context for (runtime/routine.c).
typedef struct berth_context_library berth_context_library_t;

struct berth_context {
  atomic_int refs;  // Its owner, and routines.
  // Those that calls go to now, and behind them those of before (|older|),
  // which entries and sessions may still know. Written under |lock|.
  _Atomic(berth_device_set_t *) devices;
  berth_container_t *container;
  berth_config_t config;
  berth_run_control_t control;  // What may end a call.
  berth_log_style_t style;
  atomic_bool log;
  atomic_bool soft;
  atomic_bool has_calls;       // Some entry calls a function.
  atomic_uint_least64_t made;  // Entries made so far; the clock of |used|.
  atomic_int limit;            // Entries to keep.
  atomic_int count;            // Entries in |buckets|. Written under |lock|.
  berth_mutex_t lock;          // Guards the making and forgetting of entries.
  berth_eager_scratch_t scratch;
  berth_eager_entry_t *retired;  // Unlinked, and perhaps in use.
  berth_mutex_t library_lock;    // Guards |libraries|.
  berth_context_library_t *libraries;
  _Atomic(berth_eager_entry_t *) buckets[BERTH_EAGER_BUCKETS];
};

// Returns the devices of |context| as they are now; they stay as long as it
// does.
static inline const berth_device_set_t *berth_context_devices(
    const berth_context_t *context) {
  return atomic_load_explicit(&context->devices, memory_order_acquire);
}

// Forgets all functions.
void berth_context_clear_functions(berth_context_t *context);

// ---- Keys ----

// Hashes everything that tells kinds of calls apart.
uint64_t berth_eager_request_hash(const berth_eager_request_t *request);

// True when |request| is a call of the kind |key|.
bool berth_eager_key_fits(const berth_eager_key_t *key,
                          const berth_eager_request_t *request);

// Copies what identifies |request| into |arena|. Tensors of attributes are
// retained, whatever the outcome; berth_eager_key_clear() releases them.
BERTH_NODISCARD berth_code_t
berth_eager_key_copy(const berth_eager_request_t *request, berth_arena_t *arena,
                     berth_eager_key_t *out_key, berth_error_t *err);
void berth_eager_key_clear(berth_eager_key_t *key);

// ---- Nodes ----

// Checks |request| as a node over placeholders of the input types and copies
// it into |arena|. berth_eager_node_clear() releases the tensors of its
// attributes. The context's lock is held.
BERTH_NODISCARD berth_code_t berth_eager_node_make(
    berth_eager_scratch_t *scratch, const berth_eager_request_t *request,
    berth_arena_t *arena, berth_node_t **out_node, berth_error_t *err);
void berth_eager_node_clear(const berth_node_t *node);

// ---- Entries ----

// Finds or makes the entry for |request|, in use by |pin| until
// berth_eager_entry_put().
BERTH_NODISCARD berth_code_t berth_eager_entry_get(
    berth_context_t *context, const berth_eager_request_t *request,
    berth_eager_pin_t *pin, berth_eager_entry_t **out_entry,
    berth_error_t *err);

// Ends the use of |entry|. One that is not kept goes.
void berth_eager_entry_put(berth_eager_pin_t *pin, berth_eager_entry_t *entry);

// Forgets the least recently used until at most |limit| are left, and returns
// what is to be destroyed when the lock, which is held, is not.
BERTH_NODISCARD berth_eager_entry_t *berth_eager_entries_trim(
    berth_context_t *context, int limit);
void berth_eager_entries_destroy(berth_eager_entry_t *list);

// Forgets the entries that call functions.
void berth_eager_entries_forget_calls(berth_context_t *context);

// Frees all entries. No call is under way.
void berth_eager_entries_clear(berth_context_t *context);

// ---- Log ----

// Asks the poll function of a berth_context_t whether a wait is to end.
bool berth_eager_look(void *context);

// Logs a kind of call that is met for the first time, and every call.
void berth_eager_log_first(const berth_context_t *context,
                           const berth_eager_entry_t *entry);
void berth_eager_log_call(const berth_context_t *context,
                          const berth_eager_entry_t *entry);

#endif  // BERTH_RUNTIME_EAGER_INTERNAL_H_
