// device_test.c - What every device promises: its names and its memory.
#include <pthread.h>

#include "conformance_testing.h"

enum { BUFFERS = 50, THREADS = 4, ROUNDS = 200 };

TEST(device, has_a_name_in_every_form) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  char full[96], local[32];
  snprintf(full, sizeof(full), BERTH_LOCAL_PREFIX "/device:%s",
           device_wanted());
  snprintf(local, sizeof(local), "/device:%s", device_wanted());
  EXPECT_STR(berth_device_full_name(device), full);
  EXPECT_STR(device->names[BERTH_NAME_LOCAL], local);
  EXPECT_STR(device->names[BERTH_NAME_LOCAL_LEGACY], device_wanted());
  EXPECT_STR(berth_device_type(device), wants_gpu() ? "GPU" : "CPU");
  EXPECT_TRUE(device->incarnation != 0);
  EXPECT_TRUE(device->memory_limit > 0);
  EXPECT_EQ(device->description[0] != '\0', wants_gpu());
}

TEST(device, can_be_started_again) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_device_start(device, &err), &err);
  }
}

TEST(device, has_streams_or_works_on_host_memory) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  bool has_streams = berth_device_has_streams(device);
  EXPECT_EQ(has_streams, wants_gpu());
  EXPECT_EQ(device->backend->streams != NULL, has_streams);
  EXPECT_EQ(device->pinned != NULL, has_streams);
  for (int lane = 0; has_streams && lane < BERTH_LANES; ++lane) {
    berth_stream_t *stream = device->backend->lane(device, (berth_lane_t)lane);
    ASSERT_TRUE(stream != NULL);
    EXPECT_TRUE(stream->device == device);
    EXPECT_TRUE(device->backend->streams->native(stream) != NULL);
  }
}

// ---- Memory ----

static bool overlap(const berth_buffer_t *a, const berth_buffer_t *b,
                    size_t size) {
  const char *x = a->data, *y = b->data;
  return x < y + size && y < x + size;
}

TEST(device, gives_memory_that_is_aligned_and_apart) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffers[BUFFERS] = {NULL};
  for (int i = 0; i < BUFFERS; ++i) {
    buffers[i] = take(device->allocator, 1000);
    ASSERT_TRUE(buffers[i] != NULL);
    EXPECT_EQ((uintptr_t)buffers[i]->data % 64, 0);
    for (int j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(buffers[i], buffers[j], 1000));
    }
  }
  for (int i = 0; i < BUFFERS; ++i) berth_buffer_release(buffers[i]);
}

TEST(device, gives_memory_of_any_size) {
  static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, 3 * MIB + 1};
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    berth_buffer_t *buffer = take(device->allocator, sizes[i]);
    ASSERT_TRUE(buffer != NULL);
    EXPECT_EQ((uintptr_t)buffer->data % 64, 0);
    berth_buffer_release(buffer);
  }
}

TEST(device, counts_what_is_in_use) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  berth_memory_stats_t before = stats_of(device);
  berth_buffer_t *a = take(device->allocator, 100000);
  berth_buffer_t *b = take(device->allocator, 2 * MIB);
  berth_memory_stats_t during = stats_of(device);
  EXPECT_EQ(during.live_allocs, before.live_allocs + 2);
  EXPECT_EQ(during.num_allocs, before.num_allocs + 2);
  int64_t taken = during.bytes_in_use - before.bytes_in_use;
  EXPECT_TRUE(taken >= 100000 + 2 * (int64_t)MIB);
  EXPECT_TRUE(taken <= 110000 + 4 * (int64_t)MIB);
  EXPECT_TRUE(during.pool_bytes >= during.bytes_in_use);
  EXPECT_TRUE(during.peak_bytes_in_use >= during.bytes_in_use);
  EXPECT_TRUE(during.largest_alloc_size >= 2 * (int64_t)MIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_memory_stats_t after = stats_of(device);
  EXPECT_EQ(after.live_allocs, before.live_allocs);
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(after.peak_bytes_in_use, during.peak_bytes_in_use);
  berth_device_reset_memory(device);
  EXPECT_EQ(stats_of(device).num_allocs, 0);
  EXPECT_EQ(stats_of(device).peak_bytes_in_use, after.bytes_in_use);
}

TEST(device, gives_idle_memory_back) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = take(device->allocator, 32 * MIB);
  ASSERT_TRUE(buffer != NULL);
  int64_t held = stats_of(device).pool_bytes;
  berth_buffer_release(buffer);
  uint64_t given = berth_device_trim(device, 0);
  EXPECT_TRUE(given >= 32 * MIB);
  EXPECT_EQ(stats_of(device).pool_bytes, held - (int64_t)given);
  buffer = take(device->allocator, 32 * MIB);
  EXPECT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
}

// More than any machine has, and on a GPU one more than its limit.
TEST(device, survives_being_asked_for_too_much) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  berth_error_t err = BERTH_ERROR_INIT;
  size_t sizes[] = {(size_t)1 << 60, LIMIT_MIB * MIB + 1};
  for (int i = 0; i < (wants_gpu() ? 2 : 1); ++i) {
    berth_buffer_t *buffer = NULL;
    EXPECT_EQ(
        device->allocator->alloc(device->allocator, sizes[i], &buffer, &err),
        BERTH_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(buffer == NULL);
    EXPECT_TRUE(berth_error_message(&err)[0] != '\0');
    berth_error_clear(&err);
  }
  berth_buffer_t *buffer = take(device->allocator, MIB);
  EXPECT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
}

static void *take_and_release(void *arg) {
  berth_device_t *device = arg;
  berth_buffer_t *buffers[8] = {NULL};
  for (int i = 0; i < ROUNDS; ++i) {
    berth_buffer_t **buffer = &buffers[i % 8];
    berth_buffer_release(*buffer);
    *buffer = take(device->allocator, (size_t)(i * 977 % 100000) + 1);
  }
  for (int i = 0; i < 8; ++i) berth_buffer_release(buffers[i]);
  return NULL;
}

TEST(device, serves_several_threads) {
  berth_device_t *device = device_open();
  ASSERT_TRUE(device != NULL);
  berth_memory_stats_t before = stats_of(device);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_TRUE(pthread_create(&threads[i], NULL, take_and_release, device) ==
                0);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  berth_memory_stats_t after = stats_of(device);
  EXPECT_EQ(after.live_allocs, before.live_allocs);
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(after.num_allocs, before.num_allocs + THREADS * ROUNDS);
}
