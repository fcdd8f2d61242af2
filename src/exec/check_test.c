// check_test.c - The checks find what is wrong, one thing at a time.
//
// Each test breaks one thing of a sound structure, and mends it again before
// the structure is freed.
#include "exec/check.h"

#include <signal.h>

#include "exec/exec_testing.h"
#include "exec/fan.h"

enum { COUNT = 2000 };

// |check| must say |text| while |lvalue| is |value|.
#define EXPECT_CAUGHT(lvalue, value, check, text)             \
  do {                                                        \
    __typeof__(lvalue) kept = (lvalue);                       \
    (lvalue) = (__typeof__(lvalue))(value);                   \
    const char *found = (check);                              \
    EXPECT_STR(found != NULL ? found : "(sound)", (text));    \
    (lvalue) = kept;                                          \
    found = (check);                                          \
    EXPECT_STR(found != NULL ? found : "(sound)", "(sound)"); \
  } while (0)

// Two chains that are joined behind a blocking step, on the host.
typedef struct joined {
  rig_t rig;
  berth_out_t x, one, two, alias, three, four, five, blocks, behind, last;
} joined_t;

static void joined_init(joined_t *j) {
  rig_t *rig = &j->rig;
  rig_init(rig);
  j->x = rig_feed(rig);
  j->one = rig_one(rig, "Neg", -1, j->x);
  j->alias = rig_one(rig, "Identity", -1, j->one);
  j->two = rig_op(rig, "Sub", -1, (berth_out_t[]){j->alias, j->x}, 2, NULL, 0);
  j->three =
      rig_op(rig, "Sub", -1, (berth_out_t[]){j->two, j->one}, 2, NULL, 0);
  j->four = rig_op(rig, "Sub", -1, (berth_out_t[]){j->three, j->x}, 2, NULL, 0);
  j->five = rig_op(rig, "Sub", -1, (berth_out_t[]){j->four, j->x}, 2, NULL, 0);
  j->blocks = rig_one(rig, "Exp", -1, j->five);
  j->behind = rig_after(rig, "Neg", -1, j->five, j->blocks);
  j->last = rig_add(rig, -1, j->behind, j->blocks);
  rig_fetch(rig, j->last);
  rig_fetch(rig, j->behind);
  ASSERT_OK(rig_build(rig), &rig->err);
}

static berth_step_t *step_of(rig_t *rig, berth_out_t out) {
  return &rig->program->steps[rig_step(rig, out)];
}

static int32_t *input_of(rig_t *rig, berth_out_t out, int index) {
  return &rig->program->args[step_of(rig, out)->first_arg + index];
}

TEST(program_check, finds_what_is_wrong_with_steps) {
  joined_t j;
  joined_init(&j);
  berth_program_t *p = j.rig.program;
  ASSERT_TRUE(p != NULL);
  EXPECT_TRUE(berth_program_check(p) == NULL);
  int32_t last = rig_slot(&j.rig, j.last), one = rig_slot(&j.rig, j.one);
  EXPECT_CAUGHT(*input_of(&j.rig, j.one, 0), last, berth_program_check(p),
                "a value is read before it is made");
  EXPECT_CAUGHT(*input_of(&j.rig, j.one, 0), p->slot_count,
                berth_program_check(p), "an argument is no slot");
  EXPECT_CAUGHT(*input_of(&j.rig, j.one, 2), 0, berth_program_check(p),
                "a step has no place for scratch");
  EXPECT_CAUGHT(step_of(&j.rig, j.one)->first_arg, p->arg_count,
                berth_program_check(p),
                "the arguments of a step are out of range");
  EXPECT_CAUGHT(p->slots[one].producer, p->step_count, berth_program_check(p),
                "the producer of a slot is no step");
  EXPECT_CAUGHT(p->slots[last].producer, 0, berth_program_check(p),
                "an output has another producer");
  EXPECT_CAUGHT(p->slots[one].use_count, 2, berth_program_check(p),
                "a slot has more uses than it knows");
  EXPECT_CAUGHT(p->slots[one].use_count, 4, berth_program_check(p),
                "a slot has fewer uses than it knows");
  EXPECT_CAUGHT(p->slots[one].consumer_count, 0, berth_program_check(p),
                "a slot has another number of readers");
  EXPECT_CAUGHT(p->uses[p->slots[one].first_use], 0, berth_program_check(p),
                "a use leads to another argument");
  EXPECT_CAUGHT(p->slots[one].space, 2, berth_program_check(p),
                "an output is in another space than its step");
  EXPECT_CAUGHT(p->slots[rig_slot(&j.rig, j.five)].is_kept, false,
                berth_program_check(p),
                "a slot that a kernel keeps is not marked");
  EXPECT_CAUGHT(p->slots[last].is_kept, false, berth_program_check(p),
                "a fetch is not kept");
  EXPECT_CAUGHT(p->fetch_slots[0], -1, berth_program_check(p),
                "a fetch has no slot");
  EXPECT_CAUGHT(p->feed_slots[0], p->slot_count, berth_program_check(p),
                "a feed has no slot");
  rig_clear(&j.rig);
}

// Returns what a check found, but for a number of waits.
static const char *wrong_unless_counted(const char *found) {
  bool is_count = found != NULL && strstr(found, "another number") != NULL;
  return is_count ? NULL : found;
}

TEST(program_check, finds_what_is_wrong_with_segments) {
  joined_t j;
  joined_init(&j);
  berth_program_t *p = j.rig.program;
  ASSERT_TRUE(p != NULL && p->segment_count == 2 && p->blocker_count == 1);
  EXPECT_CAUGHT(p->segments[1].begin, p->segments[1].begin + 1,
                berth_program_check(p), "segments are not contiguous");
  EXPECT_CAUGHT(p->segment_count, 1, berth_program_check(p),
                "a step is in no segment");
  EXPECT_CAUGHT(p->segments[1].wait_count, 1, berth_program_check(p),
                "a segment waits for another number of things");
  EXPECT_CAUGHT(p->segments[0].next_count, 0, berth_program_check(p),
                "a segment waits for another number of things");
  EXPECT_CAUGHT(*(int32_t *)(uintptr_t)p->segments[0].next, 0,
                berth_program_check(p),
                "a segment is waited for by an earlier one");
  EXPECT_CAUGHT(*(int32_t *)(uintptr_t)p->blockers[0].next, 0,
                berth_program_check(p),
                "a segment waits for another number of things");
  // As many waits as are counted, but not for the right thing.
  p->segments[1].wait_count = 1;
  EXPECT_CAUGHT(p->segments[0].next_count, 0,
                wrong_unless_counted(berth_program_check(p)),
                "a segment does not wait for what it needs");
  EXPECT_CAUGHT(p->blockers[0].next_count, 0,
                wrong_unless_counted(berth_program_check(p)),
                "a segment does not wait for a blocking step");
  p->segments[1].wait_count = 2;
  EXPECT_CAUGHT(p->blockers[0].step, 0, berth_program_check(p),
                "a blocker is another step");
  EXPECT_CAUGHT(step_of(&j.rig, j.blocks)->blocker, -1, berth_program_check(p),
                "a step that blocks is no blocker");
  EXPECT_CAUGHT(step_of(&j.rig, j.last)->ends_commit, false,
                berth_program_check(p), "a commit ends elsewhere");
  rig_clear(&j.rig);
}

TEST(layout_check, finds_what_is_wrong_with_places) {
  joined_t j;
  joined_init(&j);
  ASSERT_TRUE(j.rig.program != NULL);
  berth_layout_t *l = rig_layout(&j.rig, COUNT);
  ASSERT_TRUE(l != NULL && berth_layout_check(l) == NULL);
  berth_spot_t *one = &l->spots[rig_slot(&j.rig, j.one)];
  berth_spot_t *two = &l->spots[rig_slot(&j.rig, j.two)];
  berth_spot_t *four = &l->spots[rig_slot(&j.rig, j.four)];
  berth_spot_t *alias = &l->spots[rig_slot(&j.rig, j.alias)];
  berth_spot_t *behind = &l->spots[rig_slot(&j.rig, j.behind)];
  ASSERT_TRUE(two->storage == BERTH_STORE_ARENA);
  EXPECT_CAUGHT(two->offset, one->offset, berth_layout_check(l),
                "two values have the same bytes at the same time");
  EXPECT_CAUGHT(two->offset, two->offset + 1, berth_layout_check(l),
                "a value has a bad offset");
  EXPECT_CAUGHT(two->offset, 1 << 20, berth_layout_check(l),
                "a value reaches into what is behind all values");
  EXPECT_CAUGHT(two->arena, 1, berth_layout_check(l),
                "a value lies in the arena of another space");
  EXPECT_CAUGHT(two->is_kept, true, berth_layout_check(l),
                "a value that is kept lies in an arena");
  // The first one is not read any more when the fourth is made.
  four->offset = one->offset;
  EXPECT_CAUGHT(four->crosses, true, berth_layout_check(l),
                "a value that crosses shares its bytes");
  EXPECT_CAUGHT(alias->offset, two->offset, berth_layout_check(l),
                "an alias is elsewhere than its root");
  EXPECT_CAUGHT(alias->storage, BERTH_STORE_TENSOR, berth_layout_check(l),
                "an alias is elsewhere than its root");
  EXPECT_CAUGHT(one->next_alias, -1, berth_layout_check(l),
                "an alias is not in its list");
  EXPECT_CAUGHT(alias->next_alias, rig_slot(&j.rig, j.alias),
                berth_layout_check(l), "a list of aliases has no end");
  EXPECT_CAUGHT(one->root, rig_slot(&j.rig, j.alias), berth_layout_check(l),
                "the root of a value has another root");
  EXPECT_CAUGHT(behind->storage, BERTH_STORE_SETTLED, berth_layout_check(l),
                "a settled value is elsewhere, or a value is not settled");
  EXPECT_CAUGHT(l->needs[0].scratch_size, 1, berth_layout_check(l),
                "scratch space is not the end of its arena");
  EXPECT_CAUGHT(l->tensor_slot_count, l->tensor_slot_count - 1,
                berth_layout_check(l), "a tensor is in no list");
  rig_clear(&j.rig);
}

TEST(layout_check, finds_what_is_wrong_with_steps) {
  joined_t j;
  joined_init(&j);
  ASSERT_TRUE(j.rig.program != NULL);
  berth_layout_t *l = rig_layout(&j.rig, COUNT);
  ASSERT_TRUE(l != NULL);
  berth_hot_step_t *one = &l->hot[rig_step(&j.rig, j.one)];
  berth_hot_step_t *blocks = &l->hot[rig_step(&j.rig, j.blocks)];
  EXPECT_CAUGHT(one->how, BERTH_HOT_MAKES, berth_layout_check(l),
                "a plain step gets a full call");
  EXPECT_CAUGHT(one->how, BERTH_HOT_SKIP, berth_layout_check(l),
                "nobody makes the output of a step that is skipped");
  EXPECT_CAUGHT(one->how, BERTH_HOT_LATE, berth_layout_check(l),
                "the output of a late step has a place");
  EXPECT_CAUGHT(one->run, NULL, berth_layout_check(l),
                "a planned step has nothing to run");
  EXPECT_CAUGHT(blocks->how, BERTH_HOT_MAKES, berth_layout_check(l),
                "a step that may wait is planned");
  EXPECT_CAUGHT(l->has_late, false, berth_layout_check(l),
                "a layout has a late step");
  EXPECT_CAUGHT(one->node, NULL, berth_layout_check(l),
                "a hot step is another step");
  rig_clear(&j.rig);
}

// What a kernel wants as a tensor is let go behind the last step that reads it.
TEST(layout_check, finds_what_is_let_go_too_early) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig);
  berth_out_t held = rig_add(&rig, -1, x, x);
  berth_out_t blocks = rig_one(&rig, "Exp", -1, held);
  berth_out_t other = rig_add(&rig, -1, held, x);
  rig_fetch(&rig, other);
  rig.targets[rig.target_count++] = blocks.node;
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *l = rig_layout(&rig, COUNT);
  ASSERT_TRUE(l != NULL && l->released_count == 1);
  EXPECT_EQ(l->released_slots[0], rig_slot(&rig, held));
  EXPECT_EQ(l->released_by[0], rig_step(&rig, other));
  EXPECT_CAUGHT(l->released_by[0], rig_step(&rig, held), berth_layout_check(l),
                "a step does not know that it lets go");
  l->hot[rig_step(&rig, blocks)].after |= BERTH_AFTER_RELEASE;
  EXPECT_CAUGHT(l->released_by[0], rig_step(&rig, blocks),
                berth_layout_check(l),
                "a value is read after it is let go, or in another segment");
  EXPECT_CAUGHT(l->released_slots[0], rig_slot(&rig, other),
                berth_layout_check(l), "what is fetched is let go");
  EXPECT_CAUGHT(l->released_slots[0], rig.program->feed_slots[0],
                berth_layout_check(l),
                "what is let go is no tensor of its own");
  rig_clear(&rig);
}

// ---- Devices ----

// A feed goes to a GPU, what comes of it to a second one and back.
typedef struct across {
  rig_t rig;
  berth_out_t x, a, b, c, d;
  berth_layout_t *layout;
} across_t;

static void across_init(across_t *w) {
  rig_t *rig = &w->rig;
  rig_init(rig);
  w->x = rig_feed(rig);
  w->a = rig_one(rig, "Neg", 0, w->x);
  w->b = rig_add(rig, 0, w->a, w->a);
  w->c = rig_add(rig, 1, w->b, w->b);
  w->d = rig_add(rig, 0, w->b, w->c);
  rig_fetch(rig, rig_one(rig, "Neg", -1, w->d));
  ASSERT_OK(rig_build(rig), &rig->err);
  w->layout = rig_layout(rig, COUNT);
}

TEST(program_check, finds_copies_that_lead_nowhere) {
  across_t w;
  across_init(&w);
  berth_program_t *p = w.rig.program;
  ASSERT_TRUE(p != NULL && berth_program_check(p) == NULL);
  int32_t brought = *input_of(&w.rig, w.a, 0);
  EXPECT_EQ(p->slots[brought].space, 2);
  EXPECT_CAUGHT(p->slots[brought].space, BERTH_HOST_LANE + 1,
                berth_program_check(p), "a copy stays in one space");
  EXPECT_CAUGHT(p->slots[brought].dtype, BERTH_INT32, berth_program_check(p),
                "a copy changes the type");
  EXPECT_CAUGHT(p->slots[rig_slot(&w.rig, w.b)].is_copied, false,
                berth_program_check(p), "a copy reads what is not marked");
  EXPECT_CAUGHT(step_of(&w.rig, w.a)->device, 2, berth_program_check(p),
                "an input is in another space than its step");
  rig_clear(&w.rig);
}

// Every wait is needed: without any of them a step reads too early.
TEST(lanes_check, finds_every_wait_that_is_missing) {
  across_t w;
  across_init(&w);
  ASSERT_TRUE(w.layout != NULL && berth_layout_check(w.layout) == NULL);
  berth_lanes_t *lanes = w.layout->lanes;
  int waits = 0;
  for (int s = 0; s < w.rig.program->step_count; ++s) {
    berth_lane_step_t *step = &lanes->steps[s];
    for (int i = 0; i < step->wait_count; ++i, ++waits) {
      EXPECT_CAUGHT(step->wait_count, i, berth_layout_check(w.layout),
                    "a step does not wait for what it reads");
    }
  }
  EXPECT_TRUE(waits >= 4);
  rig_clear(&w.rig);
}

TEST(lanes_check, finds_what_is_wrong_with_lanes) {
  across_t w;
  across_init(&w);
  ASSERT_TRUE(w.layout != NULL);
  berth_layout_t *l = w.layout;
  berth_lanes_t *lanes = l->lanes;
  berth_lane_step_t *a = &lanes->steps[rig_step(&w.rig, w.a)];
  berth_lane_step_t *b = &lanes->steps[rig_step(&w.rig, w.b)];
  ASSERT_TRUE(lanes->range_count > 0 && lanes->event_count > 0);
  EXPECT_CAUGHT(a->lane, 1000, berth_layout_check(l), "a step is on no stream");
  EXPECT_CAUGHT(a->record, b->record, berth_layout_check(l),
                "an event is recorded twice");
  EXPECT_CAUGHT(b->record, -1, berth_layout_check(l),
                "a step waits for what is recorded later");
  EXPECT_CAUGHT(lanes->used_count, lanes->used_count - 1, berth_layout_check(l),
                "a stream with steps is not listed");
  EXPECT_CAUGHT(l->spots[rig_slot(&w.rig, w.b)].crosses, false,
                berth_layout_check(l), "a value of two streams is not marked");
  EXPECT_CAUGHT(lanes->ranges[0].end, lanes->ranges[0].begin,
                berth_layout_check(l), "ranges are not in order");
  EXPECT_CAUGHT(lanes->ranges[0].device, 3, berth_layout_check(l),
                "a range is on several streams");
  EXPECT_CAUGHT(lanes->range_count, 0, berth_layout_check(l),
                "a range begins nowhere");
  rig_clear(&w.rig);
}

// ---- Assertions ----

// What is broken ends the process in builds with assertions.
TEST(check, ends_the_process) {
#if defined(NDEBUG) && !defined(BERTH_CHECK)
  SKIP("assertions are off");
#endif
  across_t w;
  across_init(&w);
  ASSERT_TRUE(w.layout != NULL);
  w.layout->spots[rig_slot(&w.rig, w.b)].crosses = false;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    BERTH_ASSERT_SOUND(berth_layout_check(w.layout));
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  rig_clear(&w.rig);
}

// ---- Fans ----

TEST(layout_check, finds_what_is_wrong_with_fans) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = rig_feed(&rig), tops[2], firsts[2];
  for (int i = 0; i < 2; ++i) {
    firsts[i] = rig_op(&rig, "Sub", -1, (berth_out_t[]){x, x}, 2, NULL, 0);
    berth_out_t second =
        rig_op(&rig, "Sub", -1, (berth_out_t[]){firsts[i], x}, 2, NULL, 0);
    tops[i] = rig_op(&rig, "Sub", -1, (berth_out_t[]){second, x}, 2, NULL, 0);
  }
  rig_fetch(&rig, rig_add(&rig, -1, tops[0], tops[1]));
  ASSERT_OK(rig_build(&rig), &rig.err);
  berth_layout_t *l = rig_layout(&rig, COUNT);
  ASSERT_TRUE(l != NULL && l->fan_count == 1);
  berth_fan_t *fan = &l->fans[0];
  ASSERT_TRUE(fan->part_count == 2);
  const char *at_once = "two values have the same bytes at the same time";
  EXPECT_CAUGHT(fan->part_count, 1, berth_layout_check(l),
                "a fan has no parts");
  EXPECT_CAUGHT(fan->end, fan->end - 1, berth_layout_check(l),
                "the parts of a fan are not all of it");
  EXPECT_CAUGHT(fan->parts[1].begin, fan->parts[1].begin + 1,
                berth_layout_check(l),
                "the parts of a fan do not follow each other");
  EXPECT_CAUGHT(l->fan_count, 0, berth_layout_check(l), "a step begins no fan");
  EXPECT_CAUGHT(l->hot[fan->begin].how, BERTH_HOT_PLAIN, berth_layout_check(l),
                "a step begins no fan");
  EXPECT_CAUGHT(*input_of(&rig, tops[1], 1), rig_slot(&rig, firsts[0]),
                berth_fans_check(l), "a part of a fan needs another");
  EXPECT_CAUGHT(fan->parts[1].scratch_offset, fan->parts[0].scratch_offset,
                berth_layout_check(l), at_once);
  EXPECT_CAUGHT(l->spots[rig_slot(&rig, firsts[1])].offset,
                l->spots[rig_slot(&rig, firsts[0])].offset,
                berth_layout_check(l), at_once);
  EXPECT_CAUGHT(l->spots[rig_slot(&rig, tops[1])].offset,
                l->spots[rig_slot(&rig, firsts[0])].offset,
                berth_layout_check(l), at_once);
  EXPECT_CAUGHT(l->spots[rig_slot(&rig, firsts[1])].offset,
                (int64_t)fan->parts[0].scratch_offset / 256 * 256,
                berth_layout_check(l), at_once);
  rig_clear(&rig);
}
