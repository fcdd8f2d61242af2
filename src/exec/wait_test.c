// wait_test.c - Segments that become ready as what they wait for is done.
#include "base/clock.h"
#include "exec/exec_testing.h"

// ---- A kernel that is told to end and does so later, on another thread ----

static berth_thread_t finisher;
static atomic_bool has_finished;

static void finish_later(void *arg) {
  berth_completion_t *completion = arg;
  berth_sleep_ns(30000000);
  atomic_store(&has_finished, true);
  completion->done(completion, BERTH_CANCELLED, "told to end", NULL);
}

static void cancel_later(berth_completion_t *completion) {
  EXPECT_EQ(berth_thread_start(&finisher, finish_later, completion, NULL),
            BERTH_OK);
}

static berth_code_t run_waiting(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan, (void)args;
  call->completion->cancel = cancel_later;
  return BERTH_PENDING;
}

static berth_code_t prepare_waiting(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  (void)err;
  prepare->run = run_waiting;
  return BERTH_OK;
}

static const berth_kernel_t waiting[] = {
    {.op = "Tanh",
     .prepare = prepare_waiting,
     .traits = BERTH_OP_BLOCKS | BERTH_OP_MAKES},
    {.op = NULL}};

// Ends the run when it is asked for the second time: it waits by then.
static int end_soon(void *arg) { return ++*(int *)arg > 1; }

// A run that is ended returns when none of its completions is outstanding: they
// write into what it frees.
TEST(wait, an_ended_run_waits_for_its_completions) {
  rig_t rig;
  rig_init(&rig);
  ASSERT_OK(berth_kernel_add(&fake_host, waiting, &rig.err), &rig.err);
  rig_fetch(&rig, rig_one(&rig, "Tanh", -1, rig_feed(&rig)));
  ASSERT_OK(rig_build(&rig), &rig.err);
  int polls = 0;
  float value = 0;
  rig.control.poll = end_soon;
  rig.control.poll_arg = &polls;
  EXPECT_EQ(rig_run(&rig, 4, &value), BERTH_CANCELLED);
  EXPECT_TRUE(atomic_load(&has_finished));
  berth_thread_join(&finisher);
  rig_clear(&rig);
}
