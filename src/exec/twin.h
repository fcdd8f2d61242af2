// twin.h - Nodes that compute the same: one step does it for all of them.
//
// A node is the *twin* of an earlier one when both have the same op, attributes,
// kernel and device, read the same values and wait for the same nodes, and when
// what they make depends on nothing else. It gets no step: its outputs are those
// of the other, and who waits for it waits for the other. Constants of the same
// value are twins too, so that what is computed from them can be.
//
//   a = x * 2   b = exp(a)   c = x * 2   d = exp(c)      slots of c and d: a, b
//
// Threads: as the making of a program, one.
#ifndef BERTH_EXEC_TWIN_H_
#define BERTH_EXEC_TWIN_H_

#include "exec/program.h"

// A node that may have twins.
typedef struct berth_twin_entry {
  uint32_t hash;
  int32_t next;  // The node before it with a hash of the same place, or -1.
  int32_t step;  // Its step, or ~s for settled step s.
} berth_twin_entry_t;

// Zeroed: nothing is sought.
typedef struct berth_twins {
  int32_t *heads;  // By place of a hash: the node added last, or -1.
  uint32_t mask;
  berth_twin_entry_t *entries;  // By node.
  int32_t *of;                  // By node: the one it is a twin of, or -1.
  berth_twin_t *found;
  size_t found_count, found_capacity;
} berth_twins_t;

// Makes |twins| ready for |node_count| nodes. False when memory is short.
// Whatever the outcome, berth_twins_deinit() frees.
bool berth_twins_init(berth_twins_t *twins, int node_count);
void berth_twins_deinit(berth_twins_t *twins);

// True when |step|, of a node of the graph, may have twins.
bool berth_twins_seek(const berth_twins_t *twins, const berth_step_t *step);

// Returns the hash of such a |step| with inputs |slots|.
uint32_t berth_twins_hash(const berth_step_t *step, const int32_t *slots);

// Returns the node that |step|, with inputs |slots| and that |hash|, is a twin of,
// or -1. |loop_of|, if not NULL, says in which loop a node lies.
int32_t berth_twins_find(const berth_twins_t *twins,
                         const berth_program_t *program, uint32_t hash,
                         const berth_step_t *step, const int32_t *slots,
                         const int32_t *loop_of);

// Notes that |step| is a twin of node |of|. False when memory is short.
bool berth_twins_note(berth_twins_t *twins, const berth_step_t *step,
                      int32_t of);

// Adds |node|, whose step is the last of |program|, or the last that was settled.
void berth_twins_add(berth_twins_t *twins, const berth_program_t *program,
                     uint32_t hash, const berth_node_t *node);

// Returns |node| or what stands for it: a copy in |arena| that waits for steps
// where |node| waits for twins of them. NULL when memory is short.
const berth_node_t *berth_twins_redirect(const berth_twins_t *twins,
                                         const berth_node_t *node,
                                         berth_arena_t *arena);

#endif  // BERTH_EXEC_TWIN_H_
