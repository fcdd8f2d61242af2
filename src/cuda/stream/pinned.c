// pinned.c - Host memory that cards read and write themselves.
//
// One pool for each card. Its regions are ordinary memory that is registered in
// the card's context, for all cards to reach, not the driver's own: when that
// context is reset they become ordinary memory again and stay where they are,
// whoever holds a buffer in them. They are registered again when the card is
// next started. So memory that a run pins with a card it holds (device/gate.h)
// stays pinned while it runs, whatever becomes of other cards.
#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "cuda/stream/device_internal.h"

// Idle regions of a card beyond this are given back.
#define KEPT_BYTES ((uint64_t)256 << 20)

// The pinned memory of a card; never freed.
typedef struct card_pool {
  berth_source_t source;
  berth_cuda_card_t *card;  // Borrowed.
  berth_pool_t *pool;
  struct card_pool *next;
} card_pool_t;

typedef struct pinned_region {
  char *base;
  uint64_t size;
  berth_cuda_card_t *card;  // Borrowed.
  uint64_t generation;      // Of the card when it was registered; 0: it is not.
} pinned_region_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static card_pool_t *pools = NULL;
static pinned_region_t *regions = NULL;
static size_t region_count = 0, region_capacity = 0;

// ---- Regions ----

// Registers |region| in the context of its card.
static berth_code_t register_region(pinned_region_t *region,
                                    berth_error_t *err) {
  berth_cuda_card_t *card = region->card;
  CUdeviceptr address = 0;
  uint64_t generation = atomic_load(&card->live);
  BERTH_TRY(berth_cuda_bind(card, err));
  BERTH_TRY(BERTH_CARD_CALL(
      card, err, cuMemHostRegister_v2, region->base, region->size,
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
  berth_code_t code = BERTH_CARD_CALL(card, err, cuMemHostGetDevicePointer_v2,
                                      &address, region->base, 0);
  if (code == BERTH_OK && address != (CUdeviceptr)(uintptr_t)region->base) {
    code = berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "GPU %d sees host memory at other addresses",
                           card->index);
  }
  if (code != BERTH_OK) {
    (void)BERTH_CU(cuMemHostUnregister, region->base);
    return code;
  }
  region->generation = generation;
  return BERTH_OK;
}

static void unregister_region(pinned_region_t *region) {
  if (region->generation != 0 &&
      berth_cuda_enter_old(region->card, region->generation)) {
    (void)BERTH_CU(cuMemHostUnregister, region->base);
    berth_cuda_leave_old(region->card);
  }
  region->generation = 0;
}

static bool add_region(const pinned_region_t *region) {
  berth_mutex_lock(&lock);
  pinned_region_t *grown =
      berth_grow(regions, region_count, &region_capacity, sizeof(*regions));
  if (grown != NULL) {
    regions = grown;
    regions[region_count++] = *region;
  }
  berth_mutex_unlock(&lock);
  return grown != NULL;
}

static bool take_region(const void *base, pinned_region_t *out_region) {
  bool found = false;
  berth_mutex_lock(&lock);
  for (size_t i = 0; !found && i < region_count; ++i) {
    if (regions[i].base != base) continue;
    *out_region = regions[i];
    regions[i] = regions[--region_count];
    found = true;
  }
  berth_mutex_unlock(&lock);
  return found;
}

static berth_code_t pinned_get(berth_source_t *source, uint64_t size,
                               void **out_base, berth_error_t *err) {
  if (berth_cuda_thread_records()) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "memory cannot be pinned while a GPU records");
  }
  void *base = NULL;
  berth_source_t *host = berth_source_host();
  BERTH_TRY(host->get_region(host, size, &base, err));
  pinned_region_t region = {
      .base = base, .size = size, .card = ((card_pool_t *)source)->card};
  berth_code_t code = register_region(&region, err);
  if (code == BERTH_OK && !add_region(&region)) {
    unregister_region(&region);
    code = berth_error_no_memory(err, "pinned memory");
  }
  if (code != BERTH_OK) {
    host->return_region(host, base, size);
    return code;
  }
  *out_base = base;
  return BERTH_OK;
}

static void pinned_return(berth_source_t *source, void *base, uint64_t size) {
  (void)source;
  pinned_region_t region;
  if (take_region(base, &region)) unregister_region(&region);
  berth_source_t *host = berth_source_host();
  host->return_region(host, base, size);
}

// True when |region| stays pinned while |card| is used: it is the card's own, or
// that of another one which the calling thread uses as well.
static bool stays_pinned(const pinned_region_t *region,
                         const berth_cuda_card_t *card) {
  return region->card == card ||
         berth_gate_is_held(atomic_load(&region->card->gate));
}

bool berth_cuda_is_pinned(const berth_cuda_card_t *card, const void *memory,
                          size_t size) {
  const char *begin = memory;
  bool is_inside = false;
  berth_mutex_lock(&lock);
  for (size_t i = 0; !is_inside && i < region_count; ++i) {
    is_inside = regions[i].generation != 0 && begin >= regions[i].base &&
                begin + size <= regions[i].base + regions[i].size &&
                stays_pinned(&regions[i], card);
  }
  berth_mutex_unlock(&lock);
  return is_inside;
}

// ---- The pools ----

static card_pool_t *find_pool(const berth_cuda_card_t *card) {
  berth_mutex_lock(&lock);
  card_pool_t *found = pools;
  while (found != NULL && found->card != card) found = found->next;
  berth_mutex_unlock(&lock);
  return found;
}

static card_pool_t *make_pool(berth_cuda_card_t *card, berth_error_t *err) {
  berth_policy_t policy = berth_policy_host(KEPT_BYTES);
  card_pool_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) {
    berth_error_no_memory(err, "pinned memory");
    return NULL;
  }
  made->card = card;
  made->source = (berth_source_t){
      .struct_size = sizeof(berth_source_t),
      .name = "pinned",
      .granularity = berth_source_host()->granularity,
      .is_host = true,
      .get_region = pinned_get,
      .return_region = pinned_return,
  };
  if (berth_pool_create(&made->source, &policy, &made->pool, err) != BERTH_OK) {
    berth_free(made);
    return NULL;
  }
  return made;
}

// Puts |made| on the list, unless somebody was faster; returns the one there.
static card_pool_t *add_pool(card_pool_t *made) {
  berth_mutex_lock(&lock);
  card_pool_t *found = pools;
  while (found != NULL && found->card != made->card) found = found->next;
  if (found == NULL) {
    made->next = pools;
    pools = made;
  }
  berth_mutex_unlock(&lock);
  if (found == NULL) return made;
  berth_pool_destroy(made->pool);
  berth_free(made);
  return found;
}

berth_code_t berth_cuda_pinned_alloc(berth_cuda_card_t *card, size_t size,
                                     berth_buffer_t **out_buffer,
                                     berth_error_t *err) {
  card_pool_t *found = find_pool(card);
  if (found == NULL) {
    // Created without the lock: it waits for forks, and these for the lock.
    card_pool_t *made = make_pool(card, err);
    if (made == NULL) return BERTH_RESOURCE_EXHAUSTED;
    found = add_pool(made);
  }
  return berth_pool_buffer(found->pool, size, out_buffer, err);
}

// ---- Resets ----

void berth_cuda_pinned_loosen(berth_cuda_card_t *card) {
  berth_mutex_lock(&lock);
  for (size_t i = 0; i < region_count; ++i) {
    if (regions[i].card == card) unregister_region(&regions[i]);
  }
  berth_mutex_unlock(&lock);
}

static bool is_loose(const berth_cuda_card_t *card) {
  bool found = false;
  uint64_t live = atomic_load(&card->live);
  berth_mutex_lock(&lock);
  for (size_t i = 0; !found && i < region_count; ++i) {
    found = regions[i].card == card && regions[i].generation != live;
  }
  berth_mutex_unlock(&lock);
  return found;
}

berth_code_t berth_cuda_pinned_fasten(berth_cuda_card_t *card,
                                      berth_error_t *err) {
  if (!is_loose(card)) return BERTH_OK;
  // What nobody uses need not be pinned again.
  (void)berth_pool_trim(find_pool(card)->pool, 0);
  berth_code_t code = BERTH_OK;
  uint64_t live = atomic_load(&card->live);
  berth_mutex_lock(&lock);
  for (size_t i = 0; code == BERTH_OK && i < region_count; ++i) {
    if (regions[i].card != card || regions[i].generation == live) continue;
    code = register_region(&regions[i], err);
  }
  berth_mutex_unlock(&lock);
  if (code != BERTH_OK) {
    berth_error_append(err, " (pinning host memory that is in use again)");
  }
  return code;
}
