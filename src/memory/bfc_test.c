// bfc_test.c - Pools against figures and texts of TensorFlow's own allocator.
//
// The figures are those of the real class in TensorFlow 2.21, for the same
// requests.
#include <time.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "harness.h"
#include "memory/bfc_dump.h"
#include "memory/pool.h"

#define MIB ((uint64_t)1 << 20)
#define MILLISECOND ((int64_t)1000000)

// A source of addresses with nothing behind them, which refuses beyond a
// budget. The first region lies lowest and each later one below the one before,
// as the system places them.
typedef struct test_source {
  berth_source_t source;
  uint64_t budget, held;
  uintptr_t next;
  uint64_t asked[32];
  int calls;
} test_source_t;

static berth_code_t test_get(berth_source_t *source, uint64_t size,
                             void **out_base, berth_error_t *err) {
  test_source_t *test = (test_source_t *)source;
  test->asked[test->calls++ % 32] = size;
  if (size > test->budget - test->held) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "no %llu bytes",
                           (unsigned long long)size);
  }
  uintptr_t base = test->held == 0 ? 0x10000000000 : (test->next -= size);
  test->held += size;
  *out_base = (void *)base;
  return BERTH_OK;
}

static void test_return(berth_source_t *source, void *base, uint64_t size) {
  (void)base;
  ((test_source_t *)source)->held -= size;
}

static test_source_t test_source(uint64_t budget) {
  return (test_source_t){.source = {.struct_size = sizeof(berth_source_t),
                                    .name = "GPU:0",
                                    .granularity = 256,
                                    .get_region = test_get,
                                    .return_region = test_return},
                         .budget = budget,
                         .next = 0x20000000000};
}

// |wait_ms| instead of ten seconds.
static berth_pool_t *made(test_source_t *source, uint64_t limit, bool growth,
                          int wait_ms) {
  berth_policy_t policy = berth_policy_bfc(limit, growth, 0);
  policy.wait_ns = wait_ms * MILLISECOND;
  berth_pool_t *pool = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_create(&source->source, &policy, &pool, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return pool;
}

static berth_buffer_t *taken(berth_pool_t *pool, uint64_t size) {
  berth_buffer_t *buffer = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_buffer(pool, size, &buffer, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    berth_error_clear(&err);
  }
  return buffer;
}

static int64_t in_use(berth_pool_t *pool) {
  berth_memory_stats_t stats;
  const char *wrong = berth_pool_check(pool);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
  berth_pool_stats(pool, &stats);
  return stats.bytes_in_use;
}

static int64_t peak(berth_pool_t *pool) {
  berth_memory_stats_t stats;
  berth_pool_stats(pool, &stats);
  return stats.peak_bytes_in_use;
}

// ---- Figures ----

TEST(bfc, sizes) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 256 * MIB, true, 0);
  enum { A, B, C, D, E, F, G, H, COUNT };
  berth_buffer_t *live[COUNT] = {0};
  static const struct {
    int name;
    uint64_t size;  // 0: released.
    int64_t in_use, peak;
  } steps[] = {
      {A, 300001, 300032, 300032},        {B, 300000, 600064, 600064},
      {C, 3 * MIB / 2, 2172928, 2172928}, {D, MIB, 3670016, 3670016},
      {E, 5 * MIB, 12058624, 12058624},   {B, 0, 11758592, 12058624},
      {B, 262145, 12058624, 12058624},    {E, 0, 3670016, 12058624},
      {E, 2 * MIB, 6291456, 12058624},    {F, 3 * MIB, 9437184, 12058624},
      {C, 0, 7864320, 12058624},          {D, 0, 6367232, 12058624},
      {G, 40 * MIB, 73476096, 73476096},  {G, 0, 6367232, 73476096},
      {H, 70 * MIB, 140584960, 140584960}};
  for (int i = 0; i < BERTH_COUNT_OF(steps); ++i) {
    berth_buffer_t **slot = &live[steps[i].name];
    if (steps[i].size == 0) {
      berth_buffer_release(*slot);
      *slot = NULL;
    } else {
      *slot = taken(pool, steps[i].size);
    }
    EXPECT_EQ(in_use(pool), steps[i].in_use);
    EXPECT_EQ(peak(pool), steps[i].peak);
  }
  for (int i = 0; i < COUNT; ++i) berth_buffer_release(live[i]);
  berth_pool_destroy(pool);
}

// The rest is split off at twice the size or 128 MiB of waste.
TEST(bfc, split) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 3072 * MIB, true, 0);
  static const uint64_t steps[][2] = {{400, 512}, {380, 380}, {130, 132},
                                      {384, 384}, {256, 380}, {255, 255}};
  berth_buffer_t *live[6];
  for (int i = 0; i < 6; ++i) {
    if (i == 4) berth_buffer_release(live[1]);
    int64_t before = in_use(pool);
    live[i] = taken(pool, steps[i][0] * MIB);
    EXPECT_EQ(in_use(pool) - before, steps[i][1] * MIB);
  }
  live[1] = NULL;
  for (int i = 0; i < 6; ++i) berth_buffer_release(live[i]);
  berth_pool_destroy(pool);
}

// Twice the same request in two regions: the smaller hole of all regions is
// taken, not the first that fits.
TEST(bfc, the_best_fit_of_all_regions) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 0, true, 0);
  berth_buffer_t *first = taken(pool, MIB);      // 2 MiB: 1 MiB is free.
  berth_buffer_t *large = taken(pool, 2 * MIB);  // 4 MiB: 2 MiB are free.
  berth_buffer_t *a = taken(pool, 3 * MIB / 2);
  EXPECT_EQ(in_use(pool), 5 * MIB);  // All of the 2 MiB.
  berth_buffer_release(first);       // 2 MiB free in the older one.
  berth_buffer_release(a);
  berth_buffer_t *b = taken(pool, 2 * MIB);
  // Equals: the lower address, which is the older one here.
  EXPECT_EQ((uintptr_t)b->data, 0x10000000000);
  berth_buffer_t *c = taken(pool, 2 * MIB);
  EXPECT_EQ((char *)c->data - (char *)large->data, 2 * MIB);
  berth_buffer_release(large);
  berth_buffer_release(b);
  berth_buffer_release(c);
  berth_pool_destroy(pool);
}

// ---- Growing and backing off ----

TEST(bfc, growth_by_version) {
  EXPECT_EQ(
      berth_policy_bfc(0, true, BERTH_TF_VERSION(2, 4)).first_region_bytes,
      MIB);
  EXPECT_EQ(
      berth_policy_bfc(0, true, BERTH_TF_VERSION(2, 5)).first_region_bytes,
      2 * MIB);
  EXPECT_EQ(berth_policy_bfc(0, true, 0).first_region_bytes, 2 * MIB);
  EXPECT_EQ(berth_policy_bfc(MIB, true, 0).first_region_bytes, MIB);
  EXPECT_EQ(berth_policy_bfc(64 * MIB, false, 0).first_region_bytes, 64 * MIB);
  EXPECT_EQ(berth_policy_bfc(0, true, BERTH_TF_VERSION(1, 4)).split.waste, 0);
  EXPECT_EQ(berth_policy_bfc(0, true, BERTH_TF_VERSION(1, 5)).split.waste,
            128 * MIB);
  EXPECT_EQ(berth_policy_bfc(0, true, 0).wait_ns, 10000 * MILLISECOND);
}

// Nine tenths, rounded up to 256, each time.
TEST(bfc, backs_off) {
  test_source_t source = test_source(600 * MIB);
  berth_pool_t *pool = made(&source, 1024 * MIB, false, 0);
  berth_buffer_t *a = taken(pool, MIB);
  static const uint64_t asked[] = {1073741824, 966367744, 869731072, 782758144,
                                   704482560,  634034432, 570631168};
  ASSERT_TRUE(source.calls == BERTH_COUNT_OF(asked));
  for (int i = 0; i < BERTH_COUNT_OF(asked); ++i) {
    EXPECT_EQ(source.asked[i], asked[i]);
  }
  EXPECT_EQ(source.held, 570631168);
  berth_buffer_release(a);
  berth_pool_destroy(pool);
}

TEST(bfc, backs_off_once_in_older_versions) {
  test_source_t source = test_source(3 * MIB);
  berth_policy_t policy = berth_policy_bfc(0, true, BERTH_TF_VERSION(2, 14));
  policy.wait_ns = 0;
  berth_pool_t *pool = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_pool_create(&source.source, &policy, &pool, &err), &err);
  berth_buffer_t *a = taken(pool, 2 * MIB), *b = taken(pool, MIB / 2),
                 *c = NULL;
  EXPECT_TRUE(source.calls > 3);
  int calls = source.calls;
  EXPECT_EQ(berth_pool_buffer(pool, MIB / 2, &c, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(source.calls, calls + 1);
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_pool_destroy(pool);
}

TEST(policy, backing_off_always_ends) {
  EXPECT_EQ(berth_policy_back_off(1024 * MIB, 256, 256), 966367744);
  EXPECT_EQ(berth_policy_back_off(10240, 256, 4096), 8192);
  EXPECT_EQ(berth_policy_back_off(1280, 256, 256), 256);
  EXPECT_EQ(berth_policy_back_off(4096, 4096, 4096), 4096);
  EXPECT_EQ(berth_policy_back_off(1000 * MIB, 950 * MIB, 256), 950 * MIB);
}

// ---- Idle regions go back to make room ----

static int collected = 0;

static void count_lines(berth_log_level_t level, const char *file, int line,
                        const char *text, void *arg) {
  (void)line;
  (void)arg;
  EXPECT_EQ(level, BERTH_LOG_WARNING);
  EXPECT_STR(file, "bfc_allocator.cc");
  EXPECT_STR(
      text,
      "Garbage collection: deallocate free memory regions (i.e., allocations) "
      "so that we can re-allocate a larger region to avoid OOM due to memory "
      "fragmentation. If you see this message frequently, you are running near "
      "the threshold of the available device memory and re-allocation may "
      "incur great performance overhead. You may try smaller batch sizes to "
      "observe the performance impact. Set "
      "TF_ENABLE_GPU_GARBAGE_COLLECTION=false if you'd like to disable this "
      "feature.");
  ++collected;
}

TEST(bfc, collects_regions_and_says_so) {
  berth_log_set_callback(count_lines, NULL);
  for (int keeps = 0; keeps < 2; ++keeps) {
    test_source_t source = test_source(UINT64_MAX);
    berth_policy_t policy = berth_policy_bfc(64 * MIB, true, 0);
    policy.keeps_regions = keeps == 1;
    policy.wait_ns = 0;
    berth_pool_t *pool = NULL;
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(berth_pool_create(&source.source, &policy, &pool, &err), &err);
    berth_buffer_t *a = taken(pool, 16 * MIB), *b = taken(pool, 32 * MIB);
    berth_buffer_release(a);
    berth_buffer_release(b);
    berth_buffer_t *c = NULL;
    berth_code_t code = berth_pool_buffer(pool, 60 * MIB, &c, NULL);
    EXPECT_EQ(code, keeps ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
    EXPECT_EQ(collected, 1);
    berth_pool_figures_t figures;
    berth_pool_figures(pool, &figures);
    EXPECT_EQ(figures.collect_count, !keeps);
    berth_buffer_release(c);
    berth_pool_destroy(pool);
    EXPECT_EQ(source.held, 0);
  }
  berth_log_set_callback(NULL, NULL);
}

// ---- Waiting ----

TEST(bfc, waits_and_fails) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 64 * MIB, true, 60);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *hold = taken(pool, 60 * MIB), *more = NULL;
  EXPECT_EQ(in_use(pool), 67108864);
  int64_t begun = berth_now_ns();
  EXPECT_FAILS(berth_pool_buffer(pool, 50 * MIB, &more, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "GPU:0 is out of memory: asked 50.00MiB; limit 64.00MiB, in use "
               "64.00MiB, largest free span 0B; the limit leaves no room");
  EXPECT_TRUE(berth_now_ns() - begun >= 60 * MILLISECOND);
  // An optional request does not wait.
  berth_request_t request = {.size = 50 * MIB, .no_wait = true};
  begun = berth_now_ns();
  EXPECT_EQ(berth_pool_request(pool, &request, &more, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(berth_now_ns() - begun < 50 * MILLISECOND);
  berth_pool_figures_t figures;
  berth_pool_figures(pool, &figures);
  EXPECT_EQ(figures.wait_count, 1);
  EXPECT_EQ(figures.rescue_count, 0);
  berth_buffer_release(hold);
  EXPECT_EQ(in_use(pool), 0);
  EXPECT_EQ(peak(pool), 67108864);
  berth_pool_destroy(pool);
}

static void release_later(void *arg) {
  struct timespec nap = {.tv_nsec = 20 * MILLISECOND};
  nanosleep(&nap, NULL);
  berth_buffer_release(arg);
}

TEST(bfc, is_rescued_by_a_release) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 64 * MIB, true, 20000);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_thread_t thread;
  berth_buffer_t *hold = taken(pool, 60 * MIB);
  ASSERT_OK(berth_thread_start(&thread, release_later, hold, &err), &err);
  berth_buffer_t *more = taken(pool, 50 * MIB);
  berth_thread_join(&thread);
  EXPECT_EQ(in_use(pool), 67108864);
  berth_pool_figures_t figures;
  berth_pool_figures(pool, &figures);
  EXPECT_EQ(figures.rescue_count, 1);
  berth_buffer_release(more);
  berth_pool_destroy(pool);
}

// ---- The report ----

// Collects records, a line each, with addresses masked.
static void collect_text(berth_log_level_t level, int line, const char *text,
                         void *arg) {
  berth_str_t *str = arg;
  berth_str_printf(str, "%c%d ", level == BERTH_LOG_WARNING ? 'W' : 'I', line);
  const char *at = strstr(text, " at ");
  const char *of = at != NULL ? strstr(at, " of size") : NULL;
  if (of != NULL) {
    berth_str_put(str, text, (size_t)(at + 4 - text));
    berth_str_puts(str, "<addr>");
    text = of;
  }
  berth_str_printf(str, "%s\n", text);
}

static const char empty_bin[] =
    "\tTotal Chunks: 0, Chunks in use: 0. 0B allocated for chunks. 0B in use "
    "in bin. 0B client-requested in use in bin.";

// Appends the lines of the bins; |lines| are those that are not empty.
static void want_bins(berth_str_t *want, const char *const lines[21]) {
  for (int i = 0; i < 21; ++i) {
    berth_str_printf(want, "I1056 Bin (%llu): %s\n",
                     (unsigned long long)256 << i,
                     lines[i] != NULL ? lines[i] : empty_bin);
  }
}

static void expect_dump(berth_pool_t *pool, uint64_t asked,
                        const char *const bins[21], const char *before,
                        const char *after) {
  berth_str_t got = {0}, want = {0};
  berth_bfc_dump(pool, "mklcpu", asked, "Fill", collect_text, &got);
  berth_str_puts(&want, before);
  berth_str_puts(&want,
                 "If the cause is memory fragmentation maybe the environment "
                 "variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve "
                 "the situation. \n"
                 "Current allocation summary follows.\n"
                 "Current allocation summary follows.\n"
                 "I1049 BFCAllocator dump for mklcpu\n");
  want_bins(&want, bins);
  berth_str_puts(&want, after);
  EXPECT_STR(berth_str_get(&got), berth_str_get(&want));
  berth_str_clear(&got);
  berth_str_clear(&want);
}

TEST(bfc, report_when_memory_runs_out) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 64 * MIB, true, 0);
  static const uint64_t sizes[] = {300001, MIB, 5 * MIB, 9 * MIB};
  berth_buffer_t *keep[4], *more = NULL;
  for (int i = 0; i < 4; ++i) keep[i] = taken(pool, sizes[i]);
  berth_buffer_release(taken(pool, 2 * MIB));
  EXPECT_EQ(in_use(pool), 27262976);
  EXPECT_EQ(peak(pool), 29360128);
  EXPECT_EQ(berth_pool_buffer(pool, 60 * MIB, &more, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  static const char *const bins[21] = {
      [10] =
          "\tTotal Chunks: 1, Chunks in use: 1. 293.0KiB allocated for "
          "chunks. 293.0KiB in use in bin. 293.0KiB client-requested in use "
          "in bin.",
      [12] =
          "\tTotal Chunks: 1, Chunks in use: 1. 1.71MiB allocated for "
          "chunks. 1.71MiB in use in bin. 1.00MiB client-requested in use "
          "in bin.",
      [15] =
          "\tTotal Chunks: 1, Chunks in use: 1. 8.00MiB allocated for "
          "chunks. 8.00MiB in use in bin. 5.00MiB client-requested in use "
          "in bin.",
      [16] =
          "\tTotal Chunks: 2, Chunks in use: 1. 32.00MiB allocated for "
          "chunks. 16.00MiB in use in bin. 9.00MiB client-requested in use "
          "in bin."};
  expect_dump(
      pool, 60 * MIB, bins,
      "W502 Allocator (mklcpu) ran out of memory trying to allocate 60.00MiB "
      "(rounded to 62914560)requested by op Fill\n",
      "I1072 Bin for 60.00MiB was 32.00MiB, Chunk State: \n"
      "I1085 Next region of size 2097152\n"
      "I1105 InUse at <addr> of size 300032 next 1\n"
      "I1105 InUse at <addr> of size 1797120 next 18446744073709551615\n"
      "I1085 Next region of size 16777216\n"
      "I1105 Free  at <addr> of size 16777216 next 18446744073709551615\n"
      "I1085 Next region of size 16777216\n"
      "I1105 InUse at <addr> of size 16777216 next 18446744073709551615\n"
      "I1085 Next region of size 8388608\n"
      "I1105 InUse at <addr> of size 8388608 next 18446744073709551615\n"
      "I1110      Summary of in-use Chunks by size: \n"
      "I1113 1 Chunks of size 300032 totalling 293.0KiB\n"
      "I1113 1 Chunks of size 1797120 totalling 1.71MiB\n"
      "I1113 1 Chunks of size 8388608 totalling 8.00MiB\n"
      "I1113 1 Chunks of size 16777216 totalling 16.00MiB\n"
      "I1117 Sum Total of in-use chunks: 26.00MiB\n"
      "I1119 Total size in pool: 42.00MiB memory_limit_: 64.00MiB available "
      "size: 22.00MiB curr_region_allocation_bytes_: 32.00MiB\n"
      "I1128 Stats: \n"
      "Limit:                        64.00MiB\n"
      "InUse:                        26.00MiB\n"
      "MaxInUse:                     28.00MiB\n"
      "NumAllocs:                           5\n"
      "MaxAllocSize:                 16.00MiB\n"
      "Reserved:                           0B\n"
      "PeakReserved:                       0B\n"
      "LargestFreeBlock:                   0B\n"
      "\n"
      "W513 ****x_____________________________________***********************"
      "xxxxxxxxxxxxxxx*************xxxxxxx\n");
  for (int i = 0; i < 4; ++i) berth_buffer_release(keep[i]);
  berth_pool_destroy(pool);
}

// What a record of the report says, the Nth that begins with |start|.
static void expect_record(const char *dump, const char *start, int nth,
                          const char *want) {
  const char *at = dump;
  for (int i = 0; at != NULL && i < nth; ++i) {
    at = strstr(i == 0 ? at : at + 1, start);
  }
  ASSERT_TRUE(at != NULL);
  if (strncmp(at, want, strlen(want)) != 0) {
    HARNESS_FAIL("%.*s\nexpected\n%s", (int)strcspn(at, "\n"), at, want);
  }
}

// Seventy of 1 MiB and one of 200: regions of 2 to 64 MiB, and 256.
TEST(bfc, report_of_regions_as_they_grow) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 1024 * MIB, true, 0);
  berth_buffer_t *keep[71], *more = NULL;
  for (int i = 0; i < 70; ++i) keep[i] = taken(pool, MIB);
  keep[70] = taken(pool, 200 * MIB);
  EXPECT_EQ(in_use(pool), 341835776);
  EXPECT_EQ(berth_pool_buffer(pool, 900 * MIB, &more, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  berth_str_t dump = {0};
  berth_bfc_dump(pool, "mklcpu", 900 * MIB, "Fill", collect_text, &dump);
  const char *text = berth_str_get(&dump);
  static const uint64_t regions[] = {2097152,  268435456, 67108864, 33554432,
                                     16777216, 8388608,   4194304};
  static const int second[] = {-1, -1, 63, 31, 15, 7, 3};
  for (int i = 0; i < 7; ++i) {
    char want[96];
    snprintf(want, sizeof(want), "Next region of size %llu\n",
             (unsigned long long)regions[i]);
    expect_record(text, "Next region", i + 1, want);
    if (second[i] < 0) continue;
    const char *at = strstr(text, want);
    snprintf(want, sizeof(want), "InUse at <addr> of size 1048576 next %d\n",
             second[i]);
    expect_record(at, "InUse at", 1, want);
  }
  expect_record(text, "Free  at", 1,
                "Free  at <addr> of size 58720256 next 18446744073709551615\n");
  expect_record(text, "Bin for", 1,
                "Bin for 900.00MiB was 256.00MiB, Chunk State: \n");
  expect_record(text, "70 Chunks", 1,
                "70 Chunks of size 1048576 totalling 70.00MiB\n");
  expect_record(text, "Total size", 1,
                "Total size in pool: 382.00MiB memory_limit_: 1.00GiB "
                "available size: 642.00MiB curr_region_allocation_bytes_: "
                "256.00MiB\n");
  expect_record(text, "W513", 1,
                "W513 *****************************************************"
                "xxxxxxxxxxxxxx***______________****************\n");
  berth_str_clear(&dump);
  for (int i = 0; i < 71; ++i) berth_buffer_release(keep[i]);
  berth_pool_destroy(pool);
}

TEST(bfc, report_names_free_chunks_with_their_neighbours) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 4 * MIB, false, 0);
  berth_buffer_t *keep[4];
  for (int i = 0; i < 4; ++i) keep[i] = taken(pool, MIB - 100);
  berth_buffer_release(keep[1]);
  berth_str_t dump = {0};
  berth_bfc_dump(pool, "GPU_0_bfc", MIB + MIB / 2, NULL, collect_text, &dump);
  expect_record(berth_str_get(&dump), "I1078", 1,
                "I1078   Size: 1.00MiB | Requested Size: 0B | in_use: 0 | "
                "bin_num: 12, prev:   Size: 1.00MiB | Requested Size: "
                "1023.9KiB | in_use: 1 | bin_num: -1, next:   Size: 1.00MiB | "
                "Requested Size: 1023.9KiB | in_use: 1 | bin_num: -1\n");
  berth_str_clear(&dump);
  berth_bfc_print_optional("GPU_0_bfc", 272 * MIB, 0, &dump);
  EXPECT_STR(berth_str_get(&dump),
             "Allocator (GPU_0_bfc) ran out of memory trying to allocate "
             "272.00MiB with freed_by_count=0. The caller indicates that this "
             "is not a failure, but this may mean that there could be "
             "performance gains if more memory were available.");
  berth_str_clear(&dump);
  for (int i = 0; i < 4; ++i) {
    if (i != 1) berth_buffer_release(keep[i]);
  }
  berth_pool_destroy(pool);
}

TEST(bfc, report_of_an_empty_pool) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 4 * MIB, false, 0);
  berth_str_t dump = {0};
  berth_bfc_dump(pool, "GPU_0_bfc", 8 * MIB, NULL, collect_text, &dump);
  expect_record(berth_str_get(&dump), "W513", 1,
                "W513 <allocator contains no memory>\n");
  berth_str_clear(&dump);
  berth_pool_destroy(pool);
}

// ---- Changing while running ----

TEST(bfc, growth_and_limit_change_while_running) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 64 * MIB, true, 0);
  berth_buffer_t *a = taken(pool, 2 * MIB), *b = taken(pool, 4 * MIB);
  berth_buffer_t *c = NULL;
  EXPECT_EQ(source.held, 6 * MIB);
  berth_buffer_release(b);
  berth_policy_t policy = berth_policy_bfc(2 * MIB, true, 0);
  policy.wait_ns = 0;
  EXPECT_EQ(berth_pool_set_policy(pool, &policy), 0);
  EXPECT_EQ(source.held, 2 * MIB);
  EXPECT_EQ(berth_pool_buffer(pool, 256, &c, NULL), BERTH_RESOURCE_EXHAUSTED);
  policy.limit_bytes = MIB;
  EXPECT_EQ(berth_pool_set_policy(pool, &policy), MIB);
  // From growing to taking all that is left.
  policy = berth_policy_bfc(32 * MIB, false, 0);
  EXPECT_EQ(berth_pool_set_policy(pool, &policy), 0);
  c = taken(pool, 256);
  EXPECT_EQ(source.held, 32 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(c);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

TEST(bfc, regions_over_a_lower_limit_go_when_they_fall_idle) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 64 * MIB, true, 0);
  berth_buffer_t *a = taken(pool, 2 * MIB), *b = taken(pool, 4 * MIB);
  berth_policy_t policy = berth_policy_bfc(2 * MIB, true, 0);
  EXPECT_EQ(berth_pool_set_policy(pool, &policy), 4 * MIB);
  berth_buffer_release(b);
  EXPECT_EQ(source.held, 2 * MIB);
  berth_buffer_release(a);
  EXPECT_EQ(source.held, 2 * MIB);  // Within the limit it is kept.
  berth_pool_destroy(pool);
}

TEST(bfc, what_is_outside_counts) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 16 * MIB, true, 0);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_release(taken(pool, 8 * MIB));
  EXPECT_EQ(source.held, 8 * MIB);
  ASSERT_OK(berth_pool_reserve(pool, 8 * MIB, &err), &err);
  EXPECT_EQ(source.held, 8 * MIB);
  ASSERT_OK(berth_pool_reserve(pool, 4 * MIB, &err), &err);
  EXPECT_EQ(source.held, 0);
  berth_buffer_t *a = taken(pool, 3 * MIB);
  EXPECT_EQ(source.held, 4 * MIB);
  EXPECT_EQ(berth_pool_reserve(pool, 1, NULL), BERTH_RESOURCE_EXHAUSTED);
  berth_buffer_release(a);
  berth_pool_unreserve(pool, 12 * MIB);
  berth_pool_destroy(pool);
}

TEST(bfc, regions_go_back_after_an_idle_time) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source, 0, true, 0);
  berth_buffer_t *a = taken(pool, 2 * MIB), *b = taken(pool, 4 * MIB);
  berth_buffer_release(a);
  EXPECT_EQ(berth_pool_trim_older(pool, 100, 1000), 0);
  berth_buffer_release(b);
  EXPECT_EQ(berth_pool_trim_older(pool, 100, 1050), 0);
  EXPECT_EQ(berth_pool_trim_older(pool, 100, 1100), 2 * MIB);
  EXPECT_EQ(berth_pool_trim_older(pool, 100, 1150), 4 * MIB);
  EXPECT_EQ(source.held, 0);
  berth_pool_destroy(pool);
}
