// pseudo.h - Nodes of steps that stand in no graph.
//
// A program has steps that the executor adds: copies, reads of variables, what
// is taken out of a loop. Each has a node like any other, with one input and
// one output, whose id is -1.
#ifndef BERTH_EXEC_PSEUDO_H_
#define BERTH_EXEC_PSEUDO_H_

#include "base/arena.h"
#include "graph/graph.h"

// Makes such a node of |op|, whose output is of |dtype|, at the start of |size|
// zeroed bytes of |arena|; |name| is borrowed. NULL when memory is short.
void *berth_pseudo_node(berth_arena_t *arena, size_t size,
                        const berth_op_schema_t *op, const char *name,
                        berth_dtype_t dtype);

#endif  // BERTH_EXEC_PSEUDO_H_
