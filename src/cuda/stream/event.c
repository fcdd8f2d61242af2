// event.c - Events: points of streams that others wait for.
//
// An event outlives a reset of its card: what it marked is over then, and it is
// made anew when it is next recorded.
#include "base/alloc.h"
#include "cuda/stream/device_internal.h"

struct berth_event {
  berth_cuda_card_t *card;  // Borrowed.
  CUevent native;
  uint64_t generation;  // Of the card when |native| was made.
  bool is_recorded;
};

// Makes the driver's event; the context is bound.
static berth_code_t make(berth_event_t *event, berth_error_t *err) {
  uint64_t generation = atomic_load(&event->card->live);
  BERTH_TRY(BERTH_CARD_CALL(event->card, err, cuEventCreate, &event->native,
                            CU_EVENT_DISABLE_TIMING));
  event->generation = generation;
  event->is_recorded = false;
  return BERTH_OK;
}

// True when there is something to wait for.
static bool is_pending(const berth_event_t *event) {
  return event->is_recorded &&
         (atomic_load(&event->card->has_fault) ||
          atomic_load(&event->card->live) == event->generation);
}

berth_code_t berth_cuda_event_create(berth_device_t *device,
                                     berth_event_t **out, berth_error_t *err) {
  BERTH_TRY(berth_device_start(device, err));
  berth_event_t *event = berth_calloc(1, sizeof(*event));
  if (event == NULL) return berth_error_no_memory(err, "an event");
  event->card = ((berth_cuda_device_t *)device)->card;
  berth_code_t code = berth_cuda_bind(event->card, err);
  if (code == BERTH_OK) code = make(event, err);
  if (code != BERTH_OK) {
    berth_free(event);
    return code;
  }
  *out = event;
  return BERTH_OK;
}

void berth_cuda_event_destroy(berth_event_t *event) {
  if (event == NULL) return;
  if (berth_cuda_enter_old(event->card, event->generation)) {
    (void)BERTH_CU(cuEventDestroy_v2, event->native);
    berth_cuda_leave_old(event->card);
  }
  berth_free(event);
}

berth_code_t berth_cuda_event_record(berth_stream_t *base, berth_event_t *event,
                                     berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  if (event->generation != atomic_load(&event->card->live)) {
    BERTH_TRY(make(event, err));
  }
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuEventRecord, event->native,
                            stream->native));
  event->is_recorded = true;
  return BERTH_OK;
}

berth_code_t berth_cuda_event_wait(berth_stream_t *base, berth_event_t *event,
                                   berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  if (!is_pending(event)) return BERTH_OK;
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuStreamWaitEvent,
                            stream->native, event->native,
                            CU_EVENT_WAIT_DEFAULT));
  // What is waited for may use memory of this device, and be of a stream whose
  // timeline its pool does not know (collective.h).
  berth_cuda_stream_queued(stream);
  return BERTH_OK;
}

berth_code_t berth_cuda_event_sync(berth_event_t *event, berth_error_t *err) {
  if (!is_pending(event)) return BERTH_OK;
  BERTH_TRY(berth_cuda_bind(event->card, err));
  return BERTH_CARD_CALL(event->card, err, cuEventSynchronize, event->native);
}

berth_code_t berth_cuda_event_query(berth_event_t *event, bool *out_done,
                                    berth_error_t *err) {
  if (!is_pending(event)) {
    *out_done = true;
    return BERTH_OK;
  }
  BERTH_TRY(berth_cuda_bind(event->card, err));
  CUresult result = BERTH_CU(cuEventQuery, event->native);
  *out_done = result != CUDA_ERROR_NOT_READY;
  if (!*out_done) return BERTH_OK;
  return berth_cuda_check(event->card, result, "cuEventQuery", err);
}
