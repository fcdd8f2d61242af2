// binary.c - GPU kernels of ops with two inputs, most of which broadcast.
//
// All are made from op/binary_list.inc, as the kernels themselves are
// (binary_type.inc). What is an error on the host and cannot be raised by a
// card is said in cuda/math/scalar.cuh.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/elementwise.h"
#include "cuda/ops/fill.h"
#include "op/types.h"

static berth_code_t prepare_binary(berth_prepare_t *prepare,
                                   berth_binary_t binary, berth_error_t *err) {
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  if (binary.answer >= 0) {
    return berth_fill_prepare(prepare, 1, &binary.answer, -1, err);
  }
  BERTH_TRY(berth_walk_prepare_broadcast(
      prepare, berth_binary_kernel(binary.function, binary.input),
      binary.count > 0 ? &binary.broadcast : NULL, 2, binary.swap,
      binary.parameter, err));
  if (binary.count > 0 && binary.output == binary.input) {
    berth_chain_term_binary(prepare, binary.function, binary.swap,
                            &binary.broadcast);
  }
  return BERTH_OK;
}

#define AS_IS false
#define SWAPPED true

#define BINARY_OP(op, id, NAME, order, ...)                                   \
  static berth_code_t prepare_##id(berth_prepare_t *prepare,                  \
                                   berth_error_t *err) {                      \
    berth_binary_t binary = {.function = BERTH_BINARY_##NAME, .swap = order}; \
    return prepare_binary(prepare, binary, err);                              \
  }
#define BINARY_OP_BOOL(op, id, NAME) BINARY_OP(op, id, NAME, AS_IS, )
#define BINARY_OP_GRAD(op, id, NAME, alike, ...)              \
  static berth_code_t prepare_##id(berth_prepare_t *prepare,  \
                                   berth_error_t *err) {      \
    berth_binary_t binary = {.function = BERTH_BINARY_##NAME, \
                             .meet = BERTH_MEET_##alike};     \
    return prepare_binary(prepare, binary, err);              \
  }
#include "op/binary_list.inc"

const berth_kernel_t berth_cuda_binary_kernels[] = {
#define BINARY_OP(name, id, NAME, order, wrong, cpu, gpu) \
  {.op = name, .types = {{"T", gpu}}, .prepare = prepare_##id},
#define BINARY_OP_BOOL(name, id, NAME) {.op = name, .prepare = prepare_##id},
#define BINARY_OP_GRAD(name, id, NAME, meet, cpu, gpu) \
  {.op = name, .types = {{"T", gpu}}, .prepare = prepare_##id},
#include "op/binary_list.inc"
    {.op = NULL},
};
