// pool.c - Memory for tensors: buffers, and the life of a pool.
#include "memory/pool.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "memory/pool_internal.h"
#include "memory/watch.h"

// ---- Life ----

berth_code_t berth_pool_create(berth_source_t *source,
                               const berth_policy_t *policy,
                               berth_pool_t **out_pool, berth_error_t *err) {
  BERTH_ASSERT(source->granularity % BERTH_BESTFIT_GRAIN == 0);
  berth_pool_t *pool = berth_calloc(1, sizeof(*pool));
  if (pool == NULL) return berth_error_no_memory(err, "a pool");
  pool->source = source;
  pool->policy = *policy;
  pool->next_region_bytes = policy->first_region_bytes;
  if (pool->next_region_bytes < source->granularity) {
    pool->next_region_bytes = source->granularity;
  }
  pool->stats.bytes_limit = (int64_t)policy->limit_bytes;
  berth_mutex_init(&pool->lock);
  berth_cond_init(&pool->grown);
  berth_pool_fork_add(pool);
  *out_pool = pool;
  return BERTH_OK;
}

// Frees a pool without buffers, whose regions are gone.
static void pool_free(berth_pool_t *pool) {
  berth_pool_fork_remove(pool);
  for (header_slab_t *slab = pool->header_slabs, *next; slab; slab = next) {
    next = slab->next;
    berth_free(slab);
  }
  berth_address_map_clear(&pool->addresses);
  berth_free(pool->regions);
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
  bool is_last = pool->stats.live_allocs == 0;
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(source, idle);
  if (is_last) pool_free(pool);
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

// Gives a buffer's memory back at its last release.
static void buffer_destroy(berth_buffer_t *buffer) {
  pool_buffer_t *header = (pool_buffer_t *)buffer;
  berth_pool_t *pool = header->pool;
  berth_source_t *source = pool->source;
  if (source->is_host) berth_watch_close(buffer->data, buffer->size);
  berth_mutex_lock(&pool->lock);
  region_t *idle = berth_pool_unfit(pool, header->region, header->span);
  header_give(pool, header);
  bool is_last = pool->is_closed && pool->stats.live_allocs == 0;
  berth_mutex_unlock(&pool->lock);
  if (idle != NULL) berth_pool_return_regions(source, idle);
  if (is_last) pool_free(pool);
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
static berth_code_t out_of_memory(berth_pool_t *pool, uint64_t asked,
                                  berth_error_t *err) {
  berth_memory_report_t report;
  berth_str_t line = {0};
  berth_pool_report(pool, asked, &report);
  berth_report_print_line(&report, &line);
  berth_error_prepend(err, "%s; ", berth_str_get(&line));
  berth_str_clear(&line);
  return BERTH_RESOURCE_EXHAUSTED;
}

// Takes a header and a span for |size| bytes. Lock held, but not throughout.
static berth_code_t header_fill(berth_pool_t *pool, uint64_t size,
                                pool_buffer_t **out_header,
                                berth_error_t *err) {
  pool_buffer_t *header = header_take(pool);
  if (header == NULL) return berth_error_no_memory(err, "a buffer");
  header->span = berth_pool_fit(pool, size, &header->region);
  if (BERTH_UNLIKELY(header->span == NULL)) {
    berth_code_t code = grow_and_fit(pool, size, header, err);
    if (code != BERTH_OK) {
      header_give(pool, header);
      return code;
    }
  }
  *out_header = header;
  return BERTH_OK;
}

berth_code_t berth_pool_buffer(berth_pool_t *pool, size_t size,
                               berth_buffer_t **out_buffer,
                               berth_error_t *err) {
  pool_buffer_t *header = NULL;
  berth_mutex_lock(&pool->lock);
  berth_code_t code = header_fill(pool, size, &header, err);
  berth_mutex_unlock(&pool->lock);
  if (code != BERTH_OK) return out_of_memory(pool, size, err);

  char *data = header->region->base + header->span->offset;
  if (pool->source->is_host) berth_watch_open(data, size);
  berth_buffer_init(&header->buffer, data, size, buffer_destroy);
  header->pool = pool;
  *out_buffer = &header->buffer;
  return BERTH_OK;
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

uint64_t berth_pool_trim(berth_pool_t *pool, uint64_t keep) {
  berth_mutex_lock(&pool->lock);
  int64_t before = pool->stats.pool_bytes;
  region_t *idle = berth_pool_take_idle(pool, keep);
  uint64_t returned = (uint64_t)(before - pool->stats.pool_bytes);
  berth_mutex_unlock(&pool->lock);
  berth_pool_return_regions(pool->source, idle);
  return returned;
}
