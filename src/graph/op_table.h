// op_table.h - The table that opgen writes from ops.def.
//
// Constant data. graph/schema.h is how everybody else reads it.
#ifndef BERTH_GRAPH_OP_TABLE_H_
#define BERTH_GRAPH_OP_TABLE_H_

#include "graph/op_hash.h"
#include "graph/schema.h"

// All ops, sorted by name.
extern const berth_op_schema_t berth_op_table[];
extern const int berth_op_table_count;

// Index of an op plus one, by hash with linear probing; 0 is a free slot.
extern const uint16_t berth_op_slots[BERTH_OP_SLOTS];

#endif  // BERTH_GRAPH_OP_TABLE_H_
