// fuse.h - Steps that can be done as one.
//
// A step that makes each element of its output of one element of each input is
// a *term*. Terms that hand their results to one another alone are fused: what
// lies between them is never stored.
//
//   x ──> Mul ──> Add ──> Relu ──> y        a chain of terms
//   x ──> Conv2D ──> BiasAdd ──> Relu ──> y   it begins with what is none
//   x ──> Pad ──> DepthwiseConv2dNative ──> y   which is fed by another
//   x ──> MatMul ──> Slice ──> y            or of which only a part is made
//   x ──> Mul ──> Sum ──> y                 it ends with what is none
//   x ──> Mul ─┬─> Tanh ──> y               both are read later: two outputs
//              └──────────> z
//   x ──> BiasAdd ──> Split ─┬─> Tanh ──> y      parts are read where they lie
//                            └─> Sigmoid ──> z
//
// A kernel says in prepare that its step is a term (|prepare->term|); the
// executor finds terms that belong together (exec/fuse.h) and asks them to be
// fused into one plan. What is computed is what the steps would, bit for bit;
// where a kernel promises less it says so.
//
// Inputs of a term that are as long as its output are *carried*: another term
// may make them. The others are a single element, or a row that is repeated;
// rows of terms that are fused are all of one length.
//
// What begins a chain may be *fed*: a chain that makes one of its inputs for it
// alone can make that as it is needed, a part at a time. So may what *ends* a
// chain: a reduction of what the terms before it make.
//
// A step that only cuts an input into parts is a term with *views*: what reads its
// outputs element by element may read them in the input, where they are. Terms
// whose result is read in no other way are then computed for each part by those
// who read it.
//
// Threads: terms are immutable once made; they live as long as their plans.
#ifndef BERTH_KERNEL_FUSE_H_
#define BERTH_KERNEL_FUSE_H_

#include "kernel/kernel.h"
#include "op/broadcast.h"

// Where the elements of a part lie in the value that it is a part of: element n at
//   offset + n / run * stride + n % run
typedef struct berth_view {
  int64_t count;
  int64_t offset, run, stride;  // Neither negative, nor of 0 elements.
} berth_view_t;

// One of the steps that are fused.
typedef struct berth_fused {
  const berth_term_t *term;
  berth_run_fn run;  // Of the step alone.
  const void *plan;
  size_t scratch_size;
  int64_t work;
  int32_t input_count;
  // By input: an argument of what they are fused into, or ~s for the result of
  // step s.
  const int32_t *inputs;
  // The argument that its result goes to, or -1: it goes to later steps alone.
  int32_t result;
  // NULL, but for an output of a term with views, which is a step by itself: how
  // it lies in its input, the only one. |run| does all of the term, by |plan|.
  const berth_view_t *view;
} berth_fused_t;

// Steps in running order. The last one makes the first output; results of the
// others go to later ones, to be carried, seen in parts or to feed one, and where
// terms take |many| outputs to others that are no steps of the fusion. What only
// views lead to may be in several fusions.
typedef struct berth_fusion {
  const berth_fused_t *steps;
  int step_count;
  // Arguments of the run: so many inputs and outputs, scratch space.
  int input_count;
  int output_count;
} berth_fusion_t;

// Plans |fusion|: fills in what kernels do in |prepare|, which has a device, and
// whose |op| has an arena and nothing else; op.may_overwrite is by argument, of
// the first 32. What is in the plans of the
// steps may be used, they live as long. BERTH_UNIMPLEMENTED where they had better
// not be fused: then those that feed the others are left out, and at last they run
// one by one.
typedef berth_code_t (*berth_fuse_fn)(const berth_fusion_t *fusion,
                                      berth_prepare_t *prepare,
                                      berth_error_t *err);

// How an input of a term is read.
typedef enum berth_reach {
  BERTH_REACH_NONE = 0,  // In no way that a term has, or not at all.
  BERTH_REACH_ONE,       // A single element.
  BERTH_REACH_ALL,       // Element by element: carried.
  BERTH_REACH_ROW,       // A row that is repeated.
  BERTH_REACH_PART,      // Runs that lie apart: a part of something larger.
} berth_reach_t;

struct berth_term {
  berth_fuse_fn fuse;  // Terms with the same one can be fused.
  int64_t count;       // Elements of the output.
  int64_t row;       // How long rows are that are repeated; 0: there are none.
  uint32_t carried;  // Inputs that are.
  bool begins;       // None is: it can only be the first.
  bool many;         // What it is fused into may have several outputs.
  uint8_t weight;    // How many steps it counts for; 0: one.
  uint8_t most_inputs;   // Of what it is fused into; 0: BERTH_FUSED_INPUTS.
  uint8_t most_outputs;  // Likewise, where they are many; BERTH_FUSED_OUTPUTS.
  uint32_t fed;          // Inputs that others may make as they are needed.
  bool needs_feed;       // It is a term only where one of them is.
  bool ends;      // Terms of elements feed it, and nothing goes on from it.
  bool finishes;  // It begins, and does some of what follows by itself.
  // By output: how it lies in input |viewed|. NULL: it is a term of elements, or
  // one that begins or ends. One with views is |carried| nothing.
  const berth_view_t *views;
  int32_t viewed;
};

// Inputs and outputs that a group has at most unless its terms take more.
#define BERTH_FUSED_INPUTS 30
#define BERTH_FUSED_OUTPUTS 6

// Returns how |term|, whose |count| is set, reads input |index| of two that
// |broadcast| (NULL: it is the only one), and notes it in |term|.
static inline berth_reach_t berth_term_reach(berth_term_t *term,
                                             const berth_case_input_t *input,
                                             const berth_broadcast_t *broadcast,
                                             int index) {
  bool has_rows = broadcast != NULL && broadcast->level_count == 2 &&
                  broadcast->levels[0].steps[0] == 1 &&
                  broadcast->levels[0].steps[1] == 1;
  if (input->count == term->count) {
    term->carried |= UINT32_C(1) << index;
    return BERTH_REACH_ALL;
  }
  if (has_rows && input->count == broadcast->levels[0].count) {
    term->row = input->count;
    return BERTH_REACH_ROW;
  }
  return input->count == 1 ? BERTH_REACH_ONE : BERTH_REACH_NONE;
}

#endif  // BERTH_KERNEL_FUSE_H_
