// wait.c - Waiting for a card, and what is left behind by who no longer does.
//
// A wait that is ended leaves work behind that still writes its answer, or
// reads what it was given. The stream keeps that, and lets go of it when
// somebody next waits there and the work is done, or when the stream is closed.
#include "base/alloc.h"
#include "base/parallel.h"
#include "cuda/code/launch.h"
#include "cuda/stream/device_internal.h"

struct berth_cuda_kept {
  berth_event_t *event;    // Behind the work.
  berth_buffer_t *answer;  // What it writes or reads; may be NULL.
  berth_cuda_kept_t *next;
};

static void kept_free(berth_cuda_kept_t *kept) {
  berth_cuda_event_destroy(kept->event);
  berth_buffer_release(kept->answer);
  berth_free(kept);
}

// True when nobody uses the answer any more: it is done, or its card has
// failed.
static bool is_done(const berth_cuda_kept_t *kept) {
  bool done = false;
  return berth_cuda_event_query(kept->event, &done, NULL) != BERTH_OK || done;
}

// Takes what is done off the list, or everything.
static berth_cuda_kept_t *take_done(berth_cuda_stream_t *stream, bool all) {
  berth_cuda_kept_t *taken = NULL, **link = &stream->kept;
  berth_mutex_lock(&stream->kept_lock);
  while (*link != NULL) {
    berth_cuda_kept_t *kept = *link;
    if (!all && !is_done(kept)) {
      link = &kept->next;
      continue;
    }
    *link = kept->next;
    kept->next = taken;
    taken = kept;
  }
  berth_mutex_unlock(&stream->kept_lock);
  return taken;
}

static void drop(berth_cuda_stream_t *stream, bool all) {
  berth_cuda_kept_t *kept = take_done(stream, all);
  while (kept != NULL) {
    berth_cuda_kept_t *next = kept->next;
    kept_free(kept);
    kept = next;
  }
}

void berth_cuda_drop_kept(berth_cuda_stream_t *stream) { drop(stream, true); }

// ---- Keeping ----

// Marks the end of what is queued on |stream|, with room for what is to be kept
// until then.
static berth_code_t kept_make(berth_cuda_stream_t *stream,
                              berth_cuda_kept_t **out_kept,
                              berth_error_t *err) {
  berth_cuda_kept_t *kept = berth_calloc(1, sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "a wait");
  drop(stream, false);
  berth_code_t code =
      berth_cuda_event_create(stream->base.device, &kept->event, err);
  if (code == BERTH_OK) {
    code = berth_cuda_event_record(&stream->base, kept->event, err);
  }
  if (code != BERTH_OK) {
    kept_free(kept);
    return code;
  }
  *out_kept = kept;
  return BERTH_OK;
}

static void kept_add(berth_cuda_stream_t *stream, berth_cuda_kept_t *kept) {
  berth_mutex_lock(&stream->kept_lock);
  kept->next = stream->kept;
  stream->kept = kept;
  berth_mutex_unlock(&stream->kept_lock);
}

berth_code_t berth_cuda_stream_keep(berth_stream_t *base,
                                    berth_buffer_t *buffer,
                                    berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  berth_cuda_kept_t *kept = NULL;
  // Copies are done with other memory when they are queued.
  if (!berth_cuda_is_pinned(stream->card, buffer->data, buffer->size)) {
    return BERTH_OK;
  }
  BERTH_TRY(kept_make(stream, &kept, err));
  kept->answer = berth_buffer_retain(buffer);
  kept_add(stream, kept);
  return BERTH_OK;
}

// ---- Waiting ----

bool berth_cuda_is_ended(void *unused) {
  (void)unused;
  return berth_parallel_poll();
}

berth_code_t berth_cuda_stream_await(berth_cuda_stream_t *stream,
                                     berth_buffer_t *answer, berth_look_fn look,
                                     void *arg, berth_error_t *err) {
  berth_cuda_kept_t *kept = NULL;
  BERTH_TRY(kept_make(stream, &kept, err));
  berth_code_t code =
      berth_await_event(&berth_cuda_stream_ops, kept->event, look, arg, err);
  if (code != BERTH_CANCELLED) {
    kept_free(kept);
    return code;
  }
  if (answer != NULL) kept->answer = berth_buffer_retain(answer);
  kept_add(stream, kept);
  return berth_error_set(err, BERTH_CANCELLED,
                         "Cancelled while waiting for GPU %d",
                         stream->card->index);
}

// True when the run of |call| is to end.
static bool is_ended(void *arg) {
  const berth_call_t *call = arg;
  if (call->cancelled != NULL &&
      atomic_load_explicit(call->cancelled, memory_order_relaxed) != 0) {
    return true;
  }
  return berth_parallel_poll();
}

berth_code_t berth_cuda_wait(berth_call_t *call, berth_buffer_t *answer) {
  return berth_cuda_stream_await((berth_cuda_stream_t *)call->stream, answer,
                                 is_ended, call, call->err);
}
