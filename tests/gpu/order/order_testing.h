// order_testing.h - Works out what a layout lets happen at the same time.
//
// Knows nothing of how lanes.c chooses events. Every stream, and the host, has
// a clock: for each other stream the last step that is known to be done there.
// The steps are walked in the order in which the host queues them; an event
// carries the clock of the stream it is recorded on to whoever waits for it.
//
//   lane 0   [ a ]──e1           clock of lane 1 before b: {0: a}
//   lane 1          └──>[ b ]
//
// Two steps that touch the same bytes, one of them writing, must know of each
// other. Those that do not are counted as races.
#ifndef BERTH_TESTS_GPU_ORDER_ORDER_TESTING_H_
#define BERTH_TESTS_GPU_ORDER_ORDER_TESTING_H_

#include "exec/copy.h"
#include "exec/lanes.h"
#include "harness.h"

enum { NOTHING_LEFT_OUT = -1 };

typedef struct order {
  const berth_layout_t *layout;
  const berth_program_t *program;
  const berth_lanes_t *lanes;
  int left_out;     // This entry of |waits| does not happen.
  int actors;       // Lanes, and the host as the last.
  int32_t *now;     // Clocks: by actor, by actor.
  int32_t *events;  // By event, by actor.
  int32_t *before;  // By step, by actor: what its own lane knew.
  int32_t *queued;  // The same for what the host knew.
  int edges;        // Values that go from one actor to another.
  int races;
} order_t;

static inline int host_of(const order_t *o) { return o->actors - 1; }

static inline int actor_of(const order_t *o, int32_t lane) {
  return lane == BERTH_HOST_LANE ? host_of(o) : lane;
}

static inline void clock_join(const order_t *o, int32_t *to,
                              const int32_t *from) {
  for (int i = 0; i < o->actors; ++i) to[i] = to[i] > from[i] ? to[i] : from[i];
}

static inline int32_t *clock_of(const order_t *o, int actor) {
  return o->now + (size_t)actor * (size_t)o->actors;
}

static inline int32_t *row_of(const order_t *o, int32_t *rows, int index) {
  return rows + (size_t)index * (size_t)o->actors;
}

static inline bool is_skipped(const order_t *o, int s) {
  return o->layout->hot[s].how == BERTH_HOT_SKIP;
}

// ---- Who touches what ----

// Bytes of an arena, or all of one value outside of arenas.
typedef struct bytes {
  int arena;  // -1: |begin| is a slot.
  int64_t begin, end;
} bytes_t;

static inline bytes_t bytes_of(const order_t *o, int32_t slot) {
  const berth_spot_t *place = &o->layout->spots[slot];
  if (place->storage != BERTH_STORE_ARENA) {
    return (bytes_t){-1, place->root, place->root + 1};
  }
  const berth_spot_t *root = &o->layout->spots[place->root];
  int64_t size =
      root->count * (int64_t)berth_dtype_size(o->program->slots[slot].dtype);
  return (bytes_t){root->arena, root->offset, root->offset + size};
}

static inline bool overlap(bytes_t a, bytes_t b) {
  return a.arena == b.arena && a.begin < b.end && b.begin < a.end;
}

static inline bool is_pinned(const order_t *o, int32_t slot) {
  const berth_spot_t *place = &o->layout->spots[o->layout->spots[slot].root];
  return place->storage == BERTH_STORE_ARENA &&
         place->arena == berth_layout_pinned(o->layout);
}

// Who reads argument |slot| of step |s|; -1: nobody, it is only handed on.
static inline int reader_of(const order_t *o, int s, int32_t slot) {
  int actor = actor_of(o, o->lanes->steps[s].lane);
  bool in_host = o->program->slots[slot].space == BERTH_HOST_SPACE;
  // What is in host memory is read when a kernel is queued, not when it runs.
  if (in_host && !berth_is_copy(&o->program->steps[s])) return host_of(o);
  return actor == host_of(o) && !in_host && !is_pinned(o, slot) ? -1 : actor;
}

// Who has written the output |slot| of step |s|. Memory of a device that the
// host hands out may still be written by the device's compute stream.
static inline int writer_of(const order_t *o, int s, int32_t slot) {
  int actor = actor_of(o, o->lanes->steps[s].lane);
  int space = o->program->slots[slot].space;
  if (actor != host_of(o) || space == BERTH_HOST_SPACE || is_pinned(o, slot)) {
    return actor;
  }
  return (space - 1) * BERTH_LANES + BERTH_LANE_COMPUTE;
}

// ---- Walking ----

static inline void walk_waits(order_t *o, int s) {
  const berth_lane_step_t *step = &o->lanes->steps[s];
  for (int32_t i = step->first_wait; i < step->first_wait + step->wait_count;
       ++i) {
    if (i == o->left_out) continue;
    int32_t wait = o->lanes->waits[i];
    int actor = wait < 0 ? host_of(o) : actor_of(o, step->lane);
    int32_t event = wait < 0 ? ~wait : wait;
    clock_join(o, clock_of(o, actor), row_of(o, o->events, event));
  }
}

static inline void walk_step(order_t *o, int s) {
  const berth_step_t *step = &o->program->steps[s];
  const berth_lane_step_t *lane = &o->lanes->steps[s];
  int actor = actor_of(o, lane->lane);
  int32_t *clock = clock_of(o, actor);
  walk_waits(o, s);
  // Nothing is queued before the host has gone past what it waited for.
  clock_join(o, clock, clock_of(o, host_of(o)));
  clock_join(o, row_of(o, o->before, s), clock);
  clock_join(o, row_of(o, o->queued, s), clock_of(o, host_of(o)));
  clock[actor] = s + 1;
  for (int i = 0; i < step->output_count; ++i) {
    int32_t slot = o->program->args[step->first_arg + step->input_count + i];
    if (slot < 0) continue;
    int writer = writer_of(o, s, slot);
    clock_of(o, writer)[writer] = s + 1;
  }
  if (lane->record < 0) return;
  int on = actor_of(o, o->lanes->event_lanes[lane->record]);
  clock_join(o, row_of(o, o->events, lane->record), clock_of(o, on));
}

// True when |actor| knew at step |s| that |other| had done step |earlier|.
static inline bool knows(const order_t *o, int actor, int s, int other,
                         int earlier) {
  if (actor == other) return true;
  int32_t *rows = actor == host_of(o) ? o->queued : o->before;
  return other == host_of(o) || row_of(o, rows, s)[other] > earlier;
}

// ---- Checking ----

typedef struct access {
  int actor;
  int32_t slot;
  bool writes;
} access_t;

// Lists what step |s| touches: returns how much.
static inline int accesses_of(const order_t *o, int s, access_t *out,
                              int most) {
  const berth_step_t *step = &o->program->steps[s];
  int count = 0, total = step->input_count + step->output_count;
  for (int i = 0; i < total && count < most; ++i) {
    int32_t slot = o->program->args[step->first_arg + i];
    if (slot < 0) continue;
    bool writes = i >= step->input_count;
    int actor = writes ? writer_of(o, s, slot) : reader_of(o, s, slot);
    if (actor >= 0) out[count++] = (access_t){actor, slot, writes};
  }
  return count;
}

enum { MOST_ACCESSES = 16 };

static inline void check_pair(order_t *o, int earlier, int s) {
  access_t a[MOST_ACCESSES], b[MOST_ACCESSES];
  int a_count = accesses_of(o, earlier, a, MOST_ACCESSES);
  int b_count = accesses_of(o, s, b, MOST_ACCESSES);
  for (int i = 0; i < a_count; ++i) {
    for (int j = 0; j < b_count; ++j) {
      if (!a[i].writes && !b[j].writes) continue;
      if (!overlap(bytes_of(o, a[i].slot), bytes_of(o, b[j].slot))) continue;
      o->edges += a[i].actor != b[j].actor;
      o->races += !knows(o, b[j].actor, s, a[i].actor, earlier);
    }
  }
}

// What is recorded as one piece is not interrupted by events.
static inline void check_range(const order_t *o, const berth_range_t *range) {
  for (int32_t s = range->begin; s < range->end; ++s) {
    const berth_lane_step_t *step = &o->lanes->steps[s];
    if (is_skipped(o, s)) continue;
    EXPECT_EQ(step->lane, o->lanes->steps[range->begin].lane);
    if (s > range->begin) EXPECT_EQ(step->wait_count, 0);
    if (s < range->end - 1) EXPECT_EQ(step->record, -1);
  }
}

// Fills in |edges| and |races| of |layout| without the wait |left_out|.
static inline order_t order_check(const berth_layout_t *layout, int left_out) {
  order_t o = {.layout = layout,
               .program = layout->program,
               .lanes = layout->lanes,
               .left_out = left_out,
               .actors = layout->program->host->device_count * BERTH_LANES + 1};
  size_t actors = (size_t)o.actors, steps = (size_t)o.program->step_count;
  o.now = calloc(actors * actors, sizeof(int32_t));
  o.events =
      calloc(((size_t)o.lanes->event_count + 1) * actors, sizeof(int32_t));
  o.before = calloc((steps + 1) * actors, sizeof(int32_t));
  o.queued = calloc((steps + 1) * actors, sizeof(int32_t));
  for (int s = 0; s < o.program->step_count; ++s) {
    if (is_skipped(&o, s)) continue;
    walk_step(&o, s);
    for (int earlier = 0; earlier < s; ++earlier) {
      if (!is_skipped(&o, earlier)) check_pair(&o, earlier, s);
    }
  }
  for (int i = 0; i < o.lanes->range_count; ++i) {
    check_range(&o, &o.lanes->ranges[i]);
  }
  free(o.now);
  free(o.events);
  free(o.before);
  free(o.queued);
  return o;
}

// Returns how many waits |layout| has.
static inline int wait_count(const berth_layout_t *layout) {
  int count = 0;
  for (int s = 0; s < layout->program->step_count; ++s) {
    count += layout->lanes->steps[s].wait_count;
  }
  return count;
}

// Leaves out each wait in turn; returns how often that made a race.
static inline int count_caught(const berth_layout_t *layout) {
  int caught = 0;
  for (int i = 0; i < wait_count(layout); ++i) {
    caught += order_check(layout, i).races > 0;
  }
  return caught;
}

#endif  // BERTH_TESTS_GPU_ORDER_ORDER_TESTING_H_
