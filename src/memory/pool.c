// pool.c - Memory for tensors: buffers, and the life of a pool.
#include "memory/pool.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "memory/history.h"
#include "memory/pool_internal.h"
#include "memory/watch.h"

// A page-mapped pool never runs out of addresses before memory, unless live
// allocations lie sixteen times as far apart as they are large.
#define ADDRESSES_PER_BYTE 16
#define UNLIMITED_ADDRESSES ((uint64_t)1 << 40)

// ---- Life ----

static berth_code_t pool_create(const berth_policy_t *policy, const char *name,
                                berth_pool_t **out_pool, berth_error_t *err) {
  berth_pool_t *pool = berth_calloc(1, sizeof(*pool));
  if (pool == NULL) return berth_error_no_memory(err, "a pool");
  berth_history_begin();
  pool->name = name;
  pool->where = berth_label_of(name);
  pool->policy = *policy;
  pool->stats.bytes_limit = (int64_t)policy->limit_bytes;
  berth_mutex_init(&pool->lock);
  berth_cond_init(&pool->grown);
  berth_cond_init(&pool->freed);
  berth_pools_add(pool);
  *out_pool = pool;
  return BERTH_OK;
}

berth_code_t berth_pool_create(berth_source_t *source,
                               const berth_policy_t *policy,
                               berth_pool_t **out_pool, berth_error_t *err) {
  BERTH_ASSERT(source->granularity % BERTH_BESTFIT_GRAIN == 0);
  berth_pool_t *pool = NULL;
  BERTH_TRY(pool_create(policy, source->name, &pool, err));
  pool->source = source;
  pool->is_host = source->is_host;
  pool->next_region_bytes = policy->first_region_bytes;
  if (pool->next_region_bytes < source->granularity) {
    pool->next_region_bytes = source->granularity;
  }
  *out_pool = pool;
  return BERTH_OK;
}

berth_code_t berth_pool_create_mapped(berth_page_source_t *source,
                                      const berth_policy_t *policy,
                                      const berth_mapped_options_t *options,
                                      berth_pool_t **out_pool,
                                      berth_error_t *err) {
  berth_mapped_options_t wanted = {0};
  if (options != NULL) wanted = *options;
  if (wanted.address_bytes == 0) {
    wanted.address_bytes = policy->limit_bytes > 0
                               ? policy->limit_bytes * ADDRESSES_PER_BYTE
                               : UNLIMITED_ADDRESSES;
  }
  space_t *space = NULL;
  BERTH_TRY(berth_space_create(source, &wanted, &space, err));
  berth_code_t code = pool_create(policy, source->name, out_pool, err);
  if (code != BERTH_OK) {
    berth_space_destroy(space);
    return code;
  }
  (*out_pool)->space = space;
  return BERTH_OK;
}

bool berth_pool_is_done(const berth_pool_t *pool) {
  return pool->is_closed && pool->stats.live_allocs == 0 &&
         (pool->space == NULL || !pool->is_growing);
}

// The regions of a pool that is done are gone, its pieces are not.
void berth_pool_free_all(berth_pool_t *pool) {
  if (pool->space != NULL) {
    berth_mutex_lock(&pool->lock);
    berth_space_clear(pool);
    berth_mutex_unlock(&pool->lock);
    berth_space_destroy(pool->space);
  }
  berth_pools_remove(pool);
  for (header_slab_t *slab = pool->header_slabs, *next; slab; slab = next) {
    next = slab->next;
    berth_free(slab);
  }
  berth_address_map_clear(&pool->addresses);
  berth_free(pool->regions);
  berth_cond_deinit(&pool->freed);
  berth_cond_deinit(&pool->grown);
  berth_mutex_deinit(&pool->lock);
  berth_free(pool);
}

void berth_pool_destroy(berth_pool_t *pool) {
  if (pool == NULL) return;
  berth_source_t *source = pool->source;
  berth_mutex_lock(&pool->lock);
  pool->is_closed = true;
  region_t *idle = berth_pool_take_idle(pool, 0);
  bool is_done = berth_pool_is_done(pool);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(source, idle);
  if (is_done) berth_pool_free_all(pool);
}

void berth_pool_mark(berth_pool_t *pool) {
  while (pool->is_growing) berth_cond_wait(&pool->grown, &pool->lock);
  pool->is_growing = true;
}

void berth_pool_unmark(berth_pool_t *pool) {
  pool->is_growing = false;
  berth_cond_broadcast(&pool->grown);
}

// Returns what the source would give at most.
static uint64_t room_of_source(const berth_pool_t *pool) {
  const berth_page_source_t *pages =
      pool->space != NULL ? pool->space->source : NULL;
  if (pages != NULL) {
    return pages->room != NULL ? pages->room(pages) : UINT64_MAX;
  }
  const berth_source_t *source = pool->source;
  return source->room != NULL ? source->room(source) : UINT64_MAX;
}

uint64_t berth_pool_room(const berth_pool_t *pool) {
  uint64_t limit = pool->policy.limit_bytes, most = room_of_source(pool);
  if (limit == 0) return most;
  uint64_t held =
      (uint64_t)(pool->stats.pool_bytes + pool->figures.bytes_reserved);
  uint64_t room = held < limit ? limit - held : 0;
  return room < most ? room : most;
}

// ---- Buffers ----

// Takes a spare header; NULL when memory is short. Lock held.
static pool_buffer_t *header_take(berth_pool_t *pool) {
  if (pool->spare_headers == NULL) {
    header_slab_t *slab = berth_alloc(sizeof(*slab));
    if (slab == NULL) return NULL;
    slab->next = pool->header_slabs;
    pool->header_slabs = slab;
    for (int i = HEADERS_PER_SLAB; i-- > 0;) {
      slab->headers[i].next = pool->spare_headers;
      pool->spare_headers = &slab->headers[i];
    }
  }
  pool_buffer_t *header = pool->spare_headers;
  pool->spare_headers = header->next;
  return header;
}

static void header_give(berth_pool_t *pool, pool_buffer_t *header) {
  header->next = pool->spare_headers;
  pool->spare_headers = header;
}

// Notes in the history what happens to |header|. Lock held.
static void note(const pool_buffer_t *header, berth_memory_event_kind_t kind) {
  berth_history_note(&(berth_memory_event_t){
      .address = (uint64_t)(uintptr_t)header->buffer.data,
      .size = header->span->size,
      .where = header->pool->where,
      .label = header->label,
      .line = header->line,
      .kind = kind});
}

// Wakes whoever waits for memory. Lock held.
static void tell_waiters(berth_pool_t *pool) {
  if (BERTH_UNLIKELY(pool->waiters > 0)) berth_cond_broadcast(&pool->freed);
}

// Gives a buffer's memory back at its last release.
static void buffer_destroy(berth_buffer_t *buffer) {
  pool_buffer_t *header = (pool_buffer_t *)buffer;
  berth_pool_t *pool = header->pool;
  berth_source_t *source = pool->source;
  if (pool->is_host) berth_watch_close(buffer->data, buffer->size);
  berth_mutex_lock(&pool->lock);
  if (berth_history_is_on()) note(header, BERTH_EVENT_FREE);
  region_t *idle = berth_pool_unfit(pool, header->region, header->span);
  header_give(pool, header);
  tell_waiters(pool);
  bool is_done = berth_pool_is_done(pool);
  berth_mutex_unlock(&pool->lock);
  if (idle != NULL) berth_pool_return_regions(source, idle);
  if (is_done) berth_pool_free_all(pool);
}

// True when idle memory of a page-mapped pool must leave. Lock held.
static bool has_too_much(const berth_pool_t *pool) {
  uint64_t idle = pool->space->pages.idle_bytes;
  if (idle == 0 || pool->is_closed || pool->is_growing) return false;
  return pool->is_over || idle > pool->policy.keep_idle_bytes;
}

// The same in a page-mapped pool.
static void mapped_destroy(berth_buffer_t *buffer) {
  pool_buffer_t *header = (pool_buffer_t *)buffer;
  berth_pool_t *pool = header->pool;
  void *copy = header->copy;
  berth_copier_t copier = {0};
  berth_mutex_lock(&pool->lock);
  if (BERTH_UNLIKELY(copy != NULL)) copier = pool->space->copier;
  if (berth_history_is_on()) note(header, BERTH_EVENT_FREE);
  berth_space_give(pool, header);
  header_give(pool, header);
  tell_waiters(pool);
  if (BERTH_UNLIKELY(has_too_much(pool))) {
    berth_pool_mark(pool);
    berth_pool_shed(pool);
    berth_pool_unmark(pool);
  }
  bool is_done = berth_pool_is_done(pool);
  berth_mutex_unlock(&pool->lock);
  if (copy != NULL) berth_space_drop_copy(&copier, copy);
  if (is_done) berth_pool_free_all(pool);
}

// Grows until |size| bytes fit. Lock held, but not throughout.
static BERTH_NOINLINE berth_code_t grow_and_fit(berth_pool_t *pool,
                                                uint64_t size,
                                                pool_buffer_t *header,
                                                berth_error_t *err) {
  if (size > BERTH_BESTFIT_MAX / 2) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "no machine has that much");
  }
  do {
    berth_code_t code = berth_pool_grow(pool, size, err);
    // Others may have taken the room, or given some back although the source
    // refused: looking decides.
    header->span = berth_pool_fit(pool, size, &header->region);
    if (header->span == NULL && code != BERTH_OK) return code;
  } while (header->span == NULL);
  berth_error_clear(err);
  return BERTH_OK;
}

// Puts the state of the pool in front of the reason in |err|.
static berth_code_t out_of_memory(berth_pool_t *pool,
                                  const berth_request_t *request,
                                  berth_code_t code, berth_error_t *err) {
  if (code != BERTH_RESOURCE_EXHAUSTED) return code;
  berth_memory_report_t report;
  berth_str_t line = {0};
  berth_pool_report(pool, request->size, &report);
  report.op = request->label;
  berth_report_print_line(&report, &line);
  berth_error_prepend(err, "%s; ", berth_str_get(&line));
  berth_str_clear(&line);
  return BERTH_RESOURCE_EXHAUSTED;
}

// Looks for |size| bytes once, growing if need be. Lock held, but not
// throughout.
static berth_code_t take_once(berth_pool_t *pool, uint64_t size,
                              pool_buffer_t *header, berth_error_t *err) {
  if (pool->space != NULL) return berth_space_take(pool, size, header, err);
  header->span = berth_pool_fit(pool, size, &header->region);
  if (BERTH_LIKELY(header->span != NULL)) return BERTH_OK;
  return grow_and_fit(pool, size, header, err);
}

// Tries again whenever memory is released, until the policy's time is over.
// Lock held, but not throughout.
static BERTH_NOINLINE berth_code_t wait_and_take(berth_pool_t *pool,
                                                 uint64_t size,
                                                 pool_buffer_t *header,
                                                 berth_error_t *err) {
  int64_t deadline = berth_now_ns() + pool->policy.wait_ns;
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  bool in_time = true;
  ++pool->figures.wait_count;
  while (in_time && code == BERTH_RESOURCE_EXHAUSTED) {
    ++pool->waiters;
    in_time = berth_cond_wait_until(&pool->freed, &pool->lock, deadline);
    --pool->waiters;
    code = take_once(pool, size, header, err);
  }
  if (code == BERTH_OK) {
    ++pool->figures.rescue_count;
    berth_error_clear(err);
  }
  return code;
}

static void note_peak(berth_pool_t *pool) {
  int64_t all = pool->stats.bytes_in_use + pool->figures.bytes_reserved;
  if (all > pool->figures.peak_allocated_bytes) {
    pool->figures.peak_allocated_bytes = all;
  }
}

// Takes a header and memory for it. Lock held, but not throughout.
static berth_code_t header_fill(berth_pool_t *pool,
                                const berth_request_t *request,
                                pool_buffer_t **out_header,
                                berth_error_t *err) {
  pool_buffer_t *header = header_take(pool);
  if (header == NULL) return berth_error_no_memory(err, "a buffer");
  berth_code_t code = take_once(pool, request->size, header, err);
  if (BERTH_UNLIKELY(code == BERTH_RESOURCE_EXHAUSTED) &&
      pool->policy.wait_ns > 0 && !request->no_wait) {
    code = wait_and_take(pool, request->size, header, err);
  }
  if (code != BERTH_OK) {
    header_give(pool, header);
    return code;
  }
  header->span->owner = header;
  header->copy = NULL;
  header->label = berth_label_of(request->label);
  header->line = berth_label_line;
  note_peak(pool);
  *out_header = header;
  return BERTH_OK;
}

bool berth_pool_owns(const berth_buffer_t *buffer) {
  return buffer->destroy == buffer_destroy || buffer->destroy == mapped_destroy;
}

// Makes the buffer of a filled header.
static void header_open(berth_pool_t *pool, pool_buffer_t *header,
                        size_t size) {
  header->pool = pool;
  atomic_init(&header->pins, 0);
  if (pool->space != NULL) {
    berth_buffer_init(&header->buffer, berth_space_address(pool->space, header),
                      size, mapped_destroy);
    return;
  }
  char *data = header->region->base + header->span->offset;
  if (pool->is_host) berth_watch_open(data, size);
  berth_buffer_init(&header->buffer, data, size, buffer_destroy);
}

berth_code_t berth_pool_request(berth_pool_t *pool,
                                const berth_request_t *request,
                                berth_buffer_t **out_buffer,
                                berth_error_t *err) {
  pool_buffer_t *header = NULL;
  berth_mutex_lock(&pool->lock);
  berth_code_t code = header_fill(pool, request, &header, err);
  // Before the lock goes: release_all() looks at every buffer under it.
  if (code == BERTH_OK) {
    header_open(pool, header, request->size);
    if (berth_history_is_on()) note(header, BERTH_EVENT_ALLOC);
  }
  berth_mutex_unlock(&pool->lock);
  if (code != BERTH_OK) return out_of_memory(pool, request, code, err);
  *out_buffer = &header->buffer;
  return BERTH_OK;
}

void berth_pool_rename(berth_buffer_t *buffer, const char *label) {
  pool_buffer_t *header = (pool_buffer_t *)buffer;
  berth_label_t found = berth_label_of(label);
  berth_mutex_lock(&header->pool->lock);
  if (header->label != found && berth_history_is_on()) {
    note(header, BERTH_EVENT_FREE);
    header->label = found;
    note(header, BERTH_EVENT_ALLOC);
  }
  header->label = found;
  berth_mutex_unlock(&header->pool->lock);
}

void berth_pool_note_run(const berth_buffer_t *buffer, uint32_t plan,
                         bool begins) {
  const pool_buffer_t *header = (const pool_buffer_t *)buffer;
  berth_mutex_lock(&header->pool->lock);
  berth_history_note(&(berth_memory_event_t){
      .address = (uint64_t)(uintptr_t)buffer->data,
      .size = header->span->size,
      .where = header->pool->where,
      .label = plan,
      .kind = begins ? BERTH_EVENT_RUN : BERTH_EVENT_END});
  berth_mutex_unlock(&header->pool->lock);
}

berth_code_t berth_pool_buffer(berth_pool_t *pool, size_t size,
                               berth_buffer_t **out_buffer,
                               berth_error_t *err) {
  berth_request_t request = {.size = size};
  return berth_pool_request(pool, &request, out_buffer, err);
}

berth_code_t berth_pool_alloc(berth_pool_t *pool, size_t size, void **out_ptr,
                              berth_error_t *err) {
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(berth_pool_buffer(pool, size, &buffer, err));
  berth_mutex_lock(&pool->lock);
  bool added = berth_address_map_add(&pool->addresses, buffer->data, buffer);
  berth_mutex_unlock(&pool->lock);
  if (!added) {
    berth_buffer_release(buffer);
    return berth_error_no_memory(err, "an allocation's record");
  }
  *out_ptr = buffer->data;
  return BERTH_OK;
}

void berth_pool_free(berth_pool_t *pool, void *ptr) {
  if (ptr == NULL) return;
  berth_mutex_lock(&pool->lock);
  berth_buffer_t *buffer = berth_address_map_take(&pool->addresses, ptr);
  berth_mutex_unlock(&pool->lock);
  BERTH_ASSERT(buffer != NULL);
  berth_buffer_release(buffer);
}
