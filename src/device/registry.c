// registry.c - A list of devices, and finding one by name.
#include "device/registry.h"

#include <string.h>

#include "base/alloc.h"

void berth_registry_deinit(berth_registry_t *registry) {
  // Last opened, first closed.
  while (registry->count > 0) {
    berth_device_release(registry->devices[--registry->count]);
  }
  berth_free(registry->devices);
  berth_map_clear(&registry->names);
  *registry = (berth_registry_t){0};
}

static bool is_cpu(const berth_device_t *device) {
  return strcmp(berth_device_type(device), "CPU") == 0;
}

// Returns where |device| goes: behind the CPUs when it is one, else at the end.
static size_t place_of(const berth_registry_t *registry,
                       const berth_device_t *device) {
  if (!is_cpu(device)) return registry->count;
  size_t place = 0;
  while (place < registry->count && is_cpu(registry->devices[place])) ++place;
  return place;
}

static bool add_names(berth_registry_t *registry, berth_device_t *device) {
  size_t wanted = registry->names.count + BERTH_NAME_FORMS;
  if (!berth_map_reserve(&registry->names, wanted)) return false;
  for (int i = 0; i < BERTH_NAME_FORMS; ++i) {
    const char *name = device->names[i];
    if (berth_registry_find(registry, name) != NULL) continue;
    // Cannot fail: there is room.
    (void)berth_map_set(&registry->names, name, strlen(name),
                        (int64_t)(intptr_t)device);
  }
  return true;
}

berth_code_t berth_registry_add(berth_registry_t *registry,
                                berth_device_t *device, berth_error_t *err) {
  if (berth_registry_find(registry, berth_device_full_name(device)) != NULL) {
    return berth_error_set(err, BERTH_ALREADY_EXISTS,
                           "there is already a device %s",
                           berth_device_full_name(device));
  }
  berth_device_t **devices =
      berth_grow(registry->devices, registry->count, &registry->capacity,
                 sizeof(devices[0]));
  if (devices == NULL) return berth_error_no_memory(err, "a list of devices");
  registry->devices = devices;
  if (!add_names(registry, device)) {
    return berth_error_no_memory(err, "the names of devices");
  }
  size_t place = place_of(registry, device);
  memmove(&devices[place + 1], &devices[place],
          (registry->count - place) * sizeof(devices[0]));
  devices[place] = berth_device_retain(device);
  ++registry->count;
  return BERTH_OK;
}

// Makes room for |count| devices more, so that adding them cannot fail.
static berth_code_t reserve(berth_registry_t *registry, int count,
                            berth_error_t *err) {
  size_t wanted = registry->count + (size_t)count;
  if (wanted > registry->capacity) {
    berth_device_t **devices =
        berth_realloc(registry->devices, wanted, sizeof(devices[0]));
    if (devices == NULL) return berth_error_no_memory(err, "a list of devices");
    registry->devices = devices;
    registry->capacity = wanted;
  }
  size_t names = registry->names.count + (size_t)count * BERTH_NAME_FORMS;
  return berth_map_reserve(&registry->names, names)
             ? BERTH_OK
             : berth_error_no_memory(err, "the names of devices");
}

berth_code_t berth_registry_open(berth_registry_t *registry,
                                 const berth_backend_t *backend,
                                 const char *prefix, int count,
                                 berth_error_t *err) {
  int have = berth_registry_count_type(registry, backend->type);
  if (count <= have) return BERTH_OK;
  int missing = count - have;
  BERTH_TRY(reserve(registry, missing, err));
  berth_device_t **devices = berth_calloc((size_t)missing, sizeof(devices[0]));
  if (devices == NULL) return berth_error_no_memory(err, "a list of devices");
  berth_code_t code = BERTH_OK;
  for (int i = 0; i < missing && code == BERTH_OK; ++i) {
    code = backend->open(prefix, (int32_t)(have + i), &devices[i], err);
  }
  for (int i = 0; i < missing && code == BERTH_OK; ++i) {
    code = berth_registry_add(registry, devices[i], err);
  }
  for (int i = 0; i < missing; ++i) berth_device_release(devices[i]);
  berth_free(devices);
  return code;
}

berth_code_t berth_registry_share(berth_registry_t *registry,
                                  const berth_registry_t *from,
                                  const char *type, int count,
                                  berth_error_t *err) {
  for (size_t i = 0; i < from->count && count > 0; ++i) {
    if (strcmp(berth_device_type(from->devices[i]), type) != 0) continue;
    BERTH_TRY(berth_registry_add(registry, from->devices[i], err));
    --count;
  }
  return BERTH_OK;
}

int berth_registry_count_type(const berth_registry_t *registry,
                              const char *type) {
  int count = 0;
  for (size_t i = 0; i < registry->count; ++i) {
    count += strcmp(berth_device_type(registry->devices[i]), type) == 0;
  }
  return count;
}

berth_device_t *berth_registry_find(const berth_registry_t *registry,
                                    const char *name) {
  const int64_t *value = berth_map_find(&registry->names, name, strlen(name));
  return value != NULL ? (berth_device_t *)(intptr_t)*value : NULL;
}

berth_code_t berth_registry_get(const berth_registry_t *registry,
                                const char *name, berth_device_t **out_device,
                                berth_error_t *err) {
  berth_device_t *device = berth_registry_find(registry, name);
  if (device == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s unknown device.",
                           name);
  }
  *out_device = device;
  return BERTH_OK;
}

berth_code_t berth_registry_need_cpu(const berth_registry_t *registry,
                                     berth_error_t *err) {
  if (berth_registry_count_type(registry, "CPU") > 0) return BERTH_OK;
  return berth_error_set(err, BERTH_NOT_FOUND,
                         "No CPU devices are available in this process");
}
