// spec_test.c - Tests of reading which cards to simulate.
#include "softgpu/spec.h"

#include "harness.h"
#include "softgpu/exports.h"

static berth_soft_cards_t cards;
static berth_error_t err = BERTH_ERROR_INIT;

TEST(spec, knows_the_seeds_machines) {
  ASSERT_OK(berth_soft_spec_parse("Tesla K40c@0000:05:00.0", &cards, &err),
            &err);
  EXPECT_EQ(cards.count, 1);
  EXPECT_STR(cards.items[0].name, "Tesla K40c");
  EXPECT_STR(cards.items[0].pci_text, "0000:05:00.0");
  EXPECT_EQ(cards.items[0].memory_bytes, 11439ll << 20);
  EXPECT_EQ(cards.items[0].major * 10 + cards.items[0].minor, 35);
  ASSERT_OK(berth_soft_spec_parse("Tesla K20m*4@0000:02:00.0,0000:03:00.0,"
                                  "0000:83:00.0,0000:84:00.0",
                                  &cards, &err),
            &err);
  EXPECT_EQ(cards.count, 4);
  EXPECT_STR(cards.items[0].pci_text, "0000:02:00.0");
  EXPECT_STR(cards.items[3].pci_text, "0000:84:00.0");
  EXPECT_STR(cards.items[3].name, "Tesla K20m");
}

TEST(spec, takes_aliases_settings_and_free_ids) {
  ASSERT_OK(berth_soft_spec_parse(
                " h100 * 2 ; My card@0000:02:00.0  memory=1.5GiB cc=8.6 ;",
                &cards, &err),
            &err);
  EXPECT_EQ(cards.count, 3);
  EXPECT_STR(cards.items[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_STR(cards.items[0].pci_text, "0000:01:00.0");
  EXPECT_STR(cards.items[1].name, "My card");
  EXPECT_EQ(cards.items[1].memory_bytes, 1536ll << 20);
  EXPECT_EQ(cards.items[1].major, 8);
  EXPECT_EQ(cards.items[1].minor, 6);
  EXPECT_STR(cards.items[2].pci_text, "0000:03:00.0");
}

TEST(spec, settings_override_what_is_known) {
  ASSERT_OK(berth_soft_spec_parse("Tesla T4 cc=8.0", &cards, &err), &err);
  EXPECT_EQ(cards.items[0].major, 8);
  EXPECT_EQ(cards.items[0].memory_bytes, 15109ll << 20);
}

TEST(spec, makes_uuids_of_name_and_place) {
  ASSERT_OK(berth_soft_spec_parse("T4*2", &cards, &err), &err);
  char first[41], second[41], again[41];
  berth_soft_card_uuid_text(&cards.items[0], first);
  berth_soft_card_uuid_text(&cards.items[1], second);
  EXPECT_EQ(strlen(first), 40);
  EXPECT_EQ(strncmp(first, "GPU-", 4), 0);
  EXPECT_TRUE(strcmp(first, second) != 0);
  ASSERT_OK(berth_soft_spec_parse("Tesla T4@0000:02:00.0", &cards, &err), &err);
  berth_soft_card_uuid_text(&cards.items[0], again);
  EXPECT_STR(again, second);
}

#define EXPECT_BAD(spec, text)                            \
  EXPECT_FAILS(berth_soft_spec_parse(spec, &cards, &err), \
               BERTH_INVALID_ARGUMENT, &err, text)

TEST(spec, says_what_is_wrong_with_a_card) {
  EXPECT_BAD("T4*0", "'T4*0': the count must be a number from 1 to 64");
  EXPECT_BAD("T4*x", "'T4*x': the count must be a number from 1 to 64");
  EXPECT_BAD("T4*60;T4*5", "more than 64 cards");
  EXPECT_BAD("@0000:01:00.0", "'@0000:01:00.0': a card needs a name");
  EXPECT_BAD("*2", "'*2': a card needs a name");
  EXPECT_BAD("T4@02:00.0",
             "'T4@02:00.0': '02:00.0' is no PCI id like "
             "0000:05:00.0");
  EXPECT_BAD("T4@0000:02:20.0",
             "'T4@0000:02:20.0': '0000:02:20.0' is no PCI "
             "id like 0000:05:00.0");
  EXPECT_BAD("T4*4@0000:02:00.0", "'T4*4@0000:02:00.0': 4 cards, but 1 PCI id");
  EXPECT_BAD("T4@0000:02:00.0,0000:03:00.0",
             "'T4@0000:02:00.0,0000:03:00.0': 1 card, but 2 PCI ids");
  EXPECT_BAD("T4@0000:02:00.0;K80@0000:02:00.0",
             "PCI id 0000:02:00.0 is given twice");
}

TEST(spec, says_what_is_wrong_with_a_setting) {
  EXPECT_BAD("T4 memory=12",
             "'T4 memory=12': '12' is no size like 12GiB or 512MiB");
  EXPECT_BAD("T4 memory=12GB",
             "'T4 memory=12GB': '12GB' is no size like 12GiB or 512MiB");
  EXPECT_BAD("T4 memory=-1GiB",
             "'T4 memory=-1GiB': '-1GiB' is no size like 12GiB or 512MiB");
  EXPECT_BAD("T4 memory=16MiB",
             "'T4 memory=16MiB': memory must be from 128MiB "
             "to 1TiB, not 16MiB");
  EXPECT_BAD("T4 cc=8", "'T4 cc=8': '8' is no compute capability like 3.5");
  EXPECT_BAD("T4 cc=8.6x",
             "'T4 cc=8.6x': '8.6x' is no compute capability like 3.5");
  EXPECT_BAD("T4 speed=9",
             "'T4 speed=9': unknown setting 'speed=9'; there are memory= and "
             "cc=");
}

TEST(spec, asks_for_figures_of_unknown_cards) {
  static const char text[] =
      "unknown card 'Foo 1': add memory= and cc=, or use one of Tesla K20m, "
      "Tesla K40c, Tesla K80, GeForce GTX TITAN X, GeForce GTX 1080 Ti, Tesla "
      "P100-PCIE-16GB, Tesla V100-SXM2-16GB, Tesla T4, NVIDIA A100-SXM4-40GB, "
      "NVIDIA A100-SXM4-80GB, NVIDIA A10G, NVIDIA GeForce RTX 3090, NVIDIA "
      "GeForce RTX 4090, NVIDIA L4, NVIDIA H100 80GB HBM3, NVIDIA H200, NVIDIA "
      "B200";
  EXPECT_BAD("Foo 1", text);
  EXPECT_BAD("Foo 1 memory=1GiB", text);
  EXPECT_BAD("Foo 1 cc=3.5", text);
}

static const char *const no_cards =
    "no cards to simulate: say cards separated by ';', each 'name[*count]"
    "[@pci,pci,...] [memory=12GiB] [cc=3.5]'";

TEST(spec, wants_a_card) {
  EXPECT_BAD("", no_cards);
  EXPECT_BAD(" ; ", no_cards);
  EXPECT_BAD(NULL, no_cards);
}

TEST(spec, is_checked_through_the_library) {
  char text[128];
  EXPECT_EQ(berth_softgpu_check("T4*3", text, sizeof(text)), 3);
  EXPECT_STR(text, "");
  EXPECT_EQ(berth_softgpu_check("T4*x", text, sizeof(text)), -1);
  EXPECT_STR(text, "'T4*x': the count must be a number from 1 to 64");
  char small[8];
  EXPECT_EQ(berth_softgpu_check("T4*x", small, sizeof(small)), -1);
  EXPECT_STR(small, "'T4*x':");
  EXPECT_EQ(berth_softgpu_check("T4*x", NULL, 0), -1);
}
