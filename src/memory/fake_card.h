// fake_card.h - A card for tests: a page source that remembers and complains.
//
// It has a capacity, knows what is mapped where, and notes the first thing done
// to it that a driver would not stand for: mapping over a mapping, mapping a
// handle twice, unmapping in part, or unmapping what work may still touch.
// There is no memory behind it. Fault points: "reserve", "create", "map",
// "unmap".
//
// Threads: thread-safe.
#ifndef BERTH_MEMORY_FAKE_CARD_H_
#define BERTH_MEMORY_FAKE_CARD_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/thread.h"
#include "memory/source.h"
#include "memory/timeline.h"

typedef struct fake_handle {
  uint64_t size;  // 0: free for the next create.
  uint64_t mapped_at;
  bool is_mapped, is_released;
} fake_handle_t;

// One stream of work that goes on only when told to.
typedef struct fake_timeline {
  berth_timeline_t base;
  _Atomic uint64_t done;
  atomic_int waits;
  atomic_bool is_lost;
} fake_timeline_t;

typedef struct fake_card {
  berth_page_source_t source;
  berth_mutex_t lock;
  uint64_t capacity, used, peak;
  uint64_t granules;  // Of the reservation; 0: none.
  uint32_t *table;    // Handle plus one, by granule.
  uint64_t *touched;  // Ticket of the last work there, by granule.
  fake_handle_t *handles;
  size_t handle_count;
  int64_t creates, releases, maps, unmaps;
  fake_timeline_t *timeline;  // Borrowed; NULL: nobody works.
  char wrong[128];            // What was done wrong first; "".
} fake_card_t;

// Never touched, so any number will do that a device would use.
#define FAKE_BASE ((uintptr_t)0x7f0000000000)

static inline void fake_complain(fake_card_t *card, const char *what) {
  if (card->wrong[0] == '\0') snprintf(card->wrong, 128, "%s", what);
}

static inline uint64_t fake_granule(const fake_card_t *card,
                                    const void *address) {
  return ((uintptr_t)address - FAKE_BASE) / card->source.granularity;
}

static inline berth_code_t fake_reserve(berth_page_source_t *source,
                                        uint64_t size, void **out_base,
                                        berth_error_t *err) {
  fake_card_t *card = (fake_card_t *)source;
  if (berth_fault("reserve")) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "no addresses");
  }
  berth_mutex_lock(&card->lock);
  if (card->granules > 0) fake_complain(card, "reserved twice");
  card->granules = size / source->granularity;
  card->table = calloc(card->granules, sizeof(card->table[0]));
  card->touched = calloc(card->granules, sizeof(card->touched[0]));
  berth_mutex_unlock(&card->lock);
  *out_base = (void *)FAKE_BASE;
  return BERTH_OK;
}

static inline void fake_drop(fake_card_t *card, fake_handle_t *handle) {
  card->used -= handle->size;
  *handle = (fake_handle_t){0};
}

static inline void fake_unreserve(berth_page_source_t *source, void *base,
                                  uint64_t size) {
  fake_card_t *card = (fake_card_t *)source;
  berth_mutex_lock(&card->lock);
  if ((uintptr_t)base != FAKE_BASE ||
      size != card->granules * source->granularity) {
    fake_complain(card, "unreserved something else");
  }
  for (size_t i = 0; i < card->handle_count; ++i) {
    // A mapping that could not be taken away goes with the addresses.
    fake_handle_t *handle = &card->handles[i];
    if (handle->is_released && handle->size > 0) fake_drop(card, handle);
  }
  free(card->table);
  free(card->touched);
  card->table = NULL;
  card->touched = NULL;
  card->granules = 0;
  berth_mutex_unlock(&card->lock);
}

static inline berth_code_t fake_create(berth_page_source_t *source,
                                       uint64_t size, uint64_t *out_handle,
                                       berth_error_t *err) {
  fake_card_t *card = (fake_card_t *)source;
  bool is_fault = berth_fault("create");
  berth_mutex_lock(&card->lock);
  if (size == 0 || size % source->granularity != 0) {
    fake_complain(card, "created an odd size");
  }
  if (is_fault || size > card->capacity - card->used) {
    berth_mutex_unlock(&card->lock);
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "the card has no %llu bytes",
                           (unsigned long long)size);
  }
  size_t at = 0;
  while (at < card->handle_count && card->handles[at].size > 0) ++at;
  if (at == card->handle_count) {
    card->handles = realloc(card->handles, (at + 1) * sizeof(card->handles[0]));
    ++card->handle_count;
  }
  card->handles[at] = (fake_handle_t){.size = size};
  card->used += size;
  if (card->used > card->peak) card->peak = card->used;
  ++card->creates;
  berth_mutex_unlock(&card->lock);
  *out_handle = at;
  return BERTH_OK;
}

static inline void fake_release(berth_page_source_t *source, uint64_t handle,
                                uint64_t size) {
  fake_card_t *card = (fake_card_t *)source;
  berth_mutex_lock(&card->lock);
  fake_handle_t *h = &card->handles[handle];
  ++card->releases;
  if (h->size != size || h->is_released) fake_complain(card, "bad release");
  if (h->is_mapped) {
    h->is_released = true;
  } else {
    fake_drop(card, h);
  }
  berth_mutex_unlock(&card->lock);
}

// True when a mapping that could not be taken away is in the way.
static inline bool fake_is_stuck(const fake_card_t *card, uint64_t first,
                                 uint64_t size) {
  for (uint64_t i = 0; i < size / card->source.granularity; ++i) {
    uint32_t entry = card->table[first + i];
    if (entry != 0 && card->handles[entry - 1].is_released) return true;
  }
  return false;
}

static inline berth_code_t fake_map(berth_page_source_t *source, void *address,
                                    uint64_t size, uint64_t handle,
                                    berth_error_t *err) {
  fake_card_t *card = (fake_card_t *)source;
  if (berth_fault("map")) {
    return berth_error_set(err, BERTH_INTERNAL, "the card maps nothing");
  }
  berth_mutex_lock(&card->lock);
  fake_handle_t *h = &card->handles[handle];
  uint64_t first = fake_granule(card, address);
  if (fake_is_stuck(card, first, size)) {
    berth_mutex_unlock(&card->lock);
    return berth_error_set(err, BERTH_INTERNAL, "the addresses are in use");
  }
  if (h->size != size || h->is_mapped) fake_complain(card, "mapped twice");
  for (uint64_t i = 0; i < size / source->granularity; ++i) {
    if (card->table[first + i] != 0) fake_complain(card, "mapped over another");
    card->table[first + i] = (uint32_t)handle + 1;
  }
  h->is_mapped = true;
  h->mapped_at = first;
  ++card->maps;
  berth_mutex_unlock(&card->lock);
  return BERTH_OK;
}

static inline berth_code_t fake_unmap(berth_page_source_t *source,
                                      void *address, uint64_t size,
                                      berth_error_t *err) {
  fake_card_t *card = (fake_card_t *)source;
  if (berth_fault("unmap")) {
    return berth_error_set(err, BERTH_INTERNAL, "the card is lost");
  }
  berth_mutex_lock(&card->lock);
  uint64_t first = fake_granule(card, address),
           count = size / source->granularity;
  uint64_t done =
      card->timeline != NULL ? atomic_load(&card->timeline->done) : UINT64_MAX;
  uint32_t entry = card->table[first];
  if (entry == 0 || card->handles[entry - 1].mapped_at != first ||
      card->handles[entry - 1].size != size) {
    fake_complain(card, "unmapped what was not mapped like that");
  } else {
    card->handles[entry - 1].is_mapped = false;
  }
  for (uint64_t i = first; i < first + count; ++i) {
    if (card->table[i] != entry) fake_complain(card, "unmapped several");
    if (card->touched[i] > done) fake_complain(card, "unmapped under work");
    card->table[i] = 0;
  }
  ++card->unmaps;
  berth_mutex_unlock(&card->lock);
  return BERTH_OK;
}

static inline void fake_card_init(fake_card_t *card, uint64_t granularity,
                                  uint64_t capacity) {
  *card = (fake_card_t){.source = {.struct_size = sizeof(berth_page_source_t),
                                   .name = "GPU:0",
                                   .granularity = granularity,
                                   .reserve = fake_reserve,
                                   .unreserve = fake_unreserve,
                                   .create = fake_create,
                                   .release = fake_release,
                                   .map = fake_map,
                                   .unmap = fake_unmap},
                        .capacity = capacity};
  berth_mutex_init(&card->lock);
}

// Returns what was done wrong, or is left over; "" when all is well.
static inline const char *fake_card_deinit(fake_card_t *card) {
  if (card->used > 0) fake_complain(card, "memory is left");
  if (card->granules > 0) fake_complain(card, "addresses are left");
  free(card->handles);
  berth_mutex_deinit(&card->lock);
  return card->wrong;
}

// True when all of [address, address + size) is mapped.
static inline bool fake_is_mapped(fake_card_t *card, const void *address,
                                  uint64_t size) {
  bool is_mapped = true;
  berth_mutex_lock(&card->lock);
  uint64_t first = fake_granule(card, address);
  uint64_t last = fake_granule(card, (const char *)address + size - 1);
  for (uint64_t i = first; i <= last; ++i) is_mapped &= card->table[i] != 0;
  berth_mutex_unlock(&card->lock);
  return is_mapped;
}

// ---- Work ----

static inline uint64_t fake_passed(berth_timeline_t *timeline) {
  return atomic_load(&((fake_timeline_t *)timeline)->done);
}

static inline berth_code_t fake_wait(berth_timeline_t *timeline,
                                     uint64_t ticket, berth_error_t *err) {
  fake_timeline_t *fake = (fake_timeline_t *)timeline;
  if (atomic_load(&fake->is_lost)) {
    return berth_error_set(err, BERTH_INTERNAL, "the device is lost");
  }
  uint64_t done = atomic_load(&fake->done);
  if (done >= ticket) return BERTH_OK;
  atomic_fetch_add(&fake->waits, 1);
  while (done < ticket &&
         !atomic_compare_exchange_weak(&fake->done, &done, ticket)) {
  }
  return BERTH_OK;
}

static inline void fake_timeline_init(fake_timeline_t *timeline) {
  memset(timeline, 0, sizeof(*timeline));
  timeline->base.passed = fake_passed;
  timeline->base.wait = fake_wait;
}

// Hands work on [address, address + size) to the card's timeline.
static inline void fake_work(fake_card_t *card, const void *address,
                             uint64_t size) {
  uint64_t ticket = atomic_fetch_add(&card->timeline->base.submitted, 1) + 1;
  berth_mutex_lock(&card->lock);
  uint64_t first = fake_granule(card, address);
  uint64_t last = fake_granule(card, (const char *)address + size - 1);
  for (uint64_t i = first; i <= last; ++i) {
    if (card->table[i] == 0) fake_complain(card, "worked on nothing");
    if (card->touched[i] < ticket) card->touched[i] = ticket;
  }
  berth_mutex_unlock(&card->lock);
}

// Lets all work handed over so far be done.
static inline void fake_finish(fake_card_t *card) {
  atomic_store(&card->timeline->done,
               atomic_load(&card->timeline->base.submitted));
}

#endif  // BERTH_MEMORY_FAKE_CARD_H_
