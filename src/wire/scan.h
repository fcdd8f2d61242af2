// scan.h - Checks untrusted bytes before protobuf-c reads them.
//
// protobuf-c recurses once per level of nesting and merges repeated singular
// messages by copying, so that a few kilobytes can overflow its stack or keep
// it busy for minutes. The scan walks the bytes once, with a stack of its own,
// and refuses what a writer of messages never makes.
//
// Pure: nothing allocates. Linear in the size.
#ifndef BERTH_WIRE_SCAN_H_
#define BERTH_WIRE_SCAN_H_

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "base/error.h"

// Levels of messages within messages that are accepted; protobuf's own limit.
#define BERTH_WIRE_MAX_DEPTH 100

// Checks that |bytes| hold one message of |type|: tags and wire types valid,
// every length inside its parent, strings without NUL, at most
// BERTH_WIRE_MAX_DEPTH levels. Unknown fields are skipped.
//
// Fails with BERTH_DATA_LOSS when something ends too early and with
// BERTH_INVALID_ARGUMENT for anything else; the text names field and offset.
BERTH_NODISCARD berth_code_t
berth_wire_scan(const ProtobufCMessageDescriptor *type, const void *bytes,
                size_t size, berth_error_t *err);

#endif  // BERTH_WIRE_SCAN_H_
