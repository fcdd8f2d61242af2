// wire_attr.h - Attribute values in and out of AttrValue messages.
//
// Decoding copies everything but the elements of tensors, which are made anew;
// encoding borrows texts and tensor contents, so a message lives no longer than
// the value it was made from. Functions nest in values as deep as the scan of
// the bytes allows; a list of work replaces recursion.
//
// Threads: caller serialises the arena.
#ifndef BERTH_GRAPH_WIRE_ATTR_H_
#define BERTH_GRAPH_WIRE_ATTR_H_

#include "base/arena.h"
#include "base/error.h"
#include "graph/attr.h"
#include "graph/tensor_proto.h"
#include "wire/attr.pb-c.h"

// Decodes |message| into |*out_value|, which lies in |arena|. The caller owns
// the tensors in it, which may be compact, and gives them back with
// berth_attr_drop_tensors(). They are counted in |expansion|; NULL: against
// limits of their own. Fails with BERTH_INVALID_ARGUMENT for a tensor or shape
// that cannot be, and with BERTH_RESOURCE_EXHAUSTED; nothing is owned then.
BERTH_NODISCARD berth_code_t
berth_attr_from_wire(const Berth__Wire__AttrValue *message,
                     berth_arena_t *arena, berth_expansion_t *expansion,
                     berth_attr_value_t *out_value, berth_error_t *err);

// The same for a serialised AttrValue from outside.
BERTH_NODISCARD berth_code_t
berth_attr_from_bytes(const void *bytes, size_t size, berth_arena_t *arena,
                      berth_attr_value_t *out_value, berth_error_t *err);

// Encodes |value| as a message in |arena| that borrows from |value|.
BERTH_NODISCARD berth_code_t
berth_attr_to_wire(const berth_attr_value_t *value, berth_arena_t *arena,
                   Berth__Wire__AttrValue **out_message, berth_error_t *err);

// Encodes a shape as a message in |arena|; NULL when memory is short.
Berth__Wire__TensorShapeProto *berth_shape_to_wire(berth_dims_t shape,
                                                   berth_arena_t *arena);

// Decodes a shape, partly known ones included, into |arena|. NULL means rank
// unknown. BERTH_INVALID_ARGUMENT for a rank above BERTH_MAX_RANK or a
// dimension below -1.
BERTH_NODISCARD berth_code_t berth_shape_from_wire(
    const Berth__Wire__TensorShapeProto *message, berth_arena_t *arena,
    berth_dims_t *out_shape, berth_error_t *err);

#endif  // BERTH_GRAPH_WIRE_ATTR_H_
