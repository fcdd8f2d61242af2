// flow_wait.c - Blocking steps among conditionals and loops: waited for in
// place.
//
// Which step comes next is known only when this one is done, so that there is
// nothing to do meanwhile but to look at what may end the run.
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
    return BERTH_OK;
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
