// replay.c - Ranges of steps that were recorded, and are replayed.
#include "exec/replay.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "device/device.h"
#include "device/epoch.h"
#include "exec/fuse.h"
#include "exec/run_internal.h"
#include "exec/steady.h"

// How many recordings a range keeps, and for how many runs it rests at most
// after one that was of no use.
enum { KEPT = 4, LONGEST_REST = 1024 };

// A range as it was recorded.
typedef struct recorded {
  berth_recording_t *recording;  // NULL: none.
  void **args;                   // Every address it was recorded with.
  uint64_t epoch;                // Of the settings of devices.
  uint64_t used;                 // When, in runs of the range.
  bool was_replayed;
} recorded_t;

// What is known of one range.
typedef struct state {
  recorded_t kept[KEPT];
  uint64_t runs;
  uint64_t rests_until;  // Nothing is recorded before this run.
  uint32_t rest;         // How long it rests after the next recording in vain.
} state_t;

struct berth_replays {
  const berth_layout_t *layout;  // Borrowed.
  state_t *states;               // By range.
  int64_t count;                 // Of replays.
};

int64_t berth_replays_count(const berth_replays_t *replays) {
  return replays->count;
}

static berth_device_t *range_device(const berth_layout_t *layout, int range) {
  int device = layout->lanes->ranges[range].device;
  return layout->program->host->devices[device].device;
}

// ---- Life ----

berth_replays_t *berth_replays_create(const berth_layout_t *layout) {
  berth_replays_t *replays = berth_calloc(1, sizeof(*replays));
  if (replays == NULL) return NULL;
  size_t count = (size_t)layout->lanes->range_count + 1;
  replays->layout = layout;
  replays->states = berth_calloc(count, sizeof(*replays->states));
  if (replays->states != NULL) return replays;
  berth_free(replays);
  return NULL;
}

static void recording_drop(const berth_replays_t *replays, int range,
                           recorded_t *recorded) {
  berth_device_t *device = range_device(replays->layout, range);
  device->backend->streams->recording_destroy(recorded->recording);
  recorded->recording = NULL;
}

void berth_replays_destroy(berth_replays_t *replays) {
  if (replays == NULL) return;
  for (int i = 0; i < replays->layout->lanes->range_count; ++i) {
    for (int k = 0; k < KEPT; ++k) {
      recorded_t *recorded = &replays->states[i].kept[k];
      recording_drop(replays, i, recorded);
      berth_free(recorded->args);
    }
  }
  berth_free(replays->states);
  berth_free(replays);
}

// ---- Addresses ----

// Returns how many addresses of step |s| a recording depends on: none when it is
// skipped, or is told where it copies whenever it is replayed.
static size_t step_args(const berth_layout_t *layout, int32_t s) {
  const berth_step_t *step = &layout->program->steps[s];
  const berth_group_t *group = berth_group_of(layout, s);
  if (layout->hot[s].how == BERTH_HOT_SKIP || berth_steady_is(layout, s)) {
    return 0;
  }
  if (group != NULL) {
    return (size_t)(group->input_count + group->output_count) + 1;
  }
  return (size_t)(step->input_count + step->output_count) + 1;
}

// True when every address of |range| is as it was recorded.
static bool is_same(const berth_runner_t *r, const berth_range_t *range,
                    const recorded_t *recorded) {
  void *const *known = recorded->args;
  for (int32_t s = range->begin; s < range->end; ++s) {
    size_t count = step_args(r->layout, s);
    if (memcmp(known, r->frame->args + r->layout->hot[s].first_arg,
               count * sizeof(*known)) != 0) {
      return false;
    }
    known += count;
  }
  return true;
}

// Remembers the addresses of |range|. False when memory is short.
static bool remember(const berth_runner_t *r, const berth_range_t *range,
                     recorded_t *recorded) {
  size_t total = 0;
  for (int32_t s = range->begin; s < range->end; ++s) {
    total += step_args(r->layout, s);
  }
  if (recorded->args == NULL) {
    recorded->args = berth_alloc(total * sizeof(*recorded->args));
    if (recorded->args == NULL) return false;
  }
  void **known = recorded->args;
  for (int32_t s = range->begin; s < range->end; ++s) {
    size_t count = step_args(r->layout, s);
    memcpy(known, r->frame->args + r->layout->hot[s].first_arg,
           count * sizeof(*known));
    known += count;
  }
  return true;
}

// ---- Recording ----

// Queues the steps of |range| on |stream| one by one.
static berth_code_t range_queue(berth_runner_t *r, const berth_range_t *range,
                                berth_stream_t *stream, berth_call_t *call) {
  call->stream = stream;
  for (int32_t s = range->begin; s < range->end; ++s) {
    const berth_hot_step_t *hot = &r->layout->hot[s];
    if (hot->how == BERTH_HOT_SKIP) continue;
    int32_t copies = berth_steady_row(r->layout, s, range->end);
    if (copies > 0) {
      BERTH_TRY(berth_steady_queue(r->layout, r->frame->args, s, copies, stream,
                                   call->err));
      s += copies - 1;
      continue;
    }
    call->node = hot->node;
    berth_code_t code =
        hot->run(hot->plan, r->frame->args + hot->first_arg, call);
    if (code != BERTH_OK) {
      berth_step_blame(&r->program->steps[s], call->err);
      return code;
    }
  }
  return BERTH_OK;
}

// Returns the recording that fits, or NULL.
static recorded_t *recording_find(const berth_runner_t *r, state_t *state,
                                  const berth_range_t *range) {
  uint64_t epoch = berth_device_epoch();
  for (int k = 0; k < KEPT; ++k) {
    recorded_t *recorded = &state->kept[k];
    if (recorded->recording != NULL && recorded->epoch == epoch &&
        is_same(r, range, recorded)) {
      return recorded;
    }
  }
  return NULL;
}

// Returns where the next recording goes: an empty place, or that of the one
// that was not used for longest.
static recorded_t *place_find(state_t *state) {
  recorded_t *found = &state->kept[0];
  for (int k = 0; k < KEPT; ++k) {
    recorded_t *recorded = &state->kept[k];
    if (recorded->recording == NULL) return recorded;
    if (recorded->used < found->used) found = recorded;
  }
  return found;
}

// Says that the recording in |place| makes room: when it was of no use, the
// range rests.
static void rest(state_t *state, const recorded_t *place) {
  if (place->recording == NULL) return;
  if (place->was_replayed) {
    state->rest = 0;
    return;
  }
  state->rest = state->rest == 0             ? KEPT
                : state->rest < LONGEST_REST ? state->rest * 2
                                             : LONGEST_REST;
  state->rests_until = state->runs + state->rest;
}

// Records range |index|. Where that cannot be done nothing is lost but the
// time: NULL, and if the device has failed queueing step by step says so.
static recorded_t *range_record(berth_runner_t *r, berth_replays_t *replays,
                                int index, berth_call_t *call) {
  const berth_range_t *range = &r->layout->lanes->ranges[index];
  state_t *state = &replays->states[index];
  recorded_t *place = place_find(state);
  rest(state, place);
  recording_drop(replays, index, place);
  if (!remember(r, range, place)) return NULL;
  berth_device_t *device = range_device(r->layout, index);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_error_t *err = call->err;
  berth_stream_t *stream = NULL;
  call->err = NULL;
  place->epoch = berth_device_epoch();
  place->was_replayed = false;
  if (ops->record_begin(device, &stream, NULL) == BERTH_OK) {
    berth_code_t code = range_queue(r, range, stream, call);
    berth_code_t end = ops->record_end(
        stream, code == BERTH_OK ? &place->recording : NULL, NULL);
    if (code != BERTH_OK || end != BERTH_OK) place->recording = NULL;
  }
  call->err = err;
  return place->recording != NULL ? place : NULL;
}

// Queues |recorded| on |stream|, with what it copies in this run.
static berth_code_t replay(const berth_runner_t *r, const berth_range_t *range,
                           berth_recording_t *recording, berth_stream_t *stream,
                           berth_error_t *err) {
  berth_near_copy_t copies[BERTH_RANGE_COPIES];
  int count = 0;
  for (int32_t s = range->begin; s < range->end; ++s) {
    if (!berth_steady_is(r->layout, s)) continue;
    count += berth_steady_copy(r->layout, r->frame->args, s, &copies[count]);
  }
  const berth_stream_ops_t *ops = stream->device->backend->streams;
  return ops->replay(stream, recording, copies, count, err);
}

berth_code_t berth_range_run(berth_runner_t *r, berth_replays_t *replays,
                             int index, berth_stream_t *stream,
                             berth_call_t *call) {
  const berth_range_t *range = &r->layout->lanes->ranges[index];
  BERTH_ASSERT(replays->layout == r->layout);
  state_t *state = &replays->states[index];
  recorded_t *recorded = recording_find(r, state, range);
  bool is_known = recorded != NULL;
  if (!is_known && state->runs > 0 && state->runs >= state->rests_until) {
    recorded = range_record(r, replays, index, call);
  }
  ++state->runs;
  if (recorded == NULL) return range_queue(r, range, stream, call);
  berth_code_t code = replay(r, range, recorded->recording, stream, call->err);
  if (code == BERTH_ABORTED) {
    // The device was reset since: what was recorded is gone.
    berth_error_clear(call->err);
    recording_drop(replays, index, recorded);
    return range_queue(r, range, stream, call);
  }
  recorded->used = state->runs;
  recorded->was_replayed = recorded->was_replayed || is_known;
  ++replays->count;
  return code;
}
