// lanes_test.c - Which stream each step is queued on, and what waits for what.
#include "exec/lanes.h"

#include "exec/copy.h"
#include "exec/exec_testing.h"

enum { SMALL = 8, LARGE = 100000 };

// Streams are numbered by device; the CPU is device 0.
static int32_t lane_of(int gpu, berth_lane_t lane) {
  return (gpu + 1) * BERTH_LANES + (int32_t)lane;
}

static const berth_lane_step_t *lane_step(const rig_t *rig,
                                          const berth_layout_t *layout,
                                          berth_out_t out) {
  return &layout->lanes->steps[rig_step(rig, out)];
}

// Returns the copy from space |from| to space |to| number |index|, or -1.
static int copy_find(const berth_program_t *p, int from, int to, int index) {
  for (int s = 0; s < p->step_count; ++s) {
    const int32_t *slots = p->args + p->steps[s].first_arg;
    if (berth_is_copy(&p->steps[s]) && p->slots[slots[0]].space == from &&
        p->slots[slots[1]].space == to && index-- == 0) {
      return s;
    }
  }
  return -1;
}

// What is made on GPU 0 goes to GPU 1, and from there to the host.
typedef struct path {
  rig_t rig;
  berth_out_t x, a, b;
  berth_layout_t *layout;
} path_t;

static void path_init(path_t *path, int64_t count) {
  rig_t *rig = &path->rig;
  rig_init(rig);
  path->x = rig_feed(rig);
  path->a = rig_one(rig, "Neg", 0, path->x);
  path->b = rig_one(rig, "Neg", 1, path->a);
  rig_fetch(rig, path->b);
  ASSERT_OK(rig_build(rig), &rig->err);
  path->layout = rig_layout(rig, count);
}

TEST(lanes, each_kind_of_work_has_a_stream) {
  path_t path;
  path_init(&path, LARGE);
  ASSERT_TRUE(path.layout != NULL);
  const berth_program_t *p = path.rig.program;
  const berth_lanes_t *lanes = path.layout->lanes;
  int in = copy_find(p, 0, 2, 0), peer = copy_find(p, 2, 3, 0),
      out = copy_find(p, 3, 0, 0);
  ASSERT_TRUE(in >= 0 && peer >= 0 && out >= 0);
  EXPECT_EQ(lanes->steps[in].lane, lane_of(0, BERTH_LANE_IN));
  EXPECT_EQ(lanes->steps[peer].lane, lane_of(1, BERTH_LANE_PEER));
  EXPECT_EQ(lanes->steps[out].lane, lane_of(1, BERTH_LANE_OUT));
  EXPECT_EQ(lane_step(&path.rig, path.layout, path.a)->lane,
            lane_of(0, BERTH_LANE_COMPUTE));
  EXPECT_EQ(lane_step(&path.rig, path.layout, path.b)->lane,
            lane_of(1, BERTH_LANE_COMPUTE));
  EXPECT_EQ(lanes->used_count, 5);
  rig_clear(&path.rig);
}

// Each edge of the path above is one event, waited for by a stream.
TEST(lanes, each_edge_between_streams_is_an_event) {
  path_t path;
  path_init(&path, LARGE);
  ASSERT_TRUE(path.layout != NULL);
  const berth_lanes_t *lanes = path.layout->lanes;
  EXPECT_EQ(lanes->event_count, 4);
  for (int s = 1; s < path.rig.program->step_count; ++s) {
    ASSERT_TRUE(lanes->steps[s].wait_count == 1);
    EXPECT_EQ(lanes->waits[lanes->steps[s].first_wait],
              lanes->steps[s - 1].record);
  }
  rig_clear(&path.rig);
}

// Small values lie where host and device see them: the host fills in what is
// fed, and the kernel writes what is fetched.
TEST(lanes, small_values_are_not_copied_by_streams) {
  path_t path;
  path_init(&path, SMALL);
  ASSERT_TRUE(path.layout != NULL);
  const berth_program_t *p = path.rig.program;
  int in = copy_find(p, 0, 2, 0), out = copy_find(p, 3, 0, 0);
  EXPECT_EQ(path.layout->lanes->steps[in].lane, BERTH_HOST_LANE);
  EXPECT_EQ(path.layout->hot[out].how, BERTH_HOT_SKIP);
  EXPECT_TRUE(berth_layout_is_pinned(path.layout, rig_slot(&path.rig, path.b)));
  EXPECT_TRUE(path.layout->spots[rig_slot(&path.rig, path.b)].crosses);
  rig_clear(&path.rig);
}

// The host waits itself before it reads what a device has made.
TEST(lanes, the_host_waits_for_what_it_reads) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t on_host = rig_one(&rig, "Neg", -1, rig_one(&rig, "Neg", 0, x));
  rig_fetch(&rig, on_host);
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  const berth_lane_step_t *step = lane_step(&rig, layout, on_host);
  EXPECT_EQ(step->lane, BERTH_HOST_LANE);
  ASSERT_TRUE(step->wait_count == 1);
  int32_t event = ~layout->lanes->waits[step->first_wait];
  EXPECT_EQ(event,
            layout->lanes->steps[copy_find(rig.program, 2, 0, 0)].record);
  rig_clear(&rig);
}

// A stream that has waited once does not wait again for the same, nor for what
// was done before.
TEST(lanes, no_stream_waits_twice) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Neg", 0, x);
  berth_out_t b = rig_add(&rig, 0, a, x);
  berth_out_t c = rig_add(&rig, 0, b, x);
  rig_fetch(&rig, c);
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(lane_step(&rig, layout, a)->wait_count, 1);
  EXPECT_EQ(lane_step(&rig, layout, b)->wait_count, 0);
  EXPECT_EQ(lane_step(&rig, layout, c)->wait_count, 0);
  EXPECT_EQ(layout->lanes->event_count, 2);
  rig_clear(&rig);
}

// Segments run in any order: each waits for what another stream has made,
// whatever others have waited for.
TEST(lanes, each_segment_waits_itself) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Neg", 0, x);
  berth_out_t blocked[] = {rig_one(&rig, "Exp", -1, x),
                           rig_one(&rig, "Exp", -1, x)};
  berth_out_t away[2];
  for (int i = 0; i < 2; ++i) {
    away[i] = rig_after(&rig, "Neg", 1, a, blocked[i]);
    rig_fetch(&rig, away[i]);
  }
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  EXPECT_TRUE(rig_segment(&rig, away[0]) != rig_segment(&rig, away[1]));
  int copy = copy_find(rig.program, 2, 3, 0);
  for (int i = 0; i < 2; ++i) {
    const berth_lane_step_t *step = lane_step(&rig, layout, away[i]);
    ASSERT_TRUE(step->wait_count == 1);
    EXPECT_EQ(layout->lanes->waits[step->first_wait],
              layout->lanes->steps[copy].record);
  }
  rig_clear(&rig);
}

// ---- Ranges ----

TEST(lanes, steps_in_a_row_are_a_range) {
  enum { ROW = 10 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t last = rig_feed(&rig), first = {0};
  for (int i = 0; i < ROW; ++i) {
    last = rig_one(&rig, i == 4 ? "Identity" : "Neg", 0, last);
    if (i == 0) first = last;
  }
  rig_fetch(&rig, last);
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  ASSERT_TRUE(layout->lanes->range_count == 1);
  EXPECT_EQ(layout->lanes->ranges[0].begin, rig_step(&rig, first));
  EXPECT_EQ(layout->lanes->ranges[0].end, rig_step(&rig, last) + 1);
  EXPECT_EQ(layout->lanes->ranges[0].device, 1);
  EXPECT_TRUE(lane_step(&rig, layout, last)->record >= 0);
  rig_clear(&rig);
}

// An event in the middle, recorded or waited for, ends a range.
TEST(lanes, events_end_ranges) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Neg", 0, x);
  berth_out_t b = rig_one(&rig, "Neg", 0, a);  // Goes to GPU 1.
  berth_out_t c = rig_one(&rig, "Neg", 0, b);
  berth_out_t away = rig_one(&rig, "Neg", 1, b);
  berth_out_t d = rig_one(&rig, "Neg", 0, c);
  berth_out_t e = rig_add(&rig, 0, d, away);  // Waits for GPU 1.
  rig_fetch(&rig, rig_one(&rig, "Neg", 0, e));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  EXPECT_TRUE(lane_step(&rig, layout, a)->range >= 0);
  EXPECT_EQ(lane_step(&rig, layout, b)->range, -1);
  EXPECT_TRUE(lane_step(&rig, layout, b)->record >= 0);
  EXPECT_TRUE(lane_step(&rig, layout, c)->range >= 0);
  EXPECT_TRUE(lane_step(&rig, layout, away)->range >= 0);
  EXPECT_TRUE(lane_step(&rig, layout, e)->range >= 0);
  EXPECT_TRUE(lane_step(&rig, layout, e)->wait_count > 0);
  rig_clear(&rig);
}

// So does one that is waited for by a step that no copy stands before.
TEST(lanes, waits_begin_ranges) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t away = rig_one(&rig, "Neg", 1, x);
  berth_out_t back = rig_one(&rig, "Identity", 0, away);
  berth_out_t a = rig_one(&rig, "Neg", 0, x);
  berth_out_t b = rig_add(&rig, 0, a, back);
  rig_fetch(&rig, rig_one(&rig, "Neg", 0, b));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(rig_step(&rig, b), rig_step(&rig, a) + 1);
  EXPECT_TRUE(lane_step(&rig, layout, a)->range >= 0);
  EXPECT_TRUE(lane_step(&rig, layout, b)->wait_count > 0);
  EXPECT_TRUE(lane_step(&rig, layout, b)->range >= 0);
  float value = 0;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(rig_run(&rig, LARGE, &value), &rig.err);
    EXPECT_NEAR(value, 2, 0);
  }
  rig_clear(&rig);
}

// Nothing that the host does, or that is prepared as it runs, is recorded.
TEST(lanes, what_is_not_recorded) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t on_host = rig_one(&rig, "Neg", -1, x);
  berth_out_t blocks = rig_one(&rig, "Exp", -1, on_host);
  berth_out_t late = rig_one(&rig, "Neg", 0, blocks);
  berth_out_t plain = rig_one(&rig, "Neg", 0, x);
  rig_fetch(&rig, rig_add(&rig, 0, late, plain));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(lane_step(&rig, layout, on_host)->range, -1);
  EXPECT_EQ(lane_step(&rig, layout, blocks)->range, -1);
  EXPECT_EQ(layout->hot[rig_step(&rig, late)].how, BERTH_HOT_LATE);
  EXPECT_EQ(lane_step(&rig, layout, late)->range, -1);
  EXPECT_EQ(lane_step(&rig, layout, late)->lane,
            lane_of(0, BERTH_LANE_COMPUTE));
  EXPECT_TRUE(lane_step(&rig, layout, plain)->range >= 0);
  EXPECT_EQ(layout->lanes->range_count, 1);
  float value = 0;
  ASSERT_OK(rig_run(&rig, LARGE, &value), &rig.err);
  EXPECT_NEAR(value, 0, 0);
  rig_clear(&rig);
}

// What a card makes after a copy of its memory to another one comes after that:
// what was copied may be let go, and its memory be used anew.
TEST(lanes, sources_of_copies_are_in_use) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed_on(&rig, 0);
  rig_fetch(&rig, rig_one(&rig, "Neg", 1, x));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  ASSERT_TRUE(layout != NULL);
  bool is_used = false;
  for (int i = 0; i < layout->lanes->used_count; ++i) {
    int32_t lane = layout->lanes->used[i];
    is_used = is_used || lane == lane_of(0, BERTH_LANE_COMPUTE);
  }
  EXPECT_TRUE(is_used);
  rig_clear(&rig);
}

TEST(lanes, a_program_of_the_host_has_none) {
  rig_t rig;
  rig_init(&rig);
  rig_fetch(&rig, rig_one(&rig, "Neg", -1, rig_feed(&rig)));
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_FALSE(rig.program->uses_devices);
  berth_layout_t *layout = rig_layout(&rig, LARGE);
  EXPECT_TRUE(layout != NULL && layout->lanes == NULL);
  rig_clear(&rig);
}
