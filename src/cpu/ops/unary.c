// unary.c - Kernels of ops with one input.
//
// All are made from op/unary_list.inc: the loop of a function, what it costs,
// the ops that it does.
#include "cpu/loops/unary.h"

#include "cpu/kernels.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/ops/move.h"

berth_loop_fn berth_unary_loop(berth_unary_op_t op, berth_dtype_t dtype) {
  berth_form_t slot = berth_form_of(dtype);
  if (slot == BERTH_FORM_NONE) return NULL;
  const berth_unary_hot_t *loops = BERTH_ISA_PICK(berth_cpu_unary_hot);
  berth_loop_fn narrow = dtype == BERTH_HALF       ? loops->half[op]
                         : dtype == BERTH_BFLOAT16 ? loops->bfloat16[op]
                                                   : NULL;
  if (narrow != NULL) return narrow;
  if (slot < BERTH_FORM_HOT_COUNT) {
    berth_loop_fn hot = loops->at[slot][op];
    if (hot != NULL) return hot;
  }
  if (slot == BERTH_FORM_C64 || slot == BERTH_FORM_C128) {
    const berth_complex_hot_t *hot = BERTH_ISA_PICK(berth_cpu_complex_hot);
    berth_loop_fn vector =
        (slot == BERTH_FORM_C64 ? &hot->c64 : &hot->c128)->unary[op];
    if (vector != NULL) return vector;
  }
  const berth_loop_fn *rest = berth_cpu_unary_rest[slot];
  return rest != NULL ? rest[op] : NULL;
}

// Picoseconds an element, where it is more than reading and writing it.
static int32_t cost_of(berth_unary_op_t op, berth_form_t slot) {
  static const struct {
    int32_t of_float, of_double, of_complex;
  } costs[BERTH_UNARY_COUNT] = {
#define UNARY(NAME, name, result, of_float, of_double, of_complex) \
  [BERTH_UNARY_##NAME] = {of_float, of_double, of_complex},
#include "op/unary_list.inc"
  };
  if (slot == BERTH_FORM_F32) return costs[op].of_float;
  if (slot == BERTH_FORM_F64) return costs[op].of_double;
  return slot >= BERTH_FORM_C64 ? costs[op].of_complex : 0;
}

// Returns what the function is of floats in registers.
static berth_strand_code_t strand_of(berth_unary_op_t op) {
  switch (op) {
    case BERTH_UNARY_NEG:
      return BERTH_STRAND_NEG;
    case BERTH_UNARY_ABS:
      return BERTH_STRAND_ABS;
    case BERTH_UNARY_SQUARE:
      return BERTH_STRAND_SQUARE;
    case BERTH_UNARY_RELU:
      return BERTH_STRAND_RELU;
    case BERTH_UNARY_RELU6:
      return BERTH_STRAND_RELU6;
    case BERTH_UNARY_LEAKY_RELU:
      return BERTH_STRAND_LEAKY_ONE;
    default:
      return BERTH_STRAND_NONE;
  }
}

static berth_code_t prepare_unary(berth_prepare_t *prepare, berth_unary_op_t op,
                                  berth_error_t *err) {
  berth_unary_t unary = {.function = op};
  BERTH_TRY(berth_op_unary(&prepare->op, &unary, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  berth_sweep_t sweep = {.loops = {.both = berth_unary_loop(op, unary.input)},
                         .input = unary.input,
                         .output = unary.output,
                         .cost = cost_of(op, berth_form_of(unary.input)),
                         .parameter = unary.parameter,
                         .strand = strand_of(op)};
  if (sweep.loops.both == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no loop for %s",
                           prepare->op.node->op->name,
                           berth_dtype_name(unary.input));
  }
  return berth_sweep_unary(prepare, &sweep, err);
}

#define UNARY_OP(op, id, NAME, ...)                          \
  static berth_code_t prepare_##id(berth_prepare_t *prepare, \
                                   berth_error_t *err) {     \
    return prepare_unary(prepare, BERTH_UNARY_##NAME, err);  \
  }
#define UNARY_OP_BOOL(op, id, NAME) UNARY_OP(op, id, NAME, )
#include "op/unary_list.inc"

const berth_kernel_t berth_cpu_unary_kernels[] = {
#define UNARY_OP(name, id, NAME, cpu, gpu) \
  {.op = name, .types = {{"T", cpu}}, .prepare = prepare_##id},
#define UNARY_OP_BOOL(name, id, NAME) {.op = name, .prepare = prepare_##id},
#include "op/unary_list.inc"
    {.op = NULL},
};
