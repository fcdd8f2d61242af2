// pool_change.c - What changes while a pool runs: trimming, policy, reserves.
#include "memory/pool_internal.h"

uint64_t berth_pool_excess(const berth_pool_t *pool) {
  uint64_t limit = pool->policy.limit_bytes;
  uint64_t held =
      (uint64_t)(pool->stats.pool_bytes + pool->figures.bytes_reserved);
  return limit > 0 && held > limit ? held - limit : 0;
}

// ---- Giving back ----

// Unlocks |pool| and frees it when it is done. Page-mapped pools only.
static void unmark_and_unlock(berth_pool_t *pool) {
  berth_pool_unmark(pool);
  bool is_done = berth_pool_is_done(pool);
  berth_mutex_unlock(&pool->lock);
  if (is_done) berth_pool_free_all(pool);
}

// Trims a page-mapped pool and returns what went back.
static uint64_t trim_space(berth_pool_t *pool, uint64_t keep, uint64_t stamp) {
  berth_pool_mark(pool);
  int64_t before = pool->stats.pool_bytes;
  berth_space_trim(pool, keep, stamp);
  uint64_t returned = (uint64_t)(before - pool->stats.pool_bytes);
  unmark_and_unlock(pool);
  return returned;
}

uint64_t berth_pool_trim(berth_pool_t *pool, uint64_t keep) {
  berth_mutex_lock(&pool->lock);
  if (pool->space != NULL) return trim_space(pool, keep, UINT64_MAX);
  int64_t before = pool->stats.pool_bytes;
  region_t *idle = berth_pool_take_idle(pool, keep);
  uint64_t returned = (uint64_t)(before - pool->stats.pool_bytes);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(pool->source, idle);
  return returned;
}

uint64_t berth_pool_shrink(berth_pool_t *pool, uint64_t bytes) {
  berth_mutex_lock(&pool->lock);
  if (pool->space == NULL) {
    uint64_t idle = (uint64_t)pool->stats.idle_bytes;
    berth_mutex_unlock(&pool->lock);
    return berth_pool_trim(pool, idle > bytes ? idle - bytes : 0);
  }
  berth_pool_mark(pool);
  int64_t before = pool->stats.pool_bytes;
  berth_space_shrink(pool, bytes);
  uint64_t returned = (uint64_t)(before - pool->stats.pool_bytes);
  unmark_and_unlock(pool);
  return returned;
}

void berth_pool_await(berth_pool_t *pool) {
  berth_mutex_lock(&pool->lock);
  if (pool->space == NULL) {
    berth_mutex_unlock(&pool->lock);
    return;
  }
  berth_pool_mark(pool);
  berth_space_await(pool);
  unmark_and_unlock(pool);
}

uint64_t berth_pool_trim_older(berth_pool_t *pool, int64_t idle_ns,
                               int64_t now_ns) {
  space_t *space = pool->space;
  berth_mutex_lock(&pool->lock);
  berth_ages_t *ages = space != NULL ? &space->ages : &pool->ages;
  berth_ages_note(ages, now_ns,
                  space != NULL ? space->pages.clock : pool->clock);
  uint64_t stamp = berth_ages_at(ages, now_ns - idle_ns);
  if (space != NULL) return trim_space(pool, 0, stamp);
  int64_t before = pool->stats.pool_bytes;
  region_t *idle = berth_pool_take_older(pool, stamp);
  uint64_t returned = (uint64_t)(before - pool->stats.pool_bytes);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(pool->source, idle);
  return returned;
}

uint64_t berth_pool_may_keep(const berth_pool_t *pool, uint64_t idle) {
  uint64_t excess = berth_pool_excess(pool);
  uint64_t within = excess < idle ? idle - excess : 0;
  uint64_t keep = pool->policy.keep_idle_bytes;
  return keep < within ? keep : within;
}

void berth_pool_shed(berth_pool_t *pool) {
  uint64_t keep = berth_pool_may_keep(pool, pool->space->pages.idle_bytes);
  berth_space_trim(pool, keep, UINT64_MAX);
  pool->is_over = berth_pool_excess(pool) > 0;
}

// ---- Policy ----

// Puts |policy| in place. Mark set, so that no growth under the old one is
// still on its way.
static void policy_replace(berth_pool_t *pool, const berth_policy_t *policy) {
  // The doubling starts anew only if it would start elsewhere now.
  if (policy->first_region_bytes != pool->policy.first_region_bytes) {
    pool->next_region_bytes = policy->first_region_bytes;
  }
  if (pool->source != NULL &&
      pool->next_region_bytes < pool->source->granularity) {
    pool->next_region_bytes = pool->source->granularity;
  }
  if (pool->space != NULL) pool->space->has_floor = false;
  pool->policy = *policy;
  pool->stats.bytes_limit = (int64_t)policy->limit_bytes;
}

uint64_t berth_pool_set_policy(berth_pool_t *pool,
                               const berth_policy_t *policy) {
  region_t *idle = NULL;
  berth_mutex_lock(&pool->lock);
  berth_pool_mark(pool);
  policy_replace(pool, policy);
  if (pool->space != NULL) {
    berth_pool_shed(pool);
  } else {
    uint64_t keep = berth_pool_may_keep(pool, (uint64_t)pool->stats.idle_bytes);
    idle = berth_pool_take_idle(pool, keep);
  }
  uint64_t excess = berth_pool_excess(pool);
  pool->is_over = excess > 0;
  berth_pool_unmark(pool);
  // A higher limit may be what a request is waiting for.
  if (pool->waiters > 0) berth_cond_broadcast(&pool->freed);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(pool->source, idle);
  return excess;
}

// ---- Reserves ----

// Makes the limit leave |size| bytes; |*out_idle| must be returned. Mark set,
// lock held, but not throughout.
static berth_code_t make_room(berth_pool_t *pool, uint64_t size,
                              region_t **out_idle, berth_error_t *err) {
  uint64_t room = berth_pool_room(pool);
  if (room >= size) return BERTH_OK;
  if (pool->space != NULL) return berth_space_make_room(pool, size, err);
  uint64_t idle = (uint64_t)pool->stats.idle_bytes;
  if (size - room > idle) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "the limit leaves no room");
  }
  *out_idle = berth_pool_take_idle(pool, idle - (size - room));
  return BERTH_OK;
}

// Counts |size| bytes as taken outside the pool. Lock held.
static void count_reserved(berth_pool_t *pool, int64_t size) {
  berth_pool_figures_t *figures = &pool->figures;
  figures->bytes_reserved += size;
  if (figures->bytes_reserved > figures->peak_bytes_reserved) {
    figures->peak_bytes_reserved = figures->bytes_reserved;
  }
  int64_t all = pool->stats.bytes_in_use + figures->bytes_reserved;
  if (all > figures->peak_allocated_bytes) figures->peak_allocated_bytes = all;
}

berth_code_t berth_pool_reserve(berth_pool_t *pool, uint64_t size,
                                berth_error_t *err) {
  region_t *idle = NULL;
  berth_mutex_lock(&pool->lock);
  berth_pool_mark(pool);
  berth_code_t code = make_room(pool, size, &idle, err);
  if (code == BERTH_OK) count_reserved(pool, (int64_t)size);
  berth_pool_unmark(pool);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(pool->source, idle);
  if (code != BERTH_OK) {
    berth_error_prepend(err, "%s has no %llu bytes to spare outside its pool; ",
                        pool->name, (unsigned long long)size);
  }
  return code;
}

void berth_pool_unreserve(berth_pool_t *pool, uint64_t size) {
  berth_mutex_lock(&pool->lock);
  count_reserved(pool, -(int64_t)size);
  if (pool->waiters > 0) berth_cond_broadcast(&pool->freed);
  berth_mutex_unlock(&pool->lock);
}
