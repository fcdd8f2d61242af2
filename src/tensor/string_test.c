// string_test.c - The elements of a string tensor.
#include "tensor/string.h"

#include "base/fault.h"
#include "harness.h"

static void expect_text(const berth_string_t *string, const char *text) {
  size_t size = 0;
  const char *got = berth_string_get(string, &size);
  EXPECT_EQ(size, strlen(text));
  EXPECT_STR(got, text);
}

TEST(string, zeroed_is_empty) {
  berth_string_t string = {0};
  expect_text(&string, "");
  berth_string_clear(&string);
}

TEST(string, small_and_large_replace_each_other) {
  const char *longest_small = "0123456789012345678901";  // 22 bytes.
  const char *shortest_large = "01234567890123456789012";
  berth_string_t string = {0};
  ASSERT_TRUE(berth_string_set(&string, longest_small, 22));
  expect_text(&string, longest_small);
  EXPECT_EQ(string.small.size, 22 << 2);
  ASSERT_TRUE(berth_string_set(&string, shortest_large, 23));
  expect_text(&string, shortest_large);
  EXPECT_EQ(string.large.size, 23 << 2 | 1);
  ASSERT_TRUE(berth_string_set(&string, "x", 1));
  expect_text(&string, "x");
  berth_string_clear(&string);
  expect_text(&string, "");
}

TEST(string, may_be_set_from_itself) {
  berth_string_t string = {0};
  size_t size = 0;
  ASSERT_TRUE(berth_string_set(&string, "abcdefghijklmnopqrstuvwxyz", 26));
  const char *text = berth_string_get(&string, &size);
  ASSERT_TRUE(berth_string_set(&string, text + 20, 6));
  expect_text(&string, "uvwxyz");
  text = berth_string_get(&string, &size);
  ASSERT_TRUE(berth_string_set(&string, text + 3, 3));
  expect_text(&string, "xyz");
}

TEST(string, keeps_nul_bytes) {
  berth_string_t a = {0}, b = {0};
  ASSERT_TRUE(berth_string_set(&a, "a\0b", 3));
  ASSERT_TRUE(berth_string_set(&b, "a\0c", 3));
  EXPECT_FALSE(berth_string_equal(&a, &b));
  ASSERT_TRUE(berth_string_set(&b, "a\0b", 3));
  EXPECT_TRUE(berth_string_equal(&a, &b));
  ASSERT_TRUE(berth_string_set(&b, "a", 1));
  EXPECT_FALSE(berth_string_equal(&a, &b));
}

TEST(string, old_text_stands_when_memory_is_short) {
  berth_string_t string = {0};
  ASSERT_TRUE(berth_string_set(&string, "old", 3));
  berth_fault_arm("alloc", 1);
  EXPECT_FALSE(berth_string_set(&string, "a text that is too long to fit", 30));
  berth_fault_disarm();
  expect_text(&string, "old");
}
