// accumulator_internal.h - Accumulators from the inside.
//
//   accumulator.c      making them, gradients and their checks, the numbers
//   accumulator_take.c taking averages, at once and parked
#ifndef BERTH_STATE_ACCUMULATOR_INTERNAL_H_
#define BERTH_STATE_ACCUMULATOR_INTERNAL_H_

#include "base/thread.h"
#include "state/accumulator.h"

struct berth_accumulator {
  berth_resource_t resource;  // First.

  // Never change.
  berth_dtype_t dtype;
  berth_shape_t shape;
  bool is_sparse, is_mean;

  // Guards everything below, and the private fields of parked waiters.
  berth_mutex_t lock;
  int64_t step;
  int32_t count;
  // The sum; of a sparse one rows, in the order of |indices|. The first gradient
  // is held as it came; |is_own| says that the sum is ours to write.
  berth_tensor_t *sum, *indices;
  int64_t *counts;  // How often each index came; NULL: once.
  bool is_own;
  berth_accumulator_waiter_t *first, *last;  // Takes, in the order they came.
};

// Adds |from| to |to| element by element, of half, float or double.
void berth_sum_add(berth_dtype_t dtype, void *to, const void *from,
                   int64_t count);

// Divides |count| elements by a number.
void berth_sum_divide(berth_dtype_t dtype, void *data, int64_t count,
                      int64_t by);

// Serves the takes that can be, and tells them; the lock is not held.
void berth_accumulator_flush(berth_accumulator_t *accumulator);

#endif  // BERTH_STATE_ACCUMULATOR_INTERNAL_H_
