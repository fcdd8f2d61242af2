// tensor_proto.h - Tensors in and out of TensorProto messages.
//
// A TensorProto holds its elements as raw bytes or as a list in the field of
// its type; a list shorter than the shape goes on with its last value, and an
// empty one means zeros. So ten bytes may stand for gigabytes: what does not
// fit into memory is an error here, never a crash.
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

// Makes a host tensor of |message|. Fails with BERTH_INVALID_ARGUMENT for a
// type or shape that no tensor has and for contents of the wrong size, with
// BERTH_UNIMPLEMENTED for variants, and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_tensor_from_message(const Berth__Wire__TensorProto *message,
                          berth_tensor_t **out_tensor, berth_error_t *err);

// Makes a message of a host tensor in |arena|, the way TensorFlow's constants
// are written. It borrows the contents of |tensor|.
BERTH_NODISCARD berth_code_t berth_tensor_to_message(
    const berth_tensor_t *tensor, berth_arena_t *arena,
    Berth__Wire__TensorProto **out_message, berth_error_t *err);

#endif  // BERTH_GRAPH_TENSOR_PROTO_H_
