// context.c - A card in use: its context, its code, its faults.
#include "cuda/card/context.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "cuda/card/admit.h"

// Found when the driver is opened; constant from then on.
typedef struct card_list {
  int count;
  berth_cuda_card_t cards[];
} card_list_t;

static berth_mutex_t list_lock = BERTH_MUTEX_INIT;  // Guards making the list.
BERTH_FORK_HOLDS(list_lock, BERTH_FORK_LEAF)
static _Atomic(card_list_t *) list = NULL;

// What is current in this thread, as far as Berth made it so.
static BERTH_THREAD_LOCAL const berth_cuda_card_t *bound_card = NULL;
static BERTH_THREAD_LOCAL uint64_t bound_generation = 0;

// ---- Faults ----

// True for results after which a context is of no use any more.
static bool is_fault(CUresult result) {
  switch ((int)result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      // The stack, address spaces and program counter of a kernel.
      return (int)result == 714 || (int)result == 717 || (int)result == 718;
  }
}

static void keep_fault(berth_cuda_card_t *card, const berth_error_t *reason) {
  berth_mutex_lock(&card->lock);
  if (!atomic_load(&card->has_fault)) {
    berth_error_set(&card->fault, BERTH_INTERNAL,
                    "GPU %d (%s) has failed and cannot be used until it is "
                    "reset: %s",
                    card->index, card->name, berth_error_message(reason));
    atomic_store(&card->has_fault, true);
    atomic_store(&card->live, 0);
  }
  berth_mutex_unlock(&card->lock);
}

static berth_code_t copy_fault(berth_cuda_card_t *card, berth_error_t *err) {
  berth_mutex_lock(&card->lock);
  berth_code_t code = berth_error_set_text(err, card->fault.code,
                                           berth_error_message(&card->fault));
  berth_mutex_unlock(&card->lock);
  return code;
}

berth_code_t berth_cuda_check(berth_cuda_card_t *card, CUresult result,
                              const char *call, berth_error_t *err) {
  if (BERTH_LIKELY(result == CUDA_SUCCESS)) return BERTH_OK;
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_cuda_error(&reason, result, call);
  if (is_fault(result)) {
    keep_fault(card, &reason);
    berth_error_clear(&reason);
    return copy_fault(card, err);
  }
  berth_error_prepend(&reason, "GPU %d (%s): ", card->index, card->name);
  berth_error_move(err, &reason);
  return code;
}

// ---- Finding ----

static berth_code_t ask(const berth_cuda_card_t *card,
                        CUdevice_attribute attribute, int *out_value,
                        berth_error_t *err) {
  CUresult result =
      BERTH_CU(cuDeviceGetAttribute, out_value, attribute, card->device);
  if (result == CUDA_SUCCESS) return BERTH_OK;
  return berth_cuda_error(err, result, "cuDeviceGetAttribute");
}

static bool has_page_calls(void) {
  return BERTH_CU_HAS(cuMemAddressReserve) && BERTH_CU_HAS(cuMemAddressFree) &&
         BERTH_CU_HAS(cuMemCreate) && BERTH_CU_HAS(cuMemRelease) &&
         BERTH_CU_HAS(cuMemMap) && BERTH_CU_HAS(cuMemUnmap) &&
         BERTH_CU_HAS(cuMemSetAccess) &&
         BERTH_CU_HAS(cuMemGetAllocationGranularity);
}

// Finds out whether memory can be mapped, and in what pieces.
static berth_code_t ask_pages(berth_cuda_card_t *card, berth_error_t *err) {
  CUmemAllocationProp prop = {
      .type = CU_MEM_ALLOCATION_TYPE_PINNED,
      .location = {CU_MEM_LOCATION_TYPE_DEVICE, card->device}};
  int can_map = 0;
  size_t size = 0;
  BERTH_TRY(ask(card, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                &can_map, err));
  if (can_map == 0 || !has_page_calls()) return BERTH_OK;
  CUresult result = BERTH_CU(cuMemGetAllocationGranularity, &size, &prop,
                             CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuMemGetAllocationGranularity");
  }
  card->can_map_pages = true;
  card->page_size = size;
  return BERTH_OK;
}

static berth_code_t describe(berth_cuda_card_t *card, int index,
                             berth_error_t *err) {
  card->index = index;
  berth_mutex_init(&card->lock);
  CUresult result = BERTH_CU(cuDeviceGet, &card->device, index);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuDeviceGet");
  }
  result =
      BERTH_CU(cuDeviceGetName, card->name, sizeof(card->name), card->device);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuDeviceGetName");
  }
  int managed = 0;
  BERTH_TRY(ask(card, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                &card->cc_major, err));
  BERTH_TRY(ask(card, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                &card->cc_minor, err));
  BERTH_TRY(ask(card, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                &card->multiprocessors, err));
  BERTH_TRY(ask(card, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, &managed, err));
  card->has_managed = managed != 0;
  return ask_pages(card, err);
}

// List lock held.
static berth_code_t make_list(berth_error_t *err) {
  if (atomic_load(&list) != NULL) return BERTH_OK;
  int count = 0;
  CUresult result = BERTH_CU(cuDeviceGetCount, &count);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuDeviceGetCount");
  }
  card_list_t *made = berth_calloc(
      1, sizeof(*made) + (size_t)count * sizeof(berth_cuda_card_t));
  if (made == NULL) return berth_error_no_memory(err, "a list of cards");
  made->count = count;
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = describe(&made->cards[i], i, err);
  }
  if (code == BERTH_OK) {
    atomic_store_explicit(&list, made, memory_order_release);
  } else {
    berth_free(made);
  }
  return code;
}

berth_code_t berth_cuda_card_find(int index, berth_cuda_card_t **out_card,
                                  berth_error_t *err) {
  BERTH_TRY(berth_cuda_driver_open(err));
  card_list_t *known = atomic_load_explicit(&list, memory_order_acquire);
  if (known == NULL) {
    berth_mutex_lock(&list_lock);
    berth_code_t code = make_list(err);
    berth_mutex_unlock(&list_lock);
    if (code != BERTH_OK) return code;
    known = atomic_load_explicit(&list, memory_order_acquire);
  }
  if (index < 0 || index >= known->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "there is no GPU %d: %d are visible", index,
                           known->count);
  }
  *out_card = &known->cards[index];
  return BERTH_OK;
}

// ---- Binding ----

// Lock held.
static berth_code_t bind_open(berth_cuda_card_t *card, berth_error_t *err) {
  CUresult result = BERTH_CU(cuCtxSetCurrent, card->context);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuCtxSetCurrent");
  }
  bound_card = card;
  bound_generation = card->generation;
  return BERTH_OK;
}

static BERTH_NOINLINE berth_code_t bind_slowly(berth_cuda_card_t *card,
                                               berth_error_t *err) {
  if (atomic_load(&berth_cuda_is_forked)) return berth_cuda_forked_error(err);
  if (atomic_load(&card->has_fault)) return copy_fault(card, err);
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&card->lock);
  if (card->context != NULL) {
    code = bind_open(card, err);
  } else {
    code = berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "GPU %d (%s) is not in use: it was never started, "
                           "or has been reset",
                           card->index, card->name);
  }
  berth_mutex_unlock(&card->lock);
  return code;
}

berth_code_t berth_cuda_bind(berth_cuda_card_t *card, berth_error_t *err) {
  uint64_t live = atomic_load_explicit(&card->live, memory_order_acquire);
  if (BERTH_LIKELY(
          live != 0 && bound_card == card && bound_generation == live &&
          !atomic_load_explicit(&berth_cuda_is_forked, memory_order_relaxed))) {
    return BERTH_OK;
  }
  return bind_slowly(card, err);
}

bool berth_cuda_enter_old(berth_cuda_card_t *card, uint64_t generation) {
  if (atomic_load(&berth_cuda_is_forked)) return false;
  berth_mutex_lock(&card->lock);
  if (card->context != NULL && card->generation == generation &&
      bind_open(card, NULL) == BERTH_OK) {
    return true;
  }
  berth_mutex_unlock(&card->lock);
  return false;
}

void berth_cuda_leave_old(berth_cuda_card_t *card) {
  berth_mutex_unlock(&card->lock);
}

bool berth_cuda_bind_old(berth_cuda_card_t *card, uint64_t generation) {
  bool is_bound = berth_cuda_enter_old(card, generation);
  if (is_bound) berth_cuda_leave_old(card);
  return is_bound;
}

// ---- Opening and closing ----

// Lock held.
static berth_code_t retain(berth_cuda_card_t *card, berth_error_t *err) {
  CUcontext context = NULL;
  CUresult result = BERTH_CU(cuDevicePrimaryCtxRetain, &context, card->device);
  if (result != CUDA_SUCCESS) {
    berth_code_t code =
        berth_cuda_error(err, result, "cuDevicePrimaryCtxRetain");
    berth_error_prepend(err, "GPU %d (%s) cannot be opened: ", card->index,
                        card->name);
    return is_fault(result) ? BERTH_UNAVAILABLE : code;
  }
  card->context = context;
  ++card->generation;
  berth_code_t code = bind_open(card, err);
  if (code != BERTH_OK) {
    card->context = NULL;
    (void)BERTH_CU(cuDevicePrimaryCtxRelease_v2, card->device);
    return code;
  }
  atomic_store_explicit(&card->live, card->generation, memory_order_release);
  return BERTH_OK;
}

berth_code_t berth_cuda_card_open(berth_cuda_card_t *card, berth_error_t *err) {
  if (atomic_load(&berth_cuda_is_forked)) return berth_cuda_forked_error(err);
  if (atomic_load(&card->live) == 0 && !atomic_load(&card->has_fault)) {
    berth_cuda_act_t act;
    BERTH_TRY(berth_cuda_admit(card, BERTH_COST_CONTEXT, &act, err));
    berth_code_t code = BERTH_OK;
    berth_mutex_lock(&card->lock);
    if (card->context == NULL) code = retain(card, err);
    berth_mutex_unlock(&card->lock);
    berth_cuda_admitted(&act);
    if (code != BERTH_OK) return code;
  }
  return berth_cuda_bind(card, err);
}

// Lock held.
static berth_code_t reset_context(berth_cuda_card_t *card, berth_error_t *err) {
  CUresult result = BERTH_CU(cuDevicePrimaryCtxReset_v2, card->device);
  if (result != CUDA_SUCCESS) {
    return berth_cuda_error(err, result, "cuDevicePrimaryCtxReset_v2");
  }
  // The reset leaves our reference to it behind.
  (void)BERTH_CU(cuDevicePrimaryCtxRelease_v2, card->device);
  card->context = NULL;
  atomic_store(&card->peers, 0);
  atomic_store(&card->live, 0);
  return BERTH_OK;
}

// Finds out whether the driver lets go of a fault, by opening the context: some
// versions keep it for the life of the process. Lock held.
static berth_code_t clear_fault(berth_cuda_card_t *card, berth_error_t *err) {
  if (!atomic_load(&card->has_fault)) return BERTH_OK;
  berth_error_t reason = BERTH_ERROR_INIT;
  if (retain(card, &reason) == BERTH_OK) {
    atomic_store(&card->has_fault, false);
    berth_error_clear(&card->fault);
    return BERTH_OK;
  }
  berth_error_set(&card->fault, BERTH_UNAVAILABLE,
                  "GPU %d (%s) has failed, and the driver keeps that for the "
                  "whole process; start another one: %s",
                  card->index, card->name, berth_error_message(&reason));
  berth_error_clear(&reason);
  return berth_error_set_text(err, BERTH_UNAVAILABLE,
                              berth_error_message(&card->fault));
}

berth_code_t berth_cuda_card_close(berth_cuda_card_t *card,
                                   berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&card->lock);
  if (card->context != NULL) code = reset_context(card, err);
  if (code == BERTH_OK) code = clear_fault(card, err);
  berth_mutex_unlock(&card->lock);
  return code;
}

// ---- Peers ----

void berth_cuda_enable_peer(berth_cuda_card_t *card, berth_cuda_card_t *peer) {
  uint64_t bit = UINT64_C(1) << (peer->index & 63);
  int can = 0;
  if ((atomic_load(&card->peers) & bit) != 0) return;
  if (berth_cuda_bind(card, NULL) != BERTH_OK) return;
  atomic_fetch_or(&card->peers, bit);  // Asked once, whatever the answer.
  if (BERTH_CU(cuDeviceCanAccessPeer, &can, card->device, peer->device) ==
          CUDA_SUCCESS &&
      can != 0) {
    (void)BERTH_CU(cuCtxEnablePeerAccess, peer->context, 0);
  }
}
