// ebb.h - Going back through branches and loops, as TensorFlow does.
//
// A loop is gone back through by a loop of its own, which runs as often:
//
//   forward   f_count: 0, 1, ... n      each turn pushes what rules will need
//   backward  b_count: n, ... 1, 0      each turn pops it again, last first
//
//   Exit      <- Enter of the slope           (b_exit)
//   Switch    <- Merge of that and the slope of the turn after it (b_switch)
//   Merge     <- Switch: on to the turn before, or out
//   Enter     <- Exit; for what is constant in the loop a sum over all turns
//
// A value of the forward loop is pushed on a stack that is made outside, and
// popped where a node of the backward loop asks for it; in a branch, only when
// that is taken. Values from outside enter as constants. So a backward loop may
// itself be gone back through: slopes by what it pops are pushed in turn, and
// popped where the forward loop is gone back through once more.
//
//   I1  |here| is the backward loop in which nodes are made, by the context of
//       its forward loop; 0: outside of all.
//   I2  Nodes that hold the turns in order are made last, when it is known what
//       they wait for.
//
// Threads: belongs to a walk.
#ifndef BERTH_GRAD_EBB_H_
#define BERTH_GRAD_EBB_H_

#include "grad/context.h"
#include "grad/rule.h"

typedef struct berth_ebb berth_ebb_t;

// Makes what |g| needs to go back through the first |node_count| nodes of its
// graph; NULL where these have neither branches nor loops. What is as far
// inside as |within|, or less, is taken as straight.
BERTH_NODISCARD berth_code_t berth_ebb_create(berth_grad_t *g,
                                              int32_t node_count,
                                              berth_out_t within,
                                              berth_ebb_t **out_ebb,
                                              berth_error_t *err);
void berth_ebb_destroy(berth_ebb_t *ebb);

// ---- The walk ----

// Returns the loop of |node| where that is gone back through by a loop: its
// context; 0: none. Of an Exit it is the loop that it leaves.
int32_t berth_ebb_loop(const berth_ebb_t *ebb, const berth_node_t *node);

// Returns the loop around |loop| that is gone back through; 0: none.
int32_t berth_ebb_outer(const berth_ebb_t *ebb, int32_t loop);

// True when |inside| is |loop|, or in it; of 0, which is no loop, always.
bool berth_ebb_is_around(const berth_ebb_t *ebb, int32_t loop, int32_t inside);

// Counts the Exits of |loop|, and what is pushed in it and popped by other
// loops, whose slopes are to come.
int32_t *berth_ebb_pending(berth_ebb_t *ebb, int32_t loop);

// Makes nodes be made in the backward loop of |loop| from now on, which is
// begun if it has not been; 0: outside.
void berth_ebb_go(berth_grad_t *g, int32_t loop);

// Returns zeros like |value|, an output of the forward graph.
berth_out_t berth_ebb_zeros(berth_grad_t *g, berth_out_t value);

// Makes |slope|, by input |index| of the node that is differentiated, be there
// also when the branch of the node is not taken, where the input is outside of
// that and nothing led it in: constants come into loops that go back as they
// are.
void berth_ebb_leave_branches(berth_grad_t *g, int index, berth_slope_t *slope);

// Returns the slope by |out|, which goes round in |loop|, after the last turn:
// zeros.
berth_out_t berth_ebb_unseen(berth_grad_t *g, berth_out_t out, int32_t loop);

// Makes a stack of the slopes by what the node that is differentiated pops, and
// |pusher| pushed in another loop: last first, as values were. The backward loop
// of |pusher| comes after that of the node.
berth_out_t berth_ebb_pile(berth_grad_t *g, const berth_node_t *pusher);

// Gives the node that is differentiated, which pushes, the slopes that are on
// the stack in the place of its slope.
void berth_ebb_unpile(berth_grad_t *g);

// Makes what was left: the turns are held in order.
void berth_ebb_finish(berth_grad_t *g);

// ---- Rules and emission ----

// Makes |op| where nodes are made: its inputs are brought there. As the
// emitter's finish().
BERTH_NODISCARD berth_code_t berth_ebb_make(berth_grad_t *g, berth_op_t *op,
                                            const berth_out_t *inputs,
                                            const int *counts, int count,
                                            berth_node_id_t *out_node);

#endif  // BERTH_GRAD_EBB_H_
