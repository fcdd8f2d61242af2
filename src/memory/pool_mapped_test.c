// pool_mapped_test.c - Page-mapped pools: what is asked of the source, and
// when.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "harness.h"
#include "memory/fake_card.h"
#include "memory/pool.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

// A card with 2 MiB granules, a timeline, and a pool over it.
typedef struct fixture {
  fake_card_t card;
  fake_timeline_t timeline;
  berth_pool_t *pool;
} fixture_t;

// Idle memory counts as settled at once, so that tests need no time.
static berth_policy_t quick(uint64_t limit) {
  berth_policy_t policy = berth_policy_mapped(limit);
  policy.settle_ns = 0;
  return policy;
}

static void open_card(fixture_t *f, uint64_t capacity, berth_policy_t policy) {
  fake_card_init(&f->card, 2 * MIB, capacity);
  fake_timeline_init(&f->timeline);
  f->card.timeline = &f->timeline;
  berth_timeline_t *timelines[] = {&f->timeline.base};
  berth_mapped_options_t options = {.timelines = timelines,
                                    .timeline_count = 1};
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_create_mapped(&f->card.source, &policy, &options, &f->pool,
                               &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
}

static void close_card(fixture_t *f) {
  berth_pool_destroy(f->pool);
  EXPECT_STR(fake_card_deinit(&f->card), "");
}

static berth_buffer_t *taken(fixture_t *f, uint64_t size) {
  berth_buffer_t *buffer = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_buffer(f->pool, size, &buffer, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    berth_error_clear(&err);
    return NULL;
  }
  EXPECT_EQ((uintptr_t)buffer->data % 256, 0);
  EXPECT_TRUE(fake_is_mapped(&f->card, buffer->data, size > 0 ? size : 1));
  return buffer;
}

static berth_memory_stats_t stats_of(fixture_t *f) {
  berth_memory_stats_t stats;
  const char *wrong = berth_pool_check(f->pool);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
  berth_pool_stats(f->pool, &stats);
  return stats;
}

static berth_pool_figures_t figures_of(fixture_t *f) {
  berth_pool_figures_t figures;
  berth_pool_figures(f->pool, &figures);
  return figures;
}

// ---- Taking ----

TEST(mapped, touches_the_card_at_the_first_allocation) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  EXPECT_EQ(f.card.granules, 0);
  berth_buffer_t *a = taken(&f, 300), *b = taken(&f, 0);
  EXPECT_EQ(f.card.granules, 16 * GIB / (2 * MIB));
  EXPECT_EQ(f.card.used, 2 * MIB);
  EXPECT_EQ((char *)b->data - (char *)a->data, 512);
  berth_memory_stats_t stats = stats_of(&f);
  EXPECT_EQ(stats.num_allocs, 2);
  EXPECT_EQ(stats.bytes_in_use, 768);
  EXPECT_EQ(stats.pool_bytes, 2 * MIB);
  EXPECT_EQ(stats.idle_bytes, 0);
  EXPECT_EQ(stats.region_count, 1);
  EXPECT_EQ(stats.bytes_limit, GIB);
  EXPECT_EQ(stats.largest_free_block_bytes, GIB - 2 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  EXPECT_EQ(stats_of(&f).idle_bytes, 2 * MIB);
  EXPECT_EQ(f.card.used, 2 * MIB);
  close_card(&f);
}

// Pieces are powers of two, as large as the request allows.
TEST(mapped, pieces_are_as_large_as_the_request) {
  static const struct {
    uint64_t mib;
    int pieces;
  } cases[] = {{2, 1},   {4, 1},    {6, 2},     {14, 3},  {64, 1},
               {700, 6}, {1024, 1}, {2046, 10}, {3072, 3}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    fixture_t f;
    open_card(&f, 8 * GIB, quick(0));
    berth_buffer_t *a = taken(&f, cases[i].mib * MIB);
    EXPECT_EQ(f.card.creates, cases[i].pieces);
    EXPECT_EQ(f.card.used, cases[i].mib * MIB);
    EXPECT_EQ(stats_of(&f).bytes_in_use, cases[i].mib * MIB);
    berth_buffer_release(a);
    close_card(&f);
  }
}

// Granules of their own only for requests that fill them well.
TEST(mapped, small_and_odd_sizes_share_granules) {
  fixture_t f;
  open_card(&f, GIB, quick(0));
  static const struct {
    uint64_t size, in_use;
  } cases[] = {{1, 256},
               {MIB + MIB / 2, MIB + MIB / 2},
               {2 * MIB, 2 * MIB},
               {2 * MIB - 1, 2 * MIB},
               {2 * MIB + 1, 2 * MIB + 256},
               {5 * MIB, 5 * MIB},
               {7 * MIB + 512 * KIB, 8 * MIB},
               {17 * MIB, 18 * MIB}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    int64_t before = stats_of(&f).bytes_in_use;
    berth_buffer_t *a = taken(&f, cases[i].size);
    EXPECT_EQ(a->size, cases[i].size);
    EXPECT_EQ(stats_of(&f).bytes_in_use - before, cases[i].in_use);
    berth_buffer_release(a);
  }
  close_card(&f);
}

TEST(mapped, a_loop_asks_the_source_once) {
  fixture_t f;
  open_card(&f, 4 * GIB, quick(4 * GIB));
  for (int i = 0; i < 100; ++i) {
    berth_buffer_t *a = taken(&f, 700 * MIB), *b = taken(&f, 1000);
    berth_buffer_t *c = taken(&f, 300 * MIB + 5);
    berth_buffer_release(a);
    berth_buffer_release(c);
    berth_buffer_release(b);
  }
  EXPECT_EQ(f.card.creates, f.card.maps);
  EXPECT_TRUE(f.card.creates < 20);
  EXPECT_EQ(f.card.unmaps, 0);
  EXPECT_EQ(figures_of(&f).move_count, 0);
  close_card(&f);
}

// ---- Moving ----

// Four live tensors, every second released: half is free, in holes. One that is
// as large as both holes together is served from them.
TEST(mapped, holes_serve_a_larger_request) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  berth_buffer_t *a[4];
  for (int i = 0; i < 4; ++i) a[i] = taken(&f, 256 * MIB);
  EXPECT_EQ(f.card.used, GIB);
  berth_buffer_release(a[0]);
  berth_buffer_release(a[2]);
  berth_buffer_t *b = taken(&f, 512 * MIB);
  EXPECT_EQ(f.card.used, GIB);
  EXPECT_EQ(f.card.creates, 4);
  berth_pool_figures_t figures = figures_of(&f);
  EXPECT_EQ(figures.move_count, 2);
  EXPECT_EQ(figures.moved_bytes, 512 * MIB);
  EXPECT_TRUE(figures.source_ns > 0);
  EXPECT_EQ(stats_of(&f).largest_free_block_bytes, 0);
  berth_buffer_release(a[1]);
  berth_buffer_release(a[3]);
  berth_buffer_release(b);
  close_card(&f);
}

// What is too large is returned and what is needed is got, never more than the
// limit at any time.
TEST(mapped, large_pieces_become_small_ones_and_back) {
  fixture_t f;
  open_card(&f, GIB, quick(64 * MIB));
  berth_buffer_t *all = taken(&f, 64 * MIB);
  EXPECT_EQ(f.card.creates, 1);
  berth_buffer_release(all);
  berth_buffer_t *a[32];
  for (int i = 0; i < 32; ++i) a[i] = taken(&f, 2 * MIB);
  EXPECT_EQ(f.card.used, 64 * MIB);
  EXPECT_EQ(f.card.creates, 33);
  for (int i = 0; i < 32; ++i) berth_buffer_release(a[i]);
  all = taken(&f, 64 * MIB);
  EXPECT_EQ(f.card.used, 64 * MIB);
  EXPECT_TRUE(f.card.peak <= 64 * MIB);
  stats_of(&f);
  berth_buffer_release(all);
  close_card(&f);
}

// Memory that was in use a moment ago stays where it is while new memory can be
// had: the next round of a loop will want it there.
TEST(mapped, fresh_memory_stays_while_there_is_room) {
  fixture_t f;
  berth_policy_t policy = berth_policy_mapped(GIB);
  policy.settle_ns = (int64_t)3600 * 1000000000;
  open_card(&f, GIB, policy);
  berth_buffer_t *a = taken(&f, 256 * MIB), *b = taken(&f, 2 * MIB);
  berth_buffer_release(a);
  berth_buffer_t *c = taken(&f, 512 * MIB);  // Does not fit the hole.
  EXPECT_EQ(f.card.unmaps, 0);
  EXPECT_EQ(stats_of(&f).pool_bytes, 770 * MIB);
  berth_buffer_t *d = taken(&f, 510 * MIB);  // Only with what is idle.
  EXPECT_TRUE(f.card.unmaps > 0);
  EXPECT_EQ(f.card.used, GIB);
  berth_buffer_release(b);
  berth_buffer_release(c);
  berth_buffer_release(d);
  close_card(&f);
}

// ---- Work under way ----

// Memory that work may still touch is used again where it lies, but not moved:
// there is room, so other memory is taken.
TEST(mapped, busy_memory_is_not_moved) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  berth_buffer_t *a = taken(&f, 256 * MIB);
  berth_buffer_t *wall = taken(&f, 2 * MIB);
  fake_work(&f.card, a->data, a->size);
  void *where = a->data;
  berth_buffer_release(a);
  berth_buffer_t *b = taken(&f, 300 * MIB);
  EXPECT_EQ(f.card.unmaps, 0);
  a = taken(&f, 256 * MIB);
  EXPECT_TRUE(a->data == where);
  EXPECT_EQ(f.card.unmaps, 0);
  EXPECT_EQ(atomic_load(&f.timeline.waits), 0);
  berth_buffer_release(a);
  fake_finish(&f.card);
  EXPECT_EQ(berth_pool_trim(f.pool, 0), 256 * MIB);
  berth_buffer_release(b);
  berth_buffer_release(wall);
  close_card(&f);
}

// At the limit it is waited for.
TEST(mapped, busy_memory_is_waited_for_at_the_limit) {
  fixture_t f;
  open_card(&f, GIB, quick(512 * MIB));
  berth_buffer_t *a = taken(&f, 256 * MIB), *wall = taken(&f, 2 * MIB);
  fake_work(&f.card, a->data, a->size);
  berth_buffer_release(a);
  EXPECT_EQ(berth_pool_trim(f.pool, 0), 0);  // Trimming does not wait.
  berth_buffer_t *b = taken(&f, 510 * MIB);
  EXPECT_EQ(atomic_load(&f.timeline.waits), 1);
  EXPECT_EQ(f.card.used, 512 * MIB);
  berth_buffer_release(b);
  berth_buffer_release(wall);
  close_card(&f);
}

// A smaller request would have to cut what is still busy: it goes elsewhere.
TEST(mapped, steps_aside_of_a_busy_edge) {
  fixture_t f;
  open_card(&f, 8 * GIB, quick(8 * GIB));
  for (int i = 0; i < 10; ++i) {
    berth_buffer_t *a = taken(&f, 700 * MIB);
    fake_work(&f.card, a->data, a->size);
    berth_buffer_release(a);
    berth_buffer_t *b = taken(&f, 600 * MIB);
    fake_work(&f.card, b->data, b->size);
    berth_buffer_release(b);
    stats_of(&f);
  }
  EXPECT_EQ(f.card.unmaps, 0);
  EXPECT_EQ(atomic_load(&f.timeline.waits), 0);
  EXPECT_EQ(f.card.used, 1300 * MIB);
  close_card(&f);
}

TEST(mapped, a_lost_device_is_an_error_and_can_be_closed) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, GIB, quick(64 * MIB));
  berth_buffer_t *a = taken(&f, 64 * MIB), *b = NULL;
  fake_work(&f.card, a->data, a->size);
  berth_buffer_release(a);
  atomic_store(&f.timeline.is_lost, true);
  EXPECT_FAILS(berth_pool_buffer(f.pool, 32 * MIB, &b, &err), BERTH_INTERNAL,
               &err, "the device is lost");
  stats_of(&f);
  f.card.timeline = NULL;  // What it did no longer counts.
  close_card(&f);
}

// ---- Limits ----

TEST(mapped, the_limit_is_a_limit) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, GIB, quick(10 * MIB));
  berth_buffer_t *a = taken(&f, 6 * MIB), *b = NULL, *c = taken(&f, 100);
  berth_request_t request = {.size = 4 * MIB, .label = "conv1/Conv2D"};
  EXPECT_FAILS(
      berth_pool_request(f.pool, &request, &b, &err), BERTH_RESOURCE_EXHAUSTED,
      &err,
      "GPU:0 is out of memory: asked 4.00MiB for conv1/Conv2D; limit 10.00MiB, "
      "in use 6.00MiB, largest free span 2.00MiB; the limit leaves no room");
  EXPECT_TRUE(b == NULL);
  EXPECT_EQ(f.card.used, 8 * MIB);
  berth_buffer_release(c);
  b = taken(&f, 4 * MIB);
  EXPECT_EQ(f.card.used, 10 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  close_card(&f);
}

// A neighbour has the rest of the card: what is idle is used to the last byte.
TEST(mapped, a_full_card_leaves_what_is_idle) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, 64 * MIB, quick(GIB));
  berth_buffer_t *a[32], *b = NULL;
  for (int i = 0; i < 32; ++i) a[i] = taken(&f, 2 * MIB);
  for (int i = 0; i < 32; i += 2) berth_buffer_release(a[i]);
  EXPECT_FAILS(berth_pool_buffer(f.pool, 34 * MIB, &b, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "GPU:0 is out of memory: asked 34.00MiB; limit 1.00GiB, in use "
               "32.00MiB, largest free span 992.00MiB; the card has no 2097152 "
               "bytes");
  stats_of(&f);
  b = taken(&f, 32 * MIB);
  EXPECT_EQ(f.card.used, 64 * MIB);
  berth_buffer_release(b);
  for (int i = 1; i < 32; i += 2) berth_buffer_release(a[i]);
  close_card(&f);
}

TEST(mapped, absurd_sizes_are_refused) {
  fixture_t f;
  open_card(&f, GIB, quick(0));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 255,
                                   (uint64_t)1 << 63, (uint64_t)1 << 41};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    EXPECT_EQ(berth_pool_buffer(f.pool, sizes[i], &buffer, &err),
              BERTH_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(strstr(berth_error_message(&err), "no addresses are left"));
    berth_error_clear(&err);
  }
  EXPECT_EQ(f.card.creates, 0);
  close_card(&f);
}

TEST(mapped, the_limit_goes_up_and_down_while_running) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, GIB, quick(64 * MIB));
  berth_buffer_t *a = taken(&f, 32 * MIB), *b = taken(&f, 32 * MIB), *c = NULL;
  EXPECT_EQ(berth_pool_buffer(f.pool, 32 * MIB, &c, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  berth_policy_t policy = quick(128 * MIB);
  EXPECT_EQ(berth_pool_set_policy(f.pool, &policy), 0);
  c = taken(&f, 32 * MIB);
  berth_buffer_release(b);
  policy = quick(64 * MIB);
  EXPECT_EQ(berth_pool_set_policy(f.pool, &policy), 0);
  EXPECT_EQ(f.card.used, 64 * MIB);
  // What is in use stays, and follows when it is released.
  policy = quick(16 * MIB);
  EXPECT_EQ(berth_pool_set_policy(f.pool, &policy), 48 * MIB);
  EXPECT_FAILS(berth_pool_buffer(f.pool, 2 * MIB, &b, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "GPU:0 is out of memory: asked 2.00MiB; limit 16.00MiB, in use "
               "64.00MiB, largest free span 0B; the limit leaves no room");
  berth_buffer_release(a);
  EXPECT_EQ(f.card.used, 32 * MIB);
  berth_buffer_release(c);
  EXPECT_EQ(f.card.used, 0);
  EXPECT_EQ(stats_of(&f).bytes_limit, 16 * MIB);
  policy.keep_idle_bytes = 0;
  EXPECT_EQ(berth_pool_set_policy(f.pool, &policy), 0);
  berth_buffer_release(taken(&f, 16 * MIB));
  EXPECT_EQ(f.card.used, 0);
  close_card(&f);
}

// A loop whose memory is always busy when it is released comes to keep a lower
// limit, too.
TEST(mapped, a_loop_comes_to_keep_a_lower_limit) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  berth_policy_t policy = quick(128 * MIB);
  for (int i = 0; i < 4; ++i) {
    berth_buffer_t *a = taken(&f, 64 * MIB), *b = taken(&f, 64 * MIB);
    berth_buffer_t *c = i < 2 ? taken(&f, 256 * MIB) : NULL;
    fake_work(&f.card, a->data, a->size);
    if (c != NULL) fake_work(&f.card, c->data, c->size);
    if (i == 1) EXPECT_EQ(berth_pool_set_policy(f.pool, &policy), 256 * MIB);
    if (c != NULL) berth_buffer_release(c);
    berth_buffer_release(a);
    berth_buffer_release(b);
    EXPECT_EQ(stats_of(&f).pool_bytes <= (int64_t)(128 * MIB), i >= 2);
  }
  EXPECT_EQ(f.card.used, 128 * MIB);
  close_card(&f);
}

TEST(mapped, what_is_outside_counts) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, GIB, quick(64 * MIB));
  berth_buffer_release(taken(&f, 64 * MIB));
  ASSERT_OK(berth_pool_reserve(f.pool, 24 * MIB, &err), &err);
  EXPECT_EQ(f.card.used, 0);  // Was one piece.
  berth_buffer_t *a = taken(&f, 40 * MIB), *b = NULL;
  EXPECT_EQ(berth_pool_buffer(f.pool, 2 * MIB, &b, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_FAILS(berth_pool_reserve(f.pool, MIB, &err), BERTH_RESOURCE_EXHAUSTED,
               &err,
               "GPU:0 has no 1048576 bytes to spare outside its pool; the "
               "limit leaves no room");
  berth_pool_unreserve(f.pool, 20 * MIB);
  b = taken(&f, 20 * MIB);
  berth_pool_figures_t figures = figures_of(&f);
  EXPECT_EQ(figures.bytes_reserved, 4 * MIB);
  EXPECT_EQ(figures.peak_bytes_reserved, 24 * MIB);
  EXPECT_EQ(figures.peak_allocated_bytes, 64 * MIB);
  EXPECT_EQ(figures.bytes_reservable_limit, 64 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_pool_reset_stats(f.pool);
  EXPECT_EQ(figures_of(&f).peak_allocated_bytes, 4 * MIB);
  EXPECT_EQ(figures_of(&f).peak_bytes_reserved, 4 * MIB);
  close_card(&f);
}

// ---- Giving back ----

TEST(mapped, trims_what_was_idle_longest) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  berth_buffer_t *a = taken(&f, 64 * MIB), *b = taken(&f, 32 * MIB);
  berth_buffer_t *c = taken(&f, 16 * MIB);
  berth_buffer_release(b);
  berth_buffer_release(a);
  EXPECT_EQ(berth_pool_trim(f.pool, 64 * MIB), 32 * MIB);
  EXPECT_EQ(berth_pool_trim(f.pool, 64 * MIB), 0);
  EXPECT_EQ(berth_pool_trim(f.pool, 0), 64 * MIB);
  EXPECT_EQ(f.card.used, 16 * MIB);
  // The addresses of what went back are used again.
  void *where = c->data;
  berth_buffer_release(c);
  c = taken(&f, 16 * MIB);
  EXPECT_TRUE((char *)c->data <= (char *)where);
  berth_buffer_release(c);
  close_card(&f);
}

TEST(mapped, trims_after_an_idle_time) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  const int64_t second = 1000000000;
  int64_t now = berth_now_ns() + second;
  berth_buffer_t *a = taken(&f, 64 * MIB), *b = taken(&f, 32 * MIB);
  berth_buffer_release(a);
  EXPECT_EQ(berth_pool_trim_older(f.pool, 10 * second, now), 0);
  berth_buffer_release(b);
  EXPECT_EQ(berth_pool_trim_older(f.pool, 10 * second, now + 5 * second), 0);
  EXPECT_EQ(berth_pool_trim_older(f.pool, 10 * second, now + 10 * second),
            64 * MIB);
  EXPECT_EQ(berth_pool_trim_older(f.pool, 10 * second, now + 14 * second), 0);
  EXPECT_EQ(berth_pool_trim_older(f.pool, 10 * second, now + 15 * second),
            32 * MIB);
  EXPECT_EQ(f.card.used, 0);
  close_card(&f);
}

TEST(mapped, the_floor_is_got_first_and_kept) {
  fixture_t f;
  berth_policy_t policy = quick(256 * MIB);
  policy.floor_bytes = 100 * MIB;
  open_card(&f, GIB, policy);
  EXPECT_EQ(f.card.used, 0);
  berth_buffer_t *a = taken(&f, 2 * MIB), *b = taken(&f, 128 * MIB);
  EXPECT_TRUE(f.card.used >= 130 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_pool_trim(f.pool, 0);
  EXPECT_TRUE(f.card.used >= 100 * MIB);
  stats_of(&f);
  close_card(&f);
}

// A floor of one piece, as large as the limit: what is asked for is no part of
// that piece.
TEST(mapped, the_floor_may_be_all_of_the_limit) {
  fixture_t f;
  berth_policy_t policy = quick(GIB);
  policy.floor_bytes = GIB;
  open_card(&f, 4 * GIB, policy);
  berth_buffer_t *a = taken(&f, 2 * MIB);
  EXPECT_EQ(f.card.used, GIB);
  berth_buffer_t *b = taken(&f, 1000 * MIB);
  EXPECT_EQ(f.card.used, GIB);
  berth_buffer_release(a);
  berth_buffer_release(b);
  EXPECT_EQ(f.card.used, GIB);
  close_card(&f);
}

TEST(mapped, outlives_its_owner_while_buffers_live) {
  fixture_t f;
  open_card(&f, GIB, quick(GIB));
  berth_buffer_t *a = taken(&f, 1000), *b = taken(&f, 40 * MIB);
  berth_pool_destroy(f.pool);
  berth_buffer_release(b);
  EXPECT_TRUE(f.card.used > 0);
  berth_buffer_release(a);
  EXPECT_EQ(f.card.used, 0);
  f.pool = NULL;
  close_card(&f);
}

// ---- All of it, for a while ----

// Copies that know where they belong.
typedef struct copies {
  fixture_t *fixture;
  int saved, loaded, dropped;
  int refuse_save, refuse_load;  // Fails at the Nth; 0: never.
} copies_t;

typedef struct copy {
  const void *data;
  uint64_t size;
} copy_t;

static berth_code_t save(void *arg, const void *data, uint64_t size,
                         void **out_copy, berth_error_t *err) {
  copies_t *copies = arg;
  if (++copies->saved == copies->refuse_save) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "the host is full");
  }
  EXPECT_TRUE(fake_is_mapped(&copies->fixture->card, data, size));
  copy_t *copy = calloc(1, sizeof(*copy));
  *copy = (copy_t){data, size};
  *out_copy = copy;
  return BERTH_OK;
}

static berth_code_t load(void *arg, void *data, uint64_t size,
                         const void *loaded, berth_error_t *err) {
  copies_t *copies = arg;
  const copy_t *copy = loaded;
  if (++copies->loaded == copies->refuse_load) {
    return berth_error_set(err, BERTH_INTERNAL, "the copy failed");
  }
  EXPECT_TRUE(copy->data == data && copy->size == size);
  EXPECT_TRUE(fake_is_mapped(&copies->fixture->card, data, size));
  return BERTH_OK;
}

static void drop(void *arg, void *copy) {
  ++((copies_t *)arg)->dropped;
  free(copy);
}

TEST(away, everything_goes_and_comes_back_to_its_place) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  copies_t copies = {.fixture = &f};
  berth_copier_t copier = {save, load, drop, &copies};
  open_card(&f, GIB, quick(GIB));
  berth_buffer_t *a = taken(&f, 1000), *b = taken(&f, 5 * MIB);
  berth_buffer_t *c = taken(&f, 300 * MIB), *d = taken(&f, 64 * MIB);
  berth_buffer_t *gone = taken(&f, 6 * MIB), *more = NULL;
  berth_buffer_release(gone);
  ASSERT_OK(berth_pool_restore(f.pool, &err), &err);  // Nothing is away.
  ASSERT_OK(berth_pool_release_all(f.pool, &copier, &err), &err);
  EXPECT_EQ(f.card.used, 0);
  EXPECT_EQ(copies.saved, 4);
  EXPECT_EQ(stats_of(&f).pool_bytes, 0);
  EXPECT_EQ(stats_of(&f).live_allocs, 4);
  EXPECT_FAILS(berth_pool_buffer(f.pool, 100, &more, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "the memory of GPU:0 has been given back; restore it before "
               "using it");
  EXPECT_FAILS(berth_pool_release_all(f.pool, &copier, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "the memory of GPU:0 has been given back already");
  berth_buffer_release(d);  // Nobody wants its contents any more.
  EXPECT_EQ(copies.dropped, 1);
  ASSERT_OK(berth_pool_restore(f.pool, &err), &err);
  EXPECT_EQ(copies.loaded, 3);
  EXPECT_EQ(copies.dropped, 4);
  EXPECT_EQ(f.card.used, 306 * MIB);
  EXPECT_TRUE(fake_is_mapped(&f.card, c->data, c->size));
  stats_of(&f);
  berth_buffer_release(taken(&f, 100));
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_buffer_release(c);
  close_card(&f);
}

TEST(away, failures_leave_things_as_they_were) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  copies_t copies = {.fixture = &f, .refuse_save = 2};
  berth_copier_t copier = {save, load, drop, &copies};
  open_card(&f, 64 * MIB, quick(0));
  berth_buffer_t *a = taken(&f, 1000), *b = taken(&f, 32 * MIB);
  EXPECT_FAILS(berth_pool_release_all(f.pool, &copier, &err),
               BERTH_RESOURCE_EXHAUSTED, &err, "the host is full");
  EXPECT_EQ(copies.dropped, 1);
  EXPECT_EQ(f.card.used, 34 * MIB);
  berth_buffer_release(taken(&f, 100));
  copies = (copies_t){.fixture = &f, .refuse_load = 2};
  ASSERT_OK(berth_pool_release_all(f.pool, &copier, &err), &err);
  f.card.capacity = 16 * MIB;  // A neighbour came.
  EXPECT_FAILS(berth_pool_restore(f.pool, &err), BERTH_RESOURCE_EXHAUSTED, &err,
               "the card has no 33554432 bytes");
  EXPECT_EQ(f.card.used, 0);
  f.card.capacity = 64 * MIB;
  copies.refuse_load = copies.loaded + 2;
  EXPECT_FAILS(berth_pool_restore(f.pool, &err), BERTH_INTERNAL, &err,
               "the copy failed");
  EXPECT_EQ(f.card.used, 0);
  EXPECT_EQ(copies.dropped, 0);
  ASSERT_OK(berth_pool_restore(f.pool, &err), &err);
  EXPECT_EQ(copies.dropped, 2);
  stats_of(&f);
  berth_buffer_release(a);
  berth_buffer_release(b);
  close_card(&f);
}

TEST(away, pinned_buffers_are_named) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  copies_t copies = {.fixture = &f};
  berth_copier_t copier = {save, load, drop, &copies};
  open_card(&f, GIB, quick(GIB));
  berth_request_t request = {.size = 4096, .label = "weights"};
  berth_buffer_t *a = NULL;
  ASSERT_OK(berth_pool_request(f.pool, &request, &a, &err), &err);
  berth_pool_pin(a);
  EXPECT_FAILS(berth_pool_release_all(f.pool, &copier, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "the memory of GPU:0 cannot be given back: the address of 4096 "
               "bytes of weights is known outside");
  berth_pool_unpin(a);
  ASSERT_OK(berth_pool_release_all(f.pool, &copier, &err), &err);
  // The pool may go while everything is away.
  berth_pool_destroy(f.pool);
  berth_buffer_release(a);
  EXPECT_EQ(copies.dropped, 1);
  f.pool = NULL;
  close_card(&f);
}

TEST(away, regions_cannot) {
  berth_policy_t policy = berth_policy_host(0);
  berth_pool_t *pool = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_copier_t copier = {0};
  ASSERT_OK(berth_pool_create(berth_source_host(), &policy, &pool, &err), &err);
  EXPECT_FAILS(berth_pool_release_all(pool, &copier, &err), BERTH_UNIMPLEMENTED,
               &err,
               "host cannot give memory in use back: it is not mapped page by "
               "page");
  ASSERT_OK(berth_pool_restore(pool, &err), &err);
  berth_pool_destroy(pool);
}

// ---- Report ----

TEST(mapped, report_names_the_holders) {
  fixture_t f;
  berth_error_t err = BERTH_ERROR_INIT;
  open_card(&f, GIB, quick(GIB));
  static const struct {
    uint64_t size;
    const char *label;
  } cases[] = {{64 * MIB, "a"},
               {64 * MIB, "b"},
               {64 * MIB, "a"},
               {4096, "c"},
               {8192, NULL},
               {2 * MIB,
                "a_scope_that_is_long/"
                "and_goes_on/until/"
                "it_ends_here"}};
  berth_buffer_t *buffers[BERTH_COUNT_OF(cases)] = {0};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_request_t request = {.size = cases[i].size, .label = cases[i].label};
    ASSERT_OK(berth_pool_request(f.pool, &request, &buffers[i], &err), &err);
  }
  berth_memory_report_t report;
  berth_pool_report(f.pool, GIB, &report);
  static const berth_holder_t want[] = {
      {128 * MIB, 2, "a", ""},
      {64 * MIB, 1, "b", ""},
      {2 * MIB, 1, "a_scope_that_is_long/and_goes_on/until/it_ends_here", ""},
      {8192, 1, "", ""},
      {4096, 1, "c", ""}};
  ASSERT_TRUE(report.holder_count == BERTH_COUNT_OF(want));
  for (int i = 0; i < BERTH_COUNT_OF(want); ++i) {
    EXPECT_EQ(report.holders[i].bytes, want[i].bytes);
    EXPECT_EQ(report.holders[i].count, want[i].count);
    EXPECT_STR(report.holders[i].label, want[i].label);
  }
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_buffer_release(buffers[i]);
  }
  close_card(&f);
}
