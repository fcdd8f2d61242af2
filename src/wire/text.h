// text.h - Messages in protobuf's text format.
//
// Both ways are driven by the descriptors of protobuf-c and work for every
// message. The reader takes what Python's text_format.Parse() takes, except for
// extensions and Any; the writer prints what its MessageToString() prints, byte
// for byte. Neither recurses: messages may nest BERTH_WIRE_MAX_DEPTH levels.
//
// Threads: caller serialises the arena and the string.
#ifndef BERTH_WIRE_TEXT_H_
#define BERTH_WIRE_TEXT_H_

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Reads |size| bytes of text as a message of |type| into |arena|.
//
// Fails with BERTH_INVALID_ARGUMENT and a text that begins with line and
// column (`3:5 : Message type "tensorflow.NodeDef" has no field named "x".`),
// and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_message_from_text(
    const ProtobufCMessageDescriptor *type, const char *text, size_t size,
    berth_arena_t *arena, ProtobufCMessage **out_message, berth_error_t *err);

// Appends |message| to |str|. Fails with BERTH_INVALID_ARGUMENT when it nests
// too deeply, and with BERTH_RESOURCE_EXHAUSTED; |str| then holds a part.
BERTH_NODISCARD berth_code_t berth_message_to_text(
    const ProtobufCMessage *message, berth_str_t *str, berth_error_t *err);

// Appends |value| as Python's repr() prints a float: 0.1, 1e+16, inf. |is_f32|
// asks for the shortest text that gives the same float, not the same double.
void berth_text_put_float(berth_str_t *str, double value, bool is_f32);

#endif  // BERTH_WIRE_TEXT_H_
