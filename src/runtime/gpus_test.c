// gpus_test.c - Which logical GPUs a configuration asks for, and what wrong
// settings are told.
#include "runtime/gpus.h"

#include "harness.h"
#include "kept_log.h"

enum { MOST = 4 };

// A machine of up to four cards.
typedef struct rig {
  berth_card_info_t infos[MOST];
  const berth_card_info_t *cards[MOST];
  int card_count;
  berth_config_t config;
  berth_log_style_t style;
  berth_gpus_t gpus;
  berth_error_t err;
} rig_t;

static void rig_init(rig_t *rig, int card_count) {
  *rig = (rig_t){.card_count = card_count, .config = BERTH_CONFIG_INIT};
  rig->err = (berth_error_t)BERTH_ERROR_INIT;
  for (int i = 0; i < MOST; ++i) {
    berth_card_info_t *card = &rig->infos[i];
    *card =
        (berth_card_info_t){.name = "Tesla K20m", .cc_major = 3, .cc_minor = 5};
    snprintf(card->pci_bus_id, sizeof(card->pci_bus_id), "0000:0%d:00.0",
             i + 2);
    rig->cards[i] = card;
  }
  keep_log();
}

static berth_code_t plan(rig_t *rig) {
  berth_gpus_deinit(&rig->gpus);
  return berth_gpus_plan(&rig->config, rig->style, rig->cards, rig->card_count,
                         &rig->gpus, &rig->err);
}

static void rig_clear(rig_t *rig) {
  berth_gpus_deinit(&rig->gpus);
  berth_error_clear(&rig->err);
  berth_log_set_callback(NULL, NULL);
}

// Writes the cards of all GPUs, in order: "2 0".
static const char *cards_of(const rig_t *rig, char *text, size_t size) {
  text[0] = '\0';
  for (int i = 0; i < rig->gpus.count; ++i) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%d", i > 0 ? " " : "",
             rig->gpus.items[i].card);
  }
  return text;
}

#define EXPECT_CARDS(rig, wanted)                                      \
  do {                                                                 \
    char cards_text[64];                                               \
    EXPECT_STR(cards_of(rig, cards_text, sizeof(cards_text)), wanted); \
  } while (0)

#define EXPECT_REFUSED(rig, code, text) \
  EXPECT_FAILS(plan(rig), code, &(rig)->err, text)

TEST(gpus, one_for_each_card_in_order) {
  rig_t rig;
  rig_init(&rig, 4);
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "0 1 2 3");
  EXPECT_FALSE(rig.gpus.items[3].has_limit);
  EXPECT_EQ(rig.gpus.items[3].parts, 1);
  EXPECT_STR(logged, "");
  rig_clear(&rig);
}

TEST(gpus, no_card_is_no_error) {
  rig_t rig;
  rig_init(&rig, 0);
  rig.config.gpu.visible_devices = "nonsense";
  rig.config.gpu_count = 2;
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_EQ(rig.gpus.count, 0);
  rig_clear(&rig);
}

TEST(gpus, device_count_keeps_the_first) {
  rig_t rig;
  rig_init(&rig, 4);
  rig.config.gpu.visible_devices = "3,1,0";
  rig.config.gpu_count = 2;
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "3 1");
  rig.config.gpu_count = 9;
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "3 1 0");
  EXPECT_FALSE(berth_gpus_is_none(&rig.config));
  rig.config.gpu_count = 0;
  // The list is not even read.
  rig.config.gpu.visible_devices = "x";
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_EQ(rig.gpus.count, 0);
  EXPECT_TRUE(berth_gpus_is_none(&rig.config));
  rig_clear(&rig);
}

TEST(gpus, visible_device_list_forms) {
  rig_t rig;
  rig_init(&rig, 4);
  rig.config.gpu.visible_devices = " 2 ,GPU:0,TPU:7,+1";
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "2 0 1");
  rig_clear(&rig);
}

TEST(gpus, visible_device_list_errors) {
  rig_t rig;
  rig_init(&rig, 2);
  rig.config.gpu.visible_devices = "0,x";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Could not parse entry in 'visible_device_list': 'x'.");
  rig.config.gpu.visible_devices = "0,0,0,0,x";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Could not parse entry in 'visible_device_list': 'x'.");
  rig.config.gpu.visible_devices = "0,";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Could not parse entry in 'visible_device_list': ''.");
  rig.config.gpu.visible_devices = "99999999999";
  EXPECT_REFUSED(
      &rig, BERTH_INVALID_ARGUMENT,
      "Could not parse entry in 'visible_device_list': '99999999999'.");
  rig.config.gpu.visible_devices = "2";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "'visible_device_list' listed an invalid Device id '2' but "
                 "visible device count is 2");
  rig.config.gpu.visible_devices = "-1";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "'visible_device_list' listed an invalid Device id '-1' but "
                 "visible device count is 2");
  rig.config.gpu.visible_devices = "1,0,1,0,1";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "visible_device_list contained a duplicate entry: 1,0,1,0,1");
  rig_clear(&rig);
}

TEST(gpus, visible_device_list_errors_of_old) {
  rig_t rig;
  rig_init(&rig, 2);
  rig.style = BERTH_STYLE_CLASSIC;
  rig.config.gpu.visible_devices = "0,GPU:1";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Could not parse entry in 'visible_device_list': 'GPU:1'. "
                 "visible_device_list = 0,GPU:1");
  rig.config.gpu.visible_devices = "5";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "'visible_device_list' listed an invalid GPU id '5' but "
                 "visible device count is 2");
  EXPECT_STR(logged, "");
  rig.config.gpu.visible_devices = "1,0";
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_STR(logged, "I Adding visible gpu devices: 1, 0\n");
  rig_clear(&rig);
}

TEST(gpus, cards_that_are_too_old_or_silent) {
  rig_t rig;
  rig_init(&rig, 4);
  rig.infos[1].cc_minor = 0;
  rig.infos[3].cc_major = 2;
  rig.infos[3].cc_minor = 9;
  rig.cards[0] = NULL;
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "2");
  EXPECT_STR(logged,
             "I Ignoring visible gpu device (device: 1, name: Tesla K20m, pci "
             "bus id: 0000:03:00.0, compute capability: 3.0) with Cuda compute "
             "capability 3.0. The minimum required Cuda capability is 3.5.\n"
             "I Ignoring visible gpu device (device: 3, name: Tesla K20m, pci "
             "bus id: 0000:05:00.0, compute capability: 2.9) with Cuda compute "
             "capability 2.9. The minimum required Cuda capability is 3.5.\n");
  rig_clear(&rig);
}

// ---- Virtual devices ----

static const float limits_a[] = {1, 2}, limits_b[] = {3, 4};
static const int32_t ordinals[] = {10, 20}, priorities[] = {0, -1};

static void set_virtual(rig_t *rig, const berth_virtual_devices_t *cards,
                        int count) {
  rig->config.gpu_experimental.virtual_devices = cards;
  rig->config.gpu_experimental.virtual_device_count = count;
}

TEST(gpus, virtual_devices_in_order) {
  rig_t rig;
  rig_init(&rig, 2);
  const berth_virtual_devices_t cards[] = {
      {.memory_limit_mb = limits_a, .memory_limit_count = 2},
      {.memory_limit_mb = limits_b, .memory_limit_count = 2}};
  set_virtual(&rig, cards, 2);
  rig.config.gpu.visible_devices = "1,0";
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "1 1 0 0");
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(rig.gpus.items[i].has_limit);
    EXPECT_NEAR(rig.gpus.items[i].limit_mb, i + 1, 0);
  }
  rig_clear(&rig);
}

TEST(gpus, virtual_devices_by_ordinal) {
  rig_t rig;
  rig_init(&rig, 2);
  const berth_virtual_devices_t cards[] = {
      {limits_a, priorities, ordinals, 2, 2, 2},
      {limits_b, priorities, ordinals, 2, 2, 2}};
  set_virtual(&rig, cards, 2);
  rig.config.gpu.visible_devices = "1,0";
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "1 0 1 0");
  static const int wanted[] = {1, 3, 2, 4};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(rig.gpus.items[i].limit_mb, wanted[i], 0);
    EXPECT_EQ(rig.gpus.items[i].priority, i < 2 ? 0 : -1);
  }
  rig_clear(&rig);
}

TEST(gpus, a_card_without_limits_among_virtual_ones) {
  rig_t rig;
  rig_init(&rig, 2);
  const berth_virtual_devices_t cards[] = {
      {.memory_limit_mb = limits_a, .memory_limit_count = 2}, {0}};
  set_virtual(&rig, cards, 2);
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "0 0 1");
  EXPECT_FALSE(rig.gpus.items[2].has_limit);
  rig_clear(&rig);
}

TEST(gpus, a_card_in_equal_parts) {
  rig_t rig;
  rig_init(&rig, 2);
  rig.config.gpu_experimental.devices_per_card = 3;
  ASSERT_OK(plan(&rig), &rig.err);
  EXPECT_CARDS(&rig, "0 0 0 1 1 1");
  EXPECT_EQ(rig.gpus.items[0].parts, 3);
  rig.config.gpu_experimental.devices_per_card = 2049;
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "the configuration asks for 4098 GPU devices; at most 4096 "
                 "are supported");
  rig_clear(&rig);
}

TEST(gpus, virtual_devices_that_do_not_fit_the_machine) {
  rig_t rig;
  rig_init(&rig, 2);
  const berth_virtual_devices_t cards[3] = {
      {.memory_limit_mb = limits_a, .memory_limit_count = 2}};
  set_virtual(&rig, cards, 2);
  rig.config.gpu.memory_fraction = 0.5;
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "It's invalid to set per_process_gpu_memory_fraction when "
                 "virtual_devices is set.");
  rig.config.gpu.memory_fraction = 0;
  set_virtual(&rig, cards, 3);
  EXPECT_REFUSED(&rig, BERTH_UNKNOWN,
                 "Not enough GPUs to create virtual devices. num_gpus_to_use: "
                 "2 #virtual_devices: 3");
  set_virtual(&rig, cards, 1);
  rig.config.gpu.visible_devices = "0,1";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "The number of GPUs in visible_device_list doesn't match the "
                 "number of elements in the virtual_devices list. #GPUs in "
                 "visible_device_list: 2 virtual_devices.size(): 1");
  rig.config.gpu.visible_devices = NULL;
  EXPECT_REFUSED(&rig, BERTH_UNKNOWN,
                 "The number of valid GPUs doesn't match the number of "
                 "elements in the virtual_devices list. #valid GPUs: 2 "
                 "virtual_devices.size(): 1");
  rig.config.gpu_count = 0;
  EXPECT_FALSE(berth_gpus_is_none(&rig.config));
  EXPECT_REFUSED(&rig, BERTH_UNKNOWN,
                 "Not enough GPUs to create virtual devices. num_gpus_to_use: "
                 "0 #virtual_devices: 1");
  rig_clear(&rig);
}

TEST(gpus, ordinals_for_all_or_none) {
  rig_t rig;
  rig_init(&rig, 2);
  berth_virtual_devices_t cards[] = {
      {.memory_limit_mb = limits_a, .memory_limit_count = 2},
      {limits_b, NULL, ordinals, 2, 0, 2}};
  set_virtual(&rig, cards, 2);
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Device ordinals must be set for all virtual devices or none. "
                 "But the device_ordinal is specified for 1 while previous "
                 "devices didn't have any set.");
  cards[0].device_ordinal = ordinals;
  cards[0].device_ordinal_count = 1;
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Number of virtual device ordinals specified doesn't match "
                 "with number of memory_limit_mb specified for GPU# 0 "
                 "memory_limit_mb size: 2 and device_ordinal size: 1");
  rig_clear(&rig);
}

TEST(gpus, priorities_for_all_or_none) {
  rig_t rig;
  rig_init(&rig, 2);
  static const int32_t wrong[] = {0, 1};
  berth_virtual_devices_t cards[] = {
      {.memory_limit_mb = limits_a, .memory_limit_count = 2},
      {limits_b, priorities, NULL, 2, 2, 0}};
  set_virtual(&rig, cards, 2);
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Priority must be set for all virtual devices or none. But "
                 "the priority is specified for 1 while previous devices "
                 "didn't have any set.");
  cards[0].priority = priorities;
  cards[0].priority_count = 1;
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Number of virtual device priorities specified doesn't match "
                 "with number of memory_limit_mb specified for GPU# 0 "
                 "memory_limit_mb size: 2 and priority size: 1");
  cards[0].priority_count = 2;
  cards[1].priority = wrong;
  rig.config.gpu.visible_devices = "1,0";
  EXPECT_REFUSED(&rig, BERTH_INVALID_ARGUMENT,
                 "Priority 1 is outside the range of supported priorities "
                 "[-5,0] for virtual device 1 on GPU# 0");
  rig_clear(&rig);
}
