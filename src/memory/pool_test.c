// pool_test.c - Pools: growth, limits, giving back, failures, threads, fork.
#include "memory/pool.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

// A source over the heap that counts, and refuses beyond a budget.
typedef struct test_source {
  berth_source_t source;
  uint64_t budget, held;
  int calls;
} test_source_t;

static berth_code_t test_get(berth_source_t *source, uint64_t size,
                             void **out_base, berth_error_t *err) {
  test_source_t *test = (test_source_t *)source;
  ++test->calls;
  if (size > test->budget - test->held || berth_fault("source")) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "no %llu bytes",
                           (unsigned long long)size);
  }
  void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return BERTH_RESOURCE_EXHAUSTED;
  test->held += size;
  *out_base = base;
  return BERTH_OK;
}

static void test_return(berth_source_t *source, void *base, uint64_t size) {
  ((test_source_t *)source)->held -= size;
  munmap(base, size);
}

static test_source_t test_source(uint64_t budget) {
  return (test_source_t){.source = {.struct_size = sizeof(berth_source_t),
                                    .name = "test",
                                    .granularity = 4096,
                                    .is_host = true,
                                    .get_region = test_get,
                                    .return_region = test_return},
                         .budget = budget};
}

static berth_pool_t *made(berth_source_t *source, berth_policy_t policy) {
  berth_pool_t *pool = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_create(source, &policy, &pool, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return pool;
}

static berth_buffer_t *taken(berth_pool_t *pool, uint64_t size) {
  berth_buffer_t *buffer = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_pool_buffer(pool, size, &buffer, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return buffer;
}

static berth_memory_stats_t stats_of(berth_pool_t *pool) {
  berth_memory_stats_t stats;
  const char *wrong = berth_pool_check(pool);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
  berth_pool_stats(pool, &stats);
  return stats;
}

TEST(pool, buffers_are_aligned_counted_and_given_back) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(0));
  EXPECT_EQ(source.calls, 0);  // Nothing is held before the first allocation.
  berth_buffer_t *a = taken(pool, 300), *b = taken(pool, 0);
  EXPECT_EQ((uintptr_t)a->data % 256, 0);
  EXPECT_EQ(a->size, 300);
  memset(a->data, 1, a->size);
  EXPECT_TRUE(b->data != NULL && b->data != a->data);
  berth_memory_stats_t stats = stats_of(pool);
  EXPECT_EQ(stats.num_allocs, 2);
  EXPECT_EQ(stats.live_allocs, 2);
  EXPECT_EQ(stats.bytes_in_use, 512 + 256);
  EXPECT_EQ(stats.largest_alloc_size, 512);
  EXPECT_EQ(stats.pool_bytes, 2 * MIB);
  EXPECT_EQ(stats.idle_bytes, 0);
  EXPECT_EQ(stats.region_count, 1);
  EXPECT_EQ(stats.largest_free_block_bytes, 2 * MIB - 768);
  berth_buffer_retain(a);
  berth_buffer_release(a);
  EXPECT_EQ(stats_of(pool).live_allocs, 2);
  berth_buffer_release(a);
  berth_buffer_release(b);
  stats = stats_of(pool);
  EXPECT_EQ(stats.live_allocs, 0);
  EXPECT_EQ(stats.bytes_in_use, 0);
  EXPECT_EQ(stats.peak_bytes_in_use, 768);
  EXPECT_EQ(stats.idle_bytes, 2 * MIB);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

TEST(pool, reset_starts_counts_and_peaks_anew) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(0));
  berth_buffer_t *a = taken(pool, 1024), *b = taken(pool, 4096);
  berth_buffer_release(b);
  berth_pool_reset_stats(pool);
  berth_memory_stats_t stats = stats_of(pool);
  EXPECT_EQ(stats.num_allocs, 0);
  EXPECT_EQ(stats.live_allocs, 1);
  EXPECT_EQ(stats.peak_bytes_in_use, 1024);
  EXPECT_EQ(stats.largest_alloc_size, 0);
  berth_buffer_release(a);
  berth_pool_destroy(pool);
}

TEST(pool, raw_allocations) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(0));
  berth_error_t err = BERTH_ERROR_INIT;
  void *ptrs[500];
  for (int i = 0; i < 500; ++i) {
    ASSERT_OK(berth_pool_alloc(pool, 1000, &ptrs[i], &err), &err);
  }
  for (int i = 0; i < 500; i += 2) berth_pool_free(pool, ptrs[i]);
  EXPECT_EQ(stats_of(pool).live_allocs, 250);
  for (int i = 1; i < 500; i += 2) berth_pool_free(pool, ptrs[i]);
  berth_pool_free(pool, NULL);
  EXPECT_EQ(stats_of(pool).live_allocs, 0);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

// TensorFlow's growth: 2, 4, 8 MiB …; a request that forces doubling uses it
// up.
TEST(pool, grows_by_doubling) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(0));
  berth_buffer_t *buffers[5];
  static const struct {
    uint64_t size, held;
  } cases[] = {{2 * MIB, 2 * MIB},
               {4 * MIB, 6 * MIB},
               {8 * MIB, 14 * MIB},
               {40 * MIB, 78 * MIB},
               {64 * MIB, 142 * MIB}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    buffers[i] = taken(pool, cases[i].size);
    EXPECT_EQ(stats_of(pool).pool_bytes, cases[i].held);
  }
  for (int i = 0; i < 5; ++i) berth_buffer_release(buffers[i]);
  // Nothing goes back by itself.
  EXPECT_EQ(stats_of(pool).idle_bytes, 142 * MIB);
  EXPECT_EQ(berth_pool_trim(pool, 0), 142 * MIB);
  EXPECT_EQ(source.held, 0);
  berth_pool_destroy(pool);
}

TEST(pool, reserves_all_at_the_first_allocation) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_reserve(64 * MIB));
  EXPECT_EQ(source.held, 0);
  berth_buffer_t *buffer = taken(pool, 1);
  EXPECT_EQ(source.held, 64 * MIB);
  berth_buffer_release(buffer);
  EXPECT_EQ(source.held, 64 * MIB);
  berth_pool_destroy(pool);
}

TEST(pool, the_limit_is_a_limit) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(10 * MIB));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *a = taken(pool, 2 * MIB), *b = taken(pool, 3 * MIB);
  berth_buffer_t *c = NULL;
  EXPECT_EQ(source.held, 6 * MIB);
  EXPECT_FAILS(berth_pool_buffer(pool, 5 * MIB, &c, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "test is out of memory: asked 5.00MiB; limit 10.00MiB, in use "
               "6.00MiB, largest free span 0B; the limit leaves no room");
  EXPECT_TRUE(c == NULL);
  c = taken(pool, 4 * MIB);  // The last region is cut to what is left.
  EXPECT_EQ(source.held, 10 * MIB);
  berth_buffer_release(a);
  berth_buffer_release(c);
  // Idle regions go back when only that makes room for a larger one.
  berth_buffer_t *d = taken(pool, 6 * MIB);
  EXPECT_EQ(source.held, 10 * MIB);
  EXPECT_EQ(stats_of(pool).region_count, 2);
  berth_buffer_release(b);
  berth_buffer_release(d);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

TEST(pool, says_when_memory_is_fragmented) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_reserve(4 * MIB));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffers[4], *more = NULL;
  for (int i = 0; i < 4; ++i) buffers[i] = taken(pool, MIB);
  berth_buffer_release(buffers[0]);
  berth_buffer_release(buffers[2]);
  EXPECT_FAILS(
      berth_pool_buffer(pool, 2 * MIB, &more, &err), BERTH_RESOURCE_EXHAUSTED,
      &err,
      "test is out of memory: asked 2.00MiB; limit 4.00MiB, in use 2.00MiB, "
      "largest free span 1.00MiB (fragmented); the limit leaves no room");
  berth_buffer_release(buffers[1]);
  berth_buffer_release(buffers[3]);
  berth_buffer_release(taken(pool, 2 * MIB));
  berth_pool_destroy(pool);
}

TEST(pool, absurd_sizes_are_refused) {
  berth_pool_t *pool = made(berth_source_host(), berth_policy_host(0));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 255,
                                   (uint64_t)1 << 63, (uint64_t)1 << 47};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    EXPECT_EQ(berth_pool_buffer(pool, sizes[i], &buffer, &err),
              BERTH_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(strstr(berth_error_message(&err), "host is out of memory") !=
                NULL);
  }
  berth_error_clear(&err);
  EXPECT_EQ(berth_pool_buffer(pool, SIZE_MAX, &buffer, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  berth_buffer_release(taken(pool, 5000));
  berth_pool_destroy(pool);
}

// A source that is nearly empty is asked for a tenth less each time.
TEST(pool, backs_off_when_the_source_has_less) {
  test_source_t source = test_source(5 * MIB);
  berth_pool_t *pool = made(&source.source, berth_policy_reserve(8 * MIB));
  berth_buffer_t *buffer = taken(pool, MIB);
  EXPECT_TRUE(source.held <= 5 * MIB && source.held > 5 * MIB / 10 * 9);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *more = NULL;
  EXPECT_EQ(berth_pool_buffer(pool, 5 * MIB, &more, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&err), "the limit leaves no room") !=
              NULL);
  berth_error_clear(&err);
  berth_buffer_release(buffer);
  berth_pool_destroy(pool);
}

// The source's refusal is the reason a user reads.
TEST(pool, passes_the_reason_of_the_source_on) {
  test_source_t source = test_source(MIB);
  berth_pool_t *pool = made(&source.source, berth_policy_host(MIB));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *a = taken(pool, 4096), *b = NULL;
  EXPECT_FAILS(
      berth_pool_buffer(pool, 2 * MIB, &b, &err), BERTH_RESOURCE_EXHAUSTED,
      &err,
      "test is out of memory: asked 2.00MiB; limit none, in use 4.0KiB, "
      "largest free span 1020.0KiB; no 2097152 bytes");
  berth_buffer_release(a);
  berth_pool_destroy(pool);
}

// ---- Giving back ----

TEST(pool, keeps_no_more_idle_bytes_than_the_policy_says) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_host(300 * MIB));
  berth_buffer_t *a = taken(pool, 200 * MIB), *b = taken(pool, 150 * MIB);
  berth_buffer_t *c = taken(pool, 140 * MIB);
  EXPECT_EQ(source.held, 490 * MIB);  // Each a region of its own size.
  berth_buffer_release(a);
  EXPECT_EQ(source.held, 490 * MIB);
  berth_buffer_release(
      b);  // 350 MiB idle: the longest idle goes, which is a's.
  EXPECT_EQ(source.held, 290 * MIB);
  berth_buffer_release(c);
  EXPECT_EQ(source.held, 290 * MIB);
  EXPECT_EQ(stats_of(pool).idle_bytes, 290 * MIB);
  EXPECT_EQ(berth_pool_trim(pool, 145 * MIB), 150 * MIB);
  EXPECT_EQ(berth_pool_trim(pool, 145 * MIB), 0);
  EXPECT_EQ(source.held, 140 * MIB);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

// A loop whose memory is kept never asks the source again.
TEST(pool, a_loop_reuses_its_memory) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_host(256 * MIB));
  for (int i = 0; i < 100; ++i) {
    berth_buffer_t *a = taken(pool, 64 * MIB), *b = taken(pool, 64 * MIB);
    berth_buffer_release(a);
    berth_buffer_release(b);
  }
  EXPECT_TRUE(source.calls <= 2);
  berth_pool_destroy(pool);
}

static int64_t page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(pool, large_results_cost_no_page_faults_in_the_long_run) {
  berth_pool_t *pool = made(berth_source_host(), berth_policy_host(256 * MIB));
  int64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    if (i == 2) before = page_faults();
    berth_buffer_t *buffer = taken(pool, 64 * MIB);
    memset(buffer->data, i, buffer->size);
    berth_buffer_release(buffer);
  }
  EXPECT_TRUE(page_faults() - before < 64);
  berth_pool_destroy(pool);
}

TEST(pool, outlives_its_owner_while_buffers_live) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_growth(0));
  berth_buffer_t *a = taken(pool, 1000), *b = taken(pool, 40 * MIB);
  berth_pool_destroy(pool);
  memset(a->data, 7, a->size);
  berth_buffer_release(b);
  EXPECT_EQ(source.held, 2 * MIB);
  berth_buffer_release(a);
  EXPECT_EQ(source.held, 0);
  berth_pool_destroy(NULL);
}

// ---- Report ----

TEST(pool, report_lists_the_largest_holders) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_reserve(64 * MIB));
  static const uint64_t sizes[] = {256,      512,     4 * MIB, 1024,
                                   4 * MIB,  8 * MIB, 512,     2 * MIB,
                                   16 * KIB, 4 * MIB, 256};
  static const char *const names[] = {"sum",  "sum",  "conv", NULL,
                                      "conv", NULL,   "bias", "add",
                                      "mul",  "conv", "sum"};
  berth_buffer_t *buffers[BERTH_COUNT_OF(sizes)];
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    berth_request_t request = {.size = sizes[i], .label = names[i]};
    ASSERT_OK(berth_pool_request(pool, &request, &buffers[i], NULL), NULL);
  }
  berth_memory_report_t report;
  berth_pool_report(pool, 100 * MIB, &report);
  static const berth_holder_t want[] = {{12 * MIB, 3, "conv", ""},
                                        {8 * MIB + 1024, 2, "", ""},
                                        {2 * MIB, 1, "add", ""},
                                        {16 * KIB, 1, "mul", ""},
                                        {1024, 3, "sum", ""}};
  ASSERT_TRUE(report.holder_count == BERTH_COUNT_OF(want));
  for (int i = 0; i < BERTH_COUNT_OF(want); ++i) {
    EXPECT_STR(report.holders[i].label, want[i].label);
    EXPECT_EQ(report.holders[i].bytes, want[i].bytes);
    EXPECT_EQ(report.holders[i].count, want[i].count);
  }
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    berth_buffer_release(buffers[i]);
  }
  berth_pool_destroy(pool);
}

// ---- Torture ----

// Allocates of every kind, with growth, trimming and give-back. Says whether
// all went well.
static bool scenario(test_source_t *source) {
  bool ok = true;
  berth_policy_t policy = berth_policy_host(8 * MIB);
  berth_pool_t *pool = NULL;
  if (berth_pool_create(&source->source, &policy, &pool, NULL) != BERTH_OK) {
    return false;
  }
  berth_buffer_t *buffers[100] = {0};
  void *raw = NULL;
  for (int i = 0; i < 100; ++i) {
    uint64_t size = (uint64_t)(i % 10 + 1) * 64 * KIB;
    ok &= berth_pool_buffer(pool, size, &buffers[i], NULL) == BERTH_OK;
  }
  ok &= berth_pool_alloc(pool, 5000, &raw, NULL) == BERTH_OK;
  for (int i = 0; i < 100; ++i) berth_buffer_release(buffers[i]);
  stats_of(pool);
  berth_pool_trim(pool, 0);
  berth_pool_free(pool, raw);
  EXPECT_EQ(stats_of(pool).live_allocs, 0);
  berth_pool_destroy(pool);
  EXPECT_EQ(source->held, 0);
  return ok;
}

TEST(torture, every_failure_of_the_heap_and_the_source_is_survived) {
  static const char *const points[] = {"alloc", "source"};
  for (int point = 0; point < BERTH_COUNT_OF(points); ++point) {
    int refused = 0;
    int64_t passes = 0;
    for (int64_t nth = 1; passes >= nth - 1 && nth < 1000; ++nth) {
      test_source_t source = test_source(UINT64_MAX);
      berth_fault_arm(points[point], nth);
      refused += !scenario(&source);
      passes = berth_fault_disarm();
    }
    EXPECT_TRUE(passes > 5);
    // One refusal of the source is made up for by asking for less.
    if (point == 0) EXPECT_TRUE(refused > 0);
    test_source_t source = test_source(UINT64_MAX);
    EXPECT_TRUE(scenario(&source));
  }
}

TEST(torture, a_refusal_of_mmap_has_its_reason) {
  berth_pool_t *pool = made(berth_source_host(), berth_policy_host(MIB));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  berth_fault_arm("mmap", 1);
  EXPECT_FAILS(
      berth_pool_buffer(pool, 200 * MIB, &buffer, &err),
      BERTH_RESOURCE_EXHAUSTED, &err,
      "host is out of memory: asked 200.00MiB; limit none, in use 0B, largest "
      "free span 0B; cannot map 209715200 bytes of host memory: Cannot "
      "allocate memory");
  EXPECT_EQ(berth_fault_disarm(), 1);
  berth_buffer_release(taken(pool, 200 * MIB));
  berth_pool_destroy(pool);
}

// ---- A long run against a shadow ----

enum { SLOTS = 600 };

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// Writes a mark at both ends, so that overlapping buffers give themselves away.
static void mark(const berth_buffer_t *buffer, uint64_t value) {
  memcpy(buffer->data, &value, sizeof(value));
  memcpy((char *)buffer->data + buffer->size - sizeof(value), &value,
         sizeof(value));
}

static bool is_marked(const berth_buffer_t *buffer, uint64_t value) {
  uint64_t first, last;
  memcpy(&first, buffer->data, sizeof(first));
  memcpy(&last, (char *)buffer->data + buffer->size - sizeof(last),
         sizeof(last));
  return first == value && last == value;
}

static void random_steps(berth_pool_t *pool, int steps, uint64_t seed,
                         int check_every) {
  berth_buffer_t *buffers[SLOTS] = {0};
  uint64_t state = seed;
  for (int i = 0; i < steps; ++i) {
    uint64_t slot = next_random(&state) % SLOTS;
    uint64_t value = seed * SLOTS + slot;
    if (buffers[slot] != NULL) {
      if (!is_marked(buffers[slot], value)) {
        HARNESS_FAIL("overlap at step %d", i);
        break;
      }
      berth_buffer_release(buffers[slot]);
      buffers[slot] = NULL;
    } else {
      uint64_t bits = next_random(&state) % 12;
      uint64_t size = next_random(&state) % ((uint64_t)256 << bits) + 16;
      buffers[slot] = taken(pool, size);
      mark(buffers[slot], value);
    }
    if (check_every > 0 && i % check_every == 0) stats_of(pool);
  }
  for (int i = 0; i < SLOTS; ++i) berth_buffer_release(buffers[i]);
}

TEST(pool, random_steps_against_a_shadow) {
  test_source_t source = test_source(UINT64_MAX);
  berth_pool_t *pool = made(&source.source, berth_policy_host(4 * MIB));
#ifdef BERTH_CHECK
  random_steps(pool, 300000, 42, 1);
#else
  random_steps(pool, 300000, 42, 1000);
#endif
  EXPECT_EQ(stats_of(pool).live_allocs, 0);
  berth_pool_destroy(pool);
  EXPECT_EQ(source.held, 0);
}

// ---- Threads and fork ----

typedef struct worker {
  berth_pool_t *pool;
  uint64_t seed;
} worker_t;

static void work(void *arg) {
  worker_t *worker = arg;
  random_steps(worker->pool, 20000, worker->seed, 0);
}

TEST(pool, threads_share_a_pool) {
  enum { THREADS = 4 };
  berth_pool_t *pool = made(berth_source_host(), berth_policy_host(2 * MIB));
  berth_thread_t threads[THREADS];
  worker_t workers[THREADS];
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){pool, (uint64_t)i + 1};
    ASSERT_OK(berth_thread_start(&threads[i], work, &workers[i], &err), &err);
  }
  for (int i = 0; i < 200; ++i) {
    berth_pool_trim(pool, 0);
    stats_of(pool);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(stats_of(pool).live_allocs, 0);
  berth_pool_destroy(pool);
}

static void work_until_told(void *arg) {
  atomic_bool *stop = ((void **)arg)[1];
  while (!atomic_load(stop)) {
    berth_buffer_release(taken(((void **)arg)[0], 2 * MIB));
  }
}

// Forks while another thread is busy in the pool, growing it every round: the
// child must find no lock held and no growth that never ends.
TEST(pool, works_in_the_child_of_a_fork) {
  if (BERTH_TSAN) SKIP("the thread sanitizer forbids threads after fork");
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer's own heap may be locked in a forked child");
#endif
  berth_pool_t *pool = made(berth_source_host(), berth_policy_host(0));
  atomic_bool stop = false;
  void *args[] = {pool, &stop};
  berth_thread_t thread;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_thread_start(&thread, work_until_told, args, &err), &err);
  for (int i = 0; i < 50; ++i) {
    pid_t child = fork();
    ASSERT_TRUE(child >= 0);
    if (child == 0) {
      alarm(20);  // A deadlock ends as a signal.
      berth_buffer_t *buffer = taken(pool, 4 * MIB);
      memset(buffer->data, 1, buffer->size);
      berth_buffer_release(buffer);
      _exit(berth_pool_check(pool) == NULL && harness_failures == 0 ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  atomic_store(&stop, true);
  berth_thread_join(&thread);
  berth_pool_destroy(pool);
}
