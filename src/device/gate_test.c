// gate_test.c - Gates: many inside, or one alone.
#include "device/gate.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness.h"

enum { SHORT_NS = 20000000 };
#define LONG_NS ((int64_t)60 * 1000000000)

static berth_gate_t gate;

static berth_code_t enter(berth_hold_t *hold, const char *what,
                          const char *name) {
  *hold = (berth_hold_t){.what = what, .name = name};
  return berth_gate_enter(&gate, hold, NULL, NULL);
}

static void expect_text(berth_error_t *err, const char *begin) {
  const char *text = berth_error_message(err);
  if (strncmp(text, begin, strlen(begin)) != 0) {
    HARNESS_FAIL("'%s' does not begin with '%s'", text, begin);
  }
  berth_error_clear(err);
}

// ---- A thread that goes in and stays until it is told to leave ----

typedef struct guest {
  berth_thread_t thread;
  const char *what, *name;
  berth_look_fn look;
  berth_code_t code;
  atomic_bool is_at_gate, is_inside, leaves;
} guest_t;

static void guest_main(void *arg) {
  guest_t *guest = arg;
  berth_hold_t hold = {.what = guest->what, .name = guest->name};
  atomic_store(&guest->is_at_gate, true);
  guest->code = berth_gate_enter(&gate, &hold, guest->look, guest);
  atomic_store(&guest->is_inside, true);
  while (!atomic_load(&guest->leaves)) berth_sleep_ns(100000);
  berth_gate_leave(&hold);
}

static void guest_come(guest_t *guest) {
  if (berth_thread_start(&guest->thread, guest_main, guest, NULL) != BERTH_OK) {
    HARNESS_FAIL("no thread");
  }
}

static void await(atomic_bool *flag) {
  while (!atomic_load(flag)) berth_sleep_ns(100000);
}

static void guest_go(guest_t *guest) {
  atomic_store(&guest->leaves, true);
  berth_thread_join(&guest->thread);
}

// ---- Tests ----

TEST(gate, is_taken_alone_when_nobody_is_inside) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t hold, alone;
  berth_gate_init(&gate);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  // Whoever has it alone goes in and out.
  ASSERT_OK(enter(&hold, "a copy", NULL), &err);
  berth_gate_leave(&hold);
  berth_gate_open(&alone);
  ASSERT_OK(enter(&hold, "a copy", NULL), &err);
  berth_gate_leave(&hold);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  berth_gate_open(&alone);
  berth_gate_open(&alone);
  // Nothing is held of a device without a gate.
  ASSERT_OK(berth_gate_enter(NULL, &hold, NULL, NULL), &err);
  berth_gate_leave(&hold);
  berth_gate_leave(&hold);
  berth_gate_deinit(&gate);
}

TEST(gate, names_who_is_inside) {
  guest_t run = {.what = "a run of a session"};
  guest_t call = {.what = "an eager call", .name = "MatMul"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t alone;
  berth_gate_init(&gate);
  guest_come(&call);
  await(&call.is_inside);
  EXPECT_EQ(berth_gate_close(&gate, &alone, "GPU:0", SHORT_NS, &err),
            BERTH_FAILED_PRECONDITION);
  expect_text(&err, "GPU:0 is in use by an eager call of MatMul (thread ");
  guest_come(&run);
  await(&run.is_inside);  // Failing has opened it again.
  EXPECT_EQ(berth_gate_close(&gate, &alone, "GPU:0", 0, &err),
            BERTH_FAILED_PRECONDITION);
  EXPECT_TRUE(strstr(berth_error_message(&err), "s) and 1 other; try again") !=
              NULL);
  expect_text(&err, "GPU:0 is in use by an eager call of MatMul (thread ");
  guest_go(&call);
  EXPECT_EQ(berth_gate_close(&gate, &alone, "GPU:0", 0, &err),
            BERTH_FAILED_PRECONDITION);
  EXPECT_TRUE(strstr(berth_error_message(&err), "s); try again") != NULL);
  expect_text(&err, "GPU:0 is in use by a run of a session (thread ");
  guest_go(&run);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  berth_gate_open(&alone);
  berth_gate_deinit(&gate);
}

TEST(gate, knows_which_thread_is_inside) {
  guest_t guest = {.what = "a run"};
  berth_hold_t hold;
  berth_gate_init(&gate);
  EXPECT_TRUE(!berth_gate_is_held(NULL));
  guest_come(&guest);
  await(&guest.is_inside);
  EXPECT_TRUE(!berth_gate_is_held(&gate));
  EXPECT_EQ(enter(&hold, "a copy", NULL), BERTH_OK);
  EXPECT_TRUE(berth_gate_is_held(&gate));
  berth_gate_leave(&hold);
  EXPECT_TRUE(!berth_gate_is_held(&gate));
  atomic_store(&guest.leaves, true);
  berth_thread_join(&guest.thread);
  berth_gate_deinit(&gate);
}

TEST(gate, is_not_closed_from_inside) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t run, call, alone;
  berth_gate_init(&gate);
  ASSERT_OK(enter(&run, "a run of a session", NULL), &err);
  ASSERT_OK(enter(&call, "an eager call", "Add"), &err);
  // At once, although it might wait for long.
  EXPECT_FAILS(berth_gate_close(&gate, &alone, "GPU:0", LONG_NS, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "GPU:0 cannot be given back from inside a run of a session, "
               "which uses it; do that when it is over");
  berth_gate_leave(&call);
  EXPECT_EQ(berth_gate_close(&gate, &alone, "GPU:0", LONG_NS, &err),
            BERTH_FAILED_PRECONDITION);
  berth_error_clear(&err);
  berth_gate_leave(&run);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  berth_gate_open(&alone);
  berth_gate_deinit(&gate);
}

TEST(gate, keeps_newcomers_outside_while_it_is_closed) {
  guest_t guest = {.what = "a run"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t alone;
  berth_gate_init(&gate);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  guest_come(&guest);
  await(&guest.is_at_gate);
  berth_sleep_ns(SHORT_NS);
  EXPECT_FALSE(atomic_load(&guest.is_inside));
  berth_gate_open(&alone);
  await(&guest.is_inside);
  EXPECT_EQ(guest.code, BERTH_OK);
  guest_go(&guest);
  berth_gate_deinit(&gate);
}

// Waits for one inside, while another one waits for it outside; then goes on.
static void close_late(void *arg) {
  berth_hold_t alone;
  berth_error_t *err = arg;
  if (berth_gate_close(&gate, &alone, "GPU:0", SHORT_NS, err) == BERTH_OK) {
    berth_gate_open(&alone);
  }
}

// One who is inside waits for a thread that comes meanwhile: nobody is stuck.
TEST(gate, opens_again_for_whoever_is_waited_for_inside) {
  guest_t guest = {.what = "a run"};
  berth_error_t err = BERTH_ERROR_INIT, told = BERTH_ERROR_INIT;
  berth_thread_t closer;
  berth_hold_t run;
  berth_gate_init(&gate);
  ASSERT_OK(enter(&run, "a run of a session", NULL), &err);
  ASSERT_OK(berth_thread_start(&closer, close_late, &told, &err), &err);
  guest_come(&guest);
  await(&guest.is_inside);
  guest_go(&guest);
  berth_thread_join(&closer);
  expect_text(&told, "GPU:0 is in use by a run of a session (thread ");
  berth_gate_leave(&run);
  berth_gate_deinit(&gate);
}

static bool give_up(void *arg) {
  (void)arg;
  return true;
}

TEST(gate, lets_those_outside_give_up) {
  guest_t guest = {.what = "a run", .look = give_up};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t alone;
  berth_gate_init(&gate);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  guest_come(&guest);
  await(&guest.is_inside);
  EXPECT_EQ(guest.code, BERTH_CANCELLED);
  guest_go(&guest);
  berth_gate_open(&alone);
  berth_gate_deinit(&gate);
}

static void leave_elsewhere(void *arg) { berth_gate_leave(arg); }

TEST(gate, is_held_for_good_by_what_lasts) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t lent = {.what = "memory of others"}, alone;
  berth_thread_t thread;
  berth_gate_init(&gate);
  berth_gate_enter_lasting(&gate, &lent);
  // There is no use in waiting.
  EXPECT_EQ(berth_gate_close(&gate, &alone, "GPU:0", LONG_NS, &err),
            BERTH_FAILED_PRECONDITION);
  expect_text(&err, "GPU:0 is in use by memory of others (thread ");
  ASSERT_OK(berth_thread_start(&thread, leave_elsewhere, &lent, &err), &err);
  berth_thread_join(&thread);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  berth_gate_open(&alone);
  berth_gate_deinit(&gate);
}

TEST(gate, is_closed_by_one_at_a_time) {
  berth_error_t err = BERTH_ERROR_INIT, told = BERTH_ERROR_INIT;
  berth_thread_t thread;
  berth_hold_t alone;
  berth_gate_init(&gate);
  ASSERT_OK(berth_gate_close(&gate, &alone, "GPU:0", 0, &err), &err);
  ASSERT_OK(berth_thread_start(&thread, close_late, &told, &err), &err);
  berth_thread_join(&thread);
  expect_text(&told, "GPU:0 is being given back by thread ");
  berth_gate_open(&alone);
  berth_gate_deinit(&gate);
}

// The child has the forking thread alone: the others' holds are gone.
TEST(gate, is_open_in_the_child_of_a_fork) {
  guest_t guest = {.what = "a run"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_hold_t run, alone;
  berth_gate_init(&gate);
  guest_come(&guest);
  await(&guest.is_inside);
  ASSERT_OK(enter(&run, "a run of a session", NULL), &err);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    bool is_right = berth_gate_close(&gate, &alone, "GPU:0", 0, NULL) ==
                    BERTH_FAILED_PRECONDITION;
    berth_gate_leave(&run);
    is_right = is_right &&
               berth_gate_close(&gate, &alone, "GPU:0", 0, NULL) == BERTH_OK;
    berth_gate_open(&alone);
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  EXPECT_TRUE(waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
  berth_gate_leave(&run);
  guest_go(&guest);
  berth_gate_deinit(&gate);
}

// ---- Many at once ----

enum { ROUNDS = 300, WORKERS = 4, CLOSERS = 2 };

static int written = 0;  // By those who have the gate alone.
static atomic_int inside_now = 0, closed_now = 0, clashes = 0, closings = 0;

static void work(void *arg) {
  (void)arg;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_hold_t outer, inner;
    (void)enter(&outer, "work", NULL);
    atomic_fetch_add(&inside_now, 1);
    if (atomic_load(&closed_now) != 0) atomic_fetch_add(&clashes, 1);
    (void)enter(&inner, "more work", NULL);
    // Would be a race with a closer that is not alone.
    if (written < 0) atomic_fetch_add(&clashes, 1);
    berth_gate_leave(&inner);
    atomic_fetch_sub(&inside_now, 1);
    berth_gate_leave(&outer);
  }
}

static void close_often(void *arg) {
  (void)arg;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_hold_t alone;
    if (berth_gate_close(&gate, &alone, "GPU:0", LONG_NS, NULL) != BERTH_OK) {
      continue;
    }
    atomic_fetch_add(&closings, 1);
    if (atomic_fetch_add(&closed_now, 1) != 0) atomic_fetch_add(&clashes, 1);
    if (atomic_load(&inside_now) != 0) atomic_fetch_add(&clashes, 1);
    ++written;
    atomic_fetch_sub(&closed_now, 1);
    berth_gate_open(&alone);
  }
}

TEST(gate, is_used_by_several_threads) {
  berth_thread_t threads[WORKERS + CLOSERS];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_gate_init(&gate);
  for (int i = 0; i < WORKERS + CLOSERS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], i < WORKERS ? work : close_often,
                                 NULL, &err),
              &err);
  }
  for (int i = 0; i < WORKERS + CLOSERS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(atomic_load(&clashes), 0);
  EXPECT_EQ(atomic_load(&closings), CLOSERS * ROUNDS);
  EXPECT_EQ(written, CLOSERS * ROUNDS);
  berth_gate_deinit(&gate);
}
