// fan_run.c - Doing the parts of a fan, by several threads.
//
// The calling thread is the run's own, and the only one that looks at what may
// end the run; the others see that it has ended, and leave the rest of their
// parts undone. They write values, and nothing else of the frame (I5).
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "exec/fan.h"
#include "exec/run_internal.h"

typedef struct fan_run {
  berth_runner_t *r;
  const berth_fan_t *fan;
  int64_t caller;  // Thread.
  berth_parallel_scope_t scope;
  int64_t (*stamps)[2];  // Of a traced run, by step: begin and end; 0: not run.
  berth_mutex_t lock;    // Guards what follows.
  int32_t failed;        // The first part that has failed; -1: none.
  berth_code_t code;
  berth_error_t *err;  // Borrowed; of that part.
} fan_run_t;

// What another thread asks between the pieces of its loops.
static bool has_ended(void *watch) {
  return atomic_load(&((berth_watch_t *)watch)->ended) != 0;
}

static bool is_plain(const berth_hot_step_t *hot) {
  return hot->how == BERTH_HOT_PLAIN || hot->how == BERTH_HOT_FAN;
}

// Notes that |part| has failed. Of several the first in the list is told.
static void part_failed(fan_run_t *f, int32_t part, berth_code_t code,
                        berth_error_t *err) {
  berth_mutex_lock(&f->lock);
  if (f->failed < 0 || part < f->failed) {
    f->failed = part;
    f->code = code;
    berth_error_clear(f->err);
    (void)berth_error_move(f->err, err);
  }
  berth_mutex_unlock(&f->lock);
  berth_error_clear(err);
}

static berth_code_t step_run(fan_run_t *f, int32_t s, berth_call_t *call) {
  const berth_hot_step_t *hot = &f->r->layout->hot[s];
  int64_t *stamp = f->stamps != NULL ? f->stamps[s - f->fan->begin] : NULL;
  if (stamp != NULL) stamp[0] = berth_now_ns();
  call->node = hot->node;
  berth_code_t code =
      hot->run(hot->plan, f->r->frame->args + hot->first_arg, call);
  if (stamp != NULL) stamp[1] = berth_now_ns();
  return code;
}

// True when the rest of a part is to be left undone.
static bool must_end(fan_run_t *f, bool is_caller,
                     const berth_hot_step_t *hot) {
  berth_watch_t *watch = f->r->watch;
  if (!is_caller) return has_ended(watch);
  if ((hot->after & BERTH_AFTER_LOOK) != 0) (void)berth_watch_look(watch);
  return berth_watch_has_ended(watch);
}

static void part_run(fan_run_t *f, int32_t index) {
  const berth_runner_t *r = f->r;
  const berth_part_t *part = &f->fan->parts[index];
  bool is_caller = berth_thread_id() == f->caller;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_call_t call = {.err = &err,
                       .container = r->program->host->container,
                       .cancelled = &r->watch->ended,
                       .allocator = r->program->host->devices[0].allocator};
  for (int32_t s = part->begin; s < part->end; ++s) {
    const berth_hot_step_t *hot = &r->layout->hot[s];
    if (!is_plain(hot)) continue;
    berth_code_t code = step_run(f, s, &call);
    if (code != BERTH_OK) {
      berth_step_blame(&r->program->steps[s], &err);
      part_failed(f, index, code, &err);
      return;
    }
    if (must_end(f, is_caller, hot)) return;
  }
}

// As berth_parallel_fn.
static void parts_run(void *arg, int64_t begin, int64_t end) {
  fan_run_t *f = arg;
  bool is_caller = berth_thread_id() == f->caller;
  const berth_parallel_scope_t *before = NULL;
  if (!is_caller) before = berth_parallel_enter(&f->scope);
  for (int64_t i = begin; i < end; ++i) part_run(f, (int32_t)i);
  if (!is_caller) berth_parallel_enter(before);
}

static void fan_trace(const fan_run_t *f) {
  const berth_runner_t *r = f->r;
  for (int32_t s = f->fan->begin; s < f->fan->end; ++s) {
    const int64_t *stamp = f->stamps[s - f->fan->begin];
    if (stamp[1] == 0) continue;
    berth_trace_layout_step(r->watch->control->trace, r->layout, s, false,
                            stamp[0], stamp[1]);
  }
}

// Does what is done before the parts.
static berth_code_t leads_run(berth_runner_t *r, const berth_fan_t *fan,
                              berth_call_t *call, berth_error_t *err) {
  berth_trace_t *trace = r->watch->control->trace;
  for (int32_t s = fan->begin; s < fan->end; ++s) {
    if (!berth_fan_leads(r->layout, s)) continue;
    int64_t started = trace != NULL ? berth_now_ns() : 0;
    berth_code_t code = berth_runner_step(r, s, call, err);
    if (code != BERTH_OK) {
      berth_runner_blame(r, s, err);
      return code;
    }
    if (trace != NULL) {
      berth_trace_layout_step(trace, r->layout, s, r->frame->all_late, started,
                              berth_now_ns());
    }
  }
  return BERTH_OK;
}

// Does the steps of a fan one by one after a variable was found to have another
// shape than expected.
static berth_code_t late_run(berth_runner_t *r, const berth_fan_t *fan,
                             berth_call_t *call, berth_error_t *err) {
  for (int32_t s = fan->begin; s < fan->end; ++s) {
    if (berth_fan_leads(r->layout, s)) continue;
    berth_code_t code = berth_runner_step(r, s, call, err);
    if (code != BERTH_OK) {
      berth_runner_blame(r, s, err);
      return code;
    }
    BERTH_TRY(berth_runner_after(r, s, s, true, err));
  }
  return BERTH_OK;
}

// Returns how many threads the loops of a part may use, where |threads| is what
// the run may.
static int threads_each(int threads, int parts) {
  int each = threads / parts;
  return threads == 0 || each > 0 ? each : 1;
}

berth_code_t berth_fan_run(berth_runner_t *r, const berth_fan_t *fan,
                           berth_call_t *call, berth_error_t *err) {
  BERTH_TRY(leads_run(r, fan, call, err));
  if (r->frame->all_late) return late_run(r, fan, call, err);
  fan_run_t f = {
      .r = r,
      .fan = fan,
      .caller = berth_thread_id(),
      .scope = {threads_each(r->watch->control->threads, fan->part_count),
                has_ended, r->watch},
      .failed = -1,
      .code = BERTH_OK,
      .err = err};
  if (r->watch->control->trace != NULL) {
    f.stamps = berth_calloc((size_t)(fan->end - fan->begin), sizeof(*f.stamps));
    if (f.stamps == NULL) return berth_error_no_memory(err, "a trace");
  }
  berth_mutex_init(&f.lock);
  bool is_done = true;
  if (!r->watch->control->in_turn) {
    is_done = berth_parallel_each(fan->part_count, parts_run, &f);
  } else {
    for (int i = 0; i < fan->part_count && f.failed < 0; ++i) part_run(&f, i);
  }
  berth_mutex_deinit(&f.lock);
  if (f.stamps != NULL && f.failed < 0) fan_trace(&f);
  berth_free(f.stamps);
  if (f.failed >= 0) return f.code;
  BERTH_TRY(berth_runner_after(r, fan->begin, fan->end - 1, true, err));
  // Only a fork loses parts without ending the run.
  return is_done ? BERTH_OK
                 : berth_error_set(err, BERTH_ABORTED,
                                   "the process has forked meanwhile");
}
