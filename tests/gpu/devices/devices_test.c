// devices_test.c - The GPUs that sessions get, and what is said about them.
#include "gpu_testing.h"

static berth_device_info_t info_of(int index) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_info_t info = {.name = "", .description = ""};
  if (berth_device_query(index, &info, &err) != BERTH_OK) {
    HARNESS_FAIL("device %d: %s", index, berth_error_message(&err));
  }
  berth_error_clear(&err);
  return info;
}

TEST(devices, a_session_gets_all_cards) {
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  ASSERT_TRUE(berth_session_device_count(session) == 5);
  EXPECT_STR(berth_session_device_name(session, 0), LOCAL "CPU:0");
  EXPECT_STR(berth_session_device_name(session, 1), LOCAL "GPU:0");
  EXPECT_STR(berth_session_device_name(session, 4), LOCAL "GPU:3");
  EXPECT_STR(
      logged,
      "I Created device " LOCAL
      "GPU:0 with 4299 MB memory:  -> device: 0, name: Tesla K20m, pci bus "
      "id: 0000:02:00.0, compute capability: 3.5\n"
      "I Created device " LOCAL
      "GPU:1 with 4299 MB memory:  -> device: 1, name: Tesla K20m, pci bus "
      "id: 0000:03:00.0, compute capability: 3.5\n"
      "I Created device " LOCAL
      "GPU:2 with 4299 MB memory:  -> device: 2, name: Tesla K20m, pci bus "
      "id: 0000:83:00.0, compute capability: 3.5\n"
      "I Created device " LOCAL
      "GPU:3 with 4299 MB memory:  -> device: 3, name: Tesla K20m, pci bus "
      "id: 0000:84:00.0, compute capability: 3.5\n");
  berth_session_destroy(session);
}

TEST(devices, old_words) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.log_style = BERTH_STYLE_CLASSIC;
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_STR(logged,
             "I Adding visible gpu devices: 0\n"
             "I Creating TensorFlow device (/gpu:0) -> (device: 0, name: Tesla "
             "K40c, pci bus id: 0000:05:00.0)\n");
  berth_session_destroy(session);
}

TEST(devices, looking_holds_nothing) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_card_t card;
  int count = 0, users = -1;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  EXPECT_EQ(count, 1);
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  ASSERT_OK(berth_card_query(0, &card, &err), &err);
  EXPECT_STR(card.name, "Tesla K40c");
  EXPECT_STR(card.pci_bus_id, "0000:05:00.0");
  EXPECT_EQ(card.bus_index, 0);
  EXPECT_EQ(card.cc_major, 3);
  EXPECT_EQ(card.cc_minor, 5);
  EXPECT_EQ(card.total_bytes, 11439 * MIB);
  EXPECT_EQ(card.free_bytes, card.total_bytes);
  EXPECT_TRUE(card.is_simulated);
  ASSERT_OK(berth_card_query_users(0, NULL, 0, &users, &err), &err);
  EXPECT_EQ(users, 0);
  EXPECT_FAILS(berth_card_query(1, &card, &err), BERTH_OUT_OF_RANGE, &err,
               "card 1 of 1 was asked for");
  EXPECT_STR(berth_card_problem(), "");
  berth_session_destroy(session);
}

TEST(devices, some_of_the_cards_in_another_order) {
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = "2,0,1";
  config.gpu_count = 2;
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 3);
  EXPECT_STR(info_of(1).description,
             "device: 2, name: Tesla K20m, pci bus id: 0000:83:00.0, compute "
             "capability: 3.5");
  int card = -1;
  ASSERT_OK(berth_device_card("GPU:1", &card, &err), &err);
  EXPECT_EQ(card, 0);
  berth_session_destroy(session);
}

TEST(devices, a_gpu_stays_on_its_card) {
  simulate(FOUR_K20M);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *first = NULL, *second = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = "2";
  ASSERT_OK(open_session(&config, &first, &err), &err);
  berth_session_destroy(first);
  config.gpu.visible_devices = "1";
  EXPECT_FAILS(
      open_session(&config, &second, &err), BERTH_ALREADY_EXISTS, &err,
      "TensorFlow device (GPU:0) is being mapped to multiple devices (1 now, "
      "and 2 previously), which is not supported. This may be the result of "
      "providing different GPU configurations (ConfigProto.gpu_options, for "
      "example different visible_device_list) when creating multiple Sessions "
      "in the same process. This is not currently supported, see "
      "https://github.com/tensorflow/tensorflow/issues/19083");
  config.log_style = BERTH_STYLE_CLASSIC;
  EXPECT_EQ(berth_process_configure(&config, &err), BERTH_ALREADY_EXISTS);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "multiple CUDA devices (1 now, and 2 previously)") !=
              NULL);
  berth_error_clear(&err);
  // More GPUs behind it are no contradiction.
  config.log_style = BERTH_STYLE_DEFAULT;
  config.gpu.visible_devices = "2,3";
  ASSERT_OK(open_session(&config, &second, &err), &err);
  EXPECT_EQ(berth_session_device_count(second), 3);
  berth_session_destroy(second);
}

TEST(devices, the_first_session_settles_the_limit) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *first = NULL, *second = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = 0.4;
  ASSERT_OK(open_session(&config, &first, &err), &err);
  EXPECT_EQ(info_of(1).memory_limit, (int64_t)((double)(11439 * MIB) * 0.4));
  config.gpu.memory_fraction = 0.7;
  ASSERT_OK(open_session(&config, &second, &err), &err);
  EXPECT_STR(logged,
             "I Created device " LOCAL
             "GPU:0 with 4575 MB memory:  -> device: 0, name: Tesla K40c, pci "
             "bus id: 0000:05:00.0, compute capability: 3.5\n");
  berth_session_destroy(first);
  berth_session_destroy(second);
}

TEST(devices, several_on_one_card) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  const float limits[] = {1024, 2048};
  ASSERT_OK(divide_card(limits, 2, &err), &err);
  int count = 0, where = -1;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  ASSERT_TRUE(count == 3);
  EXPECT_STR(info_of(2).name, LOCAL "GPU:1");
  EXPECT_STR(info_of(2).type, "GPU");
  EXPECT_EQ(info_of(1).memory_limit, 1024 * MIB);
  EXPECT_EQ(info_of(2).memory_limit, 2048 * MIB);
  ASSERT_OK(berth_device_card("GPU:1", &where, &err), &err);
  EXPECT_EQ(where, 0);
  // Sessions without a configuration get these.
  berth_session_t *session = NULL;
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 3);
  berth_session_destroy(session);
}

TEST(devices, a_failure_leaves_nothing_behind) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allocator_type = "jemalloc";
  EXPECT_FAILS(open_session(&config, &session, &err), BERTH_INTERNAL, &err,
               "Failed to get memory allocator for TF GPU 0 with 11470372864 "
               "bytes of memory.");
  EXPECT_STR(logged, "E Invalid allocator type: jemalloc\n");
  config.gpu.allocator_type = "BFC";
  config.gpu.visible_devices = "0";
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 2);
  berth_session_destroy(session);
}

TEST(devices, unified_memory_needs_a_newer_card) {
  simulate(K40C "; H100");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = 1.5;
  // The newer card is the faster one, so it comes first.
  config.gpu.visible_devices = "1";
  EXPECT_FAILS(open_session(&config, &session, &err), BERTH_INTERNAL, &err,
               "Unified memory on GPUs with compute capability lower than 6.0 "
               "(pre-Pascal class GPUs) does not support oversubscription.");
  config.gpu.visible_devices = "0";
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_EQ(info_of(1).memory_limit, 81090 * MIB / 2 * 3);
  berth_session_destroy(session);
}

TEST(devices, no_gpus_when_none_are_wanted) {
  simulate("nonsense");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_count = 0;
  // Nobody even reads what to simulate.
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 1);
  EXPECT_STR(logged, "");
  berth_session_destroy(session);
}

TEST(devices, cards_that_cannot_be_used_are_told_once) {
  simulate("Old card memory=1GiB cc=3.0");
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_device_count(&count, &err), &err);
    EXPECT_EQ(count, 1);
  }
  EXPECT_STR(
      logged,
      "I Ignoring visible gpu device (device: 0, name: Old card, pci bus "
      "id: 0000:01:00.0, compute capability: 3.0) with Cuda compute "
      "capability 3.0. The minimum required Cuda capability is 3.5.\n");
}

TEST(devices, hidden_cards) {
  simulate(FOUR_K20M);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  int count = -1;
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 1);
  ASSERT_OK(berth_card_count(&count, &err), &err);
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(strstr(berth_card_problem(), "CUDA_VISIBLE_DEVICES") != NULL);
  berth_session_destroy(session);
}

TEST(devices, cards_that_the_environment_picks) {
  simulate(FOUR_K20M);
  setenv("CUDA_VISIBLE_DEVICES", "3,1", 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = "1,0";
  ASSERT_OK(open_session(&config, &session, &err), &err);
  EXPECT_EQ(berth_session_device_count(session), 3);
  EXPECT_STR(info_of(1).description,
             "device: 1, name: Tesla K20m, pci bus id: 0000:03:00.0, compute "
             "capability: 3.5");
  EXPECT_STR(info_of(2).description,
             "device: 0, name: Tesla K20m, pci bus id: 0000:84:00.0, compute "
             "capability: 3.5");
  berth_card_t card;
  ASSERT_OK(berth_card_query(0, &card, &err), &err);
  EXPECT_EQ(card.bus_index, 3);
  berth_session_destroy(session);
}

TEST(devices, a_spec_that_is_wrong) {
  simulate("Tesla K40c*x");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  int count = 0;
  EXPECT_EQ(berth_card_count(&count, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "'Tesla K40c*x': the count must be a number from 1 to") !=
              NULL);
  berth_error_clear(&err);
  // Whoever asks for simulated cards does not want to go on without.
  EXPECT_EQ(open_session(NULL, &session, &err), BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
}
