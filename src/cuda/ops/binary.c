// binary.c - GPU kernels of ops with two inputs that broadcast.
//
// The kernels themselves are in binary_*.cu. What is an error on the host and
// cannot be raised by a card is said in binary_int.cuh.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "cuda/ops/fill.h"
#include "op/types.h"

// Ops and the kernels that do them, of integers and of other numbers.
static const struct {
  const char *op, *what, *of_integers;
} names[] = {
    {"Add", "add", NULL},
    {"AddV2", "add", NULL},
    {"Sub", "sub", NULL},
    {"Mul", "mul", NULL},
    {"RealDiv", "div", NULL},
    {"Div", "div", "trunc_div"},
    {"TruncateDiv", "trunc_div", NULL},
    {"FloorDiv", "floor_div", NULL},
    {"FloorMod", "floor_mod", NULL},
    {"Maximum", "max", NULL},
    {"Minimum", "min", NULL},
    {"Pow", "pow", NULL},
    {"SquaredDifference", "squared_difference", NULL},
    {"DivNoNan", "div_no_nan", NULL},
    {"MulNoNan", "mul_no_nan", NULL},
    {"Xdivy", "xdivy", NULL},
    {"Xlogy", "xlogy", NULL},
    {"Atan2", "atan2", NULL},
    {"Equal", "equal", NULL},
    {"NotEqual", "not_equal", NULL},
    {"Less", "less", NULL},
    {"LessEqual", "less_equal", NULL},
    {"Greater", "less", NULL},
    {"GreaterEqual", "less_equal", NULL},
    {"LogicalAnd", "and", NULL},
    {"LogicalOr", "or", NULL},
};

#define UNSIGNED                                                 \
  (BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | \
   BERTH_TYPE(UINT64))

static const char *what_of(const char *op, berth_dtype_t dtype) {
  bool is_whole =
      !berth_type_in(dtype, BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX);
  // Of numbers without a sign they are the same.
  bool is_unsigned = berth_type_in(dtype, UNSIGNED);
  if (is_unsigned && strcmp(op, "FloorDiv") == 0) return "trunc_div";
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (strcmp(names[i].op, op) != 0) continue;
    return is_whole && names[i].of_integers != NULL ? names[i].of_integers
                                                    : names[i].what;
  }
  return "";
}

static berth_code_t prepare_binary(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  const char *op = prepare->op.node->op->name;
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_dims_t inputs[2] = {berth_op_input_dims(&prepare->op, 0),
                            berth_op_input_dims(&prepare->op, 1)};
  bool swap = strncmp(op, "Greater", 7) == 0;
  return berth_walk_prepare(prepare,
                            berth_binary_kernel(what_of(op, dtype), dtype),
                            inputs, 2, swap, err);
}

// Shapes that do not fit are unequal, when that is no error.
static berth_code_t prepare_equality(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_shape_t shape;
  bool fits =
      berth_dims_broadcast(berth_op_input_dims(&prepare->op, 0),
                           berth_op_input_dims(&prepare->op, 1), &shape);
  if (fits) return prepare_binary(prepare, err);
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  uint8_t answer = strcmp(prepare->op.node->op->name, "NotEqual") == 0;
  return berth_fill_prepare(prepare, 1, &answer, -1, err);
}

#define FLOATING BERTH_TYPES_FLOATING
#define NO_BFLOAT16 (~BERTH_TYPE(BFLOAT16))
#define INEXACT (FLOATING | BERTH_TYPES_COMPLEX)
#define ARITHMETIC (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPE(INT32))
#define REAL (ARITHMETIC & ~BERTH_TYPES_COMPLEX)
#define POWERS \
  (FLOATING | BERTH_TYPE(INT8) | BERTH_TYPE(INT16) | BERTH_TYPE(INT64))
#define ANY (ARITHMETIC | BERTH_TYPE(BOOL))

#define KERNEL(name, set) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_binary }

const berth_kernel_t berth_cuda_binary_kernels[] = {
    KERNEL("Add", INEXACT | POWERS | BERTH_TYPE(UINT8)),
    KERNEL("AddV2", ARITHMETIC),
    KERNEL("Sub", ARITHMETIC),
    KERNEL("Mul", ARITHMETIC),
    KERNEL("RealDiv", INEXACT),
    KERNEL("Div", ARITHMETIC),
    KERNEL("TruncateDiv", REAL &NO_BFLOAT16),
    KERNEL("FloorDiv", REAL),
    KERNEL("FloorMod", REAL &NO_BFLOAT16),
    KERNEL("Maximum", REAL),
    KERNEL("Minimum", REAL),
    KERNEL("Pow", POWERS),
    KERNEL("SquaredDifference", FLOATING | BERTH_TYPE(INT64)),
    KERNEL("DivNoNan", INEXACT),
    KERNEL("MulNoNan", INEXACT &NO_BFLOAT16),
    KERNEL("Xdivy", INEXACT),
    KERNEL("Xlogy", INEXACT),
    KERNEL("Atan2", FLOATING),
    {.op = "Equal", .types = {{"T", ANY}}, .prepare = prepare_equality},
    {.op = "NotEqual", .types = {{"T", ANY}}, .prepare = prepare_equality},
    KERNEL("Less", REAL),
    KERNEL("LessEqual", REAL),
    KERNEL("Greater", REAL),
    KERNEL("GreaterEqual", REAL),
    {.op = "LogicalAnd", .prepare = prepare_binary},
    {.op = "LogicalOr", .prepare = prepare_binary},
    {.op = NULL},
};
