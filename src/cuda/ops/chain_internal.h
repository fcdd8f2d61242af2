// chain_internal.h - What planning groups of a card's steps is made of: terms
// (chain_term.c), heads (chain_head.c) and the rest (chain.c).
#ifndef BERTH_CUDA_OPS_CHAIN_INTERNAL_H_
#define BERTH_CUDA_OPS_CHAIN_INTERNAL_H_

#include "cuda/ops/chain.h"
#include "cuda/ops/chain_params.h"
#include "cuda/ops/chain_text.h"

// Which kernel that goes through lists has a function.
enum { BERTH_IN_NONE, BERTH_IN_BRIEF, BERTH_IN_CURVES };

// A term of a card.
typedef struct berth_gpu_term {
  berth_term_t term;   // First.
  const char *name;    // In texts.
  berth_dtype_t from;  // Of all inputs.
  berth_dtype_t to;
  double parameter;
  berth_chain_step_t step;
  uint8_t kernel;                            // BERTH_IN_*.
  uint8_t reach[BERTH_CHAIN_TEXT_OPERANDS];  // By input.
  uint8_t left;  // Which input is the left one of a function of two.
  const berth_head_t *head;  // Of a head that finishes its output.
} berth_gpu_term_t;

// Returns the term of |step|.
static inline const berth_gpu_term_t *berth_gpu_term(
    const berth_fusion_t *fusion, int step) {
  return (const berth_gpu_term_t *)fusion->steps[step].term;
}

// Plan |fusion|, with a head or without one, as a berth_fuse_fn does.
berth_code_t berth_chain_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err);
berth_code_t berth_chain_fuse_tail(const berth_fusion_t *fusion,
                                   berth_prepare_t *prepare,
                                   berth_error_t *err);

// Plans |fusion|, of elements alone, with several outputs or parts, to be done step by
// step (chain_steps.c). BERTH_UNIMPLEMENTED where that takes much memory.
berth_code_t berth_chain_fuse_steps(const berth_fusion_t *fusion,
                                    berth_prepare_t *prepare,
                                    berth_error_t *err);

#endif  // BERTH_CUDA_OPS_CHAIN_INTERNAL_H_
