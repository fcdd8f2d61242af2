// run.c - Running a program.
#include "exec/run.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/fan.h"
#include "exec/fuse.h"
#include "exec/hold.h"
#include "exec/run_internal.h"
#include "exec/settle.h"
#include "memory/label.h"

// Steps between two looks at what may end the run, when all of them are short.
enum { LOOK_EVERY = 256 };

// ---- Steps ----

// Does the steps of |group| before |s| that were skipped before the rest of the
// run became late.
static BERTH_NOINLINE berth_code_t catch_up(berth_runner_t *r,
                                            const berth_group_t *group, int s,
                                            berth_error_t *err) {
  for (int32_t i = 0; group->steps[i] < s; ++i) {
    const berth_step_t *step = &r->program->steps[group->steps[i]];
    int32_t slot = r->program->args[step->first_arg + step->input_count];
    // An output of the group that is kept has its tensor from the beginning.
    bool is_kept = r->layout->spots[slot].storage == BERTH_STORE_TENSOR;
    if (r->frame->tensors[slot] != NULL && !is_kept) continue;
    int64_t started = berth_now_ns();
    BERTH_TRY(berth_runner_special(r, group->steps[i], NULL, err));
    if (r->watch->control->trace != NULL) {
      berth_trace_step(r->watch->control->trace, step, 0, started,
                       berth_now_ns());
    }
  }
  return BERTH_OK;
}

berth_code_t berth_runner_step(berth_runner_t *r, int s, berth_call_t *call,
                               berth_error_t *err) {
  const berth_hot_step_t *hot = &r->layout->hot[s];
  if (r->program->steps[s].blocker >= 0) return berth_waits_step(r, s, err);
  if (hot->how == BERTH_HOT_SKIP && !r->frame->all_late) return BERTH_OK;
  bool is_plain = hot->how == BERTH_HOT_PLAIN || hot->how == BERTH_HOT_FAN;
  if (is_plain && !r->frame->all_late) {
    call->node = hot->node;
    return hot->run(hot->plan, r->frame->args + hot->first_arg, call);
  }
  const berth_group_t *group = berth_group_of(r->layout, s);
  if (group != NULL) BERTH_TRY(catch_up(r, group, s, err));
  return berth_runner_special(r, s, NULL, err);
}

berth_code_t berth_runner_after(berth_runner_t *r, int first, int last,
                                bool look, berth_error_t *err) {
  if (r->layout->released_count > 0) {
    berth_frame_let_go(r->frame, first, last);
  }
  if (look) berth_watch_look(r->watch);
  return berth_watch_has_ended(r->watch) ? berth_watch_error(r->watch, err)
                                         : BERTH_OK;
}

static bool begins_fan(const berth_runner_t *r, int s) {
  return r->layout->hot[s].how == BERTH_HOT_FAN && !r->frame->all_late;
}

// Runs the fan that begins with step |*s|, and moves |*s| to its last one.
static berth_code_t fan_run(berth_runner_t *r, int *s, berth_call_t *call,
                            berth_error_t *err) {
  const berth_fan_t *fan = berth_fan_at(r->layout, *s);
  *s = fan->end - 1;
  return berth_fan_run(r, fan, call, err);
}

// As the loop below, with a record of every step.
static berth_code_t run_traced(berth_runner_t *r, int begin, int end,
                               berth_call_t *call, berth_error_t *err) {
  for (int s = begin; s < end; ++s) {
    if (begins_fan(r, s)) {
      BERTH_TRY(fan_run(r, &s, call, err));
      continue;
    }
    int64_t started = berth_now_ns();
    berth_code_t code = berth_runner_step(r, s, call, err);
    if (code != BERTH_OK) {
      berth_runner_blame(r, s, err);
      return code;
    }
    // A blocking step is recorded when it is done.
    if (r->program->steps[s].blocker < 0) {
      berth_trace_layout_step(r->watch->control->trace, r->layout, s,
                              r->frame->all_late, started, berth_now_ns());
    }
    BERTH_TRY(berth_runner_after(r, s, s, true, err));
  }
  return BERTH_OK;
}

// A step that was cut short has left its outputs half written, and says
// nothing: whoever stopped it has ended the watch, which is looked at behind
// every step, before anybody sees them.
berth_code_t berth_runner_steps(berth_runner_t *r, int begin, int end,
                                berth_error_t *err) {
  if (r->frame->issue != NULL) return berth_issue_steps(r, begin, end, err);
  berth_call_t call = {
      .err = err,
      .container = r->program->host->container,
      .cancelled = &r->watch->ended,
      .allocator = r->program->host->devices[0].allocator,
  };
  if (r->watch->control->trace != NULL)
    return run_traced(r, begin, end, &call, err);
  const berth_hot_step_t *hot = r->layout->hot + begin;
  void **args = r->frame->args;
  int until_look = LOOK_EVERY;
  for (int s = begin; s < end; ++s, ++hot) {
    berth_code_t code;
    if (BERTH_LIKELY(hot->how == BERTH_HOT_PLAIN && !r->frame->all_late)) {
      call.node = hot->node;
      code = hot->run(hot->plan, args + hot->first_arg, &call);
    } else if (hot->how == BERTH_HOT_MAKES) {
      code = berth_runner_special(r, s, NULL, err);
    } else if (BERTH_UNLIKELY(begins_fan(r, s))) {
      BERTH_TRY(fan_run(r, &s, &call, err));
      hot = r->layout->hot + s;
      continue;
    } else {
      code = berth_runner_step(r, s, &call, err);
    }
    if (BERTH_UNLIKELY(code != BERTH_OK)) {
      berth_runner_blame(r, s, err);
      return code;
    }
    if (BERTH_UNLIKELY(hot->after != 0 || --until_look == 0 ||
                       berth_watch_has_ended(r->watch))) {
      bool look = (hot->after & BERTH_AFTER_LOOK) != 0 || until_look == 0;
      if (look) until_look = LOOK_EVERY;
      BERTH_TRY(berth_runner_after(r, s, s, look, err));
    }
  }
  return BERTH_OK;
}

// ---- Beginning and end ----

// Binds the feeds. Fed memory is borrowed: the frame only points.
static void bind_feeds(berth_runner_t *r, berth_tensor_t *const *feeds) {
  const berth_program_t *p = r->program;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    berth_frame_set(r->frame, p->feed_slots[i], feeds[i]);
  }
}

// Checks the feeds, and says whether any is in the memory of a device.
static berth_code_t check_feeds(const berth_program_t *p,
                                berth_tensor_t *const *feeds,
                                bool *out_on_device, berth_error_t *err) {
  bool on_device = false;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    berth_dtype_t wanted = p->slots[p->feed_slots[i]].dtype;
    if (BERTH_LIKELY(feeds[i] != NULL && feeds[i]->dtype == wanted)) {
      on_device |= feeds[i]->device != NULL;
      continue;
    }
    if (feeds[i] == NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Feed %d has no tensor", i);
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expects arg[%d] to be %s but %s is provided", i,
                           berth_dtype_name(wanted),
                           berth_dtype_name(feeds[i]->dtype));
  }
  *out_on_device = on_device;
  return BERTH_OK;
}

// Returns where the tensor of |slot| lies. What comes from a device comes into
// pinned memory.
static berth_allocator_t *tensor_allocator(const berth_program_t *p,
                                           int32_t slot) {
  const berth_slot_t *info = &p->slots[slot];
  if (info->space != BERTH_HOST_SPACE) {
    return berth_space_allocator(p->host, info->space);
  }
  const berth_step_t *maker = &p->steps[info->producer];
  return berth_is_copy(maker) ? p->host->devices[maker->device].device->pinned
                              : NULL;
}

berth_tensor_t *berth_runner_inherited(const berth_runner_t *r, int32_t feed) {
  if (r->block == NULL) return NULL;
  int i = 0;
  while (r->program->feed_slots[i] != feed) ++i;
  if (!r->block->given[i]) return NULL;
  berth_tensor_t *tensor = r->block->feeds[i];
  r->block->feeds[i] = NULL;
  return tensor;
}

// Makes the tensor of |slot|, on the way of every small run.
static BERTH_INLINE berth_code_t tensor_make(const berth_runner_t *r,
                                             int32_t slot,
                                             berth_tensor_t **out_tensor,
                                             berth_error_t *err) {
  const berth_spot_t *spot = &r->layout->spots[slot];
  const berth_step_t *maker =
      &r->program->steps[r->program->slots[slot].producer];
  const char *before = berth_label_enter(berth_step_name(maker));
  berth_code_t code = berth_tensor_make(
      tensor_allocator(r->program, slot), r->program->slots[slot].dtype,
      spot->dims.rank, spot->dims.dims, spot->count, out_tensor, err);
  berth_label_enter(before);
  if (code != BERTH_OK) berth_step_blame(maker, err);
  return code;
}

berth_code_t berth_runner_tensor(const berth_runner_t *r, int32_t slot,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  return tensor_make(r, slot, out_tensor, err);
}

// Makes the tensors that the run is known to need.
static berth_code_t make_tensors(berth_runner_t *r, berth_error_t *err) {
  const berth_layout_t *layout = r->layout;
  for (int i = 0; i < layout->tensor_slot_count; ++i) {
    int32_t slot = layout->tensor_slots[i];
    int32_t feed = layout->spots[slot].heir_of;
    berth_tensor_t *tensor = NULL;
    if (BERTH_UNLIKELY(feed >= 0)) tensor = berth_runner_inherited(r, feed);
    if (tensor == NULL) BERTH_TRY(tensor_make(r, slot, &tensor, err));
    berth_frame_set(r->frame, slot, tensor);
  }
  return BERTH_OK;
}

// Stores a reference to fetch |i|. What has to be copied out of pinned memory
// is copied once, however often it is fetched.
static berth_code_t take_result(berth_runner_t *r, int i,
                                berth_tensor_t **results, berth_error_t *err) {
  const int32_t *slots = r->program->fetch_slots;
  bool copied = r->layout->spots[slots[i]].storage == BERTH_STORE_ARENA;
  for (int k = 0; copied && k < i; ++k) {
    if (slots[k] != slots[i]) continue;
    results[i] = berth_tensor_retain(results[k]);
    return BERTH_OK;
  }
  return berth_frame_export(r->frame, slots[i], &results[i], err);
}

static berth_code_t take_results(berth_runner_t *r, berth_tensor_t **results,
                                 berth_error_t *err) {
  const berth_program_t *p = r->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_code_t code = take_result(r, i, results, err);
    if (code != BERTH_OK) {
      while (i > 0) {
        berth_tensor_release(results[--i]);
        results[i] = NULL;
      }
      return code;
    }
  }
  return BERTH_OK;
}

// A trace shows settled steps too: they are run once more, for the clock.
static berth_code_t trace_settled(berth_runner_t *r, berth_program_t *p,
                                  berth_error_t *err) {
  for (int s = 0; s < p->settled_step_count; ++s) {
    berth_step_t *step = &p->settled_steps[s];
    int64_t started = berth_now_ns();
    BERTH_TRY(berth_settle_again(p, step, &r->watch->ended, err));
    berth_trace_step(r->watch->control->trace, step, 0, started,
                     berth_now_ns());
  }
  for (int i = 0; p->flow != NULL && i < p->flow->block_count; ++i) {
    BERTH_TRY(trace_settled(r, p->flow->blocks[i].program, err));
  }
  return BERTH_OK;
}

berth_code_t berth_runner_begin(berth_runner_t *r, berth_tensor_t *const *feeds,
                                berth_error_t *err) {
  bind_feeds(r, feeds);
  if (r->frame->issue != NULL) {
    BERTH_TRY(berth_issue_begin(r->frame, err));
  }
  return make_tensors(r, err);
}

static berth_code_t run_in_frame(berth_runner_t *r,
                                 berth_tensor_t *const *feeds,
                                 berth_tensor_t **results, berth_error_t *err) {
  BERTH_TRY(berth_runner_begin(r, feeds, err));
  if (r->watch->control->trace != NULL)
    BERTH_TRY(trace_settled(r, r->program, err));
  if (r->program->flow != NULL) {
    BERTH_TRY(berth_flow_run(r, err));
    return take_results(r, results, err);
  }
  if (r->program->blocker_count > 0) {
    BERTH_TRY(berth_waits_create(r, err));
    BERTH_TRY(berth_waits_run(r, err));
  } else {
    BERTH_TRY(berth_runner_steps(r, 0, r->program->step_count, err));
  }
  if (r->frame->issue != NULL) {
    BERTH_TRY(berth_issue_drain(r, err));
    if (r->watch->control->trace != NULL) berth_issue_trace(r);
  }
  return take_results(r, results, err);
}

// Brings |feeds| to the host, as references.
static berth_code_t feeds_bring(berth_tensor_t *const *feeds, int count,
                                const berth_run_control_t *control,
                                berth_tensor_t **brought, berth_error_t *err) {
  berth_watch_t watch = {.control = control};
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll, &watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = berth_tensor_to_host(feeds[i], &brought[i], err);
  }
  berth_parallel_enter(before);
  return code == BERTH_CANCELLED ? berth_watch_why(&watch, code, err) : code;
}

// Feeds are the host's: brings those there that are not, and runs.
static BERTH_NOINLINE berth_code_t
run_from_devices(berth_program_t *program, berth_tensor_t *const *feeds,
                 berth_tensor_t **results, const berth_run_control_t *control,
                 berth_error_t *err) {
  int count = program->signature.feed_count;
  berth_tensor_t **brought = berth_calloc((size_t)count, sizeof(*brought));
  if (brought == NULL) return berth_error_no_memory(err, "feeds");
  berth_code_t code = feeds_bring(feeds, count, control, brought, err);
  if (code == BERTH_OK)
    code = berth_run(program, brought, results, control, err);
  for (int i = 0; i < count; ++i) berth_tensor_release(brought[i]);
  berth_free(brought);
  return code;
}

berth_code_t berth_runner_frame(berth_runner_t *r, berth_error_t *err) {
  berth_code_t code = berth_frame_acquire(r->layout, r->watch, &r->frame, err);
  if (code != BERTH_RESOURCE_EXHAUSTED || !r->layout->borrows) return code;
  berth_error_clear(err);
  BERTH_TRY(berth_layout_get_late(r->program, &r->layout, err));
  return berth_frame_acquire(r->layout, r->watch, &r->frame, err);
}

// Runs |program|, whose cards are held.
static berth_code_t run_held(berth_program_t *program,
                             berth_tensor_t *const *feeds,
                             berth_tensor_t **results,
                             const berth_run_control_t *control,
                             berth_error_t *err) {
  berth_watch_t watch = {.control = control};
  berth_runner_t r = {.program = program, .watch = &watch};
  bool on_device = false;
  BERTH_TRY(check_feeds(program, feeds, &on_device, err));
  if (BERTH_UNLIKELY(on_device) && program->signature.feed_spaces == NULL) {
    return run_from_devices(program, feeds, results, control, err);
  }
  if (berth_watch_look(&watch)) return berth_watch_error(&watch, err);
  // What has loops is prepared as it runs: the shapes may change on the way.
  BERTH_TRY(
      program->flow != NULL
          ? berth_layout_get_late(program, &r.layout, err)
          : berth_layout_get(program, feeds, &watch.ended, &r.layout, err));
  BERTH_TRY(berth_runner_frame(&r, err));
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll, &watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_float_env_t float_env = berth_float_env_enter();
  berth_code_t code = run_in_frame(&r, feeds, results, err);
  if (code == BERTH_CANCELLED) code = berth_watch_why(&watch, code, err);
  berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  berth_waits_destroy(r.waits);
  if (code == BERTH_OK) {
    berth_frame_release(r.frame);
  } else {
    berth_frame_abandon(r.frame, feeds);
  }
  if (BERTH_UNLIKELY(watch.of_run != NULL)) {
    berth_container_destroy(watch.of_run);
  }
  return code;
}

// Holds the cards of |program| and runs it.
static BERTH_NOINLINE berth_code_t
run_holding(berth_program_t *program, berth_tensor_t *const *feeds,
            berth_tensor_t **results, const berth_run_control_t *control,
            berth_error_t *err) {
  berth_watch_t watch = {.control = control};
  berth_holds_t holds;
  BERTH_TRY(berth_holds_enter(&holds, program, &watch, err));
  berth_code_t code = run_held(program, feeds, results, control, err);
  berth_holds_leave(&holds);
  return code;
}

berth_code_t berth_run(berth_program_t *program, berth_tensor_t *const *feeds,
                       berth_tensor_t **results,
                       const berth_run_control_t *control, berth_error_t *err) {
  berth_label_t line = berth_label_line;
  berth_label_line = BERTH_LABEL_NODE;
  berth_code_t code = program->used == NULL
                          ? run_held(program, feeds, results, control, err)
                          : run_holding(program, feeds, results, control, err);
  berth_label_line = line;
  return code;
}
