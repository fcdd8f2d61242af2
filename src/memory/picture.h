// picture.h - What pools hold at one moment, by op and line, and the events up
// to then.
//
// Threads: plain data, taken with the pools locked: all of it belongs together.
#ifndef BERTH_MEMORY_PICTURE_H_
#define BERTH_MEMORY_PICTURE_H_

#include "memory/history.h"
#include "memory/pool.h"

// What one op holds for one line of a script.
typedef struct berth_tenant {
  berth_label_t where;        // Whose memory: "GPU:0".
  berth_label_t label, line;  // 0: unknown.
  uint64_t bytes;
  int64_t count;  // Allocations.
} berth_tenant_t;

typedef struct berth_memory_picture {
  int64_t time_ns;
  berth_tenant_t *tenants;  // By |where|, the largest first.
  size_t tenant_count;
  berth_memory_event_t *events;  // Oldest first.
  int64_t event_count;
  int64_t noted;  // Events since the history began; more than are kept.
} berth_memory_picture_t;

// Takes a picture of all pools, to be cleared; or of |only| one, without
// events. BERTH_RESOURCE_EXHAUSTED when there is no memory for it.
BERTH_NODISCARD berth_code_t berth_memory_picture_take(
    berth_pool_t *only, berth_memory_picture_t *out_picture,
    berth_error_t *err);

// Frees what |picture| has. Zeroed is fine.
void berth_memory_picture_clear(berth_memory_picture_t *picture);

#endif  // BERTH_MEMORY_PICTURE_H_
