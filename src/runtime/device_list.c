// device_list.c - Every device the process has opened.
#include "runtime/device_list.h"

#include <pthread.h>
#include <string.h>

#include "base/thread.h"
#include "berth/device.h"
#include "runtime/backends.h"

static berth_mutex_t list_lock = BERTH_MUTEX_INIT;  // Guards |list|.
static berth_registry_t list;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

// ---- Fork ----

static void before_fork(void) { berth_mutex_lock(&list_lock); }
static void after_fork(void) { berth_mutex_unlock(&list_lock); }

// Handlers that run before a fork run last one first, and the pools' take their
// locks there: installing ours after them keeps the order of locks.
static void install_fork_handlers(void) {
  (void)pthread_atfork(before_fork, after_fork, after_fork);
}

// ---- Opening ----

// Stores how many devices of |backend| to use when |asked| for: all there are
// for -1, and of cards no more than there are.
static berth_code_t decide_count(const berth_backend_t *backend, int asked,
                                 int *out_count, berth_error_t *err) {
  bool is_cpu = strcmp(backend->type, "CPU") == 0;
  *out_count = asked;
  if (is_cpu && asked >= 0) return BERTH_OK;
  int have = 0;
  berth_code_t code = backend->count(&have, err);
  if (code == BERTH_UNAVAILABLE) {  // No driver: no devices, and no failure.
    berth_error_clear(err);
    code = BERTH_OK;
  }
  if (code == BERTH_OK && (asked < 0 || asked > have)) *out_count = have;
  return code;
}

// Opens what is missing of |backend| and adds it to |registry|. Lock held.
static berth_code_t select_backend(const berth_backend_t *backend, int asked,
                                   berth_registry_t *registry,
                                   berth_error_t *err) {
  int count = 0;
  BERTH_TRY(decide_count(backend, asked, &count, err));
  BERTH_TRY(
      berth_registry_open(&list, backend, BERTH_LOCAL_PREFIX, count, err));
  return berth_registry_share(registry, &list, backend->type, count, err);
}

berth_code_t berth_device_list_select(int cpu_count, int gpu_count,
                                      berth_registry_t *registry,
                                      berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&list_lock);
  for (int i = 0; berth_backends[i] != NULL && code == BERTH_OK; ++i) {
    bool is_cpu = strcmp(berth_backends[i]->type, "CPU") == 0;
    code = select_backend(berth_backends[i], is_cpu ? cpu_count : gpu_count,
                          registry, err);
  }
  berth_mutex_unlock(&list_lock);
  pthread_once(&fork_once, install_fork_handlers);
  return code == BERTH_OK ? berth_registry_need_cpu(registry, err) : code;
}

// Opens the devices a process has by default.
static berth_code_t open_defaults(berth_error_t *err) {
  berth_registry_t registry = {0};
  berth_code_t code = berth_device_list_select(-1, -1, &registry, err);
  berth_registry_deinit(&registry);
  return code;
}

// ---- The public half ----

berth_code_t berth_device_count(int *out_count, berth_error_t *err) {
  BERTH_TRY(open_defaults(err));
  berth_mutex_lock(&list_lock);
  *out_count = (int)list.count;
  berth_mutex_unlock(&list_lock);
  return BERTH_OK;
}

berth_code_t berth_device_query(int index, berth_device_info_t *out_info,
                                berth_error_t *err) {
  BERTH_TRY(open_defaults(err));
  berth_mutex_lock(&list_lock);
  int count = (int)list.count;
  // Devices live as long as the process, so that |device| needs no reference.
  const berth_device_t *device =
      index >= 0 && index < count ? list.devices[index] : NULL;
  berth_mutex_unlock(&list_lock);
  if (device == NULL) {
    return berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "device %d of %d was asked for", index, count);
  }
  *out_info = (berth_device_info_t){.name = berth_device_full_name(device),
                                    .type = berth_device_type(device),
                                    .description = device->description,
                                    .memory_limit = device->memory_limit,
                                    .incarnation = device->incarnation};
  return BERTH_OK;
}

static berth_code_t find_device(const char *name, berth_device_t **out_device,
                                berth_error_t *err) {
  BERTH_TRY(open_defaults(err));
  berth_mutex_lock(&list_lock);
  berth_code_t code = berth_registry_get(&list, name, out_device, err);
  berth_mutex_unlock(&list_lock);
  return code;
}

berth_code_t berth_device_memory_stats(const char *name,
                                       berth_memory_stats_t *out_stats,
                                       berth_error_t *err) {
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  berth_device_query_memory(device, out_stats);
  return BERTH_OK;
}

berth_code_t berth_device_reset_memory_stats(const char *name,
                                             berth_error_t *err) {
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  berth_device_reset_memory(device);
  return BERTH_OK;
}

berth_code_t berth_device_trim_memory(const char *name, uint64_t keep,
                                      uint64_t *out_bytes, berth_error_t *err) {
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  uint64_t bytes = berth_device_trim(device, keep);
  if (out_bytes != NULL) *out_bytes = bytes;
  return BERTH_OK;
}
