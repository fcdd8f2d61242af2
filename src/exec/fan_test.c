// fan_test.c - Stretches of a layout whose parts run beside each other.
#include "exec/fan.h"

#include "base/parallel.h"
#include "exec/exec_testing.h"

// Elements: a step of so many is worth a thread, one of FEW is not.
enum { MANY = 600, FEW = 8 };

// Builds and lays out what |rig| has, for feeds of |count| elements.
static const berth_layout_t *laid_out(rig_t *rig, int64_t count) {
  if (rig_build(rig) != BERTH_OK) {
    HARNESS_FAIL("no program: %s", berth_error_message(&rig->err));
    return NULL;
  }
  const berth_layout_t *layout = rig_layout(rig, count);
  if (layout != NULL) rig_expect_sound(layout);
  return layout;
}

// Expects that part |index| of the only fan is from |first| to |last|.
static void expect_part(const rig_t *rig, const berth_layout_t *layout,
                        int index, berth_out_t first, berth_out_t last) {
  if (layout->fan_count != 1 || index >= layout->fans[0].part_count) {
    HARNESS_FAIL("there is no part %d", index);
    return;
  }
  const berth_part_t *part = &layout->fans[0].parts[index];
  EXPECT_EQ(part->begin, rig_step(rig, first));
  EXPECT_EQ(part->end, rig_step(rig, last) + 1);
}

// Adds a chain of |length| steps behind |from|; stores the first.
static berth_out_t chain(rig_t *rig, berth_out_t from, int length,
                         berth_out_t *out_first) {
  for (int i = 0; i < length; ++i) {
    from = rig_op(rig, "Sub", -1, (berth_out_t[]){from, from}, 2, NULL, 0);
    if (i == 0 && out_first != NULL) *out_first = from;
  }
  return from;
}

// ---- What is found ----

TEST(fan, has_a_part_for_each_tower) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig), first[3], last[3];
  for (int i = 0; i < 3; ++i) last[i] = chain(&rig, x, 2 + i, &first[i]);
  berth_out_t sum = rig_add(&rig, -1, last[0], last[1]);
  rig_fetch(&rig, rig_add(&rig, -1, sum, last[2]));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  for (int i = 0; i < 3; ++i) expect_part(&rig, layout, i, first[i], last[i]);
  EXPECT_EQ(layout->fans[0].part_count, 3);
  EXPECT_EQ(layout->hot[rig_step(&rig, first[0])].how, BERTH_HOT_FAN);
  rig_clear(&rig);
}

TEST(fan, begins_behind_what_all_branches_need) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t stem = chain(&rig, rig_feed(&rig), 3, NULL), first[2], last[2];
  for (int i = 0; i < 2; ++i) last[i] = chain(&rig, stem, 2, &first[i]);
  rig_fetch(&rig, rig_add(&rig, -1, last[0], last[1]));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  for (int i = 0; i < 2; ++i) expect_part(&rig, layout, i, first[i], last[i]);
  rig_clear(&rig);
}

// Towers that were built layer by layer.
TEST(fan, takes_steps_that_alternate_one_by_one) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t a = rig_feed(&rig), b = rig_feed(&rig);
  for (int i = 0; i < 4; ++i) {
    a = chain(&rig, a, 1, NULL);
    b = chain(&rig, b, 1, NULL);
  }
  rig_fetch(&rig, rig_add(&rig, -1, a, b));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  EXPECT_TRUE(layout->fan_count >= 3);
  rig_clear(&rig);
}

// What a tower begins with may be short.
TEST(fan, has_short_steps_in_the_part_that_needs_them) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig), first[2], last[2];
  for (int i = 0; i < 2; ++i) {
    first[i] = rig_one(&rig, "Neg", -1, x);
    berth_out_t name = rig_one(&rig, "Identity", -1, first[i]);
    last[i] = chain(&rig, name, 2, NULL);
  }
  rig_fetch(&rig, rig_add(&rig, -1, last[0], last[1]));
  const berth_layout_t *layout = laid_out(&rig, MANY / 2 + FEW);
  ASSERT_TRUE(layout != NULL);
  for (int i = 0; i < 2; ++i) expect_part(&rig, layout, i, first[i], last[i]);
  rig_clear(&rig);
}

// The gradient of a product: what goes to the weights beside what goes back.
TEST(fan, has_what_hangs_off_a_chain_beside_it) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t back = chain(&rig, rig_feed(&rig), 1, NULL), weights[3];
  for (int i = 0; i < 3; ++i) {
    weights[i] = chain(&rig, back, 2, NULL);
    back = chain(&rig, back, 2, NULL);
    rig_fetch(&rig, weights[i]);
  }
  rig_fetch(&rig, back);
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  EXPECT_TRUE(layout->fan_count >= 1);
  EXPECT_TRUE(layout->fans[0].part_count >= 2);
  rig_clear(&rig);
}

// ---- What is not ----

// Two towers of |count| elements that are joined; what is between them may be
// changed before they are laid out.
static int fans_of_towers(const char *between, bool has_control,
                          int64_t count) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t one = chain(&rig, x, 2, NULL), two = x;
  if (between != NULL) two = rig_one(&rig, between, -1, x);
  if (has_control) two = rig_after(&rig, "Neg", -1, two, one);
  two = chain(&rig, two, 2, NULL);
  rig_fetch(&rig, rig_add(&rig, -1, one, two));
  const berth_layout_t *layout = laid_out(&rig, count);
  int fans = layout != NULL ? layout->fan_count : -1;
  rig_clear(&rig);
  return fans;
}

TEST(fan, is_only_where_it_pays) {
  EXPECT_EQ(fans_of_towers(NULL, false, MANY), 1);
  EXPECT_EQ(fans_of_towers(NULL, false, FEW), 0);
}

TEST(fan, keeps_the_order_that_control_edges_say) {
  EXPECT_EQ(fans_of_towers(NULL, true, MANY), 0);
}

TEST(fan, is_in_one_segment) {
  // What is behind a step that blocks is in another segment.
  EXPECT_EQ(fans_of_towers("Exp", false, MANY), 0);
}

TEST(fan, is_not_made_of_a_chain) {
  rig_t rig;
  rig_init(&rig);
  rig_fetch(&rig, chain(&rig, rig_feed(&rig), 40, NULL));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(layout->fan_count, 0);
  rig_clear(&rig);
}

TEST(fan, is_not_made_of_what_is_large) {
  // Two values of 40 MiB side by side.
  EXPECT_EQ(fans_of_towers(NULL, false, 10 << 20), 0);
}

TEST(fan, is_not_where_there_are_devices) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t one = chain(&rig, x, 2, NULL), two = chain(&rig, x, 2, NULL);
  rig_fetch(&rig, rig_add(&rig, 0, one, two));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(layout->fan_count, 0);
  rig_clear(&rig);
}

// ---- Memory ----

TEST(fan, has_bytes_for_each_part_and_not_for_each_step) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t one = chain(&rig, x, 20, NULL), two = chain(&rig, x, 20, NULL);
  rig_fetch(&rig, rig_add(&rig, -1, one, two));
  const berth_layout_t *layout = laid_out(&rig, MANY);
  ASSERT_TRUE(layout != NULL);
  EXPECT_EQ(layout->fan_count, 1);
  // Two values and scratch space for each part, and its result.
  size_t value = (MANY * sizeof(float) + 255) / 256 * 256;
  size_t scratch = 1024;
  EXPECT_EQ(layout->needs[0].scratch_offset, 2 * (3 * value + scratch));
  rig_clear(&rig);
}

// ---- Running ----

static void round_play(uint64_t seed) {
  enum { NODES = 50 };
  static const char *const ops[] = {"Neg", "Identity", "AddV2", "Sub", "Sub"};
  uint64_t chance = seed * 0x9e3779b97f4a7c15u;
  rig_t rig;
  rig_init(&rig);
  berth_out_t outs[NODES];
  float expected[NODES], wanted[RIG_MOST], got[RIG_MOST];
  for (int i = 0; i < NODES; ++i) {
    if (i < 3) {
      outs[i] = rig_feed(&rig);
      expected[i] = (float)(1 << i);
      continue;
    }
    uint32_t op = rig_random(&chance, 5);
    // Now and then from far back, so that there are branches.
    int from[2];
    berth_out_t inputs[2];
    for (int k = 0; k < 2; ++k) {
      uint32_t back = rig_random(&chance, rig_random(&chance, 3) == 0 ? 30 : 2);
      from[k] = (int)back < i ? i - 1 - (int)back : 0;
      inputs[k] = outs[from[k]];
    }
    berth_node_id_t after = outs[rig_random(&chance, (uint32_t)i)].node;
    outs[i] = rig_op(&rig, ops[op], -1, inputs, op < 2 ? 1 : 2, &after,
                     rig_random(&chance, 10) == 0);
    float a = expected[from[0]], b = expected[from[1]];
    // Numbers stay small and whole.
    expected[i] = op == 0 ? -a : op == 1 ? a : a + b;
  }
  for (int i = 0; i < 6; ++i) {
    int which = i == 0 ? NODES - 1 : (int)rig_random(&chance, NODES - 3) + 3;
    wanted[i] = expected[which];
    rig_fetch(&rig, outs[which]);
  }
  ASSERT_OK(rig_build(&rig), &rig.err);
  for (int i = 0; i < 4 && harness_failures == 0; ++i) {
    ASSERT_OK(rig_run(&rig, MANY + i % 2, got), &rig.err);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(got[k], wanted[k]);
  }
  if (harness_failures > 0) fprintf(stderr, "seed %d\n", (int)seed);
  rig_clear(&rig);
}

TEST(fan, computes_what_the_steps_do_at_random) {
  berth_parallel_pretend_cpus(4);
  for (uint64_t seed = 1; seed <= 300 && harness_failures == 0; ++seed) {
    rig_pause_us = seed % 8 == 0 ? 100 : 0;
    round_play(seed);
  }
  rig_pause_us = 0;
}
