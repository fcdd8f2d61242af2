// stream_calls.c - The driver's functions on streams.
#include <sched.h>
#include <time.h>

#include "softgpu/capture.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (least != NULL) *least = LEAST_PRIORITY;
  if (greatest != NULL) *greatest = GREATEST_PRIORITY;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (stream == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (priority > LEAST_PRIORITY) priority = LEAST_PRIORITY;
  if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
  CUstream made = berth_soft_stream_create(context, flags, priority);
  if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  berth_soft_object_add(context, &made->object);
  *stream = made;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, LEAST_PRIORITY);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream == NULL || stream == CU_STREAM_LEGACY) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  CUresult result = berth_soft_object_check(stream);
  // A stream of a faulty card can still be destroyed.
  if (result == CUDA_ERROR_NOT_INITIALIZED ||
      result == CUDA_ERROR_CONTEXT_IS_DESTROYED) {
    return result;
  }
  berth_soft_stream_retire(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (flags == NULL) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (priority == NULL) return CUDA_ERROR_INVALID_VALUE;
  *priority = found->priority;
  return CUDA_SUCCESS;
}

// ---- Waiting ----

static void run_nothing(CUstream stream, const void *payload) {
  (void)stream, (void)payload;
}

static const berth_soft_work_kind_t barrier_kind = {"barrier", run_nothing,
                                                    NULL, true};

CUresult cuStreamQuery(CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  BERTH_SOFT_TRY(berth_soft_capture_sync(found));
  return berth_soft_stream_is_idle(found)
             ? berth_soft_context_check(found->object.context)
             : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamSynchronize(CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  BERTH_SOFT_TRY(berth_soft_capture_sync(found));
  if (found == found->object.context->legacy) {
    // It comes after the blocking streams, but only once it has work to do.
    BERTH_SOFT_TRY(berth_soft_submit(found, &barrier_kind, NULL, 0));
  }
  return berth_soft_stream_wait(found);
}

CUresult cuCtxSynchronize(void) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  BERTH_SOFT_TRY(berth_soft_capture_sync_all(context));
  return berth_soft_streams_wait(context);
}

// ---- Host functions ----

typedef struct host_payload {
  CUhostFn fn;
  void *arg;
} host_payload_t;

static void run_host(CUstream stream, const void *payload) {
  const host_payload_t *host = payload;
  berth_soft_stream_hold(stream, true);
  host->fn(host->arg);
  berth_soft_stream_hold(stream, false);
}

static const berth_soft_work_kind_t host_kind = {"host", run_host, NULL, false};

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *arg) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (fn == NULL) return CUDA_ERROR_INVALID_VALUE;
  host_payload_t payload = {fn, arg};
  return berth_soft_submit(found, &host_kind, &payload, sizeof(payload));
}

// ---- Words in memory ----

typedef struct word_payload {
  atomic_uint *word;
  uint32_t value;
  unsigned flags;
} word_payload_t;

static void run_write(CUstream stream, const void *payload) {
  const word_payload_t *write = payload;
  (void)stream;
  atomic_store_explicit(write->word, write->value, memory_order_release);
}

static bool is_met(uint32_t word, uint32_t value, unsigned flags) {
  switch (flags) {
    case CU_STREAM_WAIT_VALUE_EQ:
      return word == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (word & value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
      return ~(word | value) != 0;
    default:
      return (int32_t)(word - value) >= 0;
  }
}

// Looks again and again, more rarely as time goes by, until the word is right
// or the stream or the process is to end.
static void wait_for_word(CUstream stream, const word_payload_t *wait) {
  for (long turn = 0;; ++turn) {
    uint32_t word = atomic_load_explicit(wait->word, memory_order_acquire);
    if (is_met(word, wait->value, wait->flags) || berth_soft_has_ended() ||
        atomic_load_explicit(&stream->is_closing, memory_order_relaxed)) {
      return;
    }
    struct timespec pause = {.tv_nsec = turn < 1000 ? 1000 * turn : 1000000};
    if (turn < 10) {
      sched_yield();
    } else {
      nanosleep(&pause, NULL);
    }
  }
}

static void run_wait(CUstream stream, const void *payload) {
  berth_soft_stream_hold(stream, true);
  wait_for_word(stream, payload);
  berth_soft_stream_hold(stream, false);
}

static const berth_soft_work_kind_t write_kind = {"write", run_write, NULL,
                                                  false};
static const berth_soft_work_kind_t wait_kind = {"wait for word", run_wait,
                                                 NULL, false};

static CUresult submit_word(CUstream stream, const berth_soft_work_kind_t *kind,
                            CUdeviceptr address, uint32_t value,
                            unsigned flags) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (address % sizeof(uint32_t) != 0 ||
      !berth_soft_space_covers(address, sizeof(uint32_t), BERTH_SOFT_ANY)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  word_payload_t payload = {(atomic_uint *)(uintptr_t)address, value, flags};
  return berth_soft_submit(found, kind, &payload, sizeof(payload));
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address,
                                 uint32_t value, unsigned flags) {
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  return submit_word(stream, &write_kind, address, value, flags);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address,
                                uint32_t value, unsigned flags) {
  if (flags > CU_STREAM_WAIT_VALUE_NOR) return CUDA_ERROR_INVALID_VALUE;
  return submit_word(stream, &wait_kind, address, value, flags);
}
