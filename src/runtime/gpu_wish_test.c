// gpu_wish_test.c - How much memory a logical GPU gets, and from where.
#include "runtime/gpu_wish.h"

#include "harness.h"
#include "kept_log.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

// A card of 12 GiB, an eighth of it taken.
typedef struct rig {
  berth_config_t config;
  berth_logical_gpu_t gpu;
  berth_card_memory_t memory;
  berth_device_wish_t wish;
  berth_error_t err;
} rig_t;

static void rig_init(rig_t *rig) {
  *rig = (rig_t){.config = BERTH_CONFIG_INIT,
                 .gpu = {.card = 1, .parts = 1},
                 .memory = {.free_bytes = 10 * GIB + GIB / 2,
                            .total_bytes = 12 * GIB,
                            .cc_major = 8}};
  rig->err = (berth_error_t)BERTH_ERROR_INIT;
  keep_log();
}

static berth_code_t ask(rig_t *rig) {
  logged[0] = '\0';
  return berth_gpu_wish(&rig->config, &rig->gpu, 3, &rig->memory, &rig->wish,
                        &rig->err);
}

TEST(gpu_wish, all_but_a_reserve_at_first_use) {
  rig_t rig;
  rig_init(&rig);
  rig.gpu.priority = -2;
  ASSERT_OK(ask(&rig), &rig.err);
  uint64_t limit = 10 * GIB + GIB / 2 - 1536 * MIB;
  EXPECT_EQ(rig.wish.card, 1);
  EXPECT_EQ(rig.wish.id, 3);
  EXPECT_EQ(rig.wish.priority, -2);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_MAPPED);
  EXPECT_EQ(rig.wish.policy.limit_bytes, limit);
  EXPECT_EQ(rig.wish.policy.floor_bytes, limit);
  EXPECT_STR(logged, "");
}

TEST(gpu_wish, by_the_rules_of_another_version) {
  rig_t rig;
  rig_init(&rig);
  setenv("BERTH_TF_VERSION", "1.4", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(
      rig.wish.policy.limit_bytes,
      rig.memory.free_bytes - (uint64_t)((double)rig.memory.free_bytes * 0.05));
  setenv("BERTH_TF_VERSION", "newest", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, rig.memory.free_bytes - 1536 * MIB);
}

TEST(gpu_wish, growth_holds_what_is_used) {
  rig_t rig;
  rig_init(&rig);
  rig.config.gpu.allow_growth = true;
  rig.config.gpu.memory_fraction = 0.25;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 3 * GIB);
  EXPECT_EQ(rig.wish.policy.floor_bytes, 0);
}

TEST(gpu_wish, the_environment_forces_growth) {
  rig_t rig;
  rig_init(&rig);
  setenv("TF_FORCE_GPU_ALLOW_GROWTH", "true", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.floor_bytes, 0);
  EXPECT_STR(logged,
             "W Overriding orig_value setting because the "
             "TF_FORCE_GPU_ALLOW_GROWTH environment variable is set. Original "
             "config value was 0.\n");
  rig.config.gpu.allow_growth = true;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_STR(logged, "");
  setenv("TF_FORCE_GPU_ALLOW_GROWTH", "false", 1);
  setenv("BERTH_TF_VERSION", "2.7", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.floor_bytes, rig.wish.policy.limit_bytes);
  EXPECT_STR(logged,
             "W Overriding allow_growth setting because the "
             "TF_FORCE_GPU_ALLOW_GROWTH environment variable is set. Original "
             "config value was 1.\n");
  setenv("TF_FORCE_GPU_ALLOW_GROWTH", "True", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.floor_bytes, 0);
  EXPECT_STR(logged,
             "E The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but "
             "could not be parsed: \"True\". Valid values are \"true\" or "
             "\"false\". Using original config value of 1.\n");
}

TEST(gpu_wish, limits_of_virtual_devices) {
  rig_t rig;
  rig_init(&rig);
  rig.gpu.has_limit = true;
  rig.gpu.limit_mb = 1024.9;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, GIB);
  EXPECT_STR(logged, "");
  rig.gpu.limit_mb = 20480;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 20 * GIB);
  EXPECT_STR(logged,
             "W GPU:3 may use 20480 MB, but card 1 has 12288 MB; it is out of "
             "memory when those are used up\n");
  // Nothing is a limit too.
  rig.gpu.limit_mb = 0;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 1);
  rig.gpu.limit_mb = 1e30;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 1000000000000 * MIB);
}

TEST(gpu_wish, a_part_of_the_usual) {
  rig_t rig;
  rig_init(&rig);
  ASSERT_OK(ask(&rig), &rig.err);
  uint64_t whole = rig.wish.policy.limit_bytes;
  rig.gpu.parts = 3;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, whole / 3);
}

TEST(gpu_wish, memory_kept_for_the_system) {
  rig_t rig;
  rig_init(&rig);
  rig.config.gpu.memory_fraction = 0.5;
  rig.config.gpu_experimental.system_memory_mb = 512;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 10 * GIB);
  setenv("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "1536", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 9 * GIB);
  rig.config.gpu_experimental.system_memory_mb = 0;
  setenv("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "lots", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 6 * GIB);
  EXPECT_STR(logged,
             "W The requested reserved device memory lots is invalid. The "
             "request will be ignored.\n");
  setenv("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "20480", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_STR(logged,
             "W The requested reserved device memory 20.00GiB is larger than "
             "the available memory of 10.50GiB. The request is ignored.\n");
}

TEST(gpu_wish, tensorflows_allocator_to_the_figure) {
  rig_t rig;
  rig_init(&rig);
  rig.config.gpu.allocator_type = "BFC";
  rig.config.gpu_experimental.fragmentation_fraction = 0.5;
  rig.config.gpu.memory_fraction = 0.5;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_PLAIN);
  EXPECT_EQ(rig.wish.policy.first_region_bytes, 6 * GIB);
  EXPECT_EQ(rig.wish.policy.split.waste, 3 * GIB);
  EXPECT_EQ(rig.wish.policy.wait_ns, 10000000000);
  EXPECT_FALSE(rig.wish.policy.keeps_regions);
  rig.config.gpu.allow_growth = true;
  rig.config.gpu.allocator_type = NULL;
  rig.config.gpu_experimental.no_retry = true;
  setenv("TF_ENABLE_GPU_GARBAGE_COLLECTION", "false", 1);
  setenv("BERTH_GPU_ALLOCATOR", "bfc", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_PLAIN);
  EXPECT_EQ(rig.wish.policy.first_region_bytes, 2 * MIB);
  EXPECT_EQ(rig.wish.policy.wait_ns, 0);
  EXPECT_TRUE(rig.wish.policy.keeps_regions);
}

TEST(gpu_wish, allocators_of_the_environment) {
  rig_t rig;
  rig_init(&rig);
  setenv("TF_GPU_ALLOCATOR", "cuda_malloc_async", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_MAPPED);
  EXPECT_EQ(rig.wish.policy.floor_bytes, 0);
  EXPECT_STR(logged, "I Using CUDA malloc Async allocator for GPU: 1\n");
  setenv("TF_GPU_ALLOCATOR", "cuda_malloc", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.policy.keep_idle_bytes, 0);
  setenv("TF_GPU_ALLOCATOR", "BFC", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_PLAIN);
  setenv("TF_GPU_ALLOCATOR", "jemalloc", 1);
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_MAPPED);
  EXPECT_STR(logged,
             "W TF_GPU_ALLOCATOR=jemalloc is ignored; known are "
             "cuda_malloc_async, cuda_malloc and BFC\n");
  setenv("TF_GPU_ALLOCATOR", "memory_guard", 1);
  EXPECT_FAILS(ask(&rig), BERTH_UNIMPLEMENTED, &rig.err,
               "TF_GPU_ALLOCATOR=memory_guard is not supported; known are "
               "cuda_malloc_async, cuda_malloc and BFC");
}

TEST(gpu_wish, an_unknown_type_of_allocator) {
  rig_t rig;
  rig_init(&rig);
  rig.config.gpu.allocator_type = "bfc";
  rig.config.gpu.memory_fraction = 0.5;
  EXPECT_FAILS(ask(&rig), BERTH_INTERNAL, &rig.err,
               "Failed to get memory allocator for TF GPU 3 with 6442450944 "
               "bytes of memory.");
  EXPECT_STR(logged, "E Invalid allocator type: bfc\n");
}

TEST(gpu_wish, more_than_the_card_when_asked_for) {
  rig_t rig;
  rig_init(&rig);
  rig.config.gpu.memory_fraction = 2;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_UNIFIED);
  EXPECT_EQ(rig.wish.policy.limit_bytes, 24 * GIB);
  EXPECT_STR(logged, "");
  rig.config.gpu.memory_fraction = 1;
  ASSERT_OK(ask(&rig), &rig.err);
  EXPECT_EQ(rig.wish.source, BERTH_CARD_MAPPED);
  rig.config.gpu_experimental.use_unified_memory = true;
  rig.memory.cc_major = 5;
  EXPECT_FAILS(ask(&rig), BERTH_INTERNAL, &rig.err,
               "Unified memory on GPUs with compute capability lower than 6.0 "
               "(pre-Pascal class GPUs) does not support oversubscription.");
}

TEST(gpu_wish, changes_while_running) {
  berth_policy_t mapped = berth_policy_mapped(4 * GIB);
  mapped = berth_gpu_set_growth(mapped, BERTH_CARD_MAPPED, false);
  EXPECT_EQ(mapped.floor_bytes, 4 * GIB);
  mapped = berth_gpu_set_limit(mapped, BERTH_CARD_MAPPED, GIB);
  EXPECT_EQ(mapped.limit_bytes, GIB);
  EXPECT_EQ(mapped.floor_bytes, GIB);
  mapped = berth_gpu_set_growth(mapped, BERTH_CARD_MAPPED, true);
  mapped = berth_gpu_set_limit(mapped, BERTH_CARD_MAPPED, 2 * GIB);
  EXPECT_EQ(mapped.floor_bytes, 0);
  berth_policy_t plain = berth_policy_bfc(4 * GIB, false, 0);
  plain = berth_gpu_set_limit(plain, BERTH_CARD_PLAIN, GIB);
  EXPECT_EQ(plain.first_region_bytes, GIB);
  plain = berth_gpu_set_growth(plain, BERTH_CARD_PLAIN, true);
  EXPECT_EQ(plain.first_region_bytes, 2 * MIB);
  EXPECT_EQ(plain.limit_bytes, GIB);
}
