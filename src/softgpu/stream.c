// stream.c - A stream: a thread with a queue.
#include "softgpu/stream.h"

#include "base/alloc.h"
#include "softgpu/capture.h"
#include "softgpu/stress.h"

// What the work at hand has done wrong.
static BERTH_THREAD_LOCAL CUresult trapped = CUDA_SUCCESS;

void berth_soft_trap(CUresult fault) { trapped = fault; }

void berth_soft_run_stray(CUstream stream, const void *payload) {
  (void)stream, (void)payload;
  berth_soft_trap(CUDA_ERROR_ILLEGAL_ADDRESS);
}

// ---- The thread ----

static void run_nothing(CUstream stream, const void *payload) {
  (void)stream, (void)payload;
}

static const berth_soft_work_kind_t stop_kind = {"stop", run_nothing, NULL,
                                                 true};

static void run_work(CUstream stream, const berth_soft_work_t *work) {
  CUcontext context = stream->object.context;
  bool is_faulty = atomic_load_explicit(&context->fault,
                                        memory_order_relaxed) != CUDA_SUCCESS;
  if (!is_faulty || work->kind->is_order) {
    trapped = CUDA_SUCCESS;
    work->kind->run(stream, work->payload);
    if (trapped != CUDA_SUCCESS) berth_soft_context_fail(context, trapped);
  }
  if (work->kind->drop != NULL) work->kind->drop(work->payload);
}

static void stream_main(void *arg) {
  CUstream stream = arg;
  for (uint32_t turn = 1;; ++turn) {
    berth_soft_counter_wait(&stream->submitted, turn);
    berth_soft_work_t *done = stream->head;
    berth_soft_work_t *work =
        atomic_load_explicit(&done->next, memory_order_acquire);
    stream->head = work;
    berth_free(done);
    berth_soft_stress_pause(&stream->dice);
    run_work(stream, work);
    bool is_last = work->kind == &stop_kind;
    berth_soft_counter_advance(&stream->done);
    if (is_last) return;
  }
}

// Starts the thread; the stream's lock is held.
static bool start_thread(CUstream stream) {
  if (stream->has_thread) return true;
  berth_soft_work_t *first = berth_soft_work_create(&stop_kind, NULL, 0);
  berth_soft_work_t *last = berth_soft_work_create(&stop_kind, NULL, 0);
  stream->head = stream->tail = first;
  if (first == NULL || last == NULL ||
      berth_thread_start(&stream->thread, stream_main, stream, NULL) !=
          BERTH_OK) {
    berth_free(first);
    berth_free(last);
    stream->head = stream->tail = NULL;
    return false;
  }
  stream->last = last;
  stream->has_thread = true;
  return true;
}

// Appends |work|; the stream's lock is held.
static void push(CUstream stream, berth_soft_work_t *work) {
  atomic_store_explicit(&stream->tail->next, work, memory_order_release);
  stream->tail = work;
  ++stream->count;
  berth_soft_counter_advance(&stream->submitted);
}

// Puts |work| into the queue, and |after| behind it, if any: both or neither,
// which are freed then. NULL stands for memory that there was not.
static bool enqueue_both(CUstream stream, berth_soft_work_t *work,
                         berth_soft_work_t *after, bool has_after) {
  bool is_ready = work != NULL && (after != NULL || !has_after);
  berth_mutex_lock(&stream->lock);
  is_ready = is_ready && start_thread(stream);
  if (is_ready) push(stream, work);
  if (is_ready && has_after) push(stream, after);
  berth_mutex_unlock(&stream->lock);
  if (!is_ready) {
    berth_free(work);
    berth_free(after);
  }
  return is_ready;
}

// Puts work into the queue.
static bool enqueue(CUstream stream, const berth_soft_work_kind_t *kind,
                    const void *payload, size_t size) {
  return enqueue_both(stream, berth_soft_work_create(kind, payload, size), NULL,
                      false);
}

// ---- Marks in a queue ----

typedef struct mark_payload {
  berth_soft_mark_t *mark;
} mark_payload_t;

static void run_mark(CUstream stream, const void *payload) {
  (void)stream;
  berth_soft_mark_reach(((const mark_payload_t *)payload)->mark);
}

static void run_wait(CUstream stream, const void *payload) {
  berth_soft_stream_hold(stream, true);
  berth_soft_mark_wait(((const mark_payload_t *)payload)->mark);
  berth_soft_stream_hold(stream, false);
}

static void drop_mark(const void *payload) {
  berth_soft_mark_release(((const mark_payload_t *)payload)->mark);
}

static const berth_soft_work_kind_t mark_kind = {"mark", run_mark, drop_mark,
                                                 true};
static const berth_soft_work_kind_t wait_kind = {"wait", run_wait, drop_mark,
                                                 true};

static bool enqueue_with_mark(CUstream stream,
                              const berth_soft_work_kind_t *kind,
                              berth_soft_mark_t *mark) {
  mark_payload_t payload = {mark};
  berth_soft_mark_retain(mark);
  if (enqueue(stream, kind, &payload, sizeof(payload))) return true;
  berth_soft_mark_release(mark);
  return false;
}

static bool enqueue_mark(CUstream stream, berth_soft_mark_t *mark) {
  return enqueue_with_mark(stream, &mark_kind, mark);
}

static bool enqueue_wait(CUstream stream, berth_soft_mark_t *mark) {
  return enqueue_with_mark(stream, &wait_kind, mark);
}

// ---- The legacy stream and the blocking ones; the context's lock is held ----

static void close_stream(berth_soft_object_t *object);

static bool is_stream(const berth_soft_object_t *object) {
  return object->close == close_stream;
}

static bool is_blocking(const berth_soft_object_t *object) {
  return is_stream(object) && (((const struct CUstream_st *)object)->flags &
                               CU_STREAM_NON_BLOCKING) == 0;
}

static bool has_work(CUstream stream) {
  berth_mutex_lock(&stream->lock);
  bool result = stream->has_thread;
  berth_mutex_unlock(&stream->lock);
  return result;
}

// Makes the legacy stream wait for what |stream| has been given so far.
static bool legacy_waits_for(CUcontext context, CUstream stream) {
  if (!has_work(stream)) return true;
  berth_soft_mark_t *mark = berth_soft_mark_create();
  if (mark == NULL) return false;
  bool is_queued =
      enqueue_mark(stream, mark) && enqueue_wait(context->legacy, mark);
  berth_soft_mark_release(mark);
  return is_queued;
}

static bool submit_legacy(CUcontext context, const berth_soft_work_kind_t *kind,
                          const void *payload, size_t size) {
  for (berth_soft_object_t *object = context->objects; object != NULL;
       object = object->next) {
    if (is_blocking(object) && !legacy_waits_for(context, (CUstream)object)) {
      return false;
    }
  }
  berth_soft_mark_t *mark = berth_soft_mark_create();
  if (mark == NULL) return false;
  mark_payload_t payload_after = {mark};
  berth_soft_mark_retain(mark);
  if (!enqueue_both(context->legacy,
                    berth_soft_work_create(kind, payload, size),
                    berth_soft_work_create(&mark_kind, &payload_after,
                                           sizeof(payload_after)),
                    true)) {
    berth_soft_mark_release(mark);
    berth_soft_mark_release(mark);
    return false;
  }
  berth_soft_mark_release(context->legacy_mark);
  context->legacy_mark = mark;
  return true;
}

static bool submit_blocking(CUstream stream, const berth_soft_work_kind_t *kind,
                            const void *payload, size_t size) {
  berth_soft_mark_t *mark = stream->object.context->legacy_mark;
  if (mark != stream->seen) {
    if (!enqueue_wait(stream, mark)) return false;
    berth_soft_mark_retain(mark);
    berth_soft_mark_release(stream->seen);
    stream->seen = mark;
  }
  return enqueue(stream, kind, payload, size);
}

// ---- A full queue ----

// How long a held stream is waited for, and how often one that computes is
// looked at again.
static const int64_t HELD_NS = 10000000;

// How much is done before those who wait for room wake up: all of them at each
// work would be many times.
enum { ROOM = BERTH_SOFT_MAX_PENDING / 4 };

void berth_soft_stream_throttle(CUstream stream) {
  if (berth_soft_capture_status(stream) != CU_STREAM_CAPTURE_STATUS_NONE) {
    return;
  }
  berth_mutex_lock(&stream->lock);
  uint32_t count = stream->count;
  berth_mutex_unlock(&stream->lock);
  uint32_t least = count - BERTH_SOFT_MAX_PENDING + 1;
  if (berth_soft_counter_glance(&stream->done, least, 0)) return;
  while (!berth_soft_counter_glance(&stream->done, least + ROOM, HELD_NS) &&
         !atomic_load_explicit(&stream->is_held, memory_order_relaxed)) {
    continue;
  }
}

// Puts work into the queue, in its place among the legacy stream's.
static CUresult append(CUstream stream, const berth_soft_work_kind_t *kind,
                       const void *payload, size_t size) {
  CUcontext context = stream->object.context;
  bool is_queued = false;
  if ((stream->flags & CU_STREAM_NON_BLOCKING) != 0) {
    is_queued = enqueue(stream, kind, payload, size);
  } else {
    berth_mutex_lock(&context->lock);
    is_queued = stream == context->legacy
                    ? submit_legacy(context, kind, payload, size)
                    : submit_blocking(stream, kind, payload, size);
    berth_mutex_unlock(&context->lock);
  }
  return is_queued ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult berth_soft_submit(CUstream stream, const berth_soft_work_kind_t *kind,
                           const void *payload, size_t size) {
  bool is_captured = false;
  BERTH_SOFT_TRY(
      berth_soft_capture_work(stream, kind, payload, size, &is_captured));
  if (is_captured) return CUDA_SUCCESS;
  berth_soft_stream_throttle(stream);
  return append(stream, kind, payload, size);
}

static CUresult append_with_mark(CUstream stream,
                                 const berth_soft_work_kind_t *kind,
                                 berth_soft_mark_t *mark) {
  mark_payload_t payload = {mark};
  berth_soft_mark_retain(mark);
  CUresult result = append(stream, kind, &payload, sizeof(payload));
  if (result != CUDA_SUCCESS) berth_soft_mark_release(mark);
  return result;
}

CUresult berth_soft_submit_mark(CUstream stream, berth_soft_mark_t *mark) {
  return append_with_mark(stream, &mark_kind, mark);
}

CUresult berth_soft_submit_wait(CUstream stream, berth_soft_mark_t *mark) {
  return append_with_mark(stream, &wait_kind, mark);
}

// ---- Life ----

CUstream berth_soft_stream_create(CUcontext context, unsigned flags,
                                  int priority) {
  CUstream stream = berth_calloc(1, sizeof(*stream));
  if (stream == NULL) return NULL;
  stream->object.context = context;
  stream->object.close = close_stream;
  stream->flags = flags;
  stream->priority = priority;
  stream->dice = berth_soft_stress_dice();
  berth_mutex_init(&stream->lock);
  return stream;
}

// Tells the thread to end after its work.
static void stop(CUstream stream) {
  berth_mutex_lock(&stream->lock);
  if (stream->has_thread) push(stream, stream->last);
  berth_mutex_unlock(&stream->lock);
}

// Waits for the thread, which has been told to end, and frees what it used.
static void join(CUstream stream) {
  if (stream->has_thread) berth_thread_join(&stream->thread);
  stream->has_thread = false;
  berth_free(stream->head);
  berth_soft_mark_release(stream->seen);
  berth_mutex_deinit(&stream->lock);
}

static void close_stream(berth_soft_object_t *object) {
  CUstream stream = (CUstream)object;
  atomic_store_explicit(&stream->is_closing, true, memory_order_relaxed);
  berth_soft_capture_abandon(stream);
  stop(stream);
  join(stream);
}

// Frees destroyed streams of |context| that are at rest, or |all| of them.
static void reap(CUcontext context, bool all) {
  CUstream *link = &context->zombies;
  while (*link != NULL) {
    CUstream stream = *link;
    if (!all && !berth_soft_counter_reached(&stream->done, stream->count)) {
      link = &stream->next_zombie;
      continue;
    }
    *link = stream->next_zombie;
    join(stream);
    berth_free(stream);
  }
}

void berth_soft_streams_close(CUcontext context) {
  // Waits for memory end first: what would write it may wait behind them.
  for (berth_soft_object_t *object = context->objects; object != NULL;
       object = object->next) {
    if (!is_stream(object)) continue;
    atomic_store_explicit(&((CUstream)object)->is_closing, true,
                          memory_order_relaxed);
  }
  for (CUstream zombie = context->zombies; zombie != NULL;
       zombie = zombie->next_zombie) {
    atomic_store_explicit(&zombie->is_closing, true, memory_order_relaxed);
  }
  reap(context, true);
  close_stream(&context->legacy->object);
  berth_free(context->legacy);
  context->legacy = NULL;
}

void berth_soft_stream_retire(CUstream stream) {
  CUcontext context = stream->object.context;
  berth_soft_capture_abandon(stream);
  berth_soft_object_remove(&stream->object);
  bool is_idle = berth_soft_counter_reached(&stream->done, stream->count);
  stop(stream);
  if (is_idle) {  // Its thread ends at once.
    join(stream);
    berth_free(stream);
    return;
  }
  berth_mutex_lock(&context->lock);
  stream->next_zombie = context->zombies;
  context->zombies = stream;
  reap(context, false);
  berth_mutex_unlock(&context->lock);
}

// ---- Finding and waiting ----

CUresult berth_soft_stream_find(CUstream handle, CUstream *out_stream) {
  BERTH_SOFT_TRY(berth_soft_enter());
  CUcontext context = NULL;
  if (handle == NULL || handle == CU_STREAM_LEGACY) {
    BERTH_SOFT_TRY(berth_soft_context_current(&context));
    *out_stream = context->legacy;
    return CUDA_SUCCESS;
  }
  BERTH_SOFT_TRY(berth_soft_object_check(handle));
  *out_stream = handle;
  return CUDA_SUCCESS;
}

static bool is_done(CUstream stream) {
  berth_mutex_lock(&stream->lock);
  uint32_t count = stream->count;
  berth_mutex_unlock(&stream->lock);
  return berth_soft_counter_reached(&stream->done, count);
}

bool berth_soft_stream_is_idle(CUstream stream) {
  CUcontext context = stream->object.context;
  bool is_idle = is_done(stream);
  if (stream != context->legacy) return is_idle;
  berth_mutex_lock(&context->lock);
  for (berth_soft_object_t *object = context->objects; object && is_idle;
       object = object->next) {
    if (is_blocking(object)) is_idle = is_done((CUstream)object);
  }
  berth_mutex_unlock(&context->lock);
  return is_idle;
}

CUresult berth_soft_stream_wait(CUstream stream) {
  berth_mutex_lock(&stream->lock);
  uint32_t count = stream->count;
  berth_mutex_unlock(&stream->lock);
  berth_soft_counter_wait(&stream->done, count);
  return berth_soft_context_check(stream->object.context);
}

// Puts a new mark behind all work of |stream| and before |*list|.
static bool push_mark(CUstream stream, berth_soft_mark_t **list) {
  if (!has_work(stream)) return true;
  berth_soft_mark_t *mark = berth_soft_mark_create();
  if (mark == NULL) return false;
  mark->next = *list;
  *list = mark;
  if (enqueue_mark(stream, mark)) return true;
  *list = mark->next;
  berth_soft_mark_release(mark);
  return false;
}

CUresult berth_soft_streams_wait(CUcontext context) {
  berth_soft_mark_t *list = NULL;
  berth_mutex_lock(&context->lock);
  bool is_marked = push_mark(context->legacy, &list);
  for (berth_soft_object_t *object = context->objects; object != NULL;
       object = object->next) {
    if (is_stream(object)) {
      is_marked = push_mark((CUstream)object, &list) && is_marked;
    }
  }
  berth_mutex_unlock(&context->lock);
  while (list != NULL) {
    berth_soft_mark_t *mark = list;
    list = mark->next;
    berth_soft_mark_wait(mark);
    berth_soft_mark_release(mark);
  }
  return is_marked ? berth_soft_context_check(context)
                   : CUDA_ERROR_OUT_OF_MEMORY;
}
