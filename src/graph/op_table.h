// op_table.h - The tables that opgen writes from ops.def and known.def.
//
// Constant data, and room for what is made of it (graph/known.h).
// graph/schema.h is how everybody else reads it.
#ifndef BERTH_GRAPH_OP_TABLE_H_
#define BERTH_GRAPH_OP_TABLE_H_

#include <stdatomic.h>

#include "graph/known.h"
#include "graph/op_hash.h"
#include "graph/schema.h"
#include "tensor/tensor.h"

// The ops of ops.def, sorted by name.
extern const berth_op_schema_t berth_op_table[];
extern const int berth_op_table_count;

// Index of an op plus one, by hash with linear probing; 0 is a free slot.
extern const uint16_t berth_op_slots[BERTH_OP_SLOTS];

// All ops, sorted by name: indices into the table, or beyond its end those of
// ops that are only known.
extern const uint16_t berth_op_order[];

// What is allowed: types, in an order for messages where there is one, or
// texts.
typedef struct berth_known_set {
  berth_dtype_set_t types;
  const char *const *texts;  // NULL-terminated; NULL: types.
  const uint8_t *order;
  int16_t order_count;
} berth_known_set_t;

// The ops that are only known, as graph/known.h says.
extern const int berth_known_count;
extern const uint16_t berth_known_slots[BERTH_KNOWN_SLOTS];
extern const uint32_t berth_known_at[];
extern const uint8_t berth_known_bytes[];
extern const char berth_known_texts[];
extern const berth_attr_value_t *const berth_known_values[];
extern const berth_known_set_t berth_known_sets[];

// Room for their schemas, and which are made.
extern berth_op_schema_t berth_known_ops[];
extern berth_arg_schema_t berth_known_args[];
extern berth_attr_schema_t berth_known_attrs[];
extern berth_registration_t berth_known_registrations[];
extern berth_constraint_t berth_known_constraints[];
extern atomic_bool berth_known_made[];

// Returns the schema of known op |index|, making it when it is the first time.
const berth_op_schema_t *berth_known_get(int index);

// Returns its name, which does not make it.
const char *berth_known_name(int index);

// Returns the schema of |name|, or NULL.
const berth_op_schema_t *berth_known_find(const char *name);

// A tensor among the defaults, of |length| elements_<number>, as a scalar or a
// vector. It is in static storage: its own reference is never released.
#define BERTH_TABLE_TENSOR(number, type, its_rank, length) \
  static berth_buffer_t buffer_##number = {                \
      .refs = 1,                                           \
      .data = (void *)(uintptr_t)elements_##number,        \
      .size = sizeof elements_##number};                   \
  __extension__ static berth_tensor_t tensor_##number = {  \
      .refs = 1,                                           \
      .rank = its_rank,                                    \
      .dtype = (berth_dtype_t)(type),                      \
      .listed = length,                                    \
      .count = length,                                     \
      .size = sizeof elements_##number,                    \
      .data = (void *)(uintptr_t)elements_##number,        \
      .buffer = &buffer_##number,                          \
      .dims = {length}};

typedef berth_tensor_t *berth_table_tensor_t;

#endif  // BERTH_GRAPH_OP_TABLE_H_
