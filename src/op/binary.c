// binary.c - Ops with two inputs that compute element by element.
#include <inttypes.h>

#include "graph/shape_fn.h"
#include "op/elementwise.h"
#include "op/types.h"
#include "op/value.h"

bool berth_binary_asks(berth_binary_op_t op) {
  enum { SAME = false, BOOL = true };
  static const bool asks[BERTH_BINARY_COUNT] = {
#define BINARY(NAME, name, result, ...) [BERTH_BINARY_##NAME] = result,
#include "op/binary_list.inc"
  };
  return asks[op];
}

bool berth_binary_steps(berth_binary_op_t function,
                        berth_binary_op_t *out_first,
                        berth_unary_op_t *out_second) {
  switch (function) {
#define BINARY_STEPS(NAME, FIRST, SECOND) \
  case BERTH_BINARY_##NAME:               \
    *out_first = BERTH_BINARY_##FIRST;    \
    *out_second = BERTH_UNARY_##SECOND;   \
    return true;
#include "op/binary_list.inc"
    default:
      return false;
  }
}

// Of integers some functions are the same.
static berth_binary_op_t function_of(berth_binary_op_t function,
                                     berth_dtype_t dtype) {
  bool is_unsigned = berth_type_in(dtype, BERTH_TYPES_UNSIGNED);
  bool is_whole = berth_type_in(dtype, BERTH_TYPES_SIGNED) || is_unsigned;
  if (function == BERTH_BINARY_DIV && is_whole) return BERTH_BINARY_TRUNC_DIV;
  if (function == BERTH_BINARY_FLOOR_DIV && is_unsigned) {
    return BERTH_BINARY_TRUNC_DIV;
  }
  return function;
}

// Integers that would divide by zero, or have negative powers, are errors.
static void set_wrong(berth_binary_t *binary) {
  berth_wrong_t wrong = binary->wrong;
  binary->wrong = BERTH_WRONG_NOTHING;
  if (!berth_type_in(binary->input,
                     BERTH_TYPES_SIGNED | BERTH_TYPES_UNSIGNED) ||
      wrong == BERTH_WRONG_NOTHING) {
    return;
  }
  binary->wrong = wrong == BERTH_WRONG_NEGATIVE ? wrong : BERTH_WRONG_ZERO;
  binary->code = BERTH_INVALID_ARGUMENT;
  binary->text = wrong == BERTH_WRONG_NEGATIVE
                     ? "Integers to negative integer powers are not allowed"
                     : "Integer division by zero";
  if (wrong == BERTH_WRONG_FORGOTTEN) {
    binary->code = BERTH_INTERNAL;
    binary->text =
        "Unexpected error in binary operator (only integer div and mod "
        "should have errors)";
  }
}

// Sets the shape of the output. False when the inputs do not fit together.
static bool set_shape(berth_case_t *op, berth_meet_t meet) {
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  bool same_count = op->inputs[0].count == op->inputs[1].count;
  if (berth_dims_equal(a, b) || (meet == BERTH_MEET_COUNTS && same_count)) {
    berth_case_output(op, 0, a);
    return true;
  }
  return meet == BERTH_MEET_BROADCAST &&
         berth_dims_broadcast(a, b, &op->outputs[0]);
}

static berth_code_t fail_shapes(const berth_case_t *op, berth_meet_t meet,
                                berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_input_text(&op->inputs[0], a);
  berth_input_text(&op->inputs[1], b);
  switch (meet) {
    case BERTH_MEET_SHAPES:
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Inputs to operation %s of type %s must have the same size and "
          "shape.  Input 0: %s != input 1: %s",
          op->node->name, op->node->op->name, a, b);
    case BERTH_MEET_COUNTS:
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "The two arguments to a cwise op must have same number of elements, "
          "got %" PRId64 " and %" PRId64,
          op->inputs[0].count, op->inputs[1].count);
    default:
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Incompatible shapes: %s vs. %s", a, b);
  }
}

// True when shapes that do not fit have an answer: they are unequal.
static bool has_answer(const berth_case_t *op, const berth_binary_t *binary) {
  bool compares = binary->function == BERTH_BINARY_EQUAL ||
                  binary->function == BERTH_BINARY_NOT_EQUAL;
  return compares &&
         !berth_node_attr_bool(op->node, "incompatible_shape_error", true);
}

// Inputs as large as the output, of elements as large, may be overwritten.
static uint32_t overwritable(const berth_case_t *op,
                             const berth_binary_t *binary) {
  if (!berth_dtype_is_plain(binary->input) ||
      berth_dtype_size(binary->input) != berth_dtype_size(binary->output)) {
    return 0;
  }
  uint32_t left = op->inputs[0].count == binary->count ? 1 : 0;
  uint32_t right = op->inputs[1].count == binary->count ? 2 : 0;
  return left | right;
}

static berth_code_t set_broadcast(berth_case_t *op, berth_binary_t *binary,
                                  berth_error_t *err) {
  berth_dims_t shape = berth_case_output_dims(op, 0);
  int64_t count = berth_dims_count(shape);
  BERTH_TRY(berth_value_check_size(shape, count < 0 ? INT64_MAX : count,
                                   binary->output, err));
  binary->count = count;
  if (count == 0) return BERTH_OK;
  berth_dims_t inputs[2] = {berth_case_input_dims(op, 0),
                            berth_case_input_dims(op, 1)};
  if (binary->meet == BERTH_MEET_COUNTS) inputs[1] = inputs[0];
  BERTH_TRY(berth_broadcast_make(inputs, 2, shape, op->arena,
                                 &binary->broadcast, err));
  op->may_overwrite = overwritable(op, binary);
  return BERTH_OK;
}

berth_code_t berth_op_binary(berth_case_t *op, berth_binary_t *binary,
                             berth_error_t *err) {
  binary->input = op->inputs[0].dtype;
  binary->output =
      berth_binary_asks(binary->function) ? BERTH_BOOL : binary->input;
  binary->answer = -1;
  if (!set_shape(op, binary->meet)) {
    if (!has_answer(op, binary)) return fail_shapes(op, binary->meet, err);
    binary->answer = binary->function == BERTH_BINARY_NOT_EQUAL;
    binary->count = 1;
    berth_case_output(op, 0, BERTH_SCALAR);
    return BERTH_OK;
  }
  set_wrong(binary);
  binary->parameter = binary->function == BERTH_BINARY_LEAKY_RELU_GRAD
                          ? berth_op_slope(op, binary->input)
                          : 0;
  binary->function = function_of(binary->function, binary->input);
  return set_broadcast(op, binary, err);
}

// ---- Shapes ----

BERTH_INFER(broadcast) {
  return berth_shape_broadcast(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                               &c->outputs[0], err);
}

BERTH_INFER(equality) {
  if (berth_node_attr_bool(c->node, "incompatible_shape_error", true)) {
    return berth_infer_broadcast(c, err);
  }
  // Shapes that do not fit compare as unequal: one false.
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  if (berth_shape_broadcast(c, a, b, &c->outputs[0], NULL) != BERTH_OK) {
    c->outputs[0] = (berth_dims_t){0, NULL};
  } else if (!berth_dims_is_full(a) || !berth_dims_is_full(b)) {
    c->outputs[0] = (berth_dims_t){-1, NULL};
  }
  return BERTH_OK;
}

BERTH_INFER(same) {
  return berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                           &c->outputs[0], err);
}
