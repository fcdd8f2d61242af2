// pool_mapped_stress_test.c - Page-mapped pools: long runs, failures, threads.
#include "base/clock.h"
#include "base/compiler.h"
#include "harness.h"
#include "memory/fake_card.h"
#include "memory/pool.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// A size from |least| to |most|, each power of two as likely as the next.
static uint64_t random_size(uint64_t *state, uint64_t least, uint64_t most) {
  int low = 63 - __builtin_clzll(least), high = 63 - __builtin_clzll(most);
  uint64_t bits = next_random(state) % (uint64_t)(high - low + 1);
  uint64_t base = least << bits;
  uint64_t size = base + next_random(state) % base;
  return size < most ? size : most;
}

static berth_pool_t *made(fake_card_t *card, berth_policy_t policy,
                          uint64_t addresses) {
  berth_pool_t *pool = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_timeline_t *timeline = (berth_timeline_t *)card->timeline;
  berth_mapped_options_t options = {.address_bytes = addresses,
                                    .timelines = &timeline,
                                    .timeline_count = timeline != NULL};
  if (berth_pool_create_mapped(&card->source, &policy, &options, &pool, &err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return pool;
}

static berth_policy_t quick(uint64_t limit) {
  berth_policy_t policy = berth_policy_mapped(limit);
  policy.settle_ns = 0;
  return policy;
}

static void expect_sound(berth_pool_t *pool) {
  const char *wrong = berth_pool_check(pool);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
}

// ---- A long run against a shadow ----

enum {
  SLOTS = 96,
  UNIT = 4096,          // A granule.
  LIMIT = 256,          // Granules.
  ADDRESSES = 16 * 256  // Granules.
};

typedef struct shadow {
  fake_card_t card;
  fake_timeline_t timeline;
  berth_pool_t *pool;
  berth_buffer_t *live[SLOTS];
  uint64_t state;
  uint64_t limit, reserved;
  int64_t refused;
} shadow_t;

// Fails when the memory of |buffer| is not there, or somebody else's.
static void expect_place(shadow_t *shadow, const berth_buffer_t *buffer) {
  const char *begin = buffer->data, *end = begin + buffer->size;
  EXPECT_TRUE(fake_is_mapped(&shadow->card, begin, buffer->size));
  for (int i = 0; i < SLOTS; ++i) {
    const berth_buffer_t *other = shadow->live[i];
    if (other == NULL || other == buffer) continue;
    const char *data = other->data;
    if (data < end && begin < data + other->size) HARNESS_FAIL("an overlap");
  }
}

// A refusal is right only when the limit, less what is in use or shares a
// granule with that, really has no room.
static void expect_refusal(shadow_t *shadow, uint64_t size) {
  berth_memory_stats_t stats;
  berth_pool_stats(shadow->pool, &stats);
  uint64_t pinned = (uint64_t)(stats.pool_bytes - stats.idle_bytes);
  uint64_t taken = pinned + shadow->reserved;
  uint64_t room = shadow->limit > taken ? shadow->limit - taken : 0;
  // One that shares touches a granule more at most.
  if (room >= (size + UNIT - 1) / UNIT * UNIT + UNIT) {
    HARNESS_FAIL("refused %" PRIu64 " bytes with room for %" PRIu64, size,
                 room);
  }
  ++shadow->refused;
}

static void step_slot(shadow_t *shadow) {
  berth_buffer_t **slot = &shadow->live[next_random(&shadow->state) % SLOTS];
  if (*slot != NULL) {
    if (next_random(&shadow->state) % 4 == 0) {
      fake_work(&shadow->card, (*slot)->data, (*slot)->size);
    }
    berth_buffer_release(*slot);
    *slot = NULL;
    return;
  }
  uint64_t size = random_size(&shadow->state, 128, 64 * UNIT);
  if (berth_pool_buffer(shadow->pool, size, slot, NULL) == BERTH_OK) {
    expect_place(shadow, *slot);
  } else {
    expect_refusal(shadow, size);
  }
}

static void step_limit(shadow_t *shadow) {
  uint64_t percent = 40 + next_random(&shadow->state) % 61;
  shadow->limit = LIMIT * UNIT / 100 * percent;
  berth_policy_t policy = quick(shadow->limit);
  uint64_t over = berth_pool_set_policy(shadow->pool, &policy);
  berth_memory_stats_t stats;
  berth_pool_stats(shadow->pool, &stats);
  uint64_t held = (uint64_t)stats.pool_bytes + shadow->reserved;
  EXPECT_EQ(over, held > shadow->limit ? held - shadow->limit : 0);
}

static void step_reserve(shadow_t *shadow) {
  if (shadow->reserved > 0) {
    berth_pool_unreserve(shadow->pool, shadow->reserved);
    shadow->reserved = 0;
    return;
  }
  uint64_t size = next_random(&shadow->state) % (LIMIT * UNIT / 8);
  if (berth_pool_reserve(shadow->pool, size, NULL) == BERTH_OK) {
    shadow->reserved = size;
  }
}

static berth_code_t save(void *arg, const void *data, uint64_t size,
                         void **out_copy, berth_error_t *err) {
  (void)err;
  (void)size;
  ++*(int *)arg;
  *out_copy = (void *)(uintptr_t)data;
  return BERTH_OK;
}

static berth_code_t load(void *arg, void *data, uint64_t size, const void *copy,
                         berth_error_t *err) {
  (void)arg;
  (void)size;
  return copy == data ? BERTH_OK
                      : berth_error_set(err, BERTH_INTERNAL, "a wrong copy");
}

static void drop(void *arg, void *copy) {
  (void)copy;
  --*(int *)arg;
}

// Gives everything back, lets go of some, and takes the rest back.
static void step_away(shadow_t *shadow) {
  berth_error_t err = BERTH_ERROR_INIT;
  int copies = 0;
  berth_copier_t copier = {save, load, drop, &copies};
  // Only with a limit that holds: coming back needs what was in use.
  shadow->limit = LIMIT * UNIT;
  berth_policy_t policy = quick(shadow->limit);
  berth_pool_set_policy(shadow->pool, &policy);
  ASSERT_OK(berth_pool_release_all(shadow->pool, &copier, &err), &err);
  EXPECT_EQ(shadow->card.used, 0);
  berth_buffer_t **slot = &shadow->live[next_random(&shadow->state) % SLOTS];
  berth_buffer_release(*slot);
  *slot = NULL;
  ASSERT_OK(berth_pool_restore(shadow->pool, &err), &err);
  EXPECT_EQ(copies, 0);
}

static void step(shadow_t *shadow) {
  uint64_t dice = next_random(&shadow->state) % 4096;
  if (dice < 2) {
    step_away(shadow);
  } else if (dice < 10) {
    berth_pool_trim(shadow->pool, next_random(&shadow->state) % (LIMIT * UNIT));
  } else if (dice < 30) {
    step_limit(shadow);
  } else if (dice < 50) {
    step_reserve(shadow);
  } else if (dice < 400) {
    fake_finish(&shadow->card);
  } else {
    step_slot(shadow);
  }
}

static void expect_all(shadow_t *shadow) {
  expect_sound(shadow->pool);
  for (int i = 0; i < SLOTS; ++i) {
    if (shadow->live[i] != NULL) expect_place(shadow, shadow->live[i]);
  }
  if (shadow->card.wrong[0] != '\0') HARNESS_FAIL("%s", shadow->card.wrong);
}

TEST(mapped, random_steps_against_a_shadow) {
#ifdef BERTH_CHECK
  const int steps = 1000000, check_every = 1;
#else
  const int steps = 200000, check_every = 500;
#endif
  static shadow_t shadow;
  shadow.state = 88172645463325252u;
  shadow.limit = LIMIT * UNIT;
  fake_card_init(&shadow.card, UNIT, UINT64_MAX);
  fake_timeline_init(&shadow.timeline);
  shadow.card.timeline = &shadow.timeline;
  shadow.pool = made(&shadow.card, quick(shadow.limit), ADDRESSES * UNIT);
  for (int i = 0; i < steps && harness_failures == 0; ++i) {
    step(&shadow);
    if (i % check_every == 0) expect_all(&shadow);
  }
  expect_all(&shadow);
  EXPECT_TRUE(shadow.card.peak <= LIMIT * UNIT);
  EXPECT_TRUE(shadow.refused > steps / 1000);  // The limit was felt.
  for (int i = 0; i < SLOTS; ++i) berth_buffer_release(shadow.live[i]);
  expect_sound(shadow.pool);
  berth_pool_destroy(shadow.pool);
  EXPECT_STR(fake_card_deinit(&shadow.card), "");
}

// ---- Nothing is refused that fits ----

// 30,000 requests of 1 KiB to 3 GiB under a limit of 16 GiB, live bytes under
// 90 % of it.
TEST(mapped, nothing_that_fits_is_refused) {
  enum { MOST = 4096, STEPS = 30000 };
  static struct {
    berth_buffer_t *buffer;
    uint64_t size;
  } live[MOST];
  const uint64_t limit = 16 * GIB, most = limit / 10 * 9;
  fake_card_t card;
  fake_card_init(&card, 2 * MIB, limit);
  berth_pool_t *pool = made(&card, berth_policy_mapped(limit), 0);
  uint64_t state = 42, bytes = 0;
  int count = 0, refused = 0;
  for (int i = 0; i < STEPS; ++i) {
    uint64_t size = random_size(&state, KIB, 3 * GIB);
    while (count > 0 && (bytes + size > most || count == MOST)) {
      int at = (int)(next_random(&state) % (uint64_t)count);
      berth_buffer_release(live[at].buffer);
      bytes -= live[at].size;
      live[at] = live[--count];
    }
    berth_buffer_t *buffer = NULL;
    if (berth_pool_buffer(pool, size, &buffer, NULL) != BERTH_OK) {
      ++refused;
      continue;
    }
    bytes += size;
    live[count].buffer = buffer;
    live[count++].size = size;
  }
  EXPECT_EQ(refused, 0);
  EXPECT_TRUE(card.peak <= limit);
  berth_pool_figures_t figures;
  berth_pool_figures(pool, &figures);
  printf("30,000 requests: %lld pieces got, %lld moved, %lld returned\n",
         (long long)figures.create_count, (long long)figures.move_count,
         (long long)figures.release_count);
  while (count > 0) berth_buffer_release(live[--count].buffer);
  berth_pool_destroy(pool);
  EXPECT_STR(fake_card_deinit(&card), "");
}

// ---- Torture ----

// Allocates of every kind, moves, trims, goes away and comes back. Says whether
// all went well.
static bool scenario(void) {
  fake_card_t card;
  fake_timeline_t timeline;
  fake_card_init(&card, UNIT, 64 * UNIT);
  fake_timeline_init(&timeline);
  card.timeline = &timeline;
  berth_policy_t policy = quick(48 * UNIT);
  berth_timeline_t *timelines[] = {&timeline.base};
  berth_mapped_options_t options = {1024 * UNIT, timelines, 1};
  berth_pool_t *pool = NULL;
  bool ok = berth_pool_create_mapped(&card.source, &policy, &options, &pool,
                                     NULL) == BERTH_OK;
  if (ok) {
    berth_buffer_t *a[8] = {0}, *b = NULL, *c = NULL;
    for (int i = 0; i < 8; ++i) {
      ok &= berth_pool_buffer(pool, 4 * UNIT, &a[i], NULL) == BERTH_OK;
      if (a[i] != NULL) fake_work(&card, a[i]->data, a[i]->size);
    }
    for (int i = 0; i < 8; i += 2) berth_buffer_release(a[i]);
    ok &= berth_pool_buffer(pool, 30 * UNIT, &b, NULL) == BERTH_OK;
    ok &= berth_pool_buffer(pool, 100, &c, NULL) == BERTH_OK;
    expect_sound(pool);
    int copies = 0;
    berth_copier_t copier = {save, load, drop, &copies};
    ok &= berth_pool_release_all(pool, &copier, NULL) == BERTH_OK;
    berth_code_t code = berth_pool_restore(pool, NULL);
    ok &= code == BERTH_OK;
    if (code == BERTH_OK) expect_sound(pool);
    berth_buffer_release(b);
    fake_finish(&card);
    berth_pool_trim(pool, 8 * UNIT);
    berth_buffer_release(c);
    for (int i = 1; i < 8; i += 2) berth_buffer_release(a[i]);
    EXPECT_EQ(copies, 0);
    if (code == BERTH_OK) expect_sound(pool);
  }
  berth_pool_destroy(pool);
  EXPECT_STR(fake_card_deinit(&card), "");
  return ok;
}

TEST(torture, every_call_fails_once) {
  static const char *const points[] = {"alloc", "reserve", "create", "map",
                                       "unmap"};
  for (int point = 0; point < BERTH_COUNT_OF(points); ++point) {
    int refused = 0;
    int64_t passes = 0, nth = 1;
    for (; passes >= nth - 1 && nth < 1000; ++nth) {
      berth_fault_arm(points[point], nth);
      refused += !scenario();
      passes = berth_fault_disarm();
    }
    EXPECT_TRUE(passes > 0);
    EXPECT_TRUE(refused > 0);
    EXPECT_TRUE(scenario());
  }
}

// ---- Threads ----

typedef struct worker {
  berth_pool_t *pool;
  fake_card_t *card;
  uint64_t seed;
  int64_t refused;
} worker_t;

static void work(void *arg) {
  enum { OWN = 24, STEPS = 20000 };
  worker_t *worker = arg;
  berth_buffer_t *live[OWN] = {0};
  uint64_t state = worker->seed * 7919;
  for (int i = 0; i < STEPS; ++i) {
    berth_buffer_t **slot = &live[next_random(&state) % OWN];
    if (*slot != NULL) {
      if (!fake_is_mapped(worker->card, (*slot)->data, (*slot)->size)) {
        HARNESS_FAIL("memory is gone");
      }
      if (i % 4 == 0) fake_work(worker->card, (*slot)->data, (*slot)->size);
      if (i % 32 == 0) fake_finish(worker->card);
      berth_buffer_release(*slot);
      *slot = NULL;
      continue;
    }
    uint64_t size = random_size(&state, 128, 32 * UNIT);
    if (berth_pool_buffer(worker->pool, size, slot, NULL) != BERTH_OK) {
      ++worker->refused;
    }
  }
  for (int i = 0; i < OWN; ++i) berth_buffer_release(live[i]);
}

TEST(mapped, threads_share_a_pool_and_its_limit) {
  enum { THREADS = 4 };
  fake_card_t card;
  fake_timeline_t timeline;
  fake_card_init(&card, UNIT, UINT64_MAX);
  fake_timeline_init(&timeline);
  card.timeline = &timeline;
  const uint64_t limit = 320 * UNIT;
  berth_pool_t *pool = made(&card, quick(limit), 64 * limit);
  berth_thread_t threads[THREADS];
  worker_t workers[THREADS];
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){pool, &card, (uint64_t)i + 1, 0};
    ASSERT_OK(berth_thread_start(&threads[i], work, &workers[i], &err), &err);
  }
  for (int i = 0; i < 100; ++i) {
    berth_policy_t policy = quick(limit / 2 + limit / 2 * (uint64_t)(i % 2));
    berth_pool_trim(pool, limit / 8);
    berth_pool_set_policy(pool, &policy);
    if (berth_pool_reserve(pool, 10 * UNIT, NULL) == BERTH_OK) {
      berth_pool_unreserve(pool, 10 * UNIT);
    }
    berth_memory_report_t report;
    berth_pool_report(pool, 1, &report);
    berth_pool_trim_older(pool, 1000, berth_now_ns());
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  expect_sound(pool);
  EXPECT_TRUE(card.peak <= limit);
  berth_pool_destroy(pool);
  EXPECT_STR(fake_card_deinit(&card), "");
}

// The last buffers go from several threads while the pool is destroyed.
static void release_half(void *arg) {
  berth_buffer_t **buffers = arg;
  for (int i = 0; i < 32; ++i) berth_buffer_release(buffers[i]);
}

TEST(mapped, goes_with_its_last_buffer_whoever_that_is) {
  for (int round = 0; round < 50; ++round) {
    fake_card_t card;
    fake_card_init(&card, UNIT, UINT64_MAX);
    berth_policy_t policy = quick(0);
    policy.keep_idle_bytes = 16 * UNIT;  // Releasing returns memory, too.
    berth_pool_t *pool = made(&card, policy, 4096 * UNIT);
    berth_buffer_t *buffers[64] = {0};
    berth_error_t err = BERTH_ERROR_INIT;
    for (int i = 0; i < 64; ++i) {
      ASSERT_OK(berth_pool_buffer(pool, 4 * UNIT, &buffers[i], &err), &err);
    }
    berth_thread_t threads[2];
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK(
          berth_thread_start(&threads[i], release_half, &buffers[32 * i], &err),
          &err);
    }
    berth_pool_destroy(pool);
    for (int i = 0; i < 2; ++i) berth_thread_join(&threads[i]);
    EXPECT_STR(fake_card_deinit(&card), "");
  }
}

// ---- Speed ----

// Bookkeeping alone: no call of the source. The figure is printed; the bound is
// wide, because machines are shared.
TEST(mapped, an_allocation_and_its_release_are_cheap) {
  static const uint64_t sizes[] = {1000, 300000, 2 * MIB, 64 * MIB};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    enum { ROUNDS = 200000 };
    fake_card_t card;
    fake_card_init(&card, 2 * MIB, 16 * GIB);
    berth_pool_t *pool = made(&card, berth_policy_mapped(16 * GIB), 0);
    int64_t begun = berth_now_ns();
    for (int round = 0; round < ROUNDS; ++round) {
      berth_buffer_t *buffer = NULL;
      if (berth_pool_buffer(pool, sizes[i], &buffer, NULL) != BERTH_OK) break;
      berth_buffer_release(buffer);
    }
    int64_t each = (berth_now_ns() - begun) / ROUNDS;
    printf("%8llu bytes: %lld ns for an allocation and its release\n",
           (unsigned long long)sizes[i], (long long)each);
    if (each > 50000) HARNESS_FAIL("it takes %lld ns", (long long)each);
    EXPECT_EQ(card.creates, 1);
    berth_pool_destroy(pool);
    EXPECT_STR(fake_card_deinit(&card), "");
  }
}
