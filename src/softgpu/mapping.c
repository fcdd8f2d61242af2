// mapping.c - Addresses and pages apart: cuMemAddressReserve, cuMemCreate …
//
// The memory of a card that this process creates lies in one file without a
// name per card. A handle is an extent of it, mapped by mapping that extent at
// the wanted address; contents stay while a handle lives, wherever it is
// mapped. Offsets in the file are never used twice, so there is nothing to
// fragment; the pages of a released handle go back to the system.
//
// Handles and reservations belong to the process: they outlive contexts, and
// none is needed to make them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "softgpu/context.h"
#include "softgpu/exports.h"
#include "softgpu/machine.h"
#include "softgpu/space.h"
#include "softgpu/stress.h"

// As far as a file of a card may grow: a process never creates so much.
static const uint64_t FILE_BYTES = 1ull << 46;

typedef struct handle {
  uint64_t id;
  int card;
  uint64_t offset;
  uint64_t size;
  int mappings;
  bool is_released;
} handle_t;

typedef struct reservation {
  uint64_t begin;
  uint64_t size;
} reservation_t;

typedef struct card_file {
  int file;  // 0: not made yet.
  uint64_t end;
} card_file_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
static handle_t *handles = NULL;               // By id.
static size_t handle_count = 0, handle_capacity = 0;
static reservation_t *reservations = NULL;
static size_t reservation_count = 0, reservation_capacity = 0;
static uint64_t last_id = 0;
static card_file_t files[BERTH_SOFT_MAX_CARDS];

static bool is_pages(uint64_t size) { return size % BERTH_SOFT_PAGE == 0; }

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

// ---- Reservations ----

static bool is_reserved(uint64_t address, uint64_t size) {
  for (size_t i = 0; i < reservation_count; ++i) {
    const reservation_t *r = &reservations[i];
    if (address >= r->begin && address - r->begin <= r->size &&
        size <= r->size - (address - r->begin)) {
      return true;
    }
  }
  return false;
}

// Makes addresses useless again, but keeps them taken.
static bool close_addresses(uint64_t address, uint64_t size) {
  return mmap(pointer(address), size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

// Takes |size| bytes of addresses at a multiple of |alignment|; 0 when there
// are none.
static uint64_t take_addresses(uint64_t size, uint64_t alignment) {
  void *memory = mmap(NULL, size + alignment, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  uint64_t begin = (uintptr_t)memory;
  uint64_t aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned > begin) munmap(memory, aligned - begin);
  munmap(pointer(aligned + size), begin + alignment - aligned);
  return aligned;
}

static CUresult reserve(uint64_t size, uint64_t alignment,
                        uint64_t *out_address) {
  if (reservation_count == reservation_capacity) {
    void *grown = berth_grow(reservations, reservation_count,
                             &reservation_capacity, sizeof(reservations[0]));
    if (grown == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    reservations = grown;
  }
  uint64_t address = take_addresses(size, alignment);
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  reservations[reservation_count++] = (reservation_t){address, size};
  *out_address = address;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size,
                             size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
  (void)wanted;  // A hint.
  BERTH_SOFT_TRY(berth_soft_enter());
  bool is_aligned = (alignment & (alignment - 1)) == 0;
  if (address == NULL || size == 0 || !is_pages(size) || flags != 0 ||
      (alignment != 0 && !is_aligned)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (alignment < BERTH_SOFT_PAGE) alignment = BERTH_SOFT_PAGE;
  berth_mutex_lock(&lock);
  CUresult result = reserve(size, alignment, address);
  berth_mutex_unlock(&lock);
  return result;
}

// True when something is mapped between |address| and |size| bytes on.
static bool is_mapped(uint64_t address, uint64_t size) {
  berth_soft_range_t range;
  return berth_soft_space_next(address, &range) && range.begin < address + size;
}

static CUresult unreserve(uint64_t address, uint64_t size) {
  for (size_t i = 0; i < reservation_count; ++i) {
    if (reservations[i].begin != address) continue;
    if (reservations[i].size != size || is_mapped(address, size)) break;
    reservations[i] = reservations[--reservation_count];
    munmap(pointer(address), size);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  BERTH_SOFT_TRY(berth_soft_enter());
  berth_mutex_lock(&lock);
  CUresult result = unreserve(address, size);
  berth_mutex_unlock(&lock);
  return result;
}

// ---- Handles; the lock is held ----

// Returns the index of handle |id|, or the count when there is none.
static size_t find_handle(uint64_t id) {
  size_t low = 0, high = handle_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (handles[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < handle_count && handles[low].id == id ? low : handle_count;
}

static handle_t *live_handle(uint64_t id) {
  size_t index = find_handle(id);
  bool is_live = index < handle_count && !handles[index].is_released;
  return is_live ? &handles[index] : NULL;
}

static bool open_file(card_file_t *file) {
  if (file->file != 0) return true;
  int made = memfd_create("berth-softgpu", MFD_CLOEXEC);
  if (made < 0) return false;
  if (ftruncate(made, (off_t)FILE_BYTES) != 0) {
    close(made);
    return false;
  }
  file->file = made;
  return true;
}

static CUresult create(int card, uint64_t size, uint64_t *out_id) {
  if (handle_count == handle_capacity) {
    void *grown =
        berth_grow(handles, handle_count, &handle_capacity, sizeof(handles[0]));
    if (grown == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    handles = grown;
  }
  if (size > berth_soft_machine_get()->cards.items[card].memory_bytes ||
      !open_file(&files[card]) ||
      !berth_soft_ledger_take(berth_soft_machine_get()->ledger, card, size)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (!berth_soft_stress_spoil_file(files[card].file, files[card].end, size)) {
    berth_soft_ledger_give(berth_soft_machine_get()->ledger, card, size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  handles[handle_count++] = (handle_t){
      .id = ++last_id, .card = card, .offset = files[card].end, .size = size};
  files[card].end += size;
  *out_id = last_id;
  return CUDA_SUCCESS;
}

// Frees a handle that is released and mapped nowhere.
static void drop_unused(size_t index) {
  handle_t handle = handles[index];
  if (!handle.is_released || handle.mappings > 0) return;
  // Without this the pages would stay until the process ends; no harm else.
  (void)fallocate(files[handle.card].file,
                  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)handle.offset, (off_t)handle.size);
  berth_soft_ledger_give(berth_soft_machine_get()->ledger, handle.card,
                         handle.size);
  --handle_count;
  for (size_t i = index; i < handle_count; ++i) handles[i] = handles[i + 1];
}

// ---- Their functions ----

// Finds the card that |location| names.
static CUresult card_at(const CUmemLocation *location, int *out_card) {
  if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(location->id, &context));
  *out_card = context->card_index;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop,
                     unsigned long long flags) {
  int card = 0;
  BERTH_SOFT_TRY(berth_soft_enter());
  if (handle == NULL || prop == NULL || flags != 0 || size == 0 ||
      !is_pages(size) || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  BERTH_SOFT_TRY(card_at(&prop->location, &card));
  berth_mutex_lock(&lock);
  CUresult result = create(card, size, handle);
  berth_mutex_unlock(&lock);
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  BERTH_SOFT_TRY(berth_soft_enter());
  berth_mutex_lock(&lock);
  handle_t *found = live_handle(handle);
  if (found != NULL) {
    found->is_released = true;
    drop_unused((size_t)(found - handles));
  }
  berth_mutex_unlock(&lock);
  return found != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationGranularity(
    size_t *granularity, const CUmemAllocationProp *prop,
    CUmemAllocationGranularity_flags option) {
  int card = 0;
  BERTH_SOFT_TRY(berth_soft_enter());
  if (granularity == NULL || prop == NULL ||
      (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
       option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  BERTH_SOFT_TRY(card_at(&prop->location, &card));
  *granularity = BERTH_SOFT_PAGE;
  return CUDA_SUCCESS;
}

// ---- Mapping; the lock is held ----

static CUresult map(uint64_t address, uint64_t size, uint64_t offset,
                    uint64_t id) {
  handle_t *handle = live_handle(id);
  if (handle == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (offset != 0 || size != handle->size) return CUDA_ERROR_NOT_SUPPORTED;
  if (!is_pages(address) || !is_reserved(address, size) ||
      is_mapped(address, size)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED,
           files[handle->card].file, (off_t)handle->offset) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  berth_soft_range_t range = {.begin = address,
                              .size = size,
                              .kind = BERTH_SOFT_MAPPED,
                              .is_closed = true,
                              .handle = id};
  CUresult result = berth_soft_space_add(&range);
  if (result != CUDA_SUCCESS) {
    (void)close_addresses(address, size);
    return result;
  }
  ++handle->mappings;
  return CUDA_SUCCESS;
}

// True when no mapping lies across either end. Ones without any are fine.
static bool is_whole(uint64_t address, uint64_t size) {
  berth_soft_range_t range;
  uint64_t end = address + size;
  bool cuts_begin =
      berth_soft_space_next(address, &range) && range.begin < address;
  bool cuts_end = berth_soft_space_next(end, &range) && range.begin < end;
  return !cuts_begin && !cuts_end;
}

static CUresult unmap(uint64_t address, uint64_t size) {
  if (!is_pages(address) || !is_pages(size) || size == 0 ||
      !is_reserved(address, size) || !is_whole(address, size)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  berth_soft_range_t range;
  while (berth_soft_space_next(address, &range) &&
         range.begin < address + size) {
    if (!close_addresses(range.begin, range.size)) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    (void)berth_soft_space_take(range.begin, BERTH_SOFT_MAPPED, &range);
    size_t index = find_handle(range.handle);
    --handles[index].mappings;
    drop_unused(index);
  }
  return CUDA_SUCCESS;
}

static CUresult set_access(uint64_t address, uint64_t size, bool is_open) {
  uint64_t end = address + size;
  berth_soft_range_t range;
  if (size == 0 || !is_whole(address, size)) return CUDA_ERROR_INVALID_VALUE;
  for (uint64_t at = address; at < end; at = range.begin + range.size) {
    if (!berth_soft_space_next(at, &range) || range.begin != at ||
        range.kind != BERTH_SOFT_MAPPED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (mprotect(pointer(address), size,
               is_open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  for (uint64_t at = address; at < end; at = range.begin + range.size) {
    (void)berth_soft_space_next(at, &range);
    berth_soft_space_set_closed(at, !is_open);
  }
  return CUDA_SUCCESS;
}

// ---- Its functions ----

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  berth_mutex_lock(&lock);
  CUresult result = map(address, size, offset, handle);
  berth_mutex_unlock(&lock);
  return result;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  BERTH_SOFT_TRY(berth_soft_enter());
  berth_mutex_lock(&lock);
  CUresult result = unmap(address, size);
  berth_mutex_unlock(&lock);
  return result;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size,
                        const CUmemAccessDesc *desc, size_t count) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (desc == NULL || count == 0) return CUDA_ERROR_INVALID_VALUE;
  bool is_open = false;
  for (size_t i = 0; i < count; ++i) {
    int card = 0;
    BERTH_SOFT_TRY(card_at(&desc[i].location, &card));
    is_open = is_open || desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  berth_mutex_lock(&lock);
  CUresult result = set_access(address, size, is_open);
  berth_mutex_unlock(&lock);
  return result;
}
