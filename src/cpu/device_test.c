// device_test.c - The CPU as a device: names, memory, failures, fork.
#include "cpu/device.h"

#include "base/fault.h"
#include "device/registry.h"
#include "harness.h"

#define PREFIX "/job:localhost/replica:0/task:0"
#define MIB ((uint64_t)1 << 20)

static berth_device_t *opened(int32_t id) {
  berth_device_t *device = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_cpu_backend.open(PREFIX, id, &device, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return device;
}

static berth_buffer_t *taken(berth_device_t *device, size_t size) {
  berth_buffer_t *buffer = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_allocator_t *allocator = device->allocator;
  if (allocator->alloc(allocator, size, &buffer, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return buffer;
}

TEST(cpu_device, is_what_tensorflow_lists) {
  berth_device_t *cpu = opened(0);
  EXPECT_STR(berth_device_full_name(cpu), PREFIX "/device:CPU:0");
  EXPECT_STR(berth_device_type(cpu), "CPU");
  EXPECT_STR(cpu->description, "");
  EXPECT_EQ(cpu->memory_limit, 268435456);
  EXPECT_TRUE(cpu->incarnation != 0);
  berth_device_release(cpu);
}

TEST(cpu_device, several_cpus_have_memory_of_their_own) {
  berth_device_t *a = opened(0), *b = opened(1);
  EXPECT_STR(berth_device_full_name(b), PREFIX "/device:CPU:1");
  EXPECT_TRUE(a->incarnation != b->incarnation);
  EXPECT_TRUE(a->order < b->order);
  berth_buffer_t *buffer = taken(b, 10000);
  EXPECT_EQ((uintptr_t)buffer->data % 64, 0);
  berth_memory_stats_t stats;
  berth_device_query_memory(a, &stats);
  EXPECT_EQ(stats.bytes_in_use, 0);
  berth_device_query_memory(b, &stats);
  EXPECT_EQ(stats.bytes_in_use, 10240);
  berth_buffer_release(buffer);
  berth_device_query_memory(b, &stats);
  EXPECT_EQ(stats.peak_bytes_in_use, 10240);
  berth_device_reset_memory(b);
  berth_device_query_memory(b, &stats);
  EXPECT_EQ(stats.peak_bytes_in_use, 0);
  berth_device_release(a);
  berth_device_release(b);
}

TEST(cpu_device, keeps_idle_memory_and_gives_it_back_when_told) {
  berth_device_t *cpu = opened(0);
  berth_buffer_t *buffer = taken(cpu, 64 * MIB);
  memset(buffer->data, 1, buffer->size);
  void *data = buffer->data;
  berth_buffer_release(buffer);
  buffer = taken(cpu, 64 * MIB);
  EXPECT_TRUE(buffer->data == data);
  berth_buffer_release(buffer);
  berth_memory_stats_t stats;
  berth_device_query_memory(cpu, &stats);
  EXPECT_EQ(stats.idle_bytes, 64 * MIB);
  EXPECT_EQ(berth_device_trim(cpu, 0), 64 * MIB);
  EXPECT_EQ(berth_device_trim(cpu, 0), 0);
  berth_device_release(cpu);
}

TEST(cpu_device, a_buffer_outlives_the_device) {
  berth_device_t *cpu = opened(0);
  berth_buffer_t *buffer = taken(cpu, MIB);
  berth_device_release(cpu);
  memset(buffer->data, 1, buffer->size);
  berth_buffer_release(buffer);
}

TEST(cpu_device, a_failed_open_leaves_nothing) {
  int64_t passes = 0;
  berth_device_t *device = NULL;
  berth_code_t code = BERTH_UNKNOWN;
  // Labels that the first one makes stay, and do without memory if they must.
  berth_device_release(opened(0));
  for (int64_t nth = 1; passes >= nth - 1 && nth < 100; ++nth) {
    berth_fault_arm("alloc", nth);
    code = berth_cpu_backend.open(PREFIX, 0, &device, NULL);
    passes = berth_fault_disarm();
    EXPECT_EQ(code, passes >= nth ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
  }
  EXPECT_TRUE(passes >= 7);
  ASSERT_TRUE(code == BERTH_OK);
  berth_device_release(device);
}

TEST(cpu_device, refuses_a_prefix_that_names_no_task) {
  berth_device_t *device = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(berth_cpu_backend.open("/job:a", 0, &device, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "'/job:a' and 0 make no name of a CPU device");
  EXPECT_FAILS(berth_cpu_backend.open(PREFIX, -1, &device, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "'" PREFIX "' and -1 make no name of a CPU device");
}

TEST(cpu_device, works_in_the_child_of_a_fork) {
  berth_device_t *cpu = opened(0);
  berth_buffer_t *kept = taken(cpu, MIB);
  memset(kept->data, 5, kept->size);
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    bool ok = ((char *)kept->data)[MIB - 1] == 5;
    berth_buffer_t *more = taken(cpu, 8 * MIB);
    memset(more->data, 6, more->size);
    berth_buffer_release(more);
    berth_buffer_release(kept);
    berth_device_release(cpu);
    _exit(ok && harness_failures == 0 ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  berth_buffer_release(kept);
  berth_device_release(cpu);
}
