// segment_test.c - Cutting a program where a step may have to wait.
#include "exec/segment.h"

#include "exec/exec_testing.h"

// True when segment |to| waits for segment |from|.
static bool leads_to(const rig_t *rig, int from, int to) {
  const berth_segment_t *segment = &rig->program->segments[from];
  for (int i = 0; i < segment->next_count; ++i) {
    if (segment->next[i] == to) return true;
  }
  return false;
}

// True when the segment of |out| waits for blocker |b|.
static bool waits_for(const rig_t *rig, berth_out_t out, int b) {
  const berth_blocker_t *blocker = &rig->program->blockers[b];
  for (int i = 0; i < blocker->next_count; ++i) {
    if (blocker->next[i] == rig_segment(rig, out)) return true;
  }
  return false;
}

static int blocker_of(const rig_t *rig, berth_out_t out) {
  return rig->program->steps[rig_step(rig, out)].blocker;
}

TEST(segment, one_where_nothing_blocks) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  rig_fetch(&rig, rig_one(&rig, "Neg", -1, rig_add(&rig, -1, x, x)));
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->segment_count, 1);
  EXPECT_EQ(rig.program->blocker_count, 0);
  EXPECT_EQ(rig.program->segments[0].end, rig.program->step_count);
  EXPECT_EQ(rig.program->segments[0].wait_count, 0);
  rig_clear(&rig);
}

// What does not need the blocking step is in front of it, though it was built
// behind.
TEST(segment, what_needs_nothing_waits_for_nothing) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t blocks = rig_one(&rig, "Square", -1, x);
  berth_out_t behind = rig_one(&rig, "Neg", -1, blocks);
  berth_out_t beside = rig_one(&rig, "Neg", -1, x);
  berth_out_t both = rig_add(&rig, -1, behind, beside);
  rig_fetch(&rig, both);
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->segment_count, 2);
  EXPECT_EQ(rig_segment(&rig, blocks), 0);
  EXPECT_EQ(rig_segment(&rig, beside), 0);
  EXPECT_EQ(rig_segment(&rig, behind), 1);
  EXPECT_EQ(rig_segment(&rig, both), 1);
  EXPECT_TRUE(leads_to(&rig, 0, 1));
  EXPECT_TRUE(waits_for(&rig, both, blocker_of(&rig, blocks)));
  EXPECT_EQ(rig.program->segments[1].wait_count, 2);
  rig_clear(&rig);
}

TEST(segment, a_control_edge_is_waited_for) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t blocks = rig_one(&rig, "Square", -1, x);
  berth_out_t held = rig_after(&rig, "Neg", -1, x, blocks);
  rig_fetch(&rig, held);
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->segment_count, 2);
  EXPECT_TRUE(waits_for(&rig, held, blocker_of(&rig, blocks)));
  rig_clear(&rig);
}

TEST(segment, sets_of_blockers_are_told_apart) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Square", -1, x);
  berth_out_t b = rig_one(&rig, "Square", -1, x);
  berth_out_t of_a = rig_one(&rig, "Neg", -1, a);
  berth_out_t of_b = rig_one(&rig, "Neg", -1, b);
  berth_out_t ab = rig_add(&rig, -1, of_a, of_b);
  berth_out_t ba = rig_add(&rig, -1, of_b, of_a);
  rig_fetch(&rig, rig_add(&rig, -1, ab, ba));
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->segment_count, 4);
  EXPECT_TRUE(rig_segment(&rig, of_a) != rig_segment(&rig, of_b));
  EXPECT_EQ(rig_segment(&rig, ab), rig_segment(&rig, ba));
  int last = rig_segment(&rig, ab);
  EXPECT_EQ(rig.program->segments[last].wait_count, 4);
  EXPECT_TRUE(waits_for(&rig, ab, blocker_of(&rig, a)));
  EXPECT_TRUE(waits_for(&rig, ab, blocker_of(&rig, b)));
  EXPECT_FALSE(waits_for(&rig, of_a, blocker_of(&rig, b)));
  rig_clear(&rig);
}

// One that waits for two things is met before one that waits for the second
// alone, and then needs what that has made: it comes later all the same, and
// what it needs is still there.
TEST(segment, what_is_needed_comes_first) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Exp", -1, x);
  berth_out_t b = rig_one(&rig, "Exp", -1, x);
  berth_node_id_t both[] = {a.node, b.node};
  berth_out_t twice[] = {x, x};
  berth_out_t early = rig_op(&rig, "Sub", -1, twice, 2, both, 2);
  berth_out_t of_b = rig_after(&rig, "Neg", -1, x, b);
  // As large as |of_b|, and made while that is still needed.
  berth_out_t next = rig_op(&rig, "Sub", -1, twice, 2, &b.node, 1);
  berth_out_t last = rig_add(&rig, -1, next, next);
  rig_fetch(&rig, rig_add(&rig, -1, early, of_b));
  rig_fetch(&rig, last);
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_TRUE(rig_segment(&rig, of_b) < rig_segment(&rig, early));
  float values[2] = {0};
  ASSERT_OK(rig_run(&rig, 100, values), &rig.err);
  EXPECT_NEAR(values[0], 1, 0);
  EXPECT_NEAR(values[1], 4, 0);
  rig_clear(&rig);
}

TEST(segment, feeds_of_a_partial_run_are_blockers) {
  rig_t rig;
  rig_init(&rig);
  rig.is_partial = true;
  berth_out_t x = rig_feed(&rig), y = rig_feed(&rig);
  berth_out_t of_x = rig_one(&rig, "Neg", -1, x);
  berth_out_t of_y = rig_one(&rig, "Neg", -1, y);
  berth_out_t both = rig_add(&rig, -1, of_x, of_y);
  rig_fetch(&rig, both);
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->blocker_count, 2);
  EXPECT_EQ(rig.program->blockers[1].feed, 1);
  EXPECT_EQ(rig.program->blockers[1].step, -1);
  EXPECT_EQ(rig.program->segment_count, 3);
  EXPECT_TRUE(waits_for(&rig, of_x, 0));
  EXPECT_FALSE(waits_for(&rig, of_x, 1));
  EXPECT_TRUE(waits_for(&rig, both, 0) && waits_for(&rig, both, 1));
  rig_clear(&rig);
}

// Each of many blockers waits for the one before.
TEST(segment, many_blockers_in_a_row) {
  enum { MANY = 300 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t last = rig_feed(&rig);
  for (int i = 0; i < MANY; ++i) last = rig_one(&rig, "Exp", -1, last);
  rig_fetch(&rig, rig_one(&rig, "Neg", -1, last));
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->blocker_count, MANY);
  EXPECT_EQ(rig.program->segment_count, MANY + 1);
  float value = 0;
  ASSERT_OK(rig_run(&rig, 5, &value), &rig.err);
  EXPECT_NEAR(value, -1, 0);
  rig_clear(&rig);
}

// ---- Any program ----

static berth_out_t any_node(rig_t *rig, uint64_t *chance,
                            const berth_out_t *outs, int count) {
  berth_out_t inputs[2] = {outs[rig_random(chance, (uint32_t)count)],
                           outs[rig_random(chance, (uint32_t)count)]};
  berth_node_id_t after = outs[rig_random(chance, (uint32_t)count)].node;
  int after_count = rig_random(chance, 3) == 0;
  switch (rig_random(chance, 5)) {
    case 0:
      return rig_op(rig, "Exp", -1, inputs, 1, &after, after_count);
    case 1:
      return rig_op(rig, "Neg", -1, inputs, 1, &after, after_count);
    case 2:
      return rig_op(rig, "Identity", -1, inputs, 1, &after, after_count);
    case 3:
      return rig_op(rig, "Sub", -1, inputs, 2, &after, after_count);
    default:
      return rig_op(rig, "AddV2", -1, inputs, 2, &after, after_count);
  }
}

// What a node is worth when every feed is as rig_feeds_make() makes it.
static float worth(const rig_t *rig, berth_out_t out, float *known) {
  if (!isnan(known[out.node])) return known[out.node];
  const berth_node_t *node = berth_graph_get(rig->graph, out.node);
  float a = worth(rig, node->inputs[0], known);
  float b = node->input_count > 1 ? worth(rig, node->inputs[1], known) : 0;
  float value = strcmp(node->op->name, "Neg") == 0 ? -a : a + b;
  return known[out.node] = value;
}

// Segments, storage and results of programs made by chance.
TEST(segment, any_program_is_sound_and_right) {
  enum { ROUNDS = 150, NODES = 40 };
  for (uint64_t round = 1; round <= ROUNDS && harness_failures == 0; ++round) {
    rig_t rig;
    rig_init(&rig);
    uint64_t chance = round * 0x9e3779b97f4a7c15u;
    berth_out_t outs[NODES];
    float known[RIG_MOST * 4];
    for (int i = 0; i < RIG_MOST * 4; ++i) known[i] = NAN;
    for (int i = 0; i < 2; ++i) {
      outs[i] = rig_feed(&rig);
      known[outs[i].node] = (float)(1 << i);
    }
    for (int i = 2; i < NODES; ++i) {
      outs[i] = any_node(&rig, &chance, outs, i);
    }
    for (int i = 0; i < 4; ++i) {
      rig_fetch(&rig, outs[NODES - 1 - rig_random(&chance, NODES - 2)]);
    }
    ASSERT_OK(rig_build(&rig), &rig.err);
    const char *wrong = berth_program_check(rig.program);
    if (wrong != NULL) HARNESS_FAIL("round %d: %s", (int)round, wrong);
    berth_layout_t *layout = rig_layout(&rig, 100);
    ASSERT_TRUE(layout != NULL);
    wrong = berth_layout_check(layout);
    if (wrong != NULL) HARNESS_FAIL("round %d: %s", (int)round, wrong);
    float values[4] = {0};
    ASSERT_OK(rig_run(&rig, 100, values), &rig.err);
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(values[i], worth(&rig, rig.fetches[i], known), 0);
    }
    rig_clear(&rig);
  }
}
