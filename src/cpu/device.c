// device.c - The CPU as a device.
#include "cpu/device.h"

#include <stdio.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/alloc.h"
#include "device/device.h"
#include "memory/pool.h"

// What TensorFlow lists for every CPU. It limits nothing.
#define LISTED_MEMORY ((int64_t)256 << 20)
#define LEAST_KEPT ((uint64_t)256 << 20)

typedef struct cpu_allocator {
  berth_allocator_t base;
  berth_pool_t *pool;
} cpu_allocator_t;

typedef struct cpu_device {
  berth_device_t device;
  cpu_allocator_t allocator;
} cpu_device_t;

// Reads the number in |path|; UINT64_MAX when there is none ("max").
static uint64_t read_limit(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return UINT64_MAX;
  unsigned long long limit = 0;
  int fields = fscanf(file, "%llu", &limit);
  fclose(file);
  return fields == 1 ? limit : UINT64_MAX;
}

// Returns how much memory this process may use at most.
static uint64_t usable_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t usable =
      pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
  static const char *const limits[] = {
      "/sys/fs/cgroup/memory.max",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (int i = 0; i < BERTH_COUNT_OF(limits); ++i) {
    uint64_t limit = read_limit(limits[i]);
    if (limit < usable) usable = limit;
  }
  return usable;
}

// What is more than memory and swap together can be mapped, but not used: the
// kernel would end the process where an error is wanted. 0: not known.
static uint64_t most_memory(void) {
  struct sysinfo info;
  uint64_t usable = usable_memory();
  if (usable == 0 || sysinfo(&info) != 0) return usable;
  return usable + (uint64_t)info.totalswap * info.mem_unit;
}

static uint64_t kept_memory(void) {
  uint64_t quarter = usable_memory() / 4;
  return quarter > LEAST_KEPT ? quarter : LEAST_KEPT;
}

static berth_code_t cpu_alloc(berth_allocator_t *allocator, size_t size,
                              berth_buffer_t **out_buffer, berth_error_t *err) {
  return berth_pool_buffer(((cpu_allocator_t *)allocator)->pool, size,
                           out_buffer, err);
}

static berth_code_t cpu_count(int *out_count, berth_error_t *err) {
  (void)err;
  *out_count = 1;
  return BERTH_OK;
}

static berth_code_t cpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err) {
  cpu_device_t *cpu = berth_calloc(1, sizeof(*cpu));
  if (cpu == NULL) return berth_error_no_memory(err, "a CPU device");
  berth_code_t code =
      berth_device_init(&cpu->device, &berth_cpu_backend, prefix, id, "", err);
  if (code != BERTH_OK) goto done;
  berth_policy_t policy = berth_policy_host(kept_memory());
  policy.limit_bytes = most_memory();
  code = berth_pool_create(berth_source_host(), &policy, &cpu->allocator.pool,
                           err);
  if (code != BERTH_OK) goto done;
  cpu->allocator.base.alloc = cpu_alloc;
  cpu->device.memory_limit = LISTED_MEMORY;
  cpu->device.memory_space = BERTH_SPACE_HOST;
  cpu->device.allocator = &cpu->allocator.base;
  *out_device = &cpu->device;
  cpu = NULL;

done:
  if (cpu != NULL) {
    berth_device_deinit(&cpu->device);
    berth_free(cpu);
  }
  return code;
}

static berth_pool_t *pool_of(berth_device_t *device) {
  return ((cpu_device_t *)device)->allocator.pool;
}

static void cpu_close(berth_device_t *device) {
  berth_pool_destroy(pool_of(device));
  berth_device_deinit(device);
  berth_free(device);
}

static void cpu_memory_stats(berth_device_t *device,
                             berth_memory_stats_t *out_stats) {
  berth_pool_stats(pool_of(device), out_stats);
}

static void cpu_reset_memory_stats(berth_device_t *device) {
  berth_pool_reset_stats(pool_of(device));
}

static uint64_t cpu_trim_memory(berth_device_t *device, uint64_t keep) {
  return berth_pool_trim(pool_of(device), keep);
}

const berth_backend_t berth_cpu_backend = {
    .struct_size = sizeof(berth_backend_t),
    .type = "CPU",
    .priority = 60,
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .memory_stats = cpu_memory_stats,
    .reset_memory_stats = cpu_reset_memory_stats,
    .trim_memory = cpu_trim_memory,
};
