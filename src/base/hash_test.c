// hash_test.c - Tests of hashing, and of the map from strings to numbers.
#include "base/hash.h"

#include "base/fault.h"
#include "harness.h"

// Every byte counts, at every length, and none behind the end: the sanitizer
// sees reads past a block of exactly that size.
TEST(hash, every_byte_counts) {
  for (size_t size = 1; size <= 40; ++size) {
    unsigned char *bytes = malloc(size);
    ASSERT_TRUE(bytes != NULL);
    memset(bytes, 'a', size);
    uint64_t hash = berth_hash(bytes, size, 0);
    EXPECT_EQ(berth_hash(bytes, size, 0), hash);
    EXPECT_TRUE(berth_hash(bytes, size - 1, 0) != hash);
    EXPECT_TRUE(berth_hash(bytes, size, 1) != hash);
    for (size_t i = 0; i < size; ++i) {
      bytes[i] = 'b';
      EXPECT_TRUE(berth_hash(bytes, size, 0) != hash);
      bytes[i] = 'a';
    }
    free(bytes);
  }
}

// What is named by a hash keeps its name.
TEST(hash, stays_the_same) {
  static const struct {
    const char *text;
    uint64_t hash;
  } known[] = {
      {"", UINT64_C(0xb456bcfc34c2cb2c)},
      {"a", UINT64_C(0x97956212fcbbd79a)},
      {"ab", UINT64_C(0x1d253f7c95bcd716)},
      {"abc", UINT64_C(0x7f95e478848c1754)},
      {"abcd", UINT64_C(0xbf16766e450ea80d)},
      {"abcdefg", UINT64_C(0x9818f23740b98b35)},
      {"abcdefgh", UINT64_C(0xb1957bb3b9f817f2)},
      {"Tesla K40c", UINT64_C(0xd410a8a332041374)},
      {"NVIDIA A100-SXM4-80GB", UINT64_C(0xb121cf9a46bc2537)},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
    EXPECT_TRUE(berth_hash(known[i].text, strlen(known[i].text), 1) ==
                known[i].hash);
  }
}

// Names that differ in a letter or two go to different places.
TEST(hash, spreads_names) {
  enum { COUNT = 4096, BUCKETS = 1024 };
  static int high[BUCKETS], low[BUCKETS];
  for (int i = 0; i < COUNT; ++i) {
    char name[64];
    int size = snprintf(name, sizeof(name), "model/layer_%d/weights/read", i);
    uint64_t hash = berth_hash(name, (size_t)size, 0);
    ++low[hash % BUCKETS];
    ++high[(hash >> 32) % BUCKETS];
  }
  for (int i = 0; i < BUCKETS; ++i) {
    EXPECT_TRUE(low[i] < 8 * COUNT / BUCKETS);
    EXPECT_TRUE(high[i] < 8 * COUNT / BUCKETS);
  }
}

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
