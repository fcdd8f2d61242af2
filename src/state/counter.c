// counter.c - How often a node has done something in a session.
#include "state/counter.h"

#include <stdatomic.h>

#include "base/alloc.h"

struct berth_counter {
  berth_resource_t resource;  // First.
  atomic_llong count;
};

static void counter_destroy(berth_resource_t *resource) {
  berth_free(resource);
}

berth_code_t berth_counter_create(berth_resource_t **out_resource,
                                  berth_error_t *err) {
  berth_counter_t *counter = berth_calloc(1, sizeof(*counter));
  if (counter == NULL) return berth_error_no_memory(err, "a counter");
  atomic_init(&counter->resource.refs, 1);
  counter->resource.destroy = counter_destroy;
  *out_resource = &counter->resource;
  return BERTH_OK;
}

int64_t berth_counter_next(berth_counter_t *counter) {
  return atomic_fetch_add(&counter->count, 1);
}
