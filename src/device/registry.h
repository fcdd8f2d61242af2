// registry.h - A list of devices, and finding one by name.
//
// The process has one with every device that was opened; a session has one with
// those it may use. They share devices, which are counted.
//
//   CPU:0  CPU:1  GPU:0  GPU:1 ...      CPUs first, else in the order of adding
//
// Threads: caller serialises adding; looking alone may run together.
#ifndef BERTH_DEVICE_REGISTRY_H_
#define BERTH_DEVICE_REGISTRY_H_

#include "base/hash.h"
#include "device/device.h"

// Zeroed is empty and valid.
typedef struct berth_registry {
  berth_device_t **devices;  // Retained. CPUs first.
  size_t count, capacity;
  berth_map_t names;  // All forms of their names; values are their addresses.
} berth_registry_t;

// Releases the devices and frees the list.
void berth_registry_deinit(berth_registry_t *registry);

// Adds |device| (retained). BERTH_ALREADY_EXISTS when one of its full name is
// there; a short name that is there keeps its meaning. On failure nothing has
// changed.
BERTH_NODISCARD berth_code_t berth_registry_add(berth_registry_t *registry,
                                                berth_device_t *device,
                                                berth_error_t *err);

// Opens devices of |backend| until there are |count| of its type, numbers 0 to
// |count| - 1, under |prefix| ("/job:localhost/replica:0/task:0"). All or
// nothing: when one fails to open none is added, and it fails as that did.
// There may be that many already.
BERTH_NODISCARD berth_code_t berth_registry_open(berth_registry_t *registry,
                                                 const berth_backend_t *backend,
                                                 const char *prefix, int count,
                                                 berth_error_t *err);

// Adds the first |count| devices of |type| that |from| has, or all when it has
// fewer. Fails as berth_registry_add() does.
BERTH_NODISCARD berth_code_t berth_registry_share(berth_registry_t *registry,
                                                  const berth_registry_t *from,
                                                  const char *type, int count,
                                                  berth_error_t *err);

// Returns how many devices of |type| there are.
int berth_registry_count_type(const berth_registry_t *registry,
                              const char *type);

// Returns the device called |name|, in any of its four forms, or NULL.
// Borrowed.
berth_device_t *berth_registry_find(const berth_registry_t *registry,
                                    const char *name);

// The same, failing with BERTH_INVALID_ARGUMENT `<name> unknown device.`
BERTH_NODISCARD berth_code_t
berth_registry_get(const berth_registry_t *registry, const char *name,
                   berth_device_t **out_device, berth_error_t *err);

// Fails with BERTH_NOT_FOUND `No CPU devices are available in this process`
// when there is none: feeds and fetches live on CPU:0.
BERTH_NODISCARD berth_code_t
berth_registry_need_cpu(const berth_registry_t *registry, berth_error_t *err);

#endif  // BERTH_DEVICE_REGISTRY_H_
