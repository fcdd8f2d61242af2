// unary.c - GPU kernels of ops with one input.
//
// The kernels themselves are in unary_*.cu.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

// Ops and the kernels that do them; "is_" ones give a bool.
static const struct {
  const char *op, *what;
} names[] = {
    {"Neg", "neg"},
    {"Abs", "abs"},
    {"Square", "square"},
    {"Sign", "sign"},
    {"Sqrt", "sqrt"},
    {"Rsqrt", "rsqrt"},
    {"Reciprocal", "reciprocal"},
    {"Inv", "reciprocal"},
    {"Floor", "floor"},
    {"Ceil", "ceil"},
    {"Round", "round"},
    {"Rint", "round"},
    {"Exp", "exp"},
    {"Expm1", "expm1"},
    {"Log", "log"},
    {"Log1p", "log1p"},
    {"Sigmoid", "sigmoid"},
    {"Tanh", "tanh"},
    {"Sin", "sin"},
    {"Cos", "cos"},
    {"Tan", "tan"},
    {"Erf", "erf"},
    {"Erfc", "erfc"},
    {"Relu", "relu"},
    {"Relu6", "relu6"},
    {"Elu", "elu"},
    {"Selu", "selu"},
    {"LeakyRelu", "leaky_relu"},
    {"Softplus", "softplus"},
    {"Softsign", "softsign"},
    {"IsNan", "is_nan"},
    {"IsInf", "is_inf"},
    {"IsFinite", "is_finite"},
    {"LogicalNot", "not"},
};

static const char *what_of(const char *op) {
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (strcmp(names[i].op, op) == 0) return names[i].what;
  }
  return "";
}

static berth_code_t prepare_unary(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  // Whole numbers are round already.
  if (prepare->op.alias >= 0) return BERTH_OK;
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  const char *what = what_of(prepare->op.node->op->name);
  bool is_question = strncmp(what, "is_", 3) == 0;
  return berth_unary_prepare(
      prepare, berth_unary_kernel(what, input),
      is_question ? BERTH_BOOL : input,
      (double)berth_node_attr_float(prepare->op.node, "alpha", 0), err);
}

#define FLOATING BERTH_TYPES_FLOATING
#define NOT_BFLOAT16 (BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16))
#define CURVES (FLOATING | BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128))
#define SIGNED (BERTH_TYPE(INT8) | BERTH_TYPE(INT16) | BERTH_TYPE(INT64))
#define UNSIGNED                                                 \
  (BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | \
   BERTH_TYPE(UINT64))

#define KERNEL(name, set) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_unary }

const berth_kernel_t berth_cuda_unary_kernels[] = {
    KERNEL("Neg", CURVES | SIGNED),
    KERNEL("Abs", FLOATING | SIGNED),
    KERNEL("Square", FLOATING | SIGNED | UNSIGNED),
    KERNEL("Sign", CURVES | SIGNED),
    KERNEL("Sqrt", FLOATING),
    KERNEL("Rsqrt", FLOATING),
    KERNEL("Reciprocal", CURVES),
    KERNEL("Inv", CURVES),
    KERNEL("Floor", FLOATING),
    KERNEL("Ceil", FLOATING),
    KERNEL("Round", FLOATING | BERTH_TYPES_INDEX),
    KERNEL("Rint", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)),
    KERNEL("Exp", CURVES),
    KERNEL("Expm1", FLOATING),
    KERNEL("Log", FLOATING),
    KERNEL("Log1p", FLOATING),
    KERNEL("Sigmoid", FLOATING),
    KERNEL("Tanh", FLOATING),
    KERNEL("Sin", CURVES),
    KERNEL("Cos", CURVES),
    KERNEL("Tan", CURVES),
    KERNEL("Erf", FLOATING),
    KERNEL("Erfc", FLOATING),
    KERNEL("Relu", FLOATING | SIGNED | UNSIGNED),
    KERNEL("Relu6", FLOATING),
    KERNEL("Elu", FLOATING),
    KERNEL("Selu", FLOATING),
    KERNEL("LeakyRelu", FLOATING),
    KERNEL("Softplus", NOT_BFLOAT16),
    KERNEL("Softsign", NOT_BFLOAT16),
    KERNEL("IsNan", FLOATING),
    KERNEL("IsInf", FLOATING),
    KERNEL("IsFinite", FLOATING),
    {.op = "LogicalNot", .prepare = prepare_unary},
    {.op = NULL},
};
