// luck_test.c - Drivers that fail, cards that vanish, limits nobody can keep.
#include "base/fault.h"
#include "gpu_testing.h"

// Makes a machine whose driver is asked anew: cards of two kinds, whose order
// NVML does not know. The program then looks like one on real cards.
static void simulate_a_driver(void) {
  simulate("Tesla K40c; H100");
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  if (berth_card_count(&count, &err) != BERTH_OK || count != 2) {
    HARNESS_FAIL("%d cards: %s", count, berth_error_message(&err));
  }
  berth_error_clear(&err);
  unsetenv("CUDA_DEVICE_ORDER");
  unsetenv("BERTH_SIMULATE_GPUS");
}

TEST(luck, a_driver_that_fails_is_no_trouble_for_cpus) {
  simulate_a_driver();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_fault_arm("cuInit", 1);
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  berth_fault_disarm();
  EXPECT_EQ(berth_session_device_count(session), 1);
  EXPECT_STR(logged,
             "E failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n");
  berth_session_destroy(session);
}

TEST(luck, a_driver_that_fails_where_gpus_are_asked_for) {
  simulate_a_driver();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_count = 1;
  berth_fault_arm("cuInit", 1);
  EXPECT_FAILS(open_session(&config, &session, &err), BERTH_INTERNAL, &err,
               "cuInit: CUDA_ERROR_UNKNOWN (999): unknown error");
  berth_fault_disarm();
  EXPECT_STR(logged, "");
}

TEST(luck, a_card_that_does_not_answer) {
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  int count = 0;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  berth_fault_arm("nvmlDeviceGetHandleByUUID", 2);
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  berth_fault_disarm();
  const char line[] =
      "I Ignoring visible gpu device 1 whose executor is in invalid state: "
      "UNAVAILABLE: nvmlDeviceGetHandleByUUID: Unknown Error (999)\n";
  EXPECT_TRUE(strncmp(logged, line, sizeof(line) - 1) == 0);
  EXPECT_EQ(berth_session_device_count(session), 4);
  int card = 0;
  ASSERT_OK(berth_device_card("GPU:1", &card, &err), &err);
  EXPECT_EQ(card, 2);
  berth_session_destroy(session);
}

TEST(luck, a_card_that_stops_answering) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  int count = 0;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  // It answers when cards are looked at, and not when memory is divided.
  berth_fault_arm("nvmlDeviceGetHandleByUUID", 2);
  EXPECT_FAILS(open_session(NULL, &session, &err), BERTH_UNKNOWN, &err,
               "Failed to query available memory for GPU 0");
  berth_fault_disarm();
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 2);
  berth_session_destroy(session);
}

TEST(luck, a_limit_larger_than_the_card) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  const float limits[] = {20000};
  const berth_virtual_devices_t card = {.memory_limit_mb = limits,
                                        .memory_limit_count = 1};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_devices = &card;
  config.gpu_experimental.virtual_device_count = 1;
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_STR(logged,
             "W GPU:0 may use 20000 MB, but card 0 has 11439 MB; it is out of "
             "memory when those are used up\n"
             "I Created device " LOCAL
             "GPU:0 with 20000 MB memory:  -> device: 0, name: Tesla K40c, pci "
             "bus id: 0000:05:00.0, compute capability: 3.5\n");
  berth_session_destroy(session);
}

TEST(luck, nonsense_in_the_environment) {
  static const struct {
    const char *text;
    int cards;
  } cases[] = {{"0", 1},      {"0,1", 2}, {"1,0", 2}, {"0,x", 1},
               {"x", 0},      {"-1", 0},  {"", 0},    {"9", 0},
               {"2,-1,3", 1}, {"0,0", 0}, {" 1 ", 1}};
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    setenv("CUDA_VISIBLE_DEVICES", cases[i].text, 1);
    int count = -1;
    ASSERT_OK(berth_card_count(&count, &err), &err);
    if (count != cases[i].cards) {
      HARNESS_FAIL("'%s' shows %d cards, not %d", cases[i].text, count,
                   cases[i].cards);
    }
    EXPECT_TRUE((count == 0) == (berth_card_problem()[0] != '\0'));
  }
}

TEST(luck, short_of_memory_at_every_step) {
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  int count = 0;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  for (int64_t nth = 1;; ++nth) {
    berth_fault_arm("alloc", nth);
    berth_code_t code = open_session(NULL, &session, &err);
    bool has_failed = berth_fault_disarm() >= nth;
    if (code == BERTH_OK) {
      // Lines of the log may be lost, devices never.
      EXPECT_EQ(berth_session_device_count(session), 5);
      berth_session_destroy(session);
      if (!has_failed) break;
    } else {
      EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
      berth_error_clear(&err);
    }
  }
}
