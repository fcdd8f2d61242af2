// pending.c - Waiting for steps that block.
#include "exec/pending.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/clock.h"

enum { WAKE_NS = 5000000 };

// ---- Life ----

void berth_waiter_init(berth_waiter_t *waiter) {
  *waiter = (berth_waiter_t){0};
  berth_mutex_init(&waiter->lock);
  berth_cond_init(&waiter->wake);
}

void berth_waiter_deinit(berth_waiter_t *waiter) {
  BERTH_ASSERT(waiter->waiting == 0);  // I2
  berth_cond_deinit(&waiter->wake);
  berth_mutex_deinit(&waiter->lock);
}

// The |done| of a completion: may be called from any thread.
static void pending_done(berth_completion_t *completion, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  berth_pending_t *p = (berth_pending_t *)completion;
  berth_waiter_t *w = p->waiter;
  berth_mutex_lock(&w->lock);
  BERTH_ASSERT(p->is_waiting && w->waiting > 0);  // Done once. I1
  p->code = code;
  p->text = code != BERTH_OK && text != NULL ? berth_strdup(text) : NULL;
  for (int i = 0; code == BERTH_OK && i < p->output_count; ++i) {
    p->outputs[i] = outputs[i];
  }
  p->next = w->finished;
  w->finished = p;
  p->is_waiting = false;
  --w->waiting;
  berth_cond_signal(&w->wake);
  berth_mutex_unlock(&w->lock);
}

void berth_pending_init(berth_pending_t *p, berth_waiter_t *waiter,
                        berth_tensor_t **outputs, int output_count) {
  *p = (berth_pending_t){.completion = {.done = pending_done},
                         .waiter = waiter,
                         .outputs = outputs,
                         .output_count = output_count};
}

void berth_pending_deinit(berth_pending_t *p) {
  if (p->completion.cleanup != NULL) p->completion.cleanup(&p->completion);
  p->completion.cleanup = NULL;
  berth_free(p->text);
  p->text = NULL;
}

// ---- Under way ----

void berth_pending_begin(berth_pending_t *p) {
  berth_mutex_lock(&p->waiter->lock);
  BERTH_ASSERT(!p->is_waiting);
  p->is_waiting = true;  // It may be done before the kernel returns.
  ++p->waiter->waiting;
  berth_mutex_unlock(&p->waiter->lock);
}

void berth_pending_end(berth_pending_t *p) {
  berth_mutex_lock(&p->waiter->lock);
  BERTH_ASSERT(p->is_waiting);
  p->is_waiting = false;
  --p->waiter->waiting;
  berth_mutex_unlock(&p->waiter->lock);
}

void berth_pending_cancel(berth_pending_t *p) {
  berth_mutex_lock(&p->waiter->lock);
  bool tell = p->is_waiting && p->completion.cancel != NULL;
  berth_mutex_unlock(&p->waiter->lock);
  if (tell) p->completion.cancel(&p->completion);
}

berth_code_t berth_pending_result(berth_pending_t *p, berth_error_t *err) {
  if (p->code == BERTH_OK) {
    berth_completion_t *completion = &p->completion;
    return completion->taken != NULL ? completion->taken(completion, err)
                                     : BERTH_OK;
  }
  return berth_error_set_text(err, p->code,
                              p->text != NULL ? p->text : "the op failed");
}

void berth_pending_await(berth_pending_t *p, berth_look_fn look, void *arg) {
  bool is_told = false;
  while (berth_waiter_take(p->waiter) == NULL) {
    berth_waiter_sleep(p->waiter);
    if (is_told || look == NULL || !look(arg)) continue;
    is_told = true;
    berth_pending_cancel(p);
  }
}

// ---- The waiter ----

berth_pending_t *berth_waiter_take(berth_waiter_t *w) {
  berth_mutex_lock(&w->lock);
  berth_pending_t *p = w->finished;
  if (p != NULL) w->finished = p->next;
  berth_mutex_unlock(&w->lock);
  return p;
}

bool berth_waiter_is_busy(berth_waiter_t *w) {
  berth_mutex_lock(&w->lock);
  bool is_busy = w->waiting > 0 || w->finished != NULL;
  berth_mutex_unlock(&w->lock);
  return is_busy;
}

void berth_waiter_sleep(berth_waiter_t *w) {
  berth_mutex_lock(&w->lock);
  if (w->waiting > 0 && w->finished == NULL) {
    berth_cond_wait_until(&w->wake, &w->lock, berth_now_ns() + WAKE_NS);
  }
  berth_mutex_unlock(&w->lock);
}

void berth_waiter_drain(berth_waiter_t *w) {
  berth_mutex_lock(&w->lock);
  while (w->waiting > 0) berth_cond_wait(&w->wake, &w->lock);
  berth_mutex_unlock(&w->lock);
}
