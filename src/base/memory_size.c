// memory_size.c - How much memory there is.
#include "base/memory_size.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/sysinfo.h>

#include "base/compiler.h"

// Reads the number in |path|; UINT64_MAX when there is none ("max").
static uint64_t read_limit(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return UINT64_MAX;
  unsigned long long limit = 0;
  int fields = fscanf(file, "%llu", &limit);
  fclose(file);
  return fields == 1 ? limit : UINT64_MAX;
}

static uint64_t read_size(void) {
  struct sysinfo info;
  if (sysinfo(&info) != 0) return 0;
  uint64_t size = (uint64_t)info.totalram * info.mem_unit;
  static const char *const limits[] = {
      "/sys/fs/cgroup/memory.max",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (int i = 0; i < BERTH_COUNT_OF(limits); ++i) {
    uint64_t limit = read_limit(limits[i]);
    if (limit < size) size = limit;
  }
  return size;
}

static uint64_t read_most(void) {
  struct sysinfo info;
  uint64_t size = berth_memory_size();
  if (size == 0 || sysinfo(&info) != 0) return UINT64_MAX;
  return size + (uint64_t)info.totalswap * info.mem_unit;
}

// Two threads that come first read the same.
uint64_t berth_memory_size(void) {
  static atomic_uint_least64_t kept = 0;
  uint64_t size = atomic_load_explicit(&kept, memory_order_relaxed);
  if (size == 0) {
    size = read_size();
    atomic_store_explicit(&kept, size, memory_order_relaxed);
  }
  return size;
}

uint64_t berth_memory_most(void) {
  static atomic_uint_least64_t kept = 0;
  uint64_t most = atomic_load_explicit(&kept, memory_order_relaxed);
  if (most == 0) {
    most = read_most();
    atomic_store_explicit(&kept, most, memory_order_relaxed);
  }
  return most;
}
