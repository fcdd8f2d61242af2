// flow_wait.c - Blocking steps among conditionals and loops: waited for in
// place.
//
// Which step comes next is known only when this one is done, so that there is
// nothing to do meanwhile but to look at what may end the run. Only a step that
// others have to join is left open until somebody reads what it makes: the walk
// comes to the others before.
#include "base/alloc.h"
#include "exec/pending.h"
#include "exec/run_internal.h"

// Waits until the step is done, and takes over what it brought. One that is
// done counts, even when the run was to be ended meanwhile: what came from a
// queue would be lost.
static berth_code_t await(berth_runner_t *r, int step, berth_pending_t *p,
                          berth_error_t *err) {
  berth_frame_park(r->frame, true);
  berth_pending_await(p, berth_watch_poll, r->watch);
  berth_frame_park(r->frame, false);
  if (p->code == BERTH_OK) {
    berth_runner_set_outputs(r, step, p->outputs);
    return berth_pending_result(p, err);
  }
  if (berth_watch_has_ended(r->watch)) {
    return berth_watch_error(r->watch, err);
  }
  return berth_pending_result(p, err);
}

berth_code_t berth_flow_await(berth_runner_t *r, int step, berth_error_t *err) {
  int count = r->program->steps[step].output_count;
  berth_tensor_t **outputs = berth_calloc((size_t)count + 1, sizeof(*outputs));
  if (outputs == NULL) return berth_error_no_memory(err, "a run");
  berth_waiter_t waiter;
  berth_pending_t pending;
  berth_waiter_init(&waiter);
  berth_pending_init(&pending, &waiter, outputs, count);
  berth_pending_begin(&pending);
  berth_code_t code = berth_runner_special(r, step, &pending.completion, err);
  if (code == BERTH_PENDING) {
    code = await(r, step, &pending, err);
  } else {
    berth_pending_end(&pending);
  }
  berth_pending_deinit(&pending);
  berth_waiter_deinit(&waiter);
  berth_free(outputs);
  return code;
}

// ---- Open steps ----

struct berth_flow_open {
  berth_waiter_t waiter;
  berth_pending_t pending;
  int step;
  berth_flow_open_t *next;
  berth_tensor_t *outputs[];
};

static berth_flow_open_t *open_create(const berth_runner_t *r, int step) {
  int count = r->program->steps[step].output_count;
  berth_flow_open_t *made =
      berth_calloc(1, sizeof(*made) + (size_t)count * sizeof(*made->outputs));
  if (made == NULL) return NULL;
  made->step = step;
  berth_waiter_init(&made->waiter);
  berth_pending_init(&made->pending, &made->waiter, made->outputs, count);
  return made;
}

static void open_destroy(berth_flow_open_t *open) {
  berth_pending_deinit(&open->pending);
  berth_waiter_deinit(&open->waiter);
  berth_free(open);
}

berth_code_t berth_flow_open_begin(berth_runner_t *r, int step,
                                   berth_flow_open_t **open,
                                   berth_error_t *err) {
  berth_flow_open_t *made = open_create(r, step);
  if (made == NULL) return berth_error_no_memory(err, "a run");
  berth_pending_begin(&made->pending);
  berth_code_t code =
      berth_runner_special(r, step, &made->pending.completion, err);
  if (code == BERTH_PENDING) {
    made->next = *open;
    *open = made;
    return BERTH_OK;
  }
  berth_pending_end(&made->pending);
  open_destroy(made);
  return code;
}

static bool makes_any(const berth_runner_t *r, int step, const int32_t *slots,
                      int count) {
  for (int i = 0; i < count; ++i) {
    if (r->program->slots[slots[i]].producer == step) return true;
  }
  return slots == NULL;
}

berth_code_t berth_flow_open_finish(berth_runner_t *r, berth_flow_open_t **open,
                                    const int32_t *slots, int count,
                                    berth_error_t *err) {
  berth_flow_open_t **link = open;
  while (*link != NULL) {
    berth_flow_open_t *found = *link;
    if (!makes_any(r, found->step, slots, count)) {
      link = &found->next;
      continue;
    }
    *link = found->next;
    berth_code_t code = await(r, found->step, &found->pending, err);
    open_destroy(found);
    if (code != BERTH_OK) return code;
  }
  return BERTH_OK;
}

void berth_flow_open_drop(berth_flow_open_t **open) {
  while (*open != NULL) {
    berth_flow_open_t *first = *open;
    *open = first->next;
    berth_pending_cancel(&first->pending);
    berth_waiter_drain(&first->waiter);
    for (int i = 0; i < first->pending.output_count; ++i) {
      berth_tensor_release(first->outputs[i]);
    }
    open_destroy(first);
  }
}
