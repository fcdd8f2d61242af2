// chain.h - Element-wise steps on a card that are done as one.
//
// A chain is a list of functions of floats, each of the result of the one
// before and of another number: one kernel takes elements through all of them,
// in registers. What is no such list runs step by step.
//
// Immutable once made.
#ifndef BERTH_CUDA_OPS_CHAIN_H_
#define BERTH_CUDA_OPS_CHAIN_H_

#include "kernel/fuse.h"
#include "op/elementwise.h"

// Make the step of |prepare|, which is prepared, a term where it can be one:
// |unary| of input 0, |function| of inputs 0 and 1, which are seen as the output
// by |broadcast|, the other way round with |swap|.
void berth_chain_term_unary(berth_prepare_t *prepare,
                            const berth_unary_t *unary);
void berth_chain_term_binary(berth_prepare_t *prepare,
                             berth_binary_op_t function, bool swap,
                             const berth_broadcast_t *broadcast);

#endif  // BERTH_CUDA_OPS_CHAIN_H_
