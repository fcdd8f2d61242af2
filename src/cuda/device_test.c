// device_test.c - Logical devices, on the software GPU.
#include "base/alloc.h"
#include "cuda/cuda_testing.h"
#include "cuda/image.h"

#define MIB ((uint64_t)1 << 20)

// Stands in for the kernels of the build: the software GPU finds its examples
// by name in any module.
berth_code_t berth_cuda_image(const char *module, int cc_major, int cc_minor,
                              void **out_image, berth_error_t *err) {
  (void)module, (void)cc_major, (void)cc_minor;
  *out_image = berth_strdup(".version 6.0\n.target sm_50\n.entry nothing()");
  return *out_image != NULL ? BERTH_OK : berth_error_no_memory(err, "code");
}

TEST(cuda_device, adds_on_the_card) {
  enum { COUNT = 1000 };
  berth_error_t err = BERTH_ERROR_INIT;
  float host[3 * COUNT];
  testing_simulate("Tesla K40c");
  berth_cuda_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  EXPECT_STR(berth_device_full_name(device), TESTING_PREFIX "/device:GPU:0");
  EXPECT_EQ(device->memory_limit, 64 * MIB);
  EXPECT_TRUE(berth_device_has_streams(device));
  berth_buffer_t *buffer = NULL;
  ASSERT_OK(
      device->allocator->alloc(device->allocator, sizeof(host), &buffer, &err),
      &err);
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
