// part.c - Runs that are fed in pieces.
#include "base/alloc.h"
#include "base/float_env.h"
#include "exec/flow_part.h"
#include "exec/hold.h"
#include "exec/run_internal.h"

struct berth_part_run {
  berth_runner_t runner;
  berth_watch_t watch;
  berth_flow_part_t *flow;  // With conditionals and loops; else NULL.
  berth_tensor_t **fed;     // By feed: our own copy, or NULL.
  bool *fetched;            // By fetch.
  bool failed;
};

// Makes what knows which steps wait for which feeds.
static berth_code_t waits_create(berth_part_run_t *run, berth_error_t *err) {
  if (run->runner.program->flow == NULL) {
    return berth_waits_create(&run->runner, err);
  }
  run->flow = berth_flow_part_create(&run->runner);
  return run->flow != NULL ? BERTH_OK
                           : berth_error_no_memory(err, "a partial run");
}

berth_code_t berth_part_run_create(berth_program_t *program,
                                   const berth_run_control_t *control,
                                   berth_part_run_t **out_run,
                                   berth_error_t *err) {
  berth_part_run_t *run = berth_calloc(1, sizeof(*run));
  if (run == NULL) return berth_error_no_memory(err, "a partial run");
  berth_runner_t *r = &run->runner;
  r->program = program;
  r->watch = &run->watch;
  size_t feeds = (size_t)program->signature.feed_count + 1;
  size_t fetches = (size_t)program->signature.fetch_count + 1;
  run->fed = berth_calloc(feeds, sizeof(*run->fed));
  run->fetched = berth_calloc(fetches, sizeof(*run->fetched));
  berth_code_t code = BERTH_OK;
  if (run->fed == NULL || run->fetched == NULL) {
    code = berth_error_no_memory(err, "a partial run");
  }
  berth_watch_t watch = {.control = control};
  berth_holds_t holds = {0};
  if (code == BERTH_OK) code = berth_holds_enter(&holds, program, &watch, err);
  if (code == BERTH_OK) code = berth_layout_get_late(program, &r->layout, err);
  if (code == BERTH_OK)
    code = berth_frame_acquire(r->layout, &watch, &r->frame, err);
  if (code == BERTH_OK) code = waits_create(run, err);
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
  if (run->flow != NULL) {
    berth_flow_part_feed(run->flow, feed);
  } else {
    berth_waits_release(r->waits, feed);
  }
  return BERTH_OK;
}

static berth_code_t part_results(berth_part_run_t *run, const int *fetches,
                                 berth_tensor_t **results, int count,
                                 berth_error_t *err) {
  berth_runner_t *r = &run->runner;
  for (int i = 0; i < count; ++i) {
    int32_t slot = r->program->fetch_slots[fetches[i]];
    berth_tensor_t *result = NULL;
    berth_code_t code = run->flow != NULL
                            ? berth_flow_part_check(run->flow, fetches[i], err)
                            : BERTH_OK;
    if (code == BERTH_OK) {
      code = berth_frame_export(r->frame, slot, &result, err);
    }
    if (code != BERTH_OK) {
      while (i > 0) berth_tensor_release(results[--i]);
      return code;
    }
    results[i] = result;
    run->fetched[fetches[i]] = true;
  }
  return BERTH_OK;
}

// Gives up |run|, which has failed: what it has queued goes on without it.
static void give_up(berth_part_run_t *run) {
  berth_runner_t *r = &run->runner;
  run->failed = true;
  atomic_store(&r->watch->ended, 1);
  berth_waits_end(r->waits);
  berth_flow_part_end(run->flow, BERTH_CANCELLED);
  berth_frame_abandon(r->frame, run->fed);
  r->frame = NULL;
}

// Goes on with |run|, whose cards are held.
static berth_code_t go_held(berth_part_run_t *run, const int *feeds,
                            berth_tensor_t *const *values, int feed_count,
                            const int *fetches, berth_tensor_t **results,
                            int fetch_count, const berth_run_control_t *control,
                            berth_error_t *err) {
  berth_runner_t *r = &run->runner;
  if (run->failed) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must run 'setup' before performing partial runs!");
  }
  r->watch->control = control;
  r->watch->why = BERTH_OK;
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll, r->watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_float_env_t float_env = berth_float_env_enter();
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < feed_count; ++i) {
    code = part_feed(run, feeds[i], values[i], err);
  }
  if (code == BERTH_OK && r->frame->issue != NULL) {
    code = berth_issue_begin(r->frame, err);
  }
  if (code == BERTH_OK) {
    code = run->flow != NULL ? berth_flow_part_run(run->flow, err)
                             : berth_waits_run(r, err);
  }
  if (code == BERTH_CANCELLED) code = berth_watch_why(r->watch, code, err);
  if (code == BERTH_OK && r->frame->issue != NULL && run->flow == NULL) {
    code = berth_issue_drain(r, err);
  }
  if (code == BERTH_OK) {
    code = part_results(run, fetches, results, fetch_count, err);
  }
  berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  if (code != BERTH_OK) give_up(run);
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
  return run->flow != NULL ? berth_flow_part_is_over(run->flow)
                           : berth_waits_are_over(run->runner.waits);
}

void berth_part_run_destroy(berth_part_run_t *run) {
  if (run == NULL) return;
  berth_runner_t *r = &run->runner;
  berth_waits_end(r->waits);
  berth_waits_destroy(r->waits);
  if (r->frame != NULL) berth_flow_part_end(run->flow, BERTH_OK);
  berth_flow_part_destroy(run->flow);
  if (r->frame != NULL) berth_frame_release(r->frame);
  for (int i = 0; run->fed != NULL && i < r->program->signature.feed_count;
       ++i) {
    berth_tensor_release(run->fed[i]);
  }
  berth_container_destroy(run->watch.of_run);
  berth_free(run->fed);
  berth_free(run->fetched);
  berth_free(run);
}
