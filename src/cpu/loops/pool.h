// pool.h - The loops of pooling, over images whose channels come last.
//
// Windows are taken apart into rows: row r is the outputs of one batch, depth
// and height, r = (batch * depths + depth) * heights + height. Loops that go
// through channels side by side are the same for any number of them.
//
// The largest of a window starts out as the lowest number that there is, as in
// TensorFlow: infinities below it, and NaN, are never found. Where the place is
// asked for it starts out as the first, and NaN stays.
//
// half and bfloat16 are rounded at every step of a sum.
//
// Pure functions behind constant tables.
#ifndef BERTH_CPU_LOOPS_POOL_H_
#define BERTH_CPU_LOOPS_POOL_H_

#include "cpu/isa.h"
#include "op/window.h"

// Channels that are done together, where a loop is given some of them: one
// piece of a gradient.
enum { BERTH_POOL_BLOCK = 64 };

// Fills rows [begin, end) of |out|.
typedef void (*berth_pooling_fn)(const berth_window_t *window, const void *in,
                                 void *out, int64_t begin, int64_t end);

// Where the places of the largest go: numbers of elements, counted in their
// image or in the whole batch.
typedef struct berth_pooling_places {
  void *at;
  bool is_wide;  // int64, or int32.
  bool counts_batch;
} berth_pooling_places_t;

// The same, with places.
typedef void (*berth_pooling_at_fn)(const berth_window_t *window,
                                    const void *in, void *out,
                                    const berth_pooling_places_t *places,
                                    int64_t begin, int64_t end);

// What a gradient reads and writes: |in| is the image, |found| the largest of
// each window, |grad| what goes back, |out| where to.
typedef struct berth_pooling_grad {
  const berth_window_t *window;
  const void *in;     // Not for means.
  const void *found;  // The same.
  const void *grad;
  void *out;
} berth_pooling_grad_t;

// Does piece |piece| of a gradient: BERTH_POOL_BLOCK channels of one batch,
// piece = batch * blocks + block. Fills in all of it.
typedef void (*berth_pooling_grad_fn)(const berth_pooling_grad_t *grad,
                                      int64_t piece);

// The loops of one type; means are of floating types alone, else NULL.
typedef struct berth_pooling_loops {
  berth_pooling_fn max, mean;
  berth_pooling_at_fn max_at;
  berth_pooling_grad_fn max_grad;    // To the first of the largest.
  berth_pooling_grad_fn equal_grad;  // To all that are what was found.
  berth_pooling_grad_fn grad_grad;   // From the first that is what was found.
  berth_pooling_grad_fn mean_grad;
} berth_pooling_loops_t;

// Loops of float, for each instruction set.
BERTH_ISA_TABLE(berth_pooling_loops_t, berth_cpu_pool_f32_loops);

// Returns the loops of |dtype|, a real type, for this CPU.
const berth_pooling_loops_t *berth_pooling_loops(berth_dtype_t dtype);

#endif  // BERTH_CPU_LOOPS_POOL_H_
