// process.c - The one process object.
#include "runtime/process.h"

#include "base/env.h"
#include "base/fork.h"
#include "base/thread.h"
#include "berth/config.h"
#include "berth/share.h"
#include "kernel/kernel.h"
#include "runtime/backends.h"
#include "runtime/gpu_arrange.h"
#include "tensor/tensor.h"

static struct {
  berth_mutex_t lock;  // Guards everything below.
  bool has_kernels;
  bool is_ready;
  bool has_looked;  // For GPUs to list.
  berth_registry_t registry;
  bool has_config;
  berth_config_t config;  // When |has_config|; owns what it points to.
} process = {.lock = BERTH_MUTEX_INIT};

static berth_gpu_table_t gpus = BERTH_GPU_TABLE_INIT;

BERTH_FORK_HOOK(process, .rank = BERTH_FORK_PROCESS, .mutex = &process.lock)
BERTH_FORK_HOOK(gpus, .rank = BERTH_FORK_TABLE, .mutex = &gpus.lock)

berth_gpu_table_t *berth_process_gpus(void) { return &gpus; }

// Opens CPUs until there are |count|. The lock is held.
static berth_code_t open_cpus(int count, berth_error_t *err) {
  return berth_registry_open(&process.registry, berth_backends_host(),
                             BERTH_LOCAL_PREFIX, count, err);
}

static berth_code_t init_locked(berth_error_t *err) {
  if (!process.has_kernels) {
    BERTH_TRY(berth_backends_add_kernels(err));
    process.has_kernels = true;
  }
  BERTH_TRY(open_cpus(1, err));
  if (berth_env_bool("BERTH_SPILL", false)) berth_memory_set_spill(true);
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

// Opens the GPUs that |config| asks for.
static berth_code_t open_gpus(const berth_config_t *config,
                              berth_error_t *err) {
  berth_registry_t opened = {0};
  berth_code_t code = berth_gpu_table_share(&gpus, config, &opened, err);
  berth_registry_deinit(&opened);
  return code;
}

// Opens the GPUs that a session would get, once: who looks at figures again and
// again is not told each time which cards cannot be used.
static berth_code_t open_usual_gpus(berth_error_t *err) {
  berth_mutex_lock(&process.lock);
  bool has_looked = process.has_looked;
  berth_mutex_unlock(&process.lock);
  if (has_looked || berth_gpu_table_has_any(&gpus)) return BERTH_OK;
  berth_config_t config;
  BERTH_TRY(berth_process_query_config(&config, err));
  berth_code_t code = open_gpus(&config, err);
  berth_config_clear(&config);
  berth_mutex_lock(&process.lock);
  process.has_looked = process.has_looked || code == BERTH_OK;
  berth_mutex_unlock(&process.lock);
  return code;
}

berth_code_t berth_process_list(berth_registry_t *registry,
                                berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  BERTH_TRY(open_usual_gpus(err));
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&process.lock);
  for (size_t i = 0; i < process.registry.count && code == BERTH_OK; ++i) {
    code = berth_registry_add(registry, process.registry.devices[i], err);
  }
  berth_mutex_unlock(&process.lock);
  if (code == BERTH_OK) code = berth_gpu_table_list(&gpus, registry, err);
  return code;
}

// Sets what counts without a configuration, with GPUs opened beside those that
// are there, or in their place (|is_change|).
static berth_code_t configure(const berth_config_t *config, bool is_change,
                              berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  berth_config_t copy;
  berth_config_init(&copy);
  if (config != NULL) BERTH_TRY(berth_config_copy(config, &copy, err));
  berth_code_t code =
      is_change ? berth_gpu_arrange(&gpus, &copy, err) : open_gpus(&copy, err);
  berth_mutex_lock(&process.lock);
  if (code == BERTH_OK) {
    code = open_cpus(copy.cpu_count > 1 ? copy.cpu_count : 1, err);
  }
  if (code == BERTH_OK) {
    berth_config_t before = process.config;
    process.config = copy;
    copy = before;
    if (!process.has_config) berth_config_init(&copy);
    process.has_config = true;
  }
  berth_mutex_unlock(&process.lock);
  berth_config_clear(&copy);
  return code;
}

berth_code_t berth_process_configure(const berth_config_t *config,
                                     berth_error_t *err) {
  return configure(config, false, err);
}

berth_code_t berth_process_reconfigure(const berth_config_t *config,
                                       berth_error_t *err) {
  return configure(config, true, err);
}

bool berth_process_is_configured(void) {
  berth_mutex_lock(&process.lock);
  bool has_config = process.has_config;
  berth_mutex_unlock(&process.lock);
  return has_config;
}

berth_code_t berth_process_query_config(berth_config_t *out_config,
                                        berth_error_t *err) {
  BERTH_GIVEN(out_config, err);
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&process.lock);
  if (process.has_config) {
    code = berth_config_copy(&process.config, out_config, err);
  } else {
    berth_config_init(out_config);
  }
  berth_mutex_unlock(&process.lock);
  return code;
}
