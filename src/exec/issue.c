// issue.c - Running steps that are queued on devices.
#include "exec/issue.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "device/await.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/lanes.h"
#include "exec/replay.h"
#include "exec/run_internal.h"
#include "exec/steady.h"

// Steps between two looks at what may end the run.
enum { QUEUED_EVERY = 32 };

struct berth_issue {
  berth_layout_t *layout;    // Borrowed.
  berth_stream_t **streams;  // By lane; NULL where nothing is queued.
  berth_event_t **events;
  berth_event_t **ends;  // By lane in use: behind what this run has queued.
  berth_replays_t *replays;
  bool is_late;    // The rest of this run is queued step by step.
  bool is_joined;  // The last run was joined, and may be under way.
  // Of a traced run, by step: when it began and ended; 0: it did not.
  int64_t (*stamps)[2];
};

static berth_device_t *lane_device(const berth_issue_t *q, int32_t lane) {
  return q->layout->program->host->devices[lane / BERTH_LANES].device;
}

static const berth_stream_ops_t *lane_ops(const berth_issue_t *q,
                                          int32_t lane) {
  return lane_device(q, lane)->backend->streams;
}

// ---- Life ----

static berth_code_t event_make(const berth_issue_t *q, int32_t lane,
                               berth_event_t **out, berth_error_t *err) {
  return lane_ops(q, lane)->event_create(lane_device(q, lane), out, err);
}

berth_code_t berth_issue_create(berth_layout_t *layout,
                                berth_issue_t **out_queue, berth_error_t *err) {
  const berth_lanes_t *lanes = layout->lanes;
  size_t lane_count = (size_t)layout->program->host->device_count * BERTH_LANES;
  berth_issue_t *q = berth_calloc(1, sizeof(*q));
  if (q == NULL) return berth_error_no_memory(err, "a run");
  q->layout = layout;
  q->streams = berth_calloc(lane_count, sizeof(*q->streams));
  q->events = berth_calloc((size_t)lanes->event_count + 1, sizeof(*q->events));
  q->ends = berth_calloc((size_t)lanes->used_count + 1, sizeof(*q->ends));
  q->replays = berth_replays_create(layout);
  berth_code_t code = BERTH_OK;
  if (q->streams == NULL || q->events == NULL || q->ends == NULL ||
      q->replays == NULL) {
    code = berth_error_no_memory(err, "a run");
  }
  for (int e = 0; code == BERTH_OK && e < lanes->event_count; ++e) {
    code = event_make(q, lanes->event_lanes[e], &q->events[e], err);
  }
  for (int i = 0; code == BERTH_OK && i < lanes->used_count; ++i) {
    code = event_make(q, lanes->used[i], &q->ends[i], err);
  }
  if (code == BERTH_OK) {
    *out_queue = q;
  } else {
    berth_issue_destroy(q);
  }
  return code;
}

void berth_issue_destroy(berth_issue_t *q) {
  if (q == NULL) return;
  const berth_lanes_t *lanes = q->layout->lanes;
  for (int e = 0; q->events != NULL && e < lanes->event_count; ++e) {
    lane_ops(q, lanes->event_lanes[e])->event_destroy(q->events[e]);
  }
  for (int i = 0; q->ends != NULL && i < lanes->used_count; ++i) {
    lane_ops(q, lanes->used[i])->event_destroy(q->ends[i]);
  }
  berth_replays_destroy(q->replays);
  berth_free(q->ends);
  berth_free(q->events);
  berth_free(q->streams);
  berth_free(q->stamps);
  berth_free(q);
}

const berth_replays_t *berth_issue_replays(const berth_issue_t *q) {
  return q->replays;
}

// ---- Beginning ----

// Makes every lane in use but |compute| itself wait for what is queued on
// |compute| now: all lanes, or those of its device alone.
static berth_code_t lanes_follow(berth_issue_t *q, int32_t compute, bool all,
                                 berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  const berth_stream_ops_t *ops = lane_ops(q, compute);
  berth_event_t *mark = NULL;
  BERTH_TRY(event_make(q, compute, &mark, err));
  berth_code_t code =
      ops->record(berth_device_compute(lane_device(q, compute)), mark, err);
  for (int i = 0; code == BERTH_OK && i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    bool is_near = lane / BERTH_LANES == compute / BERTH_LANES;
    if (lane == compute || !(all || is_near)) continue;
    code = ops->wait(q->streams[lane], mark, err);
  }
  ops->event_destroy(mark);
  return code;
}

// Memory that has come from a pool may still be in use by what its last holder
// has queued; that is on the compute stream, so the others wait for it.
static berth_code_t fresh_follow(berth_issue_t *q, berth_frame_arena_t *arenas,
                                 berth_error_t *err) {
  for (int a = 0; a < berth_layout_pinned(q->layout); ++a) {
    if (!arenas[a].is_fresh) continue;
    arenas[a].is_fresh = false;
    if (a == BERTH_HOST_SPACE) continue;
    int32_t compute = (int32_t)(a - 1) * BERTH_LANES;
    BERTH_TRY(lanes_follow(q, compute, false, err));
  }
  return BERTH_OK;
}

// What is fed on a device may still be computed there; whatever copies it away
// does so on another stream.
static berth_code_t feeds_follow(berth_issue_t *q, berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  for (int i = 0; i < lanes->fed_count; ++i) {
    BERTH_TRY(lanes_follow(q, lanes->fed[i], true, err));
  }
  return BERTH_OK;
}

// True for the compute stream of a device.
static bool is_compute(int32_t lane) {
  return lane % BERTH_LANES == BERTH_LANE_COMPUTE;
}

// What the last run has left is before everything on compute streams: so are
// they before the other ones.
static berth_code_t joined_follow(berth_issue_t *q, berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  q->is_joined = false;
  for (int i = 0; lanes->used_count > 1 && i < lanes->used_count; ++i) {
    if (!is_compute(lanes->used[i])) continue;
    BERTH_TRY(lanes_follow(q, lanes->used[i], false, err));
  }
  return BERTH_OK;
}

berth_code_t berth_issue_begin(berth_frame_t *frame, berth_error_t *err) {
  berth_issue_t *q = frame->issue;
  const berth_lanes_t *lanes = q->layout->lanes;
  q->is_late = false;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    berth_device_t *device = lane_device(q, lane);
    BERTH_TRY(berth_device_start(device, err));
    q->streams[lane] =
        device->backend->lane(device, (berth_lane_t)(lane % BERTH_LANES));
  }
  BERTH_TRY(fresh_follow(q, frame->arenas, err));
  if (q->is_joined) BERTH_TRY(joined_follow(q, err));
  return feeds_follow(q, err);
}

// ---- Ending ----

// Marks the end of what this run has queued so far.
static berth_code_t ends_record(berth_issue_t *q, berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  berth_code_t first = BERTH_OK;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    if (q->streams[lane] == NULL) continue;
    berth_code_t code = lane_ops(q, lane)->record(
        q->streams[lane], q->ends[i], first == BERTH_OK ? err : NULL);
    if (first == BERTH_OK) first = code;
  }
  return first;
}

// Waits for the marks; the first failure counts.
static berth_code_t ends_await(berth_issue_t *q, berth_look_fn look, void *arg,
                               berth_error_t *err) {
  const berth_lanes_t *lanes = q->layout->lanes;
  berth_code_t first = BERTH_OK;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    if (q->streams[lane] == NULL) continue;
    berth_code_t code = berth_await_event(lane_ops(q, lane), q->ends[i], look,
                                          arg, first == BERTH_OK ? err : NULL);
    if (first == BERTH_OK) first = code;
  }
  return first;
}

// A wait that was ended says why the run was.
static berth_code_t why(const berth_runner_t *r, berth_code_t code,
                        berth_error_t *err) {
  return code == BERTH_CANCELLED && berth_watch_has_ended(r->watch)
             ? berth_watch_error(r->watch, err)
             : code;
}

berth_code_t berth_issue_drain(berth_runner_t *r, berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  BERTH_TRY(ends_record(q, err));
  return why(r, ends_await(q, berth_watch_poll, r->watch, err), err);
}

berth_code_t berth_issue_join(berth_runner_t *r, berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  const berth_lanes_t *lanes = q->layout->lanes;
  q->is_joined = true;
  if (lanes->used_count < 2) return BERTH_OK;
  BERTH_TRY(ends_record(q, err));
  for (int i = 0; i < lanes->used_count; ++i) {
    for (int k = 0; k < lanes->used_count; ++k) {
      int32_t lane = lanes->used[i];
      if (i == k || !is_compute(lane)) continue;
      BERTH_TRY(lane_ops(q, lane)->wait(q->streams[lane], q->ends[k], err));
    }
  }
  return BERTH_OK;
}

// ---- Walks ----

// Returns the mark of the compute stream of |space|.
static berth_event_t *mark_of(const berth_issue_t *q, int space) {
  const berth_lanes_t *lanes = q->layout->lanes;
  int32_t lane = (space - 1) * BERTH_LANES + BERTH_LANE_COMPUTE;
  int i = 0;
  while (i < lanes->used_count && lanes->used[i] != lane) ++i;
  BERTH_ASSERT(i < lanes->used_count);
  return q->ends[i];
}

berth_code_t berth_issue_note(berth_runner_t *r, int space,
                              berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  int32_t lane = (space - 1) * BERTH_LANES + BERTH_LANE_COMPUTE;
  return lane_ops(q, lane)->record(q->streams[lane], mark_of(q, space), err);
}

berth_code_t berth_issue_await_noted(berth_runner_t *r, int space,
                                     berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  return why(
      r,
      berth_await_event(lane_ops(q, (space - 1) * BERTH_LANES),
                        mark_of(q, space), berth_watch_poll, r->watch, err),
      err);
}

berth_code_t berth_issue_wait(berth_runner_t *r, int space,
                              berth_error_t *err) {
  BERTH_TRY(berth_issue_note(r, space, err));
  return berth_issue_await_noted(r, space, err);
}

berth_code_t berth_issue_follow(berth_runner_t *r, int before, int space,
                                berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  int32_t lane = (space - 1) * BERTH_LANES + BERTH_LANE_COMPUTE;
  BERTH_TRY(berth_issue_note(r, before, err));
  return lane_ops(q, lane)->wait(q->streams[lane], mark_of(q, before), err);
}

// ---- Leaving ----

void berth_issue_abandon(berth_issue_t *q) {
  // Whether that fails is of no interest: the run has an error of its own.
  if (q != NULL && ends_record(q, NULL) == BERTH_OK) {
    (void)ends_await(q, NULL, NULL, NULL);
  }
}

// True when it is time to leave what is queued alone; |arg| is when.
static bool is_late_now(void *arg) {
  return berth_now_ns() >= *(const int64_t *)arg;
}

bool berth_issue_leave(berth_issue_t *q, int64_t wait_ns) {
  if (q == NULL || ends_record(q, NULL) != BERTH_OK) return true;
  int64_t until = berth_now_ns() + wait_ns;
  return ends_await(q, is_late_now, &until, NULL) != BERTH_CANCELLED;
}

void berth_issue_await(berth_issue_t *q) {
  (void)ends_await(q, NULL, NULL, NULL);
}

bool berth_issue_is_over(const berth_issue_t *q) {
  const berth_lanes_t *lanes = q->layout->lanes;
  for (int i = 0; i < lanes->used_count; ++i) {
    int32_t lane = lanes->used[i];
    bool is_done = true;
    if (q->streams[lane] == NULL) continue;
    berth_code_t code =
        lane_ops(q, lane)->event_query(q->ends[i], &is_done, NULL);
    // A device that has failed does nothing any more.
    if (code == BERTH_OK && !is_done) return false;
  }
  return true;
}

// ---- Steps ----

static berth_code_t waits_do(berth_runner_t *r, const berth_lane_step_t *step,
                             berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  const int32_t *waits = q->layout->lanes->waits + step->first_wait;
  for (int32_t i = 0; i < step->wait_count; ++i) {
    bool by_host = waits[i] < 0;
    int32_t event = by_host ? ~waits[i] : waits[i];
    BERTH_ASSERT(event < q->layout->lanes->event_count);
    const berth_stream_ops_t *ops =
        lane_ops(q, q->layout->lanes->event_lanes[event]);
    if (by_host) {
      berth_code_t code = berth_await_event(ops, q->events[event],
                                            berth_watch_poll, r->watch, err);
      if (code != BERTH_OK) return why(r, code, err);
    } else {
      BERTH_TRY(ops->wait(q->streams[step->lane], q->events[event], err));
    }
  }
  return BERTH_OK;
}

static berth_code_t record_do(berth_issue_t *q, const berth_lane_step_t *step,
                              berth_error_t *err) {
  if (step->record < 0) return BERTH_OK;
  int32_t lane = q->layout->lanes->event_lanes[step->record];
  BERTH_ASSERT(q->streams[lane] != NULL);
  return lane_ops(q, lane)->record(q->streams[lane], q->events[step->record],
                                   err);
}

berth_code_t berth_issue_mark(berth_runner_t *r, int s, berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  return record_do(q, &q->layout->lanes->steps[s], err);
}

// Runs a step after a shape was not as expected: nothing is left in flight
// behind it.
static berth_code_t late_run(berth_runner_t *r, int s, berth_call_t *call,
                             berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  if (!q->is_late) BERTH_TRY(berth_issue_drain(r, err));
  q->is_late = true;
  BERTH_TRY(berth_runner_step(r, s, call, err));
  berth_device_t *device =
      berth_step_device(r->program->host->devices, &r->program->steps[s]);
  return device != NULL ? berth_issue_drain(r, err) : BERTH_OK;
}

// Runs a step that is queued, between two stamps.
static berth_code_t stamped_run(berth_runner_t *r, int s, berth_call_t *call,
                                berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
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

void berth_issue_trace(berth_runner_t *r) {
  berth_issue_t *q = r->frame->issue;
  for (int s = 0; q->stamps != NULL && s < r->program->step_count; ++s) {
    int64_t *stamp = q->stamps[s];
    if (stamp[1] == 0) continue;
    berth_trace_layout_step(r->watch->control->trace, r->layout, s, false,
                            stamp[0], stamp[1]);
    stamp[0] = stamp[1] = 0;
  }
}

// Queues step |*s|, or all that is queued at once with it, and moves |*s| to the
// last one.
static berth_code_t work_queue(berth_runner_t *r, int *s, int end,
                               berth_call_t *call, berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  const berth_lane_step_t *step = &q->layout->lanes->steps[*s];
  call->stream = step->lane >= 0 ? q->streams[step->lane] : NULL;
  if (r->watch->control->trace != NULL) {
    return call->stream != NULL ? stamped_run(r, *s, call, err)
                                : berth_runner_step(r, *s, call, err);
  }
  if (step->range >= 0) {
    BERTH_TRY(berth_range_run(r, q->replays, step->range, call->stream, call));
    *s = q->layout->lanes->ranges[step->range].end - 1;
    return BERTH_OK;
  }
  int32_t copies = berth_steady_row(q->layout, *s, end);
  if (copies < 2) return berth_runner_step(r, *s, call, err);
  BERTH_TRY(berth_steady_queue(q->layout, r->frame->args, *s, copies,
                               call->stream, err));
  *s += copies - 1;
  return BERTH_OK;
}

// Runs step |*s|, or all that is queued at once with it, before |end|, and moves
// |*s| to the last one that ran.
static berth_code_t queue_step(berth_runner_t *r, int *s, int end,
                               berth_call_t *call, berth_error_t *err) {
  berth_issue_t *q = r->frame->issue;
  const berth_lane_step_t *steps = q->layout->lanes->steps;
  if (r->frame->all_late) return late_run(r, *s, call, err);
  BERTH_TRY(waits_do(r, &steps[*s], err));
  BERTH_TRY(work_queue(r, s, end, call, err));
  return record_do(q, &steps[*s], err);
}

berth_code_t berth_issue_steps(berth_runner_t *r, int begin, int end,
                               berth_error_t *err) {
  berth_call_t call = {.err = err,
                       .container = r->program->host->container,
                       .cancelled = &r->watch->ended};
  berth_trace_t *trace = r->watch->control->trace;
  for (int s = begin; s < end; ++s) {
    const berth_step_t *step = &r->program->steps[s];
    int64_t started = trace != NULL ? berth_now_ns() : 0;
    int first = s;
    call.allocator = berth_step_allocator(r->program->host->devices, step);
    berth_code_t code = queue_step(r, &s, end, &call, err);
    if (code != BERTH_OK) {
      berth_runner_blame(r, s, err);
      return code;
    }
    if (trace != NULL && step->blocker < 0 && call.stream == NULL) {
      berth_trace_layout_step(trace, r->layout, s, r->frame->all_late, started,
                              berth_now_ns());
    }
    bool look = (r->layout->hot[s].after & BERTH_AFTER_LOOK) != 0 ||
                s % QUEUED_EVERY == QUEUED_EVERY - 1;
    BERTH_TRY(berth_runner_after(r, first, s, look, err));
  }
  return BERTH_OK;
}
