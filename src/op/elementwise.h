// elementwise.h - Ops that compute element by element.
//
// Each function checks its op, sets the outputs, the alias and what may be
// overwritten, and describes the work. All fail with BERTH_INVALID_ARGUMENT in
// TensorFlow's words, and with BERTH_RESOURCE_EXHAUSTED. Where an output is an
// input in another shape they set the op's alias, and there is no work.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_ELEMENTWISE_H_
#define BERTH_OP_ELEMENTWISE_H_

#include "op/broadcast.h"
#include "op/case.h"
#include "op/scalar.h"

// Returns the attribute alpha of |op|, a slope, as elements of |dtype| have it.
double berth_op_slope(const berth_case_t *op, berth_dtype_t dtype);

// ---- One input ----

typedef struct berth_unary {
  berth_unary_op_t function;    // Given; the rest is filled in.
  berth_dtype_t input, output;  // Types of the elements.
  int64_t count;
  double parameter;  // A slope; 0 for most.
} berth_unary_t;

// Checks |op|, which is |unary->function| of input 0.
BERTH_NODISCARD berth_code_t berth_op_unary(berth_case_t *op,
                                            berth_unary_t *unary,
                                            berth_error_t *err);

// ---- Two inputs ----

// What must not be in the right input, where a device can tell.
typedef enum berth_wrong {
  BERTH_WRONG_NOTHING,
  BERTH_WRONG_ZERO,
  BERTH_WRONG_NEGATIVE,
  BERTH_WRONG_FORGOTTEN,  // A zero, for which TensorFlow has no words.
} berth_wrong_t;

// What the shapes of the inputs must be.
typedef enum berth_meet {
  BERTH_MEET_BROADCAST,
  BERTH_MEET_SHAPES,  // The same.
  BERTH_MEET_COUNTS,  // Of as many elements; the output is as the left one.
} berth_meet_t;

typedef struct berth_binary {
  berth_binary_op_t function;  // Given, and may become another one that does
                               // the same for the type.
  bool swap;                   // Given: takes its inputs the other way round.
  berth_wrong_t wrong;         // Given. NOTHING, ZERO or NEGATIVE afterwards.
  berth_meet_t meet;           // Given.
  berth_code_t code;           // The error of what is wrong.
  const char *text;
  berth_dtype_t input, output;  // Types of the elements.
  int64_t count;                // Of the output.
  berth_broadcast_t broadcast;  // Of inputs 0 and 1, unless |count| is 0.
  double parameter;             // A slope; 0 for most.
  // 0 or 1: the shapes do not fit, which is no error; the output is this bool,
  // and there is no other work. -1: they do.
  int8_t answer;
} berth_binary_t;

// Checks |op|, which is |binary->function| of inputs 0 and 1, broadcast.
BERTH_NODISCARD berth_code_t berth_op_binary(berth_case_t *op,
                                             berth_binary_t *binary,
                                             berth_error_t *err);

// Returns the two functions that |function| is for half and bfloat16, each of
// which rounds. False: it is one.
bool berth_binary_steps(berth_binary_op_t function,
                        berth_binary_op_t *out_first,
                        berth_unary_op_t *out_second);

// ---- Others ----

// Takes each element of the output from input 1 where input 0, a bool, is true,
// and from input 2 where it is not.
typedef struct berth_select {
  berth_dtype_t dtype;
  int64_t count;                // Of the output.
  berth_broadcast_t broadcast;  // Of inputs 0 to 2, unless |count| is 0.
} berth_select_t;

// Select, the elder, broadcasts its condition alone, along the first dimension;
// SelectV2 broadcasts all three.
BERTH_NODISCARD berth_code_t berth_op_select(berth_case_t *op,
                                             berth_select_t *out_select,
                                             berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_select_v2(berth_case_t *op,
                                                berth_select_t *out_select,
                                                berth_error_t *err);

// Converts elements.
typedef struct berth_cast {
  berth_dtype_t from, to;
  int64_t count;
  // Digits after the binary point that are kept, where what is too much is cut
  // off. 0: results are rounded.
  int32_t digits;
} berth_cast_t;

// Fails with BERTH_UNIMPLEMENTED for pairs that TensorFlow does not convert.
BERTH_NODISCARD berth_code_t berth_op_cast(berth_case_t *op,
                                           berth_cast_t *out_cast,
                                           berth_error_t *err);

// Adds up all inputs, two at least, in TensorFlow's order, which shows in how
// half precision rounds: the first group, then groups of BERTH_SUM_GROUP, each
// added up by itself and then to the sum.
enum { BERTH_SUM_GROUP = 8 };

typedef struct berth_sum {
  berth_dtype_t dtype;
  int64_t count;
  int32_t input_count;
  int32_t first;  // Inputs of the first group: two to nine.
} berth_sum_t;

// Checks |op|, an AddN. Of one input there is an alias alone.
BERTH_NODISCARD berth_code_t berth_op_add_n(berth_case_t *op,
                                            berth_sum_t *out_sum,
                                            berth_error_t *err);

// Stores one element everywhere. Of elements that own something there is
// nothing to store: new ones are empty.
typedef struct berth_like {
  berth_dtype_t dtype;
  int64_t count;  // 0: nothing to store.
  size_t size;    // Of an element.
  unsigned char element[16];
} berth_like_t;

// Checks |op|, a ZerosLike.
BERTH_NODISCARD berth_code_t berth_op_zeros_like(berth_case_t *op,
                                                 berth_like_t *out_like,
                                                 berth_error_t *err);
// Checks |op|, a OnesLike.
BERTH_NODISCARD berth_code_t berth_op_ones_like(berth_case_t *op,
                                                berth_like_t *out_like,
                                                berth_error_t *err);

#endif  // BERTH_OP_ELEMENTWISE_H_
