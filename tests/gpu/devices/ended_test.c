// ended_test.c - Runs that are ended while a card still works for them.
//
// What is queued goes on; the run does not wait for it, and nothing that it
// uses is touched before it is over.
#include <time.h>

#include "base/parallel.h"
#include "cuda/card/driver.h"
#include "exec/frame.h"
#include "gate_testing.h"
#include "gpu_testing.h"
#include "runtime/session_internal.h"
#include "session/session_testing.h"

// Some tenths of a second of work: on a fast machine, and under a sanitizer,
// which is slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SIDE = 1000, PRODUCTS = 24 };
#else
enum { SIDE = 1000, PRODUCTS = 120 };
#endif

typedef struct heavy {
  rig_t rig;
  berth_out_t x, last;
} heavy_t;

// Multiplies the feed by a half of one on GPU:0, again and again.
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
  // What is left behind may still read what was fed.
  EXPECT_EQ(berth_tensor_is_exclusive(fed), code == BERTH_OK);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  return code;
}

// Returns the layout of the session's only program.
static berth_layout_t *only_layout(const rig_t *rig) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry =
        atomic_load(&rig->session->programs.buckets[i]);
    if (entry == NULL) continue;
    return entry->program->flow != NULL
               ? atomic_load(&entry->program->late_layout)
               : atomic_load(&entry->program->layouts);
  }
  return NULL;
}

static int count_stranded(berth_layout_t *layout) {
  int count = 0;
  berth_mutex_lock(&layout->lock);
  const berth_frame_t *frame = layout->stranded;
  for (; frame != NULL; frame = frame->next) ++count;
  berth_mutex_unlock(&layout->lock);
  return count;
}

TEST(ended, a_run_does_not_wait_for_its_work) {
  heavy_t heavy;
  double corner = 0;
  heavy_open(&heavy);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  berth_layout_t *layout = only_layout(&heavy.rig);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  EXPECT_EQ(count_stranded(layout), 1);
  // Others go on beside it, and are right. They come behind it on the card, so
  // that its frame can be used again afterwards.
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(corner, 1);
  EXPECT_EQ(count_stranded(layout), 0);
  rig_clear(&heavy.rig);
}

TEST(ended, a_session_that_goes_waits_for_what_is_left) {
  heavy_t heavy;
  double corner = 0;
  heavy_open(&heavy);
  EXPECT_EQ(heavy_run(&heavy, 1, false, &corner), BERTH_OK);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  EXPECT_EQ(heavy_run(&heavy, 2, true, &corner), BERTH_CANCELLED);
  // The second has not waited for the first.
  EXPECT_EQ(count_stranded(only_layout(&heavy.rig)), 2);
  rig_clear(&heavy.rig);
}

// ---- Conditionals and loops ----

static berth_out_t node_on(berth_graph_t *graph, const char *device,
                           const char *type, berth_out_t a, berth_out_t b) {
  berth_op_t *op = berth_op_begin(graph, type, NULL);
  berth_op_device(op, device);
  if (strcmp(type, "Merge") == 0) {
    berth_op_input_list(op, (berth_out_t[]){a, b}, 2);
    return berth_output(berth_op_finish(op), 0);
  }
  berth_op_input(op, a);
  if (b.node != BERTH_NO_NODE) berth_op_input(op, b);
  if (strcmp(type, "Enter") == 0) {
    berth_op_attr_string(op, "frame_name", "f", 1);
  }
  return berth_output(berth_op_finish(op), 0);
}

static const berth_out_t none = {BERTH_NO_NODE, 0};

// |value| in every turn of the loop.
static berth_out_t all_turns(berth_graph_t *graph, berth_out_t value) {
  berth_enter_attrs_t attrs = BERTH_ENTER_ATTRS;
  attrs.is_constant = true;
  return berth_enter_with(graph, NULL, value, "f", &attrs);
}

// A graph with something fed and something fetched.
typedef struct turn {
  rig_t rig;
  berth_out_t in, out;
} turn_t;

// Doubles what is fed on |card| until some of it is 64 or more, which |last|
// finds out; the answer is brought to the host in every turn.
static void loop_build(turn_t *turn, const char *card, const char *last) {
  rig_init(&turn->rig);
  berth_graph_t *graph = turn->rig.graph;
  turn->in = hole(graph, "in");
  berth_out_t first = node_on(graph, card, "Enter", turn->in, none);
  berth_out_t bound = all_turns(graph, const_scalar(graph, NULL, 64));
  berth_out_t axis =
      all_turns(graph, const_ints(graph, NULL, (int32_t[]){0}, 1));
  berth_out_t value = node_on(graph, card, "Merge", first, first);
  berth_out_t most = node_on(graph, last, "Max", value, axis);
  berth_out_t less = node_on(graph, last, "Less", most, bound);
  berth_out_t cond = node_on(graph, "/cpu:0", "LoopCond", less, none);
  berth_out_t go = node_on(graph, card, "Switch", value, cond);
  berth_out_t on = berth_output(go.node, 1);
  berth_out_t next = node_on(graph, card, "NextIteration",
                             node_on(graph, card, "AddV2", on, on), none);
  turn->out = node_on(graph, card, "Exit", go, none);
  ASSERT_OK(berth_graph_close_loop(graph, value.node, next, &turn->rig.err),
            &turn->rig.err);
}

// Squares what is fed on GPU:0 if some of it is more than 1.
static void branch_build(turn_t *turn) {
  rig_init(&turn->rig);
  berth_graph_t *graph = turn->rig.graph;
  turn->in = hole(graph, "in");
  berth_out_t most = node_on(graph, "/cpu:0", "Max", turn->in,
                             const_ints(graph, NULL, (int32_t[]){0}, 1));
  berth_out_t more =
      node_on(graph, "/cpu:0", "Greater", most, const_scalar(graph, NULL, 1));
  berth_out_t both = node_on(graph, "/gpu:0", "Switch", turn->in, more);
  berth_out_t yes = berth_output(both.node, 1);
  berth_out_t square = node_on(graph, "/gpu:0", "Mul", yes, yes);
  turn->out = node_on(graph, "/gpu:0", "Merge", both, square);
}

static berth_code_t turn_run(turn_t *turn, int64_t count, bool is_ended,
                             double *out_last) {
  int polls = 0;
  berth_tensor_t *fed = ramp(count), *result = NULL;
  for (int64_t i = 0; i < count; ++i) {
    ((float *)berth_tensor_data(fed))[i] = 2;
  }
  berth_feed_t feed = {turn->in, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &turn->out,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = is_ended ? gate_poll : NULL,
                     .poll_arg = &polls};
  berth_code_t code =
      berth_session_run_with(turn->rig.session, &run, &turn->rig.err);
  if (code == BERTH_OK) *out_last = element(result, count - 1);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  return code;
}

// A run of |turn| is ended while |card| does nothing, and those behind it are
// right.
static void expect_turn_ends(turn_t *turn, int card, int64_t count,
                             double wanted) {
  gate_t gate;
  double last = 0;
  ASSERT_OK(rig_open(&turn->rig, NULL), &turn->rig.err);
  EXPECT_EQ(turn_run(turn, count, false, &last), BERTH_OK);
  EXPECT_EQ(last, wanted);
  berth_layout_t *layout = only_layout(&turn->rig);
  berth_device_t *device = gpu_of(turn->rig.session, card);
  ASSERT_TRUE(layout != NULL && device != NULL);
  gate_close(&gate, device);
  EXPECT_EQ(turn_run(turn, count, true, &last), BERTH_CANCELLED);
  EXPECT_TRUE(strstr(berth_error_message(&turn->rig.err),
                     "Run call was cancelled") != NULL);
  EXPECT_TRUE(count_stranded(layout) > 0);
  gate_open(&gate, device);
  for (int i = 0; i < 2; ++i) {
    last = 0;
    EXPECT_EQ(turn_run(turn, count, false, &last), BERTH_OK);
    EXPECT_EQ(last, wanted);
  }
  EXPECT_EQ(count_stranded(layout), 0);
  rig_clear(&turn->rig);
}

TEST(ended, a_loop_does_not_wait_for_its_work) {
  simulate("Tesla K20m");
  turn_t turn;
  // Small values, and such as are copied in pieces.
  loop_build(&turn, "/gpu:0", "/gpu:0");
  expect_turn_ends(&turn, 0, 8, 64);
  loop_build(&turn, "/gpu:0", "/cpu:0");
  expect_turn_ends(&turn, 0, 100000, 64);
}

// Without blocks the walk itself waits for what leaves the card in a turn.
TEST(ended, a_walk_does_not_wait_for_its_work) {
  simulate("Tesla K20m");
  setenv("BERTH_BLOCKS", "0", 1);
  turn_t turn;
  loop_build(&turn, "/gpu:0", "/gpu:0");
  expect_turn_ends(&turn, 0, 8, 64);
}

TEST(ended, a_loop_between_cards_does_not_wait_for_its_work) {
  simulate(FOUR_K20M);
  turn_t turn;
  for (int card = 0; card < 2; ++card) {
    loop_build(&turn, "/gpu:0", "/gpu:1");
    expect_turn_ends(&turn, card, 5000, 64);
  }
}

TEST(ended, a_conditional_does_not_wait_for_its_work) {
  simulate("Tesla K20m");
  turn_t turn;
  branch_build(&turn);
  expect_turn_ends(&turn, 0, 8, 4);
  branch_build(&turn);
  expect_turn_ends(&turn, 0, 100000, 4);
}

TEST(ended, a_session_that_goes_waits_for_what_a_loop_has_left) {
  simulate("Tesla K20m");
  turn_t turn;
  gate_t gate;
  double last = 0;
  loop_build(&turn, "/gpu:0", "/gpu:0");
  ASSERT_OK(rig_open(&turn.rig, NULL), &turn.rig.err);
  EXPECT_EQ(turn_run(&turn, 8, false, &last), BERTH_OK);
  berth_device_t *device = gpu_of(turn.rig.session, 0);
  gate_close(&gate, device);
  EXPECT_EQ(turn_run(&turn, 8, true, &last), BERTH_CANCELLED);
  EXPECT_EQ(turn_run(&turn, 8, true, &last), BERTH_CANCELLED);
  gate_open(&gate, device);
  rig_clear(&turn.rig);
}

// ---- Eager calls ----

// |arg| says whether calls are to be ended.
static int end_at_once(void *arg) { return *(const bool *)arg; }

static void nap(void *arg) {
  (void)arg;
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

// What brings a value to the card waits there for longer than a call that may
// be ended goes unasked.
static void keep_busy(berth_context_t *context, bool *ends) {
  berth_error_t err = BERTH_ERROR_INIT;
  *ends = false;
  berth_tensor_t *here = scalar(1), *there = NULL;
  ASSERT_OK(berth_eager_copy(context, here, "GPU:0", &there, &err), &err);
  EXPECT_EQ(
      berth_cuda_api.cuLaunchHostFunc(berth_tensor_stream(there), nap, NULL),
      CUDA_SUCCESS);
  *ends = true;
  berth_tensor_release(there);
  berth_tensor_release(here);
}

// An eager call that changes a variable is not ended while its value is on the
// way; one that changes nothing is.
TEST(ended, an_update_is_done_to_its_end) {
  enum { MANY = 12 << 20 };  // More than all slots of pinned memory hold.
  simulate("Tesla K20m");
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  config.gpu.allow_growth = true;
  config.poll = end_at_once;
  bool ends = false;
  config.poll_arg = &ends;
  ASSERT_OK(berth_context_create(&config, &context, &err), &err);
  berth_op_t *op = berth_op_begin(NULL, "VarHandleOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SHAPE(MANY));
  berth_tensor_t *handle = NULL, *value = NULL, *sum = NULL;
  int count = 1;
  ASSERT_OK(berth_eager_call_op(context, op, "/gpu:0", NULL, 0, &handle, &count,
                                &err),
            &err);
  berth_op_abandon(op);
  ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(MANY), &value, &err),
            &err);
  memset(berth_tensor_data(value), 0, berth_tensor_size(value));
  berth_tensor_t *inputs[] = {handle, value}, *both[] = {value, value};
  keep_busy(context, &ends);
  count = 1;
  EXPECT_EQ(
      berth_eager_call(context, "AddV2", "/gpu:0", both, 2, &sum, &count, &err),
      BERTH_CANCELLED);
  berth_error_clear(&err);
  keep_busy(context, &ends);
  count = 0;
  EXPECT_EQ(berth_eager_call(context, "AssignVariableOp", "/gpu:0", inputs, 2,
                             NULL, &count, &err),
            BERTH_OK);
  berth_error_clear(&err);
  berth_tensor_release(sum);
  berth_tensor_release(value);
  berth_tensor_release(handle);
  berth_context_destroy(context);
}

// ---- Memory of others ----

static atomic_bool has_napped;

static void nap_and_tell(void *arg) {
  nap(arg);
  atomic_store(&has_napped, true);
}

// Called with the memory when nobody uses it any more.
static void take_back(void *data, size_t size, void *arg) {
  (void)data, (void)size;
  *(bool *)arg = atomic_load(&has_napped);
}

static bool end_all(void *unused) {
  (void)unused;
  return true;
}

// Memory that was lent to a card goes back when the work on it is done, also
// where whoever drops it is to come to an end.
TEST(ended, memory_of_others_goes_back_behind_its_work) {
  simulate("Tesla K20m");
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  berth_tensor_t *here = scalar(1), *there = NULL, *lent = NULL, *sum = NULL;
  bool was_done = false;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_context_create(&config, &context, &err), &err);
  ASSERT_OK(berth_eager_copy(context, here, "GPU:0", &there, &err), &err);
  ASSERT_OK(berth_eager_wrap(context, "GPU:0", BERTH_FLOAT, BERTH_SCALAR,
                             berth_tensor_data(there), berth_tensor_size(there),
                             take_back, &was_done, &lent, &err),
            &err);
  EXPECT_EQ(berth_cuda_api.cuLaunchHostFunc(berth_tensor_stream(lent),
                                            nap_and_tell, NULL),
            CUDA_SUCCESS);
  berth_tensor_t *inputs[] = {lent, lent};
  int count = 1;
  ASSERT_OK(berth_eager_call(context, "AddV2", "/gpu:0", inputs, 2, &sum,
                             &count, &err),
            &err);
  berth_parallel_scope_t scope = {.poll = end_all};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_tensor_release(lent);
  berth_parallel_enter(before);
  EXPECT_TRUE(was_done);
  berth_tensor_release(sum);
  berth_tensor_release(there);
  berth_tensor_release(here);
  berth_context_destroy(context);
}
