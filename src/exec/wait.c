// wait.c - Blocking steps, segments that become ready, partial runs.
//
// Everything about a frame happens on the run's own thread. A completion, which
// may come from anywhere, only puts its results into a list and wakes that
// thread up.
//
//   I1  |waiting| counts completions that have begun and are not in the list.
//   I2  A run returns only when |waiting| is 0: nothing points into it then.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "exec/hold.h"
#include "exec/run_internal.h"

enum { WAKE_NS = 5000000 };

// A blocking step that is under way.
typedef struct pending pending_t;
struct pending {
  berth_completion_t completion;  // First: a kernel gets its address.
  berth_waits_t *waits;
  pending_t *next;  // In the list of the finished.
  int32_t step;
  bool is_waiting;  // Between PENDING and the list.
  berth_code_t code;
  char *text;                // Of a failure; owned.
  berth_tensor_t **outputs;  // Room for as many as the step has.
  int64_t started_ns;
};

struct berth_waits {
  berth_runner_t *runner;
  berth_mutex_t lock;  // Guards |finished| and |waiting|.
  berth_cond_t wake;
  pending_t *finished;
  int waiting;  // I1.
  // Of the run's thread alone:
  pending_t *pendings;  // By blocker.
  int32_t *waits_left;  // By segment.
  int32_t *ready;       // Segments that can run.
  int ready_count;
  int segments_done;
};

// ---- Segments ----

static void segment_release(berth_waits_t *w, int32_t segment) {
  if (--w->waits_left[segment] == 0) w->ready[w->ready_count++] = segment;
}

// What waited for |blocker| waits no longer.
static void blocker_release(berth_waits_t *w, int blocker) {
  const berth_blocker_t *b = &w->runner->program->blockers[blocker];
  for (int32_t i = 0; i < b->next_count; ++i) segment_release(w, b->next[i]);
}

// Runs one segment and releases its successors.
static berth_code_t segment_run(berth_waits_t *w, berth_error_t *err) {
  int32_t index = w->ready[--w->ready_count];
  const berth_segment_t *segment = &w->runner->program->segments[index];
  BERTH_TRY(berth_runner_steps(w->runner, segment->begin, segment->end, err));
  ++w->segments_done;
  for (int32_t i = 0; i < segment->next_count; ++i) {
    segment_release(w, segment->next[i]);
  }
  return BERTH_OK;
}

// ---- Completions ----

// The |done| of a completion: may be called from any thread.
static void completion_done(berth_completion_t *completion, berth_code_t code,
                            const char *text, berth_tensor_t **outputs) {
  pending_t *p = (pending_t *)completion;
  berth_waits_t *w = p->waits;
  int count = w->runner->program->steps[p->step].output_count;
  berth_mutex_lock(&w->lock);
  p->code = code;
  p->text = code != BERTH_OK && text != NULL ? berth_strdup(text) : NULL;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    p->outputs[i] = outputs[i];
  }
  p->next = w->finished;
  w->finished = p;
  p->is_waiting = false;
  --w->waiting;
  berth_cond_signal(&w->wake);
  berth_mutex_unlock(&w->lock);
}

// Records that the step of |p| is done and releases what waited for it.
static void step_done(berth_waits_t *w, const pending_t *p) {
  berth_runner_t *r = w->runner;
  const berth_step_t *step = &r->program->steps[p->step];
  if (r->watch.control->trace != NULL) {
    berth_trace_step(r->watch.control->trace, step,
                     berth_layout_step_bytes(r->layout, p->step), p->started_ns,
                     berth_now_ns());
  }
  blocker_release(w, step->blocker);
}

berth_code_t berth_waits_step(berth_runner_t *r, int step, berth_error_t *err) {
  berth_waits_t *w = r->waits;
  int blocker = r->program->steps[step].blocker;
  pending_t *p = &w->pendings[blocker];
  p->started_ns = berth_now_ns();
  berth_mutex_lock(&w->lock);
  p->is_waiting = true;  // It may be done before the kernel returns.
  ++w->waiting;
  berth_mutex_unlock(&w->lock);
  berth_code_t code = berth_runner_special(r, step, &p->completion, err);
  if (code == BERTH_PENDING) return BERTH_OK;
  berth_mutex_lock(&w->lock);
  p->is_waiting = false;
  --w->waiting;
  berth_mutex_unlock(&w->lock);
  if (code == BERTH_OK) step_done(w, p);
  return code;
}

// Takes over what one completion brought.
static berth_code_t finish(berth_waits_t *w, pending_t *p, berth_error_t *err) {
  berth_runner_t *r = w->runner;
  const berth_step_t *step = &r->program->steps[p->step];
  if (p->code != BERTH_OK) {
    berth_code_t code = berth_error_set_text(
        err, p->code, p->text != NULL ? p->text : "the op failed");
    berth_step_blame(step, err);
    return code;
  }
  berth_runner_set_outputs(r, p->step, p->outputs);
  for (int i = 0; i < step->output_count; ++i) p->outputs[i] = NULL;
  step_done(w, p);
  return BERTH_OK;
}

// Takes over all that is finished.
static berth_code_t finish_all(berth_waits_t *w, berth_error_t *err) {
  for (;;) {
    berth_mutex_lock(&w->lock);
    pending_t *p = w->finished;
    if (p != NULL) w->finished = p->next;
    berth_mutex_unlock(&w->lock);
    if (p == NULL) return BERTH_OK;
    BERTH_TRY(finish(w, p, err));
  }
}

// True when a completion is there or still to come.
static bool has_completion(berth_waits_t *w) {
  berth_mutex_lock(&w->lock);
  bool any = w->waiting > 0 || w->finished != NULL;
  berth_mutex_unlock(&w->lock);
  return any;
}

// Sleeps until a completion comes, at most a few milliseconds.
static void sleep_for_completion(berth_waits_t *w) {
  berth_frame_park(w->runner->frame, true);
  berth_mutex_lock(&w->lock);
  if (w->waiting > 0 && w->finished == NULL) {
    berth_cond_wait_until(&w->wake, &w->lock, berth_now_ns() + WAKE_NS);
  }
  berth_mutex_unlock(&w->lock);
  berth_frame_park(w->runner->frame, false);
}

// Tells every completion that is still waiting to come to an end.
static void cancel_waiting(berth_waits_t *w) {
  for (int i = 0; i < w->runner->program->blocker_count; ++i) {
    pending_t *p = &w->pendings[i];
    berth_mutex_lock(&w->lock);
    bool tell = p->is_waiting && p->completion.cancel != NULL;
    berth_mutex_unlock(&w->lock);
    if (tell) p->completion.cancel(&p->completion);
  }
}

// Waits until nothing points into the run any more. I2. One that could not be
// made whole has begun nothing.
static void drain(berth_waits_t *w) {
  if (w->pendings == NULL) return;
  cancel_waiting(w);
  berth_mutex_lock(&w->lock);
  while (w->waiting > 0) berth_cond_wait(&w->wake, &w->lock);
  berth_mutex_unlock(&w->lock);
}

// Runs what is ready and waits for what is not. A run that has all it waited
// for is never ended: what it has taken from a queue would be lost.
static berth_code_t run_ready(berth_waits_t *w, berth_error_t *err) {
  berth_runner_t *r = w->runner;
  for (;;) {
    BERTH_TRY(finish_all(w, err));
    if (w->ready_count == 0 && !has_completion(w)) return BERTH_OK;
    if (berth_watch_look(&r->watch)) return berth_watch_error(&r->watch, err);
    if (w->ready_count > 0) {
      BERTH_TRY(segment_run(w, err));
    } else {
      sleep_for_completion(w);
    }
  }
}

berth_code_t berth_waits_run(berth_runner_t *r, berth_error_t *err) {
  berth_waits_t *w = r->waits;
  berth_code_t code = run_ready(w, err);
  if (code != BERTH_OK) {
    atomic_store(&r->watch.ended, 1);
    drain(w);
  }
  return code;
}

// ---- Life ----

static bool pendings_init(berth_waits_t *w, const berth_program_t *program) {
  for (int i = 0; i < program->blocker_count; ++i) {
    pending_t *p = &w->pendings[i];
    p->waits = w;
    p->step = program->blockers[i].step;
    p->completion.done = completion_done;
    if (p->step < 0) continue;
    size_t outputs = (size_t)program->steps[p->step].output_count + 1;
    p->outputs = berth_calloc(outputs, sizeof(*p->outputs));
    if (p->outputs == NULL) return false;
  }
  return true;
}

berth_code_t berth_waits_create(berth_runner_t *r, berth_error_t *err) {
  const berth_program_t *program = r->program;
  size_t segments = (size_t)program->segment_count + 1;
  berth_waits_t *w = berth_calloc(1, sizeof(*w));
  if (w == NULL) return berth_error_no_memory(err, "a run");
  w->runner = r;
  r->waits = w;
  berth_mutex_init(&w->lock);
  berth_cond_init(&w->wake);
  w->pendings =
      berth_calloc((size_t)program->blocker_count + 1, sizeof(*w->pendings));
  w->waits_left = berth_alloc(segments * sizeof(*w->waits_left));
  w->ready = berth_alloc(segments * sizeof(*w->ready));
  if (w->pendings == NULL || w->waits_left == NULL || w->ready == NULL ||
      !pendings_init(w, program)) {
    return berth_error_no_memory(err, "a run");
  }
  for (int i = program->segment_count - 1; i >= 0; --i) {
    w->waits_left[i] = program->segments[i].wait_count;
    if (w->waits_left[i] == 0) w->ready[w->ready_count++] = i;
  }
  return BERTH_OK;
}

void berth_waits_destroy(berth_waits_t *w) {
  if (w == NULL) return;
  const berth_program_t *program = w->runner->program;
  for (int i = 0; w->pendings != NULL && i < program->blocker_count; ++i) {
    pending_t *p = &w->pendings[i];
    if (p->completion.cleanup != NULL) p->completion.cleanup(&p->completion);
    int outputs = p->step >= 0 ? program->steps[p->step].output_count : 0;
    for (int o = 0; p->outputs != NULL && o < outputs; ++o) {
      berth_tensor_release(p->outputs[o]);
    }
    berth_free(p->outputs);
    berth_free(p->text);
  }
  berth_cond_deinit(&w->wake);
  berth_mutex_deinit(&w->lock);
  berth_free(w->pendings);
  berth_free(w->waits_left);
  berth_free(w->ready);
  berth_free(w);
}

// ---- Partial runs ----

struct berth_part_run {
  berth_runner_t runner;
  berth_tensor_t **fed;  // By feed: our own copy, or NULL.
  bool *fetched;         // By fetch.
  bool failed;
};

berth_code_t berth_part_run_create(berth_program_t *program,
                                   berth_part_run_t **out_run,
                                   berth_error_t *err) {
  berth_part_run_t *run = berth_calloc(1, sizeof(*run));
  if (run == NULL) return berth_error_no_memory(err, "a partial run");
  berth_runner_t *r = &run->runner;
  r->program = program;
  size_t feeds = (size_t)program->signature.feed_count + 1;
  size_t fetches = (size_t)program->signature.fetch_count + 1;
  run->fed = berth_calloc(feeds, sizeof(*run->fed));
  run->fetched = berth_calloc(fetches, sizeof(*run->fetched));
  berth_code_t code = BERTH_OK;
  if (run->fed == NULL || run->fetched == NULL) {
    code = berth_error_no_memory(err, "a partial run");
  }
  berth_holds_t holds = {0};
  if (code == BERTH_OK) code = berth_holds_enter(&holds, program, NULL, err);
  if (code == BERTH_OK) code = berth_layout_get_late(program, &r->layout, err);
  if (code == BERTH_OK)
    code = berth_frame_acquire(r->layout, NULL, &r->frame, err);
  if (code == BERTH_OK) code = berth_waits_create(r, err);
  berth_holds_leave(&holds);
  if (code == BERTH_OK) {
    *out_run = run;
  } else {
    berth_part_run_destroy(run);
  }
  return code;
}

// Fed memory is the caller's only for the call: a partial run keeps a copy.
static berth_code_t part_feed(berth_part_run_t *run, int feed,
                              berth_tensor_t *value, berth_error_t *err) {
  berth_runner_t *r = &run->runner;
  int32_t slot = r->program->feed_slots[feed];
  BERTH_TRY(value->device != NULL
                ? berth_tensor_to_host(value, &run->fed[feed], err)
                : berth_tensor_clone(value, &run->fed[feed], err));
  berth_frame_set(r->frame, slot, run->fed[feed]);
  blocker_release(r->waits, feed);
  return BERTH_OK;
}

static berth_code_t part_results(berth_part_run_t *run, const int *fetches,
                                 berth_tensor_t **results, int count,
                                 berth_error_t *err) {
  berth_runner_t *r = &run->runner;
  for (int i = 0; i < count; ++i) {
    int32_t slot = r->program->fetch_slots[fetches[i]];
    berth_tensor_t *result = NULL;
    berth_code_t code = berth_frame_export(r->frame, slot, &result, err);
    if (code != BERTH_OK) {
      while (i > 0) berth_tensor_release(results[--i]);
      return code;
    }
    results[i] = result;
    run->fetched[fetches[i]] = true;
  }
  return BERTH_OK;
}

// Goes on with |run|, whose cards are held.
static berth_code_t go_held(berth_part_run_t *run, const int *feeds,
                            berth_tensor_t *const *values, int feed_count,
                            const int *fetches, berth_tensor_t **results,
                            int fetch_count, const berth_run_control_t *control,
                            berth_error_t *err) {
  berth_runner_t *r = &run->runner;
  if (run->failed) {
    return berth_error_set(err, BERTH_CANCELLED,
                           "this partial run has failed before");
  }
  r->watch.control = control;
  r->watch.why = BERTH_OK;
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll,
                                  &r->watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_float_env_t float_env = berth_float_env_enter();
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < feed_count; ++i) {
    code = part_feed(run, feeds[i], values[i], err);
  }
  if (code == BERTH_OK && r->frame->queue != NULL) {
    code = berth_queue_begin(r->frame, err);
  }
  if (code == BERTH_OK) code = berth_waits_run(r, err);
  if (code == BERTH_CANCELLED) code = berth_watch_why(&r->watch, code, err);
  if (code != BERTH_OK) {
    berth_queue_abandon(r->frame->queue);
  } else if (r->frame->queue != NULL) {
    code = berth_queue_drain(r, err);
  }
  if (code == BERTH_OK) {
    code = part_results(run, fetches, results, fetch_count, err);
  }
  berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  run->failed = code != BERTH_OK;
  return code;
}

berth_code_t berth_part_run_go(berth_part_run_t *run, const int *feeds,
                               berth_tensor_t *const *values, int feed_count,
                               const int *fetches, berth_tensor_t **results,
                               int fetch_count,
                               const berth_run_control_t *control,
                               berth_error_t *err) {
  berth_watch_t watch = {.control = control};
  berth_holds_t holds;
  BERTH_TRY(berth_holds_enter(&holds, run->runner.program, &watch, err));
  berth_code_t code = go_held(run, feeds, values, feed_count, fetches, results,
                              fetch_count, control, err);
  berth_holds_leave(&holds);
  return code;
}

bool berth_part_run_is_done(const berth_part_run_t *run) {
  const berth_program_t *program = run->runner.program;
  for (int i = 0; i < program->signature.fetch_count; ++i) {
    if (!run->fetched[i]) return false;
  }
  return run->runner.waits->segments_done == program->segment_count;
}

void berth_part_run_destroy(berth_part_run_t *run) {
  if (run == NULL) return;
  berth_runner_t *r = &run->runner;
  if (r->waits != NULL) drain(r->waits);
  berth_waits_destroy(r->waits);
  if (r->frame != NULL) berth_frame_release(r->frame);
  for (int i = 0; run->fed != NULL && i < r->program->signature.feed_count;
       ++i) {
    berth_tensor_release(run->fed[i]);
  }
  berth_free(run->fed);
  berth_free(run->fetched);
  berth_free(run);
}
