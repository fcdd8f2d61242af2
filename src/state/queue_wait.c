// queue_wait.c - Operations on queues, at once and parked.
//
// Every operation goes the same way:
//
// 1. What it needs (items, room for them) is prepared without the lock.
// 2. Under the lock it joins the end of its list, and the queue is flushed: the
//    first waiters of both lists advance as long as any of them can.
// 3. Without the lock, those that are finished are told: batches are joined,
//    texts written, items released, callbacks called. An operation that is
//    finished by its own flush returns its result instead.
#include <string.h>

#include "base/alloc.h"
#include "state/queue_internal.h"

enum {
  KIND_ENQUEUE,
  KIND_DEQUEUE,
  KIND_MANY,
  KIND_UP_TO,
  KIND_CLOSE,
  KIND_PEEK,
};
enum { STATE_IDLE, STATE_PARKED, STATE_FINISHED };

// Why an operation failed; its text is written when it is told.
enum {
  REASON_NONE,
  REASON_CLOSED,
  REASON_ALREADY_CLOSED,
  REASON_INSUFFICIENT,
  REASON_CANCELLED,
  REASON_MEMORY,
};

static bool is_enqueue(const berth_queue_waiter_t *waiter) {
  return waiter->kind == KIND_ENQUEUE || waiter->kind == KIND_CLOSE;
}

// ---- Lists ----

static berth_queue_waiter_list_t *list_of(berth_queue_waiter_t *waiter) {
  berth_queue_t *queue = waiter->queue;
  if (waiter->kind == KIND_PEEK) return &queue->peeks;
  return is_enqueue(waiter) ? &queue->enqueues : &queue->dequeues;
}

static void list_add(berth_queue_waiter_list_t *list,
                     berth_queue_waiter_t *waiter) {
  waiter->next = NULL;
  waiter->previous = list->last;
  if (list->last != NULL) {
    list->last->next = waiter;
  } else {
    list->first = waiter;
  }
  list->last = waiter;
}

static void list_remove(berth_queue_waiter_list_t *list,
                        berth_queue_waiter_t *waiter) {
  if (waiter->previous != NULL) {
    waiter->previous->next = waiter->next;
  } else {
    list->first = waiter->next;
  }
  if (waiter->next != NULL) {
    waiter->next->previous = waiter->previous;
  } else {
    list->last = waiter->previous;
  }
}

// ---- Advancing, with the lock held ----

// Moves |waiter| from its list to |finished|.
static void finish(berth_queue_waiter_t *waiter, berth_code_t code,
                   uint8_t reason, berth_queue_waiter_list_t *finished) {
  waiter->code = code;
  waiter->reason = reason;
  waiter->state = STATE_FINISHED;
  list_remove(list_of(waiter), waiter);
  list_add(finished, waiter);
}

// Puts what |waiter| has taken back. Elements are lost only when there is no
// memory for a larger ring.
static void give_back(berth_queue_waiter_t *waiter) {
  berth_queue_t *queue = waiter->queue;
  if (!berth_ring_reserve(queue, queue->size + waiter->item_count)) return;
  while (waiter->item_count > 0) {
    --waiter->item_count;
    berth_ring_return(
        queue, waiter->items + waiter->item_count * queue->component_count);
  }
}

static void advance_close(berth_queue_waiter_t *waiter,
                          berth_queue_waiter_list_t *finished) {
  if (waiter->queue->is_closed) {
    finish(waiter, BERTH_CANCELLED, REASON_ALREADY_CLOSED, finished);
    return;
  }
  waiter->queue->is_closed = true;
  finish(waiter, BERTH_OK, REASON_NONE, finished);
}

// Moves elements of |waiter| into the ring; true when any moved. Its items are
// in reverse, so that |item_count| is what is left.
static bool advance_enqueue(berth_queue_waiter_t *waiter,
                            berth_queue_waiter_list_t *finished) {
  berth_queue_t *queue = waiter->queue;
  bool has_moved = false;
  if (queue->is_closed) {
    finish(waiter, BERTH_CANCELLED, REASON_CLOSED, finished);
    return true;
  }
  while (waiter->item_count > 0 && queue->size < queue->capacity) {
    if (!berth_ring_reserve(queue, queue->size + 1)) {
      finish(waiter, BERTH_RESOURCE_EXHAUSTED, REASON_MEMORY, finished);
      return true;
    }
    --waiter->item_count;
    berth_ring_push(
        queue, waiter->items + waiter->item_count * queue->component_count);
    has_moved = true;
  }
  if (waiter->item_count == 0) finish(waiter, BERTH_OK, REASON_NONE, finished);
  return has_moved;
}

// Settles a dequeue that a closed queue cannot serve in full: a smaller batch
// where that is allowed, or an error. True when it goes on.
static bool settle_for_less(berth_queue_waiter_t *waiter,
                            berth_queue_waiter_list_t *finished) {
  berth_queue_t *queue = waiter->queue;
  int64_t missing = waiter->wanted - waiter->item_count;
  int64_t size = queue->size;
  if (waiter->kind == KIND_UP_TO && size + waiter->item_count > 0) {
    waiter->wanted = size + waiter->item_count;
    return true;
  }
  give_back(waiter);
  waiter->wanted = missing;
  waiter->seen_size = size;
  finish(waiter, BERTH_OUT_OF_RANGE, REASON_INSUFFICIENT, finished);
  return false;
}

// Moves elements out of the ring to |waiter|; true when any moved or it is
// finished.
static bool advance_dequeue(berth_queue_waiter_t *waiter,
                            berth_queue_waiter_list_t *finished) {
  berth_queue_t *queue = waiter->queue;
  bool has_moved = false;
  if (queue->is_closed && queue->size < waiter->wanted - waiter->item_count &&
      !settle_for_less(waiter, finished)) {
    return true;
  }
  // What comes later may have to come out sooner.
  if (queue->is_ordered && queue->size < waiter->wanted) return false;
  while (berth_ring_ready(queue) > 0 && waiter->item_count < waiter->wanted) {
    if (!berth_items_reserve(waiter, waiter->item_count + 1)) {
      give_back(waiter);
      finish(waiter, BERTH_RESOURCE_EXHAUSTED, REASON_MEMORY, finished);
      return true;
    }
    berth_ring_take(
        queue, waiter->items + waiter->item_count * queue->component_count);
    ++waiter->item_count;
    has_moved = true;
  }
  if (waiter->item_count < waiter->wanted) return has_moved;
  finish(waiter, BERTH_OK, REASON_NONE, finished);
  return true;
}

// Advances the first enqueues until one has to wait; true when anything
// changed.
static bool flush_enqueues(berth_queue_t *queue,
                           berth_queue_waiter_list_t *finished) {
  bool has_changed = false;
  berth_queue_waiter_t *waiter = NULL;
  while ((waiter = queue->enqueues.first) != NULL) {
    if (waiter->kind == KIND_CLOSE) {
      advance_close(waiter, finished);
      has_changed = true;
      continue;
    }
    if (advance_enqueue(waiter, finished)) has_changed = true;
    if (queue->enqueues.first == waiter) break;
  }
  return has_changed;
}

static bool flush_dequeues(berth_queue_t *queue,
                           berth_queue_waiter_list_t *finished) {
  bool has_changed = false;
  berth_queue_waiter_t *waiter = NULL;
  while ((waiter = queue->dequeues.first) != NULL) {
    if (advance_dequeue(waiter, finished)) has_changed = true;
    if (queue->dequeues.first == waiter) break;
  }
  return has_changed;
}

// Shows elements that are there to those who wait for them, each of whom has
// room for one. Nobody waits for anybody else.
static void flush_peeks(berth_queue_t *queue,
                        berth_queue_waiter_list_t *finished) {
  berth_queue_waiter_t *next = NULL;
  for (berth_queue_waiter_t *waiter = queue->peeks.first; waiter != NULL;
       waiter = next) {
    next = waiter->next;
    if (waiter->wanted > queue->size) continue;
    berth_ring_show(queue, waiter->wanted - 1, waiter->items);
    waiter->item_count = 1;
    finish(waiter, BERTH_OK, REASON_NONE, finished);
  }
}

static void flush(berth_queue_t *queue, berth_queue_waiter_list_t *finished) {
  bool has_changed = true;
  while (has_changed) {
    has_changed = flush_enqueues(queue, finished);
    if (flush_dequeues(queue, finished)) has_changed = true;
  }
  flush_peeks(queue, finished);
}

// ---- Telling, without the lock ----

static berth_code_t describe(const berth_queue_waiter_t *waiter,
                             berth_error_t *err) {
  const char *name = waiter->queue->name;
  const char *kind = berth_queue_kind(waiter->queue);
  switch (waiter->reason) {
    case REASON_CLOSED:
      return berth_error_set(err, waiter->code, "%s '%s' is closed.", kind,
                             name);
    case REASON_ALREADY_CLOSED:
      return berth_error_set(err, waiter->code, "Queue '%s' is already closed.",
                             name);
    case REASON_INSUFFICIENT:
      return berth_error_set(err, waiter->code,
                             "%s '%s' is closed and has insufficient "
                             "elements (requested %lld, current size %lld)",
                             kind, name, (long long)waiter->wanted,
                             (long long)waiter->seen_size);
    case REASON_CANCELLED:
      return berth_error_set(err, waiter->code, "%s operation was cancelled",
                             is_enqueue(waiter) ? "Enqueue" : "Dequeue");
    default:
      return berth_error_no_memory(err, "the elements of a queue");
  }
}

// Ends a finished operation: the results are the first items of |waiter|.
static berth_code_t conclude(berth_queue_waiter_t *waiter, berth_error_t *err) {
  if (waiter->code != BERTH_OK) return describe(waiter, err);
  if (waiter->kind != KIND_MANY && waiter->kind != KIND_UP_TO) return BERTH_OK;
  return berth_batch_join(waiter->queue, waiter, err);
}

// Moves the results of |waiter| to |outputs| and frees what it still holds.
static void hand_over(berth_queue_waiter_t *waiter, berth_code_t code,
                      berth_tensor_t **outputs) {
  if (code == BERTH_OK && !is_enqueue(waiter)) {
    int count = waiter->queue->component_count;
    for (int i = 0; i < count; ++i) outputs[i] = waiter->items[i];
    waiter->item_count = 0;
  }
  berth_items_clear(waiter);
}

// Tells one waiter, which is the caller's own from then on.
static void tell(berth_queue_waiter_t *waiter) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = conclude(waiter, &err);
  bool has_outputs = code == BERTH_OK && !is_enqueue(waiter);
  if (!has_outputs) berth_items_clear(waiter);
  // The array of the results is freed here, after |waiter| may be gone; few
  // results lie in it and must be moved out first.
  berth_tensor_t *few[2] = {waiter->few_items[0], waiter->few_items[1]};
  berth_tensor_t **items = waiter->items;
  bool is_few = items == waiter->few_items;
  berth_tensor_t **outputs = is_few ? few : items;
  waiter->done(waiter, code, berth_error_message(&err),
               has_outputs ? outputs : NULL);
  if (has_outputs && !is_few) berth_free(items);
  berth_error_clear(&err);
}

// Tells all of |finished| but |own|.
static void tell_all(berth_queue_waiter_list_t *finished,
                     berth_queue_waiter_t *own) {
  berth_queue_waiter_t *waiter = finished->first;
  while (waiter != NULL) {
    berth_queue_waiter_t *next = waiter->next;
    if (waiter != own) tell(waiter);
    waiter = next;
  }
}

// ---- Operations ----

static void waiter_init(berth_queue_waiter_t *waiter, berth_queue_t *queue,
                        uint8_t kind, int64_t wanted) {
  waiter->queue = queue;
  waiter->next = waiter->previous = NULL;
  waiter->items = NULL;
  waiter->few_items[0] = waiter->few_items[1] = NULL;
  waiter->item_count = waiter->item_capacity = 0;
  waiter->wanted = wanted;
  waiter->seen_size = 0;
  waiter->code = BERTH_OK;
  waiter->kind = kind;
  waiter->state = STATE_IDLE;
  waiter->reason = REASON_NONE;
}

// Steps 2 and 3.
static berth_code_t run(berth_queue_waiter_t *waiter, berth_tensor_t **outputs,
                        bool *out_parked, berth_error_t *err) {
  berth_queue_t *queue = waiter->queue;
  berth_queue_waiter_list_t finished = {NULL, NULL};
  berth_mutex_lock(&queue->lock);
  waiter->state = STATE_PARKED;
  list_add(list_of(waiter), waiter);
  flush(queue, &finished);
  // Once unlocked a parked waiter may be finished, and gone, at any time.
  bool is_parked = waiter->state == STATE_PARKED;
  berth_mutex_unlock(&queue->lock);
  tell_all(&finished, is_parked ? NULL : waiter);
  *out_parked = is_parked;
  if (is_parked) return BERTH_OK;
  berth_code_t code = conclude(waiter, err);
  hand_over(waiter, code, outputs);
  return code;
}

berth_code_t berth_queue_enqueue(berth_queue_t *queue,
                                 berth_tensor_t *const *tensors, int count,
                                 berth_queue_waiter_t *waiter, bool *out_parked,
                                 berth_error_t *err) {
  *out_parked = false;
  BERTH_TRY(berth_queue_check_one(queue, tensors, count, err));
  waiter_init(waiter, queue, KIND_ENQUEUE, 1);
  if (!berth_items_reserve(waiter, 1)) {
    return berth_error_no_memory(err, "an element of a queue");
  }
  for (int i = 0; i < count; ++i) {
    waiter->items[i] = berth_tensor_retain(tensors[i]);
  }
  waiter->item_count = 1;
  return run(waiter, NULL, out_parked, err);
}

berth_code_t berth_queue_enqueue_many(berth_queue_t *queue,
                                      berth_tensor_t *const *tensors, int count,
                                      berth_queue_waiter_t *waiter,
                                      bool *out_parked, berth_error_t *err) {
  int64_t elements = 0;
  *out_parked = false;
  BERTH_TRY(berth_queue_check_many(queue, tensors, count, &elements, err));
  if (elements == 0) return BERTH_OK;
  waiter_init(waiter, queue, KIND_ENQUEUE, elements);
  if (!berth_items_reserve(waiter, elements)) {
    return berth_error_no_memory(err, "the elements of a queue");
  }
  // In reverse: the last item is the next to go.
  for (int64_t i = 0; i < elements; ++i) {
    berth_code_t code =
        berth_batch_split(queue, tensors, elements - 1 - i,
                          waiter->items + i * queue->component_count, err);
    if (code != BERTH_OK) {
      berth_items_clear(waiter);
      return code;
    }
    ++waiter->item_count;
  }
  return run(waiter, NULL, out_parked, err);
}

berth_code_t berth_queue_dequeue(berth_queue_t *queue,
                                 berth_queue_waiter_t *waiter,
                                 berth_tensor_t **outputs, bool *out_parked,
                                 berth_error_t *err) {
  waiter_init(waiter, queue, KIND_DEQUEUE, 1);
  return run(waiter, outputs, out_parked, err);
}

berth_code_t berth_queue_dequeue_many(berth_queue_t *queue, int64_t count,
                                      bool or_fewer,
                                      berth_queue_waiter_t *waiter,
                                      berth_tensor_t **outputs,
                                      bool *out_parked, berth_error_t *err) {
  *out_parked = false;
  if (count < 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "%s requested %lld < 0 elements",
        or_fewer ? "DequeueUpToOp" : "DequeueManyOp", (long long)count);
  }
  if (!queue->has_shapes) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s's DequeueMany and DequeueUpTo require "
                           "the components to have specified shapes.",
                           berth_queue_kind(queue));
  }
  waiter_init(waiter, queue, or_fewer ? KIND_UP_TO : KIND_MANY, count);
  if (count > 0) return run(waiter, outputs, out_parked, err);
  // Nothing is there at once, even in a closed queue.
  berth_code_t code = conclude(waiter, err);
  hand_over(waiter, code, outputs);
  return code;
}

berth_code_t berth_queue_peek(berth_queue_t *queue, int64_t index,
                              berth_queue_waiter_t *waiter,
                              berth_tensor_t **outputs, bool *out_parked,
                              berth_error_t *err) {
  *out_parked = false;
  if (index < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "There is no element %lld", (long long)index);
  }
  waiter_init(waiter, queue, KIND_PEEK, index + 1);
  if (!berth_items_reserve(waiter, 1)) {
    return berth_error_no_memory(err, "an element of a queue");
  }
  return run(waiter, outputs, out_parked, err);
}

// Closes without waiting: parked enqueues fail.
static void close_now(berth_queue_t *queue) {
  berth_queue_waiter_list_t finished = {NULL, NULL};
  berth_mutex_lock(&queue->lock);
  queue->is_closed = true;
  while (queue->enqueues.first != NULL) {
    finish(queue->enqueues.first, BERTH_CANCELLED, REASON_CANCELLED, &finished);
  }
  flush(queue, &finished);
  berth_mutex_unlock(&queue->lock);
  tell_all(&finished, NULL);
}

berth_code_t berth_queue_close(berth_queue_t *queue, bool cancel_pending,
                               berth_queue_waiter_t *waiter, bool *out_parked,
                               berth_error_t *err) {
  *out_parked = false;
  if (cancel_pending) {
    close_now(queue);
    return BERTH_OK;
  }
  waiter_init(waiter, queue, KIND_CLOSE, 0);
  return run(waiter, NULL, out_parked, err);
}

void berth_queue_cancel(berth_queue_waiter_t *waiter) {
  berth_queue_t *queue = waiter->queue;
  berth_queue_waiter_list_t finished = {NULL, NULL};
  berth_mutex_lock(&queue->lock);
  if (waiter->state == STATE_PARKED) {
    if (!is_enqueue(waiter)) give_back(waiter);
    finish(waiter, BERTH_CANCELLED, REASON_CANCELLED, &finished);
    flush(queue, &finished);
  }
  berth_mutex_unlock(&queue->lock);
  tell_all(&finished, NULL);
}
