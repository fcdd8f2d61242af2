// tower_test.c - Several GPUs at the same time.
#include "gpu_run_testing.h"

enum { TOWERS = 4 };

static const char machine[] = "Tesla K20m*4";

typedef struct towers {
  rig_t rig;
  berth_out_t x;
  berth_out_t sum;
} towers_t;

// One product for each GPU, added up on the CPU.
static void towers_open(towers_t *t) {
  simulate_many(machine, TOWERS);
  rig_init(&t->rig);
  berth_graph_t *graph = t->rig.graph;
  t->x = hole(graph, "x");
  berth_out_t parts[TOWERS];
  for (int i = 0; i < TOWERS; ++i) {
    char device[24], name[24];
    snprintf(device, sizeof(device), "/gpu:%d", i);
    snprintf(name, sizeof(name), "tower_%d", i);
    berth_device_push(graph, device);
    parts[i] = berth_matmul(graph, name, t->x, t->x);
    berth_device_pop(graph);
  }
  berth_device_push(graph, "/cpu:0");
  t->sum = berth_add_n(graph, "sum", parts, TOWERS);
  berth_device_pop(graph);
  ASSERT_OK(rig_open(&t->rig, NULL), &t->rig.err);
}

TEST(towers, add_up) {
  towers_t t;
  towers_open(&t);
  for (int64_t size = 2; size <= 128; size *= 8) {
    for (int i = 0; i < 3; ++i) {
      berth_tensor_t *fed = matrix(size, size, 1), *result = NULL;
      ASSERT_OK(berth_session_run(t.rig.session, &(berth_feed_t){t.x, fed}, 1,
                                  &t.sum, 1, &result, &t.rig.err),
                &t.rig.err);
      EXPECT_EQ(element(result, size + 1), TOWERS * product_at(fed, fed, 1, 1));
      berth_tensor_release(result);
      berth_tensor_release(fed);
    }
  }
  rig_clear(&t.rig);
}

// From card to card to card, each adding its own.
TEST(towers, pass_on) {
  simulate_many(machine, TOWERS);
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x"), value = x;
  for (int i = 0; i < 2 * TOWERS; ++i) {
    char device[24];
    snprintf(device, sizeof(device), "/gpu:%d", i % TOWERS);
    berth_device_push(rig.graph, device);
    value = berth_add_v2(rig.graph, NULL, value, x);
    berth_device_pop(rig.graph);
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int64_t count = 10; count <= 10000; count *= 10) {
    for (int i = 0; i < 3; ++i) {
      berth_tensor_t *fed = ramp(count), *result = NULL;
      ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1,
                                  &value, 1, &result, &rig.err),
                &rig.err);
      EXPECT_EQ(element(result, count - 1), 9.0 * (double)(count - 1));
      berth_tensor_release(result);
      berth_tensor_release(fed);
    }
  }
  rig_clear(&rig);
}

static void *run_some(void *arg) {
  towers_t *t = arg;
  for (int i = 0; i < 20; ++i) {
    berth_tensor_t *fed = matrix(16, 16, (float)(i % 3)), *result = NULL;
    EXPECT_EQ(berth_session_run(t->rig.session, &(berth_feed_t){t->x, fed}, 1,
                                &t->sum, 1, &result, NULL),
              BERTH_OK);
    EXPECT_EQ(element(result, 17), TOWERS * product_at(fed, fed, 1, 1));
    berth_tensor_release(result);
    berth_tensor_release(fed);
  }
  return NULL;
}

TEST(towers, are_shared_by_threads) {
  towers_t t;
  towers_open(&t);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(pthread_create(&threads[i], NULL, run_some, &t) == 0);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  rig_clear(&t.rig);
}
