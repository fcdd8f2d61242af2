// unicode_test.c - Code points are read, written and change their case.
#include "base/unicode.h"

#include "harness.h"

static void expect_read(const char *text, size_t size, int32_t c, int length) {
  int32_t found = 0;
  EXPECT_EQ(berth_utf8_read(text, size, &found), length);
  EXPECT_EQ(found, c);
}

TEST(unicode, reads_what_is_well_formed) {
  expect_read("a", 1, 'a', 1);
  expect_read("\xc3\xa9", 2, 0xe9, 2);
  expect_read("\xe8\xaf\xad", 3, 0x8bed, 3);
  expect_read("\xf0\x9f\x98\x8a", 4, 0x1f60a, 4);
}

TEST(unicode, tells_how_much_of_a_wrong_one_there_is) {
  expect_read("\xff", 1, -1, 1);
  expect_read("\xc0\x80", 2, -1, 1);      // Too long.
  expect_read("\xed\xa0\x80", 3, -1, 1);  // A surrogate.
  expect_read("\xe2\x82", 2, -1, 2);      // Cut off.
  expect_read("\xf0\x9f\x98x", 4, -1, 3);
  expect_read("\xf4\x90\x80\x80", 4, -1, 1);  // Beyond the last.
}

TEST(unicode, every_letter_is_read_as_it_was_written) {
  for (int32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 97) {
    berth_str_t str = {0};
    int32_t found = -1;
    if (c >= 0xd800 && c <= 0xdfff) continue;
    berth_utf8_put(&str, c);
    EXPECT_EQ(berth_utf8_read(berth_str_get(&str), str.size, &found), str.size);
    EXPECT_EQ(found, c);
    berth_str_clear(&str);
  }
}

static void expect_cases(const char *text, const char *lower,
                         const char *upper) {
  berth_str_t low = {0}, up = {0};
  int32_t letter = 0;
  EXPECT_TRUE(berth_text_lower(text, strlen(text), &low, &letter));
  EXPECT_TRUE(berth_text_upper(text, strlen(text), &up, &letter));
  EXPECT_STR(berth_str_get(&low), lower);
  EXPECT_STR(berth_str_get(&up), upper);
  berth_str_clear(&low);
  berth_str_clear(&up);
}

TEST(unicode, changes_the_case_of_letters) {
  expect_cases("aZ1", "az1", "AZ1");
  expect_cases("\xc3\x84\xc3\x9f", "\xc3\xa4\xc3\x9f", "\xc3\x84SS");
  // A sigma at the end of a word has a form of its own.
  expect_cases("\xce\x91\xce\xa3", "\xce\xb1\xcf\x82", "\xce\x91\xce\xa3");
  expect_cases("\xd0\x96\xc5\xbd", "\xd0\xb6\xc5\xbe", "\xd0\x96\xc5\xbd");
}

TEST(unicode, says_which_letter_it_cannot_change) {
  berth_str_t str = {0};
  int32_t letter = 0;
  EXPECT_FALSE(berth_text_upper("\xef\xac\x81", 3, &str, &letter));
  EXPECT_EQ(letter, 0xfb01);
  berth_str_clear(&str);
}

TEST(unicode, knows_the_scripts_of_characters) {
  static const int32_t known[][2] = {
      {0, 0},        {'A', 25},      {'[', 0},       {0x3b1, 14},
      {0x300, 1},    {0x4e00, 17},   {0xd800, 103},  {0x10ffff, 103},
      {-1, -1},      {0x110000, -1}, {INT32_MAX, -1}, {INT32_MIN, -1}};
  for (int i = 0; i < BERTH_COUNT_OF(known); ++i) {
    EXPECT_EQ(berth_char_script(known[i][0]), known[i][1]);
  }
}
