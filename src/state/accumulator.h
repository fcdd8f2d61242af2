// accumulator.h - Sums of gradients that several workers bring.
//
//   gradient, step --> [sum, how many] --> average, once there are enough
//
// A gradient that was computed before the accumulator's own step is dropped.
// Taking the average empties the accumulator and begins its next step. A sparse
// accumulator sums rows, each by its index; an index counts as often as it came.
//
// Nothing here blocks a thread: a take that cannot be done at once is parked, as
// operations of queues are (state/queue.h), and served in order.
//
// Texts of errors are TensorFlow's.
//
// Threads: thread-safe. |done| is called without any lock held.
#ifndef BERTH_STATE_ACCUMULATOR_H_
#define BERTH_STATE_ACCUMULATOR_H_

#include "state/container.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef struct berth_accumulator berth_accumulator_t;
typedef struct berth_accumulator_waiter berth_accumulator_waiter_t;

typedef struct berth_accumulator_options {
  berth_dtype_t dtype;  // half, float or double.
  berth_dims_t shape;   // Of gradients; what is not known is any.
  bool is_sparse;
  bool is_mean;  // What is taken is divided by how many there were.
} berth_accumulator_options_t;

// Finds or makes the accumulator called |key| in |container_name|; the caller
// owns one reference.
BERTH_NODISCARD berth_code_t berth_accumulator_get(
    berth_container_t *container, const char *container_name, const char *key,
    const berth_accumulator_options_t *options, berth_accumulator_t **out,
    berth_error_t *err);

// Returns what it was made as; the shape is borrowed from it.
berth_accumulator_options_t berth_accumulator_options(
    const berth_accumulator_t *accumulator);

// Returns how many gradients there are.
int32_t berth_accumulator_count(berth_accumulator_t *accumulator);

// Sets the step; gradients of earlier ones are dropped from now on.
void berth_accumulator_set_step(berth_accumulator_t *accumulator, int64_t step);

// Adds the gradient of |step|, retained. BERTH_INVALID_ARGUMENT for one of
// another shape.
BERTH_NODISCARD berth_code_t
berth_accumulator_apply(berth_accumulator_t *accumulator, int64_t step,
                        berth_tensor_t *gradient, berth_error_t *err);

// Adds rows: |values| at |indices|, both retained, of a tensor of |shape|, a
// vector, or NULL when that is not known.
BERTH_NODISCARD berth_code_t berth_accumulator_apply_rows(
    berth_accumulator_t *accumulator, int64_t step, berth_tensor_t *indices,
    berth_tensor_t *values, const berth_tensor_t *shape, berth_error_t *err);

// ---- Taking ----

// Finishes a parked take: |outputs| are the average, or of a sparse one indices,
// values and shape; references that are taken over, NULL on failure.
typedef void (*berth_accumulator_fn)(berth_accumulator_waiter_t *waiter,
                                     berth_code_t code, const char *text,
                                     berth_tensor_t **outputs);

// The caller's storage of one take, as that of queues is.
struct berth_accumulator_waiter {
  berth_accumulator_fn done;  // Set by the caller, as is |arg|.
  void *arg;
  // The accumulator's own.
  berth_accumulator_t *accumulator;
  berth_accumulator_waiter_t *next, *previous;
  int32_t wanted;
  int32_t count;           // Gradients in what was taken.
  berth_tensor_t *sum[2];  // Values, and the indices of a sparse one.
  int64_t *counts;         // Of each index; NULL: one each.
  bool is_own;             // The sum is nobody else's.
  bool is_parked;
};

// Takes the average once there are |wanted| gradients. When |*out_parked| is
// false the results are in |outputs| (3 at most); otherwise |done| tells them.
// BERTH_INVALID_ARGUMENT for a number that is not above 0.
BERTH_NODISCARD berth_code_t berth_accumulator_take(
    berth_accumulator_t *accumulator, int32_t wanted,
    berth_accumulator_waiter_t *waiter, berth_tensor_t **outputs,
    bool *out_parked, berth_error_t *err);

// Gives a parked take up: |done| is called with BERTH_CANCELLED before this
// returns. Does nothing when it is finished already.
void berth_accumulator_cancel(berth_accumulator_waiter_t *waiter);

#endif  // BERTH_STATE_ACCUMULATOR_H_
