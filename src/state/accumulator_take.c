// accumulator_take.c - Averages taken out of accumulators, at once and parked.
//
// 1. Under the lock a take joins the end of the list; the first of the list gets
//    the sum once there are enough gradients, and the next step begins.
// 2. Without the lock, sums become averages, and those that wait are told.
#include <string.h>

#include "base/alloc.h"
#include "state/accumulator_internal.h"

// ---- Step 1 ----

static void list_add(berth_accumulator_t *accumulator,
                     berth_accumulator_waiter_t *waiter) {
  waiter->next = NULL;
  waiter->previous = accumulator->last;
  if (accumulator->last != NULL) accumulator->last->next = waiter;
  if (accumulator->first == NULL) accumulator->first = waiter;
  accumulator->last = waiter;
  waiter->is_parked = true;
}

static void list_remove(berth_accumulator_waiter_t *waiter) {
  berth_accumulator_t *accumulator = waiter->accumulator;
  if (waiter->previous != NULL) waiter->previous->next = waiter->next;
  if (waiter->next != NULL) waiter->next->previous = waiter->previous;
  if (accumulator->first == waiter) accumulator->first = waiter->next;
  if (accumulator->last == waiter) accumulator->last = waiter->previous;
  waiter->next = waiter->previous = NULL;
  waiter->is_parked = false;
}

// Moves the sum to |waiter| and begins the next step.
static void hand_sum(berth_accumulator_t *accumulator,
                     berth_accumulator_waiter_t *waiter) {
  waiter->sum[0] = accumulator->sum;
  waiter->sum[1] = accumulator->indices;
  waiter->counts = accumulator->counts;
  waiter->count = accumulator->count;
  waiter->is_own = accumulator->is_own;
  accumulator->sum = accumulator->indices = NULL;
  accumulator->counts = NULL;
  accumulator->is_own = false;
  accumulator->count = 0;
  ++accumulator->step;
}

// Returns the first take when it can be served, off the list and with the sum;
// else NULL. The lock is held.
static berth_accumulator_waiter_t *serve(berth_accumulator_t *accumulator) {
  berth_accumulator_waiter_t *waiter = accumulator->first;
  if (waiter == NULL || accumulator->count < waiter->wanted) return NULL;
  list_remove(waiter);
  hand_sum(accumulator, waiter);
  return waiter;
}

// ---- Step 2 ----

// Makes the values of |waiter| an average. One gradient alone is its own.
static void divide(berth_accumulator_waiter_t *waiter) {
  berth_tensor_t *sum = waiter->sum[0];
  if (!waiter->accumulator->is_mean || !waiter->is_own) return;
  if (waiter->counts == NULL) {
    berth_sum_divide(sum->dtype, sum->data, sum->count, waiter->count);
    return;
  }
  int64_t rows = sum->dims[0], row = rows > 0 ? sum->count / rows : 0;
  size_t bytes = (size_t)row * berth_dtype_size(sum->dtype);
  for (int64_t i = 0; i < rows; ++i) {
    berth_sum_divide(sum->dtype, (char *)sum->data + (size_t)i * bytes, row,
                     waiter->counts[i]);
  }
}

// Makes the shape of what is taken: the first size as it was said, the others
// as the rows have them.
static berth_code_t make_shape(const berth_accumulator_waiter_t *waiter,
                               berth_tensor_t **out_shape, berth_error_t *err) {
  const berth_accumulator_t *accumulator = waiter->accumulator;
  const berth_tensor_t *sum = waiter->sum[0];
  int64_t rank = sum->rank;
  BERTH_TRY(berth_tensor_create(BERTH_INT64, (berth_dims_t){1, &rank},
                                out_shape, err));
  int64_t *sizes = (*out_shape)->data;
  memcpy(sizes, sum->dims, (size_t)rank * sizeof(*sizes));
  sizes[0] = accumulator->shape.rank > 0 ? accumulator->shape.dims[0] : -1;
  return BERTH_OK;
}

// Ends a take: its results go to |outputs|, or it holds none any more.
static berth_code_t conclude(berth_accumulator_waiter_t *waiter,
                             berth_tensor_t **outputs, berth_error_t *err) {
  bool is_sparse = waiter->accumulator->is_sparse;
  berth_tensor_t *shape = NULL;
  berth_code_t code = is_sparse ? make_shape(waiter, &shape, err) : BERTH_OK;
  divide(waiter);
  berth_free(waiter->counts);
  waiter->counts = NULL;
  if (code != BERTH_OK) {
    berth_tensor_release(waiter->sum[0]);
    berth_tensor_release(waiter->sum[1]);
    return code;
  }
  outputs[is_sparse ? 1 : 0] = waiter->sum[0];
  if (is_sparse) outputs[0] = waiter->sum[1];
  if (is_sparse) outputs[2] = shape;
  return BERTH_OK;
}

// Tells a take that was parked and has the sum.
static void tell(berth_accumulator_waiter_t *waiter) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *outputs[3] = {NULL};
  berth_code_t code = conclude(waiter, outputs, &err);
  waiter->done(waiter, code, berth_error_message(&err),
               code == BERTH_OK ? outputs : NULL);
  berth_error_clear(&err);
}

void berth_accumulator_flush(berth_accumulator_t *accumulator) {
  berth_accumulator_waiter_t *waiter = NULL;
  do {
    berth_mutex_lock(&accumulator->lock);
    waiter = serve(accumulator);
    berth_mutex_unlock(&accumulator->lock);
    if (waiter != NULL) tell(waiter);
  } while (waiter != NULL);
}

// ---- For kernels ----

berth_code_t berth_accumulator_take(berth_accumulator_t *accumulator,
                                    int32_t wanted,
                                    berth_accumulator_waiter_t *waiter,
                                    berth_tensor_t **outputs, bool *out_parked,
                                    berth_error_t *err) {
  *out_parked = false;
  if (wanted <= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Argument num_required must be positive, but was %d",
                           (int)wanted);
  }
  waiter->accumulator = accumulator;
  waiter->wanted = wanted;
  berth_mutex_lock(&accumulator->lock);
  bool is_first = accumulator->first == NULL;
  list_add(accumulator, waiter);
  bool is_served = is_first && serve(accumulator) == waiter;
  berth_mutex_unlock(&accumulator->lock);
  // Once unlocked a parked take may be finished, and gone, at any time.
  *out_parked = !is_served;
  return is_served ? conclude(waiter, outputs, err) : BERTH_OK;
}

void berth_accumulator_cancel(berth_accumulator_waiter_t *waiter) {
  berth_accumulator_t *accumulator = waiter->accumulator;
  berth_mutex_lock(&accumulator->lock);
  bool was_parked = waiter->is_parked;
  if (was_parked) list_remove(waiter);
  berth_mutex_unlock(&accumulator->lock);
  if (!was_parked) return;
  waiter->done(waiter, BERTH_CANCELLED, "TakeGrad operation was cancelled",
               NULL);
  // The one behind it may want fewer gradients.
  berth_accumulator_flush(accumulator);
}
