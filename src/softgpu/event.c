// event.c - Events: points of streams that others wait for.
//
// Every recording is a mark (mark.h) of its own; an event keeps all it ever
// made and takes an idle one again.
#include "base/alloc.h"
#include "softgpu/capture.h"
#include "softgpu/exports.h"
#include "softgpu/mark.h"
#include "softgpu/stream.h"

struct CUevent_st {
  berth_soft_object_t object;
  unsigned flags;
  berth_mutex_t lock;  // Guards what follows; no stream's thread takes it.
  berth_soft_mark_t *marks;
  berth_soft_mark_t *newest;  // NULL: never recorded.
  berth_soft_captured_t captured;
};

static void close_event(berth_soft_object_t *object) {
  CUevent event = (CUevent)object;
  while (event->marks != NULL) {
    berth_soft_mark_t *mark = event->marks;
    event->marks = mark->next;
    berth_soft_mark_release(mark);
  }
  berth_mutex_deinit(&event->lock);
}

static CUresult check(CUevent event) { return berth_soft_object_check(event); }

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
  if (event == NULL || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  CUevent made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  made->flags = flags;
  made->object.close = close_event;
  berth_mutex_init(&made->lock);
  berth_soft_object_add(context, &made->object);
  *event = made;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  BERTH_SOFT_TRY(check(event));
  berth_soft_object_destroy(&event->object);
  return CUDA_SUCCESS;
}

// ---- Recording; the event's lock is held ----

// Returns a mark that nobody else holds, or NULL.
static berth_soft_mark_t *unused_mark(CUevent event) {
  berth_soft_mark_t *mark = event->marks;
  while (mark != NULL &&
         (mark == event->newest || !berth_soft_mark_is_idle(mark))) {
    mark = mark->next;
  }
  if (mark != NULL) {
    berth_soft_mark_reset(mark);
    return mark;
  }
  mark = berth_soft_mark_create();
  if (mark == NULL) return NULL;
  mark->next = event->marks;
  event->marks = mark;
  return mark;
}

static CUresult record(CUevent event, CUstream stream) {
  BERTH_SOFT_TRY(berth_soft_capture_record(stream, &event->captured));
  if (event->captured.capture != 0) return CUDA_SUCCESS;
  berth_soft_mark_t *mark = unused_mark(event);
  if (mark == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  BERTH_SOFT_TRY(berth_soft_submit_mark(stream, mark));
  event->newest = mark;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(check(event));
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (found->object.context != event->object.context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  berth_soft_stream_throttle(found);
  berth_mutex_lock(&event->lock);
  CUresult result = record(event, found);
  berth_mutex_unlock(&event->lock);
  return result;
}

// ---- Waiting ----

// Stores the newest mark with a reference, or NULL when there is none.
static CUresult newest_mark(CUevent event, berth_soft_mark_t **out_mark) {
  berth_mutex_lock(&event->lock);
  CUresult result = berth_soft_capture_look(&event->captured);
  if (result == CUDA_SUCCESS) {
    *out_mark = event->newest;
    if (event->newest != NULL) berth_soft_mark_retain(event->newest);
  }
  berth_mutex_unlock(&event->lock);
  return result;
}

CUresult cuEventQuery(CUevent event) {
  berth_soft_mark_t *mark = NULL;
  BERTH_SOFT_TRY(check(event));
  BERTH_SOFT_TRY(newest_mark(event, &mark));
  CUresult result = berth_soft_capture_forbids();
  bool is_done = mark == NULL || berth_soft_mark_is_reached(mark);
  berth_soft_mark_release(mark);
  if (result == CUDA_SUCCESS && !is_done) result = CUDA_ERROR_NOT_READY;
  return result;
}

CUresult cuEventSynchronize(CUevent event) {
  berth_soft_mark_t *mark = NULL;
  BERTH_SOFT_TRY(check(event));
  BERTH_SOFT_TRY(newest_mark(event, &mark));
  CUresult result = berth_soft_capture_forbids();
  if (result == CUDA_SUCCESS && mark != NULL) berth_soft_mark_wait(mark);
  berth_soft_mark_release(mark);
  BERTH_SOFT_TRY(result);
  return berth_soft_context_check(event->object.context);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  CUstream found = NULL;
  bool is_captured = false;
  BERTH_SOFT_TRY(check(event));
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (flags != CU_EVENT_WAIT_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  berth_soft_stream_throttle(found);
  berth_mutex_lock(&event->lock);
  CUresult result = berth_soft_capture_wait(
      found, &event->captured, event->newest != NULL, &is_captured);
  if (result == CUDA_SUCCESS && !is_captured && event->newest != NULL) {
    result = berth_soft_submit_wait(found, event->newest);
  }
  berth_mutex_unlock(&event->lock);
  return result;
}

// Stores when |event| was reached.
static CUresult reached_at(CUevent event, int64_t *out_ns) {
  berth_soft_mark_t *mark = NULL;
  BERTH_SOFT_TRY(check(event));
  BERTH_SOFT_TRY(newest_mark(event, &mark));
  if (mark == NULL || (event->flags & CU_EVENT_DISABLE_TIMING) != 0) {
    berth_soft_mark_release(mark);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  bool is_done = berth_soft_mark_is_reached(mark);
  *out_ns = atomic_load_explicit(&mark->time_ns, memory_order_relaxed);
  berth_soft_mark_release(mark);
  return is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  int64_t from = 0, to = 0;
  if (milliseconds == NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult first = reached_at(begin, &from);
  CUresult second = reached_at(end, &to);
  // An event that cannot be timed counts for more than one that is not done.
  if (second == CUDA_ERROR_INVALID_HANDLE) return second;
  BERTH_SOFT_TRY(first);
  BERTH_SOFT_TRY(second);
  *milliseconds = (float)(to - from) / 1e6f;
  return CUDA_SUCCESS;
}
