// gpu_testing.h - What the tests of simulated GPUs share.
#ifndef BERTH_TESTS_GPU_GPU_TESTING_H_
#define BERTH_TESTS_GPU_GPU_TESTING_H_

#include "berth/berth.h"
#include "harness.h"

#define LOCAL "/job:localhost/replica:0/task:0/device:"
#define MIB ((uint64_t)1 << 20)

#define K40C "Tesla K40c@0000:05:00.0"
#define FOUR_K20M \
  "Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0"

// What was logged: "I text\n" for each line.
static char logged[8192];

static inline void keep_line(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg) {
  (void)file;
  (void)line;
  (void)arg;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof(logged) - used, "%c %s\n", "IWE"[level], text);
}

static char ledger[64];

static inline void forget_accounts(void) { unlink(ledger); }

// Simulates |spec| in this process and those it forks, and keeps the log. Ends
// the test where the machine's own card is to be tested.
static inline void simulate(const char *spec) {
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("for simulated cards alone");
  snprintf(ledger, sizeof(ledger), "/tmp/berth-gpu-test-%d", (int)getpid());
  unlink(ledger);
  setenv("BERTH_SIMULATE_LEDGER", ledger, 1);
  setenv("BERTH_SIMULATE_GPUS", spec, 1);
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_DEVICE_ORDER");
  atexit(forget_accounts);
  berth_log_set_callback(keep_line, NULL);
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

#endif  // BERTH_TESTS_GPU_GPU_TESTING_H_
