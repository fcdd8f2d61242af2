// unary.c - GPU kernels of ops with one input.
//
// All are made from op/unary_list.inc, as the kernels themselves are
// (unary_type.inc).
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

static berth_code_t prepare_unary(berth_prepare_t *prepare, berth_unary_op_t op,
                                  berth_error_t *err) {
  berth_unary_t unary = {.function = op};
  BERTH_TRY(berth_op_unary(&prepare->op, &unary, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  BERTH_TRY(berth_unary_prepare(prepare, berth_unary_kernel(op, unary.input),
                                &unary, err));
  berth_chain_term_unary(prepare, &unary);
  return BERTH_OK;
}

#define UNARY_OP(op, id, NAME, ...)                          \
  static berth_code_t prepare_##id(berth_prepare_t *prepare, \
                                   berth_error_t *err) {     \
    return prepare_unary(prepare, BERTH_UNARY_##NAME, err);  \
  }
#define UNARY_OP_BOOL(op, id, NAME) UNARY_OP(op, id, NAME, )
#include "op/unary_list.inc"

const berth_kernel_t berth_cuda_unary_kernels[] = {
#define UNARY_OP(name, id, NAME, cpu, gpu) \
  {.op = name, .types = {{"T", gpu}}, .prepare = prepare_##id},
#define UNARY_OP_BOOL(name, id, NAME) {.op = name, .prepare = prepare_##id},
#include "op/unary_list.inc"
    {.op = NULL},
};
