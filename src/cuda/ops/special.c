// special.c - GPU kernels of functions that stand in no list
// (op/unary_list.inc): inverses and special functions, parts of complex
// numbers, limits.
//
// The kernel of an op has its name in small letters (special_type.inc).
#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "op/small.h"

// |family| is that of its module.
static int kernel_of(const berth_prepare_t *prepare, const char *family,
                     const char *what) {
  char name[64];
  int size = snprintf(name, sizeof(name), "%s", what);
  for (const char *c = prepare->op.node->op->name;
       *c != '\0' && size + 1 < (int)sizeof(name); ++c) {
    name[size++] = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
  }
  name[size] = '\0';
  return berth_cuda_kernel_of(family, name, prepare->op.inputs[0].dtype);
}

static berth_code_t plan_one(berth_prepare_t *prepare, const char *family,
                             berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  berth_unary_t unary = {
      .input = input->dtype,
      .output = berth_dtype_base(prepare->op.node->output_types[0]),
      .count = input->count};
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->op.may_overwrite = unary.input == unary.output ? 1 : 0;
  return berth_unary_prepare(
      prepare, kernel_of(prepare, family, "berth_unary_"), &unary, err);
}

static berth_code_t plan_two(berth_prepare_t *prepare, const char *family,
                             berth_error_t *err) {
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  prepare->op.may_overwrite = 0;
  return berth_walk_prepare_broadcast(
      prepare, kernel_of(prepare, family, "berth_binary_"),
      binary.count > 0 ? &binary.broadcast : NULL, 2, false, 0, err);
}

// Defines prepare_<name>(), for kernels of |family|.
#define PREPARE(name, plan, family)                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return plan(prepare, family, err);                         \
  }
PREPARE(one, plan_one, "special")
PREPARE(two, plan_two, "special")
PREPARE(arc, plan_one, "arc")
PREPARE(rare, plan_one, "rare")
PREPARE(rare_two, plan_two, "rare")

static berth_code_t prepare_approximate(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  BERTH_TRY(berth_op_approximate_equal(&prepare->op, err));
  berth_dims_t dims = berth_case_input_dims(&prepare->op, 0);
  const berth_dims_t inputs[2] = {dims, dims};
  berth_broadcast_t broadcast;
  berth_case_output(&prepare->op, 0, dims);
  bool has_work = prepare->op.inputs[0].count > 0;
  if (has_work) {
    BERTH_TRY(berth_broadcast_make(inputs, 2, dims, prepare->op.arena,
                                   &broadcast, err));
  }
  return berth_walk_prepare_broadcast(
      prepare, kernel_of(prepare, "special", "berth_binary_"),
      has_work ? &broadcast : NULL, 2, false,
      berth_node_attr_float(prepare->op.node, "tolerance", 1e-5F), err);
}

static berth_code_t prepare_clip(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_clip(&prepare->op, err));
  berth_dims_t inputs[3];
  for (int i = 0; i < 3; ++i) {
    inputs[i] = berth_case_input_dims(&prepare->op, i);
  }
  return berth_walk_prepare(prepare,
                            berth_cuda_kernel_of("special", "berth_clip",
                                                 prepare->op.inputs[0].dtype),
                            inputs, 3, false, err);
}

#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define NOT_BFLOAT16 (COMMON | BERTH_TYPE(HALF))
#define SMALL                                                 \
  (BERTH_TYPE(INT8) | BERTH_TYPE(INT16) | BERTH_TYPE(UINT8) | \
   BERTH_TYPE(UINT16))
#define KERNEL(name, t, function) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_special_kernels[] = {
    KERNEL("Acos", BERTH_TYPES_FLOATING, arc),
    KERNEL("Acosh", BERTH_TYPES_FLOATING, arc),
    KERNEL("Angle", BERTH_TYPES_COMPLEX, one),
    KERNEL("ApproximateEqual", COMMON, approximate),
    KERNEL("Asin", BERTH_TYPES_FLOATING, arc),
    KERNEL("Asinh", BERTH_TYPES_FLOATING, arc),
    KERNEL("Atan", BERTH_TYPES_FLOATING, arc),
    KERNEL("Atanh", BERTH_TYPES_FLOATING, arc),
    KERNEL("BesselI0", NOT_BFLOAT16, rare),
    KERNEL("BesselI0e", NOT_BFLOAT16, rare),
    KERNEL("BesselI1", NOT_BFLOAT16, rare),
    KERNEL("BesselI1e", NOT_BFLOAT16, rare),
    KERNEL("BesselK0", NOT_BFLOAT16, rare),
    KERNEL("BesselK0e", NOT_BFLOAT16, rare),
    KERNEL("BesselK1", NOT_BFLOAT16, rare),
    KERNEL("BesselK1e", NOT_BFLOAT16, rare),
    KERNEL("ClipByValue", BERTH_TYPES_FLOATING | BERTH_TYPE(INT64) | SMALL,
           clip),
    KERNEL("Complex", COMMON, two),
    KERNEL("ComplexAbs", BERTH_TYPES_COMPLEX, one),
    KERNEL("Conj", BERTH_TYPES_COMPLEX, one),
    KERNEL("Dawsn", COMMON, rare),
    KERNEL("Digamma", NOT_BFLOAT16, rare),
    KERNEL("Erfinv", COMMON, rare),
    KERNEL("Expint", COMMON, rare),
    KERNEL("Igamma", COMMON, rare_two),
    KERNEL("IgammaGradA", COMMON, rare_two),
    KERNEL("Igammac", COMMON, rare_two),
    KERNEL("Imag", BERTH_TYPES_COMPLEX, one),
    KERNEL("Lgamma", NOT_BFLOAT16, rare),
    KERNEL("Ndtri", COMMON, rare),
    KERNEL("NextAfter", COMMON, two),
    KERNEL("Polygamma", COMMON, rare_two),
    KERNEL("PopulationCount", BERTH_TYPES_INDEX | SMALL, one),
    KERNEL("RandomGammaGrad", COMMON, rare_two),
    KERNEL("Real", BERTH_TYPES_COMPLEX, one),
    KERNEL("Spence", COMMON, rare),
    KERNEL("Xlog1py", BERTH_TYPES_INEXACT, two),
    KERNEL("Zeta", COMMON, rare_two),
    {.op = NULL},
};
