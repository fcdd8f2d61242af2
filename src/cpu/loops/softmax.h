// softmax.h - The loops of Softmax, LogSoftmax and of cross entropies.
//
// softmax(x) = e^(x - m) / sum(e^(x - m)), m the largest of x; the logarithm of
// that is x - m - log(sum(e^(x - m))).
//
// Half and bfloat16 are rounded after every step, sums included, and sums are
// made in the order in which TensorFlow makes them: the error of that order is
// several units, and results would differ by as much.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_SOFTMAX_H_
#define BERTH_CPU_LOOPS_SOFTMAX_H_

#include <stdint.h>

#include "cpu/isa.h"

// Does |rows| rows of |n| elements. |out| may be |in|.
typedef void (*berth_softmax_fn)(const void *in, void *out, int64_t rows,
                                 int64_t n);

// One row of logits as a cross entropy sees it.
typedef struct berth_entropy_row {
  double largest;  // Of the logits.
  double log_sum;  // log(sum(e^(x - largest)))
  double loss;     // 0 without labels.
} berth_entropy_row_t;

// Writes the gradient by |n| logits, which is softmax(x) - label, and returns
// what it comes from. |labels| may be NULL: nothing is subtracted then.
// |gradient| must not overlap what is read.
typedef berth_entropy_row_t (*berth_entropy_fn)(const void *logits,
                                                const void *labels,
                                                void *gradient, int64_t n);

typedef struct berth_softmax_loops {
  berth_softmax_fn f32, f64, half, bfloat16;
  berth_softmax_fn log_f32, log_f64, log_half, log_bfloat16;
  berth_entropy_fn entropy_f32, entropy_f64;
} berth_softmax_loops_t;

BERTH_ISA_TABLE(berth_softmax_loops_t, berth_cpu_softmax_loops);

#endif  // BERTH_CPU_LOOPS_SOFTMAX_H_
