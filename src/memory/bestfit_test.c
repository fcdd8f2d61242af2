// bestfit_test.c - Best fit: layout, merging, and a long run against a shadow.
#include "memory/bestfit.h"

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "harness.h"

static const berth_split_t always = {0};

static berth_bestfit_t made(uint64_t size, berth_split_t split) {
  berth_bestfit_t fit;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_bestfit_init(&fit, size, split, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return fit;
}

static void expect_sound(const berth_bestfit_t *fit) {
  const char *wrong = berth_bestfit_check(fit);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
}

TEST(bestfit, rounds_to_the_grain) {
  berth_bestfit_t fit = made(4096, always);
  static const uint64_t cases[][2] = {{0, 256},   {1, 256},   {256, 256},
                                      {257, 512}, {300, 512}, {1024, 1024}};
  uint64_t end = 0;
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_span_t *span = berth_bestfit_alloc(&fit, cases[i][0]);
    ASSERT_TRUE(span != NULL);
    EXPECT_EQ(span->offset, end);
    EXPECT_EQ(span->size, cases[i][1]);
    EXPECT_EQ(span->requested, cases[i][0]);
    end += cases[i][1];
  }
  EXPECT_EQ(fit.free_bytes, 4096 - end);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

// Cuts |fit| into spans of |sizes| bytes, each followed by one in use.
static void make_holes(berth_bestfit_t *fit, const uint64_t *sizes,
                       berth_span_t **holes, int count) {
  for (int i = 0; i < count; ++i) {
    holes[i] = berth_bestfit_alloc(fit, sizes[i]);
    EXPECT_TRUE(berth_bestfit_alloc(fit, 256) != NULL);
  }
  for (int i = 0; i < count; ++i) berth_bestfit_free(fit, holes[i]);
}

TEST(bestfit, takes_the_smallest_that_fits_and_the_leftmost_of_equals) {
  berth_bestfit_t fit = made(1 << 20, always);
  static const uint64_t sizes[] = {8192, 2048, 1024, 2048, 4096};
  berth_span_t *holes[5];
  uint64_t offsets[5], at = 0;
  for (int i = 0; i < 5; ++i) {
    offsets[i] = at;
    at += sizes[i] + 256;
  }
  make_holes(&fit, sizes, holes, 5);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 1500)->offset, offsets[1]);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 2048)->offset, offsets[3]);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 2048)->offset, offsets[4]);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 2048)->offset, offsets[4] + 2048);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 1024)->offset, offsets[2]);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 8192)->offset, offsets[0]);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

// Two sizes of one bin above the exact ones: the first in it may be too small.
TEST(bestfit, looks_past_a_smaller_span_of_the_same_bin) {
  berth_bestfit_t fit = made(1 << 24, always);
  static const uint64_t sizes[] = {256 * 64, 256 * 66, 256 * 70};
  berth_span_t *holes[3];
  make_holes(&fit, sizes, holes, 3);
  EXPECT_EQ(berth_bestfit_alloc(&fit, 256 * 67)->offset,
            256 * (64 + 1 + 66 + 1));
  EXPECT_EQ(berth_bestfit_alloc(&fit, 256 * 65)->offset, 256 * 65);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

TEST(bestfit, merges_with_both_neighbours) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                  {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int i = 0; i < BERTH_COUNT_OF(orders); ++i) {
    berth_bestfit_t fit = made(3 * 1024, always);
    berth_span_t *spans[3];
    for (int j = 0; j < 3; ++j) spans[j] = berth_bestfit_alloc(&fit, 1024);
    EXPECT_EQ(berth_bestfit_largest(&fit), 0);
    for (int j = 0; j < 3; ++j) {
      berth_bestfit_free(&fit, spans[orders[i][j]]);
      expect_sound(&fit);
    }
    EXPECT_EQ(berth_bestfit_largest(&fit), 3 * 1024);
    EXPECT_TRUE(fit.first->next == NULL);
    berth_bestfit_deinit(&fit);
  }
}

TEST(bestfit, refuses_what_does_not_fit_in_one_span) {
  berth_bestfit_t fit = made(4096, always);
  berth_span_t *spans[4];
  for (int i = 0; i < 4; ++i) spans[i] = berth_bestfit_alloc(&fit, 1024);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, 1) == NULL);
  berth_bestfit_free(&fit, spans[0]);
  berth_bestfit_free(&fit, spans[2]);
  EXPECT_EQ(fit.free_bytes, 2048);
  EXPECT_EQ(berth_bestfit_largest(&fit), 1024);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, 1025) == NULL);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, 4097) == NULL);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, UINT64_MAX) == NULL);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, 1024) == spans[0]);
  berth_bestfit_deinit(&fit);
}

// TensorFlow's rule: the rest is split off at twice the request, or 128 MiB.
TEST(bestfit, splits_by_factor_or_waste) {
  const berth_split_t rule = {.factor = 2, .waste = 4096};
  static const struct {
    uint64_t have, want, got;
  } cases[] = {{2048, 1024, 1024},   {1792, 1024, 1792},  {1024, 1024, 1024},
               {512, 256, 256},      {10240, 6144, 6144}, {9984, 6144, 9984},
               {20480, 15000, 15104}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_bestfit_t fit = made(cases[i].have, rule);
    EXPECT_EQ(berth_bestfit_alloc(&fit, cases[i].want)->size, cases[i].got);
    expect_sound(&fit);
    berth_bestfit_deinit(&fit);
  }
}

TEST(bestfit, largest_region) {
  berth_bestfit_t fit = made(BERTH_BESTFIT_MAX, always);
  berth_span_t *span = berth_bestfit_alloc(&fit, BERTH_BESTFIT_MAX - 256);
  ASSERT_TRUE(span != NULL);
  EXPECT_EQ(berth_bestfit_largest(&fit), 256);
  berth_bestfit_free(&fit, span);
  EXPECT_EQ(berth_bestfit_alloc(&fit, BERTH_BESTFIT_MAX)->size,
            (int64_t)BERTH_BESTFIT_MAX);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

// Without memory for records the caller gets more than it needs, never an
// error.
TEST(bestfit, gives_whole_spans_when_records_run_out) {
  berth_bestfit_t fit = made(1 << 20, always);
  int count = 0;
  for (int nth = 1; nth <= 2; ++nth) {
    berth_fault_arm("alloc", 1);
    berth_span_t *span = NULL;
    do {
      span = berth_bestfit_alloc(&fit, 256);
      ASSERT_TRUE(span != NULL);
      ++count;
    } while (span->size == 256);
    EXPECT_EQ(berth_fault_disarm(), 1);
    EXPECT_EQ(span->next == NULL, true);
    berth_bestfit_free(&fit, span);
    expect_sound(&fit);
  }
  EXPECT_TRUE(count > 2);
  berth_bestfit_deinit(&fit);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm("alloc", 1);
  EXPECT_FAILS(berth_bestfit_init(&fit, 4096, always, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "out of host memory for the spans of a region");
  berth_fault_disarm();
}

TEST(bestfit, finding_is_not_taking) {
  berth_bestfit_t fit = made(4096, always);
  EXPECT_TRUE(berth_bestfit_find(&fit, 4097) == NULL);
  const berth_span_t *found = berth_bestfit_find(&fit, 100);
  EXPECT_EQ(fit.free_bytes, 4096);
  EXPECT_TRUE(berth_bestfit_alloc(&fit, 100) == found);
  EXPECT_TRUE(berth_bestfit_find(&fit, 4000) == NULL);
  berth_bestfit_deinit(&fit);
}

TEST(bestfit, far_is_the_end_of_the_largest) {
  berth_bestfit_t fit = made(8192, always);
  berth_span_t *a = berth_bestfit_alloc(&fit, 1024);
  berth_span_t *far = berth_bestfit_alloc_far(&fit, 1000);
  EXPECT_EQ(far->offset, 8192 - 1024);
  EXPECT_EQ(far->size, 1024);
  EXPECT_EQ(far->requested, 1000);
  EXPECT_TRUE(far->in_use && far->prev != a);
  expect_sound(&fit);
  berth_span_t *all = berth_bestfit_alloc_far(&fit, 6144);
  EXPECT_EQ(all->offset, 1024);
  EXPECT_TRUE(berth_bestfit_alloc_far(&fit, 256) == NULL);
  EXPECT_TRUE(berth_bestfit_alloc_far(&fit, 9000) == NULL);
  expect_sound(&fit);
  berth_bestfit_free(&fit, a);
  berth_bestfit_free(&fit, far);
  berth_bestfit_free(&fit, all);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

// ---- A long run against a shadow map ----

enum { SHADOW_GRAINS = 8192, LIVE = 512 };

typedef struct shadow {
  bool used[SHADOW_GRAINS];  // One per grain of the region.
  berth_span_t *live[LIVE];
  uint64_t state;
} shadow_t;

static uint64_t next_random(shadow_t *shadow) {
  shadow->state ^= shadow->state << 13;
  shadow->state ^= shadow->state >> 7;
  shadow->state ^= shadow->state << 17;
  return shadow->state;
}

// Mostly small, now and then large.
static uint64_t random_size(shadow_t *shadow) {
  uint64_t bits = next_random(shadow) % 17;
  return next_random(shadow) % ((uint64_t)256 << (bits / 2)) + 1;
}

// Marks the grains of |span| and fails when one is already as |used| says.
static void shadow_mark(shadow_t *shadow, const berth_span_t *span, bool used) {
  for (uint64_t i = 0; i < span->size / 256; ++i) {
    bool *grain = &shadow->used[span->offset / 256 + i];
    if (*grain == used) HARNESS_FAIL("grain %" PRIu64, span->offset / 256 + i);
    *grain = used;
  }
}

// Returns where the best fit for |want| bytes lies according to the shadow.
static int64_t shadow_best(const shadow_t *shadow, uint64_t want) {
  int64_t best = -1;
  uint64_t best_size = UINT64_MAX;
  for (uint64_t i = 0; i < SHADOW_GRAINS;) {
    uint64_t begin = i;
    while (i < SHADOW_GRAINS && !shadow->used[i]) ++i;
    uint64_t size = (i - begin) * 256;
    if (size >= want && size < best_size) {
      best = (int64_t)(begin * 256);
      best_size = size;
    }
    if (i < SHADOW_GRAINS) ++i;
  }
  return best;
}

static void shadow_step(shadow_t *shadow, berth_bestfit_t *fit, bool compare) {
  berth_span_t **slot = &shadow->live[next_random(shadow) % LIVE];
  if (*slot != NULL) {
    shadow_mark(shadow, *slot, false);
    berth_bestfit_free(fit, *slot);
    *slot = NULL;
    return;
  }
  uint64_t size = random_size(shadow);
  int64_t best = compare ? shadow_best(shadow, (size + 255) / 256 * 256) : 0;
  if (!compare && next_random(shadow) % 8 == 0) {
    *slot = berth_bestfit_alloc_far(fit, size);
  } else {
    *slot = berth_bestfit_alloc(fit, size);
  }
  if (compare) EXPECT_EQ(*slot != NULL ? (int64_t)(*slot)->offset : -1, best);
  if (*slot != NULL) shadow_mark(shadow, *slot, true);
}

TEST(bestfit, a_million_steps_against_a_shadow) {
#ifdef BERTH_CHECK
  const int check_every = 1;
#else
  const int check_every = 1000;
#endif
  const int steps = 1000000;
  static shadow_t shadow;
  shadow.state = 88172645463325252u;
  berth_bestfit_t fit = made(SHADOW_GRAINS * 256, always);
  for (int i = 0; i < steps && harness_failures == 0; ++i) {
    shadow_step(&shadow, &fit, i % 16 == 0);
    if (i % check_every == 0) expect_sound(&fit);
  }
  for (int i = 0; i < LIVE; ++i) {
    if (shadow.live[i] != NULL) berth_bestfit_free(&fit, shadow.live[i]);
  }
  expect_sound(&fit);
  EXPECT_EQ(fit.free_bytes, SHADOW_GRAINS * 256);
  EXPECT_TRUE(fit.first->next == NULL);
  berth_bestfit_deinit(&fit);
}

// Ten thousand equal holes must not make one step slow: a list would need some
// hundred times the limit.
TEST(bestfit, equal_holes_stay_cheap) {
  enum { HOLES = 20000 };
  static berth_span_t *holes[HOLES];
  berth_bestfit_t fit = made((uint64_t)HOLES * 1024, always);
  for (int i = 0; i < HOLES; ++i) {
    holes[i] = berth_bestfit_alloc(&fit, 512);
    EXPECT_TRUE(berth_bestfit_alloc(&fit, 512) != NULL);
  }
  for (int i = 0; i < HOLES; ++i) berth_bestfit_free(&fit, holes[i]);
  int64_t start = berth_now_ns();
  for (int i = 0; i < 200000; ++i) {
    berth_span_t *a = berth_bestfit_alloc(&fit, 512);
    berth_span_t *b = berth_bestfit_alloc(&fit, 512);
    berth_bestfit_free(&fit, a);
    berth_bestfit_free(&fit, b);
  }
  int64_t each = (berth_now_ns() - start) / 400000;
  if (each > 20000) HARNESS_FAIL("a pair takes %lld ns", (long long)each);
  expect_sound(&fit);
  berth_bestfit_deinit(&fit);
}

TEST(bestfit, takes_a_place_in_a_hole) {
  berth_bestfit_t fit;
  ASSERT_OK(berth_bestfit_init(&fit, 64 * 256, (berth_split_t){0}, NULL), NULL);
  berth_span_t *middle = berth_bestfit_take(&fit, fit.first, 16 * 256, 8 * 256);
  ASSERT_TRUE(middle != NULL);
  EXPECT_EQ(middle->offset, 16 * 256);
  EXPECT_EQ(middle->size, 8 * 256);
  EXPECT_TRUE(berth_bestfit_check(&fit) == NULL);
  berth_span_t *left = berth_bestfit_take(&fit, fit.first, 0, 16 * 256);
  berth_span_t *right =
      berth_bestfit_take(&fit, middle->next, 56 * 256, 8 * 256);
  ASSERT_TRUE(left != NULL && right != NULL);
  EXPECT_EQ(right->offset, 56 * 256);
  EXPECT_EQ(fit.free_bytes, 32 * 256);
  EXPECT_TRUE(berth_bestfit_check(&fit) == NULL);
  berth_bestfit_free(&fit, middle);
  berth_bestfit_free(&fit, left);
  berth_bestfit_free(&fit, right);
  EXPECT_EQ(berth_bestfit_largest(&fit), 64 * 256);
  EXPECT_TRUE(berth_bestfit_check(&fit) == NULL);
  berth_bestfit_deinit(&fit);
}
