// device_test.c - Logical devices, on the software GPU.
#define TESTING_OWN_IMAGE
#include <pthread.h>

#include "base/fault.h"
#include "cuda/card/card.h"
#include "cuda/card/driver.h"
#include "cuda/cuda_testing.h"

TEST(cuda_device, adds_on_the_card) {
  enum { COUNT = 1000 };
  berth_error_t err = BERTH_ERROR_INIT;
  float host[3 * COUNT];
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  EXPECT_STR(berth_device_full_name(device), TESTING_PREFIX "/device:GPU:0");
  EXPECT_STR(device->description, "a test");
  EXPECT_EQ(device->memory_limit, 64 * MIB);
  EXPECT_TRUE(berth_device_has_streams(device));
  EXPECT_EQ(berth_cuda_device_card(device), 0);
  EXPECT_EQ(berth_cuda_multiprocessors(device), 15);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(host));
  ASSERT_TRUE(buffer != NULL);
  for (int i = 0; i < COUNT; ++i) {
    host[i] = (float)i;
    host[COUNT + i] = (float)(2 * i);
  }
  float *card = buffer->data;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  const berth_stream_ops_t *ops = device->backend->streams;
  ASSERT_OK(ops->copy(lane, device, card, NULL, host, sizeof(host), &err),
            &err);
  ASSERT_OK(testing_launch_add(lane, card + 2 * COUNT, card, card + COUNT,
                               COUNT, &err),
            &err);
  ASSERT_OK(ops->copy(lane, NULL, host, device, card, sizeof(host), &err),
            &err);
  ASSERT_OK(ops->sync(lane, &err), &err);
  for (int i = 0; i < COUNT; ++i) EXPECT_NEAR(host[2 * COUNT + i], 3 * i, 0);
  berth_memory_stats_t stats;
  berth_device_query_memory(device, &stats);
  EXPECT_EQ(stats.live_allocs, 1);
  EXPECT_EQ(stats.pool_bytes, 2 * MIB);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

// How much of card |index| is taken.
static uint64_t used_bytes(int index) {
  uint64_t free_bytes = 0, total_bytes = 0;
  EXPECT_EQ(berth_cuda_card_memory(index, &free_bytes, &total_bytes, NULL),
            BERTH_OK);
  return total_bytes - free_bytes;
}

TEST(cuda_device, holds_nothing_until_it_is_started) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_stats_t stats;
  berth_device_t *device = NULL;
  testing_simulate("Tesla K20m*2");
  berth_device_wish_t wish = testing_wish(1, 64 * MIB);
  ASSERT_OK(berth_cuda_device_open(&wish, TESTING_PREFIX, &device, &err), &err);
  EXPECT_FALSE(berth_cuda_driver_is_open());
  EXPECT_EQ(used_bytes(1), 0);
  berth_device_query_memory(device, &stats);
  EXPECT_EQ(stats.bytes_limit, 64 * MIB);
  EXPECT_EQ(berth_device_trim(device, 0), 0);
  ASSERT_OK(berth_device_start(device, &err), &err);
  EXPECT_EQ(used_bytes(0), 0);
  EXPECT_TRUE(used_bytes(1) > 0);
  uint64_t before = used_bytes(1);
  berth_buffer_t *buffer = testing_alloc(device, 5 * MIB);
  EXPECT_EQ(used_bytes(1), before + 6 * MIB);
  berth_buffer_release(buffer);
  EXPECT_EQ(berth_device_trim(device, 0), 6 * MIB);
  EXPECT_EQ(used_bytes(1), before);
  berth_device_release(device);
  simulate_forget();
}

static pthread_barrier_t all_here;

static void *start_together(void *device) {
  pthread_barrier_wait(&all_here);
  EXPECT_EQ(berth_device_start(device, NULL), BERTH_OK);
  EXPECT_TRUE(testing_lane(device, BERTH_LANE_COMPUTE)->device == device);
  return NULL;
}

// Several threads that want a device at the same time start it once: whoever
// was faster may be at work on its streams.
TEST(cuda_device, is_started_once) {
  enum { THREADS = 4, ROUNDS = 10 };
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  EXPECT_EQ(pthread_barrier_init(&all_here, NULL, THREADS), 0);
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_t threads[THREADS];
    EXPECT_EQ(berth_cuda_card_reset(0, true, NULL), BERTH_OK);
    berth_fault_arm("cuStreamCreateWithPriority", 0);
    for (int i = 0; i < THREADS; ++i) {
      EXPECT_EQ(pthread_create(&threads[i], NULL, start_together, device), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    EXPECT_EQ(berth_fault_disarm(), BERTH_LANES);
  }
  pthread_barrier_destroy(&all_here);
  berth_device_release(device);
}

TEST(cuda_device, shares_a_card_with_another) {
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 16 * MIB);
  berth_device_t *first = testing_open(&wish);
  wish.id = 1;
  wish.priority = -1;
  berth_device_t *second = testing_open(&wish);
  ASSERT_TRUE(first != NULL && second != NULL);
  EXPECT_STR(berth_device_full_name(second), TESTING_PREFIX "/device:GPU:1");
  EXPECT_TRUE(first->order != second->order);
  EXPECT_TRUE(testing_lane(first, BERTH_LANE_COMPUTE) !=
              testing_lane(second, BERTH_LANE_COMPUTE));
  berth_buffer_t *all = testing_alloc(first, 16 * MIB);
  berth_buffer_t *also = testing_alloc(second, 16 * MIB);
  EXPECT_TRUE(all != NULL && also != NULL);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *more = NULL;
  EXPECT_EQ(second->allocator->alloc(second->allocator, 1, &more, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(
      strncmp(berth_error_message(&err), "GPU:1 is out of memory", 22) == 0);
  berth_error_clear(&err);
  berth_buffer_release(all);
  berth_buffer_release(also);
  berth_device_release(first);
  berth_device_release(second);
}

static void use_source(berth_card_source_t source) {
  berth_error_t err = BERTH_ERROR_INIT;
  char in[100], out[100];
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 0);
  wish.source = source;
  wish.policy = berth_policy_bfc(32 * MIB, true, 0);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(in));
  ASSERT_TRUE(buffer != NULL);
  memset(in, 'x', sizeof(in));
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_IN);
  ASSERT_OK(ops->copy(lane, device, buffer->data, NULL, in, sizeof(in), &err),
            &err);
  ASSERT_OK(ops->copy(lane, NULL, out, device, buffer->data, sizeof(in), &err),
            &err);
  ASSERT_OK(ops->sync(lane, &err), &err);
  EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
  berth_memory_stats_t stats;
  berth_device_query_memory(device, &stats);
  EXPECT_EQ(stats.pool_bytes, 2 * MIB);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

TEST(cuda_device, uses_plain_memory) { use_source(BERTH_CARD_PLAIN); }

TEST(cuda_device, uses_managed_memory) { use_source(BERTH_CARD_UNIFIED); }

TEST(cuda_device, goes_before_its_buffers) {
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 16 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  uint64_t before = used_bytes(0);
  berth_buffer_t *buffer = testing_alloc(device, 4 * MIB);
  berth_device_release(device);
  EXPECT_EQ(used_bytes(0), before + 4 * MIB);
  berth_device_t *next = testing_open(&wish);
  ASSERT_TRUE(next != NULL);
  berth_buffer_t *other = testing_alloc(next, 4 * MIB);
  berth_buffer_release(buffer);
  EXPECT_EQ(used_bytes(0), before + 4 * MIB);
  berth_buffer_release(other);
  berth_device_release(next);
  EXPECT_EQ(used_bytes(0), before);
}

TEST(cuda_device, changes_its_policy_while_it_runs) {
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 16 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = testing_alloc(device, 8 * MIB);
  berth_policy_t less = berth_policy_mapped(4 * MIB);
  EXPECT_EQ(berth_cuda_device_set_policy(device, &less), 4 * MIB);
  berth_policy_t more = berth_policy_mapped(64 * MIB);
  EXPECT_EQ(berth_cuda_device_set_policy(device, &more), 0);
  berth_buffer_t *other = testing_alloc(device, 40 * MIB);
  EXPECT_TRUE(other != NULL);
  berth_buffer_release(other);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

TEST(cuda_device, opens_on_a_card_of_its_backend) {
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_card_ops_t *cards = berth_cuda_backend.cards;
  int count = 0;
  berth_device_t *device = NULL;
  testing_simulate("Tesla K40c@0000:05:00.0");
  ASSERT_OK(cards->count(&count, &err), &err);
  EXPECT_EQ(count, 1);
  EXPECT_STR(cards->info(0)->pci_bus_id, "0000:05:00.0");
  EXPECT_TRUE(cards->info(1) == NULL);
  berth_device_wish_t wish = testing_wish(0, 16 * MIB);
  wish.description = "a card";
  ASSERT_OK(cards->open(&wish, TESTING_PREFIX, &device, &err), &err);
  EXPECT_STR(device->description, "a card");
  EXPECT_EQ(device->memory_limit, 16 * MIB);
  EXPECT_EQ(cards->card_of(device), 0);
  berth_device_release(device);
  wish.card = 1;
  EXPECT_FAILS(cards->open(&wish, TESTING_PREFIX, &device, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "there is no GPU 1: 1 are visible");
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  wish.card = 0;
  EXPECT_FAILS(cards->open(&wish, TESTING_PREFIX, &device, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "there is no GPU 0: 0 are visible: CUDA_VISIBLE_DEVICES=\"-1\" "
               "hides all cards");
  simulate_forget();
}

TEST(cuda_device, says_which_kernel_is_missing) {
  berth_error_t err = BERTH_ERROR_INIT;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 16 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_call_t call = {.err = &err,
                       .stream = testing_lane(device, BERTH_LANE_COMPUTE)};
  int kernel = berth_cuda_kernel("example", "no_such_kernel");
  EXPECT_EQ(berth_cuda_kernel("example", "no_such_kernel"), kernel);
  EXPECT_TRUE(berth_cuda_kernel("other", "no_such_kernel") != kernel);
  char nothing = 0;
  EXPECT_FAILS(
      berth_cuda_launch(&call, kernel, 1, &nothing, 1), BERTH_NOT_FOUND, &err,
      "GPU 0 (Tesla K40c): cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): "
      "named symbol not found (kernel no_such_kernel of example)");
  EXPECT_EQ(berth_cuda_launch(&call, kernel, 0, &nothing, 1), BERTH_OK);
  berth_device_release(device);
}
