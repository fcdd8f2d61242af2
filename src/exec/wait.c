// wait.c - Segments that become ready as what they wait for is done.
//
// Everything about a frame happens on the run's own thread (I5). A completion,
// which may come from anywhere, only puts its results into a list and wakes
// that thread up (pending.h).
#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"
#include "exec/pending.h"
#include "exec/run_internal.h"

// A blocking step of this run.
typedef struct blocked {
  berth_pending_t pending;   // First.
  int32_t step;              // -1: a feed that comes later.
  berth_tensor_t **outputs;  // Room for as many as the step has.
  int64_t started_ns;
} blocked_t;

struct berth_waits {
  berth_runner_t *runner;
  berth_waiter_t waiter;
  blocked_t *blocked;   // By blocker.
  int blocked_count;    // Of these, as far as it was made.
  int32_t *waits_left;  // By segment.
  int32_t *ready;       // Segments that can run.
  int ready_count;
  int segments_done;
};

// ---- Segments ----

static void segment_release(berth_waits_t *w, int32_t segment) {
  BERTH_ASSERT(w->waits_left[segment] > 0);
  if (--w->waits_left[segment] == 0) w->ready[w->ready_count++] = segment;
}

void berth_waits_release(berth_waits_t *w, int blocker) {
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

// Records that the step of |b| is done and releases what waited for it.
static void step_done(berth_waits_t *w, const blocked_t *b) {
  berth_runner_t *r = w->runner;
  const berth_step_t *step = &r->program->steps[b->step];
  if (r->watch->control->trace != NULL) {
    berth_trace_step(r->watch->control->trace, step,
                     berth_layout_step_bytes(r->layout, b->step), b->started_ns,
                     berth_now_ns());
  }
  berth_waits_release(w, step->blocker);
}

berth_code_t berth_waits_step(berth_runner_t *r, int step, berth_error_t *err) {
  berth_waits_t *w = r->waits;
  blocked_t *b = &w->blocked[r->program->steps[step].blocker];
  b->started_ns = berth_now_ns();
  berth_pending_begin(&b->pending);
  berth_code_t code =
      berth_runner_special(r, step, &b->pending.completion, err);
  if (code == BERTH_PENDING) return BERTH_OK;
  berth_pending_end(&b->pending);
  if (code == BERTH_OK) step_done(w, b);
  return code;
}

// Takes over what one completion brought.
static berth_code_t finish(berth_waits_t *w, blocked_t *b, berth_error_t *err) {
  berth_runner_t *r = w->runner;
  const berth_step_t *step = &r->program->steps[b->step];
  berth_code_t code = berth_pending_result(&b->pending, err);
  if (code == BERTH_OK && r->frame->issue != NULL) {
    code = berth_issue_mark(r, b->step, err);
  }
  if (code != BERTH_OK) {
    berth_step_blame(step, err);
    return code;
  }
  berth_runner_set_outputs(r, b->step, b->outputs);
  for (int i = 0; i < step->output_count; ++i) b->outputs[i] = NULL;
  step_done(w, b);
  return BERTH_OK;
}

// Takes over all that is finished.
static berth_code_t finish_all(berth_waits_t *w, berth_error_t *err) {
  for (;;) {
    berth_pending_t *finished = berth_waiter_take(&w->waiter);
    if (finished == NULL) return BERTH_OK;
    BERTH_TRY(finish(w, (blocked_t *)finished, err));
  }
}

// Sleeps until a completion comes, a few milliseconds at most.
static void sleep_for_completion(berth_waits_t *w) {
  berth_frame_park(w->runner->frame, true);
  berth_waiter_sleep(&w->waiter);
  berth_frame_park(w->runner->frame, false);
}

// I8: nothing of the run is left behind that could come later.
void berth_waits_end(berth_waits_t *w) {
  if (w == NULL) return;
  for (int i = 0; i < w->blocked_count; ++i) {
    berth_pending_cancel(&w->blocked[i].pending);
  }
  berth_waiter_drain(&w->waiter);
}

// Runs what is ready and waits for what is not. A run that has all it waited
// for is never ended: what it has taken from a queue would be lost.
static berth_code_t run_ready(berth_waits_t *w, berth_error_t *err) {
  berth_runner_t *r = w->runner;
  for (;;) {
    BERTH_TRY(finish_all(w, err));
    if (w->ready_count == 0 && !berth_waiter_is_busy(&w->waiter)) {
      return BERTH_OK;
    }
    if (berth_watch_look(r->watch)) return berth_watch_error(r->watch, err);
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
    atomic_store(&r->watch->ended, 1);
    berth_waits_end(w);
  }
  return code;
}

// ---- Life ----

static bool blocked_init(berth_waits_t *w, const berth_program_t *program) {
  for (int i = 0; i < program->blocker_count; ++i) {
    blocked_t *b = &w->blocked[i];
    b->step = program->blockers[i].step;
    int count = b->step >= 0 ? program->steps[b->step].output_count : 0;
    b->outputs = berth_calloc((size_t)count + 1, sizeof(*b->outputs));
    if (b->outputs == NULL) return false;
    berth_pending_init(&b->pending, &w->waiter, b->outputs, count);
    ++w->blocked_count;
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
  berth_waiter_init(&w->waiter);
  w->blocked =
      berth_calloc((size_t)program->blocker_count + 1, sizeof(*w->blocked));
  w->waits_left = berth_alloc(segments * sizeof(*w->waits_left));
  w->ready = berth_alloc(segments * sizeof(*w->ready));
  if (w->blocked == NULL || w->waits_left == NULL || w->ready == NULL ||
      !blocked_init(w, program)) {
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
  for (int i = 0; i < w->blocked_count; ++i) {
    blocked_t *b = &w->blocked[i];
    berth_pending_deinit(&b->pending);
    for (int o = 0; o < b->pending.output_count; ++o) {
      berth_tensor_release(b->outputs[o]);
    }
    berth_free(b->outputs);
  }
  berth_waiter_deinit(&w->waiter);
  berth_free(w->blocked);
  berth_free(w->waits_left);
  berth_free(w->ready);
  berth_free(w);
}

bool berth_waits_are_over(const berth_waits_t *w) {
  return w->segments_done == w->runner->program->segment_count;
}
