// str_test.c - Tests of how far texts are from each other.
#include "base/str.h"

#include "harness.h"

TEST(str, distance) {
  EXPECT_EQ(berth_str_distance("", ""), 0);
  EXPECT_EQ(berth_str_distance("abc", ""), 3);
  EXPECT_EQ(berth_str_distance("", "abc"), 3);
  EXPECT_EQ(berth_str_distance("MatMul", "matmul"), 0);
  EXPECT_EQ(berth_str_distance("Telsa K40", "Tesla K40c"), 2);
  EXPECT_EQ(berth_str_distance("rnu", "run"), 1);
  EXPECT_EQ(berth_str_distance("kitten", "sitting"), 3);
  EXPECT_EQ(berth_str_distance("abcd", "badc"), 2);
  EXPECT_EQ(berth_str_distance("abc", "xyz"), 3);
}

TEST(str, long_texts_differ_in_all) {
  char text[66];
  memset(text, 'a', sizeof(text) - 1);
  text[65] = '\0';
  EXPECT_EQ(berth_str_distance(text, text), 65);
  text[64] = '\0';
  EXPECT_EQ(berth_str_distance(text, text), 0);
  EXPECT_EQ(berth_str_distance(text, ""), 64);
}
