// barrier.h - Tuples of tensors whose parts come one by one, under texts.
//
// What is whole goes into a queue, in the order in which the keys were first
// seen, and is taken from there with its number and its key. Texts of errors
// are TensorFlow's.
//
// Threads: thread-safe. The barrier's lock comes before that of its queue.
#ifndef BERTH_STATE_BARRIER_H_
#define BERTH_STATE_BARRIER_H_

#include "state/queue.h"

typedef struct berth_barrier berth_barrier_t;

// Finds or makes the barrier called |key| for tuples as |options| say: types,
// shapes and |is_shared|. The caller owns one reference. BERTH_INVALID_ARGUMENT
// when it was made for others.
BERTH_NODISCARD berth_code_t
berth_barrier_get(berth_container_t *container, const char *container_name,
                  const char *key, const berth_queue_options_t *options,
                  berth_barrier_t **out_barrier, berth_error_t *err);

// Returns the queue of whole tuples, which are a number, a key and the parts.
// Borrowed.
berth_queue_t *berth_barrier_queue(const berth_barrier_t *barrier);

// Returns the number of parts, and their types. Borrowed.
int berth_barrier_width(const berth_barrier_t *barrier);
const berth_dtype_t *berth_barrier_types(const berth_barrier_t *barrier);

// Returns how many tuples are not whole.
int64_t berth_barrier_parts(berth_barrier_t *barrier);

// Puts row i of |rows|, retained, in as part |part| of the tuple that text i of
// |keys| names. Fails with BERTH_CANCELLED where the barrier is closed, and
// with BERTH_INVALID_ARGUMENT for a part that is there; what came before is in.
BERTH_NODISCARD berth_code_t berth_barrier_insert(berth_barrier_t *barrier,
                                                  int part,
                                                  const berth_tensor_t *keys,
                                                  berth_tensor_t *const *rows,
                                                  berth_error_t *err);

// Stores in |*count| how many of so many tuples are to be taken from the queue.
// BERTH_OUT_OF_RANGE when the barrier is closed and cannot give them.
BERTH_NODISCARD berth_code_t berth_barrier_begin_take(berth_barrier_t *barrier,
                                                      bool or_fewer,
                                                      int64_t *count,
                                                      berth_error_t *err);

// Lets no new key in; with |cancel_pending| what is not whole is forgotten.
// BERTH_CANCELLED when that has been done.
BERTH_NODISCARD berth_code_t berth_barrier_close(berth_barrier_t *barrier,
                                                 bool cancel_pending,
                                                 berth_error_t *err);

#endif  // BERTH_STATE_BARRIER_H_
