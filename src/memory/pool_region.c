// pool_region.c - The regions of a pool: finding room, growing, giving back.
//
// A region is idle when nothing in it is in use. The pool's |clock| stamps it
// when it falls idle, so that those idle longest are returned first: memory
// that a loop uses every round stays, memory of a phase that is over goes.
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "memory/pool_internal.h"
#include "memory/watch.h"

static uint64_t round_up(uint64_t size, uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

// ---- Finding room ----

static void region_wake(berth_pool_t *pool, region_t *region) {
  pool->stats.idle_bytes -= (int64_t)region->fit.size;
  region->idle_since = 0;
}

static void region_rest(berth_pool_t *pool, region_t *region) {
  pool->stats.idle_bytes += (int64_t)region->fit.size;
  region->idle_since = ++pool->clock;
}

berth_span_t *berth_pool_fit(berth_pool_t *pool, uint64_t size,
                             region_t **out_region) {
  for (size_t i = 0; i < pool->region_count; ++i) {
    region_t *region = pool->regions[i];
    berth_span_t *span = berth_bestfit_alloc(&region->fit, size);
    if (span == NULL) continue;
    if (region->idle_since != 0) region_wake(pool, region);
    berth_stats_alloc(&pool->stats, (int64_t)span->size);
    *out_region = region;
    return span;
  }
  return NULL;
}

region_t *berth_pool_unfit(berth_pool_t *pool, region_t *region,
                           berth_span_t *span) {
  berth_stats_free(&pool->stats, (int64_t)span->size);
  berth_bestfit_free(&region->fit, span);
  if (region->fit.used_count > 0) return NULL;
  region_rest(pool, region);
  if (pool->is_closed) return berth_pool_take_idle(pool, 0);
  if ((uint64_t)pool->stats.idle_bytes <= pool->policy.keep_idle_bytes) {
    return NULL;
  }
  return berth_pool_take_idle(pool, pool->policy.keep_idle_bytes);
}

// ---- Giving back ----

// Returns the place of the region that has been idle longest, or -1.
static int64_t find_longest_idle(const berth_pool_t *pool) {
  int64_t found = -1;
  for (size_t i = 0; i < pool->region_count; ++i) {
    uint64_t since = pool->regions[i]->idle_since;
    if (since != 0 && (found < 0 || since < pool->regions[found]->idle_since)) {
      found = (int64_t)i;
    }
  }
  return found;
}

// Takes region |index| out of the pool; the order of the others stays.
static region_t *region_unlink(berth_pool_t *pool, size_t index) {
  region_t *region = pool->regions[index];
  --pool->region_count;
  memmove(&pool->regions[index], &pool->regions[index + 1],
          (pool->region_count - index) * sizeof(pool->regions[0]));
  pool->stats.idle_bytes -= (int64_t)region->fit.size;
  berth_stats_region(&pool->stats, -(int64_t)region->fit.size);
  return region;
}

region_t *berth_pool_take_idle(berth_pool_t *pool, uint64_t keep) {
  region_t *list = NULL;
  while ((uint64_t)pool->stats.idle_bytes > keep) {
    int64_t index = find_longest_idle(pool);
    BERTH_ASSERT(index >= 0);
    region_t *region = region_unlink(pool, (size_t)index);
    region->next = list;
    list = region;
  }
  return list;
}

void berth_pool_return_regions(berth_source_t *source, region_t *list) {
  for (region_t *region = list, *next; region != NULL; region = next) {
    next = region->next;
    // The addresses may come back as somebody else's memory.
    if (source->is_host) {
      berth_watch_open(region->base, region->fit.size);
    }
    source->return_region(source, region->base, region->fit.size);
    berth_bestfit_deinit(&region->fit);
    berth_free(region);
  }
}

// ---- Growing ----

// Asks the source for |*size| bytes, then for a tenth less each time, down to
// |least|: a card that is nearly full still gives what it has.
static berth_code_t get_region(berth_source_t *source, uint64_t least,
                               uint64_t *size, void **out_base,
                               berth_error_t *err) {
  for (;;) {
    berth_code_t code = source->get_region(source, *size, out_base, err);
    if (code == BERTH_OK || *size <= least) return code;
    uint64_t less = *size / 10 * 9;
    less -= less % source->granularity;
    *size = less > least ? less : least;
  }
}

// Makes the region of |size| bytes that is to lie at |base|.
static berth_code_t region_create(const berth_pool_t *pool, void *base,
                                  uint64_t size, region_t **out_region,
                                  berth_error_t *err) {
  region_t *region = berth_calloc(1, sizeof(*region));
  if (region == NULL) return berth_error_no_memory(err, "a region");
  berth_code_t code =
      berth_bestfit_init(&region->fit, size, pool->policy.split, err);
  if (code != BERTH_OK) {
    berth_free(region);
    return code;
  }
  region->base = base;
  if (pool->source->is_host) berth_watch_close(base, size);
  *out_region = region;
  return BERTH_OK;
}

// Gets memory for a region of |size| bytes, at least |least|, and makes it.
// Without the lock.
static berth_code_t region_open(berth_pool_t *pool, uint64_t least,
                                uint64_t size, region_t **out_region,
                                berth_error_t *err) {
  void *base = NULL;
  BERTH_TRY(get_region(pool->source, least, &size, &base, err));
  berth_code_t code = region_create(pool, base, size, out_region, err);
  if (code != BERTH_OK) {
    pool->source->return_region(pool->source, base, size);
  }
  return code;
}

// Makes room in the table of regions. Lock held.
static berth_code_t reserve_slot(berth_pool_t *pool, berth_error_t *err) {
  region_t **regions =
      berth_grow(pool->regions, pool->region_count, &pool->region_capacity,
                 sizeof(pool->regions[0]));
  if (regions == NULL) return berth_error_no_memory(err, "a table of regions");
  pool->regions = regions;
  return BERTH_OK;
}

// Says how large the next region is to be; returning idle ones when the limit
// leaves no room otherwise (|*out_idle| are those). 0: there is no room.
static uint64_t plan_region(berth_pool_t *pool, uint64_t size,
                            region_t **out_idle) {
  uint64_t held = (uint64_t)pool->stats.pool_bytes;
  uint64_t want = berth_policy_next_region(&pool->policy, size, held,
                                           &pool->next_region_bytes);
  if (want == 0 && pool->stats.idle_bytes > 0) {
    uint64_t busy = held - (uint64_t)pool->stats.idle_bytes;
    want = berth_policy_next_region(&pool->policy, size, busy,
                                    &pool->next_region_bytes);
    if (want > 0) *out_idle = berth_pool_take_idle(pool, 0);
  }
  return want - want % pool->source->granularity;
}

static void publish(berth_pool_t *pool, region_t *region) {
  pool->regions[pool->region_count++] = region;
  berth_stats_region(&pool->stats, (int64_t)region->fit.size);
  region_rest(pool, region);
}

// Calls the source, giving idle regions back and trying once more when it
// refuses. Without the lock.
static berth_code_t open_or_trim(berth_pool_t *pool, uint64_t least,
                                 uint64_t size, region_t **out_region,
                                 berth_error_t *err) {
  berth_code_t code = region_open(pool, least, size, out_region, err);
  if (code == BERTH_OK) return code;
  if (berth_pool_trim(pool, 0) == 0) return code;
  return region_open(pool, least, size, out_region, err);
}

berth_code_t berth_pool_grow(berth_pool_t *pool, uint64_t size,
                             berth_error_t *err) {
  if (pool->is_growing) {
    berth_cond_wait(&pool->grown, &pool->lock);
    return BERTH_OK;
  }
  // 1. Plan, and mark.
  BERTH_TRY(reserve_slot(pool, err));
  region_t *idle = NULL, *region = NULL;
  uint64_t doubling = pool->next_region_bytes;
  uint64_t least = round_up(size, pool->source->granularity);
  uint64_t want = plan_region(pool, least, &idle);
  if (want < least) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "the limit leaves no room");
  }
  pool->is_growing = true;
  berth_mutex_unlock(&pool->lock);
  // 2. Call the source.
  berth_pool_return_regions(pool->source, idle);
  berth_code_t code = open_or_trim(pool, least, want, &region, err);
  // 3. Publish.
  berth_mutex_lock(&pool->lock);
  if (code == BERTH_OK) {
    publish(pool, region);
  } else {
    pool->next_region_bytes = doubling;  // Only regions got count.
  }
  pool->is_growing = false;
  berth_cond_broadcast(&pool->grown);
  return code;
}
