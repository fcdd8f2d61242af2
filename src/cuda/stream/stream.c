// stream.c - Streams of a card, and how far their work has come.
#include <string.h>

#include "base/clock.h"
#include "cuda/stream/device_internal.h"
#include "cuda/stream/staging.h"

// ---- Timelines ----
//
// A ticket is counted for every piece of work after the driver has taken it, so
// whoever reads |submitted| and then asks the driver asks about all of them. An
// event is recorded only when somebody wants to know: work costs an addition.

static berth_cuda_stream_t *of_timeline(berth_timeline_t *timeline) {
  return (berth_cuda_stream_t *)((char *)timeline -
                                 offsetof(berth_cuda_stream_t, timeline));
}

// True when its work cannot go on, or is over, because its context is gone.
static bool is_gone(berth_cuda_stream_t *stream) {
  uint64_t generation = atomic_load(&stream->generation);
  if (generation == 0) return true;
  return !berth_cuda_bind_old(stream->card, generation);
}

// Asks how far |stream| has come; |submitted| was read before. Lock held and
// context bound.
static void probe(berth_cuda_stream_t *stream, uint64_t submitted) {
  if (stream->probe_ticket != 0) {
    if (BERTH_CU(cuEventQuery, stream->probe) != CUDA_SUCCESS) return;
    atomic_store(&stream->passed, stream->probe_ticket);
    stream->probe_ticket = 0;
  }
  if (atomic_load(&stream->passed) == submitted) return;
  if (BERTH_CU(cuStreamQuery, stream->native) == CUDA_SUCCESS) {
    atomic_store(&stream->passed, submitted);
  } else if (BERTH_CU(cuEventRecord, stream->probe, stream->native) ==
             CUDA_SUCCESS) {
    stream->probe_ticket = submitted;
  }
}

static uint64_t timeline_passed(berth_timeline_t *timeline) {
  berth_cuda_stream_t *stream = of_timeline(timeline);
  uint64_t submitted = atomic_load(&timeline->submitted);
  uint64_t passed = atomic_load(&stream->passed);
  // In the child of a fork nobody works, and the lock may be held for ever.
  if (atomic_load(&berth_cuda_is_forked)) return submitted;
  // A thread that records must not ask the driver anything.
  if (passed == submitted || berth_cuda_thread_records()) return passed;
  berth_mutex_lock(&stream->lock);
  if (is_gone(stream)) {
    atomic_store(&stream->passed, submitted);
  } else {
    probe(stream, submitted);
  }
  passed = atomic_load(&stream->passed);
  berth_mutex_unlock(&stream->lock);
  return passed;
}

// A ticket that is waited for.
typedef struct ticket_goal {
  berth_timeline_t *timeline;
  uint64_t ticket;
} ticket_goal_t;

static berth_code_t ask_ticket(void *arg, bool *out_done, berth_error_t *err) {
  const ticket_goal_t *goal = arg;
  berth_cuda_stream_t *stream = of_timeline(goal->timeline);
  *out_done = timeline_passed(goal->timeline) >= goal->ticket;
  if (*out_done) return BERTH_OK;
  // A card that has failed passes nothing any more.
  CUresult result = BERTH_CU(cuStreamQuery, stream->native);
  *out_done = result != CUDA_ERROR_NOT_READY;
  if (!*out_done) return BERTH_OK;
  return berth_cuda_check(stream->card, result, "cuStreamQuery", err);
}

static berth_code_t timeline_wait(berth_timeline_t *timeline, uint64_t ticket,
                                  berth_error_t *err) {
  berth_cuda_stream_t *stream = of_timeline(timeline);
  if (timeline_passed(timeline) >= ticket) return BERTH_OK;
  if (berth_cuda_thread_records()) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "GPU %d cannot be waited for while it records",
                           stream->card->index);
  }
  BERTH_TRY(berth_cuda_bind(stream->card, err));
  ticket_goal_t goal = {timeline, ticket};
  berth_code_t code =
      berth_await(ask_ticket, &goal, berth_cuda_is_ended, NULL, err);
  if (code != BERTH_CANCELLED) return code;
  return berth_error_set(err, BERTH_CANCELLED,
                         "Cancelled while waiting for memory of GPU %d",
                         stream->card->index);
}

// ---- Life ----

void berth_cuda_stream_init(berth_cuda_stream_t *stream,
                            berth_cuda_card_t *card) {
  memset(stream, 0, sizeof(*stream));
  stream->card = card;
  stream->timeline.passed = timeline_passed;
  stream->timeline.wait = timeline_wait;
  berth_mutex_init(&stream->lock);
  berth_mutex_init(&stream->staging_lock);
  berth_mutex_init(&stream->kept_lock);
}

void berth_cuda_stream_deinit(berth_cuda_stream_t *stream) {
  berth_mutex_deinit(&stream->kept_lock);
  berth_mutex_deinit(&stream->staging_lock);
  berth_mutex_deinit(&stream->lock);
}

static void destroy(CUstream native, const CUevent *events, int count) {
  for (int i = 0; i < count; ++i) {
    if (events[i] != NULL) (void)BERTH_CU(cuEventDestroy_v2, events[i]);
  }
  (void)BERTH_CU(cuStreamDestroy_v2, native);
}

berth_code_t berth_cuda_stream_open(berth_cuda_stream_t *stream, int priority,
                                    berth_error_t *err) {
  berth_cuda_card_t *card = stream->card;
  CUstream native = NULL;
  CUevent events[2] = {NULL, NULL};
  berth_code_t code = BERTH_OK;
  BERTH_TRY(BERTH_CARD_CALL(card, err, cuStreamCreateWithPriority, &native,
                            CU_STREAM_NON_BLOCKING, priority));
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    code = BERTH_CARD_CALL(card, err, cuEventCreate, &events[i],
                           CU_EVENT_DISABLE_TIMING);
  }
  if (code != BERTH_OK) {
    destroy(native, events, 2);
    return code;
  }
  berth_mutex_lock(&stream->lock);
  stream->native = native;
  stream->probe = events[0];
  stream->handoff = events[1];
  stream->probe_ticket = 0;
  atomic_store(&stream->passed, atomic_load(&stream->timeline.submitted));
  atomic_store(&stream->generation, atomic_load(&card->live));
  berth_mutex_unlock(&stream->lock);
  return BERTH_OK;
}

void berth_cuda_stream_drain(berth_cuda_stream_t *stream) {
  if (!is_gone(stream)) (void)BERTH_CU(cuStreamSynchronize, stream->native);
}

void berth_cuda_stream_close(berth_cuda_stream_t *stream) {
  berth_mutex_lock(&stream->lock);
  bool is_bound = !is_gone(stream);
  if (is_bound) (void)BERTH_CU(cuStreamSynchronize, stream->native);
  berth_staging_free(stream, is_bound);
  berth_cuda_drop_kept(stream);
  if (is_bound) {
    CUevent events[2] = {stream->probe, stream->handoff};
    destroy(stream->native, events, 2);
  }
  atomic_store(&stream->generation, 0);
  stream->native = NULL;
  stream->probe = stream->handoff = NULL;
  stream->probe_ticket = 0;
  berth_mutex_unlock(&stream->lock);
}

// The card is not what it was when |stream| was made: it has failed, or was
// reset.
static BERTH_NOINLINE berth_code_t enter_anew(berth_cuda_stream_t *stream,
                                              berth_error_t *err) {
  BERTH_TRY(berth_device_start(stream->base.device, err));
  if (!stream->is_recording) return BERTH_OK;
  return berth_error_set(err, BERTH_ABORTED,
                         "GPU %d was reset while it recorded",
                         stream->card->index);
}

berth_code_t berth_cuda_stream_enter(berth_cuda_stream_t *stream,
                                     berth_error_t *err) {
  uint64_t live =
      atomic_load_explicit(&stream->card->live, memory_order_acquire);
  if (BERTH_UNLIKELY(live == 0 ||
                     atomic_load_explicit(&stream->generation,
                                          memory_order_acquire) != live)) {
    BERTH_TRY(enter_anew(stream, err));
  }
  return berth_cuda_bind(stream->card, err);
}

berth_code_t berth_cuda_stream_hand_over(berth_cuda_stream_t *stream,
                                         berth_cuda_stream_t *other,
                                         berth_error_t *err) {
  berth_mutex_lock(&stream->lock);
  berth_code_t code = BERTH_CARD_CALL(stream->card, err, cuEventRecord,
                                      stream->handoff, stream->native);
  if (code == BERTH_OK) {
    code = BERTH_CARD_CALL(other->card, err, cuStreamWaitEvent, other->native,
                           stream->handoff, CU_EVENT_WAIT_DEFAULT);
  }
  berth_mutex_unlock(&stream->lock);
  if (code == BERTH_OK) berth_cuda_stream_queued(other);
  return code;
}

// ---- Waiting ----

static berth_cuda_stream_t *own(berth_stream_t *stream) {
  return (berth_cuda_stream_t *)stream;
}

static berth_code_t stream_sync(berth_stream_t *base, berth_error_t *err) {
  berth_cuda_stream_t *stream = own(base);
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  return BERTH_CARD_CALL(stream->card, err, cuStreamSynchronize,
                         stream->native);
}

static berth_code_t stream_query(berth_stream_t *base, bool *out_done,
                                 berth_error_t *err) {
  berth_cuda_stream_t *stream = own(base);
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  CUresult result = BERTH_CU(cuStreamQuery, stream->native);
  *out_done = result != CUDA_ERROR_NOT_READY;
  if (!*out_done) return BERTH_OK;
  return berth_cuda_check(stream->card, result, "cuStreamQuery", err);
}

static void stamp_now(void *out_ns) { *(int64_t *)out_ns = berth_now_ns(); }

static berth_code_t stream_stamp(berth_stream_t *base, int64_t *out_ns,
                                 berth_error_t *err) {
  berth_cuda_stream_t *stream = own(base);
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  return BERTH_CARD_CALL(stream->card, err, cuLaunchHostFunc, stream->native,
                         stamp_now, out_ns);
}

// A stream that is not open has nothing left to do: the driver's own stands for
// it, which every context has.
static void *stream_native(berth_stream_t *base) {
  berth_cuda_stream_t *stream = own(base);
  bool is_open =
      atomic_load_explicit(&stream->generation, memory_order_acquire) != 0;
  return is_open ? (void *)stream->native : CU_STREAM_LEGACY;
}

const berth_stream_ops_t berth_cuda_stream_ops = {
    .copy = berth_cuda_stream_copy,
    .sync = stream_sync,
    .event_create = berth_cuda_event_create,
    .event_destroy = berth_cuda_event_destroy,
    .record = berth_cuda_event_record,
    .wait = berth_cuda_event_wait,
    .event_sync = berth_cuda_event_sync,
    .record_begin = berth_cuda_record_begin,
    .record_end = berth_cuda_record_end,
    .replay = berth_cuda_replay,
    .records_copies = berth_cuda_records_copies,
    .recording_destroy = berth_cuda_recording_destroy,
    .native = stream_native,
    .query = stream_query,
    .stamp = stream_stamp,
    .event_query = berth_cuda_event_query,
    .keep = berth_cuda_stream_keep,
    .copy_near = berth_cuda_copy_near,
};
