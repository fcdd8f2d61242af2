// fetch_test.c - Fetching several values of a run on a GPU.
#include "gpu_testing.h"

enum { CHAIN = 6 };

// Fetches every link of x -> -x -> x -> ..., most of which the next one reads
// too, and expects each to be its own.
static void fetch_chain(int64_t count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *fed = NULL, *results[CHAIN] = {NULL};
  float *values = calloc((size_t)count, sizeof(*values));
  ASSERT_TRUE(values != NULL);
  for (int64_t i = 0; i < count; ++i) values[i] = (float)(i + 1);
  berth_out_t x = berth_placeholder(graph, "x", BERTH_FLOAT);
  berth_out_t two = berth_const_f32(graph, "two", (float[]){2}, BERTH_SCALAR);
  berth_out_t links[CHAIN];
  for (int i = 0; i < CHAIN; ++i) {
    links[i] = berth_mul(graph, NULL, i > 0 ? links[i - 1] : x, two);
  }
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(count), values,
                                   &fed, &err),
            &err);
  ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
  // What is recorded must be right as well.
  for (int round = 0; round < 3; ++round) {
    berth_feed_t feed = {x, fed};
    ASSERT_OK(berth_session_run(session, &feed, 1, links, CHAIN, results, &err),
              &err);
    for (int k = 0; k < CHAIN; ++k) {
      const float *got = berth_tensor_data(results[k]);
      float factor = (float)(2 << k);
      EXPECT_EQ(got[0], factor);
      EXPECT_EQ(got[count - 1], factor * (float)count);
      berth_tensor_release(results[k]);
    }
  }
  berth_tensor_release(fed);
  berth_session_destroy(session);
  berth_graph_release(graph);
  free(values);
}

TEST(fetch, small_values_of_a_chain) {
  simulate(K40C);
  fetch_chain(3);
}

TEST(fetch, larger_values_of_a_chain) {
  simulate(K40C);
  fetch_chain(5000);
  fetch_chain(200000);
}
