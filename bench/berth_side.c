// berth_side.c - Berth's side: what it measures, and the import of a graph.
//
//   berth_side THREADS         answers requests, see side.h
//   berth_side import FILE     imports a GraphDef from x to y, runs it once and
//                              prints how many seconds that took
//   berth_side model NAME THREADS RUNS [OUT]
//                              runs a network, see model_process()
#include "berth_side.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "crowd.h"
#include "kernels.h"
#include "model.h"

int berth_side_threads = 1;

bool berth_side_ok(berth_code_t code, berth_error_t *err) {
  if (code == BERTH_OK) return true;
  fprintf(stderr, "%s: %s\n", berth_code_name(code), berth_error_message(err));
  berth_error_clear(err);
  return false;
}

berth_session_t *berth_side_session(berth_graph_t *graph) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = berth_side_threads;
  config.inter_op_threads = berth_side_threads;
  berth_code_t code = berth_session_create(graph, &config, &session, &err);
  return berth_side_ok(code, &err) ? session : NULL;
}

berth_out_t berth_side_placeholder(berth_graph_t *graph, const char *name,
                                   berth_dtype_t dtype, berth_dims_t shape) {
  berth_placeholder_attrs_t attrs = {shape};
  return berth_placeholder_with(graph, name, dtype, &attrs);
}

// ---- Import ----

// Feeds 1 to x, and prints the seconds since |start| when y is |expected|.
static bool run_imported(berth_graph_t *graph, double start) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_feed_t feed = {{berth_graph_find(graph, "x"), 0}, NULL};
  berth_out_t fetch = {berth_graph_find(graph, "y"), 0};
  berth_tensor_t *result = NULL;
  const float one = 1;
  bool is_right = false;

  berth_session_t *session = berth_side_session(graph);
  berth_code_t code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &one,
                                             &feed.tensor, &err);
  if (session == NULL || !berth_side_ok(code, &err)) goto done;
  code = berth_session_run(session, &feed, 1, &fetch, 1, &result, &err);
  if (!berth_side_ok(code, &err)) goto done;
  printf("%.9g %.9g\n", side_now() - start,
         (double)*(const float *)berth_tensor_data(result));
  is_right = true;

done:
  berth_tensor_release(result);
  berth_tensor_release(feed.tensor);
  berth_session_destroy(session);
  return is_right;
}

static int import_file(const char *path) {
  berth_error_t err = BERTH_ERROR_INIT;
  unsigned long size = 0;
  void *bytes = side_read(path, &size);
  if (bytes == NULL) return EXIT_FAILURE;

  double start = side_now();
  berth_graph_t *graph = berth_graph_create();
  berth_code_t code = berth_graph_import(graph, bytes, size, NULL, &err);
  free(bytes);
  bool is_right = berth_side_ok(code, &err) && run_imported(graph, start);
  berth_graph_release(graph);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

// ---- Requests ----

static const int chain_short = 1000, chain_long = 10000;
static const int one_thread = 1, all_threads = CROWD_MOST;
static const int64_t floats_few = 16, floats_many = 262144;

static const side_bench_t calls[] = {
    {"session_run_small_c", "us", 1, berth_open_small, berth_call_session,
     berth_close_session, NULL},
    {"assign_add_small_c", "us", 1, berth_open_update, berth_call_session,
     berth_close_session, NULL},
    {"chain_1000", "ns", 1000, berth_open_chain, berth_call_session,
     berth_close_session, &chain_short},
    {"chain_10000", "ns", 10000, berth_open_chain, berth_call_session,
     berth_close_session, &chain_long},
    {"flow_cond_c", "us", 1, berth_open_cond, berth_call_session,
     berth_close_session, NULL},
    {"flow_count_c", "ns", CALL_TURNS, berth_open_count, berth_call_session,
     berth_close_session, NULL},
    {"eager_small_c_matmul", "us", 1, berth_open_eager_matmul, berth_call_eager,
     berth_close_eager, NULL},
    {"eager_small_c_add", "us", 1, berth_open_eager_add, berth_call_eager,
     berth_close_eager, NULL},
    {"tensor_alloc_64b", "ns", 1, berth_open_alloc, berth_call_alloc,
     berth_close_nothing, &floats_few},
    {"tensor_alloc_1mib", "ns", 1, berth_open_alloc, berth_call_alloc,
     berth_close_nothing, &floats_many},
    {"graph_build", "ns", 1000, berth_open_build, berth_call_build,
     berth_close_nothing, NULL},
    {"threads_1_session", "us", CROWD_RUNS, berth_open_crowd, berth_call_crowd,
     berth_close_crowd, &one_thread},
    {"threads_8_session", "us", CROWD_RUNS, berth_open_crowd, berth_call_crowd,
     berth_close_crowd, &all_threads},
    {"threads_towers", "us", 1, berth_open_towers, berth_call_session,
     berth_close_session, NULL},
    {"threads_8_tail", "us", 1, berth_open_crowd, berth_call_crowd,
     berth_close_crowd, &all_threads, berth_crowd_tail},
};

enum { CALL_COUNT = sizeof(calls) / sizeof(calls[0]) };

static int serve(void) {
  side_bench_t benches[64];
  int kernel_count = 0, count = CALL_COUNT;
  const kernel_t *kernels = kernel_list(&kernel_count);
  memcpy(benches, calls, sizeof(calls));
  for (int i = 0; i < kernel_count; ++i) {
    benches[count++] =
        (side_bench_t){kernels[i].name,   kernels[i].unit,   kernels[i].work,
                       berth_open_kernel, berth_call_kernel, berth_close_kernel,
                       &kernels[i]};
  }
  count = model_benches(&berth_model_side, benches, count);
  return side_serve(benches, count);
}

// Does "model NAME THREADS RUNS [OUT]".
static int run_model(int argc, char **argv) {
  berth_side_threads = (int)strtol(argv[3], NULL, 10);
  return model_process(&berth_model_side, argv[2], strtol(argv[4], NULL, 10),
                       argc > 5 ? argv[5] : NULL);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "import") == 0) return import_file(argv[2]);
  if (argc >= 5 && strcmp(argv[1], "model") == 0) return run_model(argc, argv);
  if (argc == 2) berth_side_threads = (int)strtol(argv[1], NULL, 10);
  if (argc == 2 && berth_side_threads > 0) return serve();
  fprintf(stderr,
          "usage: berth_side THREADS | import FILE | "
          "model NAME THREADS RUNS [OUT]\n");
  return EXIT_FAILURE;
}
