// check_lanes.c - Whether the streams of a layout wait for each other.
//
// Every stream, and the host, has a clock: for each stream the last step that
// is known to be done there. An event carries the clock of its stream to
// whoever waits for it. Segments run in any order that their inputs allow, so
// each begins with clocks that know nothing.
#include "base/alloc.h"
#include "exec/check.h"
#include "exec/copy.h"
#include "exec/fuse.h"
#include "exec/lanes.h"
#include "exec/steady.h"

typedef struct clocks {
  const berth_layout_t *layout;
  const berth_program_t *program;
  const berth_lanes_t *lanes;
  int actors;        // Lanes, and the host as the last.
  int32_t *now;      // By actor, by actor: a step plus one.
  int32_t *events;   // By event, by actor.
  int32_t *step_of;  // By event: the step behind which it is recorded, or -1.
} clocks_t;

static int actor_of(const clocks_t *c, int32_t lane) {
  return lane == BERTH_HOST_LANE ? c->actors - 1 : lane;
}

static int32_t *row(const clocks_t *c, int32_t *rows, int index) {
  return rows + (size_t)index * (size_t)c->actors;
}

static void join(const clocks_t *c, int32_t *to, const int32_t *from) {
  for (int i = 0; i < c->actors; ++i) {
    if (from[i] > to[i]) to[i] = from[i];
  }
}

// ---- Who does what ----

// Returns the lane on which the value of root |slot| is written. Memory of a
// device that the host hands out may still be written by its compute stream.
static int32_t writer_lane(const clocks_t *c, int32_t slot) {
  int32_t producer = berth_layout_maker(c->layout, slot);
  int space = c->program->slots[slot].space;
  if (producer < 0) return BERTH_HOST_LANE;
  int32_t lane = c->lanes->steps[producer].lane;
  bool hands_out = lane == BERTH_HOST_LANE && space != BERTH_HOST_SPACE &&
                   !berth_layout_is_pinned(c->layout, slot);
  return hands_out ? (space - 1) * BERTH_LANES + BERTH_LANE_COMPUTE : lane;
}

// Returns the lane on which step |s| reads |slot|. What is in host memory is
// read when a kernel is queued; copies alone read it later.
static int32_t reader_lane(const clocks_t *c, int s, int32_t slot) {
  bool in_host = c->program->slots[slot].space == BERTH_HOST_SPACE;
  return in_host && !berth_is_copy(&c->program->steps[s])
             ? BERTH_HOST_LANE
             : c->lanes->steps[s].lane;
}

// ---- The walk ----

static const char *waits_walk(clocks_t *c, int s) {
  const berth_lane_step_t *step = &c->lanes->steps[s];
  for (int32_t i = 0; i < step->wait_count; ++i) {
    int32_t wait = c->lanes->waits[step->first_wait + i];
    int32_t event = wait < 0 ? ~wait : wait;
    BERTH_CHECK_THAT(event < c->lanes->event_count, "a step waits for nothing");
    BERTH_CHECK_THAT(wait < 0 || step->lane != BERTH_HOST_LANE,
                     "the host waits as a stream does");
    BERTH_CHECK_THAT(c->step_of[event] >= 0,
                     "a step waits for what is recorded later");
    int actor = wait < 0 ? c->actors - 1 : actor_of(c, step->lane);
    join(c, row(c, c->now, actor), row(c, c->events, event));
  }
  return NULL;
}

// I7: what step |s| reads is done, as far as its stream knows.
static const char *reads_walk(clocks_t *c, int s) {
  const berth_program_t *p = c->program;
  berth_reads_t reads = berth_layout_reads(c->layout, s);
  for (int i = 0; i < reads.count; ++i) {
    int32_t slot = reads.slots[i];
    int32_t root = c->layout->spots[slot].root;
    int32_t from = writer_lane(c, root), to = reader_lane(c, s, slot);
    const berth_spot_t *spot = &c->layout->spots[root];
    BERTH_CHECK_THAT(spot->storage != BERTH_STORE_ARENA || spot->crosses ||
                         from == c->lanes->steps[s].lane,
                     "a value of two streams is not marked");
    bool looks =
        to != BERTH_HOST_LANE || p->slots[slot].space == BERTH_HOST_SPACE;
    if (from == BERTH_HOST_LANE || from == to || !looks) continue;
    BERTH_CHECK_THAT(row(c, c->now, actor_of(c, to))[from] >
                         berth_layout_maker(c->layout, root),
                     "a step does not wait for what it reads");
  }
  return NULL;
}

static const char *record_walk(clocks_t *c, int s) {
  const berth_lane_step_t *step = &c->lanes->steps[s];
  if (step->record < 0) return NULL;
  BERTH_CHECK_THAT(
      step->record < c->lanes->event_count && c->step_of[step->record] < 0,
      "an event is recorded twice");
  int32_t lane = c->lanes->event_lanes[step->record];
  BERTH_CHECK_THAT(lane >= 0 && lane < c->actors - 1,
                   "an event is on no stream");
  BERTH_CHECK_THAT(step->lane == BERTH_HOST_LANE || step->lane == lane,
                   "an event is on another stream than its step");
  c->step_of[step->record] = s;
  int32_t *event = row(c, c->events, step->record);
  join(c, event, row(c, c->now, lane));
  event[lane] = s + 1;
  return NULL;
}

static const char *step_walk(clocks_t *c, int s) {
  const berth_lane_step_t *step = &c->lanes->steps[s];
  BERTH_CHECK_THAT(step->lane >= BERTH_HOST_LANE && step->lane < c->actors - 1,
                   "a step is on no stream");
  bool is_skipped = c->layout->hot[s].how == BERTH_HOT_SKIP;
  BERTH_CHECK_THAT(!is_skipped || (step->wait_count == 0 && step->record < 0),
                   "a step that is skipped has events");
  BERTH_CHECK_THAT(
      !c->program->steps[s].on_host || step->lane == BERTH_HOST_LANE,
      "a step of the host is on a stream");
  if (is_skipped) return NULL;
  BERTH_CHECK_TRY(waits_walk(c, s));
  // Nothing is queued before the host is past what it waited for.
  if (step->lane != BERTH_HOST_LANE) {
    join(c, row(c, c->now, step->lane), row(c, c->now, c->actors - 1));
  }
  BERTH_CHECK_TRY(reads_walk(c, s));
  return record_walk(c, s);
}

static const char *steps_walk(clocks_t *c) {
  const berth_program_t *p = c->program;
  size_t clocks = (size_t)c->actors * (size_t)c->actors;
  for (int t = 0; t < p->segment_count; ++t) {
    memset(c->now, 0, clocks * sizeof(*c->now));
    for (int s = p->segments[t].begin; s < p->segments[t].end; ++s) {
      BERTH_CHECK_TRY(step_walk(c, s));
    }
  }
  for (int e = 0; e < c->lanes->event_count; ++e) {
    BERTH_CHECK_THAT(c->step_of[e] >= 0, "an event is never recorded");
  }
  return NULL;
}

// ---- Ranges ----

static bool is_on_device(const berth_layout_t *layout, int s) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  berth_reads_t reads = berth_layout_reads(layout, s);
  for (int i = 0; i < reads.count + step->output_count; ++i) {
    bool is_read = i < reads.count;
    int32_t slot =
        is_read
            ? reads.slots[i]
            : p->args[step->first_arg + step->input_count + i - reads.count];
    bool never_changes =
        is_read && layout->spots[slot].storage == BERTH_STORE_SETTLED;
    if (p->slots[slot].space == BERTH_HOST_SPACE && !never_changes) {
      return false;
    }
  }
  return true;
}

static const char *range_check(const berth_layout_t *layout, int index) {
  const berth_range_t *range = &layout->lanes->ranges[index];
  const berth_lane_step_t *steps = layout->lanes->steps;
  BERTH_CHECK_THAT(range->begin < range->end &&
                       range->end <= layout->program->step_count &&
                       (index == 0 || range[-1].end <= range->begin),
                   "ranges are not in order");
  BERTH_CHECK_THAT(steps[range->begin].range == index,
                   "a step does not begin its range");
  for (int32_t s = range->begin; s < range->end; ++s) {
    if (layout->hot[s].how == BERTH_HOT_SKIP) continue;
    const berth_step_t *step = &layout->program->steps[s];
    bool can_be = berth_steady_is(layout, s) ||
                  (step->traits & BERTH_OP_NEVER_RECORDED) == 0;
    BERTH_CHECK_THAT(layout->hot[s].how == BERTH_HOT_PLAIN && can_be &&
                         !berth_is_copy(step) && !step->node->op->is_stateful,
                     "a range has a step that cannot be recorded");
    BERTH_CHECK_THAT(is_on_device(layout, s), "a range uses host memory");
    BERTH_CHECK_THAT(
        steps[s].lane == range->device * BERTH_LANES + BERTH_LANE_COMPUTE,
        "a range is on several streams");
    BERTH_CHECK_THAT(s == range->begin || steps[s].wait_count == 0,
                     "a range waits in the middle");
    BERTH_CHECK_THAT(s == range->end - 1 || steps[s].record < 0,
                     "a range records in the middle");
  }
  return NULL;
}

static const char *ranges_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  const berth_lanes_t *lanes = layout->lanes;
  int begun = 0, t = 0;
  for (int s = 0; s < p->step_count; ++s) begun += lanes->steps[s].range >= 0;
  BERTH_CHECK_THAT(begun == lanes->range_count, "a range begins nowhere");
  for (int i = 0; i < lanes->range_count; ++i) {
    BERTH_CHECK_TRY(range_check(layout, i));
    while (p->segments[t].end <= lanes->ranges[i].begin) ++t;
    BERTH_CHECK_THAT(lanes->ranges[i].end <= p->segments[t].end,
                     "a range is in two segments");
  }
  return NULL;
}

// ---- The whole ----

static bool is_used(const berth_lanes_t *lanes, int32_t lane) {
  for (int i = 0; i < lanes->used_count; ++i) {
    if (lanes->used[i] == lane) return true;
  }
  return lane == BERTH_HOST_LANE;
}

static const char *used_check(const berth_layout_t *layout) {
  const berth_lanes_t *lanes = layout->lanes;
  for (int s = 0; s < layout->program->step_count; ++s) {
    BERTH_CHECK_THAT(is_used(lanes, lanes->steps[s].lane),
                     "a stream with steps is not listed");
  }
  for (int e = 0; e < lanes->event_count; ++e) {
    BERTH_CHECK_THAT(is_used(lanes, lanes->event_lanes[e]),
                     "a stream with events is not listed");
  }
  return NULL;
}

const char *berth_lanes_check(const berth_layout_t *layout) {
  clocks_t c = {
      .layout = layout,
      .program = layout->program,
      .lanes = layout->lanes,
      .actors = layout->program->host->device_count * BERTH_LANES + 1};
  size_t actors = (size_t)c.actors;
  size_t events = (size_t)c.lanes->event_count;
  c.now = berth_calloc(actors * actors, sizeof(*c.now));
  c.events = berth_calloc(events * actors + 1, sizeof(*c.events));
  c.step_of = berth_alloc((events + 1) * sizeof(*c.step_of));
  const char *wrong = NULL;
  // What waits for what is known only to the walk where there are loops.
  bool is_straight = layout->program->flow == NULL;
  if (is_straight && c.now != NULL && c.events != NULL && c.step_of != NULL) {
    memset(c.step_of, 0xff, (events + 1) * sizeof(*c.step_of));
    wrong = steps_walk(&c);
  }
  berth_free(c.now);
  berth_free(c.events);
  berth_free(c.step_of);
  if (wrong == NULL) wrong = ranges_check(layout);
  return wrong != NULL ? wrong : used_check(layout);
}
