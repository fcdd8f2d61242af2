// pool_internal.h - What the files of a pool share.
//
// pool.c has buffers and the life of a pool, pool_region.c its regions,
// pool_report.c its figures, pool_fork.c what fork() needs.
#ifndef BERTH_MEMORY_POOL_INTERNAL_H_
#define BERTH_MEMORY_POOL_INTERNAL_H_

#include "base/thread.h"
#include "memory/address_map.h"
#include "memory/pool.h"

typedef struct region {
  berth_bestfit_t fit;
  char *base;
  uint64_t idle_since;  // The pool's clock when it fell idle; 0: in use.
  struct region *next;  // In a list of regions on their way out.
} region_t;

typedef struct pool_buffer {
  berth_buffer_t buffer;
  berth_pool_t *pool;
  union {
    region_t *region;          // In use.
    struct pool_buffer *next;  // Spare.
  };
  berth_span_t *span;
} pool_buffer_t;

enum { HEADERS_PER_SLAB = 63 };
typedef struct header_slab {
  struct header_slab *next;
  pool_buffer_t headers[HEADERS_PER_SLAB];
} header_slab_t;

struct berth_pool {
  berth_source_t *source;  // Borrowed; outlives this.
  berth_policy_t policy;
  berth_pool_t *prev_pool, *next_pool;  // Guarded by the lock of pool_fork.c.

  berth_mutex_t lock;  // Guards everything below.
  berth_cond_t grown;  // |is_growing| has become false.
  bool is_growing;     // A thread is getting a region.
  bool is_closed;      // Destroyed, but buffers live.
  region_t **regions;  // Oldest first.
  size_t region_count, region_capacity;
  uint64_t next_region_bytes;
  uint64_t clock;  // Counts regions that fell idle.
  berth_memory_stats_t stats;
  pool_buffer_t *spare_headers;
  header_slab_t *header_slabs;
  berth_address_map_t addresses;  // Of berth_pool_alloc(): to pool_buffer_t.
};

// Takes a span of |size| bytes from the oldest region with room; NULL when
// there is none. Lock held.
berth_span_t *berth_pool_fit(berth_pool_t *pool, uint64_t size,
                             region_t **out_region);

// Gets a region in which |size| bytes fit. Lock held, but not throughout: other
// threads may take the room, or make room, before this returns. BERTH_OK means
// "look again".
BERTH_NODISCARD berth_code_t berth_pool_grow(berth_pool_t *pool, uint64_t size,
                                             berth_error_t *err);

// Gives |span| back and returns the regions that must leave because of it, for
// berth_pool_return_regions(). Lock held.
region_t *berth_pool_unfit(berth_pool_t *pool, region_t *region,
                           berth_span_t *span);

// Takes idle regions out until at most |keep| bytes are idle. Lock held.
region_t *berth_pool_take_idle(berth_pool_t *pool, uint64_t keep);

// Returns a list of regions to |source|. Without the lock; the pool itself may
// be gone, when another thread released the last buffer of a closed one.
void berth_pool_return_regions(berth_source_t *source, region_t *list);

// Makes |pool| known to, and unknown to, the handlers of fork().
void berth_pool_fork_add(berth_pool_t *pool);
void berth_pool_fork_remove(berth_pool_t *pool);

#endif  // BERTH_MEMORY_POOL_INTERNAL_H_
