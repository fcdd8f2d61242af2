// pool_internal.h - What the files of a pool share.
//
// pool.c has buffers and the life of a pool, pools.c the list of all of them,
// pool_report.c figures and reports, pool_change.c what changes while it runs.
// Where the memory comes from is either of
//
//   pool_region.c   regions of a plain source
//   pool_pages.c    one reservation of a page source, in which pieces are
//                   mapped by pool_move.c and given back for a while by
//                   pool_away.c
#ifndef BERTH_MEMORY_POOL_INTERNAL_H_
#define BERTH_MEMORY_POOL_INTERNAL_H_

#include "base/thread.h"
#include "memory/address_map.h"
#include "memory/ages.h"
#include "memory/label.h"
#include "memory/pages.h"
#include "memory/pool.h"

typedef struct region {
  berth_bestfit_t fit;
  char *base;
  uint64_t idle_since;  // The pool's clock when it fell idle; 0: in use.
  struct region *next;  // In a list of regions on their way out.
} region_t;

// A part of a reservation with its own best fit.
typedef struct zone {
  berth_bestfit_t fit;
  uint64_t first_granule;  // Where it begins.
  uint64_t offset;         // The same in bytes.
  berth_span_t *warm;  // Given back last and still whole, for the next request
                       // of its size: nobody's, but in use as best fit sees
                       // it. NULL: none.
} zone_t;

typedef struct pool_buffer {
  berth_buffer_t buffer;
  berth_pool_t *pool;
  union {
    region_t *region;          // In use, in a region.
    zone_t *zone;              // In use, in a reservation.
    struct pool_buffer *next;  // Spare.
  };
  berth_span_t *span;
  void *copy;           // Of the contents, while they are away.
  atomic_int pins;      // Who knows the address beyond our reach.
  berth_label_t label;  // Who asked for it; 0: unknown.
  berth_label_t line;   // Of a script, that wanted it; 0: unknown.
} pool_buffer_t;

enum { HEADERS_PER_SLAB = 63 };
typedef struct header_slab {
  struct header_slab *next;
  pool_buffer_t headers[HEADERS_PER_SLAB];
} header_slab_t;

// The memory of a page-mapped pool. Two zones, because a piece stays where it
// is as long as any part of it is in use: small requests share single granules,
// large ones have whole pieces to themselves, so that a small tensor never
// holds a large piece in place.
typedef struct space {
  berth_page_source_t *source;  // Borrowed; outlives this.
  char *base;                   // The reservation; NULL until first needed.
  uint64_t size;
  int shift;        // The granularity's logarithm.
  zone_t shared;    // Requests that would waste too much of a granule.
  zone_t own;       // Requests that are given granules of their own.
  uint32_t *users;  // By granule of |shared|: spans that touch it.
  berth_pages_t pages;
  berth_timeline_t *timelines[BERTH_TIMELINES];
  berth_ages_t ages;      // Of pages.clock.
  uint64_t settled;       // Pieces idle since this stamp or before may move.
  bool has_floor;         // The policy's floor has been asked for, and none of
                          // it was given up since.
  bool is_away;           // All memory has been given back for a while.
  berth_copier_t copier;  // Owns |copy| of the buffers meanwhile.
} space_t;

struct berth_pool {
  berth_source_t *source;  // Borrowed; outlives this. NULL with |space|.
  space_t *space;          // NULL: a pool of regions.
  const char *name;        // Of the source,
  berth_label_t where;     // and its label.
  bool is_host;            // The host may touch the memory.
  berth_pool_t *prev_pool, *next_pool;  // Guarded by the lock of pools.c.

  berth_mutex_t lock;  // Guards everything below, and |space|.
  berth_cond_t grown;  // |is_growing| has become false.
  berth_cond_t freed;  // Memory came back; only signalled with |waiters|.
  int waiters;
  bool is_growing;  // A thread is calling the source.
  bool is_closed;   // Destroyed, but buffers live.
  bool is_over;     // A new limit was lower than what was held.
  berth_policy_t policy;
  region_t **regions;  // Oldest first.
  size_t region_count, region_capacity;
  uint64_t next_region_bytes;
  bool has_backed_off;
  uint64_t clock;  // Counts regions that fell idle.
  berth_ages_t ages;
  berth_memory_stats_t stats;
  berth_pool_figures_t figures;
  pool_buffer_t *spare_headers;
  header_slab_t *header_slabs;
  berth_address_map_t addresses;  // Of berth_pool_alloc(): to pool_buffer_t.
};

// ---- pool.c ----

// True when nothing needs |pool| any more, so that the caller, once it has let
// go of the lock, must free it. Lock held.
bool berth_pool_is_done(const berth_pool_t *pool);

// Frees a pool that is done.
void berth_pool_free_all(berth_pool_t *pool);

// Marks that this thread calls the source, after waiting for others who do;
// and takes the mark away. Lock held.
void berth_pool_mark(berth_pool_t *pool);
void berth_pool_unmark(berth_pool_t *pool);

// Returns how many bytes the limit leaves; UINT64_MAX without one. Lock held.
uint64_t berth_pool_room(const berth_pool_t *pool);

// ---- pool_change.c ----

// Returns how many bytes are held beyond the limit. Lock held.
uint64_t berth_pool_excess(const berth_pool_t *pool);

// Returns how much of |idle| bytes the policy lets |pool| keep. Lock held.
uint64_t berth_pool_may_keep(const berth_pool_t *pool, uint64_t idle);

// Returns idle pieces of a page-mapped pool until the policy is kept, as far as
// they have passed. Mark set, lock held, but not throughout.
void berth_pool_shed(berth_pool_t *pool);

// ---- pool_region.c ----

// Takes a span of |size| bytes from the region that the policy prefers; NULL
// when none has room. Lock held.
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

// Takes idle regions out, those idle longest first, until at most |keep| bytes
// are idle. Lock held.
region_t *berth_pool_take_idle(berth_pool_t *pool, uint64_t keep);

// Takes out the regions that have been idle since |stamp| or before. Lock held.
region_t *berth_pool_take_older(berth_pool_t *pool, uint64_t stamp);

// Returns a list of regions to |source|. Without the lock; the pool itself may
// be gone, when another thread released the last buffer of a closed one.
void berth_pool_return_regions(berth_source_t *source, region_t *list);

// ---- pool_pages.c ----

// Makes the space of a page-mapped pool; frees one without pieces. NULL is
// fine.
BERTH_NODISCARD berth_code_t berth_space_create(
    berth_page_source_t *source, const berth_mapped_options_t *options,
    space_t **out_space, berth_error_t *err);
void berth_space_destroy(space_t *space);

// Returns |size| as it is rounded for the zone it goes to.
uint64_t berth_space_takes(space_t *space, uint64_t size);

// Finds addresses for |size| bytes, with memory behind all of them, and fills
// in |zone| and |span| of |header|. Lock held, but not throughout.
BERTH_NODISCARD berth_code_t berth_space_take(berth_pool_t *pool, uint64_t size,
                                              pool_buffer_t *header,
                                              berth_error_t *err);

// Gives them back. Lock held.
void berth_space_give(berth_pool_t *pool, pool_buffer_t *header);

// Joins what was given back last with its neighbours: before spans are looked
// at one by one.
void berth_space_settle(space_t *space);

// Returns the granules that |span| of |zone| touches.
berth_page_run_t berth_space_run(const space_t *space, const zone_t *zone,
                                 const berth_span_t *span);

// Returns the address of a buffer's memory.
static inline void *berth_space_address(const space_t *space,
                                        const pool_buffer_t *header) {
  return space->base + header->zone->offset + header->span->offset;
}

// ---- pool_move.c ----
//
// All with the lock held, but not throughout, and the mark set.

// Maps pieces until all of |run| is covered. In the own zone pieces may be of
// any size.
BERTH_NODISCARD berth_code_t berth_space_fill(berth_pool_t *pool,
                                              berth_page_run_t run, bool is_own,
                                              berth_error_t *err);

// Returns idle pieces to the source, those idle longest first and only such as
// have passed, while more than |keep| bytes are idle and pieces are left that
// have been idle since |stamp| or before.
void berth_space_trim(berth_pool_t *pool, uint64_t keep, uint64_t stamp);

// Waits until all that is idle now has passed.
void berth_space_await(berth_pool_t *pool);

// Returns idle pieces, waiting for them to pass, the policy's floor included,
// until |bytes| less are held.
void berth_space_shrink(berth_pool_t *pool, uint64_t bytes);

// Returns idle pieces, waiting for them to pass, until the limit is kept and
// leaves |size| bytes. BERTH_RESOURCE_EXHAUSTED when it does not come to that.
BERTH_NODISCARD berth_code_t berth_space_make_room(berth_pool_t *pool,
                                                   uint64_t size,
                                                   berth_error_t *err);

// Asks the timelines how far they are, and the clock what has settled.
void berth_space_refresh(berth_pool_t *pool);

// Unmaps and returns every piece, in use or not, waiting for all timelines. No
// failure stops it.
void berth_space_clear(berth_pool_t *pool);

// ---- pool_away.c ----

// Lets go of the copy of a buffer that is released while its contents are away.
// Without the lock.
void berth_space_drop_copy(const berth_copier_t *copier, void *copy);

// ---- pools.c ----

// Puts |pool| into the list of all pools, and takes it out.
void berth_pools_add(berth_pool_t *pool);
void berth_pools_remove(berth_pool_t *pool);

#endif  // BERTH_MEMORY_POOL_INTERNAL_H_
