// hash_test.c - Tests of the map from strings to numbers.
#include "base/hash.h"

#include "base/fault.h"
#include "harness.h"

TEST(map, finds_what_was_set) {
  enum { COUNT = 20000 };
  static char keys[COUNT][16];
  berth_map_t map = {0};
  for (int i = 0; i < COUNT; ++i) {
    int size = snprintf(keys[i], sizeof(keys[i]), "key%d", i);
    ASSERT_TRUE(berth_map_set(&map, keys[i], (size_t)size, i));
  }
  EXPECT_EQ(map.count, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    int64_t *value = berth_map_find(&map, keys[i], strlen(keys[i]));
    ASSERT_TRUE(value != NULL);
    EXPECT_EQ(*value, i);
  }
  EXPECT_TRUE(berth_map_find(&map, "key", 3) == NULL);
  ASSERT_TRUE(berth_map_set(&map, "key7", 4, 70));
  EXPECT_EQ(map.count, COUNT);
  EXPECT_EQ(*berth_map_find(&map, "key7", 4), 70);
  berth_map_clear(&map);
  EXPECT_TRUE(berth_map_find(&map, "key7", 4) == NULL);
}

TEST(map, is_unchanged_when_memory_is_short) {
  berth_map_t map = {0};
  berth_fault_arm("alloc", 1);
  EXPECT_FALSE(berth_map_set(&map, "a", 1, 1));
  berth_fault_disarm();
  EXPECT_EQ(map.count, 0);
  EXPECT_TRUE(berth_map_set(&map, "a", 1, 1));
  berth_map_clear(&map);
}

TEST(map, tells_keys_apart_by_length) {
  berth_map_t map = {0};
  ASSERT_TRUE(berth_map_set(&map, "ab", 1, 1));
  ASSERT_TRUE(berth_map_set(&map, "ab", 2, 2));
  EXPECT_EQ(*berth_map_find(&map, "a", 1), 1);
  EXPECT_EQ(*berth_map_find(&map, "ab", 2), 2);
  berth_map_clear(&map);
}
