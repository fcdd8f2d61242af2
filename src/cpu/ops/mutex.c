// mutex.c - The kernels MutexV2, MutexLock and ConsumeMutexLock, of which
// critical sections are made.
//
// A mutex is a queue with room for one element (state/queue.h): who holds it
// has put one in, and takes it out at the end. So those that wait hold no
// thread, come in the order they asked in, and are cancelled as enqueues are.
//
//   lock, a variant ──> the queue, and whether it is held
//
// A lock that is dropped before it is consumed, as a run that fails leaves it,
// lets go of its mutex.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/queue.h"

// ---- Locks ----

// Thread-safe.
typedef struct lock {
  berth_resource_t resource;  // First.
  berth_queue_t *queue;       // Retained.
  atomic_bool is_held;
} lock_t;

static void forget(berth_queue_waiter_t *waiter, berth_code_t code,
                   const char *text, berth_tensor_t **outputs) {
  (void)waiter, (void)text;
  if (code == BERTH_OK) berth_tensor_release(outputs[0]);
}

// Lets go of the mutex, once.
static void lock_free(lock_t *lock) {
  if (!atomic_exchange(&lock->is_held, false)) return;
  berth_queue_waiter_t waiter = {.done = forget};
  berth_tensor_t *token = NULL;
  bool is_parked = false;
  // There is an element as long as a lock is held: nothing is waited for.
  berth_code_t code =
      berth_queue_dequeue(lock->queue, &waiter, &token, &is_parked, NULL);
  if (is_parked) berth_queue_cancel(&waiter);
  if (!is_parked && code == BERTH_OK) berth_tensor_release(token);
}

static void lock_destroy(berth_resource_t *resource) {
  lock_t *lock = (lock_t *)resource;
  lock_free(lock);
  berth_resource_release((berth_resource_t *)lock->queue);
  berth_free(lock);
}

// Makes a scalar variant that leads to a lock, which holds nothing yet.
static berth_code_t lock_create(berth_queue_t *queue, berth_tensor_t **out,
                                berth_error_t *err) {
  lock_t *lock = berth_calloc(1, sizeof(*lock));
  if (lock == NULL) return berth_error_no_memory(err, "a lock");
  atomic_init(&lock->resource.refs, 1);
  atomic_init(&lock->is_held, false);
  lock->resource.kind = BERTH_RESOURCE_LOCK;
  lock->resource.destroy = lock_destroy;
  lock->queue = queue;
  berth_resource_retain((berth_resource_t *)queue);
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_VARIANT, 0, NULL, 1, out, err);
  if (code == BERTH_OK) {
    ((berth_handle_t *)(*out)->data)->resource = &lock->resource;
  } else {
    berth_resource_release(&lock->resource);
  }
  return code;
}

static lock_t *lock_of(const berth_tensor_t *tensor) {
  berth_resource_t *resource =
      tensor->count == 1 ? ((const berth_handle_t *)tensor->data)->resource
                         : NULL;
  bool is_lock = resource != NULL && resource->kind == BERTH_RESOURCE_LOCK;
  return is_lock ? (lock_t *)resource : NULL;
}

// ---- Waiting ----

// A lock on its way, in the storage of its completion.
typedef struct pending {
  berth_queue_waiter_t waiter;
  berth_tensor_t *tensor;  // The variant; owned.
} pending_t;

_Static_assert(sizeof(pending_t) <=
                   sizeof(((berth_completion_t *)NULL)->storage),
               "a parked lock must fit its completion");

static pending_t *pending_of(berth_completion_t *completion) {
  return (pending_t *)(void *)completion->storage;
}

static void pending_done(berth_queue_waiter_t *waiter, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  (void)text, (void)outputs;
  berth_completion_t *completion = waiter->arg;
  // The storage is gone once the completion is done.
  berth_tensor_t *tensor = pending_of(completion)->tensor;
  if (code == BERTH_OK) {
    atomic_store(&lock_of(tensor)->is_held, true);
    completion->done(completion, code, NULL, &tensor);
  } else {
    completion->done(completion, code, "Lock acquisition cancelled.", NULL);
    berth_tensor_release(tensor);
  }
}

static void pending_cancel(berth_completion_t *completion) {
  berth_queue_cancel(&pending_of(completion)->waiter);
}

static berth_code_t run_lock(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_QUEUE, &resource, call->err));
  berth_tensor_t *token = NULL;
  BERTH_TRY(
      berth_tensor_make(NULL, BERTH_BOOL, 0, NULL, 1, &token, call->err));
  *(uint8_t *)token->data = 1;
  pending_t *pending = pending_of(call->completion);
  memset(pending, 0, sizeof(*pending));
  pending->waiter.done = pending_done;
  pending->waiter.arg = call->completion;
  berth_code_t code =
      lock_create((berth_queue_t *)resource, &pending->tensor, call->err);
  if (code != BERTH_OK) goto done;
  berth_tensor_t *tensor = pending->tensor;
  bool is_parked = false;
  call->completion->cancel = pending_cancel;
  code = berth_queue_enqueue((berth_queue_t *)resource, &token, 1,
                             &pending->waiter, &is_parked, call->err);
  if (is_parked) {  // Nothing of it may be touched any more.
    code = BERTH_PENDING;
  } else if (code == BERTH_OK) {
    atomic_store(&lock_of(tensor)->is_held, true);
    call->outputs[0] = tensor;
  } else {
    berth_tensor_release(tensor);
  }
done:
  berth_tensor_release(token);
  return code;
}

static berth_code_t run_consume(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan, (void)args;
  char text[BERTH_DIMS_TEXT];
  if (call->inputs[0]->rank != 0) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Expected input to be a scalar, saw shape: %s",
        berth_tensor_dims_text(call->inputs[0], text));
  }
  lock_t *lock = lock_of(call->inputs[0]);
  if (lock == NULL) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Expected input to contain a SharedLockReleaser "
                           "object, but saw variant: '%s'",
                           "Variant<type: int value: 0>");
  }
  lock_free(lock);
  return BERTH_OK;
}

// ---- Preparing ----

static berth_code_t prepare_lock(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_lock;
  return berth_op_queue(&prepare->op, err);
}

static berth_code_t prepare_consume(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  prepare->run = run_consume;
  return berth_op_queue(&prepare->op, err);
}

const berth_kernel_t berth_cpu_mutex_kernels[] = {
    {.op = "MutexV2", .prepare = berth_handle_prepare},
    {.op = "MutexLock", .prepare = prepare_lock},
    {.op = "ConsumeMutexLock", .prepare = prepare_consume},
    {.op = NULL},
};
