// visible_test.c - Tests of reading CUDA_VISIBLE_DEVICES.
#include "cuda/card/visible.h"

#include "harness.h"

static const char *const uuids[] = {
    "GPU-00000000-1111-2222-3333-444444444444",
    "GPU-00000001-1111-2222-3333-444444444444",
    "GPU-abcdef00-1111-2222-3333-444444444444",
};

// Reads |list| for |count| cards and prints what is shown: "2,0", "refused".
static const char *read_list(const char *list, int count) {
  static char text[64];
  int cards[3];
  berth_visible_t visible = berth_visible_read(list, uuids, count, cards);
  text[0] = '\0';
  for (int i = 0; i < visible.count; ++i) {
    size_t size = strlen(text);
    snprintf(text + size, sizeof(text) - size, "%s%d", i > 0 ? "," : "",
             cards[i]);
  }
  return visible.is_refused ? "refused" : text;
}

// What driver 580 did with one card.
TEST(visible, reads_lists_for_one_card) {
  static const struct {
    const char *list, *shown;
  } cases[] = {
      {NULL, "0"},     {"0", "0"},    {"", ""},
      {"-1", ""},      {"x", ""},     {"1", ""},
      {"1,0", ""},     {"0,1", "0"},  {"0,0", "refused"},
      {" 0", "0"},     {"0 ", "0"},   {"0x", "0"},
      {"00", "0"},     {"+0", "0"},   {"0,", "0"},
      {"0,,1", "0"},   {",0", ""},    {"0,-1", "0"},
      {"0,x", "0"},    {"0.5", "0"},  {"0 1", "0"},
      {"none", ""},    {"GPU-", ""},  {"GPU-zz", ""},
      {"0,GPU-", "0"}, {"MIG-1", ""}, {"4294967296", "0"},
      {"GPU-0", "0"},  {"gpu-0", ""},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    EXPECT_STR(read_list(cases[i].list, 1), cases[i].shown);
  }
}

TEST(visible, reads_lists_for_several_cards) {
  EXPECT_STR(read_list(NULL, 3), "0,1,2");
  EXPECT_STR(read_list("2,0", 3), "2,0");
  EXPECT_STR(read_list("1,7,0", 3), "1");
  EXPECT_STR(read_list("1,2,1", 3), "refused");
  EXPECT_STR(read_list("GPU-abc,GPU-00000001", 3), "2,1");
  // A beginning that two cards share names none.
  EXPECT_STR(read_list("GPU-0000000", 3), "");
  EXPECT_STR(read_list("GPU-abc,0", 3), "2");
  EXPECT_STR(read_list("0,GPU-abc", 3), "0");
  EXPECT_STR(read_list("GPU-abc,GPU-abcd", 3), "refused");
  EXPECT_STR(read_list("GPU-abcdef00-1111-2222-3333-4444444444440", 3), "");
}

TEST(visible, of_no_cards_shows_none) {
  EXPECT_STR(read_list(NULL, 0), "");
  EXPECT_STR(read_list("0", 0), "");
}
