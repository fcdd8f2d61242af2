// queue.h - Queues of tuples of tensors: first in first out, shuffled, or by
// priority.
//
//   enqueues waiting           elements               dequeues waiting
//   [many 3] [one] [close] ->  [t][t][t] capacity  -> [many 2] [one]
//
// Nothing here blocks a thread. What cannot be done at once is parked: the
// caller lends a berth_queue_waiter_t, and whoever makes the operation possible
// (an enqueue, a dequeue, a close, on any thread) finishes it. Operations of
// one side are served strictly in order, so closing waits for the enqueues
// before it, and one large dequeue holds up those behind it. Who only looks at
// an element holds nobody up.
//
// A dequeue of many takes elements as they come, so that it may ask for more
// than the queue can hold; it puts them back if it fails or is cancelled. One
// by priority takes none before all are there.
//
// Texts of errors are TensorFlow's.
//
// Threads: thread-safe. |done| is called without any lock held.
#ifndef BERTH_STATE_QUEUE_H_
#define BERTH_STATE_QUEUE_H_

#include "base/error.h"
#include "state/container.h"
#include "tensor/tensor.h"

typedef struct berth_queue berth_queue_t;
typedef struct berth_queue_waiter berth_queue_waiter_t;

// ---- Queues ----

typedef struct berth_queue_options {
  int64_t capacity;  // Negative: no limit.
  int component_count;
  const berth_dtype_t *types;
  int shape_count;             // component_count, or 0: any shapes.
  const berth_dims_t *shapes;  // All known, but for a padded queue.
  // The key is a name that scripts gave. Otherwise it is a node's, and messages
  // call the queue _0_key, _1_key …
  bool is_shared;
  // Elements come out in the order that TensorFlow's two seeds give, 0 and 0
  // for one that nobody can foresee, and |spared| stay until it is closed.
  bool is_shuffled;
  int64_t spared;
  int64_t seed, seed2;
  // Sizes that are not known differ between elements; batches have zeros, or
  // empty strings, where an element ends.
  bool is_padded;
  // The first component is an int64 scalar: the smallest comes out first, and
  // of equals the one that came first.
  bool is_ordered;
} berth_queue_options_t;

// Finds or makes the queue called |key| in |container_name|. The caller owns
// one reference. BERTH_INVALID_ARGUMENT when the options make no sense, or are
// not those that the queue was made with.
BERTH_NODISCARD berth_code_t
berth_queue_get(berth_container_t *container, const char *container_name,
                const char *key, const berth_queue_options_t *options,
                berth_queue_t **out_queue, berth_error_t *err);

// Returns the name in messages. Borrowed.
const char *berth_queue_name(const berth_queue_t *queue);

// Returns the number of tensors in an element, and their types. Borrowed.
int berth_queue_component_count(const berth_queue_t *queue);
const berth_dtype_t *berth_queue_types(const berth_queue_t *queue);

// Returns the number of elements now.
int64_t berth_queue_size(berth_queue_t *queue);
bool berth_queue_is_closed(berth_queue_t *queue);

// ---- Operations ----

// Finishes a parked operation. |outputs| (as many as the queue has components,
// each a reference that is taken over) are the results of a dequeue that
// succeeded, else NULL; |text| is the message of a failure. The waiter is the
// caller's again when this is called.
typedef void (*berth_queue_waiter_fn)(berth_queue_waiter_t *waiter,
                                      berth_code_t code, const char *text,
                                      berth_tensor_t **outputs);

// The caller's storage of one operation. Must stay where it is until |done| is
// called, and the caller must hold a reference to the queue until then.
struct berth_queue_waiter {
  berth_queue_waiter_fn done;  // Set by the caller, as is |arg|.
  void *arg;
  // The queue's own.
  berth_queue_t *queue;
  berth_queue_waiter_t *next, *previous;
  berth_tensor_t **items;  // Elements to put in, or taken out.
  berth_tensor_t *few_items[2];
  int64_t item_count;     // Elements in |items|.
  int64_t item_capacity;  // Elements that fit.
  int64_t wanted;         // Elements in all.
  int64_t seen_size;      // Size of the queue, for the message.
  berth_code_t code;
  uint8_t kind;
  uint8_t state;
  uint8_t reason;
};

// The following do what they can at once. When |*out_parked| is false the
// result is in the return value and |err|; when it is true (and the value
// BERTH_OK), |done| tells it later, or has told it already on another thread.

// Puts one element in: |tensors|, retained, one for each component.
// BERTH_CANCELLED when the queue is closed or gets closed,
// BERTH_INVALID_ARGUMENT for wrong numbers, types and shapes.
BERTH_NODISCARD berth_code_t berth_queue_enqueue(
    berth_queue_t *queue, berth_tensor_t *const *tensors, int count,
    berth_queue_waiter_t *waiter, bool *out_parked, berth_error_t *err);

// Puts in as many elements as the first dimension of |tensors| says; all of
// them are copied first.
BERTH_NODISCARD berth_code_t berth_queue_enqueue_many(
    berth_queue_t *queue, berth_tensor_t *const *tensors, int count,
    berth_queue_waiter_t *waiter, bool *out_parked, berth_error_t *err);

// Takes one element out. BERTH_OUT_OF_RANGE when the queue is closed and empty.
// |outputs| has room for every component.
BERTH_NODISCARD berth_code_t berth_queue_dequeue(berth_queue_t *queue,
                                                 berth_queue_waiter_t *waiter,
                                                 berth_tensor_t **outputs,
                                                 bool *out_parked,
                                                 berth_error_t *err);

// Takes |count| elements out and joins them along a new first dimension. With
// |or_fewer| a closed queue may give fewer, but not none.
// BERTH_INVALID_ARGUMENT for queues of any shapes, and for a negative count.
BERTH_NODISCARD berth_code_t
berth_queue_dequeue_many(berth_queue_t *queue, int64_t count, bool or_fewer,
                         berth_queue_waiter_t *waiter, berth_tensor_t **outputs,
                         bool *out_parked, berth_error_t *err);

// Shows the element that is |index| places behind the first, which stays where
// it is; waits until there is one. BERTH_INVALID_ARGUMENT for a negative index.
BERTH_NODISCARD berth_code_t berth_queue_peek(berth_queue_t *queue,
                                              int64_t index,
                                              berth_queue_waiter_t *waiter,
                                              berth_tensor_t **outputs,
                                              bool *out_parked,
                                              berth_error_t *err);

// Closes the queue: nothing gets in any more. With |cancel_pending| waiting
// enqueues fail now and closing never waits; otherwise it waits for them, and
// closing twice is BERTH_CANCELLED.
BERTH_NODISCARD berth_code_t berth_queue_close(berth_queue_t *queue,
                                               bool cancel_pending,
                                               berth_queue_waiter_t *waiter,
                                               bool *out_parked,
                                               berth_error_t *err);

// Gives a parked operation up: |done| is called with BERTH_CANCELLED before
// this returns. Does nothing when it is finished already. |waiter| and its
// queue must still exist.
void berth_queue_cancel(berth_queue_waiter_t *waiter);

#endif  // BERTH_STATE_QUEUE_H_
