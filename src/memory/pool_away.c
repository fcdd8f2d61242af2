// pool_away.c - Gives all memory of a page-mapped pool back for a while.
//
// Contents go to the host, pieces to the source, and addresses stay: buffers
// keep their spans, so that memory can be put behind them again and every
// address that anybody holds is right as before.
//
// Buffers are counted up while they are copied, because their owners may let go
// of them at any time; a buffer whose last owner has already done so is passed
// over. Its destruction waits for the lock.
#include <string.h>

#include "base/alloc.h"
#include "memory/pool_internal.h"

void berth_space_drop_copy(const berth_copier_t *copier, void *copy) {
  if (copy != NULL) copier->drop(copier->arg, copy);
}

void berth_pool_pin(berth_buffer_t *buffer) {
  atomic_fetch_add(&((pool_buffer_t *)buffer)->pins, 1);
}

void berth_pool_unpin(berth_buffer_t *buffer) {
  atomic_fetch_sub(&((pool_buffer_t *)buffer)->pins, 1);
}

// ---- The live buffers ----

typedef struct live {
  pool_buffer_t **headers;  // Retained.
  size_t count, capacity;
} live_t;

// Counts |buffer| up unless nobody holds it any more.
static bool retain_if_held(berth_buffer_t *buffer) {
  int refs = atomic_load(&buffer->refs);
  while (refs > 0) {
    if (atomic_compare_exchange_weak(&buffer->refs, &refs, refs + 1)) {
      return true;
    }
  }
  return false;
}

static berth_code_t live_add_zone(live_t *live, const zone_t *zone,
                                  berth_error_t *err) {
  for (berth_span_t *span = zone->fit.first; span != NULL; span = span->next) {
    // A span without an owner belongs to a request that is under way.
    pool_buffer_t *header = span->in_use ? span->owner : NULL;
    if (header == NULL) continue;
    pool_buffer_t **headers = berth_grow(live->headers, live->count,
                                         &live->capacity, sizeof(*headers));
    if (headers == NULL) return berth_error_no_memory(err, "a list of buffers");
    live->headers = headers;
    if (retain_if_held(&header->buffer)) headers[live->count++] = header;
  }
  return BERTH_OK;
}

// Lists all live buffers. Lock held. |live| must be let go of in any case.
static berth_code_t live_find(const space_t *space, live_t *live,
                              berth_error_t *err) {
  BERTH_TRY(live_add_zone(live, &space->shared, err));
  return live_add_zone(live, &space->own, err);
}

// Lets go of the buffers. Without the lock.
static void live_deinit(live_t *live) {
  for (size_t i = 0; i < live->count; ++i) {
    berth_buffer_release(&live->headers[i]->buffer);
  }
  berth_free(live->headers);
}

// ---- Away ----

static berth_code_t check_pins(const live_t *live, berth_error_t *err) {
  for (size_t i = 0; i < live->count; ++i) {
    const pool_buffer_t *header = live->headers[i];
    if (atomic_load(&header->pins) == 0) continue;
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "the memory of %s cannot be given back: the address of %llu bytes of "
        "%s is known outside",
        header->pool->name, (unsigned long long)header->buffer.size,
        header->label != 0 ? berth_label_text(header->label) : "an unknown op");
  }
  return BERTH_OK;
}

static void drop_copies(const live_t *live, const berth_copier_t *copier) {
  for (size_t i = 0; i < live->count; ++i) {
    berth_space_drop_copy(copier, live->headers[i]->copy);
    live->headers[i]->copy = NULL;
  }
}

// Saves the contents of all buffers, or of none. Without the lock.
static berth_code_t save_all(const live_t *live, const berth_copier_t *copier,
                             berth_error_t *err) {
  berth_code_t code = check_pins(live, err);
  for (size_t i = 0; code == BERTH_OK && i < live->count; ++i) {
    pool_buffer_t *header = live->headers[i];
    code = copier->save(copier->arg, header->buffer.data, header->buffer.size,
                        &header->copy, err);
  }
  if (code != BERTH_OK) drop_copies(live, copier);
  return code;
}

// Lock held, but not throughout, and mark set.
static berth_code_t go_away(berth_pool_t *pool, const berth_copier_t *copier,
                            live_t *live, berth_error_t *err) {
  space_t *space = pool->space;
  if (space->is_away) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "the memory of %s has been given back already",
                           pool->name);
  }
  BERTH_TRY(live_find(space, live, err));
  space->is_away = true;  // From here on requests are refused.
  space->copier = *copier;
  berth_mutex_unlock(&pool->lock);
  berth_code_t code = save_all(live, copier, err);
  berth_mutex_lock(&pool->lock);
  if (code == BERTH_OK) {
    berth_space_clear(pool);
    space->has_floor = false;
  } else {
    space->is_away = false;
  }
  return code;
}

berth_code_t berth_pool_release_all(berth_pool_t *pool,
                                    const berth_copier_t *copier,
                                    berth_error_t *err) {
  if (pool->space == NULL) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s cannot give memory in use back: it is not "
                           "mapped page by page",
                           pool->name);
  }
  live_t live = {0};
  berth_mutex_lock(&pool->lock);
  berth_pool_mark(pool);
  berth_code_t code = go_away(pool, copier, &live, err);
  berth_pool_unmark(pool);
  berth_mutex_unlock(&pool->lock);
  live_deinit(&live);
  return code;
}

// ---- Back ----

// Puts memory behind |header| and its contents into it. Lock held, but not
// throughout, and mark set.
static berth_code_t bring_back(berth_pool_t *pool, pool_buffer_t *header,
                               berth_error_t *err) {
  space_t *space = pool->space;
  berth_page_run_t run = berth_space_run(space, header->zone, header->span);
  BERTH_TRY(berth_space_fill(pool, run, header->zone == &space->own, err));
  if (header->copy == NULL) return BERTH_OK;
  berth_mutex_unlock(&pool->lock);
  berth_code_t code =
      space->copier.load(space->copier.arg, header->buffer.data,
                         header->buffer.size, header->copy, err);
  berth_mutex_lock(&pool->lock);
  return code;
}

// Lock held, but not throughout, and mark set.
static berth_code_t come_back(berth_pool_t *pool, live_t *live,
                              berth_error_t *err) {
  space_t *space = pool->space;
  BERTH_TRY(live_find(space, live, err));
  berth_code_t code = BERTH_OK;
  for (size_t i = 0; code == BERTH_OK && i < live->count; ++i) {
    code = bring_back(pool, live->headers[i], err);
  }
  if (code == BERTH_OK) {
    space->is_away = false;
  } else {
    berth_space_clear(pool);
  }
  return code;
}

berth_code_t berth_pool_restore(berth_pool_t *pool, berth_error_t *err) {
  if (pool->space == NULL) return BERTH_OK;
  live_t live = {0};
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&pool->lock);
  berth_pool_mark(pool);
  berth_copier_t copier = pool->space->copier;
  bool was_away = pool->space->is_away;
  if (was_away) code = come_back(pool, &live, err);
  berth_pool_unmark(pool);
  berth_mutex_unlock(&pool->lock);
  if (was_away && code == BERTH_OK) drop_copies(&live, &copier);
  live_deinit(&live);
  return code;
}
