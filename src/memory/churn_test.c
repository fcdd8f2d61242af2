// churn_test.c - The same random requests to a page-mapped pool, and to pools
// with the rules of TensorFlow's allocator: who refuses what would fit, and how
// often the driver is called.
//
// BERTH_CHURN_STEPS=1000000 for more than the usual number.
#include <stdlib.h>

#include "harness.h"
#include "memory/fake_card.h"
#include "memory/pool.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum { MOST = 4096, USUAL_STEPS = 30000 };
static const uint64_t LIMIT = 16 * GIB;

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// Between 1 KiB and 3 GiB; every power of two is as likely.
static uint64_t next_size(uint64_t *state) {
  uint64_t power = 10 + next_random(state) % 22;
  uint64_t size =
      ((uint64_t)1 << power) + next_random(state) % ((uint64_t)1 << power);
  return size < 3 * GIB ? size : 3 * GIB;
}

// A source of addresses with nothing behind them.
static berth_code_t region_get(berth_source_t *source, uint64_t size,
                               void **out_base, berth_error_t *err) {
  static uintptr_t next = (uintptr_t)1 << 40;
  (void)source, (void)err;
  *out_base = (void *)next;
  next += (size + MIB) & ~(uintptr_t)4095;
  return BERTH_OK;
}

static void region_return(berth_source_t *source, void *base, uint64_t size) {
  (void)source, (void)base, (void)size;
}

// Goes through the requests, with live bytes under 90 % of the limit; returns
// how many were refused.
static long churn(berth_pool_t *pool, long steps) {
  static struct {
    berth_buffer_t *buffer;
    uint64_t size;
  } live[MOST];
  uint64_t state = 7, bytes = 0;
  int count = 0;
  long refused = 0;
  for (long i = 0; i < steps; ++i) {
    uint64_t size = next_size(&state);
    while (count > 0 && (bytes + size > LIMIT / 10 * 9 || count == MOST)) {
      int at = (int)(next_random(&state) % (uint64_t)count);
      berth_buffer_release(live[at].buffer);
      bytes -= live[at].size;
      live[at] = live[--count];
    }
    const berth_request_t request = {.size = size, .no_wait = true};
    berth_buffer_t *buffer = NULL;
    if (berth_pool_request(pool, &request, &buffer, NULL) != BERTH_OK) {
      ++refused;
      continue;
    }
    bytes += size;
    live[count].buffer = buffer;
    live[count++].size = size;
  }
  while (count > 0) berth_buffer_release(live[--count].buffer);
  return refused;
}

static long steps_wanted(void) {
  const char *text = getenv("BERTH_CHURN_STEPS");
  return text != NULL ? strtol(text, NULL, 10) : USUAL_STEPS;
}

static long churn_bfc(bool growth, long steps) {
  berth_source_t source = {.struct_size = sizeof(source),
                           .name = "test",
                           .granularity = 4096,
                           .get_region = region_get,
                           .return_region = region_return};
  berth_policy_t policy = berth_policy_bfc(LIMIT, growth, 0);
  berth_pool_t *pool = NULL;
  if (berth_pool_create(&source, &policy, &pool, NULL) != BERTH_OK) {
    HARNESS_FAIL("no pool");
  }
  long refused = churn(pool, steps);
  berth_pool_destroy(pool);
  return refused;
}

TEST(churn, nothing_is_refused_where_tensorflow_refuses) {
  long steps = steps_wanted();
  fake_card_t card;
  fake_card_init(&card, 2 * MIB, LIMIT);
  berth_policy_t policy = berth_policy_mapped(LIMIT);
  berth_pool_t *pool = NULL;
  ASSERT_OK(berth_pool_create_mapped(&card.source, &policy, NULL, &pool, NULL),
            NULL);
  EXPECT_EQ(churn(pool, steps), 0);
  EXPECT_TRUE(card.peak <= LIMIT);
  double calls =
      (double)(card.creates + card.releases + card.maps + card.unmaps) /
      (double)steps;
  // Each takes some 20 microseconds; taking the best hole for addresses alone,
  // whatever lies in it, needs more than five.
  EXPECT_TRUE(calls < 2.5);
  berth_pool_destroy(pool);
  EXPECT_STR(fake_card_deinit(&card), "");
  long reserved = churn_bfc(false, steps), grown = churn_bfc(true, steps);
  EXPECT_TRUE(reserved > steps / 100);
  EXPECT_TRUE(grown > steps / 100);
  printf(
      "%ld requests: 0 refused with %.2f calls of the driver each; by "
      "TensorFlow's rules %ld refused, and %ld with allow_growth\n",
      steps, calls, reserved, grown);
}
