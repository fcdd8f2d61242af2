// point_test.c - Mappings, threads and libraries that fail.
#include "torture_testing.h"

// Multiplies two matrices of |size|, on several threads.
static berth_code_t multiply(int size, berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *fed = NULL, *result = NULL;
  berth_code_t code = BERTH_OK;
  berth_out_t x = hole(graph, "x");
  berth_out_t y = berth_matmul(graph, "y", x, x);
  berth_out_t z = berth_matmul(graph, "z", y, x);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = 4;
  BUILT(graph);
  STEP(berth_session_create(graph, &config, &session, err));
  STEP(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(size, size), &fed, err));
  float *values = berth_tensor_data(fed);
  for (int i = 0; i < size * size; ++i) values[i] = i % size == 0 ? 1 : 0;
  STEP(berth_session_run(session, &(berth_feed_t){x, fed}, 1, &z, 1, &result,
                         err));
  EXPECT_EQ(element(result, 0), 1);
  EXPECT_EQ(element(result, 1), 0);
  EXPECT_EQ(element(result, size * (size - 1)), 1);
done:
  berth_tensor_release(fed);
  berth_tensor_release(result);
  berth_session_destroy(session);
  berth_graph_release(graph);
  return code;
}

// Too small for a library: the leak checker cannot look into those.
static berth_code_t multiply_small(berth_error_t *err) {
  return multiply(300, err);
}

TEST(points, mappings) {
  int64_t nth = 1;
  while (torture_once("mmap", nth, multiply_small)) ++nth;
  EXPECT_TRUE(nth > 1);
}

// Fails pass |nth| of |point| in a process of its own, where everything is
// opened anew. True when it was met; the work must be done all the same.
static bool survives_in_child(const char *point, int64_t nth) {
  pid_t child = fork();
  if (child == 0) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_fault_arm(point, nth);
    berth_code_t code = multiply(512, &err);
    bool is_met = berth_fault_disarm() >= nth;
    if (code != BERTH_OK) {
      HARNESS_FAIL("%s %d: %s", point, (int)nth, berth_error_message(&err));
    }
    _exit(harness_failures > 0 ? 2 : is_met);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

// Without a thread, a library or one of its symbols the work is done another
// way.
static void survives_all(const char *point, bool is_needed) {
  int64_t nth = 1;
  while (harness_failures == 0 && survives_in_child(point, nth)) ++nth;
  if (is_needed) EXPECT_TRUE(nth > 1);
}

TEST(points, threads) { survives_all("thread", true); }

TEST(points, libraries) { survives_all("dynlib", true); }

// None is looked up on a machine without the library.
TEST(points, symbols) { survives_all("symbol", false); }
