// gpu_testing.h - What the tests of simulated GPUs share.
#ifndef BERTH_TESTS_GPU_DEVICES_GPU_TESTING_H_
#define BERTH_TESTS_GPU_DEVICES_GPU_TESTING_H_

#include "berth/berth.h"
#include "harness.h"
#include "kept_log.h"
#include "simulate.h"

#define LOCAL "/job:localhost/replica:0/task:0/device:"
#define MIB ((uint64_t)1 << 20)

#define K40C "Tesla K40c@0000:05:00.0"
#define FOUR_K20M \
  "Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0"

// Simulates |spec| in this process and those it forks, and keeps the log. Ends
// the test where the machine's own card is to be tested.
static inline void simulate(const char *spec) {
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("for simulated cards alone");
  simulate_cards(spec);
  atexit(simulate_forget);
  keep_log();
}

// A session on an empty graph, which is all that devices need.
static inline berth_code_t open_session(const berth_config_t *config,
                                        berth_session_t **out_session,
                                        berth_error_t *err) {
  logged[0] = '\0';
  berth_graph_t *graph = berth_graph_create();
  berth_code_t code = berth_session_create(graph, config, out_session, err);
  berth_graph_release(graph);
  return code;
}

// Makes |count| GPUs of the first card, with |limits| megabytes.
static inline berth_code_t divide_card(const float *limits, int count,
                                       berth_error_t *err) {
  const berth_virtual_devices_t card = {.memory_limit_mb = limits,
                                        .memory_limit_count = count};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_devices = &card;
  config.gpu_experimental.virtual_device_count = 1;
  return berth_process_configure(&config, err);
}

#endif  // BERTH_TESTS_GPU_DEVICES_GPU_TESTING_H_
