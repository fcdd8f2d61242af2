// pool_report.c - The figures of a pool, its report and its check.
#include <string.h>

#include "memory/pool_internal.h"

// Fills in the figures that are not kept but looked up. Lock held.
static void snapshot(const berth_pool_t *pool, berth_memory_stats_t *out) {
  *out = pool->stats;
  out->region_count = (int64_t)pool->region_count;
  for (size_t i = 0; i < pool->region_count; ++i) {
    int64_t largest = (int64_t)berth_bestfit_largest(&pool->regions[i]->fit);
    if (largest > out->largest_free_block_bytes) {
      out->largest_free_block_bytes = largest;
    }
  }
}

void berth_pool_stats(berth_pool_t *pool, berth_memory_stats_t *out_stats) {
  berth_mutex_lock(&pool->lock);
  snapshot(pool, out_stats);
  berth_mutex_unlock(&pool->lock);
}

void berth_pool_reset_stats(berth_pool_t *pool) {
  berth_mutex_lock(&pool->lock);
  berth_stats_reset(&pool->stats);
  berth_mutex_unlock(&pool->lock);
}

// Counts a live span of |size| bytes among the largest sizes. A size that drops
// out of the list is smaller than all in it, so what stays is counted exactly.
static void count_holder(berth_memory_report_t *report, uint64_t size) {
  int at = 0;
  while (at < report->holder_count && report->holders[at].size > size) ++at;
  if (at < report->holder_count && report->holders[at].size == size) {
    ++report->holders[at].count;
    return;
  }
  if (at == BERTH_REPORT_HOLDERS) return;
  if (report->holder_count < BERTH_REPORT_HOLDERS) ++report->holder_count;
  memmove(&report->holders[at + 1], &report->holders[at],
          (size_t)(report->holder_count - 1 - at) * sizeof(report->holders[0]));
  report->holders[at] = (berth_holder_t){size, 1};
}

void berth_pool_report(berth_pool_t *pool, uint64_t asked,
                       berth_memory_report_t *out_report) {
  *out_report = (berth_memory_report_t){.where = pool->source->name,
                                        .asked_bytes = asked};
  berth_mutex_lock(&pool->lock);
  snapshot(pool, &out_report->stats);
  for (size_t i = 0; i < pool->region_count; ++i) {
    const berth_span_t *span = pool->regions[i]->fit.first;
    for (; span != NULL; span = span->next) {
      if (span->in_use) count_holder(out_report, span->size);
    }
  }
  berth_mutex_unlock(&pool->lock);
}

// Compares what the regions say with what the pool has counted. Lock held.
static const char *check_locked(const berth_pool_t *pool) {
  int64_t held = 0, in_use = 0, idle = 0, live = 0;
  for (size_t i = 0; i < pool->region_count; ++i) {
    const region_t *region = pool->regions[i];
    const char *wrong = berth_bestfit_check(&region->fit);
    if (wrong != NULL) return wrong;
    bool is_idle = region->fit.used_count == 0;
    if (is_idle != (region->idle_since != 0)) return "a region's idle mark";
    held += (int64_t)region->fit.size;
    in_use += (int64_t)(region->fit.size - region->fit.free_bytes);
    live += (int64_t)region->fit.used_count;
    if (is_idle) idle += (int64_t)region->fit.size;
  }
  if (held != pool->stats.pool_bytes) return "pool_bytes";
  if (in_use != pool->stats.bytes_in_use) return "bytes_in_use";
  if (idle != pool->stats.idle_bytes) return "idle_bytes";
  return live == pool->stats.live_allocs ? NULL : "live_allocs";
}

const char *berth_pool_check(berth_pool_t *pool) {
  berth_mutex_lock(&pool->lock);
  const char *wrong = check_locked(pool);
  berth_mutex_unlock(&pool->lock);
  return wrong;
}
