// block_run.c - Running a block: a straight part of a program with loops.
//
// A block is run as a program is, but it only queues what devices do, and its
// frame stays with the run: an iteration finds all as the last one left it. A
// frame that borrows memory of the host gives that back each time.
#include "exec/run_internal.h"

// True when |frame| may stay with the run.
static bool can_keep(const berth_frame_t *frame) {
  return !frame->all_late && (frame->issue != NULL || !frame->layout->borrows);
}

// Finds the layout for |feeds| and a frame of it, |*kept| where that fits.
static berth_code_t frame_find(berth_runner_t *r, berth_frame_t **kept,
                               berth_tensor_t *const *feeds,
                               berth_error_t *err) {
  BERTH_TRY(
      berth_layout_get(r->program, feeds, &r->watch->ended, &r->layout, err));
  berth_frame_t *frame = *kept;
  if (frame != NULL && frame->layout == r->layout) {
    r->frame = frame;
    return BERTH_OK;
  }
  if (frame != NULL && frame->issue != NULL) {
    berth_runner_t last = {.program = r->program,
                           .layout = frame->layout,
                           .frame = frame,
                           .watch = r->watch};
    BERTH_TRY(berth_issue_drain(&last, err));
  }
  *kept = NULL;
  berth_block_release(frame);
  return berth_runner_frame(r, err);
}

// Waits for what is queued, or puts it before what will be.
static berth_code_t queued_finish(berth_runner_t *r, const berth_block_t *block,
                                  bool *out_is_open, berth_error_t *err) {
  bool is_traced = r->watch->control->trace != NULL;
  *out_is_open = r->frame->issue != NULL && !block->is_waited_for &&
                 !is_traced && can_keep(r->frame);
  if (r->frame->issue == NULL) return BERTH_OK;
  if (*out_is_open) return berth_issue_join(r, err);
  BERTH_TRY(berth_issue_drain(r, err));
  if (is_traced) berth_issue_trace(r);
  return BERTH_OK;
}

// Hands over what leaves the block: each value leaves once, so that what the
// frame holds of it is given away.
static berth_code_t results_take(berth_runner_t *r, berth_tensor_t **results,
                                 bool *given, berth_error_t *err) {
  int count = r->program->signature.fetch_count;
  for (int i = 0; i < count; ++i) {
    int32_t slot = r->program->fetch_slots[i];
    berth_tensor_t **own = &r->frame->tensors[slot];
    berth_code_t code = BERTH_OK;
    if (*own != NULL && r->layout->spots[slot].next_alias < 0 &&
        r->layout->spots[slot].root == slot &&
        r->layout->spots[slot].storage == BERTH_STORE_TENSOR) {
      results[i] = *own;
      *own = NULL;
      given[i] = !r->layout->spots[slot].is_made && !r->frame->all_late;
    } else {
      given[i] = false;
      code = berth_frame_export(r->frame, slot, &results[i], err);
    }
    if (code == BERTH_OK) continue;
    while (i > 0) berth_tensor_release(results[--i]);
    return code;
  }
  return BERTH_OK;
}

static berth_code_t run(berth_runner_t *r, const berth_block_t *block,
                        berth_tensor_t *const *feeds, berth_tensor_t **results,
                        bool *given, bool *out_is_open, berth_error_t *err) {
  r->given = given;
  BERTH_TRY(berth_runner_begin(r, feeds, err));
  BERTH_TRY(berth_runner_steps(r, 0, r->program->step_count, err));
  BERTH_TRY(queued_finish(r, block, out_is_open, err));
  return results_take(r, results, given, err);
}

berth_code_t berth_block_run(berth_runner_t *outer, const berth_block_t *block,
                             berth_frame_t **kept, berth_tensor_t *const *feeds,
                             berth_tensor_t **results, bool *given,
                             bool *out_is_open, berth_error_t *err) {
  berth_runner_t r = {.program = block->program, .watch = outer->watch};
  BERTH_TRY(frame_find(&r, kept, feeds, err));
  *kept = NULL;
  berth_code_t code = run(&r, block, feeds, results, given, out_is_open, err);
  if (code != BERTH_OK) {
    berth_frame_abandon(r.frame, feeds);
  } else if (can_keep(r.frame)) {
    berth_frame_renew(r.frame);
    *kept = r.frame;
  } else {
    berth_frame_release(r.frame);
  }
  return code;
}

void berth_block_release(berth_frame_t *kept) {
  if (kept != NULL) berth_frame_release(kept);
}

void berth_block_abandon(berth_frame_t *kept) {
  if (kept != NULL) berth_frame_abandon(kept, NULL);
}
