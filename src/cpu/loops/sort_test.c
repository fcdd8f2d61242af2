// sort_test.c - Elements are put in order, stably, for any number of them.
#include "cpu/loops/sort.h"

#include <math.h>
#include <stdlib.h>

#include "harness.h"

static uint64_t next_word(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return *state >> 20;
}

static void check_words(int64_t count, uint64_t mask) {
  uint64_t *words = malloc((size_t)count * 2 * sizeof(uint64_t) + 1);
  uint64_t state = 7;
  ASSERT_TRUE(words != NULL);
  for (int64_t i = 0; i < count; ++i) {
    words[i] = (next_word(&state) & mask) << 32 | (uint64_t)i;
  }
  uint64_t *sorted = berth_sort_words(words, words + count, count, 32, 64);
  ASSERT_TRUE(sorted == words || sorted == words + count);
  for (int64_t i = 1; i < count; ++i) ASSERT_TRUE(sorted[i - 1] < sorted[i]);
  free(words);
}

TEST(sort, words_come_by_key_and_then_as_they_were) {
  check_words(0, 0xff);
  check_words(1, 0xff);
  check_words(1000, 0x3);         // Many are equal.
  check_words(1000, 0xff00ff00);  // Some digits are all the same.
  check_words(700001, 0xffffffff);
}

TEST(sort, entries_come_by_all_of_their_keys) {
  enum { COUNT = 300000 };
  berth_sort_entry_t *entries = calloc(2 * COUNT, sizeof(*entries));
  uint64_t state = 3;
  ASSERT_TRUE(entries != NULL);
  for (int64_t i = 0; i < COUNT; ++i) {
    entries[i] = (berth_sort_entry_t){next_word(&state) << (i % 2 * 20), i};
  }
  const berth_sort_entry_t *sorted =
      berth_sort_entries(entries, entries + COUNT, COUNT, 0, 64);
  ASSERT_TRUE(sorted != NULL);
  for (int64_t i = 1; i < COUNT; ++i) {
    ASSERT_TRUE(sorted[i - 1].key <= sorted[i].key);
  }
  free(entries);
}

// What TensorFlow gives for tf.argsort(…, direction='DESCENDING').
TEST(sort, loosely_leaves_what_is_no_number_where_it_hinders) {
  const double values[] = {3, NAN, 1, NAN, 2};
  const int64_t expected[] = {0, 1, 2, 3, 4};
  int64_t places[5];
  berth_sort_loosely(values, places, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(places[i], expected[i]);
  const double more[] = {-3, NAN, -1, NAN, INFINITY, -INFINITY};
  const int64_t wanted[] = {4, 2, 0, 1, 3, 5};
  int64_t found[6];
  berth_sort_loosely(more, found, 6);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(found[i], wanted[i]);
}

TEST(sort, loosely_is_an_order_where_all_are_numbers) {
  enum { COUNT = 5000 };
  static double values[COUNT];
  static int64_t places[COUNT];
  uint64_t state = 11;
  for (int i = 0; i < COUNT; ++i) {
    values[i] = (double)(next_word(&state) % 100);
  }
  berth_sort_loosely(values, places, COUNT);
  for (int i = 1; i < COUNT; ++i) {
    double before = values[places[i - 1]], now = values[places[i]];
    EXPECT_TRUE(before > now || (before == now && places[i - 1] < places[i]));
  }
}

// Rows that lead quicksort astray, and rows without any number, end.
TEST(sort, loosely_ends_whatever_it_is_given) {
  enum { COUNT = 100000 };
  double *values = malloc(COUNT * sizeof(double));
  int64_t *places = malloc(COUNT * sizeof(int64_t));
  ASSERT_TRUE(values != NULL && places != NULL);
  for (int kind = 0; kind < 4; ++kind) {
    int64_t sum = 0;
    for (int64_t i = 0; i < COUNT; ++i) {
      values[i] = kind == 0   ? NAN
                  : kind == 1 ? (double)(i % 2)
                  : kind == 2 ? (double)i
                              : (i % 3 == 0 ? NAN : (double)(i % 1000));
    }
    berth_sort_loosely(values, places, COUNT);
    for (int64_t i = 0; i < COUNT; ++i) sum += places[i];
    EXPECT_EQ(sum, (int64_t)COUNT * (COUNT - 1) / 2);
  }
  free(values);
  free(places);
}

