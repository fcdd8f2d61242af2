// queue_internal.h - Queues from the inside.
//
//   queue.c          making them, checking what goes in
//   queue_element.c  elements: the ring, batches
//   queue_wait.c     operations, at once and parked
#ifndef BERTH_STATE_QUEUE_INTERNAL_H_
#define BERTH_STATE_QUEUE_INTERNAL_H_

#include "base/thread.h"
#include "state/philox.h"
#include "state/queue.h"

// Waiters in the order they came.
typedef struct berth_queue_waiter_list {
  berth_queue_waiter_t *first, *last;
} berth_queue_waiter_list_t;

struct berth_queue {
  berth_resource_t resource;  // First.

  // Never change.
  char *name;
  int64_t capacity;
  int component_count;
  bool has_shapes;
  berth_dtype_t *types;
  berth_shape_t *shapes;  // NULL unless |has_shapes|.
  bool is_shuffled;
  int64_t spared;
  int64_t seed, seed2;
  bool is_padded;
  bool is_ordered;

  // Guards everything below, and the private fields of parked waiters. No
  // callback, no copying of tensors under it.
  berth_mutex_t lock;
  bool is_closed;
  berth_queue_waiter_list_t enqueues;  // Closings among them.
  berth_queue_waiter_list_t dequeues;
  berth_queue_waiter_list_t peeks;

  // A ring of |ring_capacity| elements of |component_count| tensors each, of
  // which |size| are there, from |head| on.
  berth_tensor_t **ring;
  int64_t ring_capacity;
  int64_t head;
  int64_t size;

  // Of a shuffled queue: its random numbers, four at a time.
  berth_philox_t philox;
  uint32_t words[4];
  int word_count;  // Left of them.
};

// ---- queue.c ----

// Returns what messages call the kind of a queue.
const char *berth_queue_kind(const berth_queue_t *queue);

// Check the tensors of one element, or of many, and store how many there are.
BERTH_NODISCARD berth_code_t berth_queue_check_one(
    const berth_queue_t *queue, berth_tensor_t *const *tensors, int count,
    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_queue_check_many(
    const berth_queue_t *queue, berth_tensor_t *const *tensors, int count,
    int64_t *out_elements, berth_error_t *err);

// ---- queue_element.c ----

// Makes room for |elements| in the ring in all; false when memory is short.
// The lock is held for this and the next five.
bool berth_ring_reserve(berth_queue_t *queue, int64_t elements);

// Moves an element in at the end, or where its priority belongs; there is room.
void berth_ring_push(berth_queue_t *queue, berth_tensor_t *const *element);
// Moves an element out: the first, or any of a shuffled queue.
void berth_ring_take(berth_queue_t *queue, berth_tensor_t **element);
// Moves an element that was taken back in, where there is room: to the front,
// or to the end of a shuffled queue, as TensorFlow does.
void berth_ring_return(berth_queue_t *queue, berth_tensor_t *const *element);
// Retains the tensors of the element that is |index| places behind the first.
void berth_ring_show(const berth_queue_t *queue, int64_t index,
                     berth_tensor_t **element);
// Returns how many elements may be taken.
int64_t berth_ring_ready(const berth_queue_t *queue);

// Makes room for |elements| among the items of |waiter| in all; false when
// memory is short.
bool berth_items_reserve(berth_queue_waiter_t *waiter, int64_t elements);

// Releases the items of |waiter| that are left and their array.
void berth_items_clear(berth_queue_waiter_t *waiter);

// Copies element |index| of the batches |tensors| into |element|.
BERTH_NODISCARD berth_code_t berth_batch_split(const berth_queue_t *queue,
                                               berth_tensor_t *const *tensors,
                                               int64_t index,
                                               berth_tensor_t **element,
                                               berth_error_t *err);

// Joins the items of |waiter| to batches, which replace its first element. On
// failure the items are as berth_items_clear() needs them.
BERTH_NODISCARD berth_code_t berth_batch_join(const berth_queue_t *queue,
                                              berth_queue_waiter_t *waiter,
                                              berth_error_t *err);

#endif  // BERTH_STATE_QUEUE_INTERNAL_H_
