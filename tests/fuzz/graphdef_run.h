// graphdef_run.h - Placing and running whatever graph a fuzzer has made.
//
// Runs are kept small: no allocation above a few megabytes, a few milliseconds
// for each node, no more than a few dozen nodes.
#ifndef BERTH_TESTS_FUZZ_GRAPHDEF_RUN_H_
#define BERTH_TESTS_FUZZ_GRAPHDEF_RUN_H_

#include <string.h>

#include "berth/session.h"
#include "graphdef_check.h"
#include "runtime/process.h"
#include "tensor/tensor.h"

enum { MOST_BYTES = 4 << 20, MOST_NODES = 64, MOST_MS = 5 };

// In front of the CPU's own allocator.
typedef struct small_allocator {
  berth_allocator_t base;
  berth_allocator_t *real;
} small_allocator_t;

static inline berth_code_t small_alloc(berth_allocator_t *allocator,
                                       size_t size, berth_buffer_t **out_buffer,
                                       berth_error_t *err) {
  if (size > MOST_BYTES) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "%zu bytes", size);
  }
  berth_allocator_t *real = ((small_allocator_t *)allocator)->real;
  return real->alloc(real, size, out_buffer, err);
}

// Puts the small allocator in place, once.
static inline void use_small_memory(void) {
  static small_allocator_t small;
  if (small.real != NULL) return;
  berth_registry_t devices = {0};
  need(berth_process_share(&devices, 1, NULL) == BERTH_OK);
  small.base = *devices.devices[0]->allocator;
  small.base.alloc = small_alloc;
  small.real = devices.devices[0]->allocator;
  devices.devices[0]->allocator = &small.base;
  berth_tensor_set_host_allocator(&small.base);
  berth_registry_deinit(&devices);
}

// True for ops that speak to the outside.
static inline bool is_quiet(const berth_graph_t *graph) {
  for (int i = 0; i < berth_graph_node_count(graph); ++i) {
    const char *op = berth_node_op(graph, i);
    if (strcmp(op, "Print") == 0 || strcmp(op, "PrintV2") == 0) return false;
  }
  return true;
}

// Runs every node by itself; a failure must have a text.
static inline void check_run(berth_graph_t *graph) {
  if (berth_graph_node_count(graph) > MOST_NODES || !is_quiet(graph)) return;
  use_small_memory();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.timeout_ms = MOST_MS;
  config.allow_soft_placement = true;
  config.intra_op_threads = 1;
  need(berth_session_create(graph, &config, &session, &err) == BERTH_OK);
  for (int i = berth_graph_node_count(graph) - 1; i >= 0; --i) {
    berth_node_id_t target = i;
    berth_out_t fetch = {i, 0};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.targets = &target, .target_count = 1};
    if (berth_node_output_count(graph, i) > 0) {
      run.fetches = &fetch;
      run.fetch_count = 1;
      run.results = &result;
    }
    berth_code_t code = berth_session_run_with(session, &run, &err);
    need(code == BERTH_OK || berth_error_message(&err)[0] != '\0');
    need(code == BERTH_OK || result == NULL);
    berth_tensor_release(result);
    berth_error_clear(&err);
  }
  berth_session_destroy(session);
}

#endif  // BERTH_TESTS_FUZZ_GRAPHDEF_RUN_H_
