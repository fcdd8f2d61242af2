// source.h - Ops that make numbers from nothing: at equal distances, and random
// ones.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_SOURCE_H_
#define BERTH_OP_SOURCE_H_

#include "op/case.h"
#include "tensor/half.h"

// ---- range.c ----

// A number of any of the types that Range counts in.
typedef struct berth_range_number {
  int64_t integer;  // Of int32 and int64;
  double real;      // of the others, which a double holds exactly.
} berth_range_number_t;

// What Range does: element i is start + i * delta, each operation rounded to
// the type.
typedef struct berth_sequence {
  berth_dtype_t dtype;
  int64_t count;
  berth_range_number_t start, delta;
} berth_sequence_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_range(berth_case_t *op,
                                            berth_sequence_t *out_sequence,
                                            berth_error_t *err);

// Rounds |value| to |dtype|, as each operation of a Range is.
static inline double berth_range_round(berth_dtype_t dtype, double value) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (float)value;
    case BERTH_HALF:
      return berth_half_to_float(berth_float_to_half((float)value));
    case BERTH_BFLOAT16:
      return berth_bfloat16_to_float(berth_float_to_bfloat16((float)value));
    default:
      return value;
  }
}

// LinSpace: numbers at equal distances from input 0 to input 1, which is the
// last of them, as many as its output has; each operation is rounded to the
// type.
BERTH_NODISCARD berth_code_t berth_op_lin_space(berth_case_t *op,
                                                berth_error_t *err);

// ---- random.c ----

typedef enum berth_distribution {
  BERTH_RANDOM_UNIFORM,    // Reals in [0, 1).
  BERTH_RANDOM_NORMAL,     // Of mean 0 and deviation 1.
  BERTH_RANDOM_TRUNCATED,  // Normal ones less than two deviations away.
  BERTH_RANDOM_INTEGERS,   // In [minval, maxval), the last two inputs.
  BERTH_RANDOM_BITS,       // Whole numbers, each as likely as any other.
} berth_distribution_t;

// Where the sequence begins.
typedef enum berth_random_start {
  BERTH_RANDOM_OWN,   // The node has one that goes on from run to run.
  BERTH_RANDOM_SEED,  // Input 1 is two seeds.
  BERTH_RANDOM_KEY,   // Inputs 1 and 2 are Philox's key and counter.
  // Input 0 is a variable that keeps the state, 1 the algorithm, 2 the shape.
  BERTH_RANDOM_STATE,
} berth_random_start_t;

// What an op of random numbers does. Outputs come in groups of what one step of
// the sequence gives.
typedef struct berth_random {
  berth_distribution_t distribution;
  berth_random_start_t start;
  bool has_long_counter;  // Of a key: the counter is two numbers, not one.
  berth_dtype_t dtype;
  int limits;     // Of integers: the input that is the least.
  int64_t count;  // Of outputs.
  int32_t group;  // Outputs of one step: four of up to four bytes, two of
                  // eight.
} berth_random_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_random(berth_case_t *op,
                                             berth_random_t *out_random,
                                             berth_error_t *err);

// StatelessRandomGetKeyCounter: checks |op| and sets its outputs.
BERTH_NODISCARD berth_code_t berth_op_key_counter(berth_case_t *op,
                                                  berth_error_t *err);

// Stores the least of the integers that |random| is to give, and how many
// different ones there are, from the values of its limits. Fails with
// BERTH_INVALID_ARGUMENT when there are none.
BERTH_NODISCARD berth_code_t
berth_random_limits(berth_dtype_t dtype, const void *minval, const void *maxval,
                    uint64_t *out_low, uint64_t *out_range, berth_error_t *err);

// RngSkip, RngReadAndSkip: check |op| and set its output, if there is one.
BERTH_NODISCARD berth_code_t berth_op_skip(berth_case_t *op,
                                           berth_error_t *err);

// NonDeterministicInts: checks |op|, sets its output and says how many it has.
BERTH_NODISCARD berth_code_t berth_op_ints(berth_case_t *op, int64_t *out_count,
                                           berth_error_t *err);

// SobolSample: checks |op|, sets its output and stores how many dimensions and
// points there are, and how many points are left out before.
BERTH_NODISCARD berth_code_t berth_op_sobol(berth_case_t *op,
                                            int64_t out_sizes[3],
                                            berth_error_t *err);

// Multinomial: |*out_count| draws of a class for each row of logits, input 0.
// Checks |op| and sets its output.
BERTH_NODISCARD berth_code_t berth_op_multinomial(berth_case_t *op,
                                                  int64_t *out_count,
                                                  berth_error_t *err);

#endif  // BERTH_OP_SOURCE_H_
