// flow_run.c - Walking a program with conditionals and loops.
//
// The walk goes from mark to mark. Between two marks it goes straight through
// the steps, skipping the dead ones; at the end of a loop it may go back. How
// deep loops are nested does not matter: what a loop has to remember between
// its marks is kept by loop.
//
//   I1  A live slot that a step makes has a tensor in the frame, unless it is
//       settled.
//   I2  Everything that is queued on a device is queued on its compute stream,
//       and what leaves for another memory is waited for: a value may be made
//       anew in the next iteration.
//   I3  What is let go while work on it is queued is memory of the device whose
//       compute stream that is on: who gets it next comes behind. All else is
//       held by a slot until it was waited for, and by the frame where the run
//       is ended before (frame.h).
#include "base/alloc.h"
#include "base/clock.h"
#include "exec/copy.h"
#include "exec/deref.h"
#include "exec/flow_walk.h"
#include "exec/lanes.h"

// Steps between two looks at what may end the run. A look costs less than a
// tenth of the cheapest of so many steps.
enum { LOOK_EVERY = 64 };

typedef berth_flow_walk_t walk_t;

// ---- Values ----

static const int32_t *inputs_of(const walk_t *w, int s) {
  return w->steps[s].inputs;
}

static const int32_t *outputs_of(const walk_t *w, int s) {
  return w->steps[s].outputs;
}

// Gives |slot| the value |tensor|, taking over the reference. Steps are late
// here: nobody looks for an address but by slot.
static void slot_give(walk_t *w, int32_t slot, berth_tensor_t *tensor,
                      int32_t home) {
  berth_tensor_t *before = w->tensors[slot];
  w->tensors[slot] = tensor;
  w->data[slot] = tensor->data;
  w->slots[slot].home = home;
  berth_walk_revive(w, slot);
  if (w->flow->has_shares) w->shares[slot] = (berth_share_t){0};
  if (before != NULL) berth_tensor_release(before);
}

// True when the step that reads |slot| now is the last, and nobody else holds
// on to it.
static bool is_last_read(const walk_t *w, int32_t slot) {
  return w->slots[slot].is_passing && w->reads_left[slot] == 1;
}

// Notes that step |s| has read its inputs.
static void inputs_read(walk_t *w, int s) {
  const berth_walk_step_t *step = &w->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    berth_walk_read(w, &w->slots[step->inputs[i]]);
  }
}

static berth_code_t slot_hand_on(walk_t *w, int32_t from, int32_t to,
                                 berth_error_t *err) {
  berth_tensor_t *tensor = w->tensors[from];
  int32_t home = BERTH_HOME_OTHERS;
  if (tensor != NULL && is_last_read(w, from)) {
    w->tensors[from] = NULL;
    home = w->slots[from].home;
  } else {
    BERTH_TRY(berth_frame_export(w->frame, from, &tensor, err));
  }
  slot_give(w, to, tensor, home);
  if (w->flow->has_shares) w->shares[to] = w->shares[from];
  return BERTH_OK;
}

// True when something that step |s| waits for is dead.
static bool is_cut_off(const walk_t *w, int s) {
  const berth_walk_step_t *step = &w->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    if (w->slots[step->inputs[i]].is_dead) return true;
  }
  for (int32_t i = 0; i < step->control_count; ++i) {
    if (w->is_step_dead[step->controls[i]]) return true;
  }
  return false;
}

// ---- Steps ----

// Waits for what this run has queued on the device of |space|.
static berth_code_t space_sync(walk_t *w, int space, berth_error_t *err) {
  if (!w->is_busy[space]) return BERTH_OK;
  BERTH_TRY(berth_issue_wait(w->r, space, err));
  w->is_busy[space] = false;
  return BERTH_OK;
}

// Waits for everything that this run has queued.
static berth_code_t spaces_sync(walk_t *w, berth_error_t *err) {
  for (int i = 1; i <= w->program->host->device_count; ++i) {
    BERTH_TRY(space_sync(w, i, err));
  }
  return BERTH_OK;
}

// A copy between two devices stands on the stream of the one that receives, and
// comes after what the other one makes.
static berth_code_t copy_follow(const walk_t *w, int s, berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  int from = w->program->slots[inputs_of(w, s)[0]].space;
  int to = step->device + 1;
  if (from == BERTH_HOST_SPACE || from == to) return BERTH_OK;
  return berth_issue_follow(w->r, from, to, err);
}

// Waits for what step |s|, which has run, leaves to others. I2.
static berth_code_t step_sync(walk_t *w, int s, berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  int space = step->device + 1;
  if (step->on_host) return BERTH_OK;
  if (!berth_is_copy(step) || step->host_outputs == NULL) {
    w->is_busy[space] = true;
    bool leaves = berth_is_copy(step) || step->host_outputs != NULL;
    return leaves ? space_sync(w, space, err) : BERTH_OK;
  }
  // A copy to memory that is not pinned is done, and so is all before it; but
  // nothing was copied where there is nothing.
  if (w->frame->tensors[outputs_of(w, s)[0]]->size > 0) {
    w->is_busy[space] = false;
  }
  return BERTH_OK;
}

// Renews the inputs of step |s| that share the memory of a variable, where some
// may. What the steps before it want to change is done first.
static berth_code_t inputs_renew(walk_t *w, int s, berth_error_t *err) {
  const int32_t *inputs = inputs_of(w, s);
  for (int i = 0; i < w->program->steps[s].input_count; ++i) {
    berth_share_t *share = &w->shares[inputs[i]];
    if (share->variable == NULL) continue;
    BERTH_TRY(berth_runner_commit(w->r, s - 1, w->is_step_dead, err));
    BERTH_TRY(berth_share_renew(share, w->frame, inputs[i], err));
  }
  return BERTH_OK;
}

// True when output |at| of step |s|, or of |block| if that is what it is, may
// be its input |input|.
static bool is_handed_on(const walk_t *w, int s, const berth_block_t *block,
                         int input, int at) {
  if (block == NULL) return input == at || w->program->steps[s].input_count < 2;
  const berth_program_t *p = block->program;
  return input < p->signature.feed_count &&
         berth_share_source(p, p->fetch_slots[at]) == p->feed_slots[input];
}

// Notes what output |at| of step |s|, which has run, shares: what an input does
// whose memory it is. Variables that were given one value are in one memory
// until they change; which of them it is, the way through the step says.
static void share_note(walk_t *w, int s, const berth_block_t *block, int at) {
  const int32_t *inputs = inputs_of(w, s);
  int32_t output = outputs_of(w, s)[at];
  const berth_variable_t *found = NULL;
  const berth_tensor_t *value = w->frame->tensors[output];
  w->shares[output] = (berth_share_t){0};
  for (int i = 0; value != NULL && i < w->program->steps[s].input_count; ++i) {
    const berth_share_t *share = &w->shares[inputs[i]];
    if (share->variable == NULL || share->variable == found ||
        share->buffer != value->buffer) {
      continue;
    }
    if (found != NULL && !is_handed_on(w, s, block, i, at)) continue;
    found = share->variable;
    w->shares[output] = *share;
  }
}

// Runs the kernel of step |s|, whose inputs are those of this moment.
static berth_code_t step_call(walk_t *w, int s, berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  bool blocks = (step->traits & BERTH_OP_BLOCKS) != 0;
  if (BERTH_UNLIKELY((step->traits & BERTH_OP_MEETS) != 0)) {
    return berth_flow_open_begin(w->r, s, &w->open, err);
  }
  return blocks ? berth_flow_await(w->r, s, err)
                : berth_runner_special(w->r, s, NULL, err);
}

// Runs the kernel of step |s|, and all that belongs to it.
static berth_code_t kernel_run(walk_t *w, int s, berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  const int32_t *outputs = outputs_of(w, s);
  berth_variable_t *variable =
      step->kernel == &berth_deref_kernel
          ? berth_deref_variable(w->frame->data[inputs_of(w, s)[0]])
          : NULL;
  bool has_shares = w->flow->has_shares;
  if (has_shares) BERTH_TRY(inputs_renew(w, s, err));
  for (int i = 0; i < step->output_count; ++i) berth_walk_revive(w, outputs[i]);
  if (berth_is_copy(step)) BERTH_TRY(copy_follow(w, s, err));
  BERTH_TRY(step_call(w, s, err));
  for (int i = 0; has_shares && i < step->output_count; ++i) {
    share_note(w, s, NULL, i);
  }
  if (variable != NULL && has_shares) {
    w->shares[outputs[0]] =
        berth_share_of(variable, w->frame->tensors[outputs[0]]);
  }
  return step_sync(w, s, err);
}

// Notes what this run has queued so far: while a block is waited for, others may
// queue more.
static berth_code_t spaces_note(walk_t *w, berth_error_t *err) {
  for (int i = 1; i <= w->program->host->device_count; ++i) {
    if (w->is_busy[i]) BERTH_TRY(berth_issue_note(w->r, i, err));
  }
  return BERTH_OK;
}

// Waits for what was noted: nothing else of this run is left, then.
static berth_code_t spaces_await_noted(walk_t *w, berth_error_t *err) {
  for (int i = 1; i <= w->program->host->device_count; ++i) {
    if (!w->is_busy[i]) continue;
    BERTH_TRY(berth_issue_await_noted(w->r, i, err));
    w->is_busy[i] = false;
  }
  return BERTH_OK;
}

// Says that a block has left work on the devices of |frame|.
static void block_note_busy(walk_t *w, const berth_frame_t *frame) {
  const berth_lanes_t *lanes = frame->layout->lanes;
  for (int i = 0; i < lanes->used_count; ++i) {
    w->is_busy[lanes->used[i] / BERTH_LANES + 1] = true;
  }
}

// Fills in what |block|, step |s|, is fed.
static void block_feed(walk_t *w, int s, const berth_block_t *block) {
  const int32_t *inputs = inputs_of(w, s);
  // Behind the feeds are values that the block knows.
  for (int i = 0; i < block->program->signature.feed_count; ++i) {
    w->call.feeds[i] = w->tensors[inputs[i]];
    w->call.given[i] = berth_walk_is_given(w, &w->slots[inputs[i]]);
  }
}

// Forgets feeds of |block|, step |s|, that results have taken over.
static void block_forget(walk_t *w, int s, const berth_block_t *block) {
  const int32_t *inputs = inputs_of(w, s);
  for (int i = 0; i < block->program->signature.feed_count; ++i) {
    if (w->call.feeds[i] == NULL) w->tensors[inputs[i]] = NULL;
  }
}

static berth_code_t block_run(walk_t *w, int s, berth_error_t *err) {
  int32_t index = w->flow->steps[s].block;
  const berth_block_t *block = &w->flow->blocks[index];
  const int32_t *outputs = outputs_of(w, s);
  if (w->flow->has_shares) BERTH_TRY(inputs_renew(w, s, err));
  block_feed(w, s, block);
  if (block->is_waited_for) BERTH_TRY(spaces_note(w, err));
  berth_code_t code =
      berth_block_run(w->r, block, &w->kept[index], &w->call, err);
  block_forget(w, s, block);
  if (w->call.has_new_frame) berth_walk_lean_forget(w, index);
  if (code != BERTH_OK) return code;
  for (int i = 0; i < w->steps[s].output_count; ++i) {
    slot_give(w, outputs[i], w->call.results[i],
              w->call.is_own[i] ? BERTH_HOME_NONE : BERTH_HOME_OTHERS);
    if (w->flow->has_shares) share_note(w, s, block, i);
  }
  if (w->call.is_open) block_note_busy(w, w->kept[index]);
  return block->is_waited_for ? spaces_await_noted(w, err) : BERTH_OK;
}

static berth_code_t switch_run(walk_t *w, int s, berth_error_t *err) {
  const int32_t *inputs = inputs_of(w, s), *outputs = outputs_of(w, s);
  berth_dims_t dims = berth_frame_dims(w->frame, inputs[1]);
  if (dims.rank != 0) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The second input must be a scalar, but it has shape %s",
        berth_dims_text(dims, text));
  }
  int taken = *(const bool *)w->frame->data[inputs[1]] ? 1 : 0;
  berth_walk_kill(w, outputs[1 - taken]);
  return slot_hand_on(w, inputs[0], outputs[taken], err);
}

// Returns the first live input of step |s|, or -1.
static int live_input(const walk_t *w, int s) {
  const int32_t *inputs = inputs_of(w, s);
  for (int i = 0; i < w->steps[s].input_count; ++i) {
    if (!w->slots[inputs[i]].is_dead) return i;
  }
  return -1;
}

// Makes the output of a Merge that says which input it has taken.
static berth_code_t index_give(walk_t *w, int32_t slot, int index,
                               berth_error_t *err) {
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT32, 0, NULL, 1, &tensor, err));
  *(int32_t *)tensor->data = index;
  slot_give(w, slot, tensor, BERTH_HOME_OTHERS);
  return BERTH_OK;
}

static berth_code_t merge_run(walk_t *w, int s, berth_error_t *err) {
  int index = live_input(w, s);
  const int32_t *outputs = outputs_of(w, s);
  BERTH_TRY(slot_hand_on(w, inputs_of(w, s)[index], outputs[0], err));
  return w->steps[s].tells_which ? index_give(w, outputs[1], index, err)
                                 : BERTH_OK;
}

static berth_code_t retval_run(walk_t *w, int s, berth_error_t *err) {
  int32_t slot = outputs_of(w, s)[0];
  if (!w->slots[slot].is_dead) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "Retval[%d] has already been set.",
                           (int)w->flow->steps[s].fetch);
  }
  return slot_hand_on(w, inputs_of(w, s)[0], slot, err);
}

// Only the first value leaves a loop; one that is a loop has no other.
static berth_code_t exit_run(walk_t *w, int s, berth_error_t *err) {
  int32_t slot = outputs_of(w, s)[0];
  if (!w->slots[slot].is_dead) return BERTH_OK;
  return slot_hand_on(w, inputs_of(w, s)[0], slot, err);
}

static berth_code_t next_run(walk_t *w, int s, berth_error_t *err) {
  int32_t loop = w->flow->steps[s].loop;
  if (loop != BERTH_NO_LOOP) w->loops[loop].has_next = true;
  return slot_hand_on(w, inputs_of(w, s)[0], outputs_of(w, s)[0], err);
}

// Runs step |s|, which is live.
static berth_code_t live_run(walk_t *w, int s, berth_error_t *err) {
  w->is_step_dead[s] = false;
  if (BERTH_UNLIKELY(w->open != NULL)) {
    BERTH_TRY(berth_flow_open_finish(w->r, &w->open, inputs_of(w, s),
                                     w->steps[s].input_count, err));
  }
  switch ((berth_flow_kind_t)w->steps[s].kind) {
    case BERTH_FLOW_GATE:
      berth_walk_revive(w, outputs_of(w, s)[0]);
      return BERTH_OK;
    case BERTH_FLOW_SWITCH:
      return switch_run(w, s, err);
    case BERTH_FLOW_MERGE:
      return merge_run(w, s, err);
    case BERTH_FLOW_NEXT:
      return next_run(w, s, err);
    case BERTH_FLOW_RETVAL:
      return retval_run(w, s, err);
    case BERTH_FLOW_EXIT:
      return exit_run(w, s, err);
    case BERTH_FLOW_ENTER:
    case BERTH_FLOW_LOOP_COND:
      return slot_hand_on(w, inputs_of(w, s)[0], outputs_of(w, s)[0], err);
    case BERTH_FLOW_BLOCK:
      return block_run(w, s, err);
    case BERTH_FLOW_RUN:
    case BERTH_FLOW_TRIGGER:
      break;
  }
  return kernel_run(w, s, err);
}

static bool is_live(const walk_t *w, int s) {
  switch ((berth_flow_kind_t)w->steps[s].kind) {
    case BERTH_FLOW_MERGE:
      return live_input(w, s) >= 0;
    case BERTH_FLOW_TRIGGER:
      return true;
    default:
      return !is_cut_off(w, s);
  }
}

// What a dead step |s| does: nothing, but what leaves a loop keeps what it has
// from another iteration.
static void dead_run(walk_t *w, int s) {
  uint8_t kind = w->steps[s].kind;
  if (kind == BERTH_FLOW_EXIT || kind == BERTH_FLOW_RETVAL) return;
  berth_walk_kill_step(w, s);
}

static berth_code_t look(walk_t *w, berth_error_t *err) {
  w->until_look = LOOK_EVERY;
  berth_watch_t *watch = w->r->watch;
  return berth_watch_look(watch) ? berth_watch_error(watch, err) : BERTH_OK;
}

// True when step |s| runs a kernel if it is live.
static bool has_kernel(const walk_t *w, int s) {
  uint8_t kind = w->steps[s].kind;
  return kind == BERTH_FLOW_RUN || kind == BERTH_FLOW_TRIGGER;
}

// True when step |s| sees what those before it have changed.
static bool sees_updates(const walk_t *w, int s) {
  return w->flow->steps[s].kind == BERTH_FLOW_BLOCK ||
         (has_kernel(w, s) && !berth_step_updates(&w->program->steps[s]));
}

// Does what the steps up to |s| want to change, unless the next one, below
// |end|, adds to it or only hands values on: nobody sees then whether it is
// done.
static berth_code_t commit(walk_t *w, int s, int end, berth_error_t *err) {
  bool is_last = s + 1 == end || sees_updates(w, s + 1);
  return is_last ? berth_runner_commit(w->r, s, w->is_step_dead, err)
                 : BERTH_OK;
}

// Runs step |s|, below |end|, or passes it over.
static berth_code_t step_run(walk_t *w, int s, int end, berth_error_t *err) {
  int64_t started = BERTH_UNLIKELY(w->trace != NULL) ? berth_now_ns() : 0;
  bool live = is_live(w, s);
  if (live) {
    BERTH_TRY(live_run(w, s, err));
  } else {
    dead_run(w, s);
  }
  if (w->frame->first_update >= 0) BERTH_TRY(commit(w, s, end, err));
  if (BERTH_UNLIKELY(w->trace != NULL) && live &&
      w->steps[s].kind != BERTH_FLOW_BLOCK) {
    berth_trace_step(w->trace, &w->program->steps[s], 0, started,
                     berth_now_ns());
  }
  // The kernels that ran have said so already.
  if (!live || !has_kernel(w, s)) inputs_read(w, s);
  return BERTH_OK;
}

// True when what only hands values on does nothing else.
static bool may_pass(const walk_t *w) {
  return w->trace == NULL && w->open == NULL && !w->flow->has_shares &&
         w->frame->first_update < 0;
}

// Runs the steps [begin, end).
static berth_code_t steps_run(walk_t *w, int begin, int end,
                              berth_error_t *err) {
  for (int s = begin; s < end; ++s) {
    // Of these only blocks count: turns of a loop do too.
    while (may_pass(w)) {
      BERTH_TRY(berth_walk_pass(w, &s, end, err));
      if (w->until_look > 0) break;
      BERTH_TRY(look(w, err));
    }
    if (s == end) break;
    berth_code_t code = step_run(w, s, end, err);
    if (BERTH_UNLIKELY(code != BERTH_OK)) {
      // A block has named the step that failed, if it was one.
      bool is_block = w->steps[s].kind == BERTH_FLOW_BLOCK;
      if (!is_block) berth_runner_blame(w->r, s, err);
      return code;
    }
    bool has_ended = berth_watch_has_ended(w->r->watch);
    if (BERTH_UNLIKELY(has_ended || --w->until_look <= 0)) {
      BERTH_TRY(look(w, err));
    }
  }
  return BERTH_OK;
}

// ---- Loops ----

// Begins a loop: nothing has come round and nothing has come out. False when
// nothing comes in either.
static bool loop_begin(walk_t *w, int32_t loop) {
  bool is_entered = false;
  w->loops[loop] = (berth_walk_loop_t){.is_first = true};
  for (int32_t s = w->flow->loops[loop].first; s >= 0;
       s = w->flow->steps[s].next) {
    if (w->flow->steps[s].kind == BERTH_FLOW_ENTER) {
      is_entered = is_entered || !w->is_step_dead[s];
    } else {
      berth_walk_kill_step(w, s);
    }
  }
  return is_entered;
}

// Ends the first iteration: what came in for it alone is gone.
static void first_end(walk_t *w, int32_t loop) {
  for (int32_t s = w->flow->loops[loop].first; s >= 0;
       s = w->flow->steps[s].next) {
    const berth_flow_step_t *info = &w->flow->steps[s];
    if (info->kind == BERTH_FLOW_ENTER && !info->is_constant) berth_walk_kill_step(w, s);
  }
}

// Returns the mark behind which the walk goes on after |mark|.
static int32_t mark_pass(walk_t *w, int32_t mark) {
  const berth_flow_mark_t *m = &w->flow->marks[mark];
  const berth_flow_loop_t *loop = &w->flow->loops[m->loop];
  if (!m->is_end) return loop_begin(w, m->loop) ? mark : loop->end;
  if (!w->loops[m->loop].has_next) return mark;
  if (w->loops[m->loop].is_first) first_end(w, m->loop);
  w->loops[m->loop] = (berth_walk_loop_t){0};
  return loop->begin;
}

// Runs the steps [begin, end), between which there is no mark.
static berth_code_t stretch_run(walk_t *w, int begin, int end,
                                berth_error_t *err) {
  BERTH_TRY(steps_run(w, begin, end, err));
  return w->open == NULL
             ? BERTH_OK
             : berth_flow_open_finish(w->r, &w->open, NULL, 0, err);
}

// Runs the loop that begins at |mark|, and the loops in it.
static berth_code_t loop_run(walk_t *w, int32_t mark, berth_error_t *err) {
  const berth_flow_t *flow = w->flow;
  int32_t end = flow->loops[flow->marks[mark].loop].end;
  mark = mark_pass(w, mark);
  while (mark != end) {
    BERTH_TRY(stretch_run(w, flow->marks[mark].step, flow->marks[mark + 1].step,
                          err));
    mark = mark_pass(w, mark + 1);
    if (--w->until_look <= 0) BERTH_TRY(look(w, err));
  }
  return BERTH_OK;
}

static berth_code_t walk(walk_t *w, berth_error_t *err) {
  const berth_flow_t *flow = w->flow;
  int begin = 0;
  for (int32_t mark = 0; mark < (int32_t)flow->mark_count; ++mark) {
    BERTH_TRY(stretch_run(w, begin, flow->marks[mark].step, err));
    BERTH_TRY(loop_run(w, mark, err));
    mark = flow->loops[flow->marks[mark].loop].end;
    begin = flow->marks[mark].step;
  }
  return stretch_run(w, begin, w->program->step_count, err);
}

// ---- The whole ----

// Returns the most inputs, or outputs, that a step has.
static size_t most_args(const berth_program_t *p, bool of_inputs) {
  int32_t most = 0;
  for (int s = 0; s < p->step_count; ++s) {
    int32_t count =
        of_inputs ? p->steps[s].input_count : p->steps[s].output_count;
    if (count > most) most = count;
  }
  return (size_t)most;
}

// Makes room in |call| for the largest block of |p|; false when memory is short.
static bool call_init(berth_block_call_t *call, const berth_program_t *p) {
  size_t feeds = most_args(p, true) + 1, results = most_args(p, false) + 1;
  call->feeds = berth_calloc(feeds, sizeof(*call->feeds));
  call->given = berth_calloc(feeds, sizeof(*call->given));
  call->results = berth_calloc(results, sizeof(*call->results));
  call->is_own = berth_calloc(results, sizeof(*call->is_own));
  return call->feeds != NULL && call->given != NULL && call->results != NULL &&
         call->is_own != NULL;
}

static void call_deinit(berth_block_call_t *call) {
  berth_free(call->feeds);
  berth_free(call->given);
  berth_free(call->results);
  berth_free(call->is_own);
}

// True when somebody wants the second output of |step|, a Merge.
static bool tells_which(const berth_program_t *p, const berth_step_t *step) {
  const berth_slot_t *slot =
      &p->slots[p->args[step->first_arg + step->input_count + 1]];
  return slot->consumer_count > 0 || slot->is_kept;
}

// Returns what the walk sees of |step|.
static berth_walk_step_t step_see(const berth_program_t *p, const berth_step_t *step,
                            const berth_flow_step_t *info) {
  const int32_t *args = p->args + step->first_arg;
  return (berth_walk_step_t){
      .inputs = args,
      .outputs = args + step->input_count,
      .controls = p->flow->controls + info->first_control,
      .input_count = step->input_count,
      .output_count = step->output_count,
      .control_count = info->control_count,
      .kind = info->kind,
      .tells_which = info->kind == BERTH_FLOW_MERGE && tells_which(p, step)};
}

static walk_t *walk_create(berth_runner_t *r) {
  const berth_program_t *p = r->program;
  walk_t *w = berth_calloc(1, sizeof(*w));
  if (w == NULL) return NULL;
  w->program = p;
  w->flow = p->flow;
  w->frame = r->frame;
  w->tensors = r->frame->tensors;
  w->data = r->frame->data;
  w->reads_left = r->frame->reads_left;
  size_t slots = (size_t)p->slot_count + 1, steps = (size_t)p->step_count + 1;
  w->steps = berth_calloc(steps, sizeof(*w->steps));
  w->passes = berth_calloc(steps, sizeof(*w->passes));
  w->slots = berth_calloc(slots, sizeof(*w->slots));
  w->is_step_dead = berth_calloc(steps, sizeof(*w->is_step_dead));
  w->loops = berth_calloc((size_t)w->flow->loop_count + 1, sizeof(*w->loops));
  w->is_busy =
      berth_calloc((size_t)p->host->device_count + 1, sizeof(*w->is_busy));
  w->shares = berth_calloc(slots, sizeof(*w->shares));
  w->kept = berth_calloc((size_t)w->flow->block_count + 1, sizeof(*w->kept));
  w->spares = berth_calloc(slots, sizeof(*w->spares));
  if (w->steps == NULL || w->passes == NULL || w->slots == NULL || w->is_step_dead == NULL ||
      w->loops == NULL || w->is_busy == NULL || w->shares == NULL ||
      w->kept == NULL || w->spares == NULL || !call_init(&w->call, p) ||
      !berth_walk_leans_create(w)) {
    berth_flow_walk_destroy(w);
    return NULL;
  }
  for (int i = 0; i < p->slot_count; ++i) {
    const berth_slot_t *slot = &p->slots[i];
    w->slots[i].tensor = &w->tensors[i];
    w->slots[i].data = &w->data[i];
    w->slots[i].reads_left = &w->reads_left[i];
    w->slots[i].reads = slot->consumer_count;
    w->slots[i].home = BERTH_HOME_OTHERS;
    w->slots[i].is_passing = slot->producer >= 0 && !slot->is_kept &&
                             !slot->is_copied && p->settled[i] == NULL;
  }
  for (int s = 0; s < p->step_count; ++s) {
    w->steps[s] = step_see(p, &p->steps[s], &w->flow->steps[s]);
    berth_walk_pass_find(w, s);
  }
  return w;
}

void berth_flow_walk_destroy(berth_flow_walk_t *w) {
  if (w == NULL) return;
  berth_free(w->steps);
  berth_free(w->passes);
  berth_free(w->slots);
  berth_free(w->is_step_dead);
  berth_free(w->loops);
  berth_free(w->is_busy);
  berth_free(w->shares);
  berth_free(w->kept);
  berth_free(w->spares);
  berth_walk_leans_destroy(w);
  call_deinit(&w->call);
  berth_free(w);
}

// Begins a run: what steps make is dead.
static void walk_begin(walk_t *w, berth_runner_t *r) {
  const berth_program_t *p = w->program;
  w->r = r;
  w->trace = r->watch->control->trace;
  w->until_look = LOOK_EVERY;
  for (int i = 0; i < p->slot_count; ++i) {
    w->slots[i].is_dead = p->slots[i].producer >= 0;
    if (w->flow->has_shares) w->shares[i] = (berth_share_t){0};
  }
  for (int s = 0; s < p->step_count; ++s) w->is_step_dead[s] = false;
  for (int i = 0; i < p->host->device_count + 1; ++i) w->is_busy[i] = false;
}

// Ends it: gives back what blocks have kept.
static void walk_end(walk_t *w, berth_code_t code) {
  berth_flow_open_drop(&w->open);
  if (w->has_leans) berth_walk_leans_forget(w);
  for (int i = 0; i < w->flow->block_count; ++i) {
    if (code == BERTH_OK) {
      berth_block_release(w->kept[i]);
    } else {
      berth_block_abandon(w->kept[i]);
    }
    w->kept[i] = NULL;
  }
}

// Checks that everything fetched is there. Of several that are not, the first
// by name is told, as TensorFlow does.
static berth_code_t fetches_check(const walk_t *w, berth_error_t *err) {
  const berth_program_t *p = w->program;
  int first = -1;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    if (!w->slots[p->fetch_slots[i]].is_dead) continue;
    int place = berth_flow_fetch_place(p, i);
    if (first < 0 || place < first) first = place;
  }
  if (first < 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Retval[%d] does not have value", first);
}

// Makes what is fetched of a variable what that holds after all updates.
static berth_code_t fetches_renew(walk_t *w, berth_error_t *err) {
  const berth_program_t *p = w->program;
  for (int i = 0; i < p->signature.fetch_count && w->flow->has_shares; ++i) {
    int32_t slot = p->fetch_slots[i];
    if (w->shares[slot].variable == NULL) continue;
    BERTH_TRY(berth_share_renew(&w->shares[slot], w->frame, slot, err));
  }
  return BERTH_OK;
}

berth_code_t berth_flow_begin(berth_runner_t *r, berth_error_t *err) {
  if (r->frame->walk == NULL) r->frame->walk = walk_create(r);
  if (r->frame->walk == NULL) return berth_error_no_memory(err, "a run");
  walk_begin(r->frame->walk, r);
  return BERTH_OK;
}

berth_code_t berth_flow_stretch(berth_runner_t *r, int begin, int end,
                                berth_error_t *err) {
  return stretch_run(r->frame->walk, begin, end, err);
}

berth_code_t berth_flow_loop(berth_runner_t *r, int32_t mark,
                             berth_error_t *err) {
  return loop_run(r->frame->walk, mark, err);
}

berth_code_t berth_flow_sync(berth_runner_t *r, berth_error_t *err) {
  return spaces_sync(r->frame->walk, err);
}

void berth_flow_end(berth_runner_t *r, berth_code_t code) {
  walk_end(r->frame->walk, code);
}

bool berth_flow_is_dead(const berth_runner_t *r, int32_t slot) {
  return r->frame->walk->slots[slot].is_dead;
}

berth_code_t berth_flow_run(berth_runner_t *r, berth_error_t *err) {
  BERTH_TRY(berth_flow_begin(r, err));
  walk_t *w = r->frame->walk;
  berth_code_t code = walk(w, err);
  if (code == BERTH_OK) code = spaces_sync(w, err);
  if (code == BERTH_OK) code = fetches_check(w, err);
  if (code == BERTH_OK) code = fetches_renew(w, err);
  walk_end(w, code);
  return code;
}
