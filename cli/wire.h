// wire.h - Reading protobuf messages, field by field.
//
//   cli_wire_t wire = cli_wire_open(bytes, size);
//   while (cli_wire_next(&wire)) {
//     if (wire.field == 1) name = (cli_bytes_t){wire.data, wire.size};
//   }
//
// Enough for what the library hands out: a description of an op, of its
// kernels, and of a run. A damaged message ends early, and |is_damaged|.
#ifndef BERTH_CLI_WIRE_H_
#define BERTH_CLI_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_wire {
  const uint8_t *next, *end;
  // The current field: its number; its value, when it is a number; where its
  // bytes are, when it is a text, a message or packed numbers.
  uint32_t field;
  uint64_t number;
  const char *data;  // NULL for a number.
  size_t size;
  bool is_damaged;  // It ended before its end.
} cli_wire_t;

cli_wire_t cli_wire_open(const void *bytes, size_t size);

// Opens the message that is the current field of |wire|.
cli_wire_t cli_wire_inside(const cli_wire_t *wire);

// Moves to the next field; false at the end.
bool cli_wire_next(cli_wire_t *wire);

// Takes the next number of packed ones: |packed| is opened with
// cli_wire_inside(). False at the end.
bool cli_wire_unpack(cli_wire_t *packed, uint64_t *out_number);

// Returns the number of a float field.
float cli_wire_float(const cli_wire_t *wire);

#endif  // BERTH_CLI_WIRE_H_
