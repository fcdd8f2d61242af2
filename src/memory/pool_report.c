// pool_report.c - The figures of a pool, its report and its check.
#include "memory/picture.h"
#include "memory/pool_internal.h"

// ---- Figures ----

// The largest free block is what one request could get: there every idle piece
// can go, and what the limit leaves can be added.
static void snapshot_space(const berth_pool_t *pool,
                           berth_memory_stats_t *out) {
  const berth_pages_t *pages = &pool->space->pages;
  out->region_count = (int64_t)pages->piece_count;
  out->idle_bytes = (int64_t)pages->idle_bytes;
  out->largest_free_block_bytes = (int64_t)pages->idle_bytes;
  if (pool->policy.limit_bytes > 0) {
    out->largest_free_block_bytes += (int64_t)berth_pool_room(pool);
  }
}

// Fills in the figures that are not kept but looked up. Lock held.
static void snapshot(const berth_pool_t *pool, berth_memory_stats_t *out) {
  *out = pool->stats;
  if (pool->space != NULL) {
    snapshot_space(pool, out);
    return;
  }
  out->region_count = (int64_t)pool->region_count;
  for (size_t i = 0; i < pool->region_count; ++i) {
    int64_t largest = (int64_t)berth_bestfit_largest(&pool->regions[i]->fit);
    if (largest > out->largest_free_block_bytes) {
      out->largest_free_block_bytes = largest;
    }
  }
}

static void snapshot_figures(const berth_pool_t *pool,
                             berth_pool_figures_t *out) {
  *out = pool->figures;
  out->bytes_reservable_limit = pool->stats.bytes_limit;
}

void berth_pool_stats(berth_pool_t *pool, berth_memory_stats_t *out_stats) {
  berth_mutex_lock(&pool->lock);
  snapshot(pool, out_stats);
  berth_mutex_unlock(&pool->lock);
}

uint64_t berth_pool_takes(const berth_pool_t *pool, uint64_t size) {
  uint64_t taken = size > 0 ? size : 1;
  if (pool->space != NULL) taken = berth_space_takes(pool->space, taken);
  return (taken + BERTH_BESTFIT_GRAIN - 1) / BERTH_BESTFIT_GRAIN *
         BERTH_BESTFIT_GRAIN;
}

void berth_pool_figures(berth_pool_t *pool, berth_pool_figures_t *out_figures) {
  berth_mutex_lock(&pool->lock);
  snapshot_figures(pool, out_figures);
  berth_mutex_unlock(&pool->lock);
}

void berth_pool_reset_stats(berth_pool_t *pool) {
  berth_mutex_lock(&pool->lock);
  berth_stats_reset(&pool->stats);
  pool->figures.peak_bytes_reserved = pool->figures.bytes_reserved;
  pool->figures.peak_allocated_bytes =
      pool->stats.bytes_in_use + pool->figures.bytes_reserved;
  berth_mutex_unlock(&pool->lock);
}

// ---- Report ----

// Fills in who holds most; nobody when there is no memory to find out.
static void find_holders(berth_pool_t *pool, berth_memory_report_t *report) {
  berth_memory_picture_t picture = {0};
  if (berth_memory_picture_take(pool, &picture, NULL) != BERTH_OK) return;
  for (size_t i = 0;
       i < picture.tenant_count && report->holder_count < BERTH_REPORT_HOLDERS;
       ++i) {
    const berth_tenant_t *tenant = &picture.tenants[i];
    report->holders[report->holder_count++] =
        (berth_holder_t){.bytes = tenant->bytes,
                         .count = tenant->count,
                         .label = berth_label_text(tenant->label),
                         .line = berth_label_text(tenant->line),
                         .is_node = tenant->line == BERTH_LABEL_NODE};
  }
  berth_memory_picture_clear(&picture);
}

void berth_pool_report(berth_pool_t *pool, uint64_t asked,
                       berth_memory_report_t *out_report) {
  *out_report =
      (berth_memory_report_t){.where = pool->name, .asked_bytes = asked};
  berth_mutex_lock(&pool->lock);
  snapshot(pool, &out_report->stats);
  snapshot_figures(pool, &out_report->figures);
  berth_mutex_unlock(&pool->lock);
  find_holders(pool, out_report);
}

// ---- Check ----

// Compares what the regions say with what the pool has counted. Lock held.
static const char *check_regions(const berth_pool_t *pool) {
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

// Counts how many spans of the shared zone touch granule |at|, going on from
// |*span|.
static uint32_t count_users(const space_t *space, uint64_t at,
                            const berth_span_t **span) {
  uint32_t users = 0;
  const berth_span_t *s = *span;
  while (s != NULL) {
    berth_page_run_t run = berth_space_run(space, &space->shared, s);
    if (run.first > at) break;
    if (run.first + run.count > at && s->in_use) ++users;
    if (run.first + run.count > at + 1) break;  // It goes on in the next.
    s = s->next;
  }
  *span = s;
  return users;
}

// The shared zone: a granule is counted right, and its piece rests exactly when
// nobody uses it.
static const char *check_shared(const space_t *space) {
  uint64_t granules = space->own.first_granule;
  const berth_span_t *span = space->shared.fit.first;
  for (uint64_t at = 0; at < granules; ++at) {
    const berth_piece_t *piece = space->pages.table[at];
    if (count_users(space, at, &span) != space->users[at]) return "users";
    if (piece == NULL) {
      if (space->users[at] > 0 && !space->is_away) return "a shared hole";
      continue;
    }
    if (piece->order != 0) return "a large piece in the shared zone";
    if ((piece->idle_since != 0) != (space->users[at] == 0)) {
      return "a shared piece's idle mark";
    }
  }
  return NULL;
}

// The own zone: memory is behind every span in use, all of it in use, and none
// of it reaches beyond.
static const char *check_own(const space_t *space) {
  const berth_span_t *span = space->own.fit.first;
  for (; span != NULL; span = span->next) {
    berth_page_run_t run = berth_space_run(space, &space->own, span);
    for (uint64_t at = run.first; at < run.first + run.count; ++at) {
      const berth_piece_t *piece = space->pages.table[at];
      if (piece == NULL) {
        if (span->in_use && !space->is_away) return "a hole in the own zone";
      } else if ((piece->idle_since == 0) != span->in_use) {
        return "an own piece's idle mark";
      } else if (span->in_use && (piece->first < run.first ||
                                  piece->first + (1u << piece->order) >
                                      run.first + run.count)) {
        return "a piece reaches over the edge of a span";
      }
    }
  }
  return NULL;
}

// Only while nobody grows: pieces that are on their way lie nowhere.
static const char *check_space(const berth_pool_t *pool) {
  const space_t *space = pool->space;
  const berth_bestfit_t *shared = &space->shared.fit, *own = &space->own.fit;
  const char *wrong = berth_bestfit_check(shared);
  if (wrong == NULL) wrong = berth_bestfit_check(own);
  if (wrong == NULL) wrong = berth_pages_check(&space->pages);
  if (wrong == NULL) wrong = check_shared(space);
  if (wrong == NULL) wrong = check_own(space);
  if (wrong != NULL) return wrong;
  uint64_t in_use =
      shared->size - shared->free_bytes + own->size - own->free_bytes;
  uint64_t live = shared->used_count + own->used_count;
  if (space->pages.held_bytes != (uint64_t)pool->stats.pool_bytes) {
    return "pool_bytes";
  }
  if (in_use != (uint64_t)pool->stats.bytes_in_use) return "bytes_in_use";
  return live == (uint64_t)pool->stats.live_allocs ? NULL : "live_allocs";
}

const char *berth_pool_check(berth_pool_t *pool) {
  berth_mutex_lock(&pool->lock);
  if (pool->space != NULL) {
    berth_pool_mark(pool);
    berth_space_settle(pool->space);
  }
  const char *wrong =
      pool->space != NULL ? check_space(pool) : check_regions(pool);
  if (pool->space != NULL) berth_pool_unmark(pool);
  berth_mutex_unlock(&pool->lock);
  return wrong;
}
