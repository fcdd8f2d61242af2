// memory.c - Plain allocations on a card, and host memory it can reach.
//
// As the driver does it: small allocations share pages of 2 MiB, at 512 bytes
// each at least; larger ones are rounded up to pages of their own. Every page
// is charged to the card, in the ledger that all processes share.
#include "softgpu/capture.h"
#include "softgpu/context.h"
#include "softgpu/exports.h"
#include "softgpu/machine.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

enum { SMALLEST = 512 };

static uint64_t round_up(uint64_t size, uint64_t step) {
  return (size + step - 1) / step * step;
}

// ---- Charging; the context's lock is held ----

// Brings the pages of small allocations in line with |bytes| of them.
static bool share_pages(CUcontext context, uint64_t bytes) {
  uint64_t pages = round_up(bytes, BERTH_SOFT_PAGE);
  if (pages > context->shared_bytes &&
      !berth_soft_context_take(context, pages - context->shared_bytes)) {
    return false;
  }
  if (pages < context->shared_bytes) {
    berth_soft_context_give(context, context->shared_bytes - pages);
  }
  context->shared_bytes = pages;
  context->small_bytes = bytes;
  return true;
}

// Charges an allocation of |size| bytes and stores what to give back for it.
static bool charge(CUcontext context, uint64_t size, uint64_t *out_bytes) {
  bool is_small = size < BERTH_SOFT_PAGE;
  *out_bytes = round_up(size, is_small ? SMALLEST : BERTH_SOFT_PAGE);
  return is_small ? share_pages(context, context->small_bytes + *out_bytes)
                  : berth_soft_context_take(context, *out_bytes);
}

static void discharge(CUcontext context, uint64_t bytes) {
  if (bytes >= BERTH_SOFT_PAGE) {
    berth_soft_context_give(context, bytes);
  } else {
    (void)share_pages(context, context->small_bytes - bytes);
  }
}

// ---- Memory of the card ----

// Gets memory of |kind| for |context|, which charges |charged| bytes for it.
static CUresult get(CUcontext context, berth_soft_range_kind_t kind,
                    uint64_t size, uint64_t charged, uint64_t *out_address) {
  uint64_t address = berth_soft_pages_get(size);
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  berth_soft_range_t range = {.begin = address,
                              .size = size,
                              .kind = kind,
                              .context = context,
                              .charged_bytes = charged};
  CUresult result = berth_soft_space_add(&range);
  if (result != CUDA_SUCCESS) {
    berth_soft_pages_give(address, size);
    return result;
  }
  *out_address = address;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (address == NULL || size == 0) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  if (size > context->card->memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t bytes = 0;
  berth_mutex_lock(&context->lock);
  if (charge(context, size, &bytes)) {
    result = get(context, BERTH_SOFT_PLAIN, size, bytes, address);
    if (result != CUDA_SUCCESS) discharge(context, bytes);
  }
  berth_mutex_unlock(&context->lock);
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (address == NULL || size == 0 || flags != CU_MEM_ATTACH_GLOBAL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  // Pages of managed memory come and go; the card is charged for none.
  return get(context, BERTH_SOFT_MANAGED, size, 0, address);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (address == 0) return CUDA_SUCCESS;
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  berth_soft_range_t range;
  if (!berth_soft_space_take(address, BERTH_SOFT_PLAIN | BERTH_SOFT_MANAGED,
                             &range)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // The driver waits for the card before it takes memory away.
  (void)berth_soft_streams_wait(range.context);
  berth_soft_pages_give(range.begin, range.size);
  if (range.kind == BERTH_SOFT_PLAIN) {
    berth_mutex_lock(&range.context->lock);
    discharge(range.context, range.charged_bytes);
    berth_mutex_unlock(&range.context->lock);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (free_bytes == NULL || total_bytes == NULL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *total_bytes = context->card->memory_bytes;
  *free_bytes =
      *total_bytes - berth_soft_ledger_used(berth_soft_machine_get()->ledger,
                                            context->card_index);
  return CUDA_SUCCESS;
}

// ---- Memory of the host ----

CUresult cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                   CU_MEMHOSTALLOC_WRITECOMBINED;
  if (memory == NULL || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  uint64_t address = 0;
  if (size > 0) {
    BERTH_SOFT_TRY(get(context, BERTH_SOFT_PINNED, size, 0, &address));
  }
  *memory = (void *)(uintptr_t)address;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *memory) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (memory == NULL) return CUDA_SUCCESS;
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  berth_soft_range_t range;
  if (!berth_soft_space_take((uintptr_t)memory, BERTH_SOFT_PINNED, &range)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  (void)berth_soft_streams_wait(range.context);
  berth_soft_pages_give(range.begin, range.size);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  if (memory == NULL || size == 0 || (flags & ~known) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  berth_soft_range_t range = {.begin = (uintptr_t)memory,
                              .size = size,
                              .kind = BERTH_SOFT_REGISTERED,
                              .context = context};
  CUresult result = berth_soft_space_add(&range);
  return result == CUDA_ERROR_INVALID_VALUE
             ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
             : result;
}

CUresult cuMemHostUnregister(void *memory) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  berth_soft_range_t range;
  uint64_t address = (uintptr_t)memory;
  BERTH_SOFT_TRY(berth_soft_capture_forbids());
  if (berth_soft_space_take(address, BERTH_SOFT_REGISTERED, &range)) {
    return CUDA_SUCCESS;
  }
  bool is_inside = berth_soft_space_covers(address, 1, BERTH_SOFT_REGISTERED);
  return is_inside ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *memory,
                                      unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (address == NULL || flags != 0 ||
      !berth_soft_space_covers((uintptr_t)memory, 1, BERTH_SOFT_HOST)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *address = (uintptr_t)memory;
  return CUDA_SUCCESS;
}
