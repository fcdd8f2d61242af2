// source.c - The driver's memory calls, as sources of a pool.
//
// Plain regions belong to a context and go with it: one that was made before
// the card was last reset is gone already when the pool returns it. Pages and
// addresses belong to the process and outlive a reset.
#include "base/assert.h"
#include "cuda/stream/device_internal.h"

static berth_cuda_backing_t *of_pages(berth_page_source_t *source) {
  return (berth_cuda_backing_t *)source;
}

static berth_cuda_backing_t *of_plain(berth_source_t *source) {
  return (berth_cuda_backing_t *)((char *)source -
                                  offsetof(berth_cuda_backing_t, plain));
}

static CUdeviceptr address_of(const void *pointer) {
  return (CUdeviceptr)(uintptr_t)pointer;
}

static void *pointer_of(CUdeviceptr address) {
  return (void *)(uintptr_t)address;
}

// ---- The budget ----

// Fails when |size| bytes more would leave less of the card free than the
// margin.
static berth_code_t check_margin(berth_cuda_card_t *card, uint64_t margin,
                                 uint64_t size, berth_error_t *err) {
  size_t free_bytes = 0, total_bytes = 0;
  BERTH_TRY(
      BERTH_CARD_CALL(card, err, cuMemGetInfo_v2, &free_bytes, &total_bytes));
  if (free_bytes >= margin && free_bytes - margin >= size) return BERTH_OK;
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "%llu bytes are free on the card, of which %llu are "
                         "to be left",
                         (unsigned long long)free_bytes,
                         (unsigned long long)margin);
}

// Takes |size| bytes of the budget before the driver is asked for them.
static berth_code_t take(berth_cuda_card_t *card, uint64_t size,
                         berth_error_t *err) {
  berth_account_t *account = atomic_load(&card->account);
  if (account == NULL) return BERTH_OK;
  berth_account_refresh(account);
  uint64_t margin = atomic_load(&account->margin_bytes);
  if (margin > 0) BERTH_TRY(check_margin(card, margin, size, err));
  if (!berth_account_take(account, size)) {
    return berth_error_set(
        err, BERTH_RESOURCE_EXHAUSTED,
        "the budget of %llu bytes leaves no room: %llu are in the pool, %llu "
        "outside it",
        (unsigned long long)atomic_load(&account->budget_bytes),
        (unsigned long long)atomic_load(&account->held_bytes),
        (unsigned long long)atomic_load(&account->outside_bytes));
  }
  atomic_fetch_add(&account->moving, 1);
  return BERTH_OK;
}

// The driver has answered.
static void taken(berth_cuda_card_t *card, uint64_t size, bool is_given) {
  berth_account_t *account = atomic_load(&card->account);
  if (account == NULL) return;
  atomic_fetch_sub(&account->moving, 1);
  if (!is_given) berth_account_give(account, size);
}

// Begins to give memory back to the driver; and ends, when |size| bytes have
// gone. Nobody measures in between.
static berth_account_t *give_begin(berth_cuda_card_t *card) {
  berth_account_t *account = atomic_load(&card->account);
  if (account != NULL) atomic_fetch_add(&account->moving, 1);
  return account;
}

static void give_end(berth_account_t *account, uint64_t size) {
  if (account == NULL) return;
  berth_account_give(account, size);
  atomic_fetch_sub(&account->moving, 1);
}

static uint64_t room_on(berth_cuda_card_t *card) {
  berth_account_t *account = atomic_load(&card->account);
  return account != NULL ? berth_account_pool_room(account) : UINT64_MAX;
}

static uint64_t pages_room(const berth_page_source_t *source) {
  return room_on(((const berth_cuda_backing_t *)source)->card);
}

static uint64_t plain_room(const berth_source_t *source) {
  const berth_cuda_backing_t *backing =
      (const berth_cuda_backing_t *)((const char *)source -
                                     offsetof(berth_cuda_backing_t, plain));
  return backing->is_managed ? UINT64_MAX : room_on(backing->card);
}

// ---- Pages ----

static berth_code_t pages_reserve(berth_page_source_t *source, uint64_t size,
                                  void **out_base, berth_error_t *err) {
  berth_cuda_backing_t *backing = of_pages(source);
  CUdeviceptr address = 0;
  BERTH_TRY(berth_cuda_bind(backing->card, err));
  BERTH_TRY(BERTH_CARD_CALL(backing->card, err, cuMemAddressReserve, &address,
                            size, 0, 0, 0));
  atomic_fetch_add(&backing->outstanding, 1);
  *out_base = pointer_of(address);
  return BERTH_OK;
}

static void pages_unreserve(berth_page_source_t *source, void *base,
                            uint64_t size) {
  berth_cuda_backing_t *backing = of_pages(source);
  if (!atomic_load(&berth_cuda_is_forked)) {
    (void)BERTH_CU(cuMemAddressFree, address_of(base), size);
  }
  atomic_fetch_sub(&backing->outstanding, 1);
}

static berth_code_t pages_create(berth_page_source_t *source, uint64_t size,
                                 uint64_t *out_handle, berth_error_t *err) {
  berth_cuda_card_t *card = of_pages(source)->card;
  CUmemAllocationProp prop = {
      .type = CU_MEM_ALLOCATION_TYPE_PINNED,
      .location = {CU_MEM_LOCATION_TYPE_DEVICE, card->device}};
  CUmemGenericAllocationHandle handle = 0;
  BERTH_TRY(berth_cuda_bind(card, err));
  BERTH_TRY(take(card, size, err));
  berth_code_t code =
      BERTH_CARD_CALL(card, err, cuMemCreate, &handle, size, &prop, 0);
  taken(card, size, code == BERTH_OK);
  if (code != BERTH_OK) return code;
  *out_handle = handle;
  return BERTH_OK;
}

static void pages_release(berth_page_source_t *source, uint64_t handle,
                          uint64_t size) {
  if (atomic_load(&berth_cuda_is_forked)) return;
  berth_account_t *account = give_begin(of_pages(source)->card);
  (void)BERTH_CU(cuMemRelease, handle);
  give_end(account, size);
}

static berth_code_t pages_unmap(berth_page_source_t *source, void *address,
                                uint64_t size, berth_error_t *err) {
  berth_cuda_card_t *card = of_pages(source)->card;
  if (atomic_load(&berth_cuda_is_forked)) return berth_cuda_forked_error(err);
  return BERTH_CARD_CALL(card, err, cuMemUnmap, address_of(address), size);
}

static berth_code_t pages_map(berth_page_source_t *source, void *address,
                              uint64_t size, uint64_t handle,
                              berth_error_t *err) {
  berth_cuda_card_t *card = of_pages(source)->card;
  CUmemAccessDesc access = {
      .location = {CU_MEM_LOCATION_TYPE_DEVICE, card->device},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  BERTH_TRY(berth_cuda_bind(card, err));
  BERTH_TRY(BERTH_CARD_CALL(card, err, cuMemMap, address_of(address), size, 0,
                            handle, 0));
  berth_code_t code = BERTH_CARD_CALL(card, err, cuMemSetAccess,
                                      address_of(address), size, &access, 1);
  if (code != BERTH_OK) (void)pages_unmap(source, address, size, NULL);
  return code;
}

// ---- Regions ----

static berth_code_t plain_get(berth_source_t *source, uint64_t size,
                              void **out_base, berth_error_t *err) {
  berth_cuda_backing_t *backing = of_plain(source);
  berth_cuda_card_t *card = backing->card;
  CUdeviceptr address = 0;
  if (berth_cuda_thread_records()) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "%s cannot get memory while it records",
                           backing->name);
  }
  BERTH_TRY(berth_cuda_bind(card, err));
  if (backing->is_managed) {
    BERTH_TRY(BERTH_CARD_CALL(card, err, cuMemAllocManaged, &address, size,
                              CU_MEM_ATTACH_GLOBAL));
  } else {
    BERTH_TRY(take(card, size, err));
    berth_code_t code =
        BERTH_CARD_CALL(card, err, cuMemAlloc_v2, &address, size);
    taken(card, size, code == BERTH_OK);
    if (code != BERTH_OK) return code;
  }
  atomic_fetch_add(&backing->outstanding, 1);
  backing->generation = atomic_load(&card->live);
  *out_base = pointer_of(address);
  return BERTH_OK;
}

static void plain_return(berth_source_t *source, void *base, uint64_t size) {
  berth_cuda_backing_t *backing = of_plain(source);
  berth_account_t *account =
      backing->is_managed ? NULL : give_begin(backing->card);
  if (berth_cuda_enter_old(backing->card, backing->generation)) {
    (void)BERTH_CU(cuMemFree_v2, address_of(base));
    berth_cuda_leave_old(backing->card);
  }
  give_end(account, size);
  atomic_fetch_sub(&backing->outstanding, 1);
}

void berth_cuda_source_init(berth_cuda_backing_t *backing) {
  backing->pages = (berth_page_source_t){
      .struct_size = sizeof(berth_page_source_t),
      .name = backing->name,
      .granularity = backing->card->page_size,
      .reserve = pages_reserve,
      .unreserve = pages_unreserve,
      .create = pages_create,
      .release = pages_release,
      .map = pages_map,
      .unmap = pages_unmap,
      .room = pages_room,
  };
  backing->plain = (berth_source_t){
      .struct_size = sizeof(berth_source_t),
      .name = backing->name,
      // cuMemAlloc aligns to this at least; TensorFlow asks for any size.
      .granularity = 256,
      .get_region = plain_get,
      .return_region = plain_return,
      .room = plain_room,
  };
}
