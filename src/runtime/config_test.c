// config_test.c - Tests of settings: bytes in, bytes out, and the process's
// own.
#include "berth/berth.h"
#include "harness.h"
#include "wire/config.pb-c.h"

// device_count {CPU: 2}, threads 3, soft placement, placement log, fraction
// 0.4 with growth on "1,0", timeout 9, opt_level L0, and a field 99 that nobody
// knows.
static const unsigned char BYTES[] = {
    0x0a, 0x07, 0x0a, 0x03, 'C',  'P',  'U',  0x10, 0x02, 0x10, 0x03,
    0x32, 0x10, 0x09, 0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xd9, 0x3f,
    0x20, 0x01, 0x2a, 0x03, '1',  ',',  '0',  0x38, 0x01, 0x40, 0x01,
    0x52, 0x0d, 0x1a, 0x0b, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0x01, 0x58, 0x09, 0x98, 0x06, 0x2a};

TEST(config, reads_a_config_proto) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config;
  ASSERT_OK(berth_config_parse(BYTES, sizeof(BYTES), &config, &err), &err);
  EXPECT_EQ(config.cpu_count, 2);
  EXPECT_EQ(config.gpu_count, -1);
  EXPECT_EQ(config.intra_op_threads, 3);
  EXPECT_TRUE(config.allow_soft_placement);
  EXPECT_TRUE(config.log_device_placement);
  EXPECT_NEAR(config.gpu.memory_fraction, 0.4, 1e-12);
  EXPECT_TRUE(config.gpu.allow_growth);
  EXPECT_STR(config.gpu.visible_devices, "1,0");
  EXPECT_EQ(config.timeout_ms, 9);
  EXPECT_FALSE(config.keep_constants);
  berth_config_clear(&config);
  EXPECT_EQ(config.cpu_count, -1);
}

// device_count {CPU: -1} and {CPU: -5}.
TEST(config, fewer_cpus_than_none_are_none) {
  for (int count = -1; count >= -5; count -= 4) {
    unsigned char bytes[] = {0x0a, 0x10, 0x0a, 0x03, 'C',  'P',
                             'U',  0x10, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    bytes[8] = (unsigned char)(0x80 | (count & 0x7f));
    berth_error_t err = BERTH_ERROR_INIT;
    berth_config_t config;
    ASSERT_OK(berth_config_parse(bytes, sizeof(bytes), &config, &err), &err);
    EXPECT_EQ(config.cpu_count, 0);
    berth_config_clear(&config);
  }
}

TEST(config, writes_back_what_it_does_not_know) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_config_parse(BYTES, sizeof(BYTES), &config, &err), &err);
  config.timeout_ms = 8;
  ASSERT_OK(berth_config_serialize(&config, &bytes, &size, &err), &err);
  ASSERT_TRUE(size == sizeof(BYTES));
  // Field 99 comes last, 42.
  EXPECT_TRUE(memcmp((char *)bytes + size - 3, "\x98\x06\x2a", 3) == 0);
  EXPECT_EQ(((unsigned char *)bytes)[size - 4], 8);
  berth_text_free(bytes);
  berth_config_clear(&config);
}

TEST(config, writes_what_was_set) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT, again;
  config.cpu_count = 3;
  config.gpu.allow_growth = true;
  config.place_pruned_graph = true;
  config.keep_constants = false;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_config_serialize(&config, &bytes, &size, &err), &err);
  ASSERT_OK(berth_config_parse(bytes, size, &again, &err), &err);
  EXPECT_EQ(again.cpu_count, 3);
  EXPECT_TRUE(again.gpu.allow_growth);
  EXPECT_TRUE(again.place_pruned_graph);
  EXPECT_FALSE(again.keep_constants);
  berth_text_free(bytes);
  berth_config_clear(&again);
}

TEST(config, keeps_virtual_devices) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT, copy;
  const float limits[] = {1024, 512.5f};
  const int32_t priorities[] = {0, -1}, ordinals[] = {7, 3};
  const berth_virtual_devices_t cards[] = {
      {limits, priorities, ordinals, 2, 2, 2}, {0}};
  config.gpu_experimental =
      (berth_gpu_experimental_t){.virtual_devices = cards,
                                 .virtual_device_count = 2,
                                 .devices_per_card = 3,
                                 .fragmentation_fraction = 0.5,
                                 .system_memory_mb = 700,
                                 .use_unified_memory = true,
                                 .use_cuda_malloc_async = true,
                                 .no_retry = true};
  ASSERT_OK(berth_config_copy(&config, &copy, &err), &err);
  const berth_gpu_experimental_t *gpu = &copy.gpu_experimental;
  ASSERT_TRUE(gpu->virtual_device_count == 2);
  const berth_virtual_devices_t *first = &gpu->virtual_devices[0];
  ASSERT_TRUE(first->memory_limit_count == 2 && first->priority_count == 2 &&
              first->device_ordinal_count == 2);
  EXPECT_TRUE(first->memory_limit_mb != limits);
  EXPECT_NEAR(first->memory_limit_mb[1], 512.5, 0);
  EXPECT_EQ(first->priority[1], -1);
  EXPECT_EQ(first->device_ordinal[0], 7);
  EXPECT_EQ(gpu->virtual_devices[1].memory_limit_count, 0);
  EXPECT_EQ(gpu->devices_per_card, 3);
  EXPECT_NEAR(gpu->fragmentation_fraction, 0.5, 0);
  EXPECT_EQ(gpu->system_memory_mb, 700);
  EXPECT_TRUE(gpu->use_unified_memory && gpu->use_cuda_malloc_async &&
              gpu->no_retry);
  berth_config_clear(&copy);
}

TEST(config, of_a_caller_that_knows_less_of_it) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT, copy;
  config.struct_size = offsetof(berth_config_t, gpu_experimental);
  config.cpu_count = 2;
  // Whatever lies behind the caller's struct.
  memset(&config.gpu_experimental, 0x5a, sizeof(config.gpu_experimental));
  ASSERT_OK(berth_config_copy(&config, &copy, &err), &err);
  EXPECT_EQ(copy.cpu_count, 2);
  EXPECT_EQ(copy.gpu_experimental.virtual_device_count, 0);
  EXPECT_FALSE(copy.gpu_experimental.use_unified_memory);
  EXPECT_EQ(copy.struct_size, sizeof(copy));
  berth_config_clear(&copy);
}

TEST(config, refuses_bytes_that_are_no_message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  EXPECT_TRUE(berth_config_parse(BYTES, 20, &config, &err) != BERTH_OK);
  EXPECT_EQ(config.cpu_count, -1);
  berth_error_clear(&err);
}

TEST(config, of_the_process_is_for_who_brings_none) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 3;
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  int devices = 0;
  ASSERT_OK(berth_device_count(&devices, &err), &err);
  EXPECT_EQ(devices, 3);
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 3);
  berth_session_destroy(session);
  config.cpu_count = 1;
  ASSERT_OK(berth_session_create(graph, &config, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 1);
  berth_session_destroy(session);
  ASSERT_OK(berth_process_configure(NULL, &err), &err);
  ASSERT_OK(berth_process_query_config(&config, &err), &err);
  EXPECT_EQ(config.cpu_count, -1);
  berth_config_clear(&config);
  berth_graph_release(graph);
}

TEST(config, outlives_what_it_was_made_from) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config, copy;
  ASSERT_OK(berth_config_parse(BYTES, sizeof(BYTES), &config, &err), &err);
  ASSERT_OK(berth_config_copy(&config, &copy, &err), &err);
  berth_config_clear(&config);
  EXPECT_STR(copy.gpu.visible_devices, "1,0");
  berth_config_clear(&copy);
}
