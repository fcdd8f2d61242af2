// pool_region.c - The regions of a pool: finding room, growing, giving back.
//
// A region is idle when nothing in it is in use. The pool's |clock| stamps it
// when it falls idle, so that those idle longest are returned first: memory
// that a loop uses every round stays, memory of a phase that is over goes.
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/log.h"
#include "memory/pool_internal.h"
#include "memory/watch.h"

enum { COLLECT_LINE = 382 };
static const char collect_text[] =
    "Garbage collection: deallocate free memory regions (i.e., allocations) so "
    "that we can re-allocate a larger region to avoid OOM due to memory "
    "fragmentation. If you see this message frequently, you are running near "
    "the threshold of the available device memory and re-allocation may incur "
    "great performance overhead. You may try smaller batch sizes to observe "
    "the performance impact. Set TF_ENABLE_GPU_GARBAGE_COLLECTION=false if "
    "you'd like to disable this feature.";

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

// True when |a| of region |at| is a better fit than |b| of |other|: smaller, or
// at a lower address.
static bool fits_better(const region_t *at, const berth_span_t *a,
                        const region_t *other, const berth_span_t *b) {
  if (a->size != b->size) return a->size < b->size;
  return (uintptr_t)at->base + a->offset < (uintptr_t)other->base + b->offset;
}

// Returns the region with the best fit of all, or NULL.
static region_t *find_best(const berth_pool_t *pool, uint64_t size) {
  region_t *best = NULL;
  const berth_span_t *best_span = NULL;
  for (size_t i = 0; i < pool->region_count; ++i) {
    region_t *region = pool->regions[i];
    const berth_span_t *span = berth_bestfit_find(&region->fit, size);
    if (span == NULL) continue;
    if (best == NULL || fits_better(region, span, best, best_span)) {
      best = region;
      best_span = span;
    }
  }
  return best;
}

// Takes a span from the oldest region with room.
static berth_span_t *fit_oldest(berth_pool_t *pool, uint64_t size,
                                region_t **out_region) {
  for (size_t i = 0; i < pool->region_count; ++i) {
    berth_span_t *span = berth_bestfit_alloc(&pool->regions[i]->fit, size);
    if (span == NULL) continue;
    *out_region = pool->regions[i];
    return span;
  }
  return NULL;
}

static berth_span_t *fit_best(berth_pool_t *pool, uint64_t size,
                              region_t **out_region) {
  region_t *region = find_best(pool, size);
  if (region == NULL) return NULL;
  *out_region = region;
  return berth_bestfit_alloc(&region->fit, size);
}

berth_span_t *berth_pool_fit(berth_pool_t *pool, uint64_t size,
                             region_t **out_region) {
  berth_span_t *span = pool->policy.best_of_all
                           ? fit_best(pool, size, out_region)
                           : fit_oldest(pool, size, out_region);
  if (span == NULL) return NULL;
  if ((*out_region)->idle_since != 0) region_wake(pool, *out_region);
  berth_stats_alloc(&pool->stats, (int64_t)span->size);
  return span;
}

region_t *berth_pool_unfit(berth_pool_t *pool, region_t *region,
                           berth_span_t *span) {
  berth_stats_free(&pool->stats, (int64_t)span->size);
  berth_bestfit_free(&region->fit, span);
  if (region->fit.used_count > 0) return NULL;
  region_rest(pool, region);
  if (pool->is_closed) return berth_pool_take_idle(pool, 0);
  uint64_t idle = (uint64_t)pool->stats.idle_bytes;
  uint64_t keep = pool->policy.keep_idle_bytes;
  if (BERTH_UNLIKELY(pool->is_over)) keep = berth_pool_may_keep(pool, idle);
  if (idle <= keep) return NULL;
  region_t *list = berth_pool_take_idle(pool, keep);
  pool->is_over = berth_pool_excess(pool) > 0;
  return list;
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

region_t *berth_pool_take_older(berth_pool_t *pool, uint64_t stamp) {
  region_t *list = NULL;
  for (;;) {
    int64_t index = find_longest_idle(pool);
    if (index < 0 || pool->regions[index]->idle_since > stamp) return list;
    region_t *region = region_unlink(pool, (size_t)index);
    region->next = list;
    list = region;
  }
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

// Asks the source for |*size| bytes, and if |backs_off| for a tenth less each
// time, down to |least|: a card that is nearly full still gives what it has.
static berth_code_t get_region(berth_source_t *source, uint64_t least,
                               bool backs_off, uint64_t *size, void **out_base,
                               berth_error_t *err) {
  for (;;) {
    berth_code_t code = source->get_region(source, *size, out_base, err);
    if (code == BERTH_OK || *size <= least || !backs_off) return code;
    *size = berth_policy_back_off(*size, least, source->granularity);
  }
}

// Makes the region of |size| bytes that is to lie at |base|.
static berth_code_t region_create(const berth_pool_t *pool, void *base,
                                  uint64_t size, berth_split_t split,
                                  region_t **out_region, berth_error_t *err) {
  region_t *region = berth_calloc(1, sizeof(*region));
  if (region == NULL) return berth_error_no_memory(err, "a region");
  berth_code_t code = berth_bestfit_init(&region->fit, size, split, err);
  if (code != BERTH_OK) {
    berth_free(region);
    return code;
  }
  region->base = base;
  if (pool->is_host) berth_watch_close(base, size);
  *out_region = region;
  return BERTH_OK;
}

// A growth under way. The policy is a copy, because it may change meanwhile.
typedef struct growth {
  berth_policy_t policy;
  uint64_t least, want;  // Bytes that do, and bytes to ask for.
} growth_t;

// Gets memory for a region and makes it. Without the lock.
static berth_code_t region_open(berth_pool_t *pool, const growth_t *growth,
                                region_t **out_region, berth_error_t *err) {
  void *base = NULL;
  uint64_t size = growth->want;
  // Only the thread with the mark reads and writes |has_backed_off|.
  bool backs_off = !growth->policy.backs_off_once || !pool->has_backed_off;
  berth_code_t code =
      get_region(pool->source, growth->least, backs_off, &size, &base, err);
  if (code != BERTH_OK || size < growth->want) pool->has_backed_off = true;
  BERTH_TRY(code);
  code = region_create(pool, base, size, growth->policy.split, out_region, err);
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
  uint64_t held =
      (uint64_t)(pool->stats.pool_bytes + pool->figures.bytes_reserved);
  uint64_t want = berth_policy_next_region(&pool->policy, size, held,
                                           &pool->next_region_bytes);
  if (want == 0 && pool->stats.idle_bytes > 0 && !pool->policy.keeps_regions) {
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

// Returns |idle| regions so that a larger one can be had; TensorFlow's pools
// say so. Without the lock.
static void collect(berth_pool_t *pool, const growth_t *growth,
                    region_t *idle) {
  if (idle == NULL) return;
  if (growth->policy.best_of_all) {
    berth_log(BERTH_LOG_WARNING, "bfc_allocator.cc", COLLECT_LINE, "%s",
              collect_text);
  }
  berth_pool_return_regions(pool->source, idle);
}

// Calls the source, giving idle regions back and trying once more when it
// refuses. Without the lock.
static berth_code_t open_or_trim(berth_pool_t *pool, const growth_t *growth,
                                 region_t **out_region, berth_error_t *err) {
  berth_code_t code = region_open(pool, growth, out_region, err);
  if (code == BERTH_OK || growth->policy.keeps_regions) return code;
  berth_mutex_lock(&pool->lock);
  region_t *idle = berth_pool_take_idle(pool, 0);
  if (idle != NULL) ++pool->figures.collect_count;
  berth_mutex_unlock(&pool->lock);
  if (idle == NULL) return code;
  collect(pool, growth, idle);
  return region_open(pool, growth, out_region, err);
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
  growth_t growth = {.policy = pool->policy};
  growth.least = round_up(size, pool->source->granularity);
  growth.want = plan_region(pool, growth.least, &idle);
  if (growth.want < growth.least) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "the limit leaves no room");
  }
  if (idle != NULL) ++pool->figures.collect_count;
  pool->is_growing = true;
  berth_mutex_unlock(&pool->lock);
  // 2. Call the source.
  collect(pool, &growth, idle);
  berth_code_t code = open_or_trim(pool, &growth, &region, err);
  // 3. Publish.
  berth_mutex_lock(&pool->lock);
  if (code == BERTH_OK) {
    publish(pool, region);
  } else {
    pool->next_region_bytes = doubling;  // Only regions got count.
  }
  berth_pool_unmark(pool);
  return code;
}
