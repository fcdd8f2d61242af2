// limit_test.c - TensorFlow's rules for how much of a card a device may use.
#include "memory/limit.h"

#include "base/compiler.h"
#include "harness.h"
#include "memory/policy.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define V BERTH_TF_VERSION

TEST(limit, the_reserve_by_version_and_card) {
  static const struct {
    int version;
    uint64_t free_bytes;
    int cc_major;
    uint64_t reserve;
  } cases[] = {
      {V(0, 6), GIB, 3, 209715200},        {V(1, 2), 2 * GIB - 1, 3, 209715200},
      {V(1, 2), 2 * GIB, 3, 314572800},    {V(1, 2), 12 * GIB, 3, 644245094},
      {V(1, 3), GIB, 3, 235929600},        {V(2, 1), 12 * GIB, 7, 644245094},
      {V(2, 2), 4 * GIB, 7, 314572800},    {V(2, 4), 12 * GIB, 7, 773094113},
      {V(2, 5), GIB, 8, 225 * MIB},        {V(2, 5), 12 * GIB, 3, 500 * MIB},
      {V(2, 5), 12 * GIB, 6, 500 * MIB},   {V(2, 5), 12 * GIB, 7, 1050 * MIB},
      {V(2, 5), 12 * GIB, 8, 1536 * MIB},  {V(2, 12), 80 * GIB, 9, 1536 * MIB},
      {V(2, 14), 80 * GIB, 8, 1536 * MIB}, {V(2, 14), 80 * GIB, 9, 1800 * MIB},
      {0, 140 * GIB, 9, 1800 * MIB},       {0, 140 * GIB, 10, 1800 * MIB},
      {0, 2 * GIB - 1, 9, 225 * MIB},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    EXPECT_EQ(berth_card_reserve(cases[i].version, cases[i].free_bytes,
                                 cases[i].cc_major),
              cases[i].reserve);
  }
}

static const berth_card_memory_t k40 = {11 * GIB + 512 * MIB, 12 * GIB, 3};
static const berth_card_memory_t h200 = {139 * GIB, 140 * GIB, 9};

static uint64_t limit_of(const berth_card_memory_t *card,
                         berth_card_wish_t wish, const char *warnings) {
  berth_card_limit_t limit = {0};
  berth_str_t str = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_card_limit(card, &wish, &limit, &str, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    berth_error_clear(&err);
  }
  EXPECT_STR(berth_str_get(&str), warnings);
  berth_str_clear(&str);
  return limit.bytes;
}

TEST(limit, what_is_free_less_the_reserve) {
  EXPECT_EQ(limit_of(&k40, (berth_card_wish_t){0}, ""),
            k40.free_bytes - 500 * MIB);
  EXPECT_EQ(limit_of(&h200, (berth_card_wish_t){0}, ""),
            h200.free_bytes - 1800 * MIB);
  // A card that is nearly full gives all it has.
  berth_card_memory_t full = {225 * MIB, 12 * GIB, 3};
  EXPECT_EQ(limit_of(&full, (berth_card_wish_t){0}, ""), 225 * MIB);
  full.free_bytes = 225 * MIB + 1;
  EXPECT_EQ(limit_of(&full, (berth_card_wish_t){0}, ""), 1);
}

TEST(limit, a_fraction_is_of_the_whole_card) {
  EXPECT_EQ(limit_of(&k40, (berth_card_wish_t){.fraction = 0.4}, ""),
            5153960755);
  EXPECT_EQ(limit_of(&k40, (berth_card_wish_t){.fraction = 1.0}, ""), 12 * GIB);
  EXPECT_EQ(
      limit_of(&k40, (berth_card_wish_t){.fraction = 0.5, .version = V(0, 6)},
               ""),
      k40.free_bytes / 2);
}

TEST(limit, mebibytes_are_cut_to_whole_ones) {
  EXPECT_EQ(
      limit_of(&k40, (berth_card_wish_t){.has_limit = true, .limit_mb = 1024.9},
               ""),
      GIB);
  // More than the card is not refused here: it ends in the back-off.
  EXPECT_EQ(
      limit_of(&k40,
               (berth_card_wish_t){.has_limit = true, .limit_mb = 1 << 20}, ""),
      1024 * GIB);
}

TEST(limit, the_system_settings_override) {
  berth_card_wish_t wish = {.fraction = 0.4, .system_mb = 1024};
  EXPECT_EQ(limit_of(&k40, wish, ""), k40.free_bytes - GIB);
  wish.system_text = "512";
  EXPECT_EQ(limit_of(&k40, wish, ""), k40.free_bytes - 512 * MIB);
  wish.version = V(2, 14);  // Has the environment's only.
  wish.system_text = "";
  EXPECT_EQ(limit_of(&k40, wish, ""), 5153960755);
  wish.version = V(2, 4);  // Has neither.
  wish.system_text = "512";
  EXPECT_EQ(limit_of(&k40, wish, ""), 5153960755);
}

TEST(limit, system_settings_that_make_no_sense_are_ignored) {
  berth_card_wish_t wish = {.system_text = "lots"};
  uint64_t usual = k40.free_bytes - 500 * MIB;
  EXPECT_EQ(limit_of(&k40, wish,
                     "The requested reserved device memory lots is invalid. "
                     "The request will be ignored.\n"),
            usual);
  wish.system_text = "-1";
  EXPECT_EQ(limit_of(&k40, wish,
                     "The requested reserved device memory -1 is invalid. The "
                     "request will be ignored.\n"),
            usual);
  wish = (berth_card_wish_t){.system_mb = 12 * 1024, .system_text = "20480"};
  EXPECT_EQ(limit_of(&k40, wish,
                     "The requested reserved device memory 12.00GiB is larger "
                     "than the available memory of 11.50GiB. The request is "
                     "ignored.\n"
                     "The requested reserved device memory 20.00GiB is larger "
                     "than the available memory of 11.50GiB. The request is "
                     "ignored.\n"),
            usual);
  wish = (berth_card_wish_t){.system_text = "9223372036854775807"};
  EXPECT_EQ(limit_of(&k40, wish,
                     "The requested reserved device memory 16.00EiB is larger "
                     "than the available memory of 11.50GiB. The request is "
                     "ignored.\n"),
            usual);
}

TEST(limit, unified_memory_needs_a_newer_card) {
  berth_card_limit_t limit = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_card_wish_t wishes[] = {{.fraction = 1.5}, {.is_unified = true}};
  for (int i = 0; i < BERTH_COUNT_OF(wishes); ++i) {
    EXPECT_FAILS(berth_card_limit(&k40, &wishes[i], &limit, NULL, &err),
                 BERTH_INTERNAL, &err,
                 "Unified memory on GPUs with compute capability lower than "
                 "6.0 (pre-Pascal class GPUs) does not support "
                 "oversubscription.");
    ASSERT_OK(berth_card_limit(&h200, &wishes[i], &limit, NULL, &err), &err);
    EXPECT_TRUE(limit.is_unified);
  }
  ASSERT_OK(berth_card_limit(&h200, &wishes[0], &limit, NULL, &err), &err);
  EXPECT_EQ(limit.bytes, 210 * GIB);
}
