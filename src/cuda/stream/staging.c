// staging.c - Copies of pageable host memory, through pinned memory in pieces.
//
//   host      fill 0   fill 1   fill 2   wait, fill 0 ...
//   card               copy 0   copy 1   copy 2   ...
//
// A slot is free again when its event has been reached. Copies to the card
// leave slots behind whose event is still to come; copies to the host do not.
#include "cuda/stream/staging.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

enum { SLOTS = 4 };

// Large enough for the time it takes to wake threads up not to count: with 4
// MiB an H200 and 16 threads reach half of what they do with 8, which is what
// pinned memory gives.
#define SLOT_BYTES ((size_t)8 << 20)
// What one thread copies at a time.
#define GRAIN_BYTES ((int64_t)256 << 10)

typedef struct slot {
  berth_buffer_t *buffer;  // Pinned.
  CUevent done;
  bool is_busy;  // |done| is recorded and may still be to come.
  // What is to be taken to the host when it is done; NULL: nothing.
  char *to;
  size_t size;
} slot_t;

struct berth_cuda_staging {
  slot_t slots[SLOTS];
  int next;
};

// ---- Copies on the host ----

typedef struct host_copy {
  char *to;
  const char *from;
} host_copy_t;

static void copy_part(void *arg, int64_t begin, int64_t end) {
  const host_copy_t *copy = arg;
  memcpy(copy->to + begin, copy->from + begin, (size_t)(end - begin));
}

// Copies with several threads. A run that is interrupted leaves no parts out.
static void copy_on_host(void *to, const void *from, size_t size) {
  host_copy_t copy = {to, from};
  berth_parallel_for_all((int64_t)size, GRAIN_BYTES, copy_part, &copy);
}

// ---- Slots; the stream's staging lock is held ----

static void slots_free(berth_cuda_staging_t *staging, bool is_bound) {
  for (int i = 0; i < SLOTS; ++i) {
    slot_t *slot = &staging->slots[i];
    if (slot->done != NULL && is_bound) {
      (void)BERTH_CU(cuEventDestroy_v2, slot->done);
    }
    berth_buffer_release(slot->buffer);
  }
  berth_free(staging);
}

static berth_code_t slots_make(berth_cuda_stream_t *stream,
                               berth_error_t *err) {
  if (stream->staging != NULL) return BERTH_OK;
  berth_cuda_staging_t *staging = berth_calloc(1, sizeof(*staging));
  if (staging == NULL) return berth_error_no_memory(err, "staging");
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < SLOTS; ++i) {
    slot_t *slot = &staging->slots[i];
    code =
        berth_cuda_pinned_alloc(stream->card, SLOT_BYTES, &slot->buffer, err);
    if (code != BERTH_OK) break;
    code = BERTH_CARD_CALL(stream->card, err, cuEventCreate, &slot->done,
                           CU_EVENT_DISABLE_TIMING);
  }
  if (code != BERTH_OK) {
    slots_free(staging, true);
    return code == BERTH_FAILED_PRECONDITION ? BERTH_RESOURCE_EXHAUSTED : code;
  }
  stream->staging = staging;
  return BERTH_OK;
}

// What is waited for: a slot, or the lock.
typedef struct goal {
  berth_cuda_stream_t *stream;
  slot_t *slot;
} goal_t;

static berth_code_t ask_slot(void *arg, bool *out_done, berth_error_t *err) {
  const goal_t *goal = arg;
  CUresult result = BERTH_CU(cuEventQuery, goal->slot->done);
  *out_done = result != CUDA_ERROR_NOT_READY;
  if (!*out_done) return BERTH_OK;
  return berth_cuda_check(goal->stream->card, result, "cuEventQuery", err);
}

// Waits until |slot| is free, and takes its contents to the host.
static berth_code_t slot_drain(berth_cuda_stream_t *stream, slot_t *slot,
                               berth_error_t *err) {
  if (!slot->is_busy) return BERTH_OK;
  goal_t goal = {stream, slot};
  BERTH_TRY(berth_await(ask_slot, &goal, berth_cuda_is_ended, NULL, err));
  slot->is_busy = false;
  if (slot->to != NULL) copy_on_host(slot->to, slot->buffer->data, slot->size);
  slot->to = NULL;
  return BERTH_OK;
}

// Takes the next slot, empty.
static berth_code_t slot_take(berth_cuda_stream_t *stream, slot_t **out_slot,
                              berth_error_t *err) {
  berth_cuda_staging_t *staging = stream->staging;
  slot_t *slot = &staging->slots[staging->next];
  BERTH_TRY(slot_drain(stream, slot, err));
  staging->next = (staging->next + 1) % SLOTS;
  *out_slot = slot;
  return BERTH_OK;
}

// Marks the end of what was queued for |slot|.
static berth_code_t slot_mark(berth_cuda_stream_t *stream, slot_t *slot,
                              berth_error_t *err) {
  berth_cuda_stream_queued(stream);
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuEventRecord, slot->done,
                            stream->native));
  slot->is_busy = true;
  return BERTH_OK;
}

// After a failure: nothing is queued that touches a slot, or a caller's memory.
static void slots_settle(berth_cuda_stream_t *stream) {
  (void)BERTH_CU(cuStreamSynchronize, stream->native);
  for (int i = 0; i < SLOTS; ++i) {
    stream->staging->slots[i].is_busy = false;
    stream->staging->slots[i].to = NULL;
  }
}

// When the wait for one is ended: the slots stay as busy as they are, and what
// comes into them goes nowhere.
static void slots_leave(berth_cuda_stream_t *stream) {
  for (int i = 0; i < SLOTS; ++i) stream->staging->slots[i].to = NULL;
}

// ---- Pieces; the stream's staging lock is held ----

static berth_code_t piece_in(berth_cuda_stream_t *stream, char *to,
                             const char *from, size_t size,
                             berth_error_t *err) {
  slot_t *slot = NULL;
  BERTH_TRY(slot_take(stream, &slot, err));
  copy_on_host(slot->buffer->data, from, size);
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuMemcpyHtoDAsync_v2,
                            (CUdeviceptr)(uintptr_t)to, slot->buffer->data,
                            size, stream->native));
  return slot_mark(stream, slot, err);
}

static berth_code_t piece_out(berth_cuda_stream_t *stream, char *to,
                              const char *from, size_t size,
                              berth_error_t *err) {
  slot_t *slot = NULL;
  BERTH_TRY(slot_take(stream, &slot, err));
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuMemcpyDtoHAsync_v2,
                            slot->buffer->data, (CUdeviceptr)(uintptr_t)from,
                            size, stream->native));
  BERTH_TRY(slot_mark(stream, slot, err));
  slot->to = to;
  slot->size = size;
  return BERTH_OK;
}

static berth_code_t drain_all(berth_cuda_stream_t *stream, berth_error_t *err) {
  berth_cuda_staging_t *staging = stream->staging;
  for (int i = 0; i < SLOTS; ++i) {
    slot_t *oldest = &staging->slots[(staging->next + i) % SLOTS];
    BERTH_TRY(slot_drain(stream, oldest, err));
  }
  return BERTH_OK;
}

typedef berth_code_t (*piece_fn)(berth_cuda_stream_t *stream, char *to,
                                 const char *from, size_t size,
                                 berth_error_t *err);

static berth_code_t copy_pieces(berth_cuda_stream_t *stream, char *to,
                                const char *from, size_t size, piece_fn piece,
                                berth_error_t *err) {
  BERTH_TRY(slots_make(stream, err));
  berth_code_t code = BERTH_OK;
  for (size_t at = 0; code == BERTH_OK && at < size; at += SLOT_BYTES) {
    size_t part = size - at < SLOT_BYTES ? size - at : SLOT_BYTES;
    code = piece(stream, to + at, from + at, part, err);
  }
  if (code == BERTH_OK && piece == piece_out) code = drain_all(stream, err);
  if (code == BERTH_CANCELLED) {
    slots_leave(stream);
    return berth_error_set(err, BERTH_CANCELLED,
                           "Cancelled while copying to or from GPU %d",
                           stream->card->index);
  }
  if (code != BERTH_OK) {
    slots_settle(stream);
    // Some of it is queued: this is not the lack of pinned memory.
    if (code == BERTH_RESOURCE_EXHAUSTED) code = BERTH_INTERNAL;
  }
  return code;
}

static berth_code_t ask_lock(void *arg, bool *out_done, berth_error_t *err) {
  (void)err;
  *out_done = berth_mutex_try_lock(arg);
  return BERTH_OK;
}

// Copies in |piece|s, one copy at a time. Whoever is before us may wait for
// long.
static berth_code_t copy_alone(berth_cuda_stream_t *stream, char *to,
                               const char *from, size_t size, piece_fn piece,
                               berth_error_t *err) {
  if (berth_await(ask_lock, &stream->staging_lock, berth_cuda_is_ended, NULL,
                  NULL) != BERTH_OK) {
    return berth_error_set(err, BERTH_CANCELLED,
                           "Cancelled while waiting for a copy of GPU %d",
                           stream->card->index);
  }
  berth_code_t code = copy_pieces(stream, to, from, size, piece, err);
  berth_mutex_unlock(&stream->staging_lock);
  return code;
}

berth_code_t berth_staging_copy_in(berth_cuda_stream_t *stream, void *to,
                                   const void *from, size_t size,
                                   berth_error_t *err) {
  return copy_alone(stream, to, from, size, piece_in, err);
}

berth_code_t berth_staging_copy_out(berth_cuda_stream_t *stream, void *to,
                                    const void *from, size_t size,
                                    berth_error_t *err) {
  return copy_alone(stream, to, from, size, piece_out, err);
}

void berth_staging_free(berth_cuda_stream_t *stream, bool is_bound) {
  berth_mutex_lock(&stream->staging_lock);
  if (stream->staging != NULL) slots_free(stream->staging, is_bound);
  stream->staging = NULL;
  berth_mutex_unlock(&stream->staging_lock);
}
