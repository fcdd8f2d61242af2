// conformance_testing.h - The device under test.
//
// BERTH_TEST_DEVICE names it: "CPU:0" or "GPU:0". A GPU is simulated unless
// BERTH_TEST_GPU asks for the machine's own, and may hold LIMIT bytes.
#ifndef BERTH_TESTS_CONFORMANCE_CONFORMANCE_TESTING_H_
#define BERTH_TESTS_CONFORMANCE_CONFORMANCE_TESTING_H_

#include "berth/berth.h"
#include "device/device.h"
#include "harness.h"
#include "runtime/process.h"
#include "simulate.h"

#define MIB ((size_t)1 << 20)
#define LIMIT_MIB 256

static inline const char *device_wanted(void) {
  const char *name = getenv("BERTH_TEST_DEVICE");
  return name != NULL ? name : "CPU:0";
}

static inline bool wants_gpu(void) {
  return strncmp(device_wanted(), "GPU", 3) == 0;
}

static inline void simulate_card(void) {
  if (getenv("BERTH_TEST_GPU") != NULL) return;
  simulate_cards("Tesla K40c");
  atexit(simulate_forget);
}

static inline void drop_line(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)text, (void)arg;
}

static inline berth_code_t configure_gpu(berth_error_t *err) {
  const float limits[] = {LIMIT_MIB};
  const berth_virtual_devices_t card = {.memory_limit_mb = limits,
                                        .memory_limit_count = 1};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = "0";
  config.gpu.allow_growth = true;
  config.gpu_experimental.virtual_devices = &card;
  config.gpu_experimental.virtual_device_count = 1;
  return berth_process_configure(&config, err);
}

// Returns the device, started; the process keeps it open. NULL when it cannot
// be had.
static inline berth_device_t *device_open(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_registry_t all = {0};
  berth_device_t *device = NULL;
  berth_code_t code = BERTH_OK;
  if (wants_gpu()) {
    simulate_card();
    berth_log_set_callback(drop_line, NULL);
    code = configure_gpu(&err);
  }
  if (code == BERTH_OK) code = berth_process_list(&all, &err);
  if (code == BERTH_OK) {
    code = berth_registry_get(&all, device_wanted(), &device, &err);
  }
  if (code == BERTH_OK) code = berth_device_start(device, &err);
  berth_registry_deinit(&all);
  if (code == BERTH_OK) return device;
  HARNESS_FAIL("no %s: %s", device_wanted(), berth_error_message(&err));
  berth_error_clear(&err);
  return NULL;
}

// The same for tests of streams, which a CPU has none of.
static inline berth_device_t *streaming_device_open(void) {
  if (!wants_gpu()) SKIP("a CPU has no streams");
  return device_open();
}

// Takes |size| bytes of |allocator|; NULL when there are none.
static inline berth_buffer_t *take(berth_allocator_t *allocator, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  if (allocator->alloc(allocator, size, &buffer, &err) != BERTH_OK) {
    HARNESS_FAIL("no memory: %s", berth_error_message(&err));
    berth_error_clear(&err);
  }
  return buffer;
}

static inline berth_memory_stats_t stats_of(berth_device_t *device) {
  berth_memory_stats_t stats = {0};
  berth_device_query_memory(device, &stats);
  return stats;
}

#endif  // BERTH_TESTS_CONFORMANCE_CONFORMANCE_TESTING_H_
