// picture.c - What pools hold at one moment, by op and line.
#include "memory/picture.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "memory/pool_internal.h"
#include "memory/pools.h"

// ---- Walking; the pools are locked ----

// Where live allocations go, as far as there is room.
typedef struct walk {
  berth_tenant_t *out;
  size_t room, count;
} walk_t;

static void fit_walk(walk_t *walk, const berth_pool_t *pool,
                     const berth_bestfit_t *fit) {
  for (const berth_span_t *span = fit->first; span; span = span->next) {
    if (!span->in_use) continue;
    const pool_buffer_t *header = span->owner;
    size_t at = walk->count++;
    if (at >= walk->room) continue;
    walk->out[at] =
        (berth_tenant_t){.where = pool->where,
                         .label = header != NULL ? header->label : 0,
                         .line = header != NULL ? header->line : 0,
                         .bytes = span->size,
                         .count = 1};
  }
}

static void pool_walk(walk_t *walk, berth_pool_t *pool) {
  for (size_t i = 0; i < pool->region_count; ++i) {
    fit_walk(walk, pool, &pool->regions[i]->fit);
  }
  if (pool->space == NULL) return;
  berth_space_settle(pool->space);
  fit_walk(walk, pool, &pool->space->shared.fit);
  fit_walk(walk, pool, &pool->space->own.fit);
}

// Walks |only|, or all pools.
static size_t tenants_walk(berth_pool_t *only, berth_tenant_t *out,
                           size_t room) {
  walk_t walk = {.out = out, .room = room};
  if (only != NULL) {
    pool_walk(&walk, only);
    return walk.count;
  }
  for (berth_pool_t *p = berth_pools_first(); p != NULL; p = p->next_pool) {
    pool_walk(&walk, p);
  }
  return walk.count;
}

// ---- Adding up ----

static int compare_who(const void *a, const void *b) {
  const berth_tenant_t *x = a, *y = b;
  if (x->where != y->where) return x->where < y->where ? -1 : 1;
  if (x->label != y->label) return x->label < y->label ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

static int compare_bytes(const void *a, const void *b) {
  const berth_tenant_t *x = a, *y = b;
  if (x->where != y->where) return x->where < y->where ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return compare_who(a, b);
}

// Adds up what one op holds for one line, and puts the largest first.
static void tenants_merge(berth_memory_picture_t *picture) {
  berth_tenant_t *tenants = picture->tenants;
  size_t kept = 0;
  if (picture->tenant_count < 2) return;
  qsort(tenants, picture->tenant_count, sizeof(*tenants), compare_who);
  for (size_t i = 0; i < picture->tenant_count; ++i) {
    if (kept > 0 && compare_who(&tenants[kept - 1], &tenants[i]) == 0) {
      tenants[kept - 1].bytes += tenants[i].bytes;
      ++tenants[kept - 1].count;
    } else {
      tenants[kept++] = tenants[i];
    }
  }
  picture->tenant_count = kept;
  qsort(tenants, kept, sizeof(*tenants), compare_bytes);
}

// ---- Taking ----

// Takes a picture if it has room for all there is; otherwise says how much it
// needs.
static bool picture_try(berth_pool_t *only, berth_memory_picture_t *picture,
                        size_t *tenant_room, int64_t *event_room) {
  if (only == NULL) berth_pools_lock();
  if (only != NULL) berth_mutex_lock(&only->lock);
  int64_t events = only == NULL ? berth_history_keeps() : 0;
  size_t tenants = tenants_walk(only, picture->tenants, *tenant_room);
  bool fits = tenants <= *tenant_room && events <= *event_room;
  if (fits) {
    picture->time_ns = berth_now_ns();
    picture->tenant_count = tenants;
  }
  if (fits && only == NULL) {
    picture->event_count = berth_history_copy(picture->events, &picture->noted);
  }
  if (only == NULL) berth_pools_unlock();
  if (only != NULL) berth_mutex_unlock(&only->lock);
  // A little more, since others go on.
  *tenant_room = tenants + tenants / 8 + 64;
  *event_room = events + events / 8 + 64;
  return fits;
}

berth_code_t berth_memory_picture_take(berth_pool_t *only,
                                       berth_memory_picture_t *out_picture,
                                       berth_error_t *err) {
  size_t tenants = 0;
  int64_t events = 0;
  berth_memory_picture_t picture = {0};
  while (!picture_try(only, &picture, &tenants, &events)) {
    berth_memory_picture_clear(&picture);
    picture.tenants = berth_calloc(tenants, sizeof(*picture.tenants));
    picture.events = berth_calloc((size_t)events, sizeof(*picture.events));
    if (picture.tenants == NULL || picture.events == NULL) {
      berth_memory_picture_clear(&picture);
      return berth_error_no_memory(err, "a snapshot");
    }
  }
  tenants_merge(&picture);
  *out_picture = picture;
  return BERTH_OK;
}

void berth_memory_picture_clear(berth_memory_picture_t *picture) {
  berth_free(picture->tenants);
  berth_free(picture->events);
  *picture = (berth_memory_picture_t){0};
}
