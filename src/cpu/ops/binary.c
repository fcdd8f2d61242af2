// binary.c - Kernels of ops with two inputs that broadcast.
//
// prepare finds the output's shape and the loops for the type; sweep.c does the
// rest. A single element of the commonest ops and types is computed here,
// without a loop.
#include "cpu/loops/binary.h"

#include "cpu/kernels.h"
#include "cpu/loops/unary.h"
#include "cpu/ops/move.h"
#include "cpu/ops/strings.h"
#include "op/value.h"

const berth_loops_t *berth_binary_loops(berth_binary_op_t op,
                                        berth_dtype_t dtype) {
  if (dtype == BERTH_STRING) return berth_string_loops(op);
  berth_slot_t slot = berth_slot_of(dtype);
  if (slot == BERTH_SLOT_NONE) return NULL;
  if (slot < BERTH_SLOT_HOT_COUNT) {
    const berth_loops_t *hot =
        &BERTH_ISA_PICK(berth_cpu_binary_hot)->at[op][slot];
    if (hot->both != NULL) return hot;
  }
  const berth_loops_t *rest = &berth_cpu_binary_rest[op][slot];
  return rest->both != NULL ? rest : NULL;
}

// --- Single elements
// -----------------------------------------------------------

#define ONE(name, in_t, out_t, expr)                                   \
  static berth_code_t name(const void *plan, void *const *args,        \
                           berth_call_t *call) {                       \
    (void)plan;                                                        \
    (void)call;                                                        \
    const in_t x = *(const in_t *)args[0], y = *(const in_t *)args[1]; \
    *(out_t *)args[2] = (out_t)(expr);                                 \
    return BERTH_OK;                                                   \
  }

#define ONES(slot, type, arithmetic)                 \
  ONE(one_add_##slot, arithmetic, arithmetic, x + y) \
  ONE(one_sub_##slot, arithmetic, arithmetic, x - y) \
  ONE(one_mul_##slot, arithmetic, arithmetic, x *y)  \
  ONE(one_equal_##slot, type, uint8_t, x == y)       \
  ONE(one_not_equal_##slot, type, uint8_t, x != y)   \
  ONE(one_less_##slot, type, uint8_t, x < y)         \
  ONE(one_less_equal_##slot, type, uint8_t, x <= y)  \
  ONE(one_greater_##slot, type, uint8_t, x > y)      \
  ONE(one_greater_equal_##slot, type, uint8_t, x >= y)

ONES(F32, float, float)
ONES(F64, double, double)
ONES(I32, int32_t, uint32_t)
ONES(I64, int64_t, uint64_t)
ONE(one_div_F32, float, float, x / y)
ONE(one_div_F64, double, double, x / y)

#define ONES_OF(slot)                                                \
  [BERTH_SLOT_##slot] = {                                            \
      [BERTH_BINARY_ADD] = one_add_##slot,                           \
      [BERTH_BINARY_SUB] = one_sub_##slot,                           \
      [BERTH_BINARY_MUL] = one_mul_##slot,                           \
      [BERTH_BINARY_EQUAL] = one_equal_##slot,                       \
      [BERTH_BINARY_NOT_EQUAL] = one_not_equal_##slot,               \
      [BERTH_BINARY_LESS] = one_less_##slot,                         \
      [BERTH_BINARY_LESS_EQUAL] = one_less_equal_##slot,             \
      [BERTH_BINARY_COUNT + BERTH_BINARY_LESS] = one_greater_##slot, \
      [BERTH_BINARY_COUNT + BERTH_BINARY_LESS_EQUAL] =               \
          one_greater_equal_##slot,                                  \
  }

// By slot and op; ops with swapped inputs follow the others.
static const berth_run_fn ones[BERTH_SLOT_HOT_COUNT][2 * BERTH_BINARY_COUNT] = {
    ONES_OF(F32), ONES_OF(F64), ONES_OF(I32), ONES_OF(I64)};

static berth_run_fn one_find(berth_binary_op_t op, berth_slot_t slot,
                             bool swap) {
  if (slot >= BERTH_SLOT_HOT_COUNT) return NULL;
  if (op == BERTH_BINARY_DIV && slot == BERTH_SLOT_F32) return one_div_F32;
  if (op == BERTH_BINARY_DIV && slot == BERTH_SLOT_F64) return one_div_F64;
  return ones[slot][(int)op + (swap ? BERTH_BINARY_COUNT : 0)];
}

// --- Errors
// ----------------------------------------------------------------------

// Integers that would divide by zero, or have negative powers, are looked for
// before anything is computed.
#define ACCEPT(name, type, wrong)                      \
  static bool name(const void *right, int64_t count) { \
    const type *y = right;                             \
    for (int64_t i = 0; i < count; ++i) {              \
      if (wrong) return false;                         \
    }                                                  \
    return true;                                       \
  }

ACCEPT(has_no_zero_8, uint8_t, y[i] == 0)
ACCEPT(has_no_zero_16, uint16_t, y[i] == 0)
ACCEPT(has_no_zero_32, uint32_t, y[i] == 0)
ACCEPT(has_no_zero_64, uint64_t, y[i] == 0)
ACCEPT(has_no_negative_8, int8_t, y[i] < 0)
ACCEPT(has_no_negative_16, int16_t, y[i] < 0)
ACCEPT(has_no_negative_32, int32_t, y[i] < 0)
ACCEPT(has_no_negative_64, int64_t, y[i] < 0)

static bool is_whole(berth_slot_t slot) {
  return slot != BERTH_SLOT_F32 && slot != BERTH_SLOT_F64 &&
         slot < BERTH_SLOT_C64;
}

typedef bool (*accept_fn)(const void *right, int64_t count);

// Returns the check that divisors, or else exponents, of |size| bytes pass.
static accept_fn accept_find(bool divides, size_t size) {
  switch (size) {
    case 1:
      return divides ? has_no_zero_8 : has_no_negative_8;
    case 2:
      return divides ? has_no_zero_16 : has_no_negative_16;
    case 4:
      return divides ? has_no_zero_32 : has_no_negative_32;
    default:
      return divides ? has_no_zero_64 : has_no_negative_64;
  }
}

static void sweep_set_checks(berth_sweep_t *sweep, berth_binary_op_t op,
                             const char *name) {
  bool divides = op >= BERTH_BINARY_DIV && op <= BERTH_BINARY_FLOOR_MOD;
  if (!is_whole(berth_slot_of(sweep->input))) return;
  if (!divides && op != BERTH_BINARY_POW) return;
  sweep->accept = accept_find(divides, berth_dtype_size(sweep->input));
  sweep->code = BERTH_INVALID_ARGUMENT;
  sweep->text = divides ? "Integer division by zero"
                        : "Integers to negative integer powers are not allowed";
  // TensorFlow has forgotten these two.
  if (strncmp(name, "Truncate", 8) == 0) {
    sweep->code = BERTH_INTERNAL;
    sweep->text =
        "Unexpected error in binary operator (only integer div and mod "
        "should have errors)";
  }
}

// --- Preparing
// ---------------------------------------------------------------------

// Picoseconds an element, where it is more than reading and writing it.
static int32_t cost_of(berth_binary_op_t op, berth_slot_t slot) {
  switch (op) {
    case BERTH_BINARY_POW:
    case BERTH_BINARY_XLOGY:
    case BERTH_BINARY_ATAN2:
    case BERTH_BINARY_FLOOR_MOD:
    case BERTH_BINARY_TRUNC_MOD:
      return 15000;
    case BERTH_BINARY_FLOOR_DIV:
    case BERTH_BINARY_TRUNC_DIV:
    case BERTH_BINARY_DIV:
      return slot == BERTH_SLOT_F32 || slot == BERTH_SLOT_F64 ? 500 : 4000;
    default:
      return slot == BERTH_SLOT_NONE ? 10000 : 0;
  }
}

// Sets the shape of the output. False when the inputs do not broadcast.
static bool set_shape(berth_prepare_t *prepare) {
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  berth_dims_t b = berth_op_input_dims(&prepare->op, 1);
  if (berth_dims_equal(a, b)) {
    berth_op_output(&prepare->op, 0, a);
    return true;
  }
  return berth_dims_broadcast(a, b, &prepare->op.outputs[0]);
}

static berth_code_t run_fill_bool(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)call;
  *(bool *)args[2] = *(const bool *)plan;
  return BERTH_OK;
}

// What Equal gives for shapes that do not fit, when that is no error.
static berth_code_t prepare_incompatible(berth_prepare_t *prepare,
                                         berth_binary_op_t op,
                                         berth_error_t *err) {
  bool *value = berth_prepare_plan(prepare, sizeof(bool));
  if (value == NULL) return berth_error_no_memory(err, "a plan");
  *value = op == BERTH_BINARY_NOT_EQUAL;
  berth_op_output(&prepare->op, 0, BERTH_SCALAR);
  prepare->run = run_fill_bool;
  return BERTH_OK;
}

static berth_code_t check_size(const berth_prepare_t *prepare,
                               berth_dtype_t dtype, berth_error_t *err) {
  berth_dims_t dims = berth_shape_dims(&prepare->op.outputs[0]);
  int64_t count = berth_dims_count(dims);
  return berth_value_check_size(dims, count < 0 ? INT64_MAX : count, dtype,
                                err);
}

berth_code_t berth_binary_prepare_shape(berth_prepare_t *prepare,
                                        berth_dtype_t output,
                                        berth_error_t *err) {
  if (!set_shape(prepare)) {
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Incompatible shapes: %s vs. %s",
                           berth_input_text(&prepare->op.inputs[0], a),
                           berth_input_text(&prepare->op.inputs[1], b));
  }
  return check_size(prepare, output, err);
}

// TensorFlow computes these in two steps, each rounded to half or bfloat16.
static void sweep_set_steps(berth_sweep_t *sweep, berth_binary_op_t op) {
  if (sweep->input != BERTH_HALF && sweep->input != BERTH_BFLOAT16) return;
  berth_binary_op_t first;
  berth_unary_op_t second;
  if (op == BERTH_BINARY_FLOOR_DIV) {
    first = BERTH_BINARY_DIV;
    second = BERTH_UNARY_FLOOR;
  } else if (op == BERTH_BINARY_TRUNC_DIV) {
    first = BERTH_BINARY_DIV;
    second = BERTH_UNARY_TRUNC;
  } else if (op == BERTH_BINARY_SQUARED_DIFFERENCE) {
    first = BERTH_BINARY_SUB;
    second = BERTH_UNARY_SQUARE;
  } else {
    return;
  }
  sweep->loops = *berth_binary_loops(first, BERTH_FLOAT);
  sweep->after = berth_unary_loop(second, BERTH_FLOAT);
}

static berth_code_t prepare_binary(berth_prepare_t *prepare,
                                   berth_binary_op_t op, bool swap,
                                   berth_error_t *err) {
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  bool is_bool = op >= BERTH_BINARY_EQUAL;
  const berth_loops_t *loops = berth_binary_loops(op, input);
  if (loops == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no loop for %s",
                           prepare->op.node->op->name, berth_dtype_name(input));
  }
  berth_sweep_t sweep = {.loops = *loops,
                         .input = input,
                         .output = is_bool ? BERTH_BOOL : input,
                         .cost = cost_of(op, berth_slot_of(input)),
                         .swap = swap,
                         .one = one_find(op, berth_slot_of(input), swap)};
  sweep_set_checks(&sweep, op, prepare->op.node->op->name);
  sweep_set_steps(&sweep, op);
  if (sweep.accept != NULL) sweep.one = NULL;
  BERTH_TRY(berth_binary_prepare_shape(prepare, sweep.output, err));
  return berth_sweep_binary(prepare, &sweep, err);
}

static berth_code_t prepare_equality(berth_prepare_t *prepare,
                                     berth_binary_op_t op, berth_error_t *err) {
  if (!set_shape(prepare) &&
      !berth_node_attr_bool(prepare->op.node, "incompatible_shape_error",
                            true)) {
    return prepare_incompatible(prepare, op, err);
  }
  return prepare_binary(prepare, op, false, err);
}

#define PREPARE(name, op, swap)                                   \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,    \
                                     berth_error_t *err) {        \
    return prepare_binary(prepare, BERTH_BINARY_##op, swap, err); \
  }

PREPARE(add, ADD, false)
PREPARE(sub, SUB, false)
PREPARE(mul, MUL, false)
PREPARE(div, DIV, false)
PREPARE(trunc_div, TRUNC_DIV, false)
PREPARE(floor_div, FLOOR_DIV, false)
PREPARE(trunc_mod, TRUNC_MOD, false)
PREPARE(floor_mod, FLOOR_MOD, false)
PREPARE(max, MAX, false)
PREPARE(min, MIN, false)
PREPARE(pow, POW, false)
PREPARE(squared_difference, SQUARED_DIFFERENCE, false)
PREPARE(div_no_nan, DIV_NO_NAN, false)
PREPARE(mul_no_nan, MUL_NO_NAN, false)
PREPARE(xdivy, XDIVY, false)
PREPARE(xlogy, XLOGY, false)
PREPARE(atan2, ATAN2, false)
PREPARE(less, LESS, false)
PREPARE(less_equal, LESS_EQUAL, false)
PREPARE(greater, LESS, true)
PREPARE(greater_equal, LESS_EQUAL, true)
PREPARE(and, AND, false)
PREPARE(or, OR, false)

static berth_code_t prepare_equal(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_equality(prepare, BERTH_BINARY_EQUAL, err);
}
static berth_code_t prepare_not_equal(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  return prepare_equality(prepare, BERTH_BINARY_NOT_EQUAL, err);
}

#define REAL (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPES_COMPLEX)
#define WIDE_UNSIGNED \
  (BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))
#define UNSIGNED (WIDE_UNSIGNED | BERTH_TYPE(UINT8))
#define ANY_EQUAL \
  (BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED | BERTH_TYPE(STRING))
#define MODULO (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | BERTH_TYPES_INDEX)

#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_binary_kernels[] = {
    KERNEL("Add", BERTH_TYPES_ARITHMETIC & ~WIDE_UNSIGNED, add),
    KERNEL("AddV2", BERTH_TYPES_ARITHMETIC, add),
    KERNEL("Sub", BERTH_TYPES_ARITHMETIC, sub),
    KERNEL("Mul", BERTH_TYPES_ARITHMETIC, mul),
    KERNEL("RealDiv", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX, div),
    KERNEL("Div", BERTH_TYPES_ARITHMETIC, div),
    KERNEL("TruncateDiv", REAL, trunc_div),
    KERNEL("FloorDiv", REAL, floor_div),
    KERNEL("FloorMod", REAL, floor_mod),
    KERNEL("Mod", MODULO, trunc_mod),
    KERNEL("TruncateMod", MODULO, trunc_mod),
    KERNEL("Maximum", REAL, max),
    KERNEL("Minimum", REAL, min),
    KERNEL("Pow", BERTH_TYPES_ARITHMETIC & ~UNSIGNED, pow),
    KERNEL("SquaredDifference",
           BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX | BERTH_TYPES_INDEX,
           squared_difference),
    KERNEL("DivNoNan", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX, div_no_nan),
    KERNEL("MulNoNan", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX, mul_no_nan),
    KERNEL("Xdivy", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX, xdivy),
    KERNEL("Xlogy", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX, xlogy),
    KERNEL("Atan2", BERTH_TYPES_FLOATING, atan2),
    KERNEL("Equal", ANY_EQUAL, equal),
    KERNEL("NotEqual", ANY_EQUAL, not_equal),
    KERNEL("Less", REAL, less),
    KERNEL("LessEqual", REAL, less_equal),
    KERNEL("Greater", REAL, greater),
    KERNEL("GreaterEqual", REAL, greater_equal),
    {.op = "LogicalAnd", .prepare = prepare_and},
    {.op = "LogicalOr", .prepare = prepare_or},
    {.op = NULL},
};
