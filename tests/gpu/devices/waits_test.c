// waits_test.c - Every wait for a card can be ended.
//
// The card does nothing behind a closed gate (gate_testing.h). Whoever waits
// for it comes back while the gate is closed, and what comes later is right.
#include "exec/layout.h"
#include "gate_testing.h"
#include "guard/guard_testing.h"
#include "runtime/session_internal.h"
#include "tensor/tensor.h"

enum { SMALL = 8, LARGE = 100000 };

// A run of |rig| that fetches |out|, fed with |value| unless that is NULL,
// which its own poll function ends.
static berth_code_t ended_run(rig_t *rig, berth_out_t in, berth_tensor_t *value,
                              berth_out_t out) {
  int polls = 0;
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {in, value};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = value != NULL,
                     .fetches = &out,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = gate_poll,
                     .poll_arg = &polls};
  berth_error_clear(&rig->err);
  berth_code_t code = berth_session_run_with(rig->session, &run, &rig->err);
  berth_tensor_release(result);
  return code;
}

static void expect_ended(rig_t *rig, berth_code_t code) {
  EXPECT_EQ(code, BERTH_CANCELLED);
  EXPECT_TRUE(
      strstr(berth_error_message(&rig->err), "Run call was cancelled") != NULL);
}

// ---- Runs ----

// A variable that has got another shape turns a run late, which waits for every
// step.
TEST(waits, of_a_run_that_has_turned_late) {
  take_cards("Tesla K20m", 1);
  rig_t rig;
  gate_t gate;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  state_t v = state_add(rig.graph, "v", "/gpu:0", false, BERTH_UNKNOWN_RANK);
  berth_node_id_t init = change_add(rig.graph, &v, "Assign", x);
  berth_out_t y = binary_on(rig.graph, "Mul", "/gpu:0", v.read, v.read);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int count = SMALL; count < SMALL + 3; ++count) {
    berth_tensor_t *fed = full(BERTH_SHAPE(count), 3);
    ASSERT_OK(run_fed(&rig, init, x, fed), &rig.err);
    berth_tensor_release(fed);
    if (count > SMALL) {
      gate_close(&gate, gpu_of(rig.session, 0));
      expect_ended(&rig, ended_run(&rig, x, NULL, y));
      gate_open(&gate, gpu_of(rig.session, 0));
    }
    for (int i = 0; i < 2; ++i) {
      berth_tensor_t *value = fetch_tensor(&rig, y);
      EXPECT_EQ(berth_tensor_count(value), count);
      EXPECT_EQ(count_other(value, 9), 0);
      berth_tensor_release(value);
    }
  }
  rig_clear(&rig);
}

// Feeds are brought from the card to the host first.
static void expect_feed_ends(int64_t count) {
  rig_t rig;
  gate_t gate;
  berth_context_t *context = NULL;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t y = binary_on(rig.graph, "AddV2", "/cpu:0", x, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  ASSERT_OK(berth_context_create(NULL, &context, &rig.err), &rig.err);
  berth_tensor_t *host = full(BERTH_SHAPE(count), 2), *there = NULL;
  ASSERT_OK(berth_eager_copy(context, host, "GPU:0", &there, &rig.err),
            &rig.err);
  gate_close(&gate, there->device);
  expect_ended(&rig, ended_run(&rig, x, there, y));
  gate_open(&gate, there->device);
  EXPECT_EQ(fetch_fed(&rig, y, x, berth_tensor_retain(there)), 4);
  berth_tensor_release(there);
  berth_tensor_release(host);
  berth_context_destroy(context);
  rig_clear(&rig);
}

TEST(waits, for_feeds_on_a_card) {
  take_cards("Tesla K20m", 1);
  expect_feed_ends(SMALL);
  expect_feed_ends(LARGE);
}

// What a first run computes once is computed on the card, and comes from the
// host.
TEST(waits, for_constants) {
  take_cards("Tesla K20m", 1);
  rig_t rig;
  gate_t gate;
  rig_init(&rig);
  berth_tensor_t *twos = full(BERTH_SHAPE(SMALL, SMALL), 2);
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t c = berth_const(rig.graph, "c", twos);
  berth_out_t product = berth_matmul(rig.graph, NULL, c, c);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t sum = berth_add_v2(rig.graph, NULL, product, x);
  berth_out_t only = berth_neg(rig.graph, NULL, x);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, only, x, berth_tensor_retain(twos)), -2);
  gate_close(&gate, gpu_of(rig.session, 0));
  expect_ended(&rig, ended_run(&rig, x, twos, sum));
  gate_open(&gate, gpu_of(rig.session, 0));
  EXPECT_EQ(fetch_fed(&rig, sum, x, berth_tensor_retain(twos)), 4 * SMALL + 2);
  berth_tensor_release(twos);
  rig_clear(&rig);
}

// True when a frame of the only program belongs to work that goes on.
static bool has_stranded(const rig_t *rig) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    const berth_program_entry_t *entry =
        atomic_load(&rig->session->programs.buckets[i]);
    if (entry == NULL) continue;
    berth_layout_t *layout = atomic_load(&entry->program->late_layout);
    return layout != NULL && atomic_load(&layout->has_stranded);
  }
  return false;
}

// A partial run that was ended has failed, and goes without waiting.
TEST(waits, of_a_partial_run) {
  take_cards("Tesla K20m", 1);
  rig_t rig;
  gate_t gate;
  int polls = 0;
  berth_partial_t *partial = NULL;
  berth_tensor_t *result = NULL;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t y = binary_on(rig.graph, "Mul", "/gpu:0", x, x);
  berth_config_t config;
  cards_config(&config);
  config.poll = gate_poll;
  config.poll_arg = &polls;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  berth_config_clear(&config);
  berth_tensor_t *fed = full(BERTH_SHAPE(SMALL), 3);
  berth_feed_t feed = {x, fed};
  for (int is_ended = 0; is_ended < 2; ++is_ended) {
    polls = is_ended ? 0 : -1000000;
    ASSERT_OK(berth_partial_create(rig.session, &x, 1, &y, 1, NULL, 0, &partial,
                                   &rig.err),
              &rig.err);
    if (is_ended) gate_close(&gate, gpu_of(rig.session, 0));
    berth_code_t code =
        berth_partial_run(partial, &feed, 1, &y, 1, &result, &rig.err);
    EXPECT_EQ(code, is_ended ? BERTH_CANCELLED : BERTH_OK);
    if (!is_ended) EXPECT_EQ(count_other(result, 9), 0);
    berth_tensor_release(result);
    result = NULL;
    berth_partial_destroy(partial);
    // What it has queued may still use its frame.
    EXPECT_EQ(has_stranded(&rig), is_ended);
    if (is_ended) gate_open(&gate, gpu_of(rig.session, 0));
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// ---- Copies ----

static berth_context_t *polled_context(int *polls) {
  berth_config_t config;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  cards_config(&config);
  config.poll = gate_poll;
  config.poll_arg = polls;
  if (berth_context_create(&config, &context, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    exit(1);
  }
  berth_config_clear(&config);
  return context;
}

static void expect_copies_end(int64_t count) {
  int polls = -1000000;
  gate_t gate;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = polled_context(&polls);
  berth_tensor_t *host = full(BERTH_SHAPE(count), 2);
  berth_tensor_t *there = NULL, *other = NULL, *back = NULL;
  ASSERT_OK(berth_eager_copy(context, host, "GPU:0", &there, &err), &err);
  ASSERT_OK(berth_eager_copy(context, there, "GPU:1", &other, &err), &err);
  gate_close(&gate, there->device);
  polls = 0;
  EXPECT_EQ(berth_tensor_to_host_polled(there, gate_poll, &polls, &back, &err),
            BERTH_CANCELLED);
  static const char *const devices[] = {"CPU:0", "GPU:0", "GPU:1"};
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      bool is_behind = from == 1 || to == 1;
      if (from == to || !is_behind) continue;
      polls = 0;
      berth_error_clear(&err);
      berth_code_t code = berth_eager_copy(context,
                                           from == 0   ? host
                                           : from == 1 ? there
                                                       : other,
                                           devices[to], &back, &err);
      EXPECT_EQ(code, BERTH_CANCELLED);
    }
  }
  EXPECT_TRUE(back == NULL);
  berth_error_clear(&err);
  gate_open(&gate, there->device);
  polls = -1000000;
  EXPECT_EQ(count_other(there, 2), 0);
  ASSERT_OK(berth_eager_copy(context, other, "GPU:0", &back, &err), &err);
  EXPECT_EQ(count_other(back, 2), 0);
  berth_tensor_release(back);
  berth_tensor_release(other);
  berth_tensor_release(there);
  berth_tensor_release(host);
  berth_context_destroy(context);
}

TEST(waits, for_copies) {
  take_cards("Tesla K20m*2", 2);
  expect_copies_end(SMALL);
  expect_copies_end(LARGE);
}

// A copy that is no longer waited for reads pinned memory that is still there.
TEST(waits, keep_pinned_memory) {
  take_cards("Tesla K20m", 1);
  int polls = -1000000;
  rig_t rig;
  gate_t gate;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t y = binary_on(rig.graph, "AddV2", "/gpu:0", x, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_context_t *context = polled_context(&polls);
  berth_tensor_t *fed = full(BERTH_SHAPE(LARGE), 1), *pinned = NULL;
  berth_feed_t feed = {x, fed};
  ASSERT_OK(berth_session_run(rig.session, &feed, 1, &y, 1, &pinned, &rig.err),
            &rig.err);
  berth_buffer_t *buffer = berth_buffer_retain(pinned->buffer);
  berth_device_t *device = gpu_of(rig.session, 0);
  berth_tensor_t *copy = NULL;
  gate_close(&gate, device);
  polls = 0;
  EXPECT_EQ(berth_eager_copy(context, pinned, "GPU:0", &copy, &rig.err),
            BERTH_CANCELLED);
  berth_tensor_release(pinned);
  EXPECT_FALSE(berth_buffer_is_exclusive(buffer));
  gate_open(&gate, device);
  // Whoever waits next lets it go.
  polls = -1000000;
  berth_tensor_t *there = NULL;
  ASSERT_OK(berth_eager_copy(context, fed, "GPU:0", &there, &rig.err),
            &rig.err);
  EXPECT_EQ(count_other(there, 1), 0);
  EXPECT_EQ(element(there, 0), 1);
  berth_tensor_t *one = NULL, *first = full(BERTH_SCALAR, 5);
  ASSERT_OK(berth_eager_copy(context, first, "GPU:0", &one, &rig.err),
            &rig.err);
  EXPECT_EQ(element(one, 0), 5);
  EXPECT_TRUE(berth_buffer_is_exclusive(buffer));
  berth_buffer_release(buffer);
  berth_tensor_release(one);
  berth_tensor_release(first);
  berth_tensor_release(there);
  berth_tensor_release(fed);
  berth_context_destroy(context);
  rig_clear(&rig);
}
