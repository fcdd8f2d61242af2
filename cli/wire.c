// wire.c - Reading protobuf messages.
#include "wire.h"

#include <string.h>

// How a field is stored: the low bits of its tag.
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

cli_wire_t cli_wire_open(const void *bytes, size_t size) {
  const uint8_t *data = bytes;
  return (cli_wire_t){.next = data, .end = data != NULL ? data + size : data};
}

cli_wire_t cli_wire_inside(const cli_wire_t *wire) {
  return cli_wire_open(wire->data, wire->size);
}

bool cli_wire_unpack(cli_wire_t *packed, uint64_t *out_number) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && packed->next < packed->end; shift += 7) {
    uint8_t byte = *packed->next++;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out_number = number;
      return true;
    }
  }
  packed->next = packed->end;
  return false;
}

// Takes a number of |size| bytes, the lowest first.
static bool take_fixed(cli_wire_t *wire, size_t size) {
  if ((size_t)(wire->end - wire->next) < size) return false;
  for (size_t i = 0; i < size; ++i) {
    wire->number |= (uint64_t)wire->next[i] << (8 * i);
  }
  wire->next += size;
  return true;
}

static bool take_bytes(cli_wire_t *wire) {
  uint64_t size = 0;
  if (!cli_wire_unpack(wire, &size)) return false;
  if (size > (uint64_t)(wire->end - wire->next)) return false;
  wire->data = (const char *)wire->next;
  wire->size = (size_t)size;
  wire->next += size;
  return true;
}

static bool take_field(cli_wire_t *wire) {
  uint64_t tag = 0;
  wire->number = 0;
  wire->data = NULL;
  wire->size = 0;
  if (!cli_wire_unpack(wire, &tag)) return false;
  wire->field = (uint32_t)(tag >> 3);
  switch (tag & 7) {
    case VARINT:
      return cli_wire_unpack(wire, &wire->number);
    case FIXED64:
      return take_fixed(wire, 8);
    case FIXED32:
      return take_fixed(wire, 4);
    case BYTES:
      return take_bytes(wire);
    default:
      return false;
  }
}

bool cli_wire_next(cli_wire_t *wire) {
  if (wire->next == wire->end) return false;
  wire->is_damaged = !take_field(wire);
  return !wire->is_damaged;
}

float cli_wire_float(const cli_wire_t *wire) {
  uint32_t bits = (uint32_t)wire->number;
  float value = 0;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
