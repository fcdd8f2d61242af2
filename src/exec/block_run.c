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
  berth_frame_t *frame = *kept;
  r->block->has_new_frame = false;
  if (BERTH_LIKELY(frame != NULL && frame->layout->feeds != NULL &&
                   berth_layout_fits(frame->layout, feeds))) {
    berth_layout_note_use(frame->layout);
    r->layout = frame->layout;
    r->frame = frame;
    return BERTH_OK;
  }
  BERTH_TRY(
      berth_layout_get(r->program, feeds, &r->watch->ended, &r->layout, err));
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
  r->block->has_new_frame = true;
  berth_block_release(frame);
  return berth_runner_frame(r, err);
}

// Waits for what is queued, or puts it before what will be.
static berth_code_t queued_finish(berth_runner_t *r, const berth_block_t *block,
                                  berth_error_t *err) {
  r->block->is_open = false;
  if (r->frame->issue == NULL) return BERTH_OK;
  bool is_traced = r->watch->control->trace != NULL;
  r->block->is_open =
      !block->is_waited_for && !is_traced && can_keep(r->frame);
  if (r->block->is_open) return berth_issue_join(r, err);
  BERTH_TRY(berth_issue_drain(r, err));
  if (is_traced) berth_issue_trace(r);
  return BERTH_OK;
}

// True when nobody else can know the memory of |slot|, which leaves with the only
// reference to it. What kernels make themselves may lie in memory that somebody
// has lent, but for elements that lead to lists.
static bool is_own(const berth_runner_t *r, int32_t slot) {
  if (r->frame->all_late) return false;
  return !r->layout->spots[slot].is_made ||
         r->program->slots[slot].dtype == BERTH_VARIANT;
}

// Hands over what leaves the block: each value leaves once, so that what the
// frame holds of it is given away.
static berth_code_t results_take(berth_runner_t *r, berth_error_t *err) {
  berth_tensor_t **results = r->block->results;
  bool *results_own = r->block->is_own;
  int count = r->program->signature.fetch_count;
  for (int i = 0; i < count; ++i) {
    int32_t slot = r->program->fetch_slots[i];
    berth_tensor_t **own = &r->frame->tensors[slot];
    berth_code_t code = BERTH_OK;
    const berth_spot_t *spot = &r->layout->spots[slot];
    if (*own != NULL && spot->next_alias < 0 && spot->root == slot &&
        spot->storage == BERTH_STORE_TENSOR) {
      results[i] = *own;
      *own = NULL;
      results_own[i] = is_own(r, slot);
    } else {
      results_own[i] = false;
      code = berth_frame_export(r->frame, slot, &results[i], err);
    }
    if (code == BERTH_OK) continue;
    while (i > 0) berth_tensor_release(results[--i]);
    return code;
  }
  return BERTH_OK;
}

static berth_code_t run(berth_runner_t *r, const berth_block_t *block,
                        berth_error_t *err) {
  BERTH_TRY(berth_runner_begin(r, r->block->feeds, err));
  BERTH_TRY(berth_runner_steps(r, 0, r->program->step_count, err));
  BERTH_TRY(queued_finish(r, block, err));
  return results_take(r, err);
}

berth_code_t berth_block_run(berth_runner_t *outer, const berth_block_t *block,
                             berth_frame_t **kept, berth_block_call_t *call,
                             berth_error_t *err) {
  berth_runner_t r = {
      .program = block->program, .watch = outer->watch, .block = call};
  BERTH_TRY(frame_find(&r, kept, call->feeds, err));
  *kept = NULL;
  berth_code_t code = run(&r, block, err);
  if (code != BERTH_OK) {
    berth_frame_abandon(r.frame, call->feeds);
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
