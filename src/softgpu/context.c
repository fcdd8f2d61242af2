// context.c - Starting the driver, and contexts.
#include "softgpu/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "softgpu/exports.h"
#include "softgpu/machine.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"
#include "softgpu/visible.h"

enum { CLOSED, READY, LOST, ENDED, MAX_DEPTH = 32 };

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards starting.
// LOST: in a forked child; ENDED: the process is about to end.
static atomic_int state = CLOSED;
// Constant once READY.
static berth_soft_visible_t visible;
static struct CUctx_st contexts[BERTH_SOFT_MAX_CARDS];

static BERTH_THREAD_LOCAL CUcontext stack[MAX_DEPTH];
static BERTH_THREAD_LOCAL int depth = 0;

// ---- Starting ----

static void lose(void) {
  if (atomic_load(&state) == READY) atomic_store(&state, LOST);
}

// As the driver does, ends everything when the process ends: after the
// program's own handlers that were registered since cuInit(), before those from
// earlier. Queued work is left out, and what a thread waits for is reached, as
// after a fault; a product stops at its next tile. No thread is waited for: they
// take no part in what else is destroyed (base/visit.h keeps them out of the
// library that would mind), and may be in a function of the program's that waits
// for this very thread.
static void end(void) {
  if (atomic_load(&state) != READY) return;
  atomic_store(&state, ENDED);
  for (int i = 0; i < visible.count; ++i) {
    berth_soft_context_fail(&contexts[i], CUDA_ERROR_DEINITIALIZED);
  }
}

static CUresult start(void) {
  const berth_soft_machine_t *machine = NULL;
  berth_code_t code = berth_soft_machine_open(&machine);
  if (code == BERTH_NOT_FOUND) return CUDA_ERROR_NO_DEVICE;
  if (code == BERTH_INVALID_ARGUMENT) return CUDA_ERROR_INVALID_VALUE;
  if (code != BERTH_OK) return CUDA_ERROR_OUT_OF_MEMORY;
  BERTH_SOFT_TRY(berth_soft_visible_read(
      &machine->cards, berth_env_get("CUDA_VISIBLE_DEVICES"),
      berth_env_get("CUDA_DEVICE_ORDER"), &visible));
  for (int i = 0; i < visible.count; ++i) {
    contexts[i].card_index = visible.cards[i];
    contexts[i].card = &machine->cards.items[visible.cards[i]];
    contexts[i].ordinal = i;
    berth_mutex_init(&contexts[i].lock);
  }
  if (pthread_atfork(NULL, NULL, lose) != 0 || atexit(end) != 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now != CLOSED) return berth_soft_enter();
  CUresult result = CUDA_SUCCESS;
  berth_mutex_lock(&lock);
  if (atomic_load(&state) == CLOSED) result = start();
  if (result == CUDA_SUCCESS) {
    atomic_store_explicit(&state, READY, memory_order_release);
  }
  berth_mutex_unlock(&lock);
  return result;
}

CUresult berth_soft_enter(void) {
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now == READY) return CUDA_SUCCESS;
  return now == ENDED ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
}

bool berth_soft_has_ended(void) {
  return atomic_load_explicit(&state, memory_order_relaxed) == ENDED;
}

int berth_soft_visible_count(void) { return visible.count; }

// ---- Finding ----

CUresult berth_soft_context_of(CUdevice device, CUcontext *out_context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (device < 0 || device >= visible.count) return CUDA_ERROR_INVALID_DEVICE;
  *out_context = &contexts[device];
  return CUDA_SUCCESS;
}

CUresult berth_soft_context_check(CUcontext context) {
  if (!atomic_load_explicit(&context->is_active, memory_order_relaxed)) {
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return (CUresult)atomic_load_explicit(&context->fault, memory_order_relaxed);
}

CUresult berth_soft_context_current(CUcontext *out_context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  CUcontext context = depth > 0 ? stack[depth - 1] : NULL;
  if (context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  BERTH_SOFT_TRY(berth_soft_context_check(context));
  *out_context = context;
  return CUDA_SUCCESS;
}

void berth_soft_context_fail(CUcontext context, CUresult fault) {
  int none = CUDA_SUCCESS;
  atomic_compare_exchange_strong_explicit(&context->fault, &none, (int)fault,
                                          memory_order_relaxed,
                                          memory_order_relaxed);
}

// ---- Owning ----

bool berth_soft_context_take(CUcontext context, uint64_t bytes) {
  if (!berth_soft_ledger_take(berth_soft_machine_get()->ledger,
                              context->card_index, bytes)) {
    return false;
  }
  context->charged_bytes += bytes;
  return true;
}

void berth_soft_context_give(CUcontext context, uint64_t bytes) {
  context->charged_bytes -= bytes;
  berth_soft_ledger_give(berth_soft_machine_get()->ledger, context->card_index,
                         bytes);
}

void berth_soft_object_add(CUcontext context, berth_soft_object_t *object) {
  berth_mutex_lock(&context->lock);
  object->context = context;
  object->generation = atomic_load(&context->generation);
  object->next = context->objects;
  object->link = &context->objects;
  if (object->next != NULL) object->next->link = &object->next;
  context->objects = object;
  berth_mutex_unlock(&context->lock);
}

static void unlink_object(berth_soft_object_t *object) {
  *object->link = object->next;
  if (object->next != NULL) object->next->link = object->link;
}

void berth_soft_object_remove(berth_soft_object_t *object) {
  CUcontext context = object->context;
  berth_mutex_lock(&context->lock);
  unlink_object(object);
  berth_mutex_unlock(&context->lock);
}

void berth_soft_object_destroy(berth_soft_object_t *object) {
  berth_soft_object_remove(object);
  if (object->close != NULL) object->close(object);
  berth_free(object);
}

CUresult berth_soft_object_check(const void *handle) {
  const berth_soft_object_t *object = handle;
  BERTH_SOFT_TRY(berth_soft_enter());
  if (object == NULL) return CUDA_ERROR_INVALID_HANDLE;
  unsigned now =
      atomic_load_explicit(&object->context->generation, memory_order_relaxed);
  if (object->generation != now) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return berth_soft_context_check(object->context);
}

// ---- Life; the context's lock is held ----

static CUresult open_context(CUcontext context) {
  CUresult fault =
      (CUresult)atomic_load_explicit(&context->fault, memory_order_relaxed);
  if (fault != CUDA_SUCCESS) return fault;
  if (!berth_soft_context_take(context, BERTH_SOFT_CONTEXT_BYTES)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  CUstream legacy = berth_soft_stream_create(context, CU_STREAM_DEFAULT, 0);
  if (legacy == NULL) {
    berth_soft_context_give(context, BERTH_SOFT_CONTEXT_BYTES);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  context->legacy = legacy;
  atomic_fetch_add(&context->generation, 1);
  atomic_store(&context->is_active, true);
  return CUDA_SUCCESS;
}

// Waits for all work, and destroys what the context owns.
static void close_context(CUcontext context) {
  if (!atomic_exchange(&context->is_active, false)) return;
  berth_soft_streams_close(context);
  while (context->objects != NULL) {
    berth_soft_object_t *object = context->objects;
    unlink_object(object);
    if (object->close != NULL) object->close(object);
    object->next = context->graveyard;
    context->graveyard = object;
  }
  berth_soft_mark_release(context->legacy_mark);
  context->legacy_mark = NULL;
  berth_soft_space_forget(context);
  berth_soft_context_give(context, context->charged_bytes);
  context->small_bytes = context->shared_bytes = 0;
  context->peers = 0;
  context->flags = 0;
}

// ---- The driver's functions ----

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  CUcontext found = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &found));
  if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CUDA_SUCCESS;
  berth_mutex_lock(&found->lock);
  if (!atomic_load(&found->is_active)) result = open_context(found);
  if (result == CUDA_SUCCESS) ++found->references;
  berth_mutex_unlock(&found->lock);
  if (result == CUDA_SUCCESS) *context = found;
  return result;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  berth_mutex_lock(&context->lock);
  bool is_held = context->references > 0;
  if (is_held && --context->references == 0) close_context(context);
  berth_mutex_unlock(&context->lock);
  return is_held ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  berth_mutex_lock(&context->lock);
  close_context(context);
  berth_mutex_unlock(&context->lock);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  berth_mutex_lock(&context->lock);
  context->flags = flags;
  berth_mutex_unlock(&context->lock);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                    int *active) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  if (flags == NULL || active == NULL) return CUDA_ERROR_INVALID_VALUE;
  berth_mutex_lock(&context->lock);
  *flags = context->flags;
  *active = atomic_load(&context->is_active);
  berth_mutex_unlock(&context->lock);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  if (depth == MAX_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --depth;
  if (context != NULL) *context = stack[depth];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (depth > 0) --depth;
  if (context != NULL) stack[depth++] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
  *context = depth > 0 ? stack[depth - 1] : NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (device == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  *device = stack[depth - 1]->ordinal;
  return CUDA_SUCCESS;
}
