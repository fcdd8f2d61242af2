// message.h - Messages from bytes and to bytes.
//
// A message that was read lies in an arena, whole, and goes with it: nothing is
// freed alone.
//
// Threads: caller serialises the arena.
#ifndef BERTH_WIRE_MESSAGE_H_
#define BERTH_WIRE_MESSAGE_H_

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

// Reads a message of |type| from untrusted bytes into |arena|; |bytes| may go
// afterwards. Fails as berth_wire_scan() does, and with
// BERTH_RESOURCE_EXHAUSTED; what was put into the arena stays there then.
BERTH_NODISCARD berth_code_t berth_message_unpack(
    const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
    berth_arena_t *arena, ProtobufCMessage **out_message, berth_error_t *err);

// Writes |message| to bytes that the caller owns (berth_free()).
BERTH_NODISCARD berth_code_t berth_message_pack(const ProtobufCMessage *message,
                                                void **out_bytes,
                                                size_t *out_size,
                                                berth_error_t *err);

// Makes an empty message of |type| in |arena|; NULL when memory is short.
void *berth_message_new(const ProtobufCMessageDescriptor *type,
                        berth_arena_t *arena);

// Copies |message| into |arena|. Borrows nothing from it.
BERTH_NODISCARD berth_code_t berth_message_copy(const ProtobufCMessage *message,
                                                berth_arena_t *arena,
                                                ProtobufCMessage **out_message,
                                                berth_error_t *err);

// Returns the bytes that one element of a repeated field of |type| takes.
size_t berth_message_element_size(ProtobufCType type);

#endif  // BERTH_WIRE_MESSAGE_H_
