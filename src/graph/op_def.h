// op_def.h - Op schemas in and out of OpDef messages.
//
// The signature of a function is an OpDef and becomes a schema, so that nodes
// that call it are checked like any other; the schemas of the table become
// OpDefs for front ends that want to read them.
//
// The public half is berth_op_schema_proto() and berth_op_kernels_proto() of
// berth/graph.h. Threads: caller serialises the arena.
#ifndef BERTH_GRAPH_OP_DEF_H_
#define BERTH_GRAPH_OP_DEF_H_

#include "base/arena.h"
#include "base/error.h"
#include "graph/schema.h"
#include "wire/op.pb-c.h"

// Makes a schema of |message| in |arena|. It borrows from |message| and owns
// the tensors among its defaults (berth_op_schema_drop_tensors()). Fails with
// BERTH_INVALID_ARGUMENT for an argument without a type or with an attribute
// that is not declared, and for an attribute of a kind that does not exist.
BERTH_NODISCARD berth_code_t berth_op_schema_from_wire(
    const Berth__Wire__OpDef *message, berth_arena_t *arena,
    berth_op_schema_t *out_schema, berth_error_t *err);

// Releases the tensors among the defaults of such a schema.
void berth_op_schema_drop_tensors(const berth_op_schema_t *schema);

// Makes an OpDef of |schema| in |arena|, borrowing from it.
BERTH_NODISCARD berth_code_t
berth_op_schema_to_wire(const berth_op_schema_t *schema, berth_arena_t *arena,
                        Berth__Wire__OpDef **out_message, berth_error_t *err);

// Makes an AttrValue that lists types or NULL-terminated texts in |arena|; NULL
// when memory is short. Types come in |order|, or by number when there is none.
Berth__Wire__AttrValue *berth_types_to_wire(berth_dtype_set_t types,
                                            const uint8_t *order,
                                            int order_count,
                                            berth_arena_t *arena);
Berth__Wire__AttrValue *berth_texts_to_wire(const char *const *texts,
                                            berth_arena_t *arena);

// Finds the schema of |op|. BERTH_NOT_FOUND.
BERTH_NODISCARD berth_code_t berth_op_schema_find(
    const char *op, const berth_op_schema_t **out_schema, berth_error_t *err);

#endif  // BERTH_GRAPH_OP_DEF_H_
