// generator_test.c - Random sequences, against numbers of TensorFlow 2.21.
#include "state/generator.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

// What RandomUniform gives for the seeds 1 and 2 in two runs of six floats.
static const float first_run[6] = {0x1.a02678p-2f, 0x1.b7174cp-1f,
                                   0x1.c5cd8p-5f,  0x1.5fbbap-4f,
                                   0x1.a60b98p-2f, 0x1.2c148p-5f};
static const float second_run[6] = {0x1.ff712p-2f, 0x1.016bep-4f,
                                    0x1.d71b8p-2f, 0x1.9f56p-3f,
                                    0x1.6b07ap-4f, 0x1.f1f8a8p-1f};

static void expect_floats(berth_philox_t philox, const float wanted[6]) {
  uint32_t words[8];
  berth_philox_next(&philox, words);
  berth_philox_next(&philox, words + 4);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(berth_philox_float(words[i]) == wanted[i]);
  }
}

TEST(philox, gives_the_numbers_of_tensorflow) {
  berth_philox_t philox = berth_philox_make(1, 2);
  expect_floats(philox, first_run);
  uint32_t words[4], next[4];
  berth_philox_next(&philox, words);
  EXPECT_TRUE(berth_philox_double(words[0], words[1]) == 0x1.0133e33b7174cp-2);
  EXPECT_TRUE(berth_philox_double(words[2], words[3]) == 0x1.c5cd8282bf774p-2);
  EXPECT_TRUE(berth_philox_half(words[0]) == 0x1.9ep-3f);
  EXPECT_TRUE(berth_philox_half(words[2]) == 0x1.9bp-1f);
  EXPECT_TRUE(berth_philox_bfloat16(words[0]) == 0x1.3cp-1f);
  EXPECT_TRUE(berth_philox_bfloat16(words[2]) == 0x1.bp-2f);
  // A negative seed keeps its bits: RandomUniformInt below 2^31 - 1.
  berth_philox_t other = berth_philox_make(87654321, (uint64_t)-5);
  berth_philox_next(&other, words);
  berth_philox_next(&other, next);
  EXPECT_EQ(words[0] % 2147483647u, 1024690880);
  EXPECT_EQ(words[3] % 2147483647u, 1430740286);
  EXPECT_EQ(next[1] % 2147483647u, 1045604038);
}

TEST(philox, counter_carries_into_every_word) {
  berth_philox_t skipped = {{0xffffffff, 0xffffffff, 0xffffffff, 7}, {1, 2}};
  berth_philox_t stepped = skipped;
  uint32_t words[4];
  berth_philox_skip(&skipped, 1);
  berth_philox_next(&stepped, words);
  EXPECT_TRUE(memcmp(&skipped, &stepped, sizeof(skipped)) == 0);
  EXPECT_EQ(skipped.counter[0], 0);
  EXPECT_EQ(skipped.counter[2], 0);
  EXPECT_EQ(skipped.counter[3], 8);
  berth_philox_skip(&skipped, UINT64_MAX);
  EXPECT_EQ(skipped.counter[1], 0xffffffff);
  EXPECT_EQ(skipped.counter[3], 8);
}

static berth_generator_t *get(berth_container_t *container, const char *key,
                              int64_t seed, int64_t seed2) {
  berth_generator_t *generator = NULL;
  EXPECT_EQ(
      berth_generator_get(container, "", key, seed, seed2, &generator, NULL),
      BERTH_OK);
  return generator;
}

TEST(generator, goes_on_from_run_to_run) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  berth_generator_t *generator = get(container, "u", 1, 2);
  expect_floats(berth_generator_reserve(generator, 6 * BERTH_GENERATOR_STEPS),
                first_run);
  berth_generator_t *same = get(container, "u", 9, 9);
  EXPECT_TRUE(same == generator);
  expect_floats(berth_generator_reserve(same, 6 * BERTH_GENERATOR_STEPS),
                second_run);
  berth_resource_release((berth_resource_t *)generator);
  berth_resource_release((berth_resource_t *)same);
  berth_container_destroy(container);
}

TEST(generator, without_seeds_every_one_differs) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  berth_generator_t *a = get(container, "a", 0, 0);
  berth_generator_t *b = get(container, "b", 0, 0);
  berth_philox_t from_a = berth_generator_reserve(a, 1);
  berth_philox_t from_b = berth_generator_reserve(b, 1);
  EXPECT_TRUE(memcmp(&from_a, &from_b, sizeof(from_a)) != 0);
  EXPECT_EQ(from_a.counter[0], 0);
  berth_resource_release((berth_resource_t *)a);
  berth_resource_release((berth_resource_t *)b);
  berth_container_destroy(container);
}

enum { THREADS = 4, RESERVATIONS = 1000 };

typedef struct worker {
  berth_generator_t *generator;
  uint64_t sum;  // Of the counters at which its parts begin.
} worker_t;

static void reserve_many(void *arg) {
  worker_t *worker = arg;
  for (int i = 0; i < RESERVATIONS; ++i) {
    worker->sum += berth_generator_reserve(worker->generator, 1).counter[0];
  }
}

TEST(generator, parts_of_threads_do_not_overlap) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  berth_generator_t *generator = get(container, "u", 1, 2);
  worker_t workers[THREADS] = {{0}};
  berth_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    workers[i].generator = generator;
    ASSERT_OK(berth_thread_start(&threads[i], reserve_many, &workers[i], &err),
              &err);
  }
  uint64_t sum = 0, count = THREADS * RESERVATIONS;
  for (int i = 0; i < THREADS; ++i) {
    berth_thread_join(&threads[i]);
    sum += workers[i].sum;
  }
  EXPECT_EQ(sum, count * (count - 1) / 2);
  EXPECT_EQ(berth_generator_reserve(generator, 0).counter[0], count);
  berth_resource_release((berth_resource_t *)generator);
  berth_container_destroy(container);
}

TEST(generator, survives_every_failed_allocation) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  for (int64_t nth = 1; nth <= 2; ++nth) {
    berth_generator_t *generator = NULL;
    berth_fault_arm("alloc", nth);
    EXPECT_EQ(berth_generator_get(container, "", "u", 1, 2, &generator, NULL),
              BERTH_RESOURCE_EXHAUSTED);
    berth_fault_disarm();
    EXPECT_TRUE(generator == NULL);
  }
  berth_resource_release((berth_resource_t *)get(container, "u", 1, 2));
  berth_container_destroy(container);
}
