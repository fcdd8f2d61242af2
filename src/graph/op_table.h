// op_table.h - The tables that opgen writes from ops.def and known.def.
//
// Constant data, and room for what is made of it (graph/op_bytes.h).
// graph/schema.h is how everybody else reads it.
#ifndef BERTH_GRAPH_OP_TABLE_H_
#define BERTH_GRAPH_OP_TABLE_H_

#include <stdatomic.h>

#include "graph/op_bytes.h"
#include "graph/op_hash.h"
#include "graph/schema.h"
#include "tensor/tensor.h"

// How many ops there are: the first are those of ops.def, then come those of
// known.def, each sorted by name. Where an op stands is its number.
extern const int berth_op_table_count;
extern const int berth_op_known_count;

// Number of an op plus one, by hash with linear probing; 0 is a free slot.
extern const uint16_t berth_op_slots[BERTH_OP_SLOTS];

// The numbers of all ops, sorted by name.
extern const uint16_t berth_op_order[];

// What is allowed: types, in an order for messages where there is one, or
// texts.
typedef struct berth_op_set {
  berth_dtype_set_t types;
  const char *const *texts;  // NULL-terminated; NULL: types.
  const uint8_t *order;
  int16_t order_count;
} berth_op_set_t;

// A shape function.
typedef berth_code_t berth_shape_fn_t(berth_shape_context_t *context,
                                      berth_error_t *err);

// All ops, as graph/op_bytes.h says.
extern const uint32_t berth_op_places[];
extern const uint8_t berth_op_bytes[];
extern const char berth_op_texts[];
extern const berth_attr_value_t *const berth_op_values[];
extern const berth_op_set_t berth_op_sets[];
extern berth_shape_fn_t *const berth_op_functions[];

// Room for their schemas, and which are made.
extern berth_op_schema_t berth_op_schemas[];
extern berth_arg_schema_t berth_op_args[];
extern berth_attr_schema_t berth_op_attrs[];
extern berth_registration_t berth_op_registrations[];
extern berth_constraint_t berth_op_constraints[];
extern atomic_bool berth_op_made[];

// Returns the schema of op |number|, making it when it is the first time.
const berth_op_schema_t *berth_op_schema(int number);

// Returns its name, which does not make it.
const char *berth_op_name_of(int number);

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
