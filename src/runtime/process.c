// process.c - The one process object.
#include "runtime/process.h"

#include "base/thread.h"
#include "kernel/kernel.h"
#include "runtime/backends.h"
#include "tensor/tensor.h"

static struct {
  berth_mutex_t lock;  // Guards everything below.
  bool has_kernels;
  bool is_ready;
  berth_registry_t registry;
} process = {.lock = BERTH_MUTEX_INIT};

// Opens CPUs until there are |count|. The lock is held.
static berth_code_t open_cpus(int count, berth_error_t *err) {
  return berth_registry_open(&process.registry, berth_backends_cpu(),
                             BERTH_LOCAL_PREFIX, count, err);
}

static berth_code_t init_locked(berth_error_t *err) {
  if (!process.has_kernels) {
    BERTH_TRY(berth_backends_add_kernels(err));
    process.has_kernels = true;
  }
  BERTH_TRY(open_cpus(1, err));
  berth_tensor_set_host_allocator(process.registry.devices[0]->allocator);
  process.is_ready = true;
  return BERTH_OK;
}

berth_code_t berth_process_init(berth_error_t *err) {
  berth_mutex_lock(&process.lock);
  berth_code_t code = process.is_ready ? BERTH_OK : init_locked(err);
  berth_mutex_unlock(&process.lock);
  return code;
}

berth_code_t berth_process_share(berth_registry_t *registry, int cpu_count,
                                 berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  berth_mutex_lock(&process.lock);
  berth_code_t code = open_cpus(cpu_count, err);
  if (code == BERTH_OK) {
    code = berth_registry_share(registry, &process.registry, "CPU", cpu_count,
                                err);
  }
  berth_mutex_unlock(&process.lock);
  return code;
}

berth_code_t berth_process_list(berth_registry_t *registry,
                                berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&process.lock);
  for (size_t i = 0; i < process.registry.count && code == BERTH_OK; ++i) {
    code = berth_registry_add(registry, process.registry.devices[i], err);
  }
  berth_mutex_unlock(&process.lock);
  return code;
}
