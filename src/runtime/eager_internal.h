// eager_internal.h - Eager contexts from the inside.
//
//   eager_context.c  life and settings of a context
//   eager_entry.c    kinds of calls that have been made before
//   eager_log.c      what calls say about where they run
//   eager.c          calls
//
// A call is a late step (exec/step.h). Its node lives in a graph of the
// context's own, where it is checked like any other; the step is kept by op,
// attributes, input types and device, so that the second call of a kind is a
// lookup and a run. Entries are found without a lock: a bucket is a list that
// only grows.
#ifndef BERTH_RUNTIME_EAGER_INTERNAL_H_
#define BERTH_RUNTIME_EAGER_INTERNAL_H_

#include "base/arena.h"
#include "base/thread.h"
#include "berth/eager.h"
#include "exec/step.h"
#include "runtime/devices.h"
#include "state/container.h"

// A kind of call that has been made before.
typedef struct berth_eager_entry berth_eager_entry_t;
struct berth_eager_entry {
  berth_eager_entry_t *next;
  uint64_t hash;
  const char *op;
  const char *device;  // As asked for, "" for none.
  int input_count;
  berth_dtype_t *types;
  const berth_attr_t *attrs;
  int attr_count;
  berth_step_t step;
  bool *host_inputs;  // By input: it is in host memory. NULL: all are.
  bool shapes_only;   // Inputs may be in any memory.
  bool is_constant;
  berth_resource_t *resource;  // Owned.
};

enum { BERTH_EAGER_BUCKETS = 512 };

struct berth_context {
  berth_graph_t *graph;  // Of the nodes of entries.
  berth_device_set_t devices;
  berth_container_t *container;
  berth_config_t config;
  berth_log_style_t style;
  atomic_bool log;
  atomic_bool soft;
  berth_mutex_t lock;  // Guards the making of entries, and |arena|.
  berth_arena_t arena;
  _Atomic(berth_eager_entry_t *) buckets[BERTH_EAGER_BUCKETS];
};

// What a call asks for.
typedef struct berth_eager_request {
  const char *op;
  const char *device;
  const berth_attr_t *attrs;
  int attr_count;
  berth_tensor_t *const *inputs;
  int input_count;
} berth_eager_request_t;

// Finds or makes the entry for |request|.
BERTH_NODISCARD berth_code_t berth_eager_entry_get(
    berth_context_t *context, const berth_eager_request_t *request,
    berth_eager_entry_t **out_entry, berth_error_t *err);

// Frees what |entry| owns outside the context's arena.
void berth_eager_entry_deinit(berth_eager_entry_t *entry);

// Asks the poll function of a berth_context_t whether a wait is to end.
bool berth_eager_look(void *context);

// Logs a kind of call that is met for the first time, and every call.
void berth_eager_log_first(const berth_context_t *context,
                           const berth_eager_entry_t *entry);
void berth_eager_log_call(const berth_context_t *context,
                          const berth_eager_entry_t *entry);

#endif  // BERTH_RUNTIME_EAGER_INTERNAL_H_
