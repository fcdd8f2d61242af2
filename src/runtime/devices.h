// devices.h - The devices a session or context works with.
//
// A set is what a configuration asks for: so many CPUs, and its GPUs behind
// them. The devices themselves belong to the process; a set only lists them, in
// the forms that placement and the executor want.
//
// Immutable after create.
#ifndef BERTH_RUNTIME_DEVICES_H_
#define BERTH_RUNTIME_DEVICES_H_

#include "berth/config.h"
#include "device/registry.h"
#include "exec/step.h"
#include "place/place.h"

// Zeroed is empty and valid.
typedef struct berth_device_set {
  berth_registry_t registry;  // Holds references.
  int count;
  berth_exec_device_t *exec;
  berth_place_device_t *place;
  struct berth_device_set *older;  // The owner's: what it had before. Owned.
} berth_device_set_t;

// Fills |set| with the devices that |config| asks for. BERTH_NOT_FOUND `No CPU
// devices are available in this process` for none, and what
// berth_gpu_table_share() says. Whatever the outcome,
// berth_device_set_deinit() frees.
BERTH_NODISCARD berth_code_t berth_device_set_init(berth_device_set_t *set,
                                                   const berth_config_t *config,
                                                   berth_error_t *err);
void berth_device_set_deinit(berth_device_set_t *set);

// The same for a set of its own storage, which is freed with all that are
// |older|. NULL is fine.
BERTH_NODISCARD berth_code_t
berth_device_set_create(const berth_config_t *config,
                        berth_device_set_t **out_set, berth_error_t *err);
void berth_device_set_destroy(berth_device_set_t *set);

#endif  // BERTH_RUNTIME_DEVICES_H_
