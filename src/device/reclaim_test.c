// reclaim_test.c - Reclaimers of a device whose pool is small.
#include "device/reclaim.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "harness.h"

enum { LIMIT = 1 << 20, HALF = LIMIT / 2 };

typedef struct fake {
  berth_device_t device;  // First.
  berth_pool_t *pool;
} fake_t;

static void fake_close(berth_device_t *device) {
  berth_pool_destroy(((fake_t *)device)->pool);
  berth_device_deinit(device);
  berth_free(device);
}

static const berth_backend_t backend = {
    .struct_size = sizeof(backend), .type = "GPU", .close = fake_close};

static fake_t *fake_open(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  fake_t *fake = berth_calloc(1, sizeof(*fake));
  berth_policy_t policy = berth_policy_host(0);
  policy.limit_bytes = LIMIT;
  if (fake == NULL ||
      berth_device_init(&fake->device, &backend,
                        "/job:localhost/replica:0/task:0", 0, "",
                        &err) != BERTH_OK ||
      berth_pool_create(berth_source_host(), &policy, &fake->pool, &err) !=
          BERTH_OK) {
    HARNESS_FAIL("no device: %s", berth_error_message(&err));
  }
  return fake;
}

// Keeps a buffer, and gives it up when asked.
typedef struct keeper {
  berth_reclaimer_t reclaimer;
  berth_buffer_t *kept;
  fake_t *fake;
  int asked;
} keeper_t;

static bool give_up(void *arg, berth_device_t *device) {
  keeper_t *keeper = arg;
  EXPECT_TRUE(device == &keeper->fake->device);
  ++keeper->asked;
  bool had = keeper->kept != NULL;
  berth_buffer_release(keeper->kept);
  keeper->kept = NULL;
  return had;
}

static berth_code_t take(fake_t *fake, size_t size, berth_buffer_t **out,
                         berth_error_t *err) {
  return berth_reclaim_buffer(&fake->device, fake->pool, size, out, err);
}

static void keep(keeper_t *keeper, fake_t *fake) {
  berth_error_t err = BERTH_ERROR_INIT;
  *keeper = (keeper_t){.fake = fake};
  keeper->reclaimer.give_up = give_up;
  keeper->reclaimer.arg = keeper;
  ASSERT_OK(take(fake, HALF + 4096, &keeper->kept, &err), &err);
  berth_reclaimer_add(&fake->device, &keeper->reclaimer);
}

TEST(reclaim, is_asked_before_a_refusal) {
  fake_t *fake = fake_open();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL, *more = NULL;
  keeper_t keeper;
  keep(&keeper, fake);
  // What fits bothers nobody.
  ASSERT_OK(take(fake, 4096, &buffer, &err), &err);
  EXPECT_EQ(keeper.asked, 0);
  berth_buffer_release(buffer);
  ASSERT_OK(take(fake, HALF + 4096, &buffer, &err), &err);
  EXPECT_EQ(keeper.asked, 1);
  EXPECT_TRUE(keeper.kept == NULL);
  EXPECT_EQ(err.code, BERTH_OK);
  // Nothing is idle any more: refused, with the text of a refusal.
  EXPECT_EQ(take(fake, HALF + 4096, &more, &err), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(keeper.asked, 2);
  EXPECT_TRUE(more == NULL && berth_error_message(&err)[0] != '\0');
  berth_error_clear(&err);
  berth_reclaimer_remove(&fake->device, &keeper.reclaimer);
  EXPECT_EQ(take(fake, HALF + 4096, &more, &err), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(keeper.asked, 2);
  berth_error_clear(&err);
  berth_buffer_release(buffer);
  berth_device_release(&fake->device);
}

TEST(reclaim, asks_everybody_who_is_on_the_list) {
  fake_t *fake = fake_open();
  keeper_t keepers[3] = {{.fake = fake}, {.fake = fake}, {.fake = fake}};
  EXPECT_FALSE(berth_reclaim(&fake->device));
  for (int i = 0; i < 3; ++i) {
    keepers[i].reclaimer.give_up = give_up;
    keepers[i].reclaimer.arg = &keepers[i];
    berth_reclaimer_add(&fake->device, &keepers[i].reclaimer);
  }
  EXPECT_FALSE(berth_reclaim(&fake->device));
  berth_reclaimer_remove(&fake->device, &keepers[1].reclaimer);
  berth_reclaimer_remove(&fake->device, &keepers[1].reclaimer);
  berth_reclaimer_remove(&fake->device, NULL);
  EXPECT_FALSE(berth_reclaim(&fake->device));
  EXPECT_EQ(keepers[0].asked, 2);
  EXPECT_EQ(keepers[1].asked, 1);
  EXPECT_EQ(keepers[2].asked, 2);
  berth_reclaimer_remove(&fake->device, &keepers[0].reclaimer);
  berth_reclaimer_remove(&fake->device, &keepers[2].reclaimer);
  berth_device_release(&fake->device);
}

typedef struct leaver {
  berth_reclaimer_t reclaimer;
  berth_device_t *device;
  berth_thread_t thread;
  atomic_bool has_left;
} leaver_t;

static void leave(void *arg) {
  leaver_t *leaver = arg;
  berth_reclaimer_remove(leaver->device, &leaver->reclaimer);
  atomic_store(&leaver->has_left, true);
}

// Is asked, and taken off the list meanwhile.
static bool be_asked_while_leaving(void *arg, berth_device_t *device) {
  leaver_t *leaver = arg;
  (void)device;
  EXPECT_EQ(berth_thread_start(&leaver->thread, leave, leaver, NULL), BERTH_OK);
  berth_sleep_ns(50000000);
  EXPECT_FALSE(atomic_load(&leaver->has_left));
  return false;
}

// Who takes a reclaimer off the list may free it: nobody is being asked then.
TEST(reclaim, nobody_leaves_while_somebody_asks) {
  fake_t *fake = fake_open();
  leaver_t leaver = {.device = &fake->device};
  leaver.reclaimer.give_up = be_asked_while_leaving;
  leaver.reclaimer.arg = &leaver;
  berth_reclaimer_add(&fake->device, &leaver.reclaimer);
  EXPECT_FALSE(berth_reclaim(&fake->device));
  berth_thread_join(&leaver.thread);
  EXPECT_TRUE(atomic_load(&leaver.has_left));
  EXPECT_FALSE(berth_reclaim(&fake->device));
  berth_device_release(&fake->device);
}

static bool ask_again(void *arg, berth_device_t *device) {
  keeper_t *keeper = arg;
  berth_buffer_t *buffer = NULL;
  ++keeper->asked;
  EXPECT_FALSE(berth_reclaim(device));
  EXPECT_EQ(take(keeper->fake, 2 * LIMIT, &buffer, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  return false;
}

// Whoever is asked may need memory: that asks nobody.
TEST(reclaim, does_not_ask_on_behalf_of_those_asked) {
  fake_t *fake = fake_open();
  keeper_t keeper = {.fake = fake};
  berth_buffer_t *buffer = NULL;
  keeper.reclaimer.give_up = ask_again;
  keeper.reclaimer.arg = &keeper;
  berth_reclaimer_add(&fake->device, &keeper.reclaimer);
  EXPECT_EQ(take(fake, 2 * LIMIT, &buffer, NULL), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(keeper.asked, 1);
  berth_reclaimer_remove(&fake->device, &keeper.reclaimer);
  berth_device_release(&fake->device);
}

enum { ROUNDS = 200 };

static void come_and_go(void *arg) {
  fake_t *fake = arg;
  for (int i = 0; i < ROUNDS; ++i) {
    keeper_t keeper = {.fake = fake};
    keeper.reclaimer.give_up = give_up;
    keeper.reclaimer.arg = &keeper;
    (void)take(fake, 4096, &keeper.kept, NULL);
    berth_reclaimer_add(&fake->device, &keeper.reclaimer);
    berth_reclaimer_remove(&fake->device, &keeper.reclaimer);
    berth_buffer_release(keeper.kept);
  }
}

static void ask_often(void *arg) {
  fake_t *fake = arg;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_buffer_t *buffer = NULL;
    (void)take(fake, 2 * LIMIT, &buffer, NULL);
    berth_buffer_release(buffer);
  }
}

// A reclaimer that was removed is not called any more.
TEST(reclaim, is_used_by_several_threads) {
  fake_t *fake = fake_open();
  berth_thread_t threads[4];
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], i % 2 ? ask_often : come_and_go,
                                 fake, &err),
              &err);
  }
  for (int i = 0; i < 4; ++i) berth_thread_join(&threads[i]);
  berth_device_release(&fake->device);
}
