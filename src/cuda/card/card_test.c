// card_test.c - Tests of listing cards, on the software GPU.
#include "cuda/card/card.h"

#include "cuda/card/driver.h"
#include "cuda/cuda_testing.h"

#define GIB ((uint64_t)1 << 30)

static int count_cards(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = -1;
  if (berth_cuda_cards_count(&count, &err) != BERTH_OK) {
    HARNESS_FAIL("no list: %s", berth_error_message(&err));
    berth_error_clear(&err);
  }
  return count;
}

TEST(card, lists_without_opening_the_driver) {
  testing_simulate(
      "Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0");
  ASSERT_TRUE(count_cards() == 4);
  EXPECT_FALSE(berth_cuda_driver_is_open());
  EXPECT_STR(berth_cuda_cards_problem(), "");
  const berth_card_info_t *card = berth_cuda_card_info(2);
  ASSERT_TRUE(card != NULL);
  EXPECT_STR(card->name, "Tesla K20m");
  EXPECT_STR(card->pci_bus_id, "0000:83:00.0");
  EXPECT_EQ(card->cc_major, 3);
  EXPECT_EQ(card->cc_minor, 5);
  EXPECT_EQ(card->bus_index, 2);
  EXPECT_EQ(card->fast_index, 2);
  EXPECT_TRUE(card->is_simulated);
  EXPECT_FALSE(card->is_slice);
  EXPECT_TRUE(strncmp(card->uuid, "GPU-", 4) == 0);
  EXPECT_TRUE(berth_cuda_card_info(4) == NULL);
  EXPECT_TRUE(berth_cuda_card_info(-1) == NULL);
  EXPECT_TRUE(berth_cuda_cards_api_version() >= 12000);
  EXPECT_STR(berth_cuda_cards_driver_version(), "580.0-simulated");
  simulate_forget();
}

TEST(card, asks_the_driver_for_the_order_of_unlike_cards) {
  testing_simulate("Tesla K20m@0000:02:00.0;Tesla K40c@0000:05:00.0");
  ASSERT_TRUE(count_cards() == 2);
  EXPECT_TRUE(berth_cuda_driver_is_open());
  EXPECT_STR(berth_cuda_card_info(0)->name, "Tesla K40c");
  EXPECT_EQ(berth_cuda_card_info(0)->bus_index, 1);
  EXPECT_EQ(berth_cuda_card_info(0)->fast_index, 0);
  EXPECT_EQ(berth_cuda_card_info(1)->bus_index, 0);
  simulate_forget();
}

TEST(card, keeps_the_order_of_the_bus_when_told_to) {
  testing_simulate("Tesla K20m@0000:02:00.0;Tesla K40c@0000:05:00.0");
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  ASSERT_TRUE(count_cards() == 2);
  EXPECT_FALSE(berth_cuda_driver_is_open());
  EXPECT_STR(berth_cuda_card_info(0)->name, "Tesla K20m");
  EXPECT_EQ(berth_cuda_card_info(0)->bus_index, 0);
  EXPECT_EQ(berth_cuda_card_info(0)->fast_index, -1);
  simulate_forget();
}

TEST(card, hears_the_environment_until_the_driver_is_open) {
  testing_simulate("Tesla K20m*4");
  EXPECT_EQ(count_cards(), 4);
  const berth_card_info_t *second = berth_cuda_card_info(1);
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  ASSERT_TRUE(count_cards() == 1);
  EXPECT_STR(berth_cuda_card_info(0)->uuid, second->uuid);
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  EXPECT_EQ(count_cards(), 0);
  EXPECT_STR(berth_cuda_cards_problem(),
             "CUDA_VISIBLE_DEVICES=\"-1\" hides all cards");
  setenv("CUDA_VISIBLE_DEVICES", "3,2", 1);
  ASSERT_OK(berth_cuda_driver_open(NULL), NULL);
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  EXPECT_EQ(count_cards(), 2);
  EXPECT_EQ(berth_cuda_card_info(0)->bus_index, 3);
  simulate_forget();
}

// Both read the variable: NVML's list through our own reader, and the driver.
TEST(card, agrees_with_the_driver_on_what_is_visible) {
  static const char *const lists[] = {
      "0",  "",     "-1",   "x",    "9",    "1,0",  "3,2,1,0", "0,9,1", "0,0",
      " 2", "2x,1", "none", "GPU-", "0,,1", "1,-1", "+3",      "00,01",
  };
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("for simulated cards alone");
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    pid_t child = fork();
    if (child == 0) {
      testing_simulate("Tesla K20m*4");
      setenv("CUDA_VISIBLE_DEVICES", lists[i], 1);
      int listed = count_cards(), shown = 0;
      if (berth_cuda_driver_open(NULL) == BERTH_OK) {
        EXPECT_EQ(BERTH_CU(cuDeviceGetCount, &shown), CUDA_SUCCESS);
      }
      simulate_forget();
      _Exit(harness_failures == 0 && listed == shown ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) HARNESS_FAIL("differ on \"%s\"", lists[i]);
  }
}

TEST(card, tells_memory_and_processes) {
  berth_error_t err = BERTH_ERROR_INIT;
  uint64_t free_bytes = 0, total_bytes = 0;
  berth_card_process_t processes[4];
  int count = -1;
  testing_simulate("Tesla K40c");
  ASSERT_OK(berth_cuda_card_memory(0, &free_bytes, &total_bytes, &err), &err);
  EXPECT_EQ(free_bytes, total_bytes);
  EXPECT_EQ(total_bytes, berth_cuda_card_info(0)->total_bytes);
  ASSERT_OK(berth_cuda_card_processes(0, processes, 4, &count, &err), &err);
  EXPECT_EQ(count, 0);
  berth_device_wish_t wish = testing_wish(0, GIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  ASSERT_OK(berth_cuda_card_processes(0, processes, 4, &count, &err), &err);
  ASSERT_TRUE(count == 1);
  EXPECT_EQ(processes[0].pid, getpid());
  ASSERT_OK(berth_cuda_card_memory(0, &free_bytes, &total_bytes, &err), &err);
  EXPECT_EQ(processes[0].bytes, total_bytes - free_bytes);
  EXPECT_FAILS(berth_cuda_card_memory(1, &free_bytes, &total_bytes, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "there is no GPU 1: 1 are visible");
  berth_device_release(device);
}

TEST(card, explains_a_bad_simulation) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = -1;
  testing_simulate("Tesla K40c*0");
  EXPECT_EQ(berth_cuda_cards_count(&count, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strncmp(berth_error_message(&err), "BERTH_SIMULATE_GPUS: ", 21) ==
              0);
  EXPECT_EQ(count, -1);
  berth_error_clear(&err);
  simulate_forget();
}

TEST(card, explains_that_there_is_no_driver) {
  unsetenv("BERTH_SIMULATE_GPUS");
  int count = count_cards();
  const char *missing = "libcuda.so.1: cannot open shared object file";
  if (strncmp(berth_cuda_cards_problem(), missing, strlen(missing)) != 0) {
    SKIP("this machine has a driver");
  }
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(berth_cuda_card_info(0) == NULL);
  EXPECT_EQ(berth_cuda_cards_api_version(), 0);
  EXPECT_STR(berth_cuda_cards_driver_version(), "");
}

TEST(card, names_what_an_old_driver_lacks) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = -1;
  testing_simulate("Tesla K40c");
  berth_fault_arm("symbol", 3);  // The third of the list, and required.
  EXPECT_EQ(berth_cuda_cards_count(&count, &err), BERTH_UNIMPLEMENTED);
  berth_fault_disarm();
  const char *end = "has no cuInit: the driver is too old";
  const char *text = berth_error_message(&err);
  EXPECT_TRUE(strlen(text) > strlen(end));
  EXPECT_STR(text + strlen(text) - strlen(end), end);
  berth_error_clear(&err);
  simulate_forget();
}

TEST(card, does_without_an_optional_symbol) {
  testing_simulate("Tesla K40c");
  berth_fault_arm("symbol", 9);  // cuDeviceGetUuid_v2.
  EXPECT_EQ(count_cards(), 1);
  berth_fault_disarm();
  EXPECT_FALSE(BERTH_CU_HAS(cuDeviceGetUuid_v2));
  simulate_forget();
}

TEST(card, does_without_nvml) {
  testing_simulate("Tesla K40c@0000:05:00.0");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  berth_fault_arm("nvmlInit_v2", 1);
  ASSERT_TRUE(count_cards() == 1);
  berth_fault_disarm();
  EXPECT_STR(berth_cuda_card_info(0)->name, "Tesla K40c");
  EXPECT_STR(berth_cuda_card_info(0)->pci_bus_id, "0000:05:00.0");
  EXPECT_EQ(berth_cuda_card_info(0)->bus_index, -1);
  EXPECT_EQ(berth_cuda_card_info(0)->cc_minor, 5);
  simulate_forget();
}

TEST(card, refuses_a_card_that_is_named_twice) {
  testing_simulate("Tesla K20m*2");
  setenv("CUDA_VISIBLE_DEVICES", "0,0", 1);
  EXPECT_EQ(count_cards(), 0);
  EXPECT_STR(berth_cuda_cards_problem(),
             "CUDA_VISIBLE_DEVICES=\"0,0\" names a card twice");
  simulate_forget();
}
