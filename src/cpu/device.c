// device.c - The CPU as a device.
#include "cpu/device.h"

#include "cpu/kernels.h"

#include "base/alloc.h"
#include "base/memory_size.h"
#include "device/device.h"
#include "device/reclaim.h"
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

static uint64_t kept_memory(void) {
  uint64_t quarter = berth_memory_size() / 4;
  return quarter > LEAST_KEPT ? quarter : LEAST_KEPT;
}

static berth_code_t cpu_alloc(berth_allocator_t *allocator, size_t size,
                              berth_buffer_t **out_buffer, berth_error_t *err) {
  berth_device_t *device =
      (berth_device_t *)((char *)allocator - offsetof(cpu_device_t, allocator));
  return berth_reclaim_buffer(device, ((cpu_allocator_t *)allocator)->pool,
                              size, out_buffer, err);
}

static berth_code_t cpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err) {
  cpu_device_t *cpu = berth_calloc(1, sizeof(*cpu));
  if (cpu == NULL) return berth_error_no_memory(err, "a CPU device");
  berth_code_t code =
      berth_device_init(&cpu->device, &berth_cpu_backend, prefix, id, "", err);
  if (code != BERTH_OK) goto done;
  berth_policy_t policy = berth_policy_host(kept_memory());
  uint64_t most = berth_memory_most();
  if (most != UINT64_MAX) policy.limit_bytes = most;
  code = berth_pool_create(berth_source_host(), &policy, &cpu->allocator.pool,
                           err);
  if (code != BERTH_OK) goto done;
  cpu->allocator.base.alloc = cpu_alloc;
  cpu->device.memory_limit = LISTED_MEMORY;
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
    .add_kernels = berth_cpu_add_kernels,
    .open = cpu_open,
    .close = cpu_close,
    .memory_stats = cpu_memory_stats,
    .reset_memory_stats = cpu_reset_memory_stats,
    .trim_memory = cpu_trim_memory,
};
