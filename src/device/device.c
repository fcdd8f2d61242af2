// device.c - One device: its name, its memory, its backend.
#include "device/device.h"

#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "device/await.h"

// Tells processes apart that use one name after another.
// Devices that were opened so far.
static atomic_ullong opened = 0;

static uint64_t make_incarnation(void) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), GRND_NONBLOCK) !=
      (ssize_t)sizeof(number)) {
    number = (uint64_t)berth_now_ns() * 0x9E3779B97F4A7C15u;
  }
  return number != 0 ? number : 1;
}

static char *format_name(const char *prefix, const char *middle,
                         const char *type, int32_t id) {
  berth_str_t str = {0};
  berth_str_printf(&str, "%s%s%s:%d", prefix, middle, type, id);
  return berth_str_take(&str);
}

static char *format_legacy(const berth_device_name_t *name) {
  berth_str_t str = {0};
  berth_device_name_print_legacy(name, &str);
  return berth_str_take(&str);
}

// Makes the names in all forms; false when memory is short or |prefix| bad.
static bool make_names(berth_device_t *device, const char *prefix, int32_t id) {
  const char *type = device->backend->type;
  char **names = device->names;
  names[BERTH_NAME_FULL] = format_name(prefix, "/device:", type, id);
  names[BERTH_NAME_LOCAL] = format_name("", "/device:", type, id);
  names[BERTH_NAME_LOCAL_LEGACY] = format_name("", "", type, id);
  if (names[BERTH_NAME_FULL] == NULL ||
      !berth_device_name_parse(names[BERTH_NAME_FULL], &device->parsed)) {
    return false;
  }
  names[BERTH_NAME_FULL_LEGACY] = format_legacy(&device->parsed);
  return names[BERTH_NAME_LOCAL] != NULL &&
         names[BERTH_NAME_LOCAL_LEGACY] != NULL &&
         names[BERTH_NAME_FULL_LEGACY] != NULL;
}

static bool is_valid_prefix(const char *prefix) {
  berth_device_name_t name;
  return berth_device_name_parse(prefix, &name) && name.has_job &&
         name.has_replica && name.has_task && !name.has_type && !name.has_id;
}

berth_code_t berth_device_init(berth_device_t *device,
                               const berth_backend_t *backend,
                               const char *prefix, int32_t id,
                               const char *description, berth_error_t *err) {
  if (!is_valid_prefix(prefix) || id < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s' and %d make no name of a %s device", prefix,
                           id, backend->type);
  }
  memset(device, 0, sizeof(*device));
  atomic_init(&device->refs, 1);
  berth_lender_init(&device->lender);
  berth_lender_init(&device->pinned_lender);
  device->backend = backend;
  device->description = berth_strdup(description);
  device->incarnation = make_incarnation();
  device->order = atomic_fetch_add(&opened, 1);
  if (device->description == NULL || !make_names(device, prefix, id)) {
    berth_device_deinit(device);
    return berth_error_no_memory(err, "a device");
  }
  return BERTH_OK;
}

void berth_device_deinit(berth_device_t *device) {
  for (int i = 0; i < BERTH_NAME_FORMS; ++i) berth_free(device->names[i]);
  berth_free(device->description);
  berth_lender_deinit(&device->lender);
  berth_lender_deinit(&device->pinned_lender);
  memset(device, 0, sizeof(*device));
}

berth_device_t *berth_device_retain(berth_device_t *device) {
  atomic_fetch_add_explicit(&device->refs, 1, memory_order_relaxed);
  return device;
}

void berth_device_release(berth_device_t *device) {
  if (device != NULL &&
      atomic_fetch_sub_explicit(&device->refs, 1, memory_order_acq_rel) == 1) {
    // While there are still pools to take it.
    (void)berth_lender_give_up(&device->lender);
    (void)berth_lender_give_up(&device->pinned_lender);
    device->backend->close(device);
  }
}

// True when the table of |device| is new enough to have |member|, and has it.
#define HAS(device, member)                                              \
  ((device)->backend->struct_size > offsetof(berth_backend_t, member) && \
   (device)->backend->member != NULL)

void berth_device_query_memory(berth_device_t *device,
                               berth_memory_stats_t *out_stats) {
  *out_stats = (berth_memory_stats_t){0};
  if (HAS(device, memory_stats)) {
    device->backend->memory_stats(device, out_stats);
  }
}

void berth_device_reset_memory(berth_device_t *device) {
  if (HAS(device, reset_memory_stats)) {
    device->backend->reset_memory_stats(device);
  }
}

uint64_t berth_device_trim(berth_device_t *device, uint64_t keep) {
  return HAS(device, trim_memory) ? device->backend->trim_memory(device, keep)
                                  : 0;
}

static BERTH_NOINLINE berth_code_t is_gone(const berth_device_t *device,
                                           berth_error_t *err) {
  return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                         "%s was removed while the program ran: its card is "
                         "hidden, or has fewer logical GPUs now; make it "
                         "visible again, or a new session",
                         berth_device_full_name(device));
}

berth_code_t berth_device_start(berth_device_t *device, berth_error_t *err) {
  if (BERTH_UNLIKELY(
          atomic_load_explicit(&device->is_removed, memory_order_relaxed))) {
    return is_gone(device, err);
  }
  return HAS(device, start) ? device->backend->start(device, err) : BERTH_OK;
}

static bool is_ended(void *unused) {
  (void)unused;
  return berth_parallel_poll();
}

berth_code_t berth_device_wait(berth_device_t *device, berth_error_t *err) {
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_event_t *mark = NULL;
  BERTH_TRY(ops->event_create(device, &mark, err));
  berth_code_t code = ops->record(berth_device_compute(device), mark, err);
  if (code == BERTH_OK) {
    code = berth_await_event(ops, mark, is_ended, NULL, err);
  }
  ops->event_destroy(mark);
  if (code != BERTH_CANCELLED) return code;
  return berth_error_set(err, BERTH_CANCELLED, "Cancelled while waiting for %s",
                         berth_device_full_name(device));
}

berth_code_t berth_device_hold(berth_device_t *device, berth_hold_t *hold,
                               berth_look_fn look, void *arg,
                               berth_error_t *err) {
  hold->gate = NULL;
  if (device == NULL) return BERTH_OK;
  if (berth_gate_enter(device->gate, hold, look, arg) != BERTH_OK) {
    return berth_error_set(err, BERTH_CANCELLED,
                           "Cancelled while waiting for %s, which is being "
                           "given back",
                           berth_device_full_name(device));
  }
  berth_code_t code = berth_device_start(device, err);
  if (code != BERTH_OK) berth_gate_leave(hold);
  return code;
}
