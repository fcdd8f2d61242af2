// sweep.h - Running a loop over all elements of one or two inputs.
//
// A loop knows one run of elements of one type. What is around it is here, once
// for all ops: broadcasting, half and bfloat16 (converted in blocks and
// computed in float), writing past the caches, threads.
//
//   flat    both inputs as long as the output, or one of them a single element
//   tiled   one input is a short row: repeated in scratch space, then flat
//   spread  innermost runs that are short: many are copied, repeated, then flat
//   rows    anything else: the loop once per innermost run
//
// Plans are immutable; a sweep may run on several threads at once.
#ifndef BERTH_CPU_OPS_SWEEP_H_
#define BERTH_CPU_OPS_SWEEP_H_

#include "cpu/loops/strand.h"
#include "kernel/kernel.h"
#include "op/elementwise.h"

// Does |count| elements: out[i] = f(a[i], b[i]). |out| may be |a| or |b|. Loops
// of one input get as |b| the address of a parameter, or NULL.
typedef void (*berth_loop_fn)(const void *a, const void *b, void *out,
                              int64_t count);

// Does the same of two inputs that are alike, with a parameter.
typedef void (*berth_slope_fn)(const void *a, const void *b,
                               const void *parameter, void *out, int64_t count);

// One op for one type.
typedef struct berth_loops {
  berth_loop_fn both;   // Both inputs have |count| elements.
  berth_loop_fn right;  // The right one is a single element.
  berth_loop_fn left;   // The left one is. NULL: the op is commutative.
} berth_loops_t;

// Says what is to be swept.
typedef struct berth_sweep {
  berth_loops_t loops;   // |both| alone for one input.
  berth_dtype_t input;   // Type of the inputs.
  berth_dtype_t output;  // Type of the output.
  int32_t cost;          // Picoseconds an element.
  bool swap;             // Take the inputs the other way round.
  // Optional: a loop of one input that half and bfloat16 results go through
  // once they are rounded, for ops that are two steps and round twice.
  berth_loop_fn after;
  // Optional: run instead when there is a single element.
  berth_run_fn one;
  // Optional: returns false when the right input makes an error, which is then
  // |code| with |text|.
  bool (*accept)(const void *right, int64_t count);
  berth_code_t code;
  const char *text;
  // The parameter of a loop of one input, or of |slope|; copied.
  double parameter;
  berth_slope_fn slope;  // Optional: the loop of two inputs, instead.
  // Optional: what it is of floats in registers, with the first input as x, and
  // with the second.
  berth_strand_code_t strand, strand_of;
  // Optional: how inputs 0 and 1 are seen as the output, which has elements.
  // Without it they are as they come, and what may be overwritten is said, too.
  const berth_broadcast_t *broadcast;
} berth_sweep_t;

// Prepares a sweep of input 0 into output 0 of the same shape, which is set
// already.
BERTH_NODISCARD berth_code_t berth_sweep_unary(berth_prepare_t *prepare,
                                               const berth_sweep_t *sweep,
                                               berth_error_t *err);

// Prepares a sweep of inputs 0 and 1, which broadcast to output 0, whose shape
// is set already.
BERTH_NODISCARD berth_code_t berth_sweep_binary(berth_prepare_t *prepare,
                                                const berth_sweep_t *sweep,
                                                berth_error_t *err);

// Adds up inputs by |loops|, those of an addition, as |sum| says.
BERTH_NODISCARD berth_code_t berth_sweep_sum(berth_prepare_t *prepare,
                                             const berth_loops_t *loops,
                                             const berth_sum_t *sum,
                                             berth_error_t *err);

// Elements that take about 20 microseconds at |cost| picoseconds each: less is
// not worth a thread.
static inline int64_t berth_grain(int32_t cost) {
  return 20000000 / (cost > 0 ? cost : 1) + 1;
}

#endif  // BERTH_CPU_OPS_SWEEP_H_
