// source.c - The source of ordinary host memory.
#include "memory/source.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fault.h"

#define HUGE_PAGE ((uint64_t)2 << 20)

// Unmaps what lies in a mapping before and after [base, base + size).
static void trim_mapping(char *mapping, uint64_t mapped, char *base,
                         uint64_t size) {
  uint64_t before = (uint64_t)(base - mapping);
  uint64_t after = mapped - before - size;
  if (before > 0) munmap(mapping, before);
  if (after > 0) munmap(base + size, after);
}

// Overcommitted mappings (MAP_NORESERVE) are not asked for: a request beyond
// what the machine has is then refused here, with an error, and not later, by
// a signal.
static void *map(uint64_t size) {
  if (berth_fault("mmap")) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              -1, 0);
}

static berth_code_t get_region(berth_source_t *source, uint64_t size,
                               void **out_base, berth_error_t *err) {
  // Large regions get room to slide to a huge-page boundary: the kernel uses
  // huge pages only for whole aligned pieces.
  uint64_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
  char *mapping = map(size + slack);
  if (mapping == MAP_FAILED) {
    return berth_error_set(
        err, BERTH_RESOURCE_EXHAUSTED, "cannot map %llu bytes of %s memory: %s",
        (unsigned long long)size, source->name, strerror(errno));
  }
  if (slack > 0) {
    uint64_t off = (uint64_t)(uintptr_t)mapping % HUGE_PAGE;
    char *base = mapping + (off > 0 ? HUGE_PAGE - off : 0);
    trim_mapping(mapping, size + slack, base, size);
    // Only advice: where the kernel has no huge pages, small ones do.
    (void)madvise(base, size, MADV_HUGEPAGE);
    mapping = base;
  }
  *out_base = mapping;
  return BERTH_OK;
}

static void return_region(berth_source_t *source, void *base, uint64_t size) {
  (void)source;
  munmap(base, size);
}

berth_source_t *berth_source_host(void) {
  static berth_source_t source = {
      .struct_size = sizeof(berth_source_t),
      .name = "host",
      .granularity = 4096,
      .is_host = true,
      .get_region = get_region,
      .return_region = return_region,
  };
  return &source;
}
