// queue.c - Running steps that are queued on devices.
#include "exec/queue.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/lanes.h"
#include "exec/run_internal.h"

// A range whose addresses have changed this often is not recorded again.
enum { MAX_RECORDINGS = 4 };

// How a run waits for a device: it asks without a pause for as long as a short
// run takes, looking at what may end it every so many times.
enum { QUEUED_EVERY = 32 };
enum { SPIN_NS = 2000000, NAP_NS = 100000, LOOK_EVERY = 64 };

// A range as it was recorded.
typedef struct recorded {
  berth_recording_t *recording;  // NULL: none yet.
  void **args;                   // Every address it was recorded with.
  bool was_run;                  // Once, step by step.
  int8_t count;                  // How often it was recorded.
} recorded_t;

struct berth_queue {
  berth_layout_t *layout;    // Borrowed.
  berth_stream_t **streams;  // By lane; NULL where nothing is queued.
  berth_event_t **events;
  recorded_t *recorded;  // By range.
  bool is_late;          // The rest of this run is queued step by step.
  // Of a traced run, by step: when it began and ended; 0: it did not.
  int64_t (*stamps)[2];
};

static berth_device_t *lane_device(const berth_queue_t *q, int32_t lane) {
  return q->layout->program->host->devices[lane / BERTH_LANES].device;
}

static const berth_stream_ops_t *lane_ops(const berth_queue_t *q,
                                          int32_t lane) {
  return lane_device(q, lane)->backend->streams;
}

// ---- Life ----

berth_code_t berth_queue_create(berth_layout_t *layout,
                                berth_queue_t **out_queue, berth_error_t *err) {
  const berth_lanes_t *lanes = layout->lanes;
  size_t lane_count = (size_t)layout->program->host->device_count * BERTH_LANES;
  berth_queue_t *q = berth_calloc(1, sizeof(*q));
  if (q == NULL) return berth_error_no_memory(err, "a run");
  q->layout = layout;
  q->streams = berth_calloc(lane_count, sizeof(*q->streams));
  q->events = berth_calloc((size_t)lanes->event_count + 1, sizeof(*q->events));
  q->recorded =
      berth_calloc((size_t)lanes->range_count + 1, sizeof(*q->recorded));
  berth_code_t code = BERTH_OK;
  if (q->streams == NULL || q->events == NULL || q->recorded == NULL) {
    code = berth_error_no_memory(err, "a run");
  }
  for (int e = 0; code == BERTH_OK && e < lanes->event_count; ++e) {
    int32_t lane = lanes->event_lanes[e];
    code = lane_ops(q, lane)->event_create(lane_device(q, lane), &q->events[e],
                                           err);
  }
  if (code == BERTH_OK) {
    *out_queue = q;
  } else {
    berth_queue_destroy(q);
  }
  return code;
}

static void recorded_drop(const berth_queue_t *q, int range) {
  const berth_range_t *r = &q->layout->lanes->ranges[range];
  recorded_t *recorded = &q->recorded[range];
  int32_t lane = r->device * BERTH_LANES;
  lane_ops(q, lane)->recording_destroy(recorded->recording);
  recorded->recording = NULL;
}

void berth_queue_destroy(berth_queue_t *q) {
  if (q == NULL) return;
  const berth_lanes_t *lanes = q->layout->lanes;
  for (int e = 0; q->events != NULL && e < lanes->event_count; ++e) {
    lane_ops(q, lanes->event_lanes[e])->event_destroy(q->events[e]);
  }
  for (int i = 0; q->recorded != NULL && i < lanes->range_count; ++i) {
    recorded_drop(q, i);
    berth_free(q->recorded[i].args);
  }
  berth_free(q->recorded);
  berth_free(q->events);
  berth_free(q->streams);
  berth_free(q->stamps);
  berth_free(q);
}

berth_code_t berth_queue_begin(berth_queue_t *q, berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  q->is_late = false;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    berth_device_t *device = lane_device(q, lane);
    BERTH_TRY(berth_device_start(device, err));
    q->streams[lane] =
        device->backend->lane(device, (berth_lane_t)(lane % BERTH_LANES));
  }
  return BERTH_OK;
}

// Waits for all lanes without looking at anything else.
static berth_code_t lanes_sync(berth_queue_t *q, berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  berth_code_t first = BERTH_OK;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    if (q->streams[lane] == NULL) continue;
    berth_code_t code = lane_ops(q, lane)->sync(q->streams[lane],
                                                first == BERTH_OK ? err : NULL);
    if (first == BERTH_OK) first = code;
  }
  return first;
}

// Waits for one lane. Most runs are over in microseconds, so the thread asks
// again and again at first; later it naps in between.
static berth_code_t lane_wait(berth_runner_t *r, int32_t lane,
                              berth_error_t *err) {
  berth_queue_t *q = r->frame->queue;
  int64_t started = berth_now_ns();
  for (int asked = 1;; ++asked) {
    bool done = false;
    BERTH_TRY(lane_ops(q, lane)->query(q->streams[lane], &done, err));
    if (done) return BERTH_OK;
    if (asked % LOOK_EVERY != 0) continue;
    // Whatever it says, what is queued has to end first.
    berth_watch_look(&r->watch);
    if (berth_now_ns() - started > SPIN_NS) berth_sleep_ns(NAP_NS);
  }
}

berth_code_t berth_queue_drain(berth_runner_t *r, berth_error_t *err) {
  const berth_lanes_t *lanes = r->layout->lanes;
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < lanes->used_count; ++i) {
    code = lane_wait(r, lanes->used[i], err);
  }
  if (code == BERTH_OK && r->watch.why != BERTH_OK) {
    code = berth_watch_error(&r->watch, err);
  }
  return code;
}

void berth_queue_abandon(berth_queue_t *q) {
  // Whether that fails is of no interest: the run has an error of its own.
  if (q != NULL) lanes_sync(q, NULL);
}

// ---- Ranges ----

static size_t step_args(const berth_step_t *step) {
  return (size_t)(step->input_count + step->output_count) + 1;
}

// True when every address of |range| is as it was recorded.
static bool is_same(const berth_runner_t *r, const berth_range_t *range,
                    const recorded_t *recorded) {
  void *const *known = recorded->args;
  for (int32_t s = range->begin; s < range->end; ++s) {
    const berth_step_t *step = &r->program->steps[s];
    size_t count = step_args(step);
    if (memcmp(known, r->frame->args + step->first_arg,
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
    total += step_args(&r->program->steps[s]);
  }
  if (recorded->args == NULL) {
    recorded->args = berth_alloc(total * sizeof(*recorded->args));
    if (recorded->args == NULL) return false;
  }
  void **known = recorded->args;
  for (int32_t s = range->begin; s < range->end; ++s) {
    const berth_step_t *step = &r->program->steps[s];
    memcpy(known, r->frame->args + step->first_arg,
           step_args(step) * sizeof(*known));
    known += step_args(step);
  }
  return true;
}

// Queues the steps of |range| on |stream| one by one.
static berth_code_t range_queue(berth_runner_t *r, const berth_range_t *range,
                                berth_stream_t *stream, berth_call_t *call) {
  call->stream = stream;
  for (int32_t s = range->begin; s < range->end; ++s) {
    const berth_hot_step_t *hot = &r->layout->hot[s];
    if (hot->how == BERTH_HOT_SKIP) continue;
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

// Records |range|. Where that cannot be done nothing is lost but the time: it
// is queued step by step, and if the device has failed that says so.
static void range_record(berth_runner_t *r, int index, berth_call_t *call) {
  const berth_range_t *range = &r->layout->lanes->ranges[index];
  recorded_t *recorded = &r->frame->queue->recorded[index];
  berth_device_t *device =
      lane_device(r->frame->queue, range->device * BERTH_LANES);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_error_t *err = call->err;
  call->err = NULL;
  berth_stream_t *stream = NULL;
  recorded_drop(r->frame->queue, index);
  ++recorded->count;
  if (remember(r, range, recorded) &&
      ops->record_begin(device, &stream, NULL) == BERTH_OK) {
    berth_code_t code = range_queue(r, range, stream, call);
    berth_code_t end = ops->record_end(
        stream, code == BERTH_OK ? &recorded->recording : NULL, NULL);
    if (code != BERTH_OK || end != BERTH_OK) recorded->recording = NULL;
  }
  call->err = err;
}

// Queues |range|: from its recording where there is one that fits.
static berth_code_t range_run(berth_runner_t *r, int index,
                              berth_call_t *call) {
  berth_queue_t *q = r->frame->queue;
  const berth_range_t *range = &r->layout->lanes->ranges[index];
  recorded_t *recorded = &q->recorded[index];
  int32_t lane = r->layout->lanes->steps[range->begin].lane;
  if (recorded->recording != NULL && !is_same(r, range, recorded)) {
    recorded_drop(q, index);
  }
  if (recorded->recording == NULL && recorded->was_run &&
      recorded->count < MAX_RECORDINGS) {
    range_record(r, index, call);
  }
  recorded->was_run = true;
  if (recorded->recording != NULL) {
    berth_code_t code = lane_ops(q, lane)->replay(
        q->streams[lane], recorded->recording, call->err);
    if (code != BERTH_ABORTED) return code;
    recorded_drop(q, index);
  }
  return range_queue(r, range, q->streams[lane], call);
}

// ---- Steps ----

static berth_code_t waits_do(berth_queue_t *q, const berth_lane_step_t *step,
                             berth_error_t *err) {
  const int32_t *waits = q->layout->lanes->waits + step->first_wait;
  for (int32_t i = 0; i < step->wait_count; ++i) {
    bool by_host = waits[i] < 0;
    int32_t event = by_host ? ~waits[i] : waits[i];
    const berth_stream_ops_t *ops =
        lane_ops(q, q->layout->lanes->event_lanes[event]);
    BERTH_TRY(by_host
                  ? ops->event_sync(q->events[event], err)
                  : ops->wait(q->streams[step->lane], q->events[event], err));
  }
  return BERTH_OK;
}

static berth_code_t record_do(berth_queue_t *q, const berth_lane_step_t *step,
                              berth_error_t *err) {
  if (step->record < 0) return BERTH_OK;
  int32_t lane = q->layout->lanes->event_lanes[step->record];
  return lane_ops(q, lane)->record(q->streams[lane], q->events[step->record],
                                   err);
}

// Runs a step after a shape was not as expected: nothing is left in flight
// behind it.
static berth_code_t late_run(berth_runner_t *r, int s, berth_call_t *call,
                             berth_error_t *err) {
  berth_queue_t *q = r->frame->queue;
  if (!q->is_late) BERTH_TRY(lanes_sync(q, err));
  q->is_late = true;
  BERTH_TRY(berth_runner_step(r, s, call, err));
  berth_device_t *device =
      berth_step_device(r->program->host->devices, &r->program->steps[s]);
  if (device == NULL) return BERTH_OK;
  return berth_device_wait(device, err);
}

// Runs a step that is queued, between two stamps.
static berth_code_t stamped_run(berth_runner_t *r, int s, berth_call_t *call,
                                berth_error_t *err) {
  berth_queue_t *q = r->frame->queue;
  if (q->stamps == NULL) {
    size_t steps = (size_t)r->program->step_count;
    q->stamps = berth_calloc(steps, sizeof(*q->stamps));
    if (q->stamps == NULL) return berth_error_no_memory(err, "a trace");
  }
  const berth_stream_ops_t *ops = call->stream->device->backend->streams;
  BERTH_TRY(ops->stamp(call->stream, &q->stamps[s][0], err));
  BERTH_TRY(berth_runner_step(r, s, call, err));
  return ops->stamp(call->stream, &q->stamps[s][1], err);
}

void berth_queue_trace(berth_runner_t *r) {
  berth_queue_t *q = r->frame->queue;
  for (int s = 0; q->stamps != NULL && s < r->program->step_count; ++s) {
    int64_t *stamp = q->stamps[s];
    if (stamp[1] == 0) continue;
    berth_trace_step(r->watch.control->trace, &r->program->steps[s],
                     berth_layout_step_bytes(r->layout, s), stamp[0], stamp[1]);
    stamp[0] = stamp[1] = 0;
  }
}

// Runs step |*s|, or the range that begins there, and moves |*s| to the last
// one that ran.
static berth_code_t queue_step(berth_runner_t *r, int *s, berth_call_t *call,
                               berth_error_t *err) {
  berth_queue_t *q = r->frame->queue;
  const berth_lane_step_t *step = &q->layout->lanes->steps[*s];
  if (r->frame->all_late) return late_run(r, *s, call, err);
  BERTH_TRY(waits_do(q, step, err));
  if (step->range >= 0 && r->watch.control->trace == NULL) {
    BERTH_TRY(range_run(r, step->range, call));
    *s = q->layout->lanes->ranges[step->range].end - 1;
    step = &q->layout->lanes->steps[*s];
  } else {
    call->stream = step->lane >= 0 ? q->streams[step->lane] : NULL;
    bool stamped = call->stream != NULL && r->watch.control->trace != NULL;
    BERTH_TRY(stamped ? stamped_run(r, *s, call, err)
                      : berth_runner_step(r, *s, call, err));
  }
  return record_do(q, step, err);
}

berth_code_t berth_queue_steps(berth_runner_t *r, int begin, int end,
                               berth_error_t *err) {
  berth_call_t call = {.err = err,
                       .container = r->program->host->container,
                       .cancelled = &r->watch.ended};
  berth_trace_t *trace = r->watch.control->trace;
  for (int s = begin; s < end; ++s) {
    const berth_step_t *step = &r->program->steps[s];
    int64_t started = trace != NULL ? berth_now_ns() : 0;
    int first = s;
    call.allocator = berth_step_allocator(r->program->host->devices, step);
    berth_code_t code = queue_step(r, &s, &call, err);
    if (code != BERTH_OK) {
      berth_runner_blame(r, s, err);
      return code;
    }
    if (trace != NULL && step->blocker < 0 && call.stream == NULL) {
      berth_trace_step(trace, step, berth_layout_step_bytes(r->layout, s),
                       started, berth_now_ns());
    }
    bool look = (r->layout->hot[s].after & BERTH_AFTER_LOOK) != 0 ||
                s % QUEUED_EVERY == 0;
    BERTH_TRY(berth_runner_after(r, first, s, look, err));
  }
  return BERTH_OK;
}
