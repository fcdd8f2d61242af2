// ended_test.c - Runs that are ended while a card still works for them.
//
// What is queued goes on; the run does not wait for it, and nothing that it
// uses is touched before it is over.
#include "exec/frame.h"
#include "gpu_testing.h"
#include "runtime/session_internal.h"
#include "session/session_testing.h"

enum { SIDE = 1000, PRODUCTS = 24 };

typedef struct heavy {
  rig_t rig;
  berth_out_t x, last;
} heavy_t;

// Multiplies the feed by a half of one on GPU:0, again and again: seconds of
// work.
static void heavy_open(heavy_t *heavy) {
  simulate("Tesla K20m");
  rig_init(&heavy->rig);
  berth_graph_t *graph = heavy->rig.graph;
  berth_device_push(graph, "/gpu:0");
  heavy->x = hole(graph, "x");
  heavy->last = heavy->x;
  for (int i = 0; i < PRODUCTS; ++i) {
    heavy->last = berth_matmul(graph, NULL, heavy->last, heavy->x);
  }
  berth_device_pop(graph);
  ASSERT_OK(rig_open(&heavy->rig, NULL), &heavy->rig.err);
}

// A matrix of |side| rows with |value| on its diagonal.
static berth_tensor_t *diagonal(int64_t side, float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(side, side), &tensor,
                          NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
    return NULL;
  }
  float *data = berth_tensor_data(tensor);
  memset(data, 0, berth_tensor_size(tensor));
  for (int64_t i = 0; i < side; ++i) data[i * side + i] = value;
  return tensor;
}

// Ends a run when it is asked for the sixth time, which is some 100 ms after
// the first: all is queued then, also under a sanitizer.
static int stop_soon(void *arg) { return ++*(int *)arg > 5; }

static berth_code_t heavy_run(heavy_t *heavy, float value, bool is_ended,
                              double *out_corner) {
  int polls = 0;
  berth_tensor_t *fed = diagonal(SIDE, value), *result = NULL;
  berth_feed_t feed = {heavy->x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &heavy->last,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = is_ended ? stop_soon : NULL,
                     .poll_arg = &polls};
  berth_code_t code =
      berth_session_run_with(heavy->rig.session, &run, &heavy->rig.err);
  if (code == BERTH_OK) *out_corner = element(result, SIDE * SIDE - 1);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  return code;
}

// Returns the layout of the session's only program.
static berth_layout_t *only_layout(const heavy_t *heavy) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry =
        atomic_load(&heavy->rig.session->programs.buckets[i]);
    if (entry != NULL) return atomic_load(&entry->program->layouts);
  }
  return NULL;
}

static bool has_stranded(berth_layout_t *layout) {
  berth_mutex_lock(&layout->lock);
  bool any = layout->stranded != NULL;
  berth_mutex_unlock(&layout->lock);
  return any;
}

TEST(ended, a_run_does_not_wait_for_its_work) {
  heavy_t heavy;
  double corner = 0;
  heavy_open(&heavy);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  berth_layout_t *layout = only_layout(&heavy);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  EXPECT_TRUE(has_stranded(layout));
  // Others go on beside it, and are right. They come behind it on the card, so
  // that its frame can be used again afterwards.
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  EXPECT_FALSE(has_stranded(layout));
  rig_clear(&heavy.rig);
}

TEST(ended, a_session_that_goes_waits_for_what_is_left) {
  heavy_t heavy;
  double corner = 0;
  heavy_open(&heavy);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  rig_clear(&heavy.rig);
}
