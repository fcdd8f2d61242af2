// space.c - Which addresses of the process belong to the simulated cards.
#include "softgpu/space.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "softgpu/stress.h"

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
static berth_soft_range_t *ranges = NULL;      // By address; disjoint.
static size_t count = 0;
static size_t capacity = 0;

// Returns the index of the first range that ends after |address|.
static size_t first_after(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges[middle].begin + ranges[middle].size <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void remove_at(size_t index) {
  --count;
  memmove(&ranges[index], &ranges[index + 1],
          (count - index) * sizeof(ranges[0]));
}

static CUresult add(const berth_soft_range_t *range) {
  size_t index = first_after(range->begin);
  if (index < count && ranges[index].begin < range->begin + range->size) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (count == capacity) {
    void *grown = berth_grow(ranges, count, &capacity, sizeof(ranges[0]));
    if (grown == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    ranges = grown;
  }
  memmove(&ranges[index + 1], &ranges[index],
          (count - index) * sizeof(ranges[0]));
  ranges[index] = *range;
  ++count;
  return CUDA_SUCCESS;
}

CUresult berth_soft_space_add(const berth_soft_range_t *range) {
  berth_mutex_lock(&lock);
  CUresult result = add(range);
  berth_mutex_unlock(&lock);
  return result;
}

bool berth_soft_space_take(uint64_t begin, int kinds,
                           berth_soft_range_t *out_range) {
  berth_mutex_lock(&lock);
  size_t index = first_after(begin);
  bool found = index < count && ranges[index].begin == begin &&
               ((int)ranges[index].kind & kinds) != 0;
  if (found) {
    *out_range = ranges[index];
    remove_at(index);
  }
  berth_mutex_unlock(&lock);
  return found;
}

bool berth_soft_space_next(uint64_t address, berth_soft_range_t *out_range) {
  berth_mutex_lock(&lock);
  size_t index = first_after(address);
  bool found = index < count;
  if (found) *out_range = ranges[index];
  berth_mutex_unlock(&lock);
  return found;
}

void berth_soft_space_set_closed(uint64_t begin, bool is_closed) {
  berth_mutex_lock(&lock);
  size_t index = first_after(begin);
  if (index < count && ranges[index].begin == begin) {
    ranges[index].is_closed = is_closed;
  }
  berth_mutex_unlock(&lock);
}

bool berth_soft_space_covers(uint64_t address, uint64_t size, int kinds) {
  if (address + size < address) return false;
  uint64_t at = address;
  berth_mutex_lock(&lock);
  for (size_t i = first_after(address); i < count && at < address + size; ++i) {
    const berth_soft_range_t *range = &ranges[i];
    bool is_first = at == address;
    if (range->begin > at || range->is_closed ||
        ((int)range->kind & kinds) == 0 ||
        (!is_first && range->kind != BERTH_SOFT_MAPPED)) {
      break;
    }
    at = range->begin + range->size;
  }
  berth_mutex_unlock(&lock);
  return at >= address + size;
}

void berth_soft_space_forget(CUcontext context) {
  berth_mutex_lock(&lock);
  for (size_t i = count; i-- > 0;) {
    berth_soft_range_t range = ranges[i];
    if (range.context != context) continue;
    remove_at(i);
    if (range.kind != BERTH_SOFT_REGISTERED) {
      berth_soft_pages_give(range.begin, range.size);
    }
  }
  berth_mutex_unlock(&lock);
}

uint64_t berth_soft_pages_get(uint64_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  if (berth_soft_stress_spoil(memory, size)) return (uintptr_t)memory;
  munmap(memory, size);
  return 0;
}

void berth_soft_pages_give(uint64_t address, uint64_t size) {
  void *memory = (void *)(uintptr_t)address;
  if (!berth_soft_stress_keep(memory, size)) munmap(memory, size);
}
