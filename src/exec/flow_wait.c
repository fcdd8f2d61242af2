// flow_wait.c - Blocking steps among conditionals and loops: waited for in
// place.
//
// Which step comes next is known only when this one is done, so that there is
// nothing to do meanwhile but to look at what may end the run.
#include "base/alloc.h"
#include "base/clock.h"
#include "exec/run_internal.h"

enum { WAKE_NS = 5000000 };

// A blocking step that is under way.
typedef struct awaited {
  berth_completion_t completion;  // First: a kernel gets its address.
  berth_mutex_t lock;             // Guards what follows but |outputs|.
  berth_cond_t wake;
  bool is_done;
  berth_code_t code;
  char *text;  // Of a failure; owned.
  int output_count;
  berth_tensor_t **outputs;  // Whoever finishes the step, then the run.
} awaited_t;

// The |done| of a completion: may be called from any thread.
static void awaited_done(berth_completion_t *completion, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  awaited_t *a = (awaited_t *)completion;
  berth_mutex_lock(&a->lock);
  a->code = code;
  a->text = code != BERTH_OK && text != NULL ? berth_strdup(text) : NULL;
  for (int i = 0; code == BERTH_OK && i < a->output_count; ++i) {
    a->outputs[i] = outputs[i];
  }
  a->is_done = true;
  berth_cond_signal(&a->wake);
  berth_mutex_unlock(&a->lock);
}

// Sleeps for a few milliseconds at most; true when the step is done.
static bool awaited_sleep(awaited_t *a) {
  berth_mutex_lock(&a->lock);
  if (!a->is_done) {
    berth_cond_wait_until(&a->wake, &a->lock, berth_now_ns() + WAKE_NS);
  }
  bool is_done = a->is_done;
  berth_mutex_unlock(&a->lock);
  return is_done;
}

// Waits until the step is done. A run that is ended tells it to come to an end,
// and waits all the same: it points into the run.
static void awaited_wait(awaited_t *a, berth_watch_t *watch) {
  bool is_told = false;
  while (!awaited_sleep(a)) {
    if (is_told || !berth_watch_look(watch)) continue;
    is_told = true;
    if (a->completion.cancel != NULL) a->completion.cancel(&a->completion);
  }
}

// Takes over what the completion brought. A step that is done counts, even when
// the run was to be ended meanwhile: what came from a queue would be lost.
static berth_code_t awaited_take(awaited_t *a, berth_runner_t *r, int step,
                                 berth_error_t *err) {
  if (a->code == BERTH_OK) {
    berth_runner_set_outputs(r, step, a->outputs);
    return BERTH_OK;
  }
  if (r->watch.why != BERTH_OK) return berth_watch_error(&r->watch, err);
  return berth_error_set_text(err, a->code,
                              a->text != NULL ? a->text : "the op failed");
}

berth_code_t berth_flow_await(berth_runner_t *r, int step, berth_error_t *err) {
  awaited_t a = {.completion = {.done = awaited_done},
                 .output_count = r->program->steps[step].output_count};
  a.outputs = berth_calloc((size_t)a.output_count + 1, sizeof(*a.outputs));
  if (a.outputs == NULL) return berth_error_no_memory(err, "a run");
  berth_mutex_init(&a.lock);
  berth_cond_init(&a.wake);
  berth_code_t code = berth_runner_special(r, step, &a.completion, err);
  if (code == BERTH_PENDING) {
    awaited_wait(&a, &r->watch);
    code = awaited_take(&a, r, step, err);
  }
  if (a.completion.cleanup != NULL) a.completion.cleanup(&a.completion);
  berth_cond_deinit(&a.wake);
  berth_mutex_deinit(&a.lock);
  berth_free(a.text);
  berth_free(a.outputs);
  return code;
}
