// issue_test.c - What a run asks of devices: waits, marks, recordings.
//
// The devices are fake ones that write down what they are asked for.
#include "exec/issue.h"

#include "device/epoch.h"
#include "exec/exec_testing.h"
#include "exec/replay.h"

enum { COUNT = 100000, SMALL = 8 };

// A row of steps on GPU 0.
static void row_init(rig_t *rig, int length) {
  rig_init(rig);
  berth_out_t last = rig_feed(rig);
  for (int i = 0; i < length; ++i) last = rig_one(rig, "Neg", 0, last);
  rig_fetch(rig, last);
  ASSERT_OK(rig_build(rig), &rig->err);
}

// Runs and returns how many letters |letter| GPU 0 has noted.
static int run_and_count(rig_t *rig, int64_t count, char letter) {
  float value = 0;
  fake_forget(&rig->gpus[0]);
  if (rig_run(rig, count, &value) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&rig->err));
  }
  EXPECT_NEAR(value, 1, 0);
  return fake_count(&rig->gpus[0], letter);
}

static const berth_replays_t *replays_of(const rig_t *rig) {
  const berth_layout_t *layout = atomic_load(&rig->program->layouts);
  return berth_issue_replays(atomic_load(&layout->spare)->issue);
}

// ---- Recordings ----

// The first run queues steps, the second records them and replays that, and so
// does every later one, without recording again.
TEST(replay, the_second_run_records) {
  rig_t rig;
  row_init(&rig, 6);
  EXPECT_EQ(run_and_count(&rig, SMALL, 'k'), 6);
  EXPECT_EQ(rig.gpus[0].recordings, 0);
  EXPECT_EQ(run_and_count(&rig, SMALL, 'k'), 0);
  EXPECT_EQ(rig.gpus[0].recordings, 1);
  EXPECT_EQ(fake_count(&rig.gpus[0], 'p'), 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run_and_count(&rig, SMALL, 'p'), 1);
  EXPECT_EQ(rig.gpus[0].recordings, 1);
  EXPECT_EQ(berth_replays_count(replays_of(&rig)), 11);
  rig_clear(&rig);
}

// After a change of settings nothing recorded before is used.
TEST(replay, settings_make_it_anew) {
  rig_t rig;
  row_init(&rig, 4);
  for (int i = 0; i < 3; ++i) (void)run_and_count(&rig, SMALL, 'p');
  EXPECT_EQ(rig.gpus[0].recordings, 1);
  berth_device_epoch_raise();
  EXPECT_EQ(run_and_count(&rig, SMALL, 'p'), 1);
  EXPECT_EQ(rig.gpus[0].recordings, 2);
  rig_clear(&rig);
}

// What was recorded before a reset is queued step by step, then recorded anew.
TEST(replay, a_reset_makes_it_anew) {
  rig_t rig;
  row_init(&rig, 4);
  for (int i = 0; i < 3; ++i) (void)run_and_count(&rig, SMALL, 'p');
  rig.gpus[0].is_reset = true;
  EXPECT_EQ(run_and_count(&rig, SMALL, 'k'), 4);
  EXPECT_EQ(run_and_count(&rig, SMALL, 'p'), 1);
  EXPECT_EQ(rig.gpus[0].recordings, 2);
  rig_clear(&rig);
}

// Where the addresses are others in every run, less and less is recorded.
TEST(replay, in_vain_it_rests) {
  enum { RUNS = 200 };
  rig_t rig;
  rig_init(&rig);
  rig.is_call = true;
  rig_fetch(&rig, rig_one(&rig, "Neg", 0, rig_feed_on(&rig, 0)));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_tensor_t *results[RUNS];
  for (int i = 0; i < RUNS; ++i) {
    // What is kept is at no address that comes again.
    berth_tensor_t *feed = NULL;
    rig_feeds_make(&rig, SMALL, &feed);
    ASSERT_OK(
        berth_run(rig.program, &feed, &results[i], &rig.control, &rig.err),
        &rig.err);
    berth_tensor_release(feed);
    EXPECT_NEAR(*(const float *)results[i]->data, -1, 0);
  }
  printf("%d recordings in %d runs\n", rig.gpus[0].recordings, RUNS);
  EXPECT_TRUE(rig.gpus[0].recordings > 4 && rig.gpus[0].recordings < 16);
  for (int i = 0; i < RUNS; ++i) berth_tensor_release(results[i]);
  rig_clear(&rig);
}

// ---- Ends ----

// A run marks the end of what it has queued on each stream that it uses.
TEST(queue, marks_the_end_of_every_stream) {
  rig_t rig;
  row_init(&rig, 2);
  (void)run_and_count(&rig, COUNT, 'k');
  (void)run_and_count(&rig, COUNT, 'k');
  const fake_gpu_t *gpu = &rig.gpus[0];
  int ends[BERTH_LANES] = {0};
  for (int i = 0; i < gpu->log_size; ++i) {
    if (gpu->log[i] == 'r') ends[gpu->lanes[i]] = i;
  }
  for (int lane = BERTH_LANE_COMPUTE; lane <= BERTH_LANE_OUT; ++lane) {
    EXPECT_TRUE(ends[lane] > 0);
    for (int i = ends[lane] + 1; i < gpu->log_size; ++i) {
      EXPECT_TRUE(gpu->lanes[i] != lane);
    }
  }
  EXPECT_EQ(ends[BERTH_LANE_PEER], 0);
  EXPECT_EQ(fake_count(&rig.gpus[1], 'r'), 0);
  rig_clear(&rig);
}

// ---- Beginnings ----

// True when |lane| of |gpu| waits before it does anything else.
static bool waits_first(const fake_gpu_t *gpu, berth_lane_t lane) {
  for (int i = 0; i < gpu->log_size; ++i) {
    if (gpu->lanes[i] == (int)lane) return gpu->log[i] == 'w';
  }
  return false;
}

// Memory that comes from a pool may be in use on the compute stream: copies
// into it wait for that, in the first run alone.
TEST(queue, fresh_memory_is_waited_for) {
  rig_t rig;
  row_init(&rig, 2);
  (void)run_and_count(&rig, COUNT, 'k');
  EXPECT_TRUE(waits_first(&rig.gpus[0], BERTH_LANE_IN));
  (void)run_and_count(&rig, COUNT, 'k');
  EXPECT_FALSE(waits_first(&rig.gpus[0], BERTH_LANE_IN));
  rig_clear(&rig);
}

// Builds what |rig| has fetched, of which |fed| is on the first card and copied to
// the second, and expects that the copy waits in every run.
static void expect_feed_awaited(rig_t *rig) {
  ASSERT_OK(rig_build(rig), &rig->err);
  for (int i = 0; i < 4; ++i) {
    float value = 0;
    fake_forget(&rig->gpus[0]);
    fake_forget(&rig->gpus[1]);
    ASSERT_OK(rig_run(rig, COUNT, &value), &rig->err);
    EXPECT_NEAR(value, 1, 0);
    EXPECT_TRUE(fake_count(&rig->gpus[0], 'r') > 0);
    EXPECT_TRUE(waits_first(&rig->gpus[1], BERTH_LANE_PEER));
  }
}

// What is fed on a device may still be computed there: the stream that copies
// it away waits for that in every run.
TEST(queue, feeds_on_devices_are_waited_for) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed_on(&rig, 0);
  rig_fetch(&rig, rig_one(&rig, "Neg", 1, rig_one(&rig, "Neg", 1, x)));
  expect_feed_awaited(&rig);
  rig_clear(&rig);
}

TEST(queue, feeds_on_devices_are_waited_for_under_other_names) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_one(&rig, "Identity", 0, rig_feed_on(&rig, 0));
  rig_fetch(&rig, rig_one(&rig, "Neg", 1, rig_one(&rig, "Neg", 1, x)));
  expect_feed_awaited(&rig);
  rig_clear(&rig);
}

// ---- Programs by chance ----

static berth_out_t any_node(rig_t *rig, uint64_t *chance,
                            const berth_out_t *outs, int count) {
  static const char *const ops[] = {"Neg", "Identity", "AddV2", "Sub"};
  int op = (int)rig_random(chance, 4);
  int gpu = (int)rig_random(chance, RIG_GPUS + 1) - 1;
  berth_out_t inputs[2] = {outs[rig_random(chance, (uint32_t)count)],
                           outs[rig_random(chance, (uint32_t)count)]};
  return rig_op(rig, ops[op], gpu, inputs, op < 2 ? 1 : 2, NULL, 0);
}

static float worth(const rig_t *rig, berth_out_t out, float *known) {
  if (!isnan(known[out.node])) return known[out.node];
  const berth_node_t *node = berth_graph_get(rig->graph, out.node);
  float a = worth(rig, node->inputs[0], known);
  float b = node->input_count > 1 ? worth(rig, node->inputs[1], known) : 0;
  known[out.node] = strcmp(node->op->name, "Neg") == 0 ? -a : a + b;
  return known[out.node];
}

// Several runs each: queued, recorded, replayed; small values and large ones.
TEST(queue, any_program_gives_the_same_in_every_run) {
  enum { ROUNDS = 60, NODES = 30 };
  for (uint64_t round = 1; round <= ROUNDS && harness_failures == 0; ++round) {
    rig_t rig;
    rig_init(&rig);
    uint64_t chance = round * 0x9e3779b97f4a7c15u;
    berth_out_t outs[NODES];
    float known[4 * RIG_MOST];
    for (int i = 0; i < 4 * RIG_MOST; ++i) known[i] = NAN;
    for (int i = 0; i < 2; ++i) {
      outs[i] = rig_feed(&rig);
      known[outs[i].node] = (float)(1 << i);
    }
    for (int i = 2; i < NODES; ++i) outs[i] = any_node(&rig, &chance, outs, i);
    rig_fetch(&rig, outs[NODES - 1]);
    rig_fetch(&rig, outs[NODES - 2]);
    ASSERT_OK(rig_build(&rig), &rig.err);
    for (int run = 0; run < 6; ++run) {
      float values[2] = {0};
      ASSERT_OK(rig_run(&rig, run % 2 == 0 ? SMALL : 3000, values), &rig.err);
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(values[i], worth(&rig, rig.fetches[i], known), 0);
      }
    }
    rig_clear(&rig);
  }
}
