// frame_test.c - Frames that no run uses: which is taken, and when they go.
#include "exec/frame.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "exec/exec_testing.h"

enum { COUNT = 8, THREADS = 4, TURNS = 100000 };

// A row of steps on the host.
static berth_layout_t *row_layout(rig_t *rig) {
  rig_init(rig);
  berth_out_t last = rig_feed(rig);
  for (int i = 0; i < 3; ++i) last = rig_one(rig, "Neg", -1, last);
  rig_fetch(rig, last);
  if (rig_build(rig) != BERTH_OK) return NULL;
  return rig_layout(rig, COUNT);
}

static berth_frame_t *take(berth_layout_t *layout) {
  berth_frame_t *frame = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_frame_acquire(layout, NULL, &frame, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return frame;
}

// One run after the other has the same frame, and runs at the same time have
// frames of their own, which are used again.
TEST(frame, is_used_again) {
  rig_t rig;
  berth_layout_t *layout = row_layout(&rig);
  ASSERT_TRUE(layout != NULL);
  berth_frame_t *a = take(layout);
  berth_frame_release(a);
  EXPECT_TRUE(take(layout) == a);
  berth_frame_t *b = take(layout), *c = take(layout);
  EXPECT_TRUE(a != b && b != c && a != c);
  berth_frame_release(b);
  berth_frame_release(a);
  berth_frame_release(c);
  berth_frame_t *again[] = {take(layout), take(layout), take(layout)};
  EXPECT_TRUE(again[0] != again[1] && again[1] != again[2] &&
              again[0] != again[2]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(again[i] == a || again[i] == b || again[i] == c);
    berth_frame_release(again[i]);
  }
  rig_clear(&rig);
}

// However many there are, and not those that are in use.
TEST(frame, idle_ones_are_dropped) {
  for (int count = 0; count <= 3; ++count) {
    rig_t rig;
    berth_layout_t *layout = row_layout(&rig);
    ASSERT_TRUE(layout != NULL);
    berth_frame_t *used = take(layout), *idle[3];
    for (int i = 0; i < count; ++i) idle[i] = take(layout);
    for (int i = 0; i < count; ++i) berth_frame_release(idle[i]);
    EXPECT_EQ(berth_layouts_drop_idle(rig.program), count > 0);
    EXPECT_FALSE(berth_layouts_drop_idle(rig.program));
    berth_frame_release(used);
    EXPECT_TRUE(berth_layouts_drop_idle(rig.program));
    EXPECT_FALSE(berth_layouts_drop_idle(rig.program));
    rig_clear(&rig);
  }
}

static atomic_int begun;

// True when |frame| stays marked with |mark| while nobody else should have it.
static bool is_own(berth_frame_t *frame, void *mark) {
  enum { LOOKS = 8 };
  void *volatile *spot = frame->data;
  *spot = mark;
  for (int i = 0; i < LOOKS; ++i) {
    if (*spot != mark) return false;
  }
  return true;
}

// Takes a frame, marks it as its own, and sees that nobody else does.
static void take_and_mark(void *arg) {
  berth_layout_t *layout = arg;
  int mark = 0;
  atomic_fetch_add(&begun, 1);
  while (atomic_load(&begun) < THREADS) sched_yield();
  for (int i = 0; i < TURNS && harness_failures == 0; ++i) {
    berth_frame_t *frame = take(layout);
    EXPECT_TRUE(is_own(frame, &mark));
    if (i % 1024 == 0) (void)berth_layouts_drop_idle(layout->program);
    EXPECT_TRUE(is_own(frame, &mark));
    berth_frame_release(frame);
  }
}

TEST(frame, belongs_to_one_run_at_a_time) {
  rig_t rig;
  berth_layout_t *layout = row_layout(&rig);
  ASSERT_TRUE(layout != NULL);
  berth_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], take_and_mark, layout, &rig.err),
              &rig.err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  rig_clear(&rig);
}
