// kernel_test.c - Plans, and what they own.
#include "kernel/kernel.h"

#include "base/fault.h"
#include "harness.h"

static int drops = 0;

static void count_drop(void *thing) {
  ++*(int *)thing;
  ++drops;
}

TEST(kernel, makes_zeroed_plans) {
  berth_arena_t arena = {0};
  berth_prepare_t prepare = {.op = {.arena = &arena}};
  unsigned char *plan = berth_prepare_plan(&prepare, 300);
  ASSERT_TRUE(plan != NULL);
  EXPECT_TRUE(prepare.plan == plan);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(plan[i], 0);
  berth_arena_clear(&arena);
}

TEST(kernel, says_when_there_is_no_memory_for_a_plan) {
  berth_arena_t arena = {0};
  berth_prepare_t prepare = {.op = {.arena = &arena}};
  berth_fault_arm("alloc", 1);
  EXPECT_TRUE(berth_prepare_plan(&prepare, 300) == NULL);
  EXPECT_EQ(berth_fault_disarm(), 1);
  EXPECT_TRUE(prepare.plan == NULL);
  berth_arena_clear(&arena);
}

TEST(kernel, drops_what_a_plan_owns_with_it) {
  berth_arena_t arena = {0};
  berth_prepare_t prepare = {.op = {.arena = &arena}};
  int thing = 0;
  ASSERT_TRUE(berth_prepare_own(&prepare, &thing, count_drop));
  EXPECT_EQ(thing, 0);
  berth_arena_clear(&arena);
  EXPECT_EQ(thing, 1);
}

// A prepare that fails is taken back, with what it made.
TEST(kernel, drops_what_a_failed_prepare_made) {
  berth_arena_t arena = {0};
  berth_prepare_t prepare = {.op = {.arena = &arena}};
  int kept = 0, lost = 0;
  ASSERT_TRUE(berth_prepare_own(&prepare, &kept, count_drop));
  berth_arena_mark_t mark = berth_arena_mark(&arena);
  ASSERT_TRUE(berth_prepare_own(&prepare, &lost, count_drop));
  berth_arena_rewind(&arena, mark);
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(kept, 0);
  berth_arena_clear(&arena);
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(kept, 1);
}

TEST(kernel, drops_at_once_what_cannot_be_owned) {
  berth_arena_t arena = {0};
  berth_prepare_t prepare = {.op = {.arena = &arena}};
  int thing = 0;
  berth_fault_arm("alloc", 1);
  EXPECT_FALSE(berth_prepare_own(&prepare, &thing, count_drop));
  EXPECT_EQ(berth_fault_disarm(), 1);
  EXPECT_EQ(thing, 1);
  berth_arena_clear(&arena);
  EXPECT_EQ(thing, 1);
  EXPECT_EQ(drops, 1);
}

TEST(kernel, check_finds_a_prepare_that_is_not_whole) {
  berth_prepare_t prepare = {.op = {.alias = -1}, .run = berth_run_nothing};
  EXPECT_TRUE(berth_prepare_check(&prepare, 0) == NULL);
  prepare.scratch_size = 64;
  EXPECT_TRUE(berth_prepare_check(&prepare, 0) == NULL);
  EXPECT_STR(berth_prepare_check(&prepare, BERTH_OP_UPDATES),
             "an update has scratch space");
  prepare.work = -1;
  EXPECT_STR(berth_prepare_check(&prepare, 0), "the work is less than none");
  prepare.run = NULL;
  EXPECT_STR(berth_prepare_check(&prepare, 0),
             "there is nothing to run, and no alias");
}
