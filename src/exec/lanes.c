// lanes.c - Which stream each step is queued on, and what waits for what.
#include "exec/lanes.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/flow.h"
#include "exec/fuse.h"
#include "exec/steady.h"

typedef struct linker {
  berth_layout_t *layout;
  const berth_program_t *program;
  berth_lanes_t *lanes;
  size_t wait_capacity;
  // By pair of lanes: the last step of the second that the first has waited
  // for, in this segment. The host counts as the last lane.
  int32_t *waited;
  int lane_count;
} linker_t;

static int32_t lane_of(int device, berth_lane_t lane) {
  return (int32_t)device * BERTH_LANES + (int32_t)lane;
}

// ---- Lanes ----

// A copy whose target was allocated for this run goes to the compute stream of
// the device that owns the target: the memory may be in use there still.
static int32_t copy_lane(const berth_layout_t *layout,
                         const berth_step_t *step) {
  const berth_program_t *p = layout->program;
  int32_t from = p->args[step->first_arg], to = p->args[step->first_arg + 1];
  int from_space = p->slots[from].space, to_space = p->slots[to].space;
  const berth_spot_t *target = &layout->spots[to];
  BERTH_ASSERT(from_space != to_space);
  if (to_space == BERTH_HOST_SPACE) {
    return lane_of(step->device, BERTH_LANE_OUT);
  }
  if (berth_layout_is_pinned(layout, to)) return BERTH_HOST_LANE;
  if (target->storage != BERTH_STORE_ARENA) {
    return lane_of(to_space - 1, BERTH_LANE_COMPUTE);
  }
  return from_space == BERTH_HOST_SPACE
             ? lane_of(to_space - 1, BERTH_LANE_IN)
             : lane_of(step->device, BERTH_LANE_PEER);
}

static int32_t step_lane(const berth_layout_t *layout, int s) {
  const berth_step_t *step = &layout->program->steps[s];
  const berth_hot_step_t *hot = &layout->hot[s];
  if (step->on_host || hot->how == BERTH_HOT_SKIP) return BERTH_HOST_LANE;
  if (hot->how != BERTH_HOT_LATE && berth_is_copy(step)) {
    return copy_lane(layout, step);
  }
  return lane_of(step->device, BERTH_LANE_COMPUTE);
}

// Returns the lane on which the value of |slot| appears.
static int32_t producer_lane(const berth_layout_t *layout, int32_t slot) {
  const berth_program_t *p = layout->program;
  int32_t step = berth_layout_maker(layout, slot);
  if (step < 0) return BERTH_HOST_LANE;
  int32_t lane = layout->lanes->steps[step].lane;
  int space = p->slots[slot].space;
  // Pinned memory that the host filled is there when the host goes on.
  if (lane == BERTH_HOST_LANE && space != BERTH_HOST_SPACE &&
      !berth_layout_is_pinned(layout, slot)) {
    return lane_of(space - 1, BERTH_LANE_COMPUTE);
  }
  return lane;
}

// Marks roots that several lanes use: nobody may share their bytes. What is in
// pinned memory is there for host and device.
static void crossings_mark(berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  for (int i = 0; i < p->slot_count; ++i) {
    layout->spots[i].crosses =
        layout->spots[i].arena == berth_layout_pinned(layout);
  }
  for (int s = 0; s < p->step_count; ++s) {
    if (layout->hot[s].how == BERTH_HOT_SKIP) continue;
    int32_t lane = layout->lanes->steps[s].lane;
    berth_reads_t reads = berth_layout_reads(layout, s);
    for (int i = 0; i < reads.count; ++i) {
      int32_t root = layout->spots[reads.slots[i]].root;
      if (producer_lane(layout, root) != lane) {
        layout->spots[root].crosses = true;
      }
    }
  }
}

berth_code_t berth_lanes_create(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  berth_lanes_t *lanes = berth_arena_calloc(&layout->arena, 1, sizeof(*lanes));
  if (lanes == NULL) return berth_error_no_memory(err, "a layout");
  size_t steps = (size_t)p->step_count + 1;
  lanes->steps =
      berth_arena_calloc(&layout->arena, steps, sizeof(*lanes->steps));
  int lane_count = p->host->device_count * BERTH_LANES;
  lanes->used = berth_arena_calloc(&layout->arena, (size_t)lane_count + 1,
                                   sizeof(*lanes->used));
  if (lanes->steps == NULL || lanes->used == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  layout->lanes = lanes;
  for (int s = 0; s < p->step_count; ++s) {
    lanes->steps[s] = (berth_lane_step_t){
        .lane = step_lane(layout, s), .record = -1, .range = -1};
  }
  crossings_mark(layout);
  return BERTH_OK;
}

// ---- Events ----

static berth_code_t wait_add(linker_t *l, int s, int32_t event,
                             berth_error_t *err) {
  berth_lane_step_t *step = &l->lanes->steps[s];
  size_t count = (size_t)(step->first_wait + step->wait_count);
  int32_t *waits =
      berth_grow(l->lanes->waits, count, &l->wait_capacity, sizeof(*waits));
  if (waits == NULL) return berth_error_no_memory(err, "a layout");
  l->lanes->waits = waits;
  waits[count] = event;
  ++step->wait_count;
  return BERTH_OK;
}

static int32_t *waited_of(const linker_t *l, int32_t waiter, int32_t lane) {
  int32_t row = waiter == BERTH_HOST_LANE ? l->lane_count : waiter;
  return &l->waited[row * l->lane_count + lane];
}

// Makes step |s| wait for the value of |slot|, if that is needed.
static berth_code_t input_link(linker_t *l, int s, int32_t slot,
                               berth_error_t *err) {
  int32_t root = l->layout->spots[slot].root;
  int32_t producer = berth_layout_maker(l->layout, root);
  int32_t from = producer_lane(l->layout, root);
  int32_t lane = l->lanes->steps[s].lane;
  bool in_host = l->program->slots[slot].space == BERTH_HOST_SPACE;
  // Host memory is read when a kernel is queued; only copies read it later.
  if (in_host && !berth_is_copy(&l->program->steps[s])) lane = BERTH_HOST_LANE;
  // Streams wait for those of their own backend; for others the host does.
  if (lane != BERTH_HOST_LANE && from != BERTH_HOST_LANE &&
      !berth_spaces_are_near(l->program->host, lane / BERTH_LANES + 1,
                             from / BERTH_LANES + 1)) {
    in_host = true;
    lane = BERTH_HOST_LANE;
  }
  // The host hands device memory on without looking into it.
  bool looks = lane != BERTH_HOST_LANE || in_host;
  if (producer < 0 || from == BERTH_HOST_LANE || from == lane || !looks) {
    return BERTH_OK;
  }
  int32_t *waited = waited_of(l, lane, from);
  if (*waited >= producer) return BERTH_OK;
  *waited = producer;
  berth_lane_step_t *maker = &l->lanes->steps[producer];
  if (maker->record < 0) {
    maker->record = l->lanes->event_count++;
    l->lanes->event_lanes[maker->record] = from;
  }
  int32_t event = maker->record;
  return wait_add(l, s, lane == BERTH_HOST_LANE ? ~event : event, err);
}

static berth_code_t step_link(linker_t *l, int s, int32_t first_wait,
                              berth_error_t *err) {
  l->lanes->steps[s].first_wait = first_wait;
  if (l->layout->hot[s].how == BERTH_HOT_SKIP) return BERTH_OK;
  berth_reads_t reads = berth_layout_reads(l->layout, s);
  for (int i = 0; i < reads.count; ++i) {
    BERTH_TRY(input_link(l, s, reads.slots[i], err));
  }
  return BERTH_OK;
}

static void waited_clear(linker_t *l) {
  for (int i = 0; i < (l->lane_count + 1) * l->lane_count; ++i) {
    l->waited[i] = -1;
  }
}

// Segments run in any order that their inputs allow, so what one has waited for
// says nothing about another.
static berth_code_t events_link(linker_t *l, berth_error_t *err) {
  int32_t first_wait = 0;
  for (int t = 0; t < l->program->segment_count; ++t) {
    const berth_segment_t *segment = &l->program->segments[t];
    waited_clear(l);
    for (int s = segment->begin; s < segment->end; ++s) {
      BERTH_TRY(step_link(l, s, first_wait, err));
      first_wait += l->lanes->steps[s].wait_count;
    }
  }
  return BERTH_OK;
}

// ---- Ranges ----

// True when step |s| does nothing on the host when it is queued: it writes no
// host memory, and reads none but what never changes.
static bool is_device_work(const berth_layout_t *layout, int s) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  berth_reads_t reads = berth_layout_reads(layout, s);
  for (int i = 0; i < reads.count; ++i) {
    int32_t slot = reads.slots[i];
    bool is_settled = layout->spots[slot].storage == BERTH_STORE_SETTLED;
    if (p->slots[slot].space == BERTH_HOST_SPACE && !is_settled) return false;
  }
  for (int i = 0; i < step->output_count; ++i) {
    int32_t slot = p->args[step->first_arg + step->input_count + i];
    if (p->slots[slot].space == BERTH_HOST_SPACE) return false;
  }
  return true;
}

// True when step |s| is a copy that recordings are told the addresses of.
static bool is_moved(const berth_layout_t *layout, int s) {
  if (!berth_steady_is(layout, s)) return false;
  int index = layout->program->steps[s].device;
  berth_device_t *device = layout->program->host->devices[index].device;
  return device->backend->streams->records_copies(device);
}

static bool is_recorded(const berth_layout_t *layout, int s) {
  const berth_step_t *step = &layout->program->steps[s];
  if (is_moved(layout, s)) return true;
  return layout->hot[s].how == BERTH_HOT_PLAIN &&
         (step->traits & BERTH_OP_NEVER_RECORDED) == 0 &&
         !step->node->op->is_stateful && !berth_is_copy(step) &&
         is_device_work(layout, s) &&
         layout->lanes->steps[s].lane ==
             lane_of(step->device, BERTH_LANE_COMPUTE);
}

// Returns the end of the range that begins at |begin|, at most |end|.
static int32_t range_end(const berth_layout_t *layout, int32_t begin,
                         int32_t end) {
  const berth_lane_step_t *steps = layout->lanes->steps;
  int32_t s = begin, last = begin, copies = 0;
  for (; s < end; ++s) {
    if (layout->hot[s].how == BERTH_HOT_SKIP) continue;
    copies += berth_steady_is(layout, s);
    if (!is_recorded(layout, s) || steps[s].lane != steps[begin].lane ||
        copies > BERTH_RANGE_COPIES || (s > begin && steps[s].wait_count > 0)) {
      break;
    }
    last = s + 1;
    if (steps[s].record >= 0) break;
  }
  return last;
}

// True when something but copies is done from |begin| on, before |end|: those
// alone are queued as one anyway.
static bool is_worth_recording(const berth_layout_t *layout, int32_t begin,
                               int32_t end) {
  for (int32_t s = begin; s < end; ++s) {
    if (layout->hot[s].how != BERTH_HOT_SKIP && !berth_steady_is(layout, s)) {
      return true;
    }
  }
  return false;
}

static berth_code_t ranges_find(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  berth_lanes_t *lanes = layout->lanes;
  lanes->ranges = berth_arena_alloc(
      &layout->arena, ((size_t)p->step_count + 1) * sizeof(*lanes->ranges));
  if (lanes->ranges == NULL) return berth_error_no_memory(err, "a layout");
  for (int t = 0; t < p->segment_count; ++t) {
    int32_t s = p->segments[t].begin;
    while (s < p->segments[t].end) {
      if (!is_recorded(layout, s)) {
        ++s;
        continue;
      }
      int32_t end = range_end(layout, s, p->segments[t].end);
      if (is_worth_recording(layout, s, end)) {
        lanes->steps[s].range = lanes->range_count;
        lanes->ranges[lanes->range_count++] =
            (berth_range_t){s, end, p->steps[s].device};
      }
      s = end;
    }
  }
  return BERTH_OK;
}

// Says that the compute streams of all devices are used that values of |p| are
// on.
static void values_use(const berth_program_t *p, bool *is_used) {
  for (int i = 0; i < p->slot_count; ++i) {
    int space = p->slots[i].space;
    if (space == BERTH_HOST_SPACE) continue;
    is_used[lane_of(space - 1, BERTH_LANE_COMPUTE)] = true;
  }
}

// Returns the device whose memory step |s| copies from; -1: it does not.
static int copied_device(const berth_program_t *p, int s) {
  const berth_step_t *step = &p->steps[s];
  return berth_is_copy(step) ? p->slots[p->args[step->first_arg]].space - 1
                             : -1;
}

// Says that the compute streams of all devices are used that |p| copies to others:
// what those make next comes after the copies.
static void sources_use(const berth_program_t *p, bool *is_used) {
  for (int s = 0; s < p->step_count; ++s) {
    int from = copied_device(p, s);
    if (from < 0 || p->steps[s].host_outputs != NULL) continue;
    is_used[lane_of(from, BERTH_LANE_COMPUTE)] = true;
  }
}

static bool is_fed_on(const berth_program_t *p, int device) {
  const int16_t *spaces = p->signature.feed_spaces;
  for (int i = 0; spaces != NULL && i < p->signature.feed_count; ++i) {
    if (spaces[i] - 1 == device) return true;
  }
  return false;
}

// Lists the devices that something is fed on and something is copied from: that
// may be what is fed, under another name.
static berth_code_t fed_list(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  berth_lanes_t *lanes = layout->lanes;
  size_t devices = (size_t)p->host->device_count;
  bool *is_source = berth_calloc(devices + 1, sizeof(*is_source));
  lanes->fed =
      berth_arena_calloc(&layout->arena, devices + 1, sizeof(*lanes->fed));
  if (is_source == NULL || lanes->fed == NULL) {
    berth_free(is_source);
    return berth_error_no_memory(err, "a layout");
  }
  for (int s = 0; s < p->step_count; ++s) {
    int from = copied_device(p, s);
    if (from >= 0) is_source[from] = true;
  }
  for (int d = 0; d < p->host->device_count; ++d) {
    if (!is_source[d] || !is_fed_on(p, d)) continue;
    lanes->fed[lanes->fed_count++] = lane_of(d, BERTH_LANE_COMPUTE);
  }
  berth_free(is_source);
  return BERTH_OK;
}

// Lists the lanes that steps or events are on. Where there is a walk to do the
// waiting, it may wait for every device that a value is on.
static void used_list(berth_layout_t *layout, bool *is_used, int lane_count) {
  berth_lanes_t *lanes = layout->lanes;
  const berth_program_t *p = layout->program;
  if (p->flow != NULL) values_use(p, is_used);
  for (int i = 0; p->flow != NULL && i < p->flow->block_count; ++i) {
    values_use(p->flow->blocks[i].program, is_used);
  }
  sources_use(p, is_used);
  for (int s = 0; s < layout->program->step_count; ++s) {
    if (lanes->steps[s].lane >= 0) is_used[lanes->steps[s].lane] = true;
  }
  for (int e = 0; e < lanes->event_count; ++e) {
    is_used[lanes->event_lanes[e]] = true;
  }
  for (int32_t lane = 0; lane < lane_count; ++lane) {
    if (is_used[lane]) lanes->used[lanes->used_count++] = lane;
  }
}

berth_code_t berth_lanes_connect(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  linker_t l = {.layout = layout,
                .program = p,
                .lanes = layout->lanes,
                .lane_count = p->host->device_count * BERTH_LANES};
  size_t lane_count = (size_t)l.lane_count;
  l.waited = berth_alloc((lane_count + 1) * lane_count * sizeof(*l.waited));
  layout->lanes->event_lanes = berth_arena_alloc(
      &layout->arena, ((size_t)p->step_count + 1) * sizeof(int32_t));
  bool *is_used = berth_calloc(lane_count + 1, sizeof(*is_used));
  berth_code_t code = BERTH_OK;
  if (l.waited == NULL || layout->lanes->event_lanes == NULL ||
      is_used == NULL) {
    code = berth_error_no_memory(err, "a layout");
  }
  // With conditionals and loops the walk waits where it has to (flow_run.c).
  bool is_straight = p->flow == NULL;
  if (code == BERTH_OK && is_straight) code = events_link(&l, err);
  if (code == BERTH_OK) code = ranges_find(layout, err);
  if (code == BERTH_OK) code = fed_list(layout, err);
  if (code == BERTH_OK) used_list(layout, is_used, l.lane_count);
  berth_free(is_used);
  berth_free(l.waited);
  return code;
}
