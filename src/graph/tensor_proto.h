// tensor_proto.h - Tensors in and out of TensorProto messages.
//
// A TensorProto holds its elements as raw bytes or as a list in the field of
// its type; a list shorter than the shape goes on with its last value, and an
// empty one means zeros. So ten bytes may stand for gigabytes: such tensors
// stay compact (tensor/compact.h) until somebody uses them, and there are
// limits to what a graph may ask for that way.
//
// It lives in this room, not with the tensors, because those know no messages.
// The public half is berth_tensor_from_proto() and berth_tensor_to_proto() of
// berth/tensor.h.
//
// Threads: caller serialises the arena.
#ifndef BERTH_GRAPH_TENSOR_PROTO_H_
#define BERTH_GRAPH_TENSOR_PROTO_H_

#include "base/arena.h"
#include "base/error.h"
#include "berth/tensor.h"
#include "wire/tensor.pb-c.h"

// What a constant that lists fewer values than it has elements may expand to:
// as much as a message can hold, which is what one that lists all may have.
#define BERTH_CONSTANT_LIMIT (UINT64_C(2) << 30)
// And all of those of a graph together.
#define BERTH_IMPORT_LIMIT (UINT64_C(8) << 30)

// Bytes that constants read from messages will take once they are used.
typedef struct berth_expansion {
  uint64_t constant_limit;  // For one.
  uint64_t total_limit;     // For all that are counted here.
  uint64_t total;           // At most |total_limit|.
} berth_expansion_t;

// Sets the limits from BERTH_CONSTANT_LIMIT_MB and BERTH_IMPORT_LIMIT_MB of the
// environment, or to those above.
void berth_expansion_init(berth_expansion_t *expansion);

// Makes a host tensor of |message|, a compact one where that lists few values
// for many elements; those are counted in |expansion|, unless it is NULL. Fails
// with BERTH_INVALID_ARGUMENT for a type or shape that no tensor has and for
// contents of the wrong size, with BERTH_UNIMPLEMENTED for variants, and with
// BERTH_RESOURCE_EXHAUSTED when memory is short or a limit is reached.
BERTH_NODISCARD berth_code_t berth_tensor_from_message(
    const Berth__Wire__TensorProto *message, berth_expansion_t *expansion,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Makes a message of a host tensor in |arena|, the way TensorFlow's constants
// are written; a compact one lists the values it has. It borrows the contents
// of |tensor|.
BERTH_NODISCARD berth_code_t berth_tensor_to_message(
    const berth_tensor_t *tensor, berth_arena_t *arena,
    Berth__Wire__TensorProto **out_message, berth_error_t *err);

#endif  // BERTH_GRAPH_TENSOR_PROTO_H_
