// pinned.c - Host memory that cards read and write themselves.
//
// One pool for the process. Its regions are ordinary memory that is registered
// with the driver, not the driver's own: when the context that they were
// registered in is reset they become ordinary memory again and stay where they
// are, whoever holds a buffer in them.
#include <string.h>

#include "base/alloc.h"
#include "cuda/device_internal.h"

// Idle regions beyond this are given back.
#define KEPT_BYTES ((uint64_t)256 << 20)

typedef struct pinned_region {
  char *base;
  uint64_t size;
  // In whose context it is registered. Borrowed; NULL: in none any more.
  berth_cuda_card_t *card;
  uint64_t generation;  // Of that card.
} pinned_region_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
static berth_pool_t *pool = NULL;
static pinned_region_t *regions = NULL;
static size_t region_count = 0, region_capacity = 0;

// ---- Regions ----

// Registers |region| in the context of some open card.
static berth_code_t register_region(pinned_region_t *region,
                                    berth_error_t *err) {
  berth_cuda_card_t *card = berth_cuda_card_any();
  CUdeviceptr address = 0;
  if (card == NULL) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "memory cannot be pinned: no GPU is in use");
  }
  region->card = card;
  region->generation = atomic_load(&card->live);
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
  if (code != BERTH_OK) (void)BERTH_CU(cuMemHostUnregister, region->base);
  return code;
}

static void unregister_region(const pinned_region_t *region) {
  if (region->card != NULL &&
      berth_cuda_bind_old(region->card, region->generation)) {
    (void)BERTH_CU(cuMemHostUnregister, region->base);
  }
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
  (void)source;
  if (berth_cuda_thread_records()) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "memory cannot be pinned while a GPU records");
  }
  void *base = NULL;
  berth_source_t *host = berth_source_host();
  BERTH_TRY(host->get_region(host, size, &base, err));
  pinned_region_t region = {.base = base, .size = size};
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

bool berth_cuda_is_pinned(const void *memory, size_t size) {
  const char *begin = memory;
  bool is_inside = false;
  berth_mutex_lock(&lock);
  for (size_t i = 0; !is_inside && i < region_count; ++i) {
    is_inside = regions[i].card != NULL && begin >= regions[i].base &&
                begin + size <= regions[i].base + regions[i].size;
  }
  berth_mutex_unlock(&lock);
  return is_inside;
}

// ---- Resets ----

void berth_cuda_pinned_loosen(berth_cuda_card_t *card) {
  berth_mutex_lock(&lock);
  for (size_t i = 0; i < region_count; ++i) {
    if (regions[i].card != card) continue;
    unregister_region(&regions[i]);
    regions[i].card = NULL;
  }
  berth_mutex_unlock(&lock);
}

void berth_cuda_pinned_fasten(void) {
  berth_mutex_lock(&lock);
  for (size_t i = 0; i < region_count; ++i) {
    if (regions[i].card != NULL) continue;
    // Where it fails the memory is slower, and no less right for copies.
    if (register_region(&regions[i], NULL) != BERTH_OK) regions[i].card = NULL;
  }
  berth_mutex_unlock(&lock);
}

// ---- The pool ----

static berth_source_t pinned_source = {
    .struct_size = sizeof(berth_source_t),
    .name = "pinned",
    .is_host = true,
    .get_region = pinned_get,
    .return_region = pinned_return,
};

static berth_code_t find_pool(berth_pool_t **out_pool, berth_error_t *err) {
  berth_policy_t policy = berth_policy_host(KEPT_BYTES);
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&lock);
  if (pool == NULL) {
    pinned_source.granularity = berth_source_host()->granularity;
    code = berth_pool_create(&pinned_source, &policy, &pool, err);
  }
  *out_pool = pool;
  berth_mutex_unlock(&lock);
  return code;
}

berth_code_t berth_cuda_pinned_alloc(size_t size, berth_buffer_t **out_buffer,
                                     berth_error_t *err) {
  berth_pool_t *found = NULL;
  BERTH_TRY(find_pool(&found, err));
  return berth_pool_buffer(found, size, out_buffer, err);
}
