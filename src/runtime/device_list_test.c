// device_list_test.c - Listing the devices of the process.
#include "runtime/device_list.h"

#include "base/fault.h"
#include "base/thread.h"
#include "berth/device.h"
#include "harness.h"

#define CPU(n) BERTH_LOCAL_PREFIX "/device:CPU:" n

TEST(device_list, a_process_has_one_cpu) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_info_t info, again;
  int count = 0;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  ASSERT_TRUE(count >= 1);
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
  berth_registry_t two = {0}, one = {0}, three = {0};
  ASSERT_OK(berth_device_list_select(2, -1, &two, &err), &err);
  ASSERT_OK(berth_device_list_select(-1, 0, &one, &err), &err);
  ASSERT_OK(berth_device_list_select(3, -1, &three, &err), &err);
  EXPECT_EQ(berth_registry_count_type(&one, "CPU"), 1);
  EXPECT_EQ(berth_registry_count_type(&two, "CPU"), 2);
  EXPECT_EQ(berth_registry_count_type(&three, "CPU"), 3);
  EXPECT_TRUE(one.devices[0] == two.devices[0]);
  EXPECT_TRUE(three.devices[1] == two.devices[1]);
  EXPECT_STR(berth_device_full_name(three.devices[2]), CPU("2"));
  berth_registry_deinit(&one);
  berth_registry_deinit(&two);
  berth_registry_deinit(&three);
  int count = 0;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_EQ(count, 3);
}

TEST(device_list, no_cpu_is_an_error) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_registry_t none = {0};
  EXPECT_FAILS(berth_device_list_select(0, -1, &none, &err), BERTH_NOT_FOUND,
               &err, "No CPU devices are available in this process");
  berth_registry_deinit(&none);
}

TEST(device_list, memory_by_any_name) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_registry_t registry = {0};
  ASSERT_OK(berth_device_list_select(-1, -1, &registry, &err), &err);
  berth_allocator_t *allocator = registry.devices[0]->allocator;
  berth_buffer_t *buffer = NULL;
  ASSERT_OK(allocator->alloc(allocator, 1 << 20, &buffer, &err), &err);
  static const char *const names[] = {"CPU:0", "/device:CPU:0", CPU("0"),
                                      BERTH_LOCAL_PREFIX "/cpu:0"};
  for (int i = 0; i < 4; ++i) {
    berth_memory_stats_t stats;
    ASSERT_OK(berth_device_memory_stats(names[i], &stats, &err), &err);
    EXPECT_EQ(stats.bytes_in_use, 1 << 20);
  }
  berth_buffer_release(buffer);
  uint64_t bytes = 0;
  berth_memory_stats_t stats;
  ASSERT_OK(berth_device_reset_memory_stats("CPU:0", &err), &err);
  ASSERT_OK(berth_device_trim_memory("CPU:0", 0, &bytes, &err), &err);
  EXPECT_EQ(bytes, 1 << 20);
  ASSERT_OK(berth_device_trim_memory("CPU:0", 0, NULL, &err), &err);
  ASSERT_OK(berth_device_memory_stats("CPU:0", &stats, &err), &err);
  EXPECT_EQ(stats.peak_bytes_in_use, 0);
  EXPECT_EQ(stats.pool_bytes, 0);
  EXPECT_FAILS(berth_device_memory_stats("cpu:0", &stats, &err),
               BERTH_INVALID_ARGUMENT, &err, "cpu:0 unknown device.");
  EXPECT_FAILS(berth_device_trim_memory("GPU:0", 0, NULL, &err),
               BERTH_INVALID_ARGUMENT, &err, "GPU:0 unknown device.");
  EXPECT_FAILS(berth_device_reset_memory_stats("", &err),
               BERTH_INVALID_ARGUMENT, &err, " unknown device.");
  berth_registry_deinit(&registry);
}

TEST(device_list, lack_of_memory_can_be_got_over) {
  int64_t passes = 0;
  for (int64_t nth = 1; passes >= nth - 1 && nth < 200; ++nth) {
    berth_registry_t registry = {0};
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_device_list_select(2, -1, &registry, NULL);
    passes = berth_fault_disarm();
    EXPECT_EQ(code, passes >= nth ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
    berth_registry_deinit(&registry);
  }
  EXPECT_TRUE(passes > 1);
}

static void list_often(void *arg) {
  atomic_bool *stop = arg;
  while (!atomic_load(stop)) {
    int count = 0;
    if (berth_device_count(&count, NULL) != BERTH_OK) return;
  }
}

TEST(device_list, works_in_the_child_of_a_fork) {
  if (BERTH_TSAN) SKIP("the thread sanitizer forbids threads after fork");
  berth_error_t err = BERTH_ERROR_INIT;
  atomic_bool stop = false;
  berth_thread_t thread;
  int count = 0;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  ASSERT_OK(berth_thread_start(&thread, list_often, &stop, &err), &err);
  for (int i = 0; i < 50; ++i) {
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
      alarm(20);  // A deadlock ends as a signal.
      berth_registry_t registry = {0};
      _exit(berth_device_list_select(4, -1, &registry, &err) == BERTH_OK ? 0
                                                                         : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  atomic_store(&stop, true);
  berth_thread_join(&thread);
}
