// visible_test.c - Tests of CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
//
// The lists for one card are what version 580 of the driver did with one.
#include "softgpu/visible.h"

#include "harness.h"
#include "softgpu/spec.h"

static berth_soft_cards_t cards;

static bool simulate(const char *spec) {
  return berth_soft_spec_parse(spec, &cards, NULL) == BERTH_OK;
}

TEST(visible, reads_lists_as_the_driver_does) {
  static const struct {
    const char *list;
    CUresult result;
  } cases[] = {
      {NULL, CUDA_SUCCESS},
      {"0", CUDA_SUCCESS},
      {"", CUDA_ERROR_NO_DEVICE},
      {"-1", CUDA_ERROR_NO_DEVICE},
      {"x", CUDA_ERROR_NO_DEVICE},
      {"1", CUDA_ERROR_NO_DEVICE},
      {"1,0", CUDA_ERROR_NO_DEVICE},
      {"0,1", CUDA_SUCCESS},
      {"0,0", CUDA_ERROR_INVALID_DEVICE},
      {" 0", CUDA_SUCCESS},
      {"0 ", CUDA_SUCCESS},
      {"0x", CUDA_SUCCESS},
      {"00", CUDA_SUCCESS},
      {"+0", CUDA_SUCCESS},
      {"0,", CUDA_SUCCESS},
      {"0,,1", CUDA_SUCCESS},
      {",0", CUDA_ERROR_NO_DEVICE},
      {"0,-1", CUDA_SUCCESS},
      {"0,x", CUDA_SUCCESS},
      {"0.5", CUDA_SUCCESS},
      {"0 1", CUDA_SUCCESS},
      {"none", CUDA_ERROR_NO_DEVICE},
      {"GPU-", CUDA_ERROR_NO_DEVICE},
      {"GPU-zz", CUDA_ERROR_NO_DEVICE},
      {"0,GPU-", CUDA_SUCCESS},
      {"MIG-1", CUDA_ERROR_NO_DEVICE},
      {"4294967296", CUDA_SUCCESS},
  };
  ASSERT_TRUE(simulate("NVIDIA H200"));
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    berth_soft_visible_t visible;
    CUresult result =
        berth_soft_visible_read(&cards, cases[i].list, NULL, &visible);
    if (result != cases[i].result) {
      HARNESS_FAIL("'%s' gives %d", cases[i].list ? cases[i].list : "(unset)",
                   (int)result);
    }
    if (result == CUDA_SUCCESS) EXPECT_EQ(visible.count, 1);
  }
}

TEST(visible, reorders) {
  berth_soft_visible_t visible;
  ASSERT_TRUE(simulate("T4*4"));
  EXPECT_EQ(berth_soft_visible_read(&cards, "3,1", NULL, &visible), 0);
  EXPECT_EQ(visible.count, 2);
  EXPECT_EQ(visible.cards[0], 3);
  EXPECT_EQ(visible.cards[1], 1);
  EXPECT_EQ(berth_soft_visible_read(&cards, "2,9,1", NULL, &visible), 0);
  EXPECT_EQ(visible.count, 1);
  EXPECT_EQ(visible.cards[0], 2);
}

TEST(visible, finds_uuids_by_their_beginning) {
  berth_soft_visible_t visible;
  char uuid[41], list[96];
  ASSERT_TRUE(simulate("T4*4"));
  berth_soft_card_uuid_text(&cards.items[2], uuid);
  EXPECT_EQ(berth_soft_visible_read(&cards, uuid, NULL, &visible), 0);
  EXPECT_EQ(visible.count, 1);
  EXPECT_EQ(visible.cards[0], 2);
  snprintf(list, sizeof(list), "%.12s", uuid);
  EXPECT_EQ(berth_soft_visible_read(&cards, list, NULL, &visible), 0);
  EXPECT_EQ(visible.cards[0], 2);
  snprintf(list, sizeof(list), "%s,%s", uuid, uuid);
  EXPECT_EQ(berth_soft_visible_read(&cards, list, NULL, &visible),
            CUDA_ERROR_INVALID_DEVICE);
  // One kind of entry in a list; the other kind ends it.
  snprintf(list, sizeof(list), "%s,0", uuid);
  EXPECT_EQ(berth_soft_visible_read(&cards, list, NULL, &visible), 0);
  EXPECT_EQ(visible.count, 1);
  snprintf(list, sizeof(list), "0,%s", uuid);
  EXPECT_EQ(berth_soft_visible_read(&cards, list, NULL, &visible), 0);
  EXPECT_EQ(visible.count, 1);
  uuid[0] = 'g';
  EXPECT_EQ(berth_soft_visible_read(&cards, uuid, NULL, &visible),
            CUDA_ERROR_NO_DEVICE);
}

TEST(visible, numbers_the_fastest_first) {
  berth_soft_visible_t visible;
  ASSERT_TRUE(
      simulate("Tesla K20m*2@0000:01:00.0,0000:02:00.0;"
               "Tesla K40c@0000:03:00.0"));
  EXPECT_EQ(berth_soft_visible_read(&cards, NULL, NULL, &visible), 0);
  EXPECT_EQ(visible.cards[0], 2);
  EXPECT_EQ(visible.cards[1], 0);
  EXPECT_EQ(visible.cards[2], 1);
  EXPECT_EQ(berth_soft_visible_read(&cards, NULL, "FASTEST_FIRST", &visible),
            0);
  EXPECT_EQ(visible.cards[0], 2);
  EXPECT_EQ(berth_soft_visible_read(&cards, NULL, "PCI_BUS_ID", &visible), 0);
  EXPECT_EQ(visible.cards[0], 0);
  EXPECT_EQ(visible.cards[2], 2);
  EXPECT_EQ(berth_soft_visible_read(&cards, "0", NULL, &visible), 0);
  EXPECT_EQ(visible.cards[0], 2);
}
