// message.c - Messages of protobuf, looked at without knowing them.
#include "io/message.h"

static bool pass(berth_varints_t *at, uint64_t size) {
  if (size > (uint64_t)(at->end - at->at)) return false;
  at->at += size;
  return true;
}

bool berth_field_skip(berth_varints_t *at) {
  uint64_t key = 0, value = 0;
  if (!berth_varint_read(at, &key) || key >> 3 == 0) return false;
  switch (key & 7) {
    case BERTH_FIELD_NUMBER:
      return berth_varint_read(at, &value);
    case BERTH_FIELD_DOUBLE:
      return pass(at, 8);
    case BERTH_FIELD_BYTES:
      return berth_varint_read(at, &value) && pass(at, value);
    case BERTH_FIELD_FLOAT:
      return pass(at, 4);
    default:
      return false;
  }
}

bool berth_fields_are_whole(const void *bytes, size_t size) {
  const unsigned char *begin = bytes;
  berth_varints_t at = {begin, begin + size};
  while (at.at < at.end) {
    if (!berth_field_skip(&at)) return false;
  }
  return true;
}
