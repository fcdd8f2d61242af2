// registry_test.c - The list of devices, and the public functions on names.
#include "device/registry.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "berth/device.h"
#include "harness.h"

#define PREFIX "/job:localhost/replica:0/task:0"

// ---- Backends that only count ----

static int opened = 0, closed = 0, fail_at = -1;

static berth_code_t fake_open_as(const berth_backend_t *backend,
                                 const char *prefix, int32_t id,
                                 berth_device_t **out_device,
                                 berth_error_t *err) {
  if (id == fail_at) {
    return berth_error_set(err, BERTH_INTERNAL, "%s:%d is broken",
                           backend->type, id);
  }
  berth_device_t *device = berth_calloc(1, sizeof(*device));
  if (device == NULL) return berth_error_no_memory(err, "a fake");
  berth_code_t code =
      berth_device_init(device, backend, prefix, id, "a fake", err);
  if (code != BERTH_OK) {
    berth_free(device);
    return code;
  }
  ++opened;
  *out_device = device;
  return BERTH_OK;
}

static berth_code_t gpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err);
static berth_code_t cpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err);

static void fake_close(berth_device_t *device) {
  ++closed;
  berth_device_deinit(device);
  berth_free(device);
}

static uint64_t fake_trim(berth_device_t *device, uint64_t keep) {
  (void)device;
  return keep + 1;
}

static const berth_backend_t fake_gpu = {
    .struct_size = sizeof(berth_backend_t),
    .type = "GPU",
    .open = gpu_open,
    .close = fake_close,
    .trim_memory = fake_trim,
};

// As compiled before the table had members about memory.
static const berth_backend_t fake_cpu = {
    .struct_size = offsetof(berth_backend_t, memory_stats),
    .type = "CPU",
    .open = cpu_open,
    .close = fake_close,
    .trim_memory = fake_trim,
};

static berth_code_t gpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err) {
  return fake_open_as(&fake_gpu, prefix, id, out_device, err);
}
static berth_code_t cpu_open(const char *prefix, int32_t id,
                             berth_device_t **out_device, berth_error_t *err) {
  return fake_open_as(&fake_cpu, prefix, id, out_device, err);
}

// ---- The list ----

TEST(registry, cpus_come_first) {
  berth_registry_t registry = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_registry_open(&registry, &fake_gpu, PREFIX, 2, &err), &err);
  ASSERT_OK(berth_registry_open(&registry, &fake_cpu, PREFIX, 1, &err), &err);
  ASSERT_OK(berth_registry_open(&registry, &fake_cpu, PREFIX, 3, &err), &err);
  ASSERT_OK(berth_registry_open(&registry, &fake_cpu, PREFIX, 2, &err), &err);
  static const char *const want[] = {
      PREFIX "/device:CPU:0", PREFIX "/device:CPU:1", PREFIX "/device:CPU:2",
      PREFIX "/device:GPU:0", PREFIX "/device:GPU:1"};
  ASSERT_TRUE(registry.count == BERTH_COUNT_OF(want));
  for (int i = 0; i < BERTH_COUNT_OF(want); ++i) {
    EXPECT_STR(berth_device_full_name(registry.devices[i]), want[i]);
  }
  EXPECT_EQ(berth_registry_count_type(&registry, "CPU"), 3);
  EXPECT_EQ(berth_registry_count_type(&registry, "TPU"), 0);
  berth_registry_deinit(&registry);
  EXPECT_EQ(opened, 5);
  EXPECT_EQ(closed, 5);
}

TEST(registry, finds_a_device_under_four_names) {
  berth_registry_t registry = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_registry_open(&registry, &fake_gpu, PREFIX, 2, &err), &err);
  static const char *const names[] = {PREFIX "/device:GPU:1", PREFIX "/gpu:1",
                                      "/device:GPU:1", "GPU:1"};
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    berth_device_t *device = NULL;
    ASSERT_OK(berth_registry_get(&registry, names[i], &device, &err), &err);
    EXPECT_TRUE(device == registry.devices[1]);
  }
  static const char *const unknown[] = {
      "gpu:1",         "/gpu:1",
      "GPU:2",         "",
      "GPU",           "/job:a/replica:0/task:0/gpu:1",
      PREFIX "/GPU:1", PREFIX};
  for (int i = 0; i < BERTH_COUNT_OF(unknown); ++i) {
    berth_device_t *device = NULL;
    char text[128];
    snprintf(text, sizeof(text), "%s unknown device.", unknown[i]);
    EXPECT_FAILS(berth_registry_get(&registry, unknown[i], &device, &err),
                 BERTH_INVALID_ARGUMENT, &err, text);
    EXPECT_TRUE(device == NULL);
  }
  berth_registry_deinit(&registry);
}

TEST(registry, opening_is_all_or_nothing) {
  berth_registry_t registry = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  fail_at = 2;
  EXPECT_FAILS(berth_registry_open(&registry, &fake_gpu, PREFIX, 4, &err),
               BERTH_INTERNAL, &err, "GPU:2 is broken");
  EXPECT_EQ(registry.count, 0);
  EXPECT_EQ(opened, 2);
  EXPECT_EQ(closed, 2);
  ASSERT_OK(berth_registry_open(&registry, &fake_gpu, PREFIX, 2, &err), &err);
  EXPECT_EQ(registry.count, 2);
  berth_registry_deinit(&registry);
}

TEST(registry, lists_share_devices) {
  berth_registry_t all = {0}, some = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_registry_open(&all, &fake_cpu, PREFIX, 3, &err), &err);
  ASSERT_OK(berth_registry_open(&all, &fake_gpu, PREFIX, 1, &err), &err);
  ASSERT_OK(berth_registry_share(&some, &all, "CPU", 2, &err), &err);
  EXPECT_EQ(some.count, 2);
  EXPECT_TRUE(berth_registry_find(&some, "CPU:1") == all.devices[1]);
  EXPECT_TRUE(berth_registry_find(&some, "CPU:2") == NULL);
  EXPECT_FAILS(berth_registry_add(&some, all.devices[0], &err),
               BERTH_ALREADY_EXISTS, &err,
               "there is already a device " PREFIX "/device:CPU:0");
  berth_registry_deinit(&all);
  EXPECT_EQ(closed, 2);
  EXPECT_STR(berth_device_full_name(some.devices[1]), PREFIX "/device:CPU:1");
  berth_registry_deinit(&some);
  EXPECT_EQ(closed, 4);
}

// Devices of two tasks: the short names mean the first one's.
TEST(registry, short_names_keep_their_meaning) {
  berth_registry_t registry = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *other = NULL;
  ASSERT_OK(berth_registry_open(&registry, &fake_cpu, PREFIX, 1, &err), &err);
  ASSERT_OK(cpu_open("/job:localhost/replica:0/task:1", 0, &other, &err), &err);
  ASSERT_OK(berth_registry_add(&registry, other, &err), &err);
  berth_device_release(other);
  EXPECT_TRUE(berth_registry_find(&registry, "CPU:0") == registry.devices[0]);
  EXPECT_TRUE(berth_registry_find(
                  &registry, "/job:localhost/replica:0/task:1/cpu:0") == other);
  berth_registry_deinit(&registry);
}

TEST(registry, without_a_cpu_nothing_runs) {
  berth_registry_t registry = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_registry_open(&registry, &fake_gpu, PREFIX, 1, &err), &err);
  EXPECT_FAILS(berth_registry_need_cpu(&registry, &err), BERTH_NOT_FOUND, &err,
               "No CPU devices are available in this process");
  ASSERT_OK(berth_registry_open(&registry, &fake_cpu, PREFIX, 1, &err), &err);
  ASSERT_OK(berth_registry_need_cpu(&registry, &err), &err);
  berth_registry_deinit(&registry);
}

TEST(registry, lack_of_memory_leaves_it_as_it_was) {
  int64_t passes = 0;
  for (int64_t nth = 1; passes >= nth - 1 && nth < 200; ++nth) {
    berth_registry_t registry = {0};
    berth_fault_arm("alloc", nth);
    berth_code_t code =
        berth_registry_open(&registry, &fake_cpu, PREFIX, 4, NULL);
    passes = berth_fault_disarm();
    EXPECT_EQ(code, passes >= nth ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
    EXPECT_EQ(registry.count, code == BERTH_OK ? 4 : 0);
    berth_registry_deinit(&registry);
    EXPECT_EQ(opened, closed);
  }
  EXPECT_TRUE(passes > 20);
}

// ---- A device ----

TEST(device, members_past_the_tables_end_count_as_absent) {
  berth_device_t *gpu = NULL, *cpu = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(gpu_open(PREFIX, 0, &gpu, &err), &err);
  ASSERT_OK(cpu_open(PREFIX, 0, &cpu, &err), &err);
  EXPECT_EQ(berth_device_trim(gpu, 6), 7);
  EXPECT_EQ(berth_device_trim(cpu, 6), 0);
  berth_memory_stats_t stats = {.num_allocs = 9};
  berth_device_query_memory(gpu, &stats);
  EXPECT_EQ(stats.num_allocs, 0);
  berth_device_reset_memory(cpu);
  EXPECT_STR(gpu->description, "a fake");
  EXPECT_TRUE(berth_device_retain(gpu) == gpu);
  berth_device_release(gpu);
  EXPECT_EQ(closed, 0);
  berth_device_release(gpu);
  berth_device_release(cpu);
  berth_device_release(NULL);
  EXPECT_EQ(closed, 2);
}

// ---- Public names ----

TEST(spec, parts_round_trip) {
  berth_device_spec_t spec, over;
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  ASSERT_OK(berth_device_spec_parse("job:ps/task:3/Gpu:1", &spec, &err), &err);
  EXPECT_EQ(spec.job_size, 2);
  EXPECT_TRUE(memcmp(spec.job, "ps", 2) == 0);
  EXPECT_EQ(spec.type_size, 3);
  EXPECT_TRUE(memcmp(spec.type, "GPU", 3) == 0);
  EXPECT_FALSE(spec.has_replica);
  EXPECT_TRUE(spec.has_task && spec.task == 3);
  EXPECT_TRUE(spec.has_index && spec.index == 1);
  ASSERT_OK(berth_device_spec_parse("/job:w/cpu", &over, &err), &err);
  berth_device_spec_merge(&spec, &over);
  ASSERT_OK(berth_device_spec_print(&spec, &text, &err), &err);
  EXPECT_STR(text, "/job:w/task:3/device:CPU:1");
  berth_free(text);
  EXPECT_FAILS(berth_device_spec_parse("/gpu:x", &spec, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "invalid literal for int() with base 10: 'x'");
}

TEST(spec, an_empty_spec_prints_as_nothing) {
  berth_device_spec_t spec;
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  ASSERT_OK(berth_device_spec_parse("/", &spec, &err), &err);
  EXPECT_TRUE(spec.job == NULL && spec.type == NULL);
  ASSERT_OK(berth_device_spec_print(&spec, &text, &err), &err);
  EXPECT_STR(text, "");
  berth_free(text);
}

TEST(spec, names_are_checked_and_completed) {
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  EXPECT_TRUE(berth_device_name_check("/gpu:0"));
  EXPECT_FALSE(berth_device_name_check("/Gpu:0"));
  ASSERT_OK(
      berth_device_name_complete("GPU:1", PREFIX "/device:CPU:0", &text, &err),
      &err);
  EXPECT_STR(text, PREFIX "/device:GPU:1");
  berth_free(text);
  text = NULL;
  EXPECT_FAILS(
      berth_device_name_complete("x", PREFIX "/device:CPU:0", &text, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Could not parse x into a device specification.");
  EXPECT_TRUE(text == NULL);
}
