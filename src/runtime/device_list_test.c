// device_list_test.c - Listing the devices of the process, and their memory.
#include "berth/device.h"
#include "harness.h"
#include "runtime/process.h"

#define CPU(n) BERTH_LOCAL_PREFIX "/device:CPU:" n

TEST(device_list, a_process_has_one_cpu) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_info_t info, again;
  int count = 0;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_EQ(count, 1);
  ASSERT_OK(berth_device_query(0, &info, &err), &err);
  EXPECT_STR(info.name, CPU("0"));
  EXPECT_STR(info.type, "CPU");
  EXPECT_STR(info.description, "");
  EXPECT_EQ(info.memory_limit, 268435456);
  ASSERT_OK(berth_device_query(0, &again, &err), &err);
  EXPECT_TRUE(info.incarnation != 0 && info.incarnation == again.incarnation);
  EXPECT_FAILS(berth_device_query(-1, &info, &err), BERTH_OUT_OF_RANGE, &err,
               "device -1 of 1 was asked for");
  EXPECT_FAILS(berth_device_query(1, &info, &err), BERTH_OUT_OF_RANGE, &err,
               "device 1 of 1 was asked for");
}

TEST(device_list, sessions_share_devices) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_registry_t one = {0}, three = {0};
  ASSERT_OK(berth_process_share(&three, 3, &err), &err);
  ASSERT_OK(berth_process_share(&one, 1, &err), &err);
  EXPECT_EQ(one.count, 1);
  EXPECT_TRUE(one.devices[0] == three.devices[0]);
  EXPECT_STR(berth_device_full_name(three.devices[2]), CPU("2"));
  berth_registry_deinit(&one);
  berth_registry_deinit(&three);
  int count = 0;
  berth_device_info_t info;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_EQ(count, 3);
  ASSERT_OK(berth_device_query(2, &info, &err), &err);
  EXPECT_STR(info.name, CPU("2"));
}

TEST(device_list, memory_by_any_name) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_registry_t registry = {0};
  ASSERT_OK(berth_process_share(&registry, 1, &err), &err);
  berth_allocator_t *allocator = registry.devices[0]->allocator;
  berth_buffer_t *buffer = NULL;
  ASSERT_OK(allocator->alloc(allocator, 1 << 20, &buffer, &err), &err);
  static const char *const names[] = {"CPU:0", "/device:CPU:0", CPU("0"),
                                      BERTH_LOCAL_PREFIX "/cpu:0"};
  berth_memory_stats_t stats;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_device_memory_stats(names[i], &stats, &err), &err);
    EXPECT_EQ(stats.bytes_in_use, 1 << 20);
  }
  berth_buffer_release(buffer);
  uint64_t bytes = 0;
  ASSERT_OK(berth_device_reset_memory_stats("CPU:0", &err), &err);
  ASSERT_OK(berth_device_trim_memory("CPU:0", 0, &bytes, &err), &err);
  EXPECT_EQ(bytes, 1 << 20);
  ASSERT_OK(berth_device_trim_memory("CPU:0", 0, NULL, &err), &err);
  ASSERT_OK(berth_device_memory_stats("CPU:0", &stats, &err), &err);
  EXPECT_EQ(stats.peak_bytes_in_use, 0);
  EXPECT_EQ(stats.pool_bytes, 0);
  berth_registry_deinit(&registry);
}

TEST(device_list, unknown_names) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_stats_t stats;
  EXPECT_FAILS(berth_device_memory_stats("cpu:0", &stats, &err),
               BERTH_INVALID_ARGUMENT, &err, "cpu:0 unknown device.");
  EXPECT_FAILS(berth_device_trim_memory("GPU:0", 0, NULL, &err),
               BERTH_INVALID_ARGUMENT, &err, "GPU:0 unknown device.");
  EXPECT_FAILS(berth_device_reset_memory_stats("", &err),
               BERTH_INVALID_ARGUMENT, &err, " unknown device.");
}
