// chain.h - Element-wise steps on a card that are done as one.
//
// A *chain* is a list of functions of floats, each of the result of the one
// before and of another number: a kernel that goes through lists takes elements
// through all of them, in registers. Where it pays, and for every other group of
// functions, of half floats too, a kernel is written (chain_text.h) that does
// nothing else. What neither can do runs step by step.
//
// A product or a convolution may be the *head* of a group: it writes the output,
// and the rest is done to that, in place.
//
// Environment: BERTH_CUDA_TEXT, 1 writes kernels wherever it can be done, 0 none.
//
// Immutable once made.
#ifndef BERTH_CUDA_OPS_CHAIN_H_
#define BERTH_CUDA_OPS_CHAIN_H_

#include "kernel/fuse.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/norm.h"

// What a head can do to its output at once, in this order. Arguments of the
// group; -1: it is not done. Numbers by channel are rows of one length.
typedef struct berth_finish {
  int32_t bias;
  int32_t scale, offset, mean, variance;  // A normalisation: all or none.
  float epsilon;
  int32_t added;  // As many as the output has.
  bool is_relu;
  bool is_tf32;  // For the head: what it was planned for.
} berth_finish_t;

// How a head does that.
typedef struct berth_head {
  // Returns the bytes of scratch space that |plan| needs for |finish| on
  // |device| where rows have |row| elements, its own included; 0: it does not do
  // that.
  size_t (*room)(const void *plan, berth_finish_t *finish, int64_t row,
                 berth_device_t *device);
  // As its run function, with the arguments of the group.
  berth_code_t (*run)(const void *plan, const berth_finish_t *finish,
                      void *const *args, void *const *group_args,
                      berth_call_t *call);
} berth_head_t;

// Make the step of |prepare|, which is prepared, a term where it can be one:
// |unary| of input 0, |function| of inputs 0 and 1, which are seen as the output
// by |broadcast|, the other way round with |swap|; input 0 as another type.
void berth_chain_term_unary(berth_prepare_t *prepare,
                            const berth_unary_t *unary);
void berth_chain_term_binary(berth_prepare_t *prepare,
                             berth_binary_op_t function, bool swap,
                             const berth_broadcast_t *broadcast);
void berth_chain_term_cast(berth_prepare_t *prepare, const berth_unary_t *cast);

// The same for |norm| of input 0, by rows of scale, offset, mean and variance;
// and for one that makes output 0, of |dtype|, otherwise than element by element:
// a head, which finishes its output by |head| (NULL: it does not). Its run
// function looks at no node.
void berth_chain_term_norm(berth_prepare_t *prepare,
                           const berth_batch_norm_t *norm);
void berth_chain_term_head(berth_prepare_t *prepare, berth_dtype_t dtype,
                           const berth_head_t *head);

// The same for one that does |moves|, where each of its outputs is a part of one
// input: runs of one length, as far apart from each other.
void berth_chain_term_views(berth_prepare_t *prepare,
                            const berth_moves_t *moves);

#endif  // BERTH_CUDA_OPS_CHAIN_H_
