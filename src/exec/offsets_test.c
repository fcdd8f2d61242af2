// offsets_test.c - Where in the arena each value of a layout lies.
//
// What may share bytes is worked out here step by step: a map says for every
// grain of every arena whose it is, and nobody may write over what is still to
// be read.
#include "exec/offsets.h"

#include "exec/exec_testing.h"
#include "memory/bestfit.h"

enum { COUNT = 200 };  // Elements: 800 bytes, 4 grains.

static const berth_spot_t *place_of(const rig_t *rig,
                                    const berth_layout_t *layout,
                                    berth_out_t out) {
  return &layout->spots[rig_slot(rig, out)];
}

// ---- Chosen shapes ----

// Values that follow each other need room for two, or one where the next may
// be written over the last.
TEST(offsets, a_chain_stays_small) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig), last = x;
  for (int i = 0; i < 20; ++i) last = rig_one(&rig, "Neg", -1, last);
  rig_fetch(&rig, rig_one(&rig, "Neg", -1, last));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, COUNT);
  ASSERT_TRUE(layout != NULL);
  rig_expect_sound(layout);
  EXPECT_EQ(layout->needs[0].size, 1024);
  rig_clear(&rig);
}

TEST(offsets, without_taking_over_a_chain_needs_two) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t last = rig_feed(&rig);
  for (int i = 0; i < 20; ++i) {
    last = rig_op(&rig, "Sub", -1, (berth_out_t[]){last, last}, 2, NULL, 0);
  }
  rig_fetch(&rig, rig_one(&rig, "Neg", -1, last));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, COUNT);
  ASSERT_TRUE(layout != NULL);
  rig_expect_sound(layout);
  EXPECT_EQ(layout->needs[0].scratch_offset, 2048);
  EXPECT_EQ(layout->needs[0].scratch_size, 1000);
  EXPECT_EQ(layout->needs[0].size, 3048);
  rig_clear(&rig);
}

// What an alias is still to be read under is not written over.
TEST(offsets, an_alias_keeps_its_root) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t root = rig_one(&rig, "Neg", -1, x);
  berth_out_t alias = rig_one(&rig, "Identity", -1, root);
  berth_out_t second = rig_one(&rig, "Identity", -1, alias);
  berth_out_t over = rig_one(&rig, "Neg", -1, root);
  rig_fetch(&rig, rig_add(&rig, -1, over, second));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, COUNT);
  ASSERT_TRUE(layout != NULL);
  rig_expect_sound(layout);
  EXPECT_EQ(place_of(&rig, layout, alias)->root, rig_slot(&rig, root));
  EXPECT_EQ(place_of(&rig, layout, second)->root, rig_slot(&rig, root));
  EXPECT_EQ(place_of(&rig, layout, second)->offset,
            place_of(&rig, layout, root)->offset);
  EXPECT_TRUE(place_of(&rig, layout, over)->offset !=
              place_of(&rig, layout, root)->offset);
  float value = 0;
  ASSERT_OK(rig_run(&rig, COUNT, &value), &rig.err);
  EXPECT_NEAR(value, 0, 0);
  rig_clear(&rig);
}

TEST(offsets, what_is_fetched_lies_in_no_arena) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t out = rig_one(&rig, "Neg", -1, x);
  rig_fetch(&rig, rig_one(&rig, "Identity", -1, out));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, COUNT);
  ASSERT_TRUE(layout != NULL);
  rig_expect_sound(layout);
  EXPECT_EQ(place_of(&rig, layout, out)->storage, BERTH_STORE_TENSOR);
  EXPECT_EQ(layout->needs[0].size, 0);
  rig_clear(&rig);
}

// Segments run in any order. What one makes for another is not written over by
// a third, whichever comes first in the list.
TEST(offsets, a_value_for_another_segment_has_bytes_of_its_own) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t a = rig_one(&rig, "Exp", -1, x);
  berth_out_t b = rig_one(&rig, "Exp", -1, x);
  berth_out_t first = rig_after(&rig, "Neg", -1, x, b);
  berth_out_t second =
      rig_op(&rig, "Sub", -1, (berth_out_t[]){first, first}, 2, NULL, 0);
  berth_out_t crossing =
      rig_op(&rig, "Sub", -1, (berth_out_t[]){x, x}, 2, &a.node, 1);
  rig_fetch(&rig, rig_op(&rig, "Sub", -1, (berth_out_t[]){crossing, second}, 2,
                         NULL, 0));
  ASSERT_OK(rig_build(&rig), &rig.err);
  EXPECT_EQ(rig.program->segment_count, 4);
  float value = NAN;
  ASSERT_OK(rig_run(&rig, COUNT, &value), &rig.err);
  EXPECT_NEAR(value, 2 - 2, 0);
  rig_clear(&rig);
}

TEST(offsets, every_memory_has_an_arena) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t on[RIG_GPUS];
  for (int g = 0; g < RIG_GPUS; ++g) {
    on[g] = rig_one(&rig, "Neg", g, rig_one(&rig, "Neg", g, x));
  }
  rig_fetch(&rig, rig_add(&rig, 0, on[0], rig_add(&rig, 1, on[1], on[2])));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, 5000);
  ASSERT_TRUE(layout != NULL);
  rig_expect_sound(layout);
  for (int g = 0; g < RIG_GPUS; ++g) {
    EXPECT_EQ(place_of(&rig, layout, on[g])->arena, g + 2);
    EXPECT_TRUE(layout->needs[g + 2].size > 0);
  }
  EXPECT_EQ(layout->needs[0].size, 0);
  float value = 0;
  ASSERT_OK(rig_run(&rig, 5000, &value), &rig.err);
  EXPECT_NEAR(value, 3, 0);
  rig_clear(&rig);
}

// ---- Against a shadow ----

enum { SHADOW_GRAINS = 1 << 14 };

// Whose every grain of every arena is: a root plus one; 0: nobody's.
typedef struct shadow {
  int32_t owner[RIG_GPUS + 3][SHADOW_GRAINS];
  int32_t left[4096];  // By root: reads still to come.
} shadow_t;

static int32_t root_of(const berth_layout_t *layout, int32_t arg) {
  return layout->spots[layout->program->args[arg]].root;
}

// Counts what is still to be read of every root, aliases included.
static void shadow_begin(shadow_t *shadow, const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  memset(shadow, 0, sizeof(*shadow));
  for (int s = 0; s < p->step_count; ++s) {
    for (int i = 0; i < p->steps[s].input_count; ++i) {
      ++shadow->left[root_of(layout, p->steps[s].first_arg + i)];
    }
  }
}

// Writes |root|: nobody else may want those bytes any more.
static void shadow_write(shadow_t *shadow, const berth_layout_t *layout,
                         int32_t root) {
  const berth_spot_t *spot = &layout->spots[root];
  int64_t begin = spot->offset / BERTH_BESTFIT_GRAIN;
  int64_t end = (spot->offset + berth_layout_bytes(layout, root) +
                 BERTH_BESTFIT_GRAIN - 1) /
                BERTH_BESTFIT_GRAIN;
  for (int64_t g = begin; g < end; ++g) {
    int32_t *owner = &shadow->owner[spot->arena][g];
    if (*owner > 0) EXPECT_EQ(shadow->left[*owner - 1], 0);
    *owner = root + 1;
  }
}

// All that step |s| reads must still be there.
static void shadow_step(shadow_t *shadow, const berth_layout_t *layout, int s) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    int32_t root = root_of(layout, step->first_arg + i);
    const berth_spot_t *spot = &layout->spots[root];
    --shadow->left[root];
    if (spot->storage != BERTH_STORE_ARENA) continue;
    int64_t at = spot->offset / BERTH_BESTFIT_GRAIN;
    EXPECT_EQ(shadow->owner[spot->arena][at], root + 1);
  }
  for (int i = 0; i < step->output_count; ++i) {
    int32_t root = root_of(layout, step->first_arg + step->input_count + i);
    bool is_new = p->slots[root].producer == s &&
                  layout->spots[root].storage == BERTH_STORE_ARENA;
    if (is_new) shadow_write(shadow, layout, root);
  }
}

static void shadow_check(const berth_layout_t *layout) {
  static shadow_t shadow;
  shadow_begin(&shadow, layout);
  for (int s = 0; s < layout->program->step_count; ++s) {
    shadow_step(&shadow, layout, s);
  }
}

static berth_out_t any_node(rig_t *rig, uint64_t *chance,
                            const berth_out_t *outs, int count, int gpus) {
  static const char *const ops[] = {"Neg",   "Identity", "Exp",
                                    "AddV2", "AddV2",    "Sub"};
  int op = (int)rig_random(chance, 6);
  int gpu = (int)rig_random(chance, (uint32_t)gpus + 1) - 1;
  berth_out_t inputs[2];
  for (int i = 0; i < 2; ++i) {
    // Mostly what was made last, so that lives are short.
    uint32_t back = rig_random(chance, rig_random(chance, 4) == 0 ? 40 : 4);
    inputs[i] = outs[(int)back < count ? count - 1 - (int)back : 0];
  }
  if (op == 2 && (gpus > 0 || rig_random(chance, 3) > 0)) op = 0;
  berth_node_id_t after = inputs[1].node;
  return rig_op(rig, ops[op], gpu, inputs, op < 3 ? 1 : 2, &after,
                rig_random(chance, 8) == 0);
}

static void any_round(uint64_t seed, int gpus, int64_t count) {
  enum { NODES = 60 };
  rig_t rig;
  rig_init(&rig);
  uint64_t chance = seed * 0x9e3779b97f4a7c15u;
  berth_out_t outs[NODES];
  for (int i = 0; i < 3; ++i) outs[i] = rig_feed(&rig);
  for (int i = 3; i < NODES; ++i) {
    outs[i] = any_node(&rig, &chance, outs, i, gpus);
  }
  rig_fetch(&rig, outs[NODES - 1]);
  rig_fetch(&rig, outs[NODES - 1 - rig_random(&chance, 30)]);
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *layout = rig_layout(&rig, count);
  ASSERT_TRUE(layout != NULL);
  shadow_check(layout);
  rig_expect_sound(layout);
  if (harness_failures > 0) fprintf(stderr, "seed %d\n", (int)seed);
  rig_clear(&rig);
}

TEST(offsets, on_the_host_against_a_shadow) {
  for (uint64_t seed = 1; seed <= 200 && harness_failures == 0; ++seed) {
    any_round(seed, 0, 1 + (int64_t)(seed * 37 % 700));
  }
}

TEST(offsets, on_devices_against_a_shadow) {
  for (uint64_t seed = 1; seed <= 200 && harness_failures == 0; ++seed) {
    any_round(seed, 1 + (int)(seed % RIG_GPUS),
              seed % 4 == 0 ? 10 : 1100 + (int64_t)(seed % 50) * 10);
  }
}
