// devices.c - The devices a session or context works with.
#include "runtime/devices.h"

#include "base/alloc.h"
#include "runtime/process.h"

// A session numbers its devices with 16 bits; nobody wants half as many.
enum { MAX_CPUS = 4096 };

static void describe(berth_device_set_t *set, int index) {
  berth_device_t *device = set->registry.devices[index];
  set->exec[index] = (berth_exec_device_t){
      .name = berth_device_full_name(device),
      .backend = device->backend,
      .allocator = device->allocator,
      .device = berth_device_has_streams(device) ? device : NULL,
      .lender = &device->lender};
  set->place[index] =
      (berth_place_device_t){.name = berth_device_full_name(device),
                             .description = device->description,
                             .parsed = device->parsed,
                             .is_local = true};
}

berth_code_t berth_device_set_init(berth_device_set_t *set,
                                   const berth_config_t *config,
                                   berth_error_t *err) {
  int cpus = config->cpu_count >= 0 ? config->cpu_count : 1;
  if (cpus > MAX_CPUS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "device_count asks for %d CPU devices; at most %d "
                           "are supported",
                           cpus, MAX_CPUS);
  }
  BERTH_TRY(berth_process_share(&set->registry, cpus, err));
  BERTH_TRY(berth_registry_need_cpu(&set->registry, err));
  BERTH_TRY(
      berth_gpu_table_share(berth_process_gpus(), config, &set->registry, err));
  size_t count = set->registry.count;
  set->exec = berth_calloc(count, sizeof(*set->exec));
  set->place = berth_calloc(count, sizeof(*set->place));
  if (set->exec == NULL || set->place == NULL) {
    return berth_error_no_memory(err, "devices");
  }
  set->count = (int)count;
  for (int i = 0; i < set->count; ++i) describe(set, i);
  return BERTH_OK;
}

void berth_device_set_deinit(berth_device_set_t *set) {
  berth_free(set->exec);
  berth_free(set->place);
  berth_registry_deinit(&set->registry);
  *set = (berth_device_set_t){0};
}

berth_code_t berth_device_set_create(const berth_config_t *config,
                                     berth_device_set_t **out_set,
                                     berth_error_t *err) {
  berth_device_set_t *set = berth_calloc(1, sizeof(*set));
  if (set == NULL) return berth_error_no_memory(err, "devices");
  berth_code_t code = berth_device_set_init(set, config, err);
  if (code == BERTH_OK) {
    *out_set = set;
  } else {
    berth_device_set_destroy(set);
  }
  return code;
}

void berth_device_set_destroy(berth_device_set_t *set) {
  while (set != NULL) {
    berth_device_set_t *older = set->older;
    berth_device_set_deinit(set);
    berth_free(set);
    set = older;
  }
}
