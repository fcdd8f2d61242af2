// capture.c - Recording what streams are given instead of doing it.
#include "softgpu/capture.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "softgpu/exports.h"
#include "softgpu/graph.h"
#include "softgpu/stream.h"

typedef struct berth_soft_capture {
  uint64_t number;
  CUstreamCaptureMode mode;
  int64_t thread;  // Which began it.
  bool is_broken;
  int count;  // Streams so far; the first is the origin.
  CUstream streams[BERTH_SOFT_MAX_PARTICIPANTS];  // NULL: destroyed.
  berth_soft_clock_t clocks[BERTH_SOFT_MAX_PARTICIPANTS];
  uint32_t works[BERTH_SOFT_MAX_PARTICIPANTS];
  CUgraph graph;
  struct berth_soft_capture *next;
} capture_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
static capture_t *captures = NULL;
static uint64_t last_number = 0;
// Also read without the lock: the thread that began a capture sees its own.
static atomic_int capture_count = 0;

// True when nothing is captured, the usual case.
static bool is_quiet(void) {
  return atomic_load_explicit(&capture_count, memory_order_relaxed) == 0;
}

// ---- Under the lock ----

static capture_t *find(uint64_t number) {
  capture_t *capture = captures;
  while (capture != NULL && capture->number != number) capture = capture->next;
  return capture;
}

static CUresult break_with(capture_t *capture, CUresult result) {
  capture->is_broken = true;
  return result;
}

static bool join(capture_t *capture, CUstream stream) {
  if (capture->count == BERTH_SOFT_MAX_PARTICIPANTS) return false;
  stream->participant = capture->count;
  stream->capture = capture;
  capture->streams[capture->count++] = stream;
  return true;
}

static void dissolve(capture_t *capture) {
  capture_t **link = &captures;
  while (*link != capture) link = &(*link)->next;
  *link = capture->next;
  for (int i = 0; i < capture->count; ++i) {
    if (capture->streams[i] != NULL) capture->streams[i]->capture = NULL;
  }
  atomic_fetch_sub(&capture_count, 1);
  berth_free(capture);
}

// Breaks captures that blocking streams of |context| take part in.
static CUresult touch_legacy(CUcontext context) {
  CUresult result = CUDA_SUCCESS;
  for (capture_t *capture = captures; capture; capture = capture->next) {
    for (int i = 0; i < capture->count; ++i) {
      CUstream stream = capture->streams[i];
      if (stream == NULL || stream->object.context != context ||
          (stream->flags & CU_STREAM_NON_BLOCKING) != 0) {
        continue;
      }
      result = break_with(capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
  }
  return result;
}

// ---- Work ----

static CUresult add_work(CUstream stream, const berth_soft_work_kind_t *kind,
                         const void *payload, size_t size) {
  capture_t *capture = stream->capture;
  if (capture->is_broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!berth_soft_graph_add(capture->graph, kind, payload, size)) {
    return break_with(capture, CUDA_ERROR_OUT_OF_MEMORY);
  }
  int self = stream->participant;
  capture->clocks[self].seen[self] = ++capture->works[self];
  return CUDA_SUCCESS;
}

CUresult berth_soft_capture_work(CUstream stream,
                                 const berth_soft_work_kind_t *kind,
                                 const void *payload, size_t size,
                                 bool *out_taken) {
  if (is_quiet()) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  CUcontext context = stream->object.context;
  berth_mutex_lock(&lock);
  if (stream->capture != NULL) {
    *out_taken = true;
    result = add_work(stream, kind, payload, size);
  } else if (stream == context->legacy) {
    result = touch_legacy(context);
  }
  berth_mutex_unlock(&lock);
  return result;
}

// ---- Events ----

CUresult berth_soft_capture_record(CUstream stream,
                                   berth_soft_captured_t *out_captured) {
  out_captured->capture = 0;
  if (is_quiet()) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  berth_mutex_lock(&lock);
  capture_t *capture = stream->capture;
  if (capture != NULL && capture->is_broken) {
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (capture != NULL) {
    out_captured->capture = capture->number;
    out_captured->clock = capture->clocks[stream->participant];
  } else if (stream == stream->object.context->legacy) {
    result = touch_legacy(stream->object.context);
  }
  berth_mutex_unlock(&lock);
  return result;
}

// Makes |stream| see what an event of |capture| saw.
static CUresult see(capture_t *capture, CUstream stream,
                    const berth_soft_clock_t *clock) {
  if (capture->is_broken) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != NULL && stream->capture != capture) {
    return break_with(capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (stream->capture == NULL && !join(capture, stream)) {
    return break_with(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  uint32_t *seen = capture->clocks[stream->participant].seen;
  for (int i = 0; i < BERTH_SOFT_MAX_PARTICIPANTS; ++i) {
    if (seen[i] < clock->seen[i]) seen[i] = clock->seen[i];
  }
  return CUDA_SUCCESS;
}

CUresult berth_soft_capture_wait(CUstream stream,
                                 const berth_soft_captured_t *captured,
                                 bool is_recorded, bool *out_taken) {
  *out_taken = captured->capture != 0;
  if (is_quiet()) {
    return *out_taken ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  }
  CUresult result = CUDA_SUCCESS;
  berth_mutex_lock(&lock);
  capture_t *capture = captured->capture != 0 ? find(captured->capture) : NULL;
  if (capture != NULL) {
    result = see(capture, stream, &captured->clock);
  } else if (captured->capture != 0) {
    result = CUDA_ERROR_INVALID_VALUE;
  } else if (stream->capture != NULL) {
    *out_taken = true;
    if (is_recorded) {
      result = break_with(stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
  }
  berth_mutex_unlock(&lock);
  return result;
}

CUresult berth_soft_capture_look(const berth_soft_captured_t *captured) {
  if (captured->capture == 0) return CUDA_SUCCESS;
  berth_mutex_lock(&lock);
  capture_t *capture = find(captured->capture);
  bool is_live = capture != NULL && !capture->is_broken;
  if (is_live) capture->is_broken = true;
  berth_mutex_unlock(&lock);
  return is_live ? CUDA_ERROR_CAPTURED_EVENT : CUDA_ERROR_INVALID_VALUE;
}

// ---- What captures do not allow ----

CUresult berth_soft_capture_forbids(void) {
  if (is_quiet()) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  int64_t self = berth_thread_id();
  berth_mutex_lock(&lock);
  for (capture_t *capture = captures; capture; capture = capture->next) {
    bool is_relaxed = capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    bool is_elsewhere = capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
                        capture->thread != self;
    if (is_relaxed || is_elsewhere) continue;
    result = break_with(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  berth_mutex_unlock(&lock);
  return result;
}

CUresult berth_soft_capture_break(CUstream stream) {
  if (is_quiet()) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  berth_mutex_lock(&lock);
  if (stream->capture != NULL) {
    result = break_with(stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  berth_mutex_unlock(&lock);
  return result;
}

CUresult berth_soft_capture_sync(CUstream stream) {
  CUresult forbidden = berth_soft_capture_forbids();
  CUresult broken = berth_soft_capture_break(stream);
  return forbidden != CUDA_SUCCESS ? forbidden : broken;
}

CUresult berth_soft_capture_sync_all(CUcontext context) {
  CUresult result = berth_soft_capture_forbids();
  if (is_quiet()) return result;
  berth_mutex_lock(&lock);
  for (capture_t *capture = captures; capture; capture = capture->next) {
    CUstream origin = capture->streams[0];
    if (origin == NULL || origin->object.context != context) continue;
    result = break_with(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  berth_mutex_unlock(&lock);
  return result;
}

CUstreamCaptureStatus berth_soft_capture_status(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (is_quiet()) return status;
  berth_mutex_lock(&lock);
  if (stream->capture != NULL) {
    status = stream->capture->is_broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  }
  berth_mutex_unlock(&lock);
  return status;
}

void berth_soft_capture_abandon(CUstream stream) {
  if (is_quiet()) return;
  berth_mutex_lock(&lock);
  capture_t *capture = stream->capture;
  if (capture != NULL) {
    capture->streams[stream->participant] = NULL;
    capture->is_broken = true;
    if (stream->participant == 0) {
      berth_soft_graph_destroy(capture->graph);
      dissolve(capture);
    }
    stream->capture = NULL;
  }
  berth_mutex_unlock(&lock);
}

// ---- Beginning and ending ----

static CUresult begin(CUstream stream, CUstreamCaptureMode mode) {
  if (stream->capture != NULL) return CUDA_ERROR_ILLEGAL_STATE;
  capture_t *capture = berth_calloc(1, sizeof(*capture));
  if (capture == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  capture->graph = berth_soft_graph_create();
  if (capture->graph == NULL) {
    berth_free(capture);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  capture->number = ++last_number;
  capture->mode = mode;
  capture->thread = berth_thread_id();
  (void)join(capture, stream);
  capture->next = captures;
  captures = capture;
  atomic_fetch_add(&capture_count, 1);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (found == found->object.context->legacy) {
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  berth_mutex_lock(&lock);
  CUresult result = begin(found, mode);
  berth_mutex_unlock(&lock);
  return result;
}

// Says why |capture| cannot end in |stream|; what it holds is lost then.
static CUresult check_end(const capture_t *capture, CUstream stream) {
  if (capture->is_broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  for (int i = 0; i < capture->count; ++i) {
    if (capture->clocks[stream->participant].seen[i] != capture->works[i]) {
      return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
  }
  return CUDA_SUCCESS;
}

static CUresult end(CUstream stream, CUgraph *graph) {
  capture_t *capture = stream->capture;
  if (capture == NULL) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != berth_thread_id()) {
    return break_with(capture, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }
  if (stream->participant != 0) {
    return break_with(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  }
  CUresult result = check_end(capture, stream);
  if (result != CUDA_SUCCESS) {
    berth_soft_graph_destroy(capture->graph);
    *graph = NULL;
  } else {
    *graph = capture->graph;
  }
  dissolve(capture);
  return result;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (graph == NULL) return CUDA_ERROR_INVALID_VALUE;
  berth_mutex_lock(&lock);
  CUresult result = end(found, graph);
  berth_mutex_unlock(&lock);
  return result;
}

// Works of several streams would be several; one stream's follow each other.
CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   unsigned long long *id, CUgraph *graph,
                                   const CUgraphNode **last,
                                   size_t *last_count) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (status == NULL) return CUDA_ERROR_INVALID_VALUE;
  *status = berth_soft_capture_status(found);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  const CUgraphNode *nodes = NULL;
  berth_mutex_lock(&lock);
  const capture_t *capture = found->capture;
  size_t count = berth_soft_graph_last(capture->graph, &nodes);
  if (id != NULL) *id = capture->number;
  if (graph != NULL) *graph = capture->graph;
  if (last != NULL) *last = nodes;
  if (last_count != NULL) *last_count = count;
  berth_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (status == NULL) return CUDA_ERROR_INVALID_VALUE;
  *status = berth_soft_capture_status(found);
  return CUDA_SUCCESS;
}
