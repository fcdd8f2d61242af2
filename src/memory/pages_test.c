// pages_test.c - Pieces and where they lie, and ages without a clock.
#include "memory/pages.h"

#include "base/fault.h"
#include "harness.h"
#include "memory/ages.h"
#include "memory/fake_card.h"

enum { UNIT = 4096, COUNT = 64 };

static berth_pages_t made(void) {
  berth_pages_t pages;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pages_init(&pages, UNIT, COUNT, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return pages;
}

static void expect_sound(const berth_pages_t *pages) {
  const char *wrong = berth_pages_check(pages);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
}

static berth_piece_t *put(berth_pages_t *pages, int order, uint64_t first) {
  berth_piece_t *piece = berth_pages_add(pages, order);
  berth_pages_put(pages, piece, first);
  return piece;
}

static void clear(berth_pages_t *pages, berth_piece_t *piece) {
  berth_pages_wake(pages, piece);
  if (piece->is_mapped) berth_pages_cut(pages, piece);
  berth_pages_remove(pages, piece);
}

//   0 1 2 3 4 5 6 7 8 9
//   a a     b b b b   c
TEST(pages, runs_are_covered_by_what_lies_within) {
  berth_pages_t pages = made();
  berth_piece_t *a = put(&pages, 1, 0), *b = put(&pages, 2, 4);
  berth_piece_t *c = put(&pages, 0, 9);
  EXPECT_EQ(pages.held_bytes, 7 * UNIT);
  EXPECT_EQ(pages.piece_count, 3);
  EXPECT_TRUE(berth_pages_hold(&pages, (berth_page_run_t){0, 2}));
  EXPECT_FALSE(berth_pages_hold(&pages, (berth_page_run_t){0, 3}));
  EXPECT_EQ(berth_pages_missing(&pages, (berth_page_run_t){0, 10}), 3);
  EXPECT_EQ(berth_pages_missing(&pages, (berth_page_run_t){0, 6}), 4);
  berth_gap_t gap;
  EXPECT_FALSE(berth_pages_gap(&pages, (berth_page_run_t){4, 4}, &gap));
  ASSERT_TRUE(berth_pages_gap(&pages, (berth_page_run_t){0, 10}, &gap));
  EXPECT_TRUE(gap.across == NULL);
  EXPECT_EQ(gap.run.first, 2);
  EXPECT_EQ(gap.run.count, 2);
  ASSERT_TRUE(berth_pages_gap(&pages, (berth_page_run_t){4, 3}, &gap));
  EXPECT_TRUE(gap.across == b);
  ASSERT_TRUE(berth_pages_gap(&pages, (berth_page_run_t){5, 5}, &gap));
  EXPECT_TRUE(gap.across == b);
  berth_pages_drop(&pages, (berth_page_run_t){0, 6});  // b reaches beyond.
  EXPECT_EQ(pages.idle_bytes, 2 * UNIT);
  expect_sound(&pages);
  clear(&pages, a);
  clear(&pages, b);
  clear(&pages, c);
  expect_sound(&pages);
  berth_pages_deinit(&pages);
}

TEST(pages, idle_ones_are_found_oldest_first_and_loose_before) {
  berth_pages_t pages = made();
  berth_piece_t *a = put(&pages, 0, 0), *b = put(&pages, 0, 1);
  berth_piece_t *c = berth_pages_add(&pages, 0), *d = put(&pages, 3, 8);
  EXPECT_TRUE(berth_pages_find(&pages, 0, UINT64_MAX) == NULL);
  berth_pages_rest(&pages, b);
  berth_pages_rest(&pages, b);  // Already so.
  berth_pages_rest(&pages, d);
  berth_pages_rest(&pages, a);
  EXPECT_TRUE(berth_pages_find(&pages, 0, UINT64_MAX) == b);
  EXPECT_TRUE(berth_pages_find(&pages, 0, 0) == NULL);  // Too fresh.
  EXPECT_TRUE(berth_pages_find(&pages, 1, UINT64_MAX) == NULL);
  berth_pages_rest(&pages, c);
  EXPECT_TRUE(berth_pages_find(&pages, 0, 0) == c);
  EXPECT_TRUE(berth_pages_oldest(&pages, true) == b);
  berth_pages_wake(&pages, b);
  EXPECT_TRUE(berth_pages_oldest(&pages, true) == d);
  EXPECT_TRUE(berth_pages_oldest(&pages, false) == NULL);
  EXPECT_EQ(pages.idle_bytes, 10 * UNIT);
  expect_sound(&pages);
  clear(&pages, a);
  clear(&pages, b);
  clear(&pages, c);
  clear(&pages, d);
  berth_pages_deinit(&pages);
}

TEST(pages, busy_ones_are_told_from_those_that_have_passed) {
  fake_timeline_t fakes[2];
  berth_timeline_t *timelines[] = {&fakes[0].base, &fakes[1].base};
  fake_timeline_init(&fakes[0]);
  fake_timeline_init(&fakes[1]);
  berth_pages_t pages = made();
  pages.timelines = timelines;
  pages.timeline_count = 2;
  berth_piece_t *a = put(&pages, 0, 0), *b = put(&pages, 0, 1);
  atomic_store(&fakes[1].base.submitted, 5);
  berth_pages_rest(&pages, a);
  atomic_store(&fakes[0].base.submitted, 3);
  berth_pages_rest(&pages, b);
  EXPECT_TRUE(berth_pages_find(&pages, 0, UINT64_MAX) == NULL);
  EXPECT_TRUE(berth_pages_oldest(&pages, false) == a);
  pages.passed[1] = 5;
  EXPECT_TRUE(berth_pages_is_passed(&pages, a));
  EXPECT_FALSE(berth_pages_is_passed(&pages, b));
  EXPECT_TRUE(berth_pages_find(&pages, 0, UINT64_MAX) == a);
  pages.passed[0] = 2;
  EXPECT_FALSE(berth_pages_is_passed(&pages, b));
  pages.passed[0] = 3;
  EXPECT_TRUE(berth_pages_is_passed(&pages, b));
  clear(&pages, a);
  clear(&pages, b);
  berth_pages_deinit(&pages);
}

TEST(pages, needs_memory) {
  berth_pages_t pages;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm("alloc", 1);
  EXPECT_FAILS(berth_pages_init(&pages, UNIT, COUNT, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "out of host memory for a page table");
  berth_fault_disarm();
}

// ---- Ages ----

TEST(ages, an_answer_is_never_too_young) {
  berth_ages_t ages = {0};
  EXPECT_EQ(berth_ages_at(&ages, INT64_MAX), 0);
  berth_ages_note(&ages, 100, 7);
  berth_ages_note(&ages, 200, 7);  // Says nothing new.
  berth_ages_note(&ages, 300, 9);
  berth_ages_note(&ages, 250, 11);  // A clock that another thread read later.
  EXPECT_EQ(berth_ages_at(&ages, 99), 0);
  EXPECT_EQ(berth_ages_at(&ages, 100), 7);
  EXPECT_EQ(berth_ages_at(&ages, 299), 7);
  EXPECT_EQ(berth_ages_at(&ages, 1000), 9);
}

// After any number of notes, one second ago is known to a quarter, and an hour
// ago too.
TEST(ages, late_by_a_fraction_of_the_age) {
  berth_ages_t ages = {0};
  const int64_t step = 10, last = 4000000;
  for (int64_t now = step; now <= last; now += step) {
    berth_ages_note(&ages, now, (uint64_t)now);
  }
  for (int64_t age = 1000; age <= last / 2; age *= 2) {
    int64_t known = (int64_t)berth_ages_at(&ages, last - age);
    EXPECT_TRUE(known <= last - age);
    if (last - known > age * 5 / 2) {
      HARNESS_FAIL("%lld ago is known as %lld", (long long)age,
                   (long long)(last - known));
    }
  }
}
