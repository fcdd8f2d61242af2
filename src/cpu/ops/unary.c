// unary.c - Kernels of ops with one input.
#include "cpu/loops/unary.h"

#include "cpu/kernels.h"
#include "cpu/ops/move.h"

berth_loop_fn berth_unary_loop(berth_unary_op_t op, berth_dtype_t dtype) {
  berth_slot_t slot = berth_slot_of(dtype);
  if (slot == BERTH_SLOT_NONE) return NULL;
  if (dtype == BERTH_HALF || dtype == BERTH_BFLOAT16) {
    berth_loop_fn narrow =
        berth_cpu_unary_narrow[op][dtype == BERTH_BFLOAT16 ? 1 : 0];
    if (narrow != NULL) return narrow;
  }
  if (slot < BERTH_SLOT_HOT_COUNT) {
    berth_loop_fn hot = BERTH_ISA_PICK(berth_cpu_unary_hot)->at[op][slot];
    if (hot != NULL) return hot;
  }
  return berth_cpu_unary_rest[op][slot];
}

// Picoseconds an element, where it is more than reading and writing it.
static int32_t cost_of(berth_unary_op_t op, berth_slot_t slot) {
  if (op >= BERTH_UNARY_IS_NAN || op < BERTH_UNARY_SQRT) return 0;
  switch (op) {
    case BERTH_UNARY_SIN:
    case BERTH_UNARY_COS:
    case BERTH_UNARY_TAN:
    case BERTH_UNARY_ERF:
    case BERTH_UNARY_ERFC:
      return slot == BERTH_SLOT_F32 ? 500 : 15000;
    case BERTH_UNARY_EXP:
    case BERTH_UNARY_EXPM1:
    case BERTH_UNARY_LOG:
    case BERTH_UNARY_LOG1P:
    case BERTH_UNARY_SIGMOID:
    case BERTH_UNARY_TANH:
    case BERTH_UNARY_ELU:
    case BERTH_UNARY_SELU:
    case BERTH_UNARY_SOFTPLUS:
      return slot < BERTH_SLOT_HOT_COUNT ? 1000 : 10000;
    default:
      return slot >= BERTH_SLOT_C64 ? 10000 : 0;
  }
}

static berth_code_t prepare_unary(berth_prepare_t *prepare, berth_unary_op_t op,
                                  double parameter, berth_error_t *err) {
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  berth_sweep_t sweep = {
      .loops = {.both = berth_unary_loop(op, input)},
      .input = input,
      .output = op >= BERTH_UNARY_IS_NAN ? BERTH_BOOL : input,
      .cost = cost_of(op, berth_slot_of(input)),
      .parameter = parameter};
  if (sweep.loops.both == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no loop for %s",
                           prepare->op.node->op->name, berth_dtype_name(input));
  }
  return berth_sweep_unary(prepare, &sweep, err);
}

#define PREPARE(name, op)                                      \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_unary(prepare, BERTH_UNARY_##op, 0, err);   \
  }

PREPARE(neg, NEG)
PREPARE(abs, ABS)
PREPARE(square, SQUARE)
PREPARE(sign, SIGN)
PREPARE(sqrt, SQRT)
PREPARE(rsqrt, RSQRT)
PREPARE(reciprocal, RECIPROCAL)
PREPARE(floor, FLOOR)
PREPARE(ceil, CEIL)
PREPARE(rint, ROUND)
PREPARE(exp, EXP)
PREPARE(expm1, EXPM1)
PREPARE(log, LOG)
PREPARE(log1p, LOG1P)
PREPARE(sigmoid, SIGMOID)
PREPARE(tanh, TANH)
PREPARE(sin, SIN)
PREPARE(cos, COS)
PREPARE(tan, TAN)
PREPARE(erf, ERF)
PREPARE(erfc, ERFC)
PREPARE(relu, RELU)
PREPARE(relu6, RELU6)
PREPARE(elu, ELU)
PREPARE(selu, SELU)
PREPARE(softplus, SOFTPLUS)
PREPARE(softsign, SOFTSIGN)
PREPARE(is_nan, IS_NAN)
PREPARE(is_inf, IS_INF)
PREPARE(is_finite, IS_FINITE)
PREPARE(not, NOT)

static berth_code_t prepare_leaky_relu(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  float slope = berth_node_attr_float(prepare->op.node, "alpha", 0.2f);
  return prepare_unary(prepare, BERTH_UNARY_LEAKY_RELU, (double)slope, err);
}

// Whole numbers are round already.
static berth_code_t prepare_round(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  if (input != BERTH_INT32 && input != BERTH_INT64) {
    return prepare_rint(prepare, err);
  }
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  prepare->op.alias = 0;
  return BERTH_OK;
}

#define FLOATING BERTH_TYPES_FLOATING
#define CURVES (FLOATING | BERTH_TYPES_COMPLEX)
#define REAL (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPES_COMPLEX)
#define UNSIGNED                                                 \
  (BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | \
   BERTH_TYPE(UINT64))

#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_unary_kernels[] = {
    KERNEL("Neg", BERTH_TYPES_ARITHMETIC & ~UNSIGNED, neg),
    KERNEL("Abs", REAL & ~UNSIGNED, abs),
    KERNEL("Square", BERTH_TYPES_ARITHMETIC, square),
    KERNEL("Sign", BERTH_TYPES_ARITHMETIC & ~UNSIGNED, sign),
    KERNEL("Sqrt", CURVES, sqrt),
    KERNEL("Rsqrt", CURVES, rsqrt),
    KERNEL("Reciprocal", CURVES, reciprocal),
    KERNEL("Inv", CURVES, reciprocal),
    KERNEL("Floor", FLOATING, floor),
    KERNEL("Ceil", FLOATING, ceil),
    KERNEL("Round", FLOATING | BERTH_TYPES_INDEX, round),
    KERNEL("Rint", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE), rint),
    KERNEL("Exp", CURVES, exp),
    KERNEL("Expm1", CURVES, expm1),
    KERNEL("Log", CURVES, log),
    KERNEL("Log1p", CURVES, log1p),
    KERNEL("Sigmoid", CURVES, sigmoid),
    KERNEL("Tanh", CURVES, tanh),
    KERNEL("Sin", CURVES, sin),
    KERNEL("Cos", CURVES, cos),
    KERNEL("Tan", CURVES, tan),
    KERNEL("Erf", FLOATING, erf),
    KERNEL("Erfc", FLOATING, erfc),
    KERNEL("Relu", REAL, relu),
    KERNEL("Relu6", REAL, relu6),
    KERNEL("Elu", FLOATING, elu),
    KERNEL("Selu", FLOATING, selu),
    KERNEL("LeakyRelu", FLOATING, leaky_relu),
    KERNEL("Softplus", FLOATING, softplus),
    KERNEL("Softsign", FLOATING, softsign),
    KERNEL("IsNan", FLOATING, is_nan),
    KERNEL("IsInf", FLOATING, is_inf),
    KERNEL("IsFinite", FLOATING, is_finite),
    {.op = "LogicalNot", .prepare = prepare_not},
    {.op = NULL},
};
